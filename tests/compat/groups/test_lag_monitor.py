# SPDX-License-Identifier: Apache-2.0
"""Somebody else's lag monitor, kafkatop: it lists the groups, describes them, and compares what they have committed
with the ends of their partitions."""
import json
import pathlib
import subprocess
import tempfile
import unittest

import kafka

from compat import libraries
from compat.groups import members
from support import node, records

TOPIC, PARTITIONS = 'watched', 4


class LagMonitorTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='milena-lag-')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        try:
            libraries.make([libraries.need('python3'), '-m', 'venv', self.folder], self.folder)
            libraries.fetch([f'{self.folder}/bin/pip', 'install', '-q', 'kafkatop==1.16', 'confluent-kafka==2.16.1'],
                            self.folder)
        except libraries.Missing as why:
            self.skipTest(str(why))
        self.node = node.Node(members.BROKER).start()
        self.addCleanup(self.node.__exit__)

    def seen(self):
        """{group: (state, least and most lag of a partition)}"""
        done = subprocess.run([f'{self.folder}/bin/kafkatop', '--kafka-broker', self.node.bootstrap, '--summary-json',
                               '--all'], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return {group: (about['state'].removeprefix('ConsumerGroupState.'), lag['lag_min'], lag['lag_max'])
                for group, about in json.loads(done.stdout).items() for lag in [about['topics'][TOPIC]]}

    def write(self, counts):
        with self.node.connect() as connection:
            for partition, count in enumerate(counts):
                self.assertEqual(connection.produce(TOPIC, records.batch([b'x'] * count), partition=partition)[0], 0)

    def consumer(self, group):
        return kafka.KafkaConsumer(bootstrap_servers=self.node.bootstrap, group_id=group, enable_auto_commit=False,
                                   auto_offset_reset='earliest')

    def commit(self, group, offsets):
        consumer = self.consumer(group)
        consumer.assign([kafka.TopicPartition(TOPIC, partition) for partition in range(PARTITIONS)])
        consumer.commit({kafka.TopicPartition(TOPIC, partition): kafka.OffsetAndMetadata(offset, 'a word')
                         for partition, offset in enumerate(offsets)})
        consumer.close()

    def test_it_sees_lag_grow_and_shrink(self):
        with self.node.connect() as connection:
            connection.make_topic(TOPIC, PARTITIONS)
        self.write([10, 20, 30, 40])
        self.commit('late', [1, 4, 28, 0])
        self.assertEqual(self.seen(), {'late': ('EMPTY', 2, 40)})
        self.write([1, 2, 3, 4])
        self.assertEqual(self.seen(), {'late': ('EMPTY', 5, 44)})
        self.commit('late', [11, 22, 32, 44])
        live = self.consumer('live')
        self.addCleanup(live.close)
        live.subscribe([TOPIC])
        read = []
        members.await_true(lambda: read.extend(sum(live.poll(500).values(), [])) or len(read) == 110, lambda: len(read))
        live.commit()
        self.assertEqual(self.seen(), {'late': ('EMPTY', 0, 1), 'live': ('STABLE', 0, 0)})


if __name__ == '__main__':
    unittest.main()
