# SPDX-License-Identifier: Apache-2.0
"""Partitions with three replicas on three nodes: followers have what their leader has, acks=all waits for them, and
the death of any node loses nothing that was acknowledged."""
import threading
import time
import unittest

import confluent_kafka
from confluent_kafka.admin import AdminClient, NewTopic

from support import node, quorum

TOPIC = 'replicated'


def setUpModule():
    if node.PEER:
        raise unittest.SkipTest('the formatting tool is Milena\'s')


class Writer(threading.Thread):
    """An idempotent producer with acks=all that writes numbered records in turn until it is told to stop."""

    def __init__(self, bootstrap, partitions):
        super().__init__(daemon=True)
        self.partitions, self.stopping = partitions, threading.Event()
        self.acknowledged, self.failed = {}, []  # (partition, offset) -> value
        self.times = []
        self.producer = confluent_kafka.Producer({
            'bootstrap.servers': bootstrap, 'enable.idempotence': True, 'linger.ms': 1, 'retry.backoff.ms': 50,
            'reconnect.backoff.ms': 20, 'reconnect.backoff.max.ms': 100, 'message.timeout.ms': 60_000,
            'topic.metadata.refresh.fast.interval.ms': 50, 'log_level': 0})

    def delivered(self, error, message):
        if error:
            self.failed.append(str(error))
            return
        self.times.append((time.monotonic(), message.partition()))
        self.acknowledged[message.partition(), message.offset()] = message.value()

    def run(self):
        number = 0
        while not self.stopping.is_set():
            self.producer.produce(TOPIC, b'%d' % number, partition=number % self.partitions,
                                  on_delivery=self.delivered)
            number += 1
            self.producer.poll(0)
            time.sleep(0.002)
        self.left = self.producer.flush(90)

    def finish(self):
        self.stopping.set()
        self.join()

    def longest_gap_s(self, since):
        """Of the worst partition: without an acknowledgement after `since`."""
        gaps = []
        for partition in range(self.partitions):
            times = [at for at, where in self.times if where == partition]
            around = [at for at in times if at <= since][-1:] + [at for at in times if at > since]
            gaps += [after - before for before, after in zip(around, around[1:])]
        return max(gaps)


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

    def read_all(self):
        """The values of each partition by offset."""
        consumer = confluent_kafka.Consumer({'bootstrap.servers': self.bootstrap, 'group.id': 'none',
                                             'enable.auto.commit': False, 'check.crcs': True, 'log_level': 0})
        self.addCleanup(consumer.close)
        found = {}
        for partition in range(self.partitions):
            place = confluent_kafka.TopicPartition(TOPIC, partition, 0)
            end = consumer.get_watermark_offsets(place, timeout=30)[1]
            consumer.assign([place])
            while sum(1 for where, _ in found if where == partition) < end:
                message = consumer.poll(10)
                self.assertIsNotNone(message, f'partition {partition} can not be read to its end {end}')
                self.assertIsNone(message.error())
                found[message.partition(), message.offset()] = message.value()
        return found

    def assert_nothing_lost(self, writer):
        self.assertEqual(writer.failed, [])
        found = self.read_all()
        for place, value in writer.acknowledged.items():
            self.assertEqual(found.get(place), value, place)
        self.assertEqual(len(set(found.values())), len(found), 'a record is there twice')
        for partition in range(self.partitions):
            order = [int(found[where, offset]) for where, offset in sorted(found) if where == partition]
            self.assertEqual(order, sorted(order), 'out of order')

    def assert_same_logs(self, running):
        """Of nodes that have stopped: equal to the last byte."""
        for partition in range(self.partitions):
            logs = [b''.join(path.read_bytes() for path in
                             sorted((voter.data / f'{TOPIC}-{partition}').glob('*.log'))) for voter in running.voters]
            self.assertGreater(len(logs[0]), 0)
            self.assertEqual([log == logs[0] for log in logs], [True] * 3, f'{[len(log) for log in logs]}')

    def test_followers_have_every_byte_of_their_leader(self):
        running = self.start()
        writer = Writer(self.bootstrap, self.partitions)
        writer.start()
        time.sleep(2)
        writer.finish()
        self.assert_nothing_lost(writer)
        time.sleep(0.6)  # a last fetch
        for voter in running.voters:
            voter.kill()
        self.assert_same_logs(running)

    def test_a_killed_node_costs_nothing_and_comes_back_into_the_set(self):
        running = self.start()
        writer = Writer(self.bootstrap, self.partitions)
        writer.start()
        time.sleep(1)
        gaps = []
        for victim in running.voters:
            killed = time.monotonic()
            victim.kill()
            time.sleep(4)
            self.await_in_sync({1, 2, 3} - {victim.node_id})
            victim.spawn()
            self.await_in_sync({1, 2, 3}, timeout_s=60)
            gaps.append(writer.longest_gap_s(killed))
        writer.finish()
        print('seconds without an acknowledgement on the worst partition after a kill: '
              + ', '.join(f'{gap:.2f}' for gap in gaps))
        self.assert_nothing_lost(writer)
        time.sleep(0.6)
        for voter in running.voters:
            voter.kill()
        self.assert_same_logs(running)

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
