# SPDX-License-Identifier: Apache-2.0
"""DeleteRecords on three nodes (B28): what is deleted is deleted on every replica before it is answered, and stays so
on a new leader and after a restart of all."""
import time
import unittest

from conversations.talk import CREATE_TOPICS, DELETE_RECORDS, FETCH, LIST_OFFSETS, METADATA, PRODUCE, Talk
from support import node, odd_batches, quorum, records

NONE, OFFSET_OUT_OF_RANGE, NOT_LEADER_OR_FOLLOWER = 0, 1, 6
POLICY_VIOLATION = 44
EARLIEST, LATEST = -2, -1
KEYED = odd_batches.batch([odd_batches.Record(b'v', b'k')] * 2)


def setUpModule():
    if node.PEER:
        raise unittest.SkipTest('the formatting tool is Milena\'s')


class DeleteRecordsTest(unittest.TestCase):
    def setUp(self):
        self.running = quorum.Quorum(roles='broker,controller', extra={'offsets.topic.replication.factor': 3})
        self.addCleanup(self.running.__exit__)
        self.running.__enter__()
        self.running.await_brokers()
        self.talks = {}
        self.addCleanup(lambda: [talk.hang_up() for talk in self.talks.values()])

    def talk(self, broker):
        port = self.running.voters[broker - 1].port
        return self.talks.setdefault(broker, Talk(port, 'cutter'))

    def any_talk(self):
        return next(self.talk(voter.node_id) for voter in self.running.voters if voter.is_running())

    def topic(self, name, replicas, **configs):
        answer = self.any_talk().quietly(CREATE_TOPICS, 7, timeoutMs=30000, Topics=[
            {'Name': name, 'NumPartitions': -1, 'ReplicationFactor': -1,
             'Assignments': [{'PartitionIndex': 0, 'BrokerIds': replicas}],
             'Configs': [{'Name': key.replace('_', '.'), 'Value': value} for key, value in configs.items()]}])
        self.assertEqual(answer['Topics'][0]['ErrorCode'], NONE, answer)
        self.await_partition(name, lambda partition: len(partition['IsrNodes']) == len(replicas))
        return self.await_leader(name)

    def await_partition(self, name, is_wanted, timeout_s=60):
        deadline = time.monotonic() + timeout_s
        while True:
            answer = self.any_talk().quietly(METADATA, 12, Topics=[{'Name': name}], AllowAutoTopicCreation=False)
            found = answer['Topics'][0]['Partitions']
            if found and is_wanted(found[0]):
                return found[0]
            self.assertLess(time.monotonic(), deadline, answer)
            time.sleep(0.05)

    def await_leader(self, name, but=-1):
        leader = self.await_partition(name, lambda partition: partition['LeaderId'] not in (-1, but))['LeaderId']
        deadline = time.monotonic() + 30
        while self.offset(leader, name, LATEST) is None:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        return leader

    def produce(self, leader, name, count):
        answer = self.talk(leader).quietly(PRODUCE, 8, Acks=-1, TimeoutMs=30000, TopicData=[
            {'Name': name, 'PartitionData': [{'Index': 0, 'Records': records.batch([b'v'] * count)}]}])
        self.assertEqual(answer['Responses'][0]['PartitionResponses'][0]['ErrorCode'], NONE, answer)

    def offset(self, leader, name, timestamp):
        """None where the broker does not lead."""
        answer = self.talk(leader).quietly(LIST_OFFSETS, 5, ReplicaId=-1, IsolationLevel=0, Topics=[
            {'Name': name, 'Partitions': [{'PartitionIndex': 0, 'CurrentLeaderEpoch': -1, 'Timestamp': timestamp}]}])
        partition = answer['Topics'][0]['Partitions'][0]
        return partition['Offset'] if partition['ErrorCode'] == NONE else None

    def delete(self, leader, name, offset):
        """(error code, low watermark)."""
        answer = self.talk(leader).quietly(DELETE_RECORDS, 2, TimeoutMs=30000, Topics=[
            {'Name': name, 'Partitions': [{'PartitionIndex': 0, 'Offset': offset}]}])
        partition = answer['Topics'][0]['Partitions'][0]
        return partition['ErrorCode'], partition['LowWatermark']

    def fetch_code(self, leader, name, offset):
        answer = self.talk(leader).quietly(FETCH, 11, ReplicaId=-1, MaxWaitMs=0, MinBytes=1, MaxBytes=1 << 20, Topics=[
            {'Topic': name, 'Partitions': [{'Partition': 0, 'CurrentLeaderEpoch': -1, 'FetchOffset': offset,
                                            'LogStartOffset': -1, 'PartitionMaxBytes': 1 << 20}]}])
        return answer['Responses'][0]['Partitions'][0]['ErrorCode']

    def assert_begins_at(self, leader, name, start, end):
        self.assertEqual((self.offset(leader, name, EARLIEST), self.offset(leader, name, LATEST)), (start, end))
        self.assertEqual(self.fetch_code(leader, name, start - 1), OFFSET_OUT_OF_RANGE)
        self.assertEqual(self.fetch_code(leader, name, start), NONE)
        # Neither beyond the end nor before the start.
        self.assertEqual(self.delete(leader, name, end + 1), (OFFSET_OUT_OF_RANGE, -1))
        self.assertEqual(self.delete(leader, name, -2), (OFFSET_OUT_OF_RANGE, -1))
        self.assertEqual(self.delete(leader, name, start - 1), (NONE, start))
        self.assertEqual(self.offset(leader, name, EARLIEST), start)

    def test_what_is_deleted_stays_so_on_a_new_leader_and_after_a_restart(self):
        leader = self.topic('cut', [1, 2, 3], min_insync_replicas='2')
        for _ in range(3):
            self.produce(leader, 'cut', 3)
        self.assertEqual(self.delete(leader, 'cut', 4), (NONE, 4))
        self.assert_begins_at(leader, 'cut', 4, 9)
        follower = next(broker for broker in (1, 2, 3) if broker != leader)
        self.assertEqual(self.delete(follower, 'cut', 5)[0], NOT_LEADER_OR_FOLLOWER)
        # The answer came when all had cut their logs, so the leader is no longer needed.
        killed = leader
        self.running.voters[killed - 1].kill()
        leader = self.await_leader('cut', but=killed)
        self.assert_begins_at(leader, 'cut', 4, 9)
        self.assertEqual(self.delete(leader, 'cut', -1), (NONE, 9))
        self.assert_begins_at(leader, 'cut', 9, 9)
        self.produce(leader, 'cut', 1)
        self.talks.pop(killed).hang_up()
        self.running.voters[killed - 1].start()
        self.await_partition('cut', lambda partition: len(partition['IsrNodes']) == 3)
        # At once: nobody is left to take leaderships over.
        for voter in self.running.voters:
            voter.process.terminate()
        for voter in self.running.voters:
            voter.process.wait(60)
        for talk in self.talks.values():
            talk.hang_up()
        for voter in self.running.voters:
            voter.spawn()
        self.running.await_brokers()
        leader = self.await_leader('cut')
        self.await_partition('cut', lambda partition: len(partition['IsrNodes']) == 3)
        self.assert_begins_at(leader, 'cut', 9, 10)

    def test_a_topic_that_is_compacted_alone_keeps_what_it_has(self):
        for policy, code in (('compact', POLICY_VIOLATION), ('compact,delete', NONE)):
            name = policy.replace(',', '-')
            leader = self.topic(name, [2, 3], cleanup_policy=policy)
            answer = self.talk(leader).quietly(PRODUCE, 8, Acks=-1, TimeoutMs=30000, TopicData=[
                {'Name': name, 'PartitionData': [{'Index': 0, 'Records': KEYED}]}])
            self.assertEqual(answer['Responses'][0]['PartitionResponses'][0]['ErrorCode'], NONE)
            self.assertEqual(self.delete(leader, name, 1)[0], code, policy)
            self.running.voters[leader - 1].kill()
            self.talks.pop(leader).hang_up()
            other = self.await_leader(name, but=leader)
            self.assertEqual(self.delete(other, name, 2)[0], code, policy)
            self.running.voters[leader - 1].start()
            self.running.await_brokers()


if __name__ == '__main__':
    unittest.main()
