# SPDX-License-Identifier: Apache-2.0
"""A controller of Apache Kafka among two of Milena: each leads the others, and all have one metadata log.

Needs a JDK and Maven, which fetches Apache Kafka; without them this test skips itself.
"""
import time
import unittest

from support import apache, node, quorum


def setUpModule():
    if node.PEER or apache.jars() is None:
        raise unittest.SkipTest('Apache Kafka needs a JDK and Maven')


class MixedQuorumTest(unittest.TestCase):
    def setUp(self):
        self.quorum = quorum.Quorum()
        self.addCleanup(self.quorum.__exit__)
        self.apache = self.quorum.voters[2]
        self.apache.peer = apache.jars()
        self.quorum.__enter__()

    def await_all_followed(self, timeout_s=60):
        """All three acknowledge something that is committed only now."""
        committed = self.quorum.high_watermark() + 2
        deadline = time.monotonic() + timeout_s
        while True:
            leader, described = self.quorum.leader()
            ends = {voter['ReplicaId']: voter['LogEndOffset'] for voter in described['CurrentVoters']}
            if len(ends) == 3 and min(ends.values()) >= committed and described['HighWatermark'] >= committed:
                return leader
            self.assertLess(time.monotonic(), deadline, f'{leader.node_id} leads, ends {ends}:\n{self.apache.log()}')
            time.sleep(0.1)

    def await_leader(self, is_wanted, tries=12):
        """Kills leaders until one is as wanted; the killed come back."""
        for _ in range(tries):
            leader = self.await_all_followed()
            if is_wanted(leader):
                return
            leader.kill()
            self.quorum.leader(but=leader)
            leader.spawn()
        self.fail('none of many elections was won by who is wanted')

    def test_each_leads_the_others(self):
        self.await_leader(lambda leader: leader is not self.apache)
        self.await_leader(lambda leader: leader is self.apache)
        self.await_leader(lambda leader: leader is not self.apache)
        logs = [voter.metadata_log() for voter in self.quorum.voters]
        common = min(len(log) for log in logs)
        self.assertGreater(common, 1000)
        for log in logs[1:]:
            self.assertEqual(log[:common], logs[0][:common])


if __name__ == '__main__':
    unittest.main()
