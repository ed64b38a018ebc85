# SPDX-License-Identifier: Apache-2.0
"""A log directory that fails on one of three nodes (KIP-112, KIP-858): what was led in it is led elsewhere, the rest of
the node lives on; with the last directory, or the metadata log's, the node ends."""
import time
import unittest

import confluent_kafka
from confluent_kafka.admin import AdminClient, NewTopic

from conversations.talk import DESCRIBE_LOG_DIRS, FETCH, Talk
from support import node, quorum, records, scraped
from support.disks import FailingDisk

KAFKA_STORAGE_ERROR = 56
DIRECTORIES = ('kafka_log_logmanager_offlinelogdirectorycount', '')
REPLICAS = ('kafka_server_replicamanager_offlinereplicacount', '')
PARTITIONS = 8


def setUpModule():
    if node.PEER:
        raise unittest.SkipTest('the formatting tool is Milena\'s')


class FailedDirectoriesTest(unittest.TestCase):
    """Node 1 has a second log directory, whose disk fails."""

    def setUp(self):
        self.running = quorum.Quorum(roles='broker,controller', extra={'min.insync.replicas': 1})
        self.addCleanup(self.running.__exit__)
        scraped.add_pages(self.running)
        self.victim = self.running.voters[0]
        self.second = self.victim.folder / 'second'
        text = self.victim.properties.read_text()
        self.victim.properties.write_text(
            text.replace(f'log.dirs={self.victim.data}', f'log.dirs={self.victim.data},{self.second}')
            + f'metadata.log.dir={self.victim.data}\n')
        self.running.__enter__()
        self.running.await_brokers()
        self.bootstrap = ','.join(voter.bootstrap for voter in self.running.voters)
        self.admin = AdminClient({'bootstrap.servers': self.bootstrap, 'log_level': 0})

    def restart_on(self, folder):
        """The node again, on a disk that the test may break."""
        self.victim.stop()
        self.disk = FailingDisk(folder, self.victim.folder)
        self.victim.environment = self.disk.environment
        self.victim.spawn()
        self.running.await_brokers()

    def create(self, name):
        """Every partition is led by node 1."""
        topic = NewTopic(name, PARTITIONS, replica_assignment=[[1, 2, 3]] * PARTITIONS)
        self.admin.create_topics([topic])[name].result(30)
        self.await_isr(name, {number: {1, 2, 3} for number in range(PARTITIONS)})

    def partitions(self, name):
        return self.admin.list_topics(name, timeout=10).topics[name].partitions

    def await_isr(self, name, wanted, timeout_s=30):
        deadline = time.monotonic() + timeout_s
        while True:
            found = {number: set(one.isrs) for number, one in self.partitions(name).items()}
            if found == wanted:
                return
            self.assertLess(time.monotonic(), deadline, f'{found}\n{self.victim.log()}')
            time.sleep(0.05)

    def await_led_by_1(self, name, timeout_s=30):
        deadline = time.monotonic() + timeout_s
        while {one.leader for one in self.partitions(name).values()} != {1}:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def produce_everywhere(self, name):
        producer = confluent_kafka.Producer({'bootstrap.servers': self.bootstrap, 'acks': 'all', 'retry.backoff.ms': 20,
                                             'message.timeout.ms': 20_000, 'log_level': 0})
        failed = []
        for number in range(PARTITIONS):
            producer.produce(name, b'x', partition=number, on_delivery=lambda error, _: error and failed.append(error))
        self.assertEqual(producer.flush(30), 0)
        self.assertEqual(failed, [])

    def in_second(self, name):
        """The partitions whose replica on node 1 lies in the second directory."""
        return {number for number in range(PARTITIONS) if (self.second / f'{name}-{number}').exists()}

    def assert_moved_away(self, name, lost, timeout_s=10):
        deadline = time.monotonic() + timeout_s
        while True:
            leaders = {number: one.leader for number, one in self.partitions(name).items()}
            if all((leaders[number] != 1) == (number in lost) for number in leaders):
                return
            self.assertLess(time.monotonic(), deadline, f'{leaders}, lost {lost}\n{self.victim.log()}')
            time.sleep(0.02)

    def test_what_was_led_there_is_led_elsewhere_and_the_rest_lives_on(self):
        self.restart_on(self.second)
        self.create('spread')
        self.await_led_by_1('spread')
        self.produce_everywhere('spread')
        lost = self.in_second('spread')
        self.assertEqual(len(lost), PARTITIONS // 2)
        self.assertEqual(scraped.metrics(self.victim)[DIRECTORIES], 0)
        self.disk.fail()
        broken = time.monotonic()
        with self.victim.connect() as connection:
            error, _ = connection.produce('spread', records.batch([b'y']), partition=min(lost))
            self.assertEqual(error, KAFKA_STORAGE_ERROR)
        self.assert_moved_away('spread', lost)
        print(f'led elsewhere {time.monotonic() - broken:.2f} s after a log directory failed')
        self.produce_everywhere('spread')
        self.await_isr('spread', {number: {2, 3} if number in lost else {1, 2, 3} for number in range(PARTITIONS)})

        seen = scraped.metrics(self.victim)
        self.assertEqual((seen[DIRECTORIES], seen[REPLICAS]), (1, len(lost)))
        label = f'logDirectory="{self.second}"'
        self.assertEqual(seen['kafka_log_logmanager_logdirectoryoffline', label], 1)
        with Talk(self.victim.port, 'dirs') as talk:
            told = talk.quietly(DESCRIBE_LOG_DIRS, 4, Topics=None)
            states = {one['LogDir']: one['ErrorCode'] for one in told['Results']}
            self.assertEqual(states, {str(self.victim.data): 0, str(self.second): KAFKA_STORAGE_ERROR})
            answer = talk.quietly(FETCH, 12, MaxWaitMs=0, MinBytes=1, MaxBytes=1 << 20,
                                  Topics=[talk.fetch_part('spread', 0, partition=min(lost))])
            self.assertEqual(answer['Responses'][0]['Partitions'][0]['ErrorCode'], KAFKA_STORAGE_ERROR)

        # It starts without the directory too, and with it everything comes back.
        self.victim.kill()
        self.victim.spawn()
        self.victim.await_line('log directory failed')
        self.running.await_brokers()
        self.await_isr('spread', {number: {2, 3} if number in lost else {1, 2, 3} for number in range(PARTITIONS)})
        self.assertEqual(scraped.metrics(self.victim)[DIRECTORIES], 1)
        self.disk.heal()
        self.victim.kill()
        self.victim.spawn()
        self.await_isr('spread', {number: {1, 2, 3} for number in range(PARTITIONS)})
        self.assertEqual(scraped.metrics(self.victim)[DIRECTORIES], 0)

    def test_with_the_directory_of_the_metadata_log_the_node_ends(self):
        self.restart_on(self.victim.data)
        self.create('doomed')
        self.await_led_by_1('doomed')
        self.disk.fail()
        with self.victim.connect() as connection:
            connection.produce('doomed', records.batch([b'y']),
                               partition=min(set(range(PARTITIONS)) - self.in_second('doomed')))
        self.assertEqual(self.victim.process.wait(30), 1)
        # Who writes first notices.
        phrases = 'the directory of the metadata log', 'metadata quorum failed'
        self.assertTrue([line for line in self.victim.log().splitlines() for phrase in phrases
                         if phrase in line and str(self.victim.data) in line], self.victim.log())
        self.await_isr('doomed', {number: {2, 3} for number in range(PARTITIONS)})
        self.victim.spawn()
        self.assertEqual(self.victim.process.wait(30), 1, 'it does not start without it either')


class LastDirectoryTest(unittest.TestCase):
    """One node with two directories, and its metadata log in a third."""

    def setUp(self):
        self.one = node.Node()
        self.addCleanup(self.one.__exit__)
        self.directories = [self.one.folder / 'disk-1', self.one.folder / 'disk-2']
        with open(self.one.properties, 'a', encoding='utf-8') as properties:
            properties.write(f'log.dirs={",".join(map(str, self.directories))}\n'
                             f'metadata.log.dir={self.one.folder}/metadata\n')

    def fill(self):
        """A topic in each."""
        with self.one.connect() as connection:
            for name in ('t', 'u'):
                connection.make_topic(name)
        self.assertNotEqual((self.directories[0] / 't-0').exists(), (self.directories[0] / 'u-0').exists())

    def test_with_its_last_directory_a_broker_ends(self):
        disk = FailingDisk(self.one.folder / 'disk', self.one.folder)
        self.one.environment = {**disk.environment, 'FAILING_FOLDER': f'{self.one.folder}/disk-'}
        self.one.start()
        self.fill()
        disk.fail()
        with self.one.connect() as connection:
            self.assertEqual(connection.produce('t', records.batch([b'x']))[0], KAFKA_STORAGE_ERROR)
            self.assertEqual(connection.metadata().brokers.keys(), {1}, 'one is left')
            self.assertEqual(connection.produce('u', records.batch([b'x']))[0], KAFKA_STORAGE_ERROR)
        self.assertEqual(self.one.process.wait(30), 1)
        self.one.await_line('all directories of log.dirs have failed')

    def test_a_broker_starts_with_what_is_there_and_not_with_nothing(self):
        self.one.start()
        self.fill()
        self.one.stop()
        first, second = self.directories
        for lost in self.directories:
            lost.rename(f'{lost}.unplugged')
            lost.write_text('in the place of a directory')
        self.one.spawn()
        self.assertEqual(self.one.process.wait(30), 1)
        self.assertIn(str(second), self.one.await_line('not started'))
        first.unlink()
        (self.one.folder / 'disk-1.unplugged').rename(first)
        self.one.start()
        self.one.await_line('log directory failed')
        with self.one.connect() as connection:
            errors = {name: connection.produce(name, records.batch([b'x']))[0] for name in ('t', 'u')}
        here = 't' if (first / 't-0').exists() else 'u'
        self.assertEqual(errors.pop(here), 0)
        self.assertNotEqual(errors.popitem()[1], 0, 'its log is elsewhere, and is not made anew')


if __name__ == '__main__':
    unittest.main()
