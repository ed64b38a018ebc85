# SPDX-License-Identifier: Apache-2.0
"""What tests of moves between brokers share: three nodes and a fourth broker, a topic, who is asked what of it."""
import os
import time
import unittest

import confluent_kafka

from cluster.brokers.test_replication import TOPIC
from cluster.soak import history, judge, writers
from cluster.soak.course import Load
from conversations.talk import ALTER_REASSIGNMENTS, CREATE_TOPICS, LIST_REASSIGNMENTS, METADATA, Talk
from support import quorum

NONE = 0
PARTITIONS = 3
FOURTH = 100


class Writer(writers.Librdkafka):
    """Writes to all partitions until finish()."""

    def __init__(self, bootstrap):
        self.told = history.History()
        super().__init__('writer', bootstrap, TOPIC, self.told, Load(partitions=PARTITIONS))

    def finish(self):
        self.end()
        wrong = super().finish()
        assert wrong is None, wrong

    def longest_gap_s(self, since):
        """Of the worst partition: without an acknowledgement after `since`."""
        return self.told.longest_silence(self.kind, since, time.monotonic())


class MovingTestCase(unittest.TestCase):
    def start(self, replicas, extra=None):
        """Three controllers that are brokers too, and a fourth broker; all partitions begin on `replicas`."""
        self.running = quorum.Quorum(roles='broker,controller', brokers=1, extra={
            'offsets.topic.replication.factor': 3, 'replica.lag.time.max.ms': 5000,
            'log.segment.delete.delay.ms': 1000, **(extra or {})})
        self.addCleanup(self.running.__exit__)
        self.running.__enter__()
        self.running.await_brokers()
        self.nodes = {one.node_id: one for one in self.running.nodes}
        self.bootstrap = ','.join(voter.bootstrap for voter in self.running.voters)
        self.talk = Talk(self.running.voters[0].port, 'mover')
        self.addCleanup(self.talk.hang_up)
        answer = self.talk.quietly(CREATE_TOPICS, 7, timeoutMs=30000, Topics=[
            {'Name': TOPIC, 'NumPartitions': -1, 'ReplicationFactor': -1,
             'Assignments': [{'PartitionIndex': p, 'BrokerIds': replicas} for p in range(PARTITIONS)],
             'Configs': [{'Name': 'min.insync.replicas', 'Value': '2'}]}])
        self.assertEqual(answer['Topics'][0]['ErrorCode'], NONE, answer)
        self.await_partitions(replicas)

    def reassign(self, replicas, partitions=range(PARTITIONS)):
        answer = self.talk.quietly(ALTER_REASSIGNMENTS, 1, TimeoutMs=30000, Topics=[
            {'Name': TOPIC, 'Partitions': [{'PartitionIndex': p, 'Replicas': replicas} for p in partitions]}])
        self.assertEqual(answer['ErrorCode'], NONE, answer)
        return {p['ErrorCode'] for p in answer['Responses'][0]['Partitions']}

    def moving(self):
        answer = self.talk.quietly(LIST_REASSIGNMENTS, 0, TimeoutMs=30000, Topics=None)
        return {p['PartitionIndex']: (p['Replicas'], p['AddingReplicas'], p['RemovingReplicas'])
                for t in answer['Topics'] for p in t['Partitions']}

    def partitions(self):
        answer = self.talk.quietly(METADATA, 12, Topics=[{'Name': TOPIC}], AllowAutoTopicCreation=False)
        return {p['PartitionIndex']: p for p in answer['Topics'][0]['Partitions']}

    def await_true(self, what, is_true, timeout_s=60):
        deadline = time.monotonic() + timeout_s
        while not is_true():
            if time.monotonic() > deadline:
                logs = '\n'.join(one.log()[-20_000:] for one in self.nodes.values())
                self.fail(f'not so: {what}; {self.moving()} {self.partitions()}\n{logs}')
            time.sleep(0.02)

    def await_partitions(self, replicas, partitions=range(PARTITIONS)):
        """They have those replicas, all in sync, and one of them leads."""
        def is_there():
            now = self.partitions()
            return len(now) == PARTITIONS and all(
                now[p]['ReplicaNodes'] == replicas and sorted(now[p]['IsrNodes']) == sorted(replicas)
                and now[p]['LeaderId'] in replicas for p in partitions)
        self.await_true(f'partitions {list(partitions)} on {replicas}', is_there)

    def directories(self, broker, partition):
        """Names of what the broker has of a partition."""
        return [name for name in os.listdir(self.nodes[broker].data) if name.startswith(f'{TOPIC}-{partition}')]

    def await_no_directory(self, broker, partitions=range(PARTITIONS)):
        self.await_true(f'no directory is left on {broker}',
                        lambda: not any(self.directories(broker, p) for p in partitions))

    def assert_nothing_lost(self, writer):
        self.assertGreater(writer.told.count(), 0)
        self.assertEqual(judge.check(writer.told, judge.read_all(self.bootstrap, TOPIC, PARTITIONS)), [])

    def assert_same_logs(self, brokers):
        """Of nodes that have stopped: equal to the last byte."""
        for partition in range(PARTITIONS):
            logs = [b''.join(path.read_bytes() for path in
                             sorted((self.nodes[one].data / f'{TOPIC}-{partition}').glob('*.log'))) for one in brokers]
            self.assertGreater(len(logs[0]), 0)
            self.assertEqual(len(set(logs)), 1, [len(log) for log in logs])

    def fill(self, megabytes, partition):
        """Records of 16 KiB, in small batches: of what a fetch gives, little is a batch that is cut off."""
        producer = confluent_kafka.Producer({'bootstrap.servers': self.bootstrap, 'enable.idempotence': True,
                                             'linger.ms': 20, 'batch.size': 40_000, 'log_level': 0})
        failed = []
        for number in range(megabytes * 64):
            producer.produce(TOPIC, b'filler %d ' % number + os.urandom(16 * 1024), partition=partition,
                             on_delivery=lambda error, _: failed.append(error) if error else None)
            producer.poll(0)
            if number % 256 == 255:
                producer.flush(60)
        self.assertEqual(producer.flush(60), 0)
        self.assertEqual(failed, [])
