# SPDX-License-Identifier: Apache-2.0
"""One topic of thousands of partitions, each asked for in the same request as all the others."""
import time

from . import odd_batches
from .wire import FETCH, LIST_OFFSETS, PRODUCE, array, int16, int32, int64, string


class WideTopic:
    def __init__(self, name, partitions):
        self.name, self.partitions = name, partitions

    def _each(self, part):
        return array([string(self.name) + array([int32(p) + part for p in range(self.partitions)])])

    def end_offsets(self, connection):
        """The end of each partition, or its error as a negative number."""
        reader = connection.request(LIST_OFFSETS, 1, int32(-1) + self._each(int64(-1)))
        reader.take('i'), reader.string()
        return [offset if error == 0 else -error
                for _, error, _, offset in reader.array(lambda: reader.take('ihqq'))]

    def append_to_all(self, connection, value=b'v'):
        """One record to each."""
        records = odd_batches.batch([odd_batches.Record(value)])
        body = string(None) + int16(1) + int32(60000) + self._each(int32(len(records)) + records)
        reader = connection.request(PRODUCE, 7, body)
        reader.take('i'), reader.string()
        errors = {error for _, error, _, _, _ in reader.array(lambda: reader.take('ihqqq'))}
        assert errors == {0}, errors

    def fetch_all(self, connection, offset=0):
        """The bytes that each partition has from the offset on."""
        part = int64(offset) + int32(1 << 10)
        body = int32(-1) + int32(1000) + int32(1) + int32(100 << 20) + b'\0' + self._each(part)
        reader = connection.request(FETCH, 4, body)
        reader.take('i'), reader.take('i'), reader.string()
        found = {}
        for _ in range(reader.take('i')):
            partition, error, _, _ = reader.take('ihqq')
            assert error == 0, (partition, error)
            reader.array(lambda: reader.take('qq'))
            length = max(reader.take('i'), 0)
            found[partition] = reader.data[reader.at:reader.at + length]
            reader.at += length
        return found

    def await_ends(self, connection, end, timeout_s=300):
        """Waits until every partition tells that it ends there."""
        deadline = time.monotonic() + timeout_s
        while True:
            found = self.end_offsets(connection)
            if all(offset == end for offset in found):
                return
            assert time.monotonic() < deadline, sorted(set(found))
            time.sleep(0.01)
