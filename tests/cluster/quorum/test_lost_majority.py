# SPDX-License-Identifier: Apache-2.0
"""Two of three nodes are gone for good: the one that is left is made the only voter, and goes on with what it has."""
import shutil
import time
import unittest

from cluster.test_storage_tool import CLUSTER
from support import node, quorum, tools, wire

ACCEPT = '--yes-i-accept-that-metadata-may-be-lost'


class Trio(quorum.Quorum):
    """Three combined nodes whose voters stand in the log, or in their configuration."""

    def __init__(self, in_log=True):
        self.voters = self.nodes = [quorum.Voter(number, 'broker,controller') for number in (1, 2, 3)]
        for voter in self.voters:
            if in_log:
                self.format(voter)
            else:
                voter.join(self.voters, {})

    def format(self, voter):
        servers = ','.join(f'127.0.0.1:{v.controller_port}' for v in self.voters)
        text = node.PROPERTIES.format(port=voter.port, controller_port=voter.controller_port, data=voter.data)
        voter.properties.write_text(
            f'{text}node.id={voter.node_id}\ncontroller.quorum.bootstrap.servers={servers}\n')
        initial = ','.join(f'{v.node_id}@127.0.0.1:{v.controller_port}:milenalostnode{v.node_id:07}A'
                           for v in self.voters)
        done = tools.run('storage', 'format', '-t', CLUSTER, '-c', str(voter.properties), '-I', initial)
        assert done.exit == 0, done


def recover(voter, *arguments):
    return tools.run('storage', 'recover-quorum', '-c', str(voter.properties), *arguments)


@unittest.skipIf(node.PEER, 'about a tool of Milena')
class LostMajorityTest(unittest.TestCase):
    def start(self, **how):
        trio = Trio(**how)
        self.addCleanup(trio.__exit__)
        return trio.__enter__()

    def await_topics(self, voter, *names, timeout_s=60):
        """Until this node tells of them."""
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                with voter.connect() as connection:
                    told = connection.metadata(names).topics
                if all(error == 0 for error, _ in told.values()):
                    return
            except (OSError, wire.Closed):
                told = None
            self.assertLess(time.monotonic(), deadline, f'{told}\n{voter.log()}')
            time.sleep(0.05)

    def make_topic(self, trio, name):
        leader, _ = trio.leader()
        deadline = time.monotonic() + 30
        with leader.connect() as connection:
            while (error := connection.create_topic(name)) != 0:
                self.assertLess(time.monotonic(), deadline, error)
                time.sleep(0.1)
        for voter in trio.voters:
            self.await_topics(voter, name)

    def add(self, known, member, timeout_s=60):
        """Until it has caught up."""
        deadline = time.monotonic() + timeout_s
        while (done := tools.run('metadata-quorum', '--bootstrap-controller', f'127.0.0.1:{known.controller_port}',
                                 '--command-config', str(member.properties), 'add-controller')).exit != 0:
            self.assertLess(time.monotonic(), deadline, f'{done.err}\n{member.log()}')
            time.sleep(0.1)

    def files_of(self, voter):
        return {path: path.read_bytes() for path in (voter.data / quorum.LOG).iterdir()}

    def test_the_one_that_is_left_goes_on_alone(self):
        trio = self.start()
        self.make_topic(trio, 'kept')
        left, *lost = trio.voters
        self.assertIn('another process holds it', recover(left).err)
        for voter in lost:
            voter.kill()
            shutil.rmtree(voter.data)
        left.kill()

        before = self.files_of(left)
        shown = recover(left)
        self.assertEqual(shown.exit, 1)
        for words in (CLUSTER, 'taken out', '2@milenalostnode0000002A', '3@milenalostnode0000003A',
                      'Nothing was changed', 'Never start a lost node', ACCEPT):
            self.assertIn(words, shown.out)
        self.assertEqual(self.files_of(left), before)

        done = recover(left, ACCEPT)
        self.assertEqual((done.exit, done.err), (0, ''))
        backup = left.data.with_name(f'{left.data.name}.quorum-backup-1')
        self.assertIn(str(backup), done.out)
        self.assertEqual({path.name: path.read_bytes() for path in backup.iterdir()},
                         {path.name: content for path, content in before.items()})
        self.assertIn('is the only voter already', recover(left, ACCEPT).err)

        left.spawn()
        trio.voters = [left]
        _, described = trio.leader()
        self.assertEqual([v['ReplicaId'] for v in described['CurrentVoters']], [1])
        self.await_topics(left, 'kept')
        self.make_topic(trio, 'new')
        left.restart()
        self.await_topics(left, 'kept', 'new')

        other = lost[0]
        tools.run('storage', 'format', '-t', CLUSTER, '-c', str(other.properties), '--no-initial-controllers')
        other.spawn()
        self.add(left, other)
        trio.voters = [left, other]
        _, described = trio.leader()
        self.assertEqual(sorted(v['ReplicaId'] for v in described['CurrentVoters']), [1, 2])
        self.await_topics(other, 'kept', 'new')
        for voter in lost:
            self.addCleanup(voter.__exit__)

    def test_voters_of_the_configuration_are_changed_there(self):
        trio = self.start(in_log=False)
        self.make_topic(trio, 'kept')
        left, *lost = trio.voters
        for voter in trio.voters:
            voter.kill()
        refused = recover(left, ACCEPT)
        only = f'controller.quorum.voters=1@127.0.0.1:{left.controller_port}'
        self.assertEqual((refused.exit, refused.out), (1, ''))
        self.assertIn(only, refused.err)
        left.properties.write_text(left.properties.read_text() + only + '\n')
        left.spawn()
        trio.voters = [left]
        trio.leader()
        self.await_topics(left, 'kept')
        for voter in lost:
            voter.__exit__()

    def test_where_nothing_can_be_recovered_it_says_why(self):
        one = node.Node()
        self.addCleanup(one.__exit__)
        self.assertIn('is not formatted', recover(one).err)
        tools.run('storage', 'format', '-t', CLUSTER, '-c', str(one.properties), '--no-initial-controllers')
        self.assertIn('has never heard of its quorum', recover(one).err)


if __name__ == '__main__':
    unittest.main()
