# SPDX-License-Identifier: Apache-2.0
"""Old records go while a slow consumer reads: it gets records, or is told that its place is gone, and never stands
still (B29)."""
import time
import unittest

from support import node, records

OFFSET_OUT_OF_RANGE, EARLIEST = 1, -2
DURATION_S = 8
PAUSE_S = 0.4
BURST = 100


class SlowConsumer:
    """Reads one batch at a time; where its place is gone it goes on from the first record that is left."""

    def __init__(self, connection, topic):
        self.connection, self.topic = connection, topic
        self.at = self.read = self.resets = 0

    def step(self):
        """False if there was nothing to read."""
        error, _, data = self.connection.fetch(self.topic, self.at, max_wait_ms=0, bytes_max=1)
        if error == OFFSET_OUT_OF_RANGE:
            _, start = self.connection.list_offset(self.topic, EARLIEST)
            assert start > self.at, f'{self.at} is out of range, though the log starts at {start}'
            self.at = start
            self.resets += 1
            return True
        assert error == 0, f'error {error} at offset {self.at}'
        offsets = [offset for offset, _ in records.read(data) if offset >= self.at]
        if offsets:
            assert offsets[0] == self.at, f'asked for {self.at}, got {offsets[0]}'
            self.at = offsets[-1] + 1
            self.read += len(offsets)
        return bool(offsets)


class RetentionTest(unittest.TestCase):
    def test_a_slow_consumer_comes_to_the_end_of_a_log_that_is_cut_behind_it(self):
        with node.Node({'log.retention.check.interval.ms': 300}) as server, server.connect() as connection:
            connection.make_topic('short', configs={'retention.ms': '1000', 'segment.ms': '1000',
                                                    'file.delete.delay.ms': '100'})
            consumer = SlowConsumer(connection, 'short')
            end, deadline = 0, time.monotonic() + DURATION_S
            while time.monotonic() < deadline:
                now = int(time.time() * 1000)
                for _ in range(15):
                    error, base = connection.produce('short', records.batch([b'x' * 100] * BURST, timestamp=now))
                    self.assertEqual((error, base), (0, end))
                    end += BURST
                consumer.step()
                time.sleep(PAUSE_S)
            while consumer.step():
                pass
            self.assertEqual(consumer.at, end, 'the consumer did not come to the end')
            self.assertGreater(consumer.read, 0)
            self.assertGreater(consumer.resets, 0, 'nothing was cut: the test is too short')
            self.assertLessEqual(len(list((server.data / 'short-0').glob('*.log'))), 6)


if __name__ == '__main__':
    unittest.main()
