# SPDX-License-Identifier: Apache-2.0
"""Compacted topics for tests: small segments, a cleaner that does not rest, records over a few keys."""
import time

import confluent_kafka
from confluent_kafka.admin import AdminClient, NewTopic

FAST = {'log.cleaner.backoff.ms': 100, 'log.retention.check.interval.ms': 300,
        'group.initial.rebalance.delay.ms': 0, 'offsets.topic.num.partitions': 1}
COMPACTED = {'cleanup.policy': 'compact', 'internal.segment.bytes': '20000', 'min.cleanable.dirty.ratio': '0.01',
             'file.delete.delay.ms': '100'}
KEYS = 40


def make_topic(server, name, configs):
    admin = AdminClient({'bootstrap.servers': server.bootstrap, 'log_level': 0})
    admin.create_topics([NewTopic(name, 1, 1, config=configs)])[name].result(30)


def producer(server, **more):
    return confluent_kafka.Producer({'bootstrap.servers': server.bootstrap, 'acks': 'all', 'log_level': 0, **more})


def fill(server, topic, first, count, **more):
    """Records one after the other over KEYS keys, each value its own; the newest of each."""
    sender, newest = producer(server, **more), {}
    for number in range(first, first + count):
        key = b'key-%d' % (number % KEYS)
        newest[key] = b'value-%d ' % number + b'x' * 50
        sender.produce(topic, newest[key], key)
        if number % 20 == 0:
            sender.flush(30)
    assert sender.flush(60) == 0
    return newest


def read(server, topic):
    """[(offset, key, value)] of all that a consumer gets from the beginning."""
    consumer = confluent_kafka.Consumer({'bootstrap.servers': server.bootstrap, 'group.id': 'reader', 'log_level': 0,
                                         'enable.partition.eof': True, 'enable.auto.commit': False})
    consumer.assign([confluent_kafka.TopicPartition(topic, 0, confluent_kafka.OFFSET_BEGINNING)])
    found, deadline = [], time.monotonic() + 60
    while True:
        assert time.monotonic() < deadline, 'the end does not come'
        record = consumer.poll(1)
        if record is None:
            continue
        if record.error():
            assert record.error().code() == confluent_kafka.KafkaError._PARTITION_EOF, record.error()
            consumer.close()
            return found
        found.append((record.offset(), record.key(), record.value()))
