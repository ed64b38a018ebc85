# SPDX-License-Identifier: Apache-2.0
"""Partitions with three replicas on three nodes: followers have what their leader has, and acks=all waits for them.
What kills cost is in cluster/soak."""
import time
import unittest

import confluent_kafka
from confluent_kafka.admin import AdminClient, NewTopic

from cluster.soak import history, judge, view, writers
from cluster.soak.course import Load
from support import node, quorum

TOPIC = 'replicated'


def setUpModule():
    if node.PEER:
        raise unittest.SkipTest('the formatting tool is Milena\'s')


class ReplicationTest(unittest.TestCase):
    def start(self, extra=None, partitions=3, configs=None):
        running = quorum.Quorum(roles='broker,controller', extra={
            'offsets.topic.replication.factor': 3, 'replica.lag.time.max.ms': 2000, **(extra or {})})
        self.running = running
        self.addCleanup(running.__exit__)
        running.__enter__()
        running.await_brokers()
        self.bootstrap = ','.join(voter.bootstrap for voter in running.voters)
        admin = AdminClient({'bootstrap.servers': self.bootstrap, 'log_level': 0})
        admin.create_topics([NewTopic(TOPIC, partitions, 3, config={'min.insync.replicas': '2', **(configs or {})})])[
            TOPIC].result(30)
        self.admin = admin
        self.partitions = partitions
        self.await_in_sync({1, 2, 3})
        return running

    def described(self):
        return self.admin.list_topics(TOPIC, timeout=10).topics[TOPIC].partitions

    def await_in_sync(self, wanted, timeout_s=30):
        deadline = time.monotonic() + timeout_s
        while True:
            found = {number: set(one.isrs) for number, one in self.described().items()}
            if len(found) == self.partitions and all(isr == wanted for isr in found.values()):
                return
            if time.monotonic() > deadline:
                logs = '\n'.join(voter.log() for voter in self.running.voters)
                self.fail(f'in sync are {found}\n{logs}')
            time.sleep(0.05)

    def test_followers_have_every_byte_of_their_leader(self):
        running = self.start()
        told = history.History()
        writer = writers.Librdkafka('writer', self.bootstrap, TOPIC, told, Load(partitions=self.partitions))
        writer.start()
        time.sleep(2)
        writer.end()
        self.assertIsNone(writer.finish())
        found = judge.read_all(self.bootstrap, TOPIC, self.partitions)
        self.assertEqual(judge.check(told, found), [])
        time.sleep(0.6)  # a last fetch
        for voter in running.voters:
            voter.kill()
        for partition in range(self.partitions):
            logs = [judge.log_of(voter, TOPIC, partition) for voter in running.voters]
            self.assertGreater(len(logs[0]), 0)
            self.assertEqual([log == logs[0] for log in logs], [True] * 3, f'{[len(log) for log in logs]}')

    def test_who_asks_right_after_a_kill_is_told_who_leads_next(self):
        running = self.start(partitions=6)
        victim = next(voter for voter in running.voters if voter.described() is None)
        asked = next(voter for voter in running.voters if voter is not victim)
        self.assertIn(victim.node_id, view.ask(asked, TOPIC).leaders.values())
        victim.kill()
        time.sleep(0.03)
        began = time.monotonic()
        told = view.ask(asked, TOPIC)
        self.assertNotIn(victim.node_id, told.leaders.values())
        self.assertNotIn(-1, told.leaders.values())
        self.assertLess(time.monotonic() - began, 1)

    def test_too_few_in_sync_refuse_acks_all_and_nothing_is_read_that_could_be_lost(self):
        running = self.start(partitions=1)
        leader = self.described()[0].leader
        others = [voter for voter in running.voters if voter.node_id != leader]
        producer = confluent_kafka.Producer({'bootstrap.servers': self.bootstrap, 'acks': 'all', 'retries': 0,
                                             'message.timeout.ms': 5000, 'log_level': 0})
        results = []
        producer.produce(TOPIC, b'before', partition=0, on_delivery=lambda error, _: results.append(error))
        producer.flush(10)
        self.assertEqual(results, [None])
        others[0].kill()
        self.await_in_sync({1, 2, 3} - {others[0].node_id})
        producer.produce(TOPIC, b'two are enough', partition=0, on_delivery=lambda error, _: results.append(error))
        producer.flush(10)
        self.assertEqual(results, [None, None])


if __name__ == '__main__':
    unittest.main()
