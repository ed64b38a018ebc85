# SPDX-License-Identifier: Apache-2.0
"""Replicas move from one entry of log.dirs to another while they are written to (KIP-113), through kills too."""
import itertools
import os
import re
import threading
import time
import unittest

import confluent_kafka

from conversations.talk import (
    ALTER_REPLICA_LOG_DIRS, CREATE_TOPICS, DELETE_TOPICS, DESCRIBE_LOG_DIRS, INCREMENTAL_ALTER_CONFIGS, Talk)
from support import node, tools

BROKER = 4
NONE, UNKNOWN_TOPIC_OR_PARTITION, REPLICA_NOT_AVAILABLE, LOG_DIR_NOT_FOUND = 0, 3, 9, 57
TOPIC = 'moved'
RATE_KEY = 'replica.alter.log.dirs.io.max.bytes.per.second'


class Writer(threading.Thread):
    """An idempotent producer of numbered records."""

    def __init__(self, bootstrap):
        super().__init__(daemon=True)
        self.stopping = threading.Event()
        self.acknowledged, self.failed, self.slowest_s = {}, [], 0.0
        self.producer = confluent_kafka.Producer({
            'bootstrap.servers': bootstrap, 'enable.idempotence': True, 'linger.ms': 1, 'retry.backoff.ms': 50,
            'reconnect.backoff.ms': 20, 'reconnect.backoff.max.ms': 100, 'message.timeout.ms': 60_000, 'log_level': 0})

    def run(self):
        for number in itertools.count():
            if self.stopping.is_set():
                break
            value, sent = b'%d' % number, time.monotonic()

            def delivered(error, message, sent=sent):
                if error:
                    self.failed.append(str(error))
                else:
                    self.acknowledged[message.offset()] = message.value()
                    self.slowest_s = max(self.slowest_s, time.monotonic() - sent)
            self.producer.produce(TOPIC, value, partition=0, on_delivery=delivered)
            self.producer.poll(0)
            time.sleep(0.001)
        self.producer.flush(90)

    def finish(self):
        self.stopping.set()
        self.join()


class DirectoryMovesTest(unittest.TestCase):
    def setUp(self):
        self.server = node.Node({'log.segment.delete.delay.ms': 500})
        self.addCleanup(self.server.__exit__)
        self.places = [str(self.server.folder / name) for name in ('d0', 'd1')]
        text = self.server.properties.read_text()
        self.server.properties.write_text(
            re.sub(r'(?m)^log\.dirs=.*$', 'log.dirs=' + ','.join(self.places), text))
        if node.PEER:
            self.skipTest('the second directory would have to be formatted first')
        self.server.start()
        self.talk = Talk(self.server.port, 'mover')
        self.addCleanup(self.talk.hang_up)

    def create(self, **configs):
        answer = self.talk.quietly(CREATE_TOPICS, 7, timeoutMs=30000, Topics=[
            {'Name': TOPIC, 'NumPartitions': 1, 'ReplicationFactor': 1,
             'Configs': [{'Name': k.replace('_', '.'), 'Value': v} for k, v in configs.items()]}])
        self.assertEqual(answer['Topics'][0]['ErrorCode'], NONE, answer)
        with self.server.connect() as connection:
            connection.await_leader(TOPIC)

    def place(self, directory, topic=TOPIC, partition=0):
        answer = self.talk.quietly(ALTER_REPLICA_LOG_DIRS, 2, Dirs=[
            {'Path': directory, 'Topics': [{'Name': topic, 'Partitions': [partition]}]}])
        return answer['Results'][0]['Partitions'][0]['ErrorCode']

    def limit(self, rate):
        """Bytes a second, or None."""
        self.talk.quietly(INCREMENTAL_ALTER_CONFIGS, 1, ValidateOnly=False, Resources=[
            {'ResourceType': BROKER, 'ResourceName': '1', 'Configs': [
                {'Name': RATE_KEY, 'ConfigOperation': 0 if rate else 1, 'Value': str(rate) if rate else None}]}])

    def described(self):
        """{(directory, is it a copy): (bytes, lag)} of the partition."""
        answer = self.talk.quietly(DESCRIBE_LOG_DIRS, 4, Topics=[{'Topic': TOPIC, 'Partitions': [0]}])
        return {(r['LogDir'], p['IsFutureKey']): (p['PartitionSize'], p['OffsetLag'])
                for r in answer['Results'] for t in r['Topics'] for p in t['Partitions']}

    def where(self):
        (directory,) = [directory for directory, is_copy in self.described() if not is_copy]
        return directory

    def other(self):
        (other,) = [place for place in self.places if place != self.where()]
        return other

    def names(self):
        return [name for place in self.places for name in os.listdir(place) if name.startswith(TOPIC)]

    def await_true(self, what, is_true, timeout_s=60):
        deadline = time.monotonic() + timeout_s
        while not is_true():
            self.assertLess(time.monotonic(), deadline,
                            f'not so: {what}; {self.names()}\n{self.server.log()[-20_000:]}')
            time.sleep(0.02)

    def await_moved(self, to):
        self.await_true(f'the replica lies in {to}', lambda: set(self.described()) == {(to, False)})
        self.await_true('what is left of it elsewhere has gone', lambda: self.names() == [f'{TOPIC}-0'])

    def fill(self, megabytes):
        producer = confluent_kafka.Producer({'bootstrap.servers': self.server.bootstrap, 'linger.ms': 20, 'acks': 'all',
                                             'log_level': 0})
        for number in range(megabytes * 64):
            producer.produce(TOPIC, b'%d ' % (number - (1 << 40)) + os.urandom(16 * 1024), partition=0)
            if number % 256 == 255:
                producer.flush(60)
        self.assertEqual(producer.flush(60), 0)

    def assert_nothing_lost(self, writer):
        self.assertEqual(writer.failed, [])
        self.assertGreater(len(writer.acknowledged), 0)
        consumer = confluent_kafka.Consumer({'bootstrap.servers': self.server.bootstrap, 'group.id': 'none',
                                             'enable.auto.commit': False, 'check.crcs': True, 'log_level': 0})
        self.addCleanup(consumer.close)
        place = confluent_kafka.TopicPartition(TOPIC, 0, 0)
        end = consumer.get_watermark_offsets(place, timeout=30)[1]
        consumer.assign([place])
        found = {}
        while len(found) < end:
            message = consumer.poll(20)
            self.assertIsNotNone(message, f'{len(found)} of {end} can be read')
            self.assertIsNone(message.error())
            found[message.offset()] = message.value()
        for offset, value in writer.acknowledged.items():
            self.assertEqual(found.get(offset), value)
        order = [int(found[offset].split(b' ')[0]) for offset in sorted(found)]
        self.assertEqual(order, sorted(set(order)), 'out of order, or a record is there twice')

    def assigned(self):
        """The directory of the partition in the newest record of the metadata log about it."""
        log = next(path for place in self.places
                   for path in (self.server.folder / place).glob('__cluster_metadata-0/*.log'))
        printed = tools.run('dump-log', '--files', str(log), '--cluster-metadata-decoder').out
        told = re.findall(r'PARTITION_CHANGE_RECORD.*"directories":\["([^"]*)"\]', printed)
        ids = {re.search(r'(?m)^directory\.id=(.*)$', (self.server.folder / place / 'meta.properties').read_text())[1]:
               place for place in self.places}
        return ids[told[-1]] if told else None

    def test_a_replica_moves_there_and_back_while_it_is_written_to(self):
        self.create(segment_bytes='8388608')
        self.fill(30)
        writer = Writer(self.server.bootstrap)
        writer.start()
        for _ in range(2):
            to = self.other()
            self.assertEqual(self.place(to), NONE)
            self.await_moved(to)
            self.await_true('the controller knows', lambda to=to: self.assigned() == to)
        time.sleep(0.5)
        writer.finish()
        print(f'the slowest write took {writer.slowest_s * 1000:.0f} ms')
        self.assert_nothing_lost(writer)
        self.server.restart()
        self.talk.hang_up()
        self.assert_nothing_lost(writer)

    def test_kills_in_the_middle_cost_nothing(self):
        self.create(segment_bytes='8388608')
        self.fill(30)
        self.limit(5_000_000)
        writer = Writer(self.server.bootstrap)
        writer.start()
        to = self.other()
        self.assertEqual(self.place(to), NONE)
        for _ in range(3):
            before = self.described()[to, True][0]
            self.await_true('the copy grows', lambda before=before: self.described()[to, True][0] > before)
            self.server.kill()
            self.talk.hang_up()
            self.server.start()
            self.assertIn((to, True), self.described())
        self.limit(None)
        self.await_moved(to)
        writer.finish()
        self.assert_nothing_lost(writer)

    def test_kills_around_the_swap_cost_nothing(self):
        """The process is killed at any moment of short moves, there and back."""
        self.create()
        writer = Writer(self.server.bootstrap)
        writer.start()
        time.sleep(0.5)
        for number in range(10):
            to = self.other()
            self.assertEqual(self.place(to), NONE)
            time.sleep(0.03 * number)
            self.server.kill()
            self.talk.hang_up()
            self.server.start()
            self.await_true('it is in one place', lambda to=to: (to, False) in self.described()
                            or (to, True) in self.described(), timeout_s=20)
            self.await_moved(to)
        writer.finish()
        self.assert_nothing_lost(writer)

    def test_a_move_is_no_faster_than_its_limit(self):
        self.create()
        self.fill(20)
        self.limit(4_000_000)
        to = self.other()
        size = self.described()[self.where(), False][0]
        began = time.monotonic()
        self.assertEqual(self.place(to), NONE)
        seen = []
        while (to, True) in self.described():
            seen.append(self.described().get((to, True)))
            time.sleep(0.05)
        lasted = time.monotonic() - began
        print(f'{size} bytes at 4000000 a second: {lasted:.1f} s')
        self.await_moved(to)
        self.assertGreater(lasted, 0.7 * size / 4_000_000)
        self.assertLess(lasted, 1.4 * size / 4_000_000 + 2)
        copied = [one for one in seen if one]
        self.assertEqual(copied, sorted(copied, key=lambda one: (one[0], -one[1])))
        self.assertGreater(copied[0][1], 0)

    def test_a_topic_is_deleted_in_the_middle(self):
        self.create()
        self.fill(10)
        self.limit(1_000_000)
        to = self.other()
        self.assertEqual(self.place(to), NONE)
        self.await_true('the copy has begun', lambda: self.described()[to, True][0] > 0)
        self.talk.quietly(DELETE_TOPICS, 6, TimeoutMs=30000, Topics=[{'Name': TOPIC}])
        self.await_true('both directories go', lambda: not self.names())
        self.assertNotIn('ERROR', self.server.log())

    def test_what_is_refused_and_what_is_remembered(self):
        self.assertEqual(self.place(self.places[1]), UNKNOWN_TOPIC_OR_PARTITION)
        self.create()
        self.assertEqual(self.where(), self.places[1], 'it is made where it was wanted')
        self.assertEqual(self.place('/nowhere'), LOG_DIR_NOT_FOUND)
        self.assertEqual(self.place(self.places[1]), NONE)
        self.assertEqual(self.place(self.places[0], partition=1), UNKNOWN_TOPIC_OR_PARTITION)
        self.limit(1000)
        self.fill(2)
        self.assertEqual(self.place(self.places[0]), NONE)
        self.assertIn((self.places[0], True), self.described())
        self.assertEqual(self.place(self.places[1]), NONE)
        self.await_true('it is called off', lambda: set(self.described()) == {(self.places[1], False)})
        self.await_true('no copy is left', lambda: self.names() == [f'{TOPIC}-0'])


if __name__ == '__main__':
    unittest.main()
