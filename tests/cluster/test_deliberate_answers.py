# SPDX-License-Identifier: Apache-2.0
"""Answers in which Milena differs from Apache Kafka on purpose: each has a row in docs/deviations.md."""
import unittest

from conversations.talk import DESCRIBE_TOPIC_PARTITIONS, FETCH, LIST_OFFSETS, METADATA, NO_ID, PRODUCE, Talk
from support import node, odd_batches as odd
from support.odd_batches import batch

INVALID_TOPIC, INVALID_REQUEST, INVALID_RECORD, UNSUPPORTED_COMPRESSION_TYPE = 17, 42, 87, 76


class DeliberateAnswersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if node.PEER:
            raise unittest.SkipTest('promises of Milena')
        cls.node = node.Node().start()
        cls.addClassCleanup(cls.node.__exit__)

    def setUp(self):
        self.talk = Talk(self.node.port, self.id().rpartition('.')[2])
        self.addCleanup(self.talk.hang_up)
        self.topic = self.talk.topic()

    def produced(self, *records):
        parts = [{'Index': 0, 'Records': r} for r in records]
        answer = self.talk.quietly(PRODUCE, 8, Acks=-1, TimeoutMs=5000,
                                   TopicData=[{'Name': self.topic, 'PartitionData': parts}])
        return [(p['ErrorCode'], p['BaseOffset']) for p in answer['Responses'][0]['PartitionResponses']]

    def fetched(self, *parts, **request):
        values = {'MaxWaitMs': 0, 'MinBytes': 1, 'MaxBytes': 1 << 20, **request}
        answer = self.talk.quietly(FETCH, 12, **values, Topics=[{'Topic': self.topic, 'Partitions': [
            {'Partition': 0, 'FetchOffset': 0, 'PartitionMaxBytes': 1 << 20, **p} for p in parts]}])
        return answer['Responses'][0]['Partitions']

    def test_each_batch_of_a_partition_that_is_listed_twice_is_stored_and_answered(self):
        self.assertEqual(self.produced(batch([b'a']), batch([b'b', b'c'])), [(0, 0), (0, 1)])
        self.assertEqual(self.talk.connect().list_offset(self.topic, -1), (0, 3))

    def test_a_partition_that_is_fetched_twice_is_answered_twice(self):
        self.produced(batch([b'a']))
        self.produced(batch([b'b']))
        first, second = self.fetched({}, {'FetchOffset': 1})
        self.assertEqual([len(odd.split(p['Records'])[0]) for p in (first, second)], [2, 1])

    def test_an_unknown_isolation_level_is_an_invalid_request(self):
        for level in (2, -1, 127):
            self.assertEqual(self.fetched({}, IsolationLevel=level)[0]['ErrorCode'], INVALID_REQUEST)
            answer = self.talk.quietly(LIST_OFFSETS, 6, ReplicaId=-1, IsolationLevel=level, Topics=[
                {'Name': self.topic, 'Partitions': [{'PartitionIndex': 0, 'Timestamp': -1}]}])
            self.assertEqual(answer['Topics'][0]['Partitions'][0]['ErrorCode'], INVALID_REQUEST)

    def test_a_negative_limit_of_a_fetch_is_an_invalid_request(self):
        self.assertEqual(self.fetched({'PartitionMaxBytes': -1})[0]['ErrorCode'], INVALID_REQUEST)
        self.assertEqual(self.fetched({}, MaxBytes=-1)[0]['ErrorCode'], INVALID_REQUEST)

    def test_metadata_of_a_topic_with_neither_name_nor_id_is_an_invalid_request(self):
        for version in (12, 13):
            answer = self.talk.quietly(METADATA, version, Topics=[{'TopicId': NO_ID, 'Name': None}])
            self.assertEqual(answer['Topics'][0]['ErrorCode'], INVALID_REQUEST)
            self.assertEqual(answer['Brokers'], [])

    def test_an_empty_name_to_describe_is_an_invalid_topic(self):
        answer = self.talk.quietly(DESCRIBE_TOPIC_PARTITIONS, 0, Topics=[{'Name': ''}, {'Name': self.topic}])
        self.assertEqual([t['ErrorCode'] for t in answer['Topics']], [INVALID_TOPIC, 0])

    def test_damaged_compressed_blocks_are_invalid_records(self):
        for codec, damaged in ((odd.GZIP, b'x' * 50), (odd.SNAPPY, b'\xff' * 50), (odd.LZ4, b'x' * 50),
                               (odd.ZSTD, b'x' * 50), (odd.GZIP, odd.gzip(bytes(900))[:-9])):
            self.assertEqual(self.produced(batch([b'a'], codec=codec, compress=lambda _, d=damaged: d)),
                             [(INVALID_RECORD, -1)])
        self.assertEqual(self.produced(batch([b'a'], attributes=5)), [(UNSUPPORTED_COMPRESSION_TYPE, -1)])

    def test_offsets_inside_a_batch_count_up_from_0(self):
        for deltas in ([1, 2], [0, 0], [1, 0], [0, 5]):
            self.assertEqual(self.produced(batch([b'a', b'b'], deltas=deltas)), [(INVALID_RECORD, -1)])


if __name__ == '__main__':
    unittest.main()
