# SPDX-License-Identifier: Apache-2.0
"""B37: assignments that are larger than the log takes at once. Who hands them in is told what is wrong, once and for
all; nobody joins and is refused again and again. With a larger limit they are stored, and found again."""
import time
import unittest

from conversations.talk import DESCRIBE_GROUPS, FIND_COORDINATOR, HEARTBEAT, INCREMENTAL_ALTER_CONFIGS, JOIN_GROUP, \
    LEAVE_GROUP, SYNC_GROUP, Talk
from support import node, quorum

NONE, MESSAGE_TOO_LARGE, NOT_COORDINATOR, REBALANCE_IN_PROGRESS = 0, 10, 16, 27
# As Kafka, which says nothing of a limit.
REFUSED = -1 if node.PEER else MESSAGE_TOO_LARGE
FAST = {'group.initial.rebalance.delay.ms': 0, 'offsets.topic.num.partitions': 3}
OFFSETS = '__consumer_offsets'
SMALL, LARGE = 700 * 1000, 3 * 1000 * 1000
TOPIC, SET = 2, 0
GROUP = 'large'


def find(port):
    """The node that coordinates the group, as the one at the port says; None while nobody does."""
    with Talk(port, 'find') as talk:
        found = talk.quietly(FIND_COORDINATOR, 4, CoordinatorKeys=[GROUP])['Coordinators'][0]
    return found['NodeId'] if found['ErrorCode'] == NONE else None


def allow(port, size):
    with Talk(port, 'allow') as talk:
        answer = talk.quietly(INCREMENTAL_ALTER_CONFIGS, 1, ValidateOnly=False, Resources=[{
            'ResourceType': TOPIC, 'ResourceName': OFFSETS, 'Configs': [
                {'Name': 'max.message.bytes', 'ConfigOperation': SET, 'Value': str(size)}]}])
    assert answer['Responses'][0]['ErrorCode'] == NONE, answer


class Member:
    """The only one of its group, which assigns itself what it is told to."""

    def __init__(self, talk):
        self.talk, self.id, self.generation = talk, '', -1

    def ask(self, key, version, **more):
        """Of whoever coordinates now."""
        deadline = time.monotonic() + 60
        while True:
            answer = self.talk.quietly(key, version, GroupId=GROUP, **more)
            if answer['ErrorCode'] not in (14, 15, 16):
                return answer
            assert time.monotonic() < deadline, answer
            time.sleep(0.1)

    def join(self):
        answer = self.ask(JOIN_GROUP, 3, SessionTimeoutMs=20000, RebalanceTimeoutMs=20000, MemberId=self.id,
                          ProtocolType='consumer', Protocols=[{'Name': 'range', 'Metadata': b'm'}])
        if answer['ErrorCode'] == NONE:
            self.id, self.generation = answer['MemberId'], answer['GenerationId']
        return answer['ErrorCode']

    def assign(self, size):
        answer = self.ask(SYNC_GROUP, 3, GenerationId=self.generation, MemberId=self.id, Assignments=[
            {'MemberId': self.id, 'Assignment': b'a' * size}])
        return answer['ErrorCode'], len(answer['Assignment'])

    def assigned(self):
        answer = self.ask(SYNC_GROUP, 3, GenerationId=self.generation, MemberId=self.id, Assignments=[])
        return answer['ErrorCode'], len(answer['Assignment'])

    def beat(self):
        return self.ask(HEARTBEAT, 3, GenerationId=self.generation, MemberId=self.id)['ErrorCode']

    def leave(self):
        self.ask(LEAVE_GROUP, 1, MemberId=self.id)
        self.id = ''

    def state(self):
        return self.talk.quietly(DESCRIBE_GROUPS, 5, Groups=[GROUP])['Groups'][0]['GroupState']


class OneBrokerTest(unittest.TestCase):
    def setUp(self):
        self.node = node.Node(FAST).start()
        self.addCleanup(self.node.__exit__)
        while find(self.node.port) is None:
            time.sleep(0.1)
        self.talk = Talk(self.node.port, 'large')
        self.addCleanup(self.talk.hang_up)
        self.member = Member(self.talk)

    def test_what_fits_is_stored(self):
        self.assertEqual(self.member.join(), NONE)
        self.assertEqual(self.member.assign(SMALL), (NONE, SMALL))
        self.assertEqual(self.member.beat(), NONE)

    def test_what_does_not_fit_is_refused_once_and_for_all(self):
        self.assertEqual(self.member.join(), NONE)
        self.assertEqual(self.member.assign(LARGE), (REFUSED, 0))
        if node.PEER:
            return
        self.assertEqual(self.member.beat(), REBALANCE_IN_PROGRESS)
        for _ in range(20):
            self.assertEqual(self.member.join(), MESSAGE_TOO_LARGE)
        line = self.node.await_line('records of a group are too large')
        for words in ('1048588 allowed', GROUP, 'max.message.bytes'):
            self.assertIn(words, line)
        # Another one may assign otherwise.
        self.member.leave()
        self.assertEqual(self.member.join(), NONE)
        self.assertEqual(self.member.assign(SMALL), (NONE, SMALL))
        self.assertEqual(self.node.log().count('records of a group are too large'), 1)

    def test_with_a_larger_limit_it_is_stored_and_found_after_a_restart(self):
        allow(self.node.port, 4 << 20)
        self.assertEqual(self.member.join(), NONE)
        self.assertEqual(self.member.assign(LARGE), (NONE, LARGE))
        self.node.kill()
        self.node.start()
        self.talk.hang_up()
        self.assertEqual(self.member.assigned(), (NONE, LARGE))
        self.assertEqual(self.member.beat(), NONE)
        self.assertEqual(self.member.state(), 'Stable')


class ThreeBrokersTest(unittest.TestCase):
    def setUp(self):
        if node.PEER:
            self.skipTest('the formatting tool is Milena\'s')
        self.running = quorum.Quorum(roles='broker,controller', extra={
            'offsets.topic.replication.factor': 3, 'min.insync.replicas': 2, **FAST})
        self.addCleanup(self.running.__exit__)
        self.running.__enter__()
        self.running.await_brokers()

    def coordinator(self, but=None):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            for voter in self.running.voters:
                found = find(voter.port) if voter.is_running() else None
                if found and found != but:
                    return self.running.voters[found - 1]
            time.sleep(0.1)
        self.fail('nobody coordinates the group')

    def test_the_limit_holds_and_a_larger_one_survives_the_coordinator(self):
        first = self.coordinator()
        with Talk(first.port, 'large') as talk:
            member = Member(talk)
            self.assertEqual(member.join(), NONE)
            self.assertEqual(member.assign(LARGE), (MESSAGE_TOO_LARGE, 0))
            self.assertEqual(member.join(), MESSAGE_TOO_LARGE)
            member.leave()
            allow(first.port, 4 << 20)
            self.assertEqual(member.join(), NONE)
            self.assertEqual(member.assign(LARGE), (NONE, LARGE))
        first.kill()
        second = self.coordinator(but=first.node_id)
        with Talk(second.port, 'large') as talk:
            member.talk = talk
            self.assertEqual(member.assigned(), (NONE, LARGE))
            self.assertEqual(member.beat(), NONE)
        for voter in self.running.voters:
            self.assertTrue(voter is first or voter.is_running(), voter.log()[-2000:])


if __name__ == '__main__':
    unittest.main()
