# SPDX-License-Identifier: Apache-2.0
"""Java's consumers of Kafka 4.4 in groups of both protocols: they share out partitions, follow topics and patterns, and
a group goes from the classic to the consumer protocol and back, a member at a time, while records are written.

Needs a JDK and Maven, which fetches Apache Kafka's client; without them this test skips itself.
"""
import collections
import shutil
import subprocess
import tempfile
import threading
import time
import unittest

import confluent_kafka
from confluent_kafka.admin import AdminClient, NewTopic

from compat import libraries
from conversations.talk import CONSUMER_GROUP_DESCRIBE, LIST_GROUPS, Talk
from support import node

PARTITIONS = 6
TIMEOUT_S = 90
QUICK = {'group.initial.rebalance.delay.ms': 100, 'group.consumer.min.heartbeat.interval.ms': 200,
         'group.consumer.heartbeat.interval.ms': 300, 'group.consumer.assignment.interval.ms': 0}
CLASSIC = ('heartbeat.interval.ms=300', 'session.timeout.ms=10000',
           'partition.assignment.strategy=org.apache.kafka.clients.consumer.CooperativeStickyAssignor')


def setUpModule():
    jars = node.jars_beside()
    folder = tempfile.mkdtemp(prefix='milena-members-')
    unittest.addModuleCleanup(shutil.rmtree, folder, True)
    libraries.make(['javac', '-cp', f'{jars}/*', '-d', folder, libraries.HERE / 'java' / 'GroupMember.java'], folder)
    Member.command = ['java', '-Xmx96m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', f'{folder}:{jars}/*',
                      'GroupMember']


class Member:
    """A consumer of its own process, and what it has told."""
    command = None

    def __init__(self, bootstrap, protocol, topic, *more, group='g'):
        more = CLASSIC + more if protocol == 'classic' else more
        self.told = []  # (ms, what, about)
        self.process = subprocess.Popen([*self.command, bootstrap, group, protocol, topic, *more],
                                        text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.complaints = []
        self.threads = [threading.Thread(target=self.listen), threading.Thread(target=self.hear_complaints)]
        for thread in self.threads:
            thread.start()

    def listen(self):
        for line in self.process.stdout:
            ms, _, rest = line.strip().partition(' ')
            if not ms.isdigit():  # its logger's
                self.complaints.append(line)
                continue
            what, _, about = rest.partition(' ')
            self.told.append((int(ms), what, about))

    def hear_complaints(self):
        self.complaints.extend(self.process.stderr)

    def has(self):
        owned = set()
        for _, what, about in list(self.told):
            if what == 'has':
                owned.add(about)
            elif what in ('gives', 'lost'):
                owned.discard(about)
        return owned

    def values(self):
        return [about.split()[1] for _, what, about in list(self.told) if what == 'read']

    def close(self):
        """It leaves the group."""
        self.process.stdin.close()
        self.end()

    def kill(self):
        self.process.kill()
        self.end()

    def end(self):
        self.process.wait(60)
        for thread in self.threads:
            thread.join()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.stderr.close()


class GroupProtocolsTest(unittest.TestCase):
    def setUp(self):
        self.node = node.Node(QUICK)
        self.addCleanup(self.node.__exit__)
        self.node.__enter__()
        self.members, self.written = [], 0
        self.make_topic('t')

    def tearDown(self):
        for member in self.members:
            if member.process.poll() is None:
                member.kill()

    def make_topic(self, name, partitions=PARTITIONS):
        admin = AdminClient({'bootstrap.servers': self.node.bootstrap, 'log_level': 0})
        admin.create_topics([NewTopic(name, partitions, 1)])[name].result(30)

    def join(self, protocol, topic='t', *more):
        member = Member(self.node.bootstrap, protocol, topic, *more)
        self.members.append(member)
        return member

    def write(self, count=60, topic='t', partitions=PARTITIONS):
        producer = confluent_kafka.Producer({'bootstrap.servers': self.node.bootstrap, 'log_level': 0})
        for _ in range(count):
            producer.produce(topic, str(self.written).encode(), partition=self.written % partitions)
            self.written += 1
        self.assertEqual(producer.flush(30), 0)

    def wait(self, what, done):
        deadline = time.monotonic() + TIMEOUT_S
        while not done():
            self.assertLess(time.monotonic(), deadline, f'{what}: ' + '\n'.join(
                f'{m.has()} {m.told[-3:]} {"".join(m.complaints[-5:])}' for m in self.members)
                + self.node.log()[-2000:])
            time.sleep(0.05)

    def wait_until_shared(self, *members, topics=('t',), partitions=PARTITIONS):
        """They have all partitions, about as many each."""
        everything = {f'{topic}-{i}' for topic in topics for i in range(partitions)}
        least = len(everything) // len(members)

        def is_shared():
            parts = [member.has() for member in members]
            return set().union(*parts) == everything and sum(map(len, parts)) == len(everything) \
                and min(map(len, parts)) >= least
        self.wait('shared', is_shared)

    def wait_until_read(self):
        """Every record, by somebody."""
        def is_read():
            values = set()
            for member in self.members:
                values.update(member.values())
            return values == {str(number) for number in range(self.written)}
        self.wait('read', is_read)

    def check_owners(self):
        """Nobody had a partition while another had it, as far as they knew."""
        events = sorted((ms, what != 'gives', number, what, about) for number, member in enumerate(self.members)
                        for ms, what, about in member.told if what in ('has', 'gives', 'lost'))
        owners = collections.defaultdict(set)
        for _, _, number, what, about in events:
            if what == 'has':
                owners[about].add(number)
                self.assertEqual(len(owners[about]), 1, f'{about} has {owners[about]}')
            else:
                owners[about].discard(number)

    def listed(self, group='g'):
        with Talk(self.node.port, 'looker') as talk:
            answer = talk.quietly(LIST_GROUPS, 5, StatesFilter=[], TypesFilter=[])
        return {(g['GroupType'], g['GroupState']) for g in answer['Groups'] if g['GroupId'] == group}

    def described(self):
        with Talk(self.node.port, 'looker') as talk:
            return talk.quietly(CONSUMER_GROUP_DESCRIBE, 1, GroupIds=['g'])['Groups'][0]

    def test_consumer_protocol(self):
        """Members come, one is killed, partitions and topics are added; a broker that stops in between is no matter."""
        self.write()
        first = self.join('consumer')
        self.wait_until_shared(first)
        second = self.join('consumer', 't', 'group.remote.assignor=range')
        self.wait_until_shared(first, second)
        self.write()
        self.wait_until_read()
        self.node.restart()
        third = self.join('consumer')
        self.write()
        self.wait_until_shared(first, second, third)
        self.wait_until_read()
        third.close()
        self.wait_until_shared(first, second)
        self.check_owners()
        self.assertEqual(self.listed(), {('consumer', 'Stable')})
        first.close()
        second.close()
        self.assertEqual(self.listed(), {('consumer', 'Empty')})
        last = self.join('classic')
        self.wait_until_shared(last)
        self.write()
        self.wait_until_read()
        self.assertEqual(self.listed(), {('classic', 'Stable')})

    def test_pattern(self):
        self.make_topic('match-1')
        member = self.join('consumer', '~match-.*')
        self.wait_until_shared(member, topics=['match-1'])
        self.write(12, 'match-1')
        self.wait_until_read()

    def test_upgrade_and_downgrade(self):
        """Two members, one after the other, from the classic protocol to the other and back; nothing is read by two."""
        self.write()
        old = [self.join('classic'), self.join('classic')]
        self.wait_until_shared(*old)
        self.assertEqual(self.listed(), {('classic', 'Stable')})
        new = self.join('consumer')
        self.wait_until_shared(*old, new)
        self.write()
        self.assertEqual({m['MemberType'] for m in self.described()['Members']}, {0, 1})
        old[0].close()
        self.wait_until_shared(old[1], new)
        other = self.join('consumer')
        self.wait_until_shared(old[1], new, other)
        old[1].close()
        self.wait_until_shared(new, other)
        self.write()
        self.assertEqual({m['MemberType'] for m in self.described()['Members']}, {1})
        back = self.join('classic')
        self.wait_until_shared(new, other, back)
        self.write()
        new.close()
        other.close()
        self.wait_until_shared(back)
        self.write()
        self.wait_until_read()
        self.wait('classic again', lambda: self.listed() == {('classic', 'Stable')})
        self.check_owners()


if __name__ == '__main__':
    unittest.main()
