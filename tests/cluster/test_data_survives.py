# SPDX-License-Identifier: Apache-2.0
"""What a node has acknowledged it serves again after a clean stop and after kill -9, byte for byte."""
import threading
import time
import unittest

from support import node, records, wire


class DataSurvivesTest(unittest.TestCase):
    def setUp(self):
        self.node = node.Node()
        self.node.start()
        self.addCleanup(self.node.__exit__)

    def read_all(self, topic):
        """[(offset, value)] from the first to the last record."""
        found = []
        with self.node.connect() as connection:
            connection.await_leader(topic)
            _, end = connection.list_offset(topic, -1)
            while len(found) < end:
                error, _, data = connection.fetch(topic, len(found))
                self.assertEqual(error, 0)
                found += [r for r in records.read(data) if r[0] >= len(found)]
        return found

    def test_a_record_comes_back_as_it_went(self):
        with self.node.connect() as connection:
            connection.make_topic('t')
            self.assertEqual(connection.produce('t', records.batch([b'one', b'', b'\0\xff'])), (0, 0))
            self.assertEqual(connection.produce('t', records.batch([b'four'])), (0, 3))
        self.assertEqual(self.read_all('t'), [(0, b'one'), (1, b''), (2, b'\0\xff'), (3, b'four')])

    def test_offsets_in_the_middle_of_a_batch_give_the_whole_batch(self):
        """B02: the client skips what it did not ask for."""
        with self.node.connect() as connection:
            connection.make_topic('t')
            connection.produce('t', records.batch([b'a', b'b']))
            connection.produce('t', records.batch([b'c', b'd']))
            for offset, first in ((0, 0), (1, 0), (2, 2), (3, 2)):
                error, high_watermark, data = connection.fetch('t', offset)
                self.assertEqual((error, high_watermark, records.read(data)[0][0]), (0, 4, first))
            self.assertEqual(connection.fetch('t', 4, max_wait_ms=10), (0, 4, b''))
            self.assertEqual(connection.fetch('t', 5)[0], 1, 'OFFSET_OUT_OF_RANGE')
            self.assertEqual(connection.list_offset('t', -2), (0, 0))

    def test_a_waiting_fetch_gets_the_next_record(self):
        with self.node.connect() as reader, self.node.connect() as writer:
            writer.make_topic('t')
            began = time.monotonic()
            timer = threading.Timer(0.3, lambda: writer.produce('t', records.batch([b'late'])))
            timer.start()
            _, _, data = reader.fetch('t', 0, max_wait_ms=8000)
            timer.join()
            self.assertEqual(records.read(data), [(0, b'late')])
            self.assertLess(time.monotonic() - began, 3)

    def test_an_unknown_topic_is_made_when_asked_for(self):
        with self.node.connect() as connection:
            self.assertEqual(connection.metadata(['never'], create=False).topics['never'][0], 3)
            self.assertEqual(connection.fetch('never', 0, max_wait_ms=1)[0], 3)
            deadline = time.monotonic() + 10
            while connection.metadata(['fresh'], create=True).topics['fresh'][0] != 0:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
            self.assertEqual(connection.metadata(['never'], create=False).topics['never'][0], 3)

    def test_damaged_batches_are_refused_and_nothing_is_kept(self):
        good = records.batch([b'one'])
        with self.node.connect() as connection:
            connection.make_topic('t')
            for at in (17, 20, 30, len(good) - 1):  # the checksum itself, and what it covers
                bad = good[:at] + bytes([good[at] ^ 1]) + good[at + 1:]
                self.assertEqual(connection.produce('t', bad), (2, -1), f'byte {at}')
            magic_1 = good[:16] + b'\1' + good[17:]
            self.assertEqual(connection.produce('t', magic_1), (87, -1))
            self.assertEqual(connection.produce('t', good + good), (87, -1))
            self.assertEqual(connection.produce('t', b''), (87, -1))
            self.assertEqual(connection.produce('t', good, acks=2), (21, -1))
            self.assertEqual(connection.produce('t', good, partition=7), (3, -1))
            self.assertEqual(connection.list_offset('t', -1), (0, 0))
            self.assertEqual(connection.produce('t', good), (0, 0))

    def test_acks_0_has_no_answer_and_an_error_of_it_closes(self):
        """B44."""
        with self.node.connect() as connection:
            connection.make_topic('t')
            body = (wire.string(None) + wire.int16(0) + wire.int32(1000) + wire.array([wire.string('t') + wire.array(
                [wire.int32(0) + wire.int32(len(records.batch([b'x']))) + records.batch([b'x'])])]))
            connection.send(wire.frame(wire.header(wire.PRODUCE, 7, 77) + body))
            self.assertEqual(connection.list_offset('t', -1), (0, 1))
            bad = body.replace(wire.string('t'), wire.string('u'), 1)
            connection.send(wire.frame(wire.header(wire.PRODUCE, 7, 78) + bad))
            self.assertTrue(connection.is_closed_within(3))

    def test_records_survive_a_clean_restart(self):
        with self.node.connect() as connection:
            connection.make_topic('t')
            for n in range(50):
                connection.produce('t', records.batch([b'%d' % n] * 3))
        before = self.read_all('t')
        self.node.restart()
        self.assertEqual(self.read_all('t'), before)
        with self.node.connect() as connection:
            connection.await_leader('t')
            self.assertEqual(connection.produce('t', records.batch([b'after'])), (0, 150))

    def test_records_survive_kill_9(self):
        """The process dies, the page cache does not: every acknowledged record is there."""
        acknowledged = 0
        with self.node.connect() as connection:
            connection.make_topic('t')
            for n in range(200):
                self.assertEqual(connection.produce('t', records.batch([b'%d' % n])), (0, n))
                acknowledged += 1
        self.node.kill()
        self.node.start()
        found = self.read_all('t')
        self.assertEqual(found, [(n, b'%d' % n) for n in range(acknowledged)])

    def test_kill_9_in_the_middle_of_writes_loses_nothing_acknowledged(self):
        with self.node.connect() as connection:
            connection.make_topic('t')
        for _ in range(3):
            acknowledged = []
            writer = threading.Thread(target=self.write_until_closed, args=(acknowledged,))
            writer.start()
            deadline = time.monotonic() + 20
            while len(acknowledged) < 20 and time.monotonic() < deadline:
                time.sleep(0.01)
            self.node.kill()
            writer.join()
            self.node.start()
            found = dict(self.read_all('t'))
            self.assertGreaterEqual(len(acknowledged), 20)
            for offset, value in acknowledged:
                self.assertEqual(found[offset], value)

    def write_until_closed(self, acknowledged):
        value = b'x' * 2000
        try:
            with self.node.connect() as connection:
                while True:
                    error, offset = connection.produce('t', records.batch([value]))
                    if error == 0:  # just after a start there may be no leader yet
                        acknowledged.append((offset, value))
        except (wire.Closed, OSError):
            pass


if __name__ == '__main__':
    unittest.main()
