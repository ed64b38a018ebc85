# SPDX-License-Identifier: Apache-2.0
"""Controllers of Apache Kafka and Milena in one quorum, two of the one and one of the other: each leads the others,
who was away takes the other's snapshot, and all have one metadata log.

Needs a JDK and Maven, which fetches Apache Kafka; without them this test skips itself.
"""
import time
import unittest

from support import apache, node, quorum


def setUpModule():
    if node.PEER or apache.jars() is None:
        raise unittest.SkipTest('Apache Kafka needs a JDK and Maven')


class MixedQuorumTest(unittest.TestCase):
    def start(self, apaches, **extra):
        """The first voters are Milena's, the last ones Apache Kafka's."""
        self.quorum = quorum.Quorum(extra=extra)
        self.addCleanup(self.quorum.__exit__)
        self.apaches = self.quorum.voters[3 - apaches:]
        self.milenas = self.quorum.voters[:3 - apaches]
        for voter in self.apaches:
            voter.peer = apache.jars()
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
            self.assertLess(time.monotonic(), deadline,
                            f'{leader.node_id} leads, ends {ends}:\n{self.apaches[0].log()}')
            time.sleep(0.1)

    def await_leader(self, is_wanted, tries=12):
        """Kills leaders, of Apache Kafka's all, until one leads that is wanted; the killed come back."""
        for _ in range(tries):
            leader = self.await_all_followed()
            if is_wanted(leader):
                return
            others = self.apaches if leader in self.apaches else [leader]
            for voter in others:
                voter.kill()
            if len(others) == 1:
                self.quorum.leader(but=leader)
            for voter in others:
                voter.spawn()
        self.fail('none of many elections was won by who is wanted')

    def assert_one_log(self):
        """Of what all have."""
        logs = [voter.metadata_log() for voter in self.quorum.voters]
        common = min(len(log) for log in logs)
        self.assertGreater(common, 1000)
        for log in logs[1:]:
            self.assertEqual(log[:common], logs[0][:common])

    def assert_each_leads(self):
        self.await_leader(lambda leader: leader in self.milenas)
        self.await_leader(lambda leader: leader in self.apaches)
        self.await_leader(lambda leader: leader in self.milenas)
        self.assert_one_log()

    def test_one_of_apache_kafka_among_two(self):
        self.start(apaches=1)
        self.assert_each_leads()

    def test_apache_kafka_follows_those_that_both_died(self):
        """They come back knowing less of what is committed than it does."""
        self.start(apaches=1)
        for _ in range(8):
            self.await_all_followed()
            for voter in self.milenas:
                voter.kill()
            for voter in self.milenas:
                voter.spawn()
        self.await_all_followed()
        self.assertTrue(self.apaches[0].is_running())

    def test_two_of_apache_kafka_and_one(self):
        self.start(apaches=2)
        self.assert_each_leads()

    def assert_comes_back_by_snapshot(self, away, others, timeout_s=240):
        """`others` write and clean their logs beyond the end of `away`, which then follows all the same."""
        self.await_all_followed()
        away.kill()
        missed = self.quorum.leader(but=away)[1]['HighWatermark']
        deadline = time.monotonic() + timeout_s
        while min(voter.metadata_log_start() for voter in others) <= missed:
            self.assertLess(time.monotonic(), deadline, f'logs begin at {[v.metadata_log_start() for v in others]}')
            time.sleep(0.2)
        away.spawn()
        self.await_all_followed()
        self.assertGreater(away.metadata_log_start(), missed, 'it has taken a snapshot')

    # Little enough that logs lose their beginning within a minute, which is how often Apache Kafka looks.
    SMALL = {'metadata.max.idle.interval.ms': 20, 'metadata.log.max.record.bytes.between.snapshots': 3000,
             'metadata.max.retention.bytes': 9000, 'internal.metadata.log.segment.bytes': 3000}

    def test_apache_kafka_takes_a_snapshot_of_milena(self):
        self.start(apaches=1, **self.SMALL)
        self.assert_comes_back_by_snapshot(self.apaches[0], self.milenas)

    def test_milena_takes_a_snapshot_of_apache_kafka(self):
        self.start(apaches=2, **self.SMALL)
        self.assert_comes_back_by_snapshot(self.milenas[0], self.apaches)


if __name__ == '__main__':
    unittest.main()
