# SPDX-License-Identifier: Apache-2.0
"""A broker that is lost for good, as docs/operating/moving.md has it: an empty one with its id fills itself; or its
partitions move to another, and its registration goes."""
import json
import shutil
import subprocess
import time
import unittest

import confluent_kafka

from support import node, quorum, tools

TOPIC = 'kept'
LOST, OTHER = 102, 103
COUNT = 2000


def setUpModule():
    if node.PEER:
        raise unittest.SkipTest('the formatting tool is Milena\'s')


class ReplacedBrokerTest(unittest.TestCase):
    def start(self, assignment):
        self.running = quorum.Quorum(count=1, brokers=4)
        self.addCleanup(self.running.__exit__)
        self.running.__enter__()
        self.running.await_brokers()
        self.brokers = {broker.node_id: broker for broker in self.running.brokers}
        self.bootstrap = ','.join(self.brokers[number].bootstrap for number in (100, 101))
        self.assertEqual(self.tool('topics', '--create', '--topic', TOPIC, '--replica-assignment', assignment).exit, 0)
        producer = confluent_kafka.Producer({'bootstrap.servers': self.bootstrap, 'acks': 'all', 'log_level': 0})
        failed = []
        for number in range(COUNT):
            producer.produce(TOPIC, b'%06d' % number, partition=number % 2,
                             on_delivery=lambda error, _: failed.append(error) if error else None)
        self.assertEqual(producer.flush(60), 0)
        self.assertEqual(failed, [])

    def tool(self, name, *arguments):
        first = [name] + ([arguments[0]] if name == 'cluster' else [])
        rest = arguments[len(first) - 1:]
        return tools.run(*first, '--bootstrap-server', self.bootstrap, *[str(argument) for argument in rest])

    def await_said(self, wanted, name, *arguments, timeout_s=60):
        deadline = time.monotonic() + timeout_s
        while True:
            done = self.tool(name, *arguments)
            if wanted(done.out):
                return done.out
            self.assertLess(time.monotonic(), deadline, f'{done.out}{done.err}\n{self.brokers[OTHER].log()}')
            time.sleep(0.1)

    def assert_all_is_read(self):
        consumer = confluent_kafka.Consumer({'bootstrap.servers': self.bootstrap, 'group.id': 'none',
                                             'enable.auto.commit': False, 'check.crcs': True, 'log_level': 0})
        self.addCleanup(consumer.close)
        consumer.assign([confluent_kafka.TopicPartition(TOPIC, partition, 0) for partition in (0, 1)])
        found = set()
        while len(found) < COUNT:
            message = consumer.poll(20)
            self.assertIsNotNone(message, f'{len(found)} can be read')
            self.assertIsNone(message.error())
            found.add(message.value())
        self.assertEqual(found, {b'%06d' % number for number in range(COUNT)})

    def test_an_empty_broker_with_the_same_id_fills_itself(self):
        self.start('102:100,101:102')
        lost = self.brokers[LOST]
        lost.kill()
        self.await_said(lambda out: '\tIsr: 100\t' in out, 'topics', '--describe')
        shutil.rmtree(lost.data)
        subprocess.run([node.MILENA, 'storage', 'format', '-t', quorum.CLUSTER_ID, '-c', lost.properties], check=True,
                       stdout=subprocess.DEVNULL)
        lost.start()
        self.await_said(lambda out: out == '', 'topics', '--describe', '--under-replicated-partitions')
        # It alone has everything.
        self.brokers[100].kill()
        self.bootstrap = f'{self.brokers[101].bootstrap},{lost.bootstrap}'
        self.await_said(lambda out: 'Leader: 102' in out, 'topics', '--describe', '--topic', TOPIC)
        self.assert_all_is_read()

    def test_its_partitions_go_to_another_broker(self):
        self.start('102:100,101:102')
        self.brokers[LOST].kill()
        self.await_said(lambda out: '102' not in out, 'cluster', 'list-endpoints')
        plan = self.running.voters[0].folder / 'plan.json'
        plan.write_text(json.dumps({'version': 1, 'partitions': [
            {'topic': TOPIC, 'partition': 0, 'replicas': [OTHER, 100]},
            {'topic': TOPIC, 'partition': 1, 'replicas': [101, OTHER]}]}))
        begun = self.tool('reassign-partitions', '--execute', '--reassignment-json-file', plan, '--throttle',
                          '10000000')
        self.assertIn(f'Successfully started partition reassignments for {TOPIC}-0,{TOPIC}-1\n', begun.out)
        verified = self.await_said(lambda out: out.count('is completed.') == 2, 'reassign-partitions', '--verify',
                                   '--reassignment-json-file', plan)
        self.assertIn('Clearing broker-level throttles on brokers 100,101,103\n', verified)
        self.assertEqual(self.tool('configs', '--describe', '--topic', TOPIC).out.count('throttled'), 0)
        self.assertEqual(self.tool('cluster', 'unregister', '--id', LOST).out,
                         'Broker 102 is no longer registered.\n')
        self.assertNotIn('102', self.tool('cluster', 'list-endpoints', '--include-fenced-brokers').out)
        self.assertEqual(self.tool('leader-election', '--election-type', 'preferred', '--topic', TOPIC, '--partition',
                                   0).exit, 0)
        self.await_said(lambda out: 'Partition: 0\tLeader: 103' in out, 'topics', '--describe', '--topic', TOPIC)
        self.assert_all_is_read()


if __name__ == '__main__':
    unittest.main()
