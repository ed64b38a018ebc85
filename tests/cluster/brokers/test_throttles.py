# SPDX-License-Identifier: Apache-2.0
"""A move that is throttled takes as long as its size and its rate say, and others are not slowed by it (KIP-73)."""
import re
import statistics
import time
import unittest
import urllib.request

import confluent_kafka

from cluster.brokers.moving import FOURTH, NONE, TOPIC, MovingTestCase
from conversations.talk import CREATE_TOPICS, INCREMENTAL_ALTER_CONFIGS, Talk
from support import node

SET, FOR_A_TOPIC, FOR_A_BROKER = 0, 2, 4
MEGABYTE = 1_000_000
RATE = 3 * MEGABYTE


def setUpModule():
    if node.PEER:
        raise unittest.SkipTest('the formatting tool is Milena\'s')


class ThrottleTest(MovingTestCase):
    def start_with_pages(self, replicas):
        self.start(replicas, {'milena.admin.listener': '127.0.0.1:0'})

    def set_configs(self, kind, name, **values):
        """A broker is asked for its own."""
        with Talk(self.nodes[int(name)].port if kind == FOR_A_BROKER else self.talk.port, 'configs') as talk:
            answer = talk.quietly(INCREMENTAL_ALTER_CONFIGS, 1, ValidateOnly=False, Resources=[
                {'ResourceType': kind, 'ResourceName': name, 'Configs': [
                    {'Name': key.replace('_', '.'), 'ConfigOperation': SET, 'Value': value}
                    for key, value in values.items()]}])
        self.assertEqual([one['ErrorCode'] for one in answer['Responses']], [NONE], answer)

    def rate(self, broker, side):
        """What the broker's metrics say."""
        port = re.search(r'admin pages are served.*:(\d+)', self.nodes[broker].log())[1]
        page = urllib.request.urlopen(f'http://127.0.0.1:{port}/metrics', timeout=10).read().decode()
        return float(re.search(rf'^kafka_server_{side}replication_byte_rate (\S+)$', page, re.M)[1])

    def latencies(self, topic, is_over):
        """Of one acks=all write after the other to `topic`, until `is_over`."""
        producer = confluent_kafka.Producer({'bootstrap.servers': self.bootstrap, 'acks': 'all', 'linger.ms': 0,
                                             'log_level': 0})
        took, failed = [], []
        producer.list_topics(topic, timeout=10)
        while not is_over():
            began = time.monotonic()
            producer.produce(topic, b'x' * 1000, partition=0,
                             on_delivery=lambda error, _: failed.append(error) if error else None)
            producer.flush(30)
            took.append(time.monotonic() - began)
        self.assertEqual(failed, [])
        return took

    def moves_at(self, **throttled):
        """Moves partition 0, of 30 MB, to the fourth broker; how long that takes, and others' writes meanwhile."""
        answer = self.talk.quietly(CREATE_TOPICS, 7, timeoutMs=30000, Topics=[
            {'Name': 'other', 'NumPartitions': -1, 'ReplicationFactor': -1,
             'Assignments': [{'PartitionIndex': 0, 'BrokerIds': [1, FOURTH]}]}])
        self.assertEqual(answer['Topics'][0]['ErrorCode'], NONE, answer)
        self.fill(30, partition=0)
        size = (self.nodes[1].data / f'{TOPIC}-0' / f'{0:020}.log').stat().st_size
        self.set_configs(FOR_A_TOPIC, TOPIC, **throttled)
        began = time.monotonic()
        self.assertEqual(self.reassign([1, FOURTH], [0]), {NONE})
        rates = []

        def is_over():
            rates.append((self.rate(1, 'leader'), self.rate(FOURTH, 'follower')))
            return not self.moving()
        took = self.latencies('other', is_over)
        lasted = time.monotonic() - began
        self.await_partitions([1, FOURTH], [0])
        should = size / RATE
        print(f'{size} bytes at {RATE} a second: {lasted:.1f} s, should be {should:.1f}; others wait '
              f'{statistics.median(took) * 1000:.1f} ms, {max(took) * 1000:.1f} at most')
        self.assertGreater(lasted, 0.7 * should)
        self.assertLess(lasted, 1.3 * should + 2)
        self.assertLess(statistics.median(took), 0.1)
        return rates

    def test_leaders_send_no_faster(self):
        self.start_with_pages([1, 2])
        for broker in (1, 2, 3, FOURTH):
            self.set_configs(FOR_A_BROKER, str(broker), leader_replication_throttled_rate=str(RATE))
        rates = self.moves_at(leader_replication_throttled_replicas='0:1,0:2')
        self.assertGreater(max(leader for leader, _ in rates), 0.7 * RATE)
        self.assertEqual(max(follower for _, follower in rates), 0)

    def test_followers_fetch_no_faster(self):
        self.start_with_pages([1, 2])
        self.set_configs(FOR_A_BROKER, str(FOURTH), follower_replication_throttled_rate=str(RATE))
        rates = self.moves_at(follower_replication_throttled_replicas='*')
        self.assertEqual(max(leader for leader, _ in rates), 0)
        self.assertGreater(max(follower for _, follower in rates), 0.7 * RATE)

    def test_a_throttle_that_goes_lets_the_move_go_on(self):
        self.start_with_pages([1, 2])
        self.set_configs(FOR_A_BROKER, '1', leader_replication_throttled_rate='1000')
        self.set_configs(FOR_A_TOPIC, TOPIC, leader_replication_throttled_replicas='*')
        self.fill(10, partition=0)
        self.assertEqual(self.reassign([1, FOURTH], [0]), {NONE})
        time.sleep(3)
        self.assertIn(0, self.moving())
        self.set_configs(FOR_A_TOPIC, TOPIC, leader_replication_throttled_replicas='')
        self.await_true('the move is over', lambda: not self.moving(), timeout_s=15)
        self.await_partitions([1, FOURTH], [0])


if __name__ == '__main__':
    unittest.main()
