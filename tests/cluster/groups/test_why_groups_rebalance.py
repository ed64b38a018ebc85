# SPDX-License-Identifier: Apache-2.0
"""Why a group rebalances, who holds it up and when its offsets go: the log, the metrics and `milena explain` say it
while it happens, of members that a test makes slow. Who does not ask gets Kafka's answers."""
import re
import threading
import time
import unittest
import urllib.request

from conversations.talk import CONSUMER_GROUP_DESCRIBE, CONSUMER_GROUP_HEARTBEAT
from support import members, node, tools

DESCRIBE_GROUPS, HEARTBEAT, OFFSET_COMMIT, FIND_COORDINATOR = 15, 12, 8, 10
REBALANCE_IN_PROGRESS, UNKNOWN_MEMBER_ID = 27, 25
NOT_YET = (14, 15, 16)  # loading, not available, not coordinator


class WhyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if node.PEER:
            raise unittest.SkipTest('about what Milena knows beyond Kafka')
        cls.admin_port = node.free_port()
        cls.node = node.Node({'group.initial.rebalance.delay.ms': 300, 'offsets.topic.num.partitions': 3,
                              'group.consumer.assignment.interval.ms': 0, 'milena.admin.listener':
                              f'127.0.0.1:{cls.admin_port}', 'offsets.retention.check.interval.ms': 500})
        cls.addClassCleanup(cls.node.__exit__)
        cls.node.start()
        tools.run('topics', '--bootstrap-server', cls.node.bootstrap, '--create', '--topic', 'read',
                  '--partitions', '2')

    def explain(self, group):
        done = tools.run('explain', '--bootstrap-server', self.node.bootstrap, 'group', group)
        self.assertEqual(done.exit, 0, done.err)
        return done.out

    def metric(self, name, cause):
        with urllib.request.urlopen(f'http://127.0.0.1:{self.admin_port}/metrics', timeout=10) as answer:
            page = answer.read().decode()
        return float(re.search(rf'^{name}\{{cause="{cause}"\}} (\S+)$', page, re.MULTILINE)[1])

    def await_line(self, *parts, timeout_s=20):
        """A line of the node's log that has all of these."""
        deadline = time.monotonic() + timeout_s
        while True:
            for line in self.node.log().splitlines():
                if all(part in line for part in parts):
                    return line
            self.assertLess(time.monotonic(), deadline, (parts, self.node.log()[-3000:]))
            time.sleep(0.1)

    def keep_alive(self, link, group, member):
        """As the thread of a client that is busy with what it has read: it lives, and does not join again."""
        codes = []

        def beat():
            while UNKNOWN_MEMBER_ID not in codes:
                codes.append(link.ask(HEARTBEAT, 4, GroupId=group.name, GenerationId=group.generation,
                                      MemberId=member)['ErrorCode'])
                time.sleep(0.3)
        thread = threading.Thread(target=beat, daemon=True)
        thread.start()
        return thread, codes

    def test_a_classic_member_that_does_not_join_again(self):
        joined = self.metric('milena_group_rebalances_total', 'member_joined')
        removed = self.metric('milena_group_removed_members_total', 'rebalance_timeout')
        with members.Group(self.node.port, 'held-up') as group:
            group.form([('sleeper', {'read': [0, 1]}, None)], rebalance_ms=7000)
            sleeper = group.ids[0]
            self.await_line('rebalance completed', 'group=held-up', 'members=1')
            said = self.explain('held-up')
            self.assertRegex(said, r'^Group held-up is Stable, for \d\.\d s now\.')
            self.assertRegex(said, r'Its last rebalance began \S+ s ago and took \S+ s: sleeper-\S+ at /127.0.0.1 '
                                   r'\(client sleeper\) joined\.')
            thread, codes = self.keep_alive(group.links[0], group, sleeper)
            wait = group.join_one('newcomer', ['read'], rebalance_ms=7000)
            line = self.await_line('rebalance began', 'group=held-up', 'generation=2')
            self.assertIn('cause=member_joined', line)
            self.assertIn('client=newcomer', line)
            said = self.explain('held-up')
            self.assertRegex(said, r'^Group held-up is PreparingRebalance, for \d\.\d s now\.')
            self.assertRegex(said, rf'\nIt waits for {sleeper} at /127.0.0.1 \(client sleeper\) to join again, for '
                                   r'[0-6]\.\d s more at most\. A member that is busy')
            self.assertRegex(said, r'\nIts rebalance has lasted for \d\.\d s: newcomer-\S+ at /127.0.0.1 '
                                   r'\(client newcomer\) joined\.')
            line = self.await_line('rebalance waits for members', 'group=held-up')
            self.assertIn(f'{sleeper} at /127.0.0.1 to join', line)
            self.assertIn('awaited=1', line)
            line = self.await_line('member removed', 'group=held-up')
            self.assertIn(f'member={sleeper} client=sleeper host=/127.0.0.1 cause=rebalance_timeout missed=join '
                          'timeout_ms=7000', line)
            self.assertEqual(wait()['GenerationId'], 2)
            thread.join(10)
            self.assertIn(REBALANCE_IN_PROGRESS, codes)
        self.assertEqual(self.metric('milena_group_rebalances_total', 'member_joined'), joined + 2)
        self.assertEqual(self.metric('milena_group_removed_members_total', 'rebalance_timeout'), removed + 1)

    def ask(self, link, key, version, group, **values):
        """Until the coordinator is ready."""
        deadline = time.monotonic() + 30
        while True:
            answer = link.ask(key, version, **values)
            if answer['ErrorCode'] not in NOT_YET:
                return answer
            self.assertLess(time.monotonic(), deadline, answer)
            link.ask(FIND_COORDINATOR, 4, CoordinatorKeys=[group])

    def test_a_member_of_the_consumer_protocol_that_gives_nothing_up(self):
        by_timeout = self.metric('milena_group_rebalances_total', 'rebalance_timeout')
        link = members.Link(self.node.port, 'app')
        self.addCleanup(link.close)

        def beat(member, epoch, **more):
            answer = self.ask(link, CONSUMER_GROUP_HEARTBEAT, 1, 'newer', GroupId='newer', MemberId=member,
                              MemberEpoch=epoch, **more)
            self.assertEqual(answer['ErrorCode'], 0, answer)
            return answer['MemberEpoch']
        joins = {'RebalanceTimeoutMs': 6500, 'SubscribedTopicNames': ['read'], 'TopicPartitions': []}
        owner = beat('owner', 0, **joins)
        self.await_line('rebalance completed', 'group=newer', 'members=1')
        other = beat('other', 0, **joins)
        began = time.monotonic()
        owner = beat('owner', owner)  # is told to give one up, and does not
        self.assertRegex(self.explain('newer'),
                         r'^Group newer is Reconciling, for \d\.\d s now\.[^\n]*\n'
                         r'It waits for owner at /127.0.0.1 \(client app\) to give partitions up that others are to '
                         r'have, for [0-6]\.\d s more at most\..*\n'
                         r'Its rebalance has lasted for \d\.\d s: other at /127.0.0.1 \(client app\) joined\.')
        while time.monotonic() - began < 7:
            other = beat('other', other)
            time.sleep(0.5)
        line = self.await_line('rebalance waits for members', 'group=newer')
        self.assertIn('owner at /127.0.0.1 to revoke', line)
        self.assertIn('member=owner', self.await_line('member removed', 'group=newer', 'missed=revoke'))
        self.await_line('rebalance began', 'group=newer', 'cause=rebalance_timeout', 'member=owner')
        # Members that another test has left behind may run out of time too.
        self.assertGreaterEqual(self.metric('milena_group_rebalances_total', 'rebalance_timeout'), by_timeout + 1)

    def test_offsets_that_nobody_uses(self):
        link = members.Link(self.node.port, 'committer')
        self.addCleanup(link.close)
        part = {'PartitionIndex': 0, 'CommittedOffset': 0, 'CommittedMetadata': ''}
        for _ in range(100):
            answer = link.ask(OFFSET_COMMIT, 4, GroupId='kept', GenerationIdOrMemberEpoch=-1, MemberId='',
                              RetentionTimeMs=8000, Topics=[{'Name': 'read', 'Partitions': [part]}])
            if answer['Topics'][0]['Partitions'][0]['ErrorCode'] not in NOT_YET:
                break
            link.ask(FIND_COORDINATOR, 4, CoordinatorKeys=['kept'])
            time.sleep(0.1)
        self.assertEqual(answer['Topics'][0]['Partitions'][0]['ErrorCode'], 0)
        self.assertRegex(self.explain('kept'),
                         r'\nOffsets that nobody uses expire: read \(1 partition\) in [0-7]\.\d s\. Start consumers of '
                         r'their topics before that')
        line = self.await_line('offsets expired', 'group=kept', timeout_s=30)
        self.assertIn('offsets=1 group_removed=true', line)
        done = tools.run('explain', '--bootstrap-server', self.node.bootstrap, 'group', 'kept')
        self.assertIn('There is no group kept', done.err)

    def test_who_does_not_ask_gets_what_kafka_answers(self):
        with members.Group(self.node.port, 'plain') as group:
            group.form([('one', {'read': [0, 1]}, None)])
            link = group.links[0]
            for key, name in ((DESCRIBE_GROUPS, 'Groups'), (CONSUMER_GROUP_DESCRIBE, 'GroupIds')):
                for version in (5, 6) if key == DESCRIBE_GROUPS else (0, 1):
                    told = link.ask(key, version, **{name: ['plain']})['Groups'][0]
                    self.assertNotIn('MilenaFacts', told)
                    self.assertFalse([field for field in told if field.startswith('tag ')])
            told = link.ask(DESCRIBE_GROUPS, 6, Groups=['plain'], IncludeMilenaFacts=True)['Groups'][0]
            self.assertGreater(len(told['MilenaFacts']), 20)
            told = link.ask(DESCRIBE_GROUPS, 6, Groups=['plain'], IncludeMilenaFacts=False)['Groups'][0]
            self.assertNotIn('MilenaFacts', told)


if __name__ == '__main__':
    unittest.main()
