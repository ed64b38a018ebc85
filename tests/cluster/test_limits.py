# SPDX-License-Identifier: Apache-2.0
"""Limits that the configuration sets: what is within them works, what is beyond is refused and harms nobody."""
import random
import time
import unittest

from conversations.configs import BROKER, DESCRIBE_CONFIGS
from conversations.producers import DESCRIBE_PRODUCERS
from conversations.talk import CREATE_TOPICS, ELECT_LEADERS, Talk
from support import messages, node, records, wire

POLICY_VIOLATION = 44


class ConnectionLimitsTest(unittest.TestCase):
    def test_connections_of_one_address_are_counted(self):
        with node.Node({'max.connections.per.ip': 4}) as server:
            if not node.PEER:
                server.await_line('clients are told')  # its own connection has come,
                time.sleep(0.5)  # and gone
            held = [server.connect() for _ in range(4)]
            self.addCleanup(lambda: [c.close() for c in held])
            for connection in held:
                connection.api_versions()
            with server.connect() as fifth:
                self.assertTrue(fifth.is_closed_within(5))
            held.pop().close()
            for _ in range(100):
                try:
                    with server.connect() as next_one:
                        next_one.api_versions()
                    break
                except (wire.Closed, OSError):
                    pass
            else:
                self.fail('the place of a closed connection is not free again')

    def test_a_request_may_be_as_large_as_configured_and_no_larger(self):
        with node.Node({'socket.request.max.bytes': 1000}) as server:
            payload = wire.header(wire.API_VERSIONS, 0)
            with server.connect() as connection:
                connection.send(wire.int32(1001) + payload)
                self.assertTrue(connection.is_closed_within(5))
            with server.connect() as connection:
                reader = connection.request(wire.METADATA, 4, wire.array([wire.string('x' * 900)]) + b'\0')
                self.assertGreater(len(reader.data), 900)


    @unittest.skipIf(node.PEER, 'Milena promises more')
    def test_a_fetch_of_very_many_partitions_is_served_alone_if_it_must(self):
        def fetch_of(count):
            part = lambda n: wire.int32(n) + wire.int64(0) + wire.int32(1000)
            topic = wire.string('none') + wire.array([part(n) for n in range(count)])
            return (wire.int32(-1) + wire.int32(0) + wire.int32(1) + wire.int32(1000) + b'\0' + wire.array([topic]))

        with node.Node({'queued.max.request.bytes': 4 << 20}) as server:
            with server.connect() as connection:
                reader = connection.request(wire.FETCH, 4, fetch_of(2000))
                self.assertGreater(len(reader.data), 2000 * 20)
            with server.connect() as connection:
                reader = connection.request(wire.FETCH, 4, fetch_of(100_000))
                self.assertGreater(len(reader.data), 100_000 * 20)
            with server.connect() as connection:
                self.assertGreater(len(connection.request(wire.FETCH, 4, fetch_of(2000)).data), 2000 * 20)


class DataLimitsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = node.Node({'log.segment.bytes': 1048576}).start()
        cls.addClassCleanup(cls.node.__exit__)

    def test_a_batch_over_the_topics_limit_is_refused_and_the_next_one_taken(self):
        """B22."""
        with self.node.connect() as connection:
            connection.make_topic('small', configs={'max.message.bytes': '1000'})
            self.assertEqual(connection.produce('small', records.batch([b'x' * 2000])), (10, -1))
            self.assertEqual(connection.produce('small', records.batch([b'x' * 500])), (0, 0))

    def test_a_fetch_of_one_byte_gives_one_whole_batch(self):
        """B23: or a client with a small limit would never get past it."""
        with self.node.connect() as connection:
            connection.make_topic('large')
            for _ in range(2):
                connection.produce('large', records.batch([b'x' * 900_000]))
            error, _, data = connection.fetch('large', 0, bytes_max=1)
            self.assertEqual((error, [offset for offset, _ in records.read(data)]), (0, [0]))

    def test_a_log_of_many_segments_is_read_across_them_and_after_a_kill(self):
        chance = random.Random(7)
        written = [chance.randbytes(60_000) for _ in range(100)]
        with self.node.connect() as connection:
            connection.make_topic('long')
            for n, value in enumerate(written):
                self.assertEqual(connection.produce('long', records.batch([value])), (0, n))
        segments = sorted((self.node.data / 'long-0').glob('*.log'))
        self.assertGreaterEqual(len(segments), 5)
        self.assertTrue(all(segment.stat().st_size <= 1048576 for segment in segments))
        self.check('long', written)
        self.node.restart()
        self.check('long', written)
        self.node.kill()
        self.node.start()
        self.check('long', written)

    def check(self, topic, written):
        with self.node.connect() as connection:
            connection.await_leader(topic)
            for offset in (0, 17, 18, 50, 99):
                _, _, data = connection.fetch(topic, offset)
                self.assertEqual(records.read(data)[0], (offset, written[offset]))
            found = []
            while len(found) < len(written):
                found += [value for _, value in records.read(connection.fetch(topic, len(found))[2])]
            self.assertEqual(found, written)

    def test_a_topic_config_that_is_not_allowed_makes_no_topic(self):
        with self.node.connect() as connection:
            self.assertEqual(connection.create_topic('bad', configs={'segment.bytes': '17'}), 40)
            self.assertEqual(connection.create_topic('bad', configs={'no.such.key': '1'}), 40)
            self.assertEqual(connection.metadata(['bad']).topics['bad'][0], 3)
            self.assertEqual(connection.create_topic('a/b'), 17)
            self.assertEqual(connection.create_topic('none', partitions=0), 37)

    def test_a_topic_is_made_once(self):
        with self.node.connect() as connection:
            self.assertEqual(connection.create_topic('once', partitions=3), 0)
            self.assertEqual(connection.create_topic('once'), 36)
            self.assertEqual(len(connection.metadata(['once']).topics['once'][1]), 3)


class AnswerLimitsTest(unittest.TestCase):
    """What a small request asks for again and again does not become a large answer."""

    @classmethod
    def setUpClass(cls):
        if node.PEER:
            raise unittest.SkipTest('promises of Milena')
        cls.node = node.Node().start()
        cls.addClassCleanup(cls.node.__exit__)

    def setUp(self):
        self.talk = Talk(self.node.port, self.id().rpartition('.')[2], timeout_s=60)
        self.addCleanup(self.talk.hang_up)

    def test_descriptions_beyond_the_limit_are_refused(self):
        asked = [{'ResourceType': BROKER, 'ResourceName': '1', 'ConfigurationKeys': None}] * 5000
        connection = self.talk.connect()
        connection.send(wire.frame(messages.request(DESCRIBE_CONFIGS, 4, {
            'Resources': asked, 'IncludeSynonyms': True, 'IncludeDocumentation': True}, 1)))
        answer = connection.receive_frame()
        self.assertLess(len(answer), 256 << 20)
        self.assertIn(b'Too many values for one request.', answer)
        self.assertEqual(connection.metadata().topics, {})

    def test_many_elections_are_refused_in_an_answer_of_bounded_length(self):
        topics = [{'Topic': 'x' * 32000, 'Partitions': list(range(9000))}]
        answer = self.talk.quietly(ELECT_LEADERS, 2, TopicPartitions=topics, ElectionType=0, TimeoutMs=9000)
        told = answer['ReplicaElectionResults'][0]['PartitionResult']
        self.assertEqual({(p['ErrorCode'], p['ErrorMessage']) for p in told}, {(3, 'No such topic as ' + 'x' * 249)})
        self.assertEqual(len(told), 9000)
        topics[0]['Partitions'] *= 2
        answer = self.talk.quietly(ELECT_LEADERS, 2, TopicPartitions=topics, ElectionType=0, TimeoutMs=9000)
        self.assertEqual(answer['ErrorCode'], POLICY_VIOLATION)
        self.assertEqual(len(answer['ReplicaElectionResults'][0]['PartitionResult']), 10_000)

    def test_many_partitions_are_not_asked_for_their_producers(self):
        topics = [{'Name': 't', 'PartitionIndexes': [0] * 6000}] * 2
        answer = self.talk.quietly(DESCRIBE_PRODUCERS, 0, Topics=topics)
        parts = [p['ErrorCode'] for t in answer['Topics'] for p in t['Partitions']]
        self.assertEqual(parts, [POLICY_VIOLATION] * 10_000)

    def test_an_error_that_names_what_is_as_long_as_a_string_may_be_is_told(self):
        name = 'x' * 32767
        answer = self.talk.quietly(CREATE_TOPICS, 5, timeoutMs=9000, Topics=[
            {'Name': name, 'NumPartitions': 1, 'ReplicationFactor': 1}])
        self.assertEqual(answer['Topics'][0]['ErrorCode'], 17)
        self.assertEqual(len(answer['Topics'][0]['ErrorMessage']), 32767)
        answer = self.talk.quietly(DESCRIBE_CONFIGS, 1, Resources=[
            {'ResourceType': BROKER, 'ResourceName': name, 'ConfigurationKeys': None}])
        self.assertEqual(answer['Results'][0]['ErrorCode'], 42)
        self.assertEqual(len(answer['Results'][0]['ErrorMessage']), 32767)


if __name__ == '__main__':
    unittest.main()
