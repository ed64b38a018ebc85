# SPDX-License-Identifier: Apache-2.0
"""consumer-groups, groups and a console-consumer with a group, against one node and three."""
import re
import signal
import subprocess
import time
import unittest

from support import members, node, quorum, tools

FAST = {'group.initial.rebalance.delay.ms': 300, 'offsets.topic.num.partitions': 6}


def lines(text):
    """The rows of a table, each a list of its cells."""
    return [line.split() for line in text.splitlines() if line]


class Reader:
    """A console-consumer that runs on."""

    def __init__(self, bootstrap, folder, number, *arguments):
        self.path = folder / f'reader-{number}'
        with open(self.path, 'wb') as out, open(f'{self.path}.err', 'wb') as err:
            self.process = subprocess.Popen([str(node.MILENA), 'console-consumer', '--bootstrap-server', bootstrap,
                                             *arguments], stdout=out, stderr=err, stdin=subprocess.DEVNULL)

    def values(self):
        return self.path.read_text().split()

    def end(self, number):
        """Sends the signal; gives the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(30)

    def kill(self):
        self.process.kill()
        self.process.wait()


class OneNodeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if node.PEER:
            raise unittest.SkipTest('about Milena\'s tools')
        cls.node = node.Node(FAST)
        cls.addClassCleanup(cls.node.__exit__)
        cls.node.start()

    def tool(self, name, *arguments, stdin=''):
        return tools.run(name, '--bootstrap-server', self.node.bootstrap, *arguments, stdin=stdin)

    def groups(self, *arguments):
        return self.tool('consumer-groups', *arguments)

    def make(self, topic, partitions=1, values=()):
        self.tool('topics', '--create', '--topic', topic, '--partitions', str(partitions))
        if values:
            self.tool('console-producer', '--topic', topic, stdin=''.join(f'{value}\n' for value in values))

    def reader(self, number, *arguments):
        reader = Reader(self.node.bootstrap, self.node.folder, f'{self.id()}-{number}', *arguments)
        self.addCleanup(reader.kill)
        return reader

    def await_members(self, group, wanted, timeout_s=30):
        """Until the group is stable with members of so many partitions each; gives their rows."""
        deadline = time.monotonic() + timeout_s
        while True:
            state = lines(self.groups('--describe', '--group', group, '--state').out)
            rows = lines(self.groups('--describe', '--group', group, '--members').out)[1:]
            if state and state[-1][-2] == 'Stable' and sorted(int(row[-1]) for row in rows) == sorted(wanted):
                return rows
            self.assertLess(time.monotonic(), deadline, rows)
            time.sleep(0.1)

    def await_values(self, readers, wanted, timeout_s=30):
        deadline = time.monotonic() + timeout_s
        while sorted(value for reader in readers for value in reader.values()) != sorted(wanted):
            self.assertLess(time.monotonic(), deadline, [reader.values() for reader in readers])
            time.sleep(0.05)

    def test_groups_are_listed_and_described(self):
        self.make('seen', 3, 'abc')
        with members.Group(self.node.port, 'seen-group') as group:
            group.form([('one', {'seen': [0, 1]}, None), ('two', {'seen': [2]}, 'instance')]).commit({('seen', 0): 1})
            self.assertIn('seen-group\n', self.groups('--list').out)
            self.assertIn('seen-group Classic Stable'.split(), lines(self.groups('--list', '--type', '--state').out))
            self.assertIn('seen-group Classic consumer'.split(), lines(self.tool('groups', '--list').out))
            self.assertNotIn('seen-group', self.groups('--list', '--state', 'empty').out)
            self.assertNotIn('seen-group', self.tool('groups', '--list', '--share').out)
            rows = lines(self.groups('--describe', '--group', 'seen-group').out)[1:]
            self.assertEqual([row[1:6] for row in rows], [['seen', '0', '1', rows[0][4], rows[0][5]],
                                                         ['seen', '1', '-', rows[1][4], '-'],
                                                         ['seen', '2', '-', rows[2][4], '-']])
            self.assertEqual(sum(int(row[4]) for row in rows), 3)
            self.assertEqual(int(rows[0][5]), int(rows[0][4]) - 1)
            self.assertRegex(rows[2][6], r'^instance-[0-9a-f-]{36}$')
            self.assertIn('seen:0,1', self.groups('--describe', '--group', 'seen-group', '--members', '--verbose').out)
            said = self.tool('explain', 'group', 'seen-group').out
            self.assertRegex(said, r'^Group seen-group is Stable, for \d\.\d s now\. Its coordinator is broker 1 ')
            self.assertIn('2 members share 3 partitions, as range deals them.\n', said)
            done = self.groups('--delete', '--group', 'seen-group')
            self.assertIn("* Group 'seen-group' could not be deleted due to: org.apache.kafka.common.errors."
                          'GroupNotEmptyException: The group is not empty.\n', done.out)
            group.leave()
        done = self.groups('--describe', '--group', 'seen-group')
        self.assertEqual(done.err, "\nConsumer group 'seen-group' has no active members.\n")
        self.assertEqual(self.groups('--delete', '--group', 'seen-group').out,
                         "Deletion of requested consumer groups ('seen-group') was successful.\n")
        done = self.groups('--describe', '--group', 'seen-group')
        self.assertEqual(done.out, '\nError: Executing consumer group command failed due to org.apache.kafka.common.'
                                   'errors.GroupIdNotFoundException: Group seen-group not found.\n')
        self.assertEqual(done.exit, 0)
        done = self.tool('explain', 'group', 'seen-group')
        self.assertEqual(done.exit, 1)
        self.assertIn('There is no group seen-group: nobody is in it and no offsets are committed.', done.err)

    def test_offsets_are_reset_exported_taken_back_and_deleted(self):
        self.make('set', 1, 'abcde')
        reset = ['--reset-offsets', '--group', 'set-group']
        head = '\nGROUP           TOPIC           PARTITION  NEW-OFFSET\n'

        def row(offset):
            return head + f'set-group       set             0          {offset}\n'
        self.assertEqual(self.groups(*reset, '--topic', 'set', '--to-offset', '3', '--dry-run').out, row(3))
        self.assertIn('not found', self.groups('--describe', '--group', 'set-group').out)
        self.assertEqual(self.groups(*reset, '--topic', 'set', '--to-offset', '3', '--execute').out, row(3))
        csv = self.groups(*reset, '--all-topics', '--to-current', '--export', '--dry-run').out
        self.assertEqual(csv, 'set,0,3\n\n')
        (self.node.folder / 'offsets.csv').write_text(csv)
        done = self.groups(*reset, '--topic', 'set', '--shift-by', '9', '--execute')
        self.assertEqual(done.out, row(5))
        self.assertIn('New offset (12) is higher than latest offset for topic partition set-0. Value will be set to 5.',
                      done.err)
        self.assertEqual(lines(self.groups('--describe', '--group', 'set-group').out)[1][3:6], ['5', '5', '0'])
        self.assertEqual(self.groups(*reset, '--from-file', self.node.folder / 'offsets.csv', '--execute').out, row(3))
        self.assertEqual(lines(self.groups('--describe', '--group', 'set-group').out)[1][3:6], ['3', '5', '2'])
        self.assertEqual(self.groups(*reset, '--topic', 'set', '--to-datetime', '2020-01-01T00:00:00.000',
                                     '--execute').out, row(0))
        self.assertEqual(self.groups(*reset, '--topic', 'set', '--by-duration', 'PT-1H', '--execute').out,
                         '\nWarn: Partition 0 from topic set is empty. Falling back to latest known offset.\n' + row(5))
        self.assertEqual(self.groups(*reset, '--topic', 'missing', '--to-latest', '--execute').out,
                         '\nError: Executing consumer group command failed due to This server does not host this '
                         'topic-partition.\n')
        self.assertEqual(self.groups('--delete-offsets', '--group', 'set-group', '--topic', 'set').out,
                         'Request succeeded for deleting offsets from group set-group.\n'
                         '\nTOPIC           PARTITION  STATUS         \nset             0          Successful     \n')

    def test_a_console_consumer_goes_on_where_its_group_was(self):
        self.make('kept', 1, 'abc')
        consume = ['--topic', 'kept', '--group', 'kept-group', '--from-beginning', '--max-messages']
        self.assertEqual(self.tool('console-consumer', *consume, '2').out, 'a\nb\n')
        self.assertEqual(self.tool('console-consumer', *consume, '1').out, 'c\n')
        self.assertEqual(lines(self.groups('--describe', '--group', 'kept-group').out)[1][3:6], ['3', '3', '0'])
        done = self.tool('console-consumer', '--topic', 'kept', '--consumer-property', 'group.id=other-group',
                         '--consumer-property', 'enable.auto.commit=false', '--from-beginning', '--max-messages', '3')
        self.assertEqual(done.out, 'a\nb\nc\n')
        self.assertNotIn('kept', self.groups('--describe', '--group', 'other-group').out)

    def test_consoles_in_one_group_share_the_partitions_and_what_one_leaves(self):
        self.make('shared', 3)
        consume = ['--topic', 'shared', '--group', 'shared-group', '--from-beginning']
        first = self.reader(1, *consume)
        self.await_members('shared-group', [3])
        second = self.reader(2, *consume)
        rows = self.await_members('shared-group', [2, 1])
        self.assertEqual({row[3] for row in rows}, {'console-consumer'})
        wanted = [str(number) for number in range(300)]
        for some in range(0, 300, 100):
            self.tool('console-producer', '--topic', 'shared',
                      stdin=''.join(f'{value}\n' for value in wanted[some:some + 100]))
        self.await_values([first, second], wanted)
        self.assertEqual(first.end(signal.SIGINT), 130)
        self.await_members('shared-group', [3], timeout_s=15)
        self.assertEqual(second.end(signal.SIGTERM), 143)
        self.assertIn('Processed a total of', (second.path.parent / (second.path.name + '.err')).read_text())
        done = self.groups('--describe', '--group', 'shared-group')
        self.assertIn('has no active members', done.err)
        self.assertEqual({row[5] for row in lines(done.out)[1:]}, {'0'})

    def test_a_console_stays_in_its_group_while_its_output_is_not_read(self):
        self.make('slow', 1, [f'{number:0100}' for number in range(3000)])
        reader = subprocess.Popen([str(node.MILENA), 'console-consumer', '--bootstrap-server', self.node.bootstrap,
                                   '--topic', 'slow', '--group', 'slow-group', '--from-beginning', '--max-messages',
                                   '3000', '--consumer-property', 'session.timeout.ms=6000', '--consumer-property',
                                   'heartbeat.interval.ms=500'], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True)
        self.addCleanup(reader.kill)
        member = self.await_members('slow-group', [1])[0][1]
        time.sleep(8)
        self.assertEqual(self.await_members('slow-group', [1])[0][1], member)
        out, err = reader.communicate(timeout=30)
        self.assertEqual((len(out.split()), err), (3000, 'Processed a total of 3000 messages\n'))

    def test_wrong_groups_are_refused(self):
        done = self.tool('console-consumer', '--topic', 't', '--group', 'a', '--consumer-property', 'group.id=b')
        self.assertEqual(done.exit, 1)
        self.assertIn("do not match. Detected group ids: 'a', 'b'\n", done.err)
        with members.Group(self.node.port, 'odd') as group:
            group.form([('c', {'t': [0]}, None)], kind='connect')
            done = self.groups('--describe', '--group', 'odd')
            self.assertIn('GroupId odd is not a consumer group (connect).\n', done.out)
            done = self.tool('console-consumer', '--topic', 't', '--group', 'odd')
            self.assertEqual(done.exit, 1)
            self.assertRegex(done.err, 'InconsistentGroupProtocolException: The members of group odd')


class ThreeNodesTest(unittest.TestCase):
    def test_the_tools_follow_the_coordinator_that_moves(self):
        if node.PEER:
            self.skipTest('about Milena\'s tools')
        with quorum.Quorum(roles='broker,controller', extra={
                'offsets.topic.replication.factor': 3, 'default.replication.factor': 3, **FAST}) as running:
            running.await_brokers()
            bootstrap = ','.join(voter.bootstrap for voter in running.voters)

            def tool(name, *arguments, stdin=''):
                return tools.run(name, '--bootstrap-server', bootstrap, *arguments, stdin=stdin)
            tool('topics', '--create', '--topic', 'moved', '--partitions', '3', '--replication-factor', '3')
            names = [f'moved-{number}' for number in range(12)]
            for name in names:
                done = tool('consumer-groups', '--reset-offsets', '--group', name, '--topic', 'moved', '--to-latest',
                            '--execute', '--timeout', '30000')
                self.assertEqual(len(lines(done.out)), 4, done)
            many = [word for name in names for word in ('--group', name)]
            states = tool('consumer-groups', '--describe', *many, '--state').out
            ids = set(re.findall(r'\((\d)\)', states))
            self.assertEqual(ids, {'1', '2', '3'})
            reader = Reader(bootstrap, running.voters[0].folder, 1, '--topic', 'moved', '--group', names[0])
            self.addCleanup(reader.kill)
            time.sleep(2)
            row = next(row for row in lines(tool('consumer-groups', '--describe', '--group', names[0], '--state').out)
                       if row[0] == names[0])
            self.assertEqual(row[-2:], ['Stable', '1'])
            coordinator = int(row[2].strip('()'))
            next(voter for voter in running.voters if voter.node_id == coordinator).kill()
            done = tool('consumer-groups', '--describe', *many, '--state', '--timeout', '30000')
            rows = [row for row in lines(done.out) if row[0].startswith('moved-')]
            self.assertEqual(sorted(row[0] for row in rows), sorted(names), done)
            self.assertNotIn(f'({coordinator})', done.out)
            listed = tool('consumer-groups', '--list').out.split()
            self.assertEqual(sorted(listed), sorted(names))
            # The one that reads stays a member, and reads what comes.
            tool('console-producer', '--topic', 'moved', stdin='after\n')
            deadline = time.monotonic() + 30
            while reader.values() != ['after']:
                self.assertLess(time.monotonic(), deadline, reader.values())
                time.sleep(0.1)
            self.assertEqual(reader.end(signal.SIGINT), 130)


if __name__ == '__main__':
    unittest.main()
