# SPDX-License-Identifier: Apache-2.0
"""Three processes agree on one metadata log: they elect a leader, follow it, and survive its death."""
import shutil
import time
import unittest

from conversations.talk import DELETE_TOPICS, NO_ID, Talk
from support import node, quorum, wire

# A node keeps almost nothing of the metadata log but its newest snapshot.
SHORT_LOG = {'metadata.log.max.record.bytes.between.snapshots': 2000, 'metadata.max.retention.bytes': 1,
             'internal.metadata.log.segment.bytes': 10_000, 'controller.quorum.fetch.snapshot.max.bytes': 700}


def setUpModule():
    if node.PEER:
        raise unittest.SkipTest('the formatting tool is Milena\'s')


class QuorumTest(unittest.TestCase):
    def start(self, **how):
        running = quorum.Quorum(**how)
        self.addCleanup(running.__exit__)
        return running.__enter__()

    def assert_same_log(self, voters):
        """What all have is the same to the last byte, and it is something."""
        logs = [voter.metadata_log() for voter in voters]
        common = min(len(log) for log in logs)
        self.assertGreater(common, 200)
        for log in logs[1:]:
            self.assertEqual(log[:common], logs[0][:common])

    def test_three_controllers_elect_one_and_have_one_log(self):
        running = self.start()
        leader, described = running.leader()
        self.assertEqual(sorted(v['ReplicaId'] for v in described['CurrentVoters']), [1, 2, 3])
        running.await_committed(described['HighWatermark'] + 4)
        self.assertEqual(running.leader()[0], leader, 'a leader that works stays')
        for voter in running.voters:
            self.assertEqual(voter.stop(), 0)
        self.assert_same_log(running.voters)

    def test_a_killed_leader_is_replaced_and_comes_back(self):
        running = self.start()
        took_s = []
        for _ in range(3):
            leader, described = running.leader()
            running.await_committed(described['HighWatermark'] + 2)
            before = running.high_watermark()
            leader.kill()
            killed = time.monotonic()
            successor, _ = running.leader(timeout_s=30, but=leader)
            took_s.append(time.monotonic() - killed)
            self.assertNotEqual(successor, leader)
            running.await_committed(before + 2)
            leader.spawn()
            # Its vote is needed for what comes now.
            other = next(v for v in running.voters if v not in (leader, successor))
            other.kill()
            running.await_committed(running.leader(but=other)[1]['HighWatermark'] + 2)
            other.spawn()
        print('seconds from the kill of a leader to the next: ' + ', '.join(f'{s:.2f}' for s in took_s))
        self.assertLess(sorted(took_s)[1], 5)
        for voter in running.voters:
            voter.stop()
        self.assert_same_log(running.voters)

    def test_nothing_is_committed_without_a_majority(self):
        running = self.start()
        leader, described = running.leader()
        others = [v for v in running.voters if v is not leader]
        for voter in others:
            voter.kill()
        time.sleep(1)
        left = leader.described()
        end = left['HighWatermark'] if left else None
        time.sleep(4)
        left = leader.described()
        self.assertTrue(left is None or left['HighWatermark'] == end, 'a leader alone goes on')
        for voter in others:
            voter.spawn()
        running.await_committed(described['HighWatermark'] + 2)

    def test_a_leader_that_stops_hands_over(self):
        running = self.start()
        leader, described = running.leader()
        running.await_committed(described['HighWatermark'] + 2)
        began = time.monotonic()
        self.assertEqual(leader.stop(), 0)
        running.leader(timeout_s=30, but=leader)
        self.assertLess(time.monotonic() - began, 10)

    def await_brokers(self, voters, count, timeout_s=60):
        deadline = time.monotonic() + timeout_s
        for voter in voters:
            while True:
                try:
                    with voter.connect() as connection:
                        brokers = connection.metadata().brokers
                except (OSError, wire.Closed):
                    brokers = {}
                if len(brokers) == count:
                    break
                self.assertLess(time.monotonic(), deadline, f'{voter.node_id} knows {brokers}:\n{voter.log()}')
                time.sleep(0.05)

    def await_topics(self, voters, names, timeout_s=30):
        deadline = time.monotonic() + timeout_s
        for voter in voters:
            with voter.connect() as connection:
                while any(error for error, _ in connection.metadata(names).topics.values()):
                    self.assertLess(time.monotonic(), deadline, f'{voter.node_id} lacks a topic')
                    time.sleep(0.02)

    def test_brokers_of_all_nodes_register_with_the_one_that_leads(self):
        running = self.start(roles='broker,controller')
        self.await_brokers(running.voters, 3)
        leader, _ = running.leader()
        with leader.connect() as connection:
            self.assertEqual(connection.create_topic('t', 6), 0)
        leader.kill()
        successor, _ = running.leader(but=leader)
        others = [v for v in running.voters if v is not leader]
        self.await_brokers(others, 2, timeout_s=60)  # its session has ended
        with successor.connect() as connection:
            self.assertEqual(connection.create_topic('u', 1), 0)
        self.await_topics(others, ['t', 'u'])
        leader.spawn()
        self.await_brokers(running.voters, 3)
        self.await_topics([leader], ['t', 'u'])

    def log_start(self, voter):
        """Where its oldest snapshot ends."""
        return min(int(path.name.split('-')[0]) for path in (voter.data / quorum.LOG).glob('*.checkpoint'))

    def fill(self, running, names, past):
        """Topics until no running node has a record below `past` in its log. Gives all names."""
        leader, _ = running.leader()
        with leader.connect() as connection:
            deadline = time.monotonic() + 60
            while any(self.log_start(v) <= past for v in running.voters if v.is_running()):
                self.assertLess(time.monotonic(), deadline, 'the logs keep their beginnings')
                names.append(f't{len(names)}')
                self.assertEqual(connection.create_topic(names[-1], 10), 0)
        return names

    def test_who_lacks_what_the_others_cleaned_comes_back_by_a_snapshot(self):
        running = self.start(roles='broker,controller', extra=SHORT_LOG)
        self.await_brokers(running.voters, 3)
        names = []
        for is_emptied in (False, True):
            leader, described = running.leader()
            away = next(v for v in running.voters if v is not leader)
            with leader.connect() as connection:
                self.assertEqual(connection.create_topic('doomed'), 0)
            self.await_topics([away], ['doomed'])
            away.kill()
            if is_emptied:
                shutil.rmtree(away.data / quorum.LOG)
            with Talk(leader.controller_port, 'delete') as talk:
                talk.quietly(DELETE_TOPICS, 6, Topics=[{'Name': 'doomed', 'TopicId': NO_ID}], TimeoutMs=10_000)
            self.fill(running, names, past=running.high_watermark())
            away.spawn()
            self.await_brokers([away], 3)
            self.await_topics([away], names)
            self.assertIn('the metadata log begins at a snapshot of the leader', away.log())
            with away.connect() as connection:
                self.assertNotEqual(connection.metadata(['doomed']).topics['doomed'][0], 0)
            # It counts for a majority again, and may lead.
            other = next(v for v in running.voters if v not in (leader, away))
            other.kill()
            running.await_committed(running.leader(but=other)[1]['HighWatermark'] + 2)
            other.spawn()
            self.await_brokers(running.voters, 3)
        for voter in running.voters:
            self.assertEqual(voter.stop(), 0)


if __name__ == '__main__':
    unittest.main()
