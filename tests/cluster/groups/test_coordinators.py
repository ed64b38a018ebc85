# SPDX-License-Identifier: Apache-2.0
"""Consumers in groups, with two client libraries, against one broker and three: what they have committed is there
whoever coordinates them, and nobody is ever told that there is nothing."""
import threading
import time
import unittest

import confluent_kafka
import kafka
from confluent_kafka.admin import AdminClient, NewTopic

from conversations.talk import Talk
from support import node, quorum

FIND_COORDINATOR = 10
TOPIC, PARTITIONS, RECORDS = 'grouped', 6, 600
FAST = {'group.initial.rebalance.delay.ms': 100, 'offsets.topic.num.partitions': 6}


def make_topic(bootstrap, replicas):
    admin = AdminClient({'bootstrap.servers': bootstrap, 'log_level': 0})
    admin.create_topics([NewTopic(TOPIC, PARTITIONS, replicas)])[TOPIC].result(30)


def fill(bootstrap, count=RECORDS):
    producer = confluent_kafka.Producer({'bootstrap.servers': bootstrap, 'acks': 'all', 'log_level': 0})
    for number in range(count):
        producer.produce(TOPIC, str(number).encode(), partition=number % PARTITIONS)
    assert producer.flush(60) == 0


def consumer(bootstrap, group, **more):
    return confluent_kafka.Consumer({
        'bootstrap.servers': bootstrap, 'group.id': group, 'auto.offset.reset': 'earliest', 'log_level': 0,
        'enable.auto.commit': False, 'session.timeout.ms': 6000, **more})


def consume(reader, wanted, timeout_s=60):
    """So many values."""
    values, deadline = [], time.monotonic() + timeout_s
    while len(values) < wanted:
        assert time.monotonic() < deadline, f'{len(values)} of {wanted} records'
        record = reader.poll(0.5)
        if record is not None and not record.error():
            values.append(record.value())
    return values


def committed(reader, timeout_s=10):
    """{partition: offset} as its coordinator tells it."""
    parts = [confluent_kafka.TopicPartition(TOPIC, number) for number in range(PARTITIONS)]
    return {part.partition: part.offset for part in reader.committed(parts, timeout=timeout_s)}


class OneBrokerTest(unittest.TestCase):
    def setUp(self):
        self.node = node.Node(FAST).start()
        self.addCleanup(self.node.__exit__)
        make_topic(self.node.bootstrap, 1)
        fill(self.node.bootstrap)

    def test_a_group_goes_on_where_it_was_after_a_crash_of_the_broker(self):
        first = consumer(self.node.bootstrap, 'g')
        first.subscribe([TOPIC])
        values = set(consume(first, RECORDS))
        first.commit(asynchronous=False)
        at = committed(first)
        self.assertEqual(at, {number: RECORDS // PARTITIONS for number in range(PARTITIONS)})
        self.node.kill()
        self.node.start()
        self.assertEqual(committed(first, 30), at)
        first.close()
        fill(self.node.bootstrap, 60)
        second = consumer(self.node.bootstrap, 'g')
        second.subscribe([TOPIC])
        self.assertEqual(len(consume(second, 60)), 60)
        second.close()
        self.assertEqual(len(values), RECORDS)

    def test_two_members_share_the_partitions(self):
        members = [consumer(self.node.bootstrap, 'shared') for _ in range(2)]
        seen = [set(), set()]
        for member in members:
            member.subscribe([TOPIC])
        deadline = time.monotonic() + 60
        # What was read before a rebalance is read again: nobody commits.
        while sorted(len(member.assignment()) for member in members) != [3, 3] or len(set().union(*seen)) < RECORDS:
            self.assertLess(time.monotonic(), deadline, [len(one) for one in seen])
            for member, values in zip(members, seen):
                record = member.poll(0.05)
                if record is not None and not record.error():
                    values.add(record.value())
        for member in members:
            member.close()
        self.assertEqual(set().union(*seen), {str(n).encode() for n in range(RECORDS)})

    def test_kafka_python_commits_and_goes_on(self):
        def reader():
            return kafka.KafkaConsumer(TOPIC, bootstrap_servers=self.node.bootstrap, group_id='py',
                                       auto_offset_reset='earliest', enable_auto_commit=False,
                                       consumer_timeout_ms=15000)
        first = reader()
        for _, _ in zip(range(RECORDS), first):
            pass
        first.commit()
        first.close()
        fill(self.node.bootstrap, 12)
        second = reader()
        self.assertEqual(len([record for record, _ in zip(second, range(12))]), 12)
        second.close()


class ThreeBrokersTest(unittest.TestCase):
    def setUp(self):
        if node.PEER:
            self.skipTest('the formatting tool is Milena\'s')
        self.running = quorum.Quorum(roles='broker,controller', extra={
            'offsets.topic.replication.factor': 3, 'min.insync.replicas': 2, **FAST})
        self.addCleanup(self.running.__exit__)
        self.running.__enter__()
        self.running.await_brokers()
        self.bootstrap = ','.join(voter.bootstrap for voter in self.running.voters)
        make_topic(self.bootstrap, 3)
        fill(self.bootstrap)

    def coordinator(self, group):
        for voter in self.running.voters:
            if not voter.is_running():
                continue
            with Talk(voter.port, 'find') as talk:
                found = talk.quietly(FIND_COORDINATOR, 4, CoordinatorKeys=[group])['Coordinators'][0]
            if found['ErrorCode'] == 0:
                return self.running.voters[found['NodeId'] - 1]
        self.fail('nobody coordinates the group')

    def test_committed_offsets_survive_each_coordinator(self):
        reader = consumer(self.bootstrap, 'g')
        reader.subscribe([TOPIC])
        consume(reader, RECORDS)
        reader.commit(asynchronous=False)
        wanted = {number: RECORDS // PARTITIONS for number in range(PARTITIONS)}
        for _ in range(3):
            dead = self.coordinator('g')
            dead.kill()
            began = time.monotonic()
            while True:
                try:
                    at = committed(reader, 30)
                    break
                except confluent_kafka.KafkaException:
                    self.assertLess(time.monotonic() - began, 60)
            self.assertEqual(at, wanted)
            dead.spawn()
            self.running.await_brokers()
            self.await_in_sync()
        reader.close()

    def await_in_sync(self):
        admin = AdminClient({'bootstrap.servers': self.bootstrap, 'log_level': 0})
        deadline = time.monotonic() + 60
        while True:
            topics = admin.list_topics(timeout=10).topics
            if all(len(part.isrs) == 3 for topic in topics.values() for part in topic.partitions.values()):
                return
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)

    def test_a_group_at_work_loses_nothing_when_its_coordinator_dies(self):
        """Commits go on all the time; each acknowledged one is the least that is told from then on."""
        known, errors, is_over = {}, [], threading.Event()

        def work():
            reader = consumer(self.bootstrap, 'busy')
            parts = [confluent_kafka.TopicPartition(TOPIC, number) for number in range(PARTITIONS)]
            offset = 0
            while not is_over.is_set():
                offset += 1
                for part in parts:
                    part.offset = offset
                try:
                    for part in reader.commit(offsets=parts, asynchronous=False):
                        if part.error is None:
                            known[part.partition] = part.offset
                except confluent_kafka.KafkaException:
                    continue
            reader.close()

        def look():
            reader = consumer(self.bootstrap, 'busy')
            while not is_over.is_set():
                before = dict(known)
                try:
                    now = committed(reader)
                except confluent_kafka.KafkaException:
                    continue
                errors.extend((number, before[number], now[number])
                              for number in before if now[number] < before[number])
            reader.close()

        threads = [threading.Thread(target=one) for one in (work, look)]
        for thread in threads:
            thread.start()
        time.sleep(2)
        for _ in range(2):
            dead = self.coordinator('busy')
            dead.kill()
            time.sleep(3)
            dead.spawn()
            self.running.await_brokers()
            self.await_in_sync()
        is_over.set()
        for thread in threads:
            thread.join(60)
        self.assertEqual(errors, [])
        self.assertGreater(min(known.values()), 10)


if __name__ == '__main__':
    unittest.main()
