# SPDX-License-Identifier: Apache-2.0
"""Compacted topics: a real broker keeps the newest record of each key, where it was, and the rest goes."""
import pathlib
import time
import unittest

import confluent_kafka
from confluent_kafka.admin import AdminClient, ConfigResource

from support import node, records, scraped
from support.compacted import COMPACTED, FAST, fill, make_topic, producer, read

INVALID_RECORD = 87


def log_bytes(server, log):
    return sum(path.stat().st_size for path in pathlib.Path(server.data / log).glob('*.log'))


class CompactionTest(unittest.TestCase):
    def setUp(self):
        self.server = node.Node(FAST)
        scraped.add_pages(self)
        self.server.start()
        self.addCleanup(self.server.__exit__)

    @property
    def nodes(self):
        return [self.server]

    def metric(self, name):
        return sum(value for (found, _), value in scraped.metrics(self.server).items() if found == name)

    def await_true(self, condition, what, timeout_s=60):
        deadline = time.monotonic() + timeout_s
        while not condition():
            self.assertLess(time.monotonic(), deadline, f'{what}\n{self.server.log()[-3000:]}')
            time.sleep(0.1)

    def await_cleaned(self, topic, records_max):
        """All but the active segment is clean."""
        self.await_true(lambda: len(read(self.server, topic)) <= records_max, 'the log is not cleaned')

    def check_newest(self, topic, newest):
        found = read(self.server, topic)
        offsets = [offset for offset, _, _ in found]
        self.assertEqual(offsets, sorted(set(offsets)))
        self.assertEqual({key: value for _, key, value in found}, newest)
        return found

    def test_the_newest_of_each_key_stays_where_it_was(self):
        make_topic(self.server, 'table', COMPACTED)
        newest = fill(self.server, 'table', 0, 5000)
        self.await_cleaned('table', 700)
        found = self.check_newest('table', newest)
        # Every value says at which offset it was written.
        for offset, _, value in found:
            self.assertEqual(int(value.split()[0].split(b'-')[1]), offset)
        self.assertLess(log_bytes(self.server, 'table-0'), 80_000)
        self.assertGreater(self.metric('milena_log_cleaner_cleanings_total'), 0)
        self.assertEqual(self.metric('kafka_log_logcleanermanager_uncleanable_partitions_count'), 0)

        self.server.restart()
        self.assertEqual(self.check_newest('table', newest)[-1], found[-1])
        newest |= fill(self.server, 'table', 5000, 2000, **{'compression.type': 'zstd'})
        # Compressed, the active segment holds more of them.
        self.await_cleaned('table', 1600)
        self.check_newest('table', newest)
        checkpoint = self.server.data / 'cleaner-offset-checkpoint'
        self.await_true(lambda: 'table 0 ' in checkpoint.read_text(), 'the checkpoint does not name the log')

        self.server.kill()
        self.server.start()
        self.check_newest('table', newest)
        left = [path.name for path in (self.server.data / 'table-0').iterdir()]
        self.assertEqual([name for name in left if name.endswith(('.cleaned', '.swap', '.deleted'))], [])

    def test_deleted_keys_go_when_their_time_is_over(self):
        make_topic(self.server, 'table', COMPACTED | {'delete.retention.ms': '1000'})
        newest = fill(self.server, 'table', 0, 1000)
        sender = producer(self.server)
        for key in list(newest)[:20]:
            sender.produce('table', None, key)
            newest[key] = None
        self.assertEqual(sender.flush(30), 0)

        def are_gone():
            sender.produce('table', b'y' * 1000, b'more')
            newest[b'more'] = b'y' * 1000
            sender.flush(30)
            return all(value is not None for _, _, value in read(self.server, 'table'))
        self.await_true(are_gone, 'the tombstones stay')
        self.check_newest('table', {key: value for key, value in newest.items() if value is not None})

    def test_compacted_and_deleted_by_age(self):
        make_topic(self.server, 'both', COMPACTED | {'cleanup.policy': 'compact,delete', 'retention.ms': '2000',
                                                     'segment.ms': '500'})
        fill(self.server, 'both', 0, 1000)
        with self.server.connect() as connection:
            self.await_true(lambda: connection.list_offset('both', -2)[1] == 1000, 'old records stay')
        newest = fill(self.server, 'both', 1000, 10)
        self.check_newest('both', newest)

    def test_a_record_without_a_key_is_refused(self):
        make_topic(self.server, 'table', COMPACTED)
        with self.server.connect() as connection:
            self.assertEqual(connection.produce('table', records.batch([b'no key']))[0], INVALID_RECORD)

    def test_committed_offsets_do_not_fill_the_disk(self):
        make_topic(self.server, 'read', {})
        fill(self.server, 'read', 0, 10)
        consumer = confluent_kafka.Consumer({'bootstrap.servers': self.server.bootstrap, 'group.id': 'committer',
                                             'enable.auto.commit': False, 'log_level': 0})
        committed = 0

        def commit(count):
            nonlocal committed
            for _ in range(count):
                committed = committed % 10 + 1
                at = confluent_kafka.TopicPartition('read', 0, committed)
                consumer.commit(offsets=[at], asynchronous=False)
        commit(1)
        admin = AdminClient({'bootstrap.servers': self.server.bootstrap, 'log_level': 0})
        resource = ConfigResource(ConfigResource.Type.TOPIC, '__consumer_offsets', set_config={
            'cleanup.policy': 'compact', 'min.cleanable.dirty.ratio': '0.01', 'segment.ms': '300',
            'file.delete.delay.ms': '100'})
        admin.alter_configs([resource])[resource].result(30)
        commit(2000)
        before = log_bytes(self.server, '__consumer_offsets-0')
        # What the store of the coordinator has not saved is not cleaned away; a stop saves it.
        self.server.restart()
        time.sleep(0.5)
        commit(5)
        self.await_true(lambda: log_bytes(self.server, '__consumer_offsets-0') < before / 10,
                        'the log of the coordinator stays as it was')
        self.server.kill()
        self.server.start()
        part = confluent_kafka.TopicPartition('read', 0)
        self.assertEqual(consumer.committed([part], timeout=30)[0].offset, committed)
        consumer.close()



if __name__ == '__main__':
    unittest.main()
