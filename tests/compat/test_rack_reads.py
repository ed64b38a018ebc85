# SPDX-License-Identifier: Apache-2.0
"""Brokers of Apache Kafka and Milena in one cluster, each the leader of a partition that the other follows: a consumer
that names the follower's rack (KIP-392) hears the same from both leaders, and reads the same from both followers.

Needs a JDK and Maven, which fetches Apache Kafka; without them this test skips itself.
"""
import time
import unittest

from conversations.talk import CREATE_TOPICS, FETCH, METADATA, PRODUCE, Talk
from support import apache, node, quorum, records

SELECTOR = 'org.apache.kafka.common.replica.RackAwareReplicaSelector'
FIELDS = ('ErrorCode', 'HighWatermark', 'LastStableOffset', 'LogStartOffset', 'AbortedTransactions',
          'PreferredReadReplica', 'Records')


def setUpModule():
    if node.PEER or apache.jars() is None:
        raise unittest.SkipTest('Apache Kafka needs a JDK and Maven')


class RackReadsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.running = quorum.Quorum(count=1, roles='broker,controller', brokers=2, extra={
            'replica.selector.class': SELECTOR, 'offsets.topic.replication.factor': 1})
        cls.addClassCleanup(cls.running.__exit__)
        cls.milena, cls.apache = cls.running.nodes[1:]
        cls.apache.peer = apache.jars()
        for one in cls.running.nodes:
            with open(one.properties, 'a', encoding='utf-8') as properties:
                properties.write(f'broker.rack=rack-{one.node_id}\n')
        cls.running.__enter__()
        cls.running.await_brokers(timeout_s=180)

    def ask(self, one, topic, offset, rack, version=12, **more):
        with Talk(one.port, 'reader') as talk:
            answer = talk.quietly(FETCH, version, MaxWaitMs=100, MinBytes=1, MaxBytes=1 << 20,
                                  **({'RackId': rack} if version >= 11 else {}),
                                  Topics=[talk.fetch_part(topic, offset, **more)])
        part = answer['Responses'][0]['Partitions'][0]
        return {field: part[field] for field in FIELDS if field in part}

    def lead(self, topic, leader, follower):
        """Ten records that both have."""
        with Talk(leader.port, 'writer') as talk:
            made = talk.quietly(CREATE_TOPICS, 7, timeoutMs=30000, Topics=[
                {'Name': topic, 'NumPartitions': -1, 'ReplicationFactor': -1, 'Assignments': [
                    {'PartitionIndex': 0, 'BrokerIds': [leader.node_id, follower.node_id]}]}])
            self.assertEqual(made['Topics'][0]['ErrorCode'], 0, made)
            deadline = time.monotonic() + 60
            while True:
                found = talk.quietly(METADATA, 12, Topics=[{'Name': topic}], AllowAutoTopicCreation=False)
                partitions = found['Topics'][0]['Partitions']
                if partitions and len(partitions[0]['IsrNodes']) == 2 and partitions[0]['LeaderId'] == leader.node_id:
                    break
                self.assertLess(time.monotonic(), deadline, f'{found}\n{self.milena.log()}\n{self.apache.log()}')
                time.sleep(0.1)
            answer = talk.quietly(PRODUCE, 8, Acks=-1, TimeoutMs=30000, TopicData=[{'Name': topic, 'PartitionData': [
                {'Index': 0, 'Records': records.batch([b'%d' % number for number in range(10)])}]}])
            self.assertEqual(answer['Responses'][0]['PartitionResponses'][0]['ErrorCode'], 0, answer)
        # A follower of Apache Kafka's hears of the high watermark with its next fetch.
        while self.ask(follower, topic, 0, '')['HighWatermark'] != 10:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def conversation(self, topic, leader, follower):
        self.lead(topic, leader, follower)
        near, far = f'rack-{follower.node_id}', f'rack-{leader.node_id}'
        told = {}

        def note(what, *question, **more):
            told[what] = self.ask(*question, **more)
            if told[what].get('PreferredReadReplica') == follower.node_id:
                told[what]['PreferredReadReplica'] = 'the follower'

        for offset in (0, 5, 9, 10, 11):
            note(f'leader, from {offset}, follower\'s rack', leader, topic, offset, near)
            note(f'leader, from {offset}, own rack', leader, topic, offset, far)
            note(f'follower, from {offset}', follower, topic, offset, near)
        for rack in ('', 'nowhere', 'rack-1'):
            note(f'leader, rack {rack!r}', leader, topic, 0, rack)
            note(f'follower, rack {rack!r}', follower, topic, 0, rack)
        for version in (4, 10, 11):
            note(f'leader, version {version}', leader, topic, 0, near, version=version)
            note(f'follower, version {version}', follower, topic, 0, near, version=version)
        for epoch in (0, 7):
            note(f'follower, leader epoch {epoch}', follower, topic, 0, near, CurrentLeaderEpoch=epoch)
            note(f'leader, leader epoch {epoch}', leader, topic, 0, near, CurrentLeaderEpoch=epoch)
        return told

    def test_both_say_the_same(self):
        by_apache = self.conversation('led-by-apache', self.apache, self.milena)
        by_milena = self.conversation('led-by-milena', self.milena, self.apache)
        self.assertEqual(by_milena['leader, from 0, follower\'s rack']['PreferredReadReplica'], 'the follower')
        # What a leader of the one says the leader of the other says too, and followers likewise.
        self.maxDiff = None
        for what, told in by_milena.items():
            self.assertEqual(told, by_apache[what], what)


if __name__ == '__main__':
    unittest.main()
