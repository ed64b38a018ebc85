# SPDX-License-Identifier: Apache-2.0
"""A controller of Apache Kafka becomes a voter of a quorum that Milena began, and leads it; its tool changes voters.

Needs a JDK and Maven, which fetches Apache Kafka; without them this test skips itself.
"""
import subprocess
import time
import unittest

from support import apache, node, quorum, tools

TOOL = 'org.apache.kafka.tools.MetadataQuorumCommand'


def setUpModule():
    if node.PEER or apache.jars() is None:
        raise unittest.SkipTest('Apache Kafka needs a JDK and Maven')


class VotersTest(unittest.TestCase):
    def setUp(self):
        self.quorum = quorum.Growing()
        self.addCleanup(self.quorum.__exit__)
        self.first, self.second, self.apache = self.quorum.voters
        self.apache.peer = apache.jars()
        self.quorum.__enter__()

    def apaches_tool(self, *arguments):
        command = apache.java(self.apache.peer, apache.TOOL_OPTIONS, TOOL, '--bootstrap-controller',
                              self.quorum.controllers(), *arguments)
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)

    def milenas_tool(self, *arguments):
        return tools.run('metadata-quorum', '--bootstrap-controller', self.quorum.controllers(), *arguments)

    def add(self, run, member, timeout_s=90):
        deadline = time.monotonic() + timeout_s
        while True:
            done = run('--command-config', str(member.properties), 'add-controller')
            said = getattr(done, 'stdout', None) or getattr(done, 'out', '')
            if f'Added controller {member.node_id} with directory id {member.directory()}' in said:
                return
            self.assertLess(time.monotonic(), deadline, f'{done}\n{member.log()}')
            time.sleep(0.5)

    def remove(self, run, member):
        done = run('remove-controller', '--controller-id', str(member.node_id), '--controller-directory-id',
                   member.directory())
        said = getattr(done, 'stdout', None) or getattr(done, 'out', '')
        self.assertIn(f'Removed KRaft controller {member.node_id} with directory id {member.directory()}', said, done)

    def voters(self):
        return sorted(voter['ReplicaId'] for voter in self.quorum.leader()[1]['CurrentVoters'])

    def await_voters(self, ids, timeout_s=60):
        deadline = time.monotonic() + timeout_s
        while self.voters() != ids:
            self.assertLess(time.monotonic(), deadline, f'{self.voters()} vote:\n{self.apache.log()}')
            time.sleep(0.1)

    def test_apache_kafka_joins_leads_and_changes_the_voters(self):
        self.add(self.apaches_tool, self.second)
        self.add(self.milenas_tool, self.apache)
        self.await_voters([1, 2, 3])
        self.remove(self.apaches_tool, self.second)
        self.await_voters([1, 3])
        # The one of the two that is left leads: Apache's.
        self.quorum.leader()
        self.remove(self.milenas_tool, self.first)
        self.await_voters([3])
        self.assertEqual(self.quorum.leader()[0], self.apache)
        # It asks Milena what it supports, and takes it in; Milena leads again when it is gone.
        self.add(self.milenas_tool, self.first)
        self.await_voters([1, 3])
        self.remove(self.milenas_tool, self.apache)
        self.await_voters([1])
        self.assertEqual(self.quorum.leader()[0], self.first)
        self.quorum.await_committed(self.quorum.high_watermark() + 2)
        logs = [voter.metadata_log() for voter in self.quorum.voters]
        common = min(len(log) for log in logs)
        self.assertGreater(common, 1000)
        for log in logs[1:]:
            self.assertEqual(log[:common], logs[0][:common])


if __name__ == '__main__':
    unittest.main()
