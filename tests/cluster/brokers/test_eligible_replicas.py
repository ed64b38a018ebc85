# SPDX-License-Identifier: Apache-2.0
"""Too few replicas in sync (B53, KIP-966): what the leader alone has is not read while it could be lost, and who was
eligible leads again: neither a replica that lacks committed records, nor one that was killed before its disk had them.
"""
import time
import unittest

from conversations.talk import CREATE_TOPICS, DESCRIBE_TOPIC_PARTITIONS, FETCH, LIST_OFFSETS, PRODUCE, Talk
from support import node, quorum, records

NONE, NOT_ENOUGH_REPLICAS = 0, 19
LATEST = -1
FIRST, SECOND, THIRD = 100, 101, 102
TOPIC = 'three'


def setUpModule():
    if node.PEER:
        raise unittest.SkipTest('the formatting tool is Milena\'s')


class EligibleReplicasTest(unittest.TestCase):
    def setUp(self):
        self.running = quorum.Quorum(brokers=3)
        self.addCleanup(self.running.__exit__)
        self.running.__enter__()
        self.running.await_brokers()
        self.brokers = {broker.node_id: broker for broker in self.running.brokers}
        with self.talk(FIRST) as talk:
            answer = talk.quietly(CREATE_TOPICS, 7, timeoutMs=30000, Topics=[
                {'Name': TOPIC, 'NumPartitions': -1, 'ReplicationFactor': -1,
                 'Assignments': [{'PartitionIndex': 0, 'BrokerIds': [FIRST, SECOND, THIRD]}],
                 'Configs': [{'Name': 'min.insync.replicas', 'Value': '2'}]}])
            self.assertEqual(answer['Topics'][0]['ErrorCode'], NONE, answer)
        self.await_partition(LeaderId=FIRST, IsrNodes=[FIRST, SECOND, THIRD])
        self.assertEqual(self.produce(b'everywhere', acks=-1), NONE)

    def talk(self, broker):
        return Talk(self.brokers[broker].port, 'elr')

    def partition(self):
        broker = next(one for one in self.brokers.values() if one.is_running())
        with self.talk(broker.node_id) as talk:
            answer = talk.quietly(DESCRIBE_TOPIC_PARTITIONS, 0, Topics=[{'Name': TOPIC}],
                                  ResponsePartitionLimit=10, Cursor=None)
        found = answer['Topics'][0]['Partitions']
        return {key: sorted(value) if isinstance(value, list) else value for key, value in found[0].items()}

    def await_partition(self, timeout_s=60, **wanted):
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                found = self.partition()
            except (OSError, IndexError):
                found = {}
            if {key: found.get(key) for key in wanted} == wanted:
                return
            self.assertLess(time.monotonic(), deadline, f'{found}, wanted {wanted}')
            time.sleep(0.05)

    def produce(self, value, acks, leader=FIRST):
        with self.talk(leader) as talk:
            deadline = time.monotonic() + 30
            while True:
                answer = talk.quietly(PRODUCE, 8, Acks=acks, TimeoutMs=30000, TopicData=[
                    {'Name': TOPIC, 'PartitionData': [{'Index': 0, 'Records': records.batch([value])}]}])
                code = answer['Responses'][0]['PartitionResponses'][0]['ErrorCode']
                # A new topic, or a new leader, may not have reached the broker yet.
                if code not in (3, 6) or time.monotonic() > deadline:
                    return code
                time.sleep(0.05)

    def high_watermark(self, leader=FIRST):
        with self.talk(leader) as talk:
            answer = talk.quietly(LIST_OFFSETS, 5, ReplicaId=-1, IsolationLevel=0, Topics=[
                {'Name': TOPIC, 'Partitions': [{'PartitionIndex': 0, 'CurrentLeaderEpoch': -1, 'Timestamp': LATEST}]}])
        return answer['Topics'][0]['Partitions'][0]['Offset']

    def read(self, leader=FIRST):
        with self.talk(leader) as talk:
            answer = talk.quietly(FETCH, 11, ReplicaId=-1, MaxWaitMs=0, MinBytes=1, MaxBytes=1 << 20, Topics=[
                {'Topic': TOPIC, 'Partitions': [{'Partition': 0, 'CurrentLeaderEpoch': -1, 'FetchOffset': 0,
                                                 'LogStartOffset': -1, 'PartitionMaxBytes': 1 << 20}]}])
        partition = answer['Responses'][0]['Partitions'][0]
        return [value for _, value in records.read(partition['Records'] or b'')]

    def await_high_watermark(self, wanted, leader):
        deadline = time.monotonic() + 30
        while self.high_watermark(leader) != wanted:
            self.assertLess(time.monotonic(), deadline, f'{self.high_watermark(leader)} is no {wanted}')
            time.sleep(0.05)

    def assert_second_is_alone_and_behind(self):
        """It lacks what was committed after it left; while no other is there, nobody leads."""
        self.brokers[SECOND].start()
        time.sleep(1)
        self.await_partition(LeaderId=-1)

    def leave_the_first_alone(self, leave):
        """The second leaves first, so it is not eligible: it lacks a record that is committed."""
        leave(self.brokers[SECOND])
        self.await_partition(IsrNodes=[FIRST, THIRD], EligibleLeaderReplicas=[])
        self.assertEqual(self.produce(b'on two', acks=-1), NONE)
        leave(self.brokers[THIRD])
        self.await_partition(IsrNodes=[FIRST], EligibleLeaderReplicas=[THIRD])
        self.assertEqual(self.produce(b'on one', acks=1), NONE)
        self.assertEqual(self.produce(b'refused', acks=-1), NOT_ENOUGH_REPLICAS)
        time.sleep(0.5)
        self.assertEqual(self.high_watermark(), 2)
        self.assertEqual(self.read(), [b'everywhere', b'on two'])

    def test_an_eligible_replica_that_was_stopped_leads(self):
        self.leave_the_first_alone(lambda broker: broker.stop())
        self.brokers[FIRST].stop()
        self.assert_second_is_alone_and_behind()
        self.brokers[THIRD].start()
        self.await_partition(LeaderId=THIRD)
        self.await_high_watermark(2, THIRD)
        self.assertEqual(self.read(THIRD), [b'everywhere', b'on two'])
        self.await_partition(IsrNodes=[SECOND, THIRD], EligibleLeaderReplicas=[])
        self.assertEqual(self.produce(b'on two again', acks=-1, leader=THIRD), NONE)
        # What the first had alone is gone; what was committed is not.
        self.brokers[FIRST].start()
        self.await_partition(IsrNodes=[FIRST, SECOND, THIRD])
        self.assertEqual(self.read(THIRD), [b'everywhere', b'on two', b'on two again'])

    def test_a_replica_that_was_killed_is_not_eligible_any_more(self):
        self.leave_the_first_alone(lambda broker: broker.kill())
        self.brokers[FIRST].kill()
        self.assert_second_is_alone_and_behind()
        self.brokers[THIRD].start()
        time.sleep(1)
        self.await_partition(LeaderId=-1)
        # The leader that was the last is better than none: it has all that was committed.
        self.brokers[FIRST].start()
        self.await_partition(LeaderId=FIRST)
        self.await_partition(IsrNodes=[FIRST, SECOND, THIRD], EligibleLeaderReplicas=[])
        self.await_high_watermark(3, FIRST)
        self.assertEqual(self.read(), [b'everywhere', b'on two', b'on one'])

    def test_one_follower_that_comes_back_shows_what_one_replica_had(self):
        self.leave_the_first_alone(lambda broker: broker.kill())
        self.brokers[SECOND].start()
        self.await_partition(LeaderId=FIRST, IsrNodes=[FIRST, SECOND], EligibleLeaderReplicas=[])
        self.await_high_watermark(3, FIRST)
        self.assertEqual(self.read(), [b'everywhere', b'on two', b'on one'])
        self.assertEqual(self.produce(b'on two again', acks=-1), NONE)


if __name__ == '__main__':
    unittest.main()
