# SPDX-License-Identifier: Apache-2.0
"""Nodes of Apache Kafka and Milena in one cluster, each broker and controller: each leads partitions that the other
follows, decides for the other's brokers, dies and comes back, and may be exchanged for the other.

Needs a JDK and Maven, which fetches Apache Kafka; without them this test skips itself.
"""
import signal
import time
import unittest

from conversations.talk import (CREATE_PARTITIONS, DELETE_RECORDS, DELETE_TOPICS,
                                DESCRIBE_QUORUM, ELECT_LEADERS, LIST_REASSIGNMENTS, PRODUCE)
from support import apache, mixed, node, records

DESCRIBE_CONFIGS, INCREMENTAL_ALTER_CONFIGS, ALTER_REASSIGNMENTS, TOPIC = 32, 44, 45, 2
WAIT_MS = 30000
NOT_LEADER = 6


def setUpModule():
    if node.PEER or apache.jars() is None:
        raise unittest.SkipTest('Apache Kafka needs a JDK and Maven')


def append(at, topic, values, acks):
    """Each value a batch; the offset of the last."""
    now = int(time.time() * 1000)
    deadline = time.monotonic() + 10
    for value in values:
        while True:
            answer = at.ask(PRODUCE, 8, Acks=acks, TimeoutMs=WAIT_MS, TopicData=[
                {'Name': topic, 'PartitionData': [{'Index': 0, 'Records': records.batch([value], now)}]}])
            part = answer['Responses'][0]['PartitionResponses'][0]
            # Apache Kafka's broker tells that it leads a moment before it does.
            if part['ErrorCode'] != NOT_LEADER or time.monotonic() > deadline:
                break
        assert part['ErrorCode'] == 0, part
    return part['BaseOffset']


class MixedMixin:
    kinds = ''

    @classmethod
    def setUpClass(cls):
        cls.cluster = mixed.Cluster(cls.kinds, apache.jars(), brokers=1)
        cls.addClassCleanup(cls.cluster.__exit__)
        cls.cluster.__enter__()
        cls.cluster.await_brokers()

    def under_each_controller(self):
        """Twice: with an active controller of the one kind and the other."""
        first = 'a' if self.cluster.leader()[0].peer else 'm'
        for kind in (first, 'am'.replace(first, '')):
            yield kind, self.cluster.make_lead(kind)

    def await_that(self, holds, state=lambda: '', timeout_s=30):
        deadline = time.monotonic() + timeout_s
        while not holds():
            self.assertLess(time.monotonic(), deadline, f'{state()}\n{self.cluster.logs()}')
            time.sleep(0.05)

    # Replication.

    def test_all_die_in_turn_and_nothing_is_lost(self):
        """Each node is killed under load while either kind decides; of those, one leads each partition."""
        self.cluster.create('load', [[1, 2, 3], [2, 3, 1], [3, 1, 2]], min_insync_replicas=2)
        self.cluster.await_in_sync('load', {1, 2, 3})
        writer = mixed.Writer(self.cluster.bootstrap, 'load', 3)
        writer.start()
        writer.await_more()
        for _, active in self.under_each_controller():
            others = [voter for voter in self.cluster.voters if voter is not active]
            for victim in [*others, active]:
                victim.kill()
                self.cluster.await_in_sync('load', {1, 2, 3} - {victim.node_id})
                writer.await_more()
                victim.spawn()
                self.cluster.await_in_sync('load', {1, 2, 3})
        writer.finish()
        self.assertEqual(mixed.wrong([writer], self.cluster.await_same_logs('load', 3, self.cluster.voters)), [])

    def assert_tail_is_cut(self, leader, follower):
        """The leader has what the follower has not and dies; it comes back to another history of the same offsets."""
        topic = f'tail-{leader.node_id}-{follower.node_id}'
        self.cluster.create(topic, [[leader.node_id, follower.node_id]], at=leader, min_insync_replicas=1)
        self.cluster.await_in_sync(topic, {leader.node_id, follower.node_id})
        append(leader, topic, [b'common'] * 5, acks=-1)
        follower.process.send_signal(signal.SIGSTOP)
        try:
            append(leader, topic, [b'never replicated'] * 7, acks=1)
        finally:
            leader.kill()
            follower.process.send_signal(signal.SIGCONT)
        self.cluster.await_in_sync(topic, {follower.node_id})
        append(follower, topic, [b'of the new leader'] * 3, acks=-1)
        leader.spawn()
        self.cluster.await_in_sync(topic, {leader.node_id, follower.node_id})
        append(follower, topic, [b'of both'] * 2, acks=-1)
        log = self.cluster.await_same_logs(topic, 1, [leader, follower])[0]
        values = [value for _, value in records.read(log)]
        # A fetch that was under way when the follower stopped may have brought the first of the tail.
        got = values.count(b'never replicated')
        self.assertLess(got, 4)
        self.assertEqual(values, [b'common'] * 5 + [b'never replicated'] * got + [b'of the new leader'] * 3
                         + [b'of both'] * 2)

    def test_a_tail_that_nobody_else_has_is_cut(self):
        self.assert_tail_is_cut(self.cluster.milenas[0], self.cluster.apaches[0])
        self.assert_tail_is_cut(self.cluster.apaches[0], self.cluster.milenas[0])

    def test_who_is_silent_is_fenced_and_comes_back(self):
        """A stopped process loses its place with its session, and has it again soon after it goes on."""
        self.cluster.create('silent', [[1, 2, 3]], min_insync_replicas=1)
        self.cluster.await_in_sync('silent', {1, 2, 3})
        for _, active in self.under_each_controller():
            victim = next(voter for voter in self.cluster.voters if bool(voter.peer) != bool(active.peer))
            victim.process.send_signal(signal.SIGSTOP)
            try:
                self.cluster.await_in_sync('silent', {1, 2, 3} - {victim.node_id}, at=active)
            finally:
                victim.process.send_signal(signal.SIGCONT)
            self.cluster.await_in_sync('silent', {1, 2, 3})

    # Administration.

    def assert_administers(self, at, topic):
        """Node `at` has a topic made, grown, configured, moved and deleted, and every node tells the same of it."""
        ids = [one.node_id for one in self.cluster.nodes]
        self.cluster.create(topic, [ids[:3]], at=at, min_insync_replicas=2)
        answer = at.ask(CREATE_PARTITIONS, 3, TimeoutMs=WAIT_MS, Topics=[
            {'Name': topic, 'Count': 2, 'Assignments': [{'BrokerIds': [ids[1], ids[0], ids[2]]}]}])
        self.assertEqual(answer['Results'][0]['ErrorCode'], 0, answer)
        answer = at.ask(INCREMENTAL_ALTER_CONFIGS, 1, Resources=[{
            'ResourceType': TOPIC, 'ResourceName': topic,
            'Configs': [{'Name': 'retention.ms', 'ConfigOperation': 0, 'Value': '7654321'}]}])
        self.assertEqual(answer['Responses'][0]['ErrorCode'], 0, answer)
        self.cluster.await_in_sync(topic, set(ids[:3]))
        append(at if at.node_id == ids[0] else self.cluster.node(ids[0]), topic, [b'x'] * 4, acks=-1)
        answer = at.ask(ALTER_REASSIGNMENTS, 1, TimeoutMs=WAIT_MS, Topics=[
            {'Name': topic, 'Partitions': [{'PartitionIndex': 0, 'Replicas': [ids[1], ids[2], ids[3]]}]}])
        self.assertEqual((answer['ErrorCode'], answer['Responses'][0]['Partitions'][0]['ErrorCode']), (0, 0), answer)
        self.await_that(lambda: at.ask(LIST_REASSIGNMENTS, 0, TimeoutMs=WAIT_MS, Topics=None)['Topics'] == [])
        self.await_told(topic, ReplicaNodes=ids[1:4], IsrNodes=ids[1:4])
        answer = at.ask(ELECT_LEADERS, 2, ElectionType=0, TimeoutMs=WAIT_MS,
                        TopicPartitions=[{'Topic': topic, 'Partitions': [0, 1]}])
        self.assertEqual(answer['ErrorCode'], 0, answer)
        self.await_that(lambda: all({0: ids[1], 1: ids[1]} == {
            index: part['LeaderId'] for index, part in one.partitions(topic).items()} for one in self.cluster.nodes))
        answer = self.cluster.node(ids[1]).ask(DELETE_RECORDS, 2, TimeoutMs=WAIT_MS, Topics=[
            {'Name': topic, 'Partitions': [{'PartitionIndex': 0, 'Offset': 3}]}])
        self.assertEqual(answer['Topics'][0]['Partitions'][0]['LowWatermark'], 3, answer)
        self.assert_all_tell_the_same(topic)
        answer = at.ask(DELETE_TOPICS, 6, TimeoutMs=WAIT_MS, Topics=[{'Name': topic}])
        self.assertEqual(answer['Responses'][0]['ErrorCode'], 0, answer)
        self.await_that(lambda: not any(one.partitions(topic) for one in self.cluster.nodes))
        self.await_that(lambda: not any(one.log_folder(topic, 0).exists() for one in self.cluster.nodes))

    def assert_all_tell_the_same(self, topic):
        def told(one):
            configs = one.ask(DESCRIBE_CONFIGS, 4, Resources=[{
                'ResourceType': TOPIC, 'ResourceName': topic,
                'ConfigurationKeys': ['retention.ms', 'min.insync.replicas']}])
            quorum = one.ask(DESCRIBE_QUORUM, 2, Topics=[
                {'TopicName': '__cluster_metadata', 'Partitions': [{'PartitionIndex': 0}]}])
            part = quorum['Topics'][0]['Partitions'][0]
            return (one.partitions(topic),
                    [(entry['Name'], entry['Value'], entry['ConfigSource'])
                     for entry in configs['Results'][0]['Configs']],
                    part['LeaderId'], part['LeaderEpoch'],
                    [(voter['ReplicaId'], voter['ReplicaDirectoryId']) for voter in part['CurrentVoters']],
                    sorted((observer['ReplicaId'], observer['ReplicaDirectoryId']) for observer in part['Observers']),
                    sorted((other['NodeId'], str(other['Listeners'])) for other in quorum['Nodes']))
        first = told(self.cluster.nodes[0])
        for one in self.cluster.nodes[1:]:
            self.assertEqual(told(one), first)

    def test_any_node_may_be_asked_whoever_decides(self):
        for kind, _ in self.under_each_controller():
            for one in self.cluster.nodes:
                with self.subTest(controller=kind, asked=one.node_id):
                    self.assert_administers(one, f'asked-{kind}-{one.node_id}')

    def await_told(self, topic, **wanted):
        """Every node that runs tells this of partition 0."""
        running = [one for one in self.cluster.nodes if one.is_running()]

        def told(one):
            part = one.partitions(topic)[0]
            return {key: sorted(part[key] or []) if isinstance(value, list) else part[key]
                    for key, value in wanted.items()}
        self.await_that(lambda: all(told(one) == wanted for one in running))

    def test_who_left_last_is_remembered_and_leads_again(self):
        """KIP-966: what is stopped in order may lead later though nobody is in sync; the same everywhere."""
        milena, apache_node = self.cluster.nodes[-1], self.cluster.apaches[-1]
        first, second = milena.node_id, apache_node.node_id
        self.cluster.create('eligible', [[first, second]], min_insync_replicas=2)
        self.cluster.await_in_sync('eligible', {first, second})
        append(milena, 'eligible', [b'kept'] * 3, acks=-1)
        apache_node.stop()
        self.await_told('eligible', LeaderId=first, IsrNodes=[first], EligibleLeaderReplicas=[second])
        milena.stop()
        self.await_told('eligible', LeaderId=-1, IsrNodes=[], EligibleLeaderReplicas=sorted([first, second]))
        apache_node.spawn()
        self.await_told('eligible', LeaderId=second, IsrNodes=[second], EligibleLeaderReplicas=[first])
        milena.spawn()
        self.cluster.await_in_sync('eligible', {first, second})
        self.cluster.await_brokers()
        append(apache_node, 'eligible', [b'kept'] * 2, acks=-1)
        log = self.cluster.await_same_logs('eligible', 1, [milena, apache_node])[0]
        self.assertEqual(len(records.read(log)), 5)

    # Exchange.

    def test_a_node_is_exchanged_in_its_place(self):
        """Each kind takes over the other's folder and configuration, and goes on where it was; then the same back."""
        self.cluster.create('exchange', [[1, 2, 3], [2, 3, 1], [3, 1, 2]], min_insync_replicas=2)
        self.cluster.await_in_sync('exchange', {1, 2, 3})
        writer = mixed.Writer(self.cluster.bootstrap, 'exchange', 3)
        writer.start()
        for one in (self.cluster.milenas[0], self.cluster.apaches[0]):
            was = one.peer
            for peer in (None if was else self.cluster.jars, was):
                writer.await_more()
                self.assertIn(one.stop(), (0, 143))
                one.peer = peer
                one.spawn()
                self.cluster.await_in_sync('exchange', {1, 2, 3})
                answer = one.ask(ELECT_LEADERS, 2, ElectionType=0, TimeoutMs=WAIT_MS, TopicPartitions=None)
                self.assertEqual(answer['ErrorCode'], 0, answer)
                self.await_that(lambda: one.partitions('exchange')[one.node_id - 1]['LeaderId'] == one.node_id)
        writer.await_more()
        writer.finish()
        self.assertEqual(mixed.wrong([writer], self.cluster.await_same_logs('exchange', 3, self.cluster.voters)), [])


class OneOfApacheKafkaTest(MixedMixin, unittest.TestCase):
    kinds = 'mma'


class TwoOfApacheKafkaTest(MixedMixin, unittest.TestCase):
    kinds = 'maa'


if __name__ == '__main__':
    unittest.main()
