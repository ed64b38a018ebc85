# SPDX-License-Identifier: Apache-2.0
"""Groups of the consumer protocol (KIP-848) over the wire: they go on with the next coordinator, many members come to
an assignment, groups have settings of their own, and there are none while the feature is off."""
import time
import unittest

from conversations.talk import CONSUMER_GROUP_DESCRIBE, CONSUMER_GROUP_HEARTBEAT, FIND_COORDINATOR, \
    INCREMENTAL_ALTER_CONFIGS, UPDATE_FEATURES, Talk
from support import node, quorum

UNSUPPORTED_VERSION, GROUP = 35, 32
QUICK = {'group.consumer.assignment.interval.ms': 0, 'offsets.topic.num.partitions': 6}
NOT_YET = (14, 15, 16)  # loading, not available, not coordinator


class Group:
    """The members of one group, by heartbeats made by hand."""

    def __init__(self, find, topic, name='g'):
        self.find, self.topic, self.name = find, topic, name
        self.talk = None
        self.epochs, self.owned = {}, {}

    def ask(self, key, **values):
        """The answer of the group's coordinator, whoever that is."""
        deadline = time.monotonic() + 60
        while True:
            try:
                self.talk = self.talk or Talk(self.find(self.name), 'member')
                answer = self.talk.quietly(key, 1, **values)
                code = answer['Groups'][0]['ErrorCode'] if 'Groups' in answer else answer['ErrorCode']
                if code not in NOT_YET:
                    return answer
            except (AssertionError, OSError):
                pass
            assert time.monotonic() < deadline, 'no coordinator'
            if self.talk:
                self.talk.hang_up()
            self.talk = None
            time.sleep(0.05)

    def beat(self, member, **more):
        """As a client that does what it is told."""
        epoch = self.epochs.get(member, 0)
        owned = [{'TopicId': i, 'Partitions': sorted(p)} for i, p in self.owned.get(member, {}).items()]
        values = {'RebalanceTimeoutMs': 60000, 'SubscribedTopicNames': [self.topic]} if epoch == 0 else {}
        answer = self.ask(CONSUMER_GROUP_HEARTBEAT, GroupId=self.name, MemberId=member, MemberEpoch=epoch,
                          TopicPartitions=owned if epoch else [], **{**values, **more})
        assert answer['ErrorCode'] == 0, answer
        self.epochs[member] = answer['MemberEpoch']
        if answer['Assignment'] is not None:
            self.owned[member] = {t['TopicId']: set(t['Partitions']) for t in answer['Assignment']['TopicPartitions']}
        return answer

    def described(self):
        return self.ask(CONSUMER_GROUP_DESCRIBE, GroupIds=[self.name])['Groups'][0]

    def settle(self, *members):
        """Heartbeats until it is stable; how many rounds that took."""
        for count in range(1, 20):
            for member in members:
                self.beat(member)
            if self.described()['GroupState'] == 'Stable':
                return count
        raise AssertionError(self.described())


def make_topic(port, name, partitions, replicas=1):
    with Talk(port, 'maker') as talk:
        made = talk.quietly(19, 7, timeoutMs=30000, Topics=[
            {'Name': name, 'NumPartitions': partitions, 'ReplicationFactor': replicas}])
        assert made['Topics'][0]['ErrorCode'] == 0, made


class OneBrokerTest(unittest.TestCase):
    def setUp(self):
        self.node = node.Node(QUICK)
        self.addCleanup(self.node.__exit__)
        self.node.__enter__()

    def group(self, partitions):
        make_topic(self.node.port, 't', partitions)
        return Group(self.find, 't')

    def find(self, name):
        """Has the topic of groups made, the first time."""
        with Talk(self.node.port, 'find') as talk:
            talk.quietly(FIND_COORDINATOR, 4, CoordinatorKeys=[name])
        return self.node.port

    def test_many_members(self):
        """Far more than is assigned in place."""
        group = self.group(1000)
        members = [f'm{i}' for i in range(100)]
        for member in members:
            group.beat(member)
        group.settle(*members)
        sizes = [sum(map(len, owned.values())) for owned in group.owned.values()]
        self.assertEqual((min(sizes), max(sizes)), (10, 10))
        self.assertEqual(len(set().union(*(p for owned in group.owned.values() for p in owned.values()))), 1000)

    def test_a_group_has_settings_of_its_own(self):
        group = self.group(2)
        self.assertEqual(group.beat('A')['HeartbeatIntervalMs'], 5000)
        with Talk(self.node.port, 'configs') as talk:
            done = talk.quietly(INCREMENTAL_ALTER_CONFIGS, 1, ValidateOnly=False, Resources=[
                {'ResourceType': GROUP, 'ResourceName': 'g', 'Configs': [
                    {'Name': 'consumer.heartbeat.interval.ms', 'ConfigOperation': 0, 'Value': '7000'}]}])
        self.assertEqual(done['Responses'][0]['ErrorCode'], 0, done)
        deadline = time.monotonic() + 10
        while group.beat('A')['HeartbeatIntervalMs'] != 7000:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_none_while_the_feature_is_off(self):
        group = self.group(2)
        group.beat('A')
        with Talk(self.node.port, 'features') as talk:
            done = talk.quietly(UPDATE_FEATURES, 1, timeoutMs=30000, ValidateOnly=False, FeatureUpdates=[
                {'Feature': 'group.version', 'MaxVersionLevel': 0, 'UpgradeType': 3}])
            self.assertEqual(done['ErrorCode'], 0, done)
            refused = talk.quietly(CONSUMER_GROUP_HEARTBEAT, 1, GroupId='g', MemberId='A', MemberEpoch=2)
            self.assertEqual(refused['ErrorCode'], UNSUPPORTED_VERSION)
            described = talk.quietly(CONSUMER_GROUP_DESCRIBE, 1, GroupIds=['g'])
            self.assertEqual(described['Groups'][0]['ErrorCode'], UNSUPPORTED_VERSION)


class ThreeBrokersTest(unittest.TestCase):
    def setUp(self):
        if node.PEER:
            self.skipTest('the formatting tool is Milena\'s')
        self.running = quorum.Quorum(roles='broker,controller', extra={
            'offsets.topic.replication.factor': 3, 'min.insync.replicas': 2, **QUICK})
        self.addCleanup(self.running.__exit__)
        self.running.__enter__()
        self.running.await_brokers()
        make_topic(self.running.voters[0].port, 't', 6, 3)

    def coordinator(self, name):
        for voter in self.running.voters:
            if not voter.is_running():
                continue
            with Talk(voter.port, 'find', timeout_s=5) as talk:
                found = talk.quietly(FIND_COORDINATOR, 4, CoordinatorKeys=[name])['Coordinators'][0]
            if found['ErrorCode'] == 0:
                return self.running.voters[found['NodeId'] - 1]
        raise AssertionError('nobody coordinates the group')

    def test_a_group_goes_on_with_the_next_coordinator(self):
        group = Group(lambda name: self.coordinator(name).port, 't')
        for member in ('A', 'B'):
            group.beat(member)
        group.settle('A', 'B')
        for _ in range(2):
            epochs, owned = dict(group.epochs), dict(group.owned)
            dead = self.coordinator('g')
            dead.kill()
            for member in ('A', 'B'):
                group.beat(member)
            self.assertEqual(group.described()['GroupState'], 'Stable')
            self.assertEqual((group.epochs, group.owned), (epochs, owned), 'nobody has to give anything up')
            dead.start()
            self.running.await_brokers()
        group.beat('C')
        group.settle('A', 'B', 'C')
        self.assertEqual([sum(map(len, group.owned[m].values())) for m in 'ABC'], [2, 2, 2])


if __name__ == '__main__':
    unittest.main()
