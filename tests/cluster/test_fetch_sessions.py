# SPDX-License-Identifier: Apache-2.0
"""Fetch sessions over real connections: what they cost, how many there are, who wakes and who takes over (KIP-227)."""
import time
import unittest

from support import messages, node, wire
from support.odd_batches import batch

DATA = batch([b'x' * 100])
NOT_FOUND, WRONG_EPOCH = 70, 71


class Consumer:
    """A session on a connection of its own."""

    def __init__(self, server, topic, partitions=1):
        self.connection = server.connect()
        self.topic, self.partitions, self.id, self.epoch, self.correlation = topic, partitions, 0, 0, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def send(self, offsets=None, wait_ms=0, **fields):
        """The first request asks for all partitions, later ones for what `offsets` says."""
        offsets = dict.fromkeys(range(self.partitions), 0) if offsets is None and not self.epoch else offsets or {}
        parts = [{'Partition': p, 'FetchOffset': o, 'PartitionMaxBytes': 1 << 20} for p, o in offsets.items()]
        self.correlation += 1
        self.connection.send(wire.frame(messages.request(wire.FETCH, 12, {
            'MaxWaitMs': wait_ms, 'MinBytes': 1, 'MaxBytes': 1 << 20, 'SessionId': self.id, 'SessionEpoch': self.epoch,
            'Topics': [{'Topic': self.topic, 'Partitions': parts}] if parts else [], **fields}, self.correlation)))
        self.epoch += 1

    def receive(self):
        _, body = messages.answer(wire.FETCH, 12, self.connection.receive_frame())
        self.id = body['SessionId'] or self.id
        return body

    def fetch(self, offsets=None, wait_ms=0, **fields):
        self.send(offsets, wait_ms, **fields)
        return self.receive()


def told(body):
    return [(p['PartitionIndex'], len(p['Records'] or b'')) for t in body['Responses'] for p in t['Partitions']]


def produce(server, topic, partition=0, records=DATA):
    with server.connect() as connection:
        connection.send(wire.frame(messages.request(wire.PRODUCE, 9, {'Acks': 1, 'TimeoutMs': 5000, 'TopicData': [
            {'Name': topic, 'PartitionData': [{'Index': partition, 'Records': records}]}]}, 1)))
        connection.receive_frame()


class FetchSessionsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = node.Node().start()
        cls.addClassCleanup(cls.node.__exit__)

    def make(self, partitions=1):
        topic = self.id().rpartition('.')[2]
        with self.node.connect(60) as connection:
            connection.make_topic(topic, partitions, {}, 60)
        return topic

    def cpu_of(self, consumer, count):
        """CPU seconds of the server for so many fetches without news."""
        began = self.node.cpu_s()
        for _ in range(count):
            self.assertEqual(told(consumer.fetch()), [])
        return self.node.cpu_s() - began

    @unittest.skipIf(node.PEER, 'Apache Kafka looks at every partition of the session')
    def test_a_fetch_without_news_costs_the_same_over_thousands_of_partitions(self):
        topic = self.make(3000)
        with Consumer(self.node, topic, 3000) as many, Consumer(self.node, topic, 1) as one:
            for consumer in (many, one):
                self.assertEqual(len(told(consumer.fetch())), consumer.partitions)
            costs = {c.partitions: self.cpu_of(c, 5000) for c in (one, many)}
            produce(self.node, topic, 2000)
            self.assertEqual(told(many.fetch()), [(2000, len(DATA))])
        self.assertLess(costs[3000], 2 * costs[1] + 0.05)

    def test_news_of_any_partition_wake_the_waiting_fetch(self):
        topic = self.make(100)
        with Consumer(self.node, topic, 100) as consumer:
            for _ in range(2):
                consumer.fetch()
            for partition in (99, 0):
                consumer.send(wait_ms=20000)
                time.sleep(0.2)
                began = time.monotonic()
                produce(self.node, topic, partition)
                self.assertEqual(told(consumer.receive()), [(partition, len(DATA))])
                self.assertLess(time.monotonic() - began, 10)
                self.assertEqual(told(consumer.fetch({partition: 1})), [])

    def test_a_fetch_without_news_waits_to_its_end(self):
        with Consumer(self.node, self.make()) as consumer:
            consumer.fetch()
            began = time.monotonic()
            self.assertEqual(told(consumer.fetch(wait_ms=500)), [])
            self.assertGreaterEqual(time.monotonic() - began, 0.45)

    def test_few_records_and_many_stand_in_one_answer(self):
        """Few are copied into it, many go out by sendfile between its bytes."""
        sizes = [100, 30000, 5000, 20000, 200]
        topic = self.make(len(sizes))
        values = [batch([bytes([65 + number]) * size]) for number, size in enumerate(sizes)]
        for number, records in enumerate(values):
            produce(self.node, topic, number, records)
        with Consumer(self.node, topic, len(sizes)) as consumer:
            parts = [p for t in consumer.fetch()['Responses'] for p in t['Partitions']]
        # The server writes base offset and leader epoch into the head of a batch, which the checksum leaves out.
        self.assertEqual([p['Records'][17:] for p in parts], [v[17:] for v in values])

    def test_the_session_outlives_its_connection(self):
        topic = self.make()
        with Consumer(self.node, topic) as consumer:
            consumer.fetch()
            consumer.connection.close()
            consumer.connection = self.node.connect()
            produce(self.node, topic)
            self.assertEqual(told(consumer.fetch()), [(0, len(DATA))])

    @unittest.skipIf(node.PEER, 'Apache Kafka lets the earlier request wait')
    def test_a_later_request_takes_over_and_loses_nothing(self):
        topic = self.make()
        with Consumer(self.node, topic) as first, Consumer(self.node, topic) as second:
            first.fetch()
            first.send(wait_ms=3000)
            time.sleep(0.3)
            second.id, second.epoch = first.id, 2
            second.send(wait_ms=20000)
            self.assertEqual(first.receive()['ErrorCode'], WRONG_EPOCH)
            produce(self.node, topic)
            self.assertEqual(told(second.receive()), [(0, len(DATA))])

    def test_a_connection_that_closes_while_its_fetch_waits_takes_no_session_along(self):
        topic = self.make()
        with Consumer(self.node, topic) as consumer:
            consumer.fetch()
            consumer.send(wait_ms=20000)
            time.sleep(0.2)
            consumer.connection.close()
            time.sleep(0.2)
            produce(self.node, topic)
            consumer.connection = self.node.connect()
            self.assertEqual(told(consumer.fetch()), [(0, len(DATA))])

    def test_an_ended_session_lets_its_waiting_fetch_go(self):
        topic = self.make()
        with Consumer(self.node, topic) as consumer, Consumer(self.node, topic) as other:
            consumer.fetch()
            consumer.send(wait_ms=3000)
            time.sleep(0.2)
            other.fetch({}, SessionId=consumer.id, SessionEpoch=-1)
            self.assertEqual(told(consumer.receive()), [])
            self.assertEqual(consumer.fetch()['ErrorCode'], NOT_FOUND)


class FetchSessionLimitTest(unittest.TestCase):
    """B40."""

    def test_as_many_sessions_as_there_are_slots_and_no_memory_for_more(self):
        with node.Node({'max.incremental.fetch.session.cache.slots': 16}) as server:
            with server.connect() as connection:
                connection.make_topic('t', 1, {}, 60)
            with Consumer(server, 't') as consumer:
                def open_one():
                    consumer.id = consumer.epoch = 0
                    return consumer.fetch()['SessionId']
                self.assertEqual(sum(open_one() != 0 for _ in range(200)), 16)
                before = server.rss_kib()
                for _ in range(5000):
                    self.assertEqual(open_one(), 0)
                self.assertLess(server.rss_kib(), before + 4096)

    def test_without_slots_every_answer_says_no_session(self):
        with node.Node({'max.incremental.fetch.session.cache.slots': 0}) as server:
            with server.connect() as connection:
                connection.make_topic('t', 1, {}, 60)
            with Consumer(server, 't') as consumer:
                body = consumer.fetch()
                self.assertEqual((body['SessionId'], told(body)), (0, [(0, 0)]))


if __name__ == '__main__':
    unittest.main()
