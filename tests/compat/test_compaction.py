# SPDX-License-Identifier: Apache-2.0
"""What Milena has compacted: Apache Kafka's dump tool finds nothing wrong in it, Apache Kafka goes on with the folder,
and Milena with what Apache Kafka has compacted.

Needs a JDK and Maven, which fetches Apache Kafka; without them these tests skip themselves.
"""
import time
import unittest

from support import apache, compacted, node

SETTINGS = compacted.FAST | {'log.cleaner.backoff.ms': 200}
# Milena's topics may have small segments, those of Apache Kafka begin at a mebibyte.
COMPACTED = compacted.COMPACTED | {'segment.ms': '500'}
VALUE = b'x' * 400


def setUpModule():
    if node.PEER or apache.jars() is None:
        raise unittest.SkipTest('Apache Kafka needs a JDK and Maven')


class CompactionTest(unittest.TestCase):
    def setUp(self):
        self.jars = apache.jars()
        self.server = node.Node(SETTINGS)
        self.addCleanup(self.server.__exit__)

    def start(self, peer):
        self.server.peer = peer
        self.server.start(timeout_s=120)

    def write(self, first, count, **more):
        """Batches of several keys each, some of them deleted; what they come to."""
        sender = compacted.producer(self.server, **more)
        newest = {}
        for number in range(first, first + count):
            key = b'key-%d' % (number % 50)
            newest[key] = None if number % 11 == 0 else b'%d ' % number + VALUE
            sender.produce('table', newest[key], key)
            if number % 10 == 9:
                assert sender.flush(60) == 0
        assert sender.flush(60) == 0
        return newest

    def read(self):
        found = compacted.read(self.server, 'table')
        offsets = [offset for offset, _, _ in found]
        self.assertEqual(offsets, sorted(set(offsets)))
        newest = {key: value for _, key, value in found}
        return {key: value for key, value in newest.items() if value is not None}, found

    def await_cleaned(self, records_max, timeout_s=90):
        """The newest record of the key `last` is another then."""
        sender = compacted.producer(self.server)
        deadline = time.monotonic() + timeout_s
        while True:
            # What is written rolls the active segment when its time is over.
            sender.produce('table', b'again', b'last')
            assert sender.flush(30) == 0
            if len(compacted.read(self.server, 'table')) <= records_max:
                return
            self.assertLess(time.monotonic(), deadline, 'the log is not cleaned')
            time.sleep(0.7)

    def dump(self, pattern, *flags):
        for path in sorted((self.server.data / 'table-0').glob(pattern)):
            if not path.stat().st_size:
                continue
            said = apache.tool(self.jars, 'org.apache.kafka.tools.DumpLogSegments', *flags, '--files', path)
            for wrong in ('isvalid: false', 'mismatch', 'found', 'out of order'):
                self.assertNotIn(wrong, said.lower(), path)

    def test_apache_kafka_reads_and_goes_on_with_what_was_compacted_here(self):
        self.start(None)
        compacted.make_topic(self.server, 'table', COMPACTED)
        state = {}
        for first, codec in ((0, 'none'), (1000, 'zstd'), (2000, 'lz4'), (3000, 'gzip'), (4000, 'snappy')):
            state |= self.write(first, 1000, **{'compression.type': codec, 'enable.idempotence': codec == 'zstd'})
        self.await_cleaned(400)
        state[b'last'] = b'again'
        state = {key: value for key, value in state.items() if value is not None}
        here, found = self.read()
        self.assertEqual(here, state)
        self.assertEqual(self.server.stop(), 0)
        self.dump('*.log', '--deep-iteration', '--print-data-log')
        self.dump('*.index')
        self.dump('*.timeindex')
        self.dump('*.snapshot')

        self.start(self.jars)
        there, found_there = self.read()
        self.assertEqual(there, state)
        self.assertEqual(found_there, found)
        state |= self.write(5000, 500)
        self.await_cleaned(400)
        state[b'last'] = b'again'
        state = {key: value for key, value in state.items() if value is not None}
        self.assertEqual(self.read()[0], state)
        self.server.stop()

        self.start(None)
        self.assertEqual(self.read()[0], state)
        state |= self.write(6000, 500)
        self.await_cleaned(400)
        state[b'last'] = b'again'
        self.assertEqual(self.read()[0], {key: value for key, value in state.items() if value is not None})


if __name__ == '__main__':
    unittest.main()
