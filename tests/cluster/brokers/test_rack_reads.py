# SPDX-License-Identifier: Apache-2.0
"""Consumers that name their rack read from the replica that stands there (KIP-392)."""
import time
import unittest

import confluent_kafka
from confluent_kafka.admin import AdminClient, NewTopic

from conversations.talk import FETCH, Talk
from support import node, quorum, records, scraped

SELECTOR = 'org.apache.kafka.common.replica.RackAwareReplicaSelector'
NONE, OFFSET_OUT_OF_RANGE, NOT_LEADER_OR_FOLLOWER = 0, 1, 6


def setUpModule():
    if node.PEER:
        raise unittest.SkipTest('the formatting tool is Milena\'s; tests/compat has the comparison')


class RackReadsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.running = quorum.Quorum(roles='broker,controller', extra={
            'replica.selector.class': SELECTOR, 'replica.lag.time.max.ms': 2000})
        cls.addClassCleanup(cls.running.__exit__)
        scraped.add_pages(cls.running)
        for voter in cls.running.voters:
            with open(voter.properties, 'a', encoding='utf-8') as properties:
                properties.write(f'broker.rack=rack-{voter.node_id}\n')
        cls.running.__enter__()
        cls.running.await_brokers()
        cls.bootstrap = ','.join(voter.bootstrap for voter in cls.running.voters)
        cls.admin = AdminClient({'bootstrap.servers': cls.bootstrap, 'log_level': 0})

    def topic(self, name):
        """Led by broker 1, with replicas on 1 and 2; ten records."""
        self.admin.create_topics([NewTopic(name, 1, replica_assignment=[[1, 2]])])[name].result(30)
        deadline = time.monotonic() + 20
        while set(self.admin.list_topics(name, timeout=10).topics[name].partitions[0].isrs) != {1, 2}:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        producer = confluent_kafka.Producer({'bootstrap.servers': self.bootstrap, 'acks': 'all', 'log_level': 0})
        for number in range(10):
            producer.produce(name, b'%d' % number, partition=0)
        self.assertEqual(producer.flush(20), 0)

    def ask(self, broker, topic, offset, rack, version=12, **more):
        with Talk(self.running.voters[broker - 1].port, 'reader') as talk:
            answer = talk.quietly(FETCH, version, MaxWaitMs=200, MinBytes=1, MaxBytes=1 << 20,
                                  **({'RackId': rack} if version >= 11 else {}),
                                  Topics=[talk.fetch_part(topic, offset)], **more)
        return answer['Responses'][0]['Partitions'][0]

    def bytes_out(self, broker, topic):
        return scraped.metrics(self.running.voters[broker - 1]).get(
            ('kafka_server_brokertopicmetrics_bytesout_total', f'topic="{topic}"'), 0)

    def read(self, topic, rack, count):
        consumer = confluent_kafka.Consumer({
            'bootstrap.servers': self.bootstrap, 'group.id': 'none', 'enable.auto.commit': False, 'client.rack': rack,
            'log_level': 0})
        values = []
        try:
            consumer.assign([confluent_kafka.TopicPartition(topic, 0, 0)])
            deadline = time.monotonic() + 30
            while len(values) < count and time.monotonic() < deadline:
                message = consumer.poll(1)
                if message is not None:
                    self.assertIsNone(message.error())
                    values.append(message.value())
        finally:
            consumer.close()
        return values

    def test_librdkafka_reads_from_the_follower_in_its_rack(self):
        self.topic('near')
        self.assertEqual(self.read('near', 'rack-2', 10), [b'%d' % number for number in range(10)])
        self.assertEqual(self.bytes_out(1, 'near'), 0, 'nothing came from the leader')
        self.assertGreater(self.bytes_out(2, 'near'), 0)

    def test_librdkafka_without_a_replica_in_its_rack_reads_from_the_leader(self):
        self.topic('far')
        self.assertEqual(len(self.read('far', 'rack-3', 10)), 10)
        self.assertGreater(self.bytes_out(1, 'far'), 0)
        self.assertEqual(self.bytes_out(2, 'far'), 0)

    def test_the_leader_names_the_replica_and_gives_no_records(self):
        self.topic('named')
        told = self.ask(1, 'named', 0, 'rack-2')
        self.assertEqual((told['ErrorCode'], told['PreferredReadReplica'], told['HighWatermark']), (NONE, 2, 10))
        self.assertFalse(told['Records'])
        for rack in ('', 'rack-1', 'rack-3', 'nowhere'):
            told = self.ask(1, 'named', 0, rack)
            self.assertEqual((told['ErrorCode'], told['PreferredReadReplica']), (NONE, -1), rack)
            self.assertTrue(told['Records'], rack)
        self.assertTrue(self.ask(1, 'named', 0, 'rack-2', version=10)['Records'], 'it knows of no racks')

    def test_a_follower_serves_what_it_knows_to_be_committed(self):
        self.topic('followed')
        # It hears of the high watermark with its next fetch.
        deadline = time.monotonic() + 10
        while self.ask(2, 'followed', 3, 'rack-2')['HighWatermark'] < 10:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        told = self.ask(2, 'followed', 3, 'rack-2')
        self.assertEqual((told['ErrorCode'], told['PreferredReadReplica'], told['HighWatermark']), (NONE, -1, 10))
        self.assertIn(b'9', [value for _, value in records.read(told['Records'])])
        told = self.ask(2, 'followed', 10, 'rack-2')
        self.assertEqual((told['ErrorCode'], told['Records'] or b''), (NONE, b''))
        self.assertEqual(self.ask(2, 'followed', 11, 'rack-2')['ErrorCode'], OFFSET_OUT_OF_RANGE)
        self.assertEqual(self.ask(2, 'followed', 0, 'rack-2', version=10)['ErrorCode'], NOT_LEADER_OR_FOLLOWER)

    def test_a_follower_that_is_not_in_sync_is_nobodys_choice(self):
        self.topic('lagging')
        follower = self.running.voters[1]
        self.assertEqual(self.ask(1, 'lagging', 0, 'rack-2')['PreferredReadReplica'], 2)
        follower.kill()
        try:
            deadline = time.monotonic() + 20
            while self.ask(1, 'lagging', 0, 'rack-2')['PreferredReadReplica'] != -1:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
            self.assertTrue(self.ask(1, 'lagging', 0, 'rack-2')['Records'])
        finally:
            follower.spawn()
            self.running.await_brokers()


if __name__ == '__main__':
    unittest.main()
