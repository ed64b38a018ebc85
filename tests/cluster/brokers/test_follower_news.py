# SPDX-License-Identifier: Apache-2.0
"""What followers that have nothing to fetch hear of, and how soon: a high watermark that has moved, a partition that
is new."""
import statistics
import time
import unittest

from conversations.talk import CREATE_TOPICS, METADATA, PRODUCE, Talk
from support import node, quorum, records

FETCH_VERSION = 12
NONE, UNKNOWN_TOPIC_OR_PARTITION, LEADER_NOT_AVAILABLE, NOT_LEADER_OR_FOLLOWER, NOT_ENOUGH_REPLICAS = 0, 3, 5, 6, 19
NOT_YET = (UNKNOWN_TOPIC_OR_PARTITION, LEADER_NOT_AVAILABLE, NOT_LEADER_OR_FOLLOWER, NOT_ENOUGH_REPLICAS)


def setUpModule():
    if node.PEER:
        raise unittest.SkipTest('Milena promises more')


class FollowerNewsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.running = quorum.Quorum(roles='broker,controller', extra={'default.replication.factor': 3,
                                                                     'min.insync.replicas': 3})
        cls.addClassCleanup(cls.running.__exit__)
        cls.running.__enter__()
        cls.running.await_brokers()
        cls.talks = {voter.node_id: Talk(voter.port, f'to-{voter.node_id}') for voter in cls.running.voters}
        for talk in cls.talks.values():
            cls.addClassCleanup(talk.hang_up)

    def leader_of(self, topic, timeout_s=10):
        """Its leader, once all three are in sync."""
        deadline = time.monotonic() + timeout_s
        while True:
            found = self.talks[1].quietly(METADATA, 12, Topics=[{'Name': topic}], AllowAutoTopicCreation=False)
            partitions = found['Topics'][0]['Partitions']
            if partitions and len(partitions[0]['IsrNodes']) == 3:
                return partitions[0]['LeaderId']
            self.assertLess(time.monotonic(), deadline, found)
            time.sleep(0.01)

    def create(self, topic):
        made = self.talks[1].quietly(CREATE_TOPICS, 7, timeoutMs=10000, Topics=[
            {'Name': topic, 'NumPartitions': 1, 'ReplicationFactor': 3}])
        self.assertEqual(made['Topics'][0]['ErrorCode'], NONE, made)

    def produced(self, broker, topic, timeout_s=10):
        """One record with acks=all, as soon as it is taken."""
        deadline = time.monotonic() + timeout_s
        while True:
            answer = self.talks[broker].quietly(PRODUCE, 8, Acks=-1, TimeoutMs=10000, TopicData=[
                {'Name': topic, 'PartitionData': [{'Index': 0, 'Records': records.batch([b'x'])}]}])
            part = answer['Responses'][0]['PartitionResponses'][0]
            if part['ErrorCode'] not in NOT_YET:
                self.assertEqual(part['ErrorCode'], NONE, part)
                return part['BaseOffset']
            self.assertLess(time.monotonic(), deadline, part)
            time.sleep(0.001)

    def high_watermark(self, broker, topic):
        talk = self.talks[broker]
        answer = talk.quietly(1, FETCH_VERSION, MaxWaitMs=0, MinBytes=1, MaxBytes=1 << 20,
                              Topics=[talk.fetch_part(topic, 0)])
        part = answer['Responses'][0]['Partitions'][0]
        self.assertEqual(part['ErrorCode'], NONE, part)
        return part['HighWatermark']

    def test_followers_hear_of_a_high_watermark_that_has_moved(self):
        self.create('quiet')
        leader = self.leader_of('quiet')
        took = []
        for number in range(30):
            self.assertEqual(self.produced(leader, 'quiet'), number)
            acknowledged = time.monotonic()
            behind = [broker for broker in self.talks if broker != leader]
            while behind:
                behind = [broker for broker in behind if self.high_watermark(broker, 'quiet') <= number]
                self.assertLess(time.monotonic() - acknowledged, 10)
            took.append(time.monotonic() - acknowledged)
            time.sleep(0.05)
        print(f'followers know the high watermark {1000 * statistics.median(took):.1f} ms after the '
              f'acknowledgement, {1000 * max(took):.1f} at most')
        self.assertLess(statistics.median(took), 0.03, took)

    def test_a_new_partition_does_not_wait_for_fetchers_that_wait(self):
        # All of them fetch something already, so they wait for news of it.
        self.create('before')
        self.produced(self.leader_of('before'), 'before')
        took = []
        for number in range(12):
            time.sleep(0.2)
            topic = f'new-{number}'
            began = time.monotonic()
            self.create(topic)
            found = self.talks[1].quietly(METADATA, 12, Topics=[{'Name': topic}], AllowAutoTopicCreation=False)
            self.produced(found['Topics'][0]['Partitions'][0]['LeaderId'], topic)
            took.append(time.monotonic() - began)
        print(f'the first record of a new topic is acknowledged after {1000 * statistics.median(took):.0f} ms, '
              f'{1000 * max(took):.0f} at most')
        self.assertLess(statistics.median(took), 0.1, took)


if __name__ == '__main__':
    unittest.main()
