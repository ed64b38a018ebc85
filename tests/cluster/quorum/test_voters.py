# SPDX-License-Identifier: Apache-2.0
"""Voters that come and go, and nodes that find their quorum by an address (KIP-853)."""
import re
import time
import unittest

from support import node, quorum, tools


def setUpModule():
    if node.PEER:
        raise unittest.SkipTest('the formatting tool is Milena\'s')


class VotersTest(unittest.TestCase):
    def start(self, **how):
        running = quorum.Growing(**how)
        self.addCleanup(running.__exit__)
        return running.__enter__()

    def tool(self, running, *arguments):
        return tools.run('metadata-quorum', '--bootstrap-controller', running.controllers(), *arguments)

    def add(self, running, member):
        """As an operator does: until it has caught up."""
        for _ in range(100):
            done = self.tool(running, '--command-config', str(member.properties), 'add-controller')
            if done.exit == 0:
                self.assertEqual(done.out, f'Added controller {member.node_id} with directory id {member.directory()} '
                                           f'and endpoints: CONTROLLER://127.0.0.1:{member.controller_port}\n')
                return
            self.assertIn('TimeoutException', done.err)
            time.sleep(0.1)
        self.fail(done.err)

    def remove(self, running, member):
        done = self.tool(running, 'remove-controller', '--controller-id', str(member.node_id),
                         '--controller-directory-id', member.directory())
        self.assertEqual(done.exit, 0, done.err)
        self.assertEqual(done.out, f'Removed KRaft controller {member.node_id} with directory id '
                                   f'{member.directory()}\n')

    def await_voters(self, running, members, timeout_s=30):
        expected = sorted((m.node_id, m.directory()) for m in members)
        deadline = time.monotonic() + timeout_s
        voters = None
        while voters != expected:
            self.assertLess(time.monotonic(), deadline, f'{voters} and not {expected}')
            _, described = running.leader()
            voters = sorted((v['ReplicaId'], quorum.short_id(v['ReplicaDirectoryId'])) for v in
                            described['CurrentVoters'])
            time.sleep(0.02)

    def test_a_quorum_grows_from_one_and_outlives_its_first(self):
        running = self.start()
        first, second, third = running.voters
        self.await_voters(running, [first])
        self.add(running, second)
        self.add(running, third)
        self.await_voters(running, running.voters)
        again = self.tool(running, '--command-config', str(third.properties), 'add-controller')
        self.assertEqual(again.exit, 1)
        self.assertIn('errors.DuplicateVoterException: The voter id for ReplicaKey(id=3', again.err)
        status = self.tool(running, 'describe', '--status').out
        voters = re.search(r'CurrentVoters: +(.*)', status)[1]
        for member in running.voters:
            self.assertIn(f'{{"id": {member.node_id}, "directoryId": "{member.directory()}", '
                          f'"endpoints": ["CONTROLLER://127.0.0.1:{member.controller_port}"]}}', voters)
        self.remove(running, first)
        self.await_voters(running, [second, third])
        first.kill()
        leader, described = running.leader()
        self.assertIn(leader, [second, third])
        running.await_committed(described['HighWatermark'] + 4)
        wrong = self.tool(running, 'remove-controller', '--controller-id', '1', '--controller-directory-id',
                          first.directory())
        self.assertEqual(wrong.exit, 1)
        self.assertIn('VoterNotFoundException: Cannot remove voter ReplicaKey(id=1', wrong.err)
        # Both are needed now, and both come back.
        for member in (second, third):
            member.kill()
        for member in (second, third):
            member.spawn()
        running.await_committed(described['HighWatermark'] + 8)

    def test_a_leader_that_is_removed_hands_over(self):
        running = self.start(count=2)
        first, second = running.voters
        self.add(running, second)
        running.leader()
        self.remove(running, first)
        self.await_voters(running, [second])
        leader, described = running.leader()
        self.assertEqual(leader, second)
        running.await_committed(described['HighWatermark'] + 2)
        # It follows, and may be added again.
        self.add(running, first)
        self.await_voters(running, [first, second])

    def test_a_broker_finds_the_quorum_by_an_address(self):
        running = self.start(count=2)
        first, second = running.voters
        broker = running.add_broker([f'127.0.0.1:{first.controller_port}'])
        broker.spawn()
        deadline = time.monotonic() + 60
        while not broker.answers():
            self.assertLess(time.monotonic(), deadline, broker.log())
            time.sleep(0.05)
        # It learns from the log whom to follow: the address that it was given may go.
        self.add(running, second)
        self.remove(running, first)
        self.await_voters(running, [second])
        first.kill()
        before = len(broker.metadata_log())
        deadline = time.monotonic() + 30
        while len(broker.metadata_log()) <= before:
            self.assertLess(time.monotonic(), deadline, broker.log())
            time.sleep(0.1)

    def test_a_controller_with_an_empty_disk_is_another_voter(self):
        running = self.start()
        self.add(running, running.voters[1])
        self.add(running, running.voters[2])
        lost = running.voters[2]
        old = lost.directory()
        lost.kill()
        lost.wipe()
        lost.spawn()
        duplicate = None
        for _ in range(100):
            duplicate = self.tool(running, '--command-config', str(lost.properties), 'add-controller')
            if 'DuplicateVoter' in duplicate.err:
                break
        self.assertIn('DuplicateVoterException', duplicate.err)
        done = self.tool(running, 'remove-controller', '-i', '3', '-d', old)
        self.assertEqual(done.exit, 0, done.err)
        self.add(running, lost)
        self.await_voters(running, running.voters)
        running.voters[0].kill()
        _, described = running.leader()
        running.await_committed(described['HighWatermark'] + 2)

    def test_a_controller_joins_by_itself_with_any_disk(self):
        running = self.start(extra={'controller.quorum.auto.join.enable': 'true'})
        self.await_voters(running, running.voters)
        third = running.voters[2]
        third.kill()
        third.wipe()
        third.spawn()
        self.await_voters(running, running.voters)

    def test_who_knows_nobody_does_not_start(self):
        lonely = quorum.Member(1, 'controller')
        self.addCleanup(lonely.__exit__)
        lonely.configure(['127.0.0.1:1'], {})
        lonely.format('--no-initial-controllers')
        text = lonely.properties.read_text()
        lonely.properties.write_text(re.sub(r'controller.quorum.bootstrap.servers=.*\n', '', text))
        lonely.spawn().wait(30)
        self.assertIn('controller.quorum.bootstrap.servers', lonely.log())
        self.assertIn('controller.quorum.voters', lonely.log())


if __name__ == '__main__':
    unittest.main()
