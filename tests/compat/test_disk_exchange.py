# SPDX-License-Identifier: Apache-2.0
"""A folder goes from Milena to Apache Kafka and back, and each finds in it what the other wrote.

Needs a JDK and Maven, which fetches Apache Kafka; without them these tests skip themselves.
"""
import subprocess
import time
import unittest

from support import apache, node, records


def setUpModule():
    if node.PEER or apache.jars() is None:
        raise unittest.SkipTest('Apache Kafka needs a JDK and Maven')


class DiskExchangeTest(unittest.TestCase):
    def setUp(self):
        self.jars = apache.jars()
        self.server = node.Node()
        self.addCleanup(self.server.__exit__)

    def start(self, peer):
        self.server.peer = peer
        self.server.start(timeout_s=120)

    def produce(self, values, topic='t'):
        with self.server.connect(timeout_s=60) as connection:
            connection.await_leader(topic, timeout_s=60)
            for value in values:
                self.assertEqual(connection.produce(topic, records.batch([value]))[0], 0)

    def read(self, topic='t'):
        values = []
        with self.server.connect(timeout_s=60) as connection:
            connection.await_leader(topic, timeout_s=60)
            _, end = connection.list_offset(topic, -1)
            while len(values) < end:
                error, _, data = connection.fetch(topic, len(values))
                self.assertEqual(error, 0)
                values += [value for offset, value in records.read(data) if offset >= len(values)]
        return values

    def make_topic(self):
        with self.server.connect(timeout_s=60) as connection:
            connection.make_topic('t', timeout_s=60)

    def test_each_starts_from_what_the_others_tool_has_formatted(self):
        apache.format_storage(self.jars, self.server.properties)
        self.start(peer=None)
        self.make_topic()
        self.produce([b'in a directory that Apache formatted'])
        self.assertEqual(self.server.stop(), 0)

        other = node.Node()
        self.addCleanup(other.__exit__)
        subprocess.run([node.MILENA, 'storage', 'format', '-t', apache.CLUSTER_ID, '-c', other.properties, '-s'],
                       check=True, stdout=subprocess.DEVNULL)
        other.peer = self.jars
        other.start(timeout_s=120)
        self.assertEqual(other.meta_properties()['cluster.id'], apache.CLUSTER_ID)

    def test_from_milena_to_apache_kafka_and_back(self):
        written = [b'from milena %d' % n for n in range(100)]
        self.start(peer=None)
        self.make_topic()
        self.produce(written)
        self.assertEqual(self.server.stop(), 0)
        ids = self.server.meta_properties()

        self.start(peer=self.jars)
        self.assertEqual(self.read(), written)
        written += [b'from apache %d' % n for n in range(100)]
        self.produce(written[100:])
        self.server.stop()
        self.assertEqual(self.server.meta_properties(), ids)

        self.start(peer=None)
        self.assertEqual(self.read(), written)

    def test_from_apache_kafka_killed_to_milena(self):
        written = [b'from apache %d' % n for n in range(100)]
        self.start(peer=self.jars)
        self.make_topic()
        self.produce(written)
        self.server.kill()
        self.start(peer=None)
        self.assertEqual(self.read(), written)

    def test_apaches_dump_tool_reads_every_segment(self):
        self.start(peer=None)
        self.make_topic()
        self.produce([b'value %d' % n for n in range(50)])
        self.server.stop()
        for log, flag in (('t-0', '--print-data-log'), ('__cluster_metadata-0', '--cluster-metadata-decoder')):
            segment = self.server.data / log / '00000000000000000000.log'
            said = apache.tool(self.jars, 'org.apache.kafka.tools.DumpLogSegments', '--deep-iteration', flag, '--files',
                               segment)
            self.assertIn('isvalid: true', said)
            self.assertNotIn('isvalid: false', said)
            if log == 't-0':
                self.assertIn('payload: value 49', said)
        index = self.server.data / 't-0' / '00000000000000000000.timeindex'
        said = apache.tool(self.jars, 'org.apache.kafka.tools.DumpLogSegments', '--files', index)
        self.assertNotIn('mismatch', said)


class MetadataSnapshotTest(unittest.TestCase):
    """The state of the cluster goes over in a snapshot: the log has lost its beginning."""

    # What both take; their snapshots come every few topics. Apache Kafka unfences a broker in one batch, which must fit
    # a segment.
    SETTINGS = {'metadata.log.max.record.bytes.between.snapshots': 15_000,
                'internal.metadata.log.segment.bytes': 40_000, 'metadata.max.retention.bytes': 60_000}

    def setUp(self):
        self.jars = apache.jars()
        self.server = node.Node(self.SETTINGS)
        self.addCleanup(self.server.__exit__)

    def start(self, peer):
        self.server.peer = peer
        self.server.start(timeout_s=120)

    def metadata_files(self, kind):
        return sorted((self.server.data / '__cluster_metadata-0').glob('*' + kind))

    def make_topics(self, first, last):
        with self.server.connect(timeout_s=60) as connection:
            for number in range(first, last):
                connection.make_topic(f't{number}', 3, {'retention.ms': str(1000 + number)}, 60)

    def await_snapshot(self, count=2, timeout_s=60):
        deadline = time.monotonic() + timeout_s
        while len([f for f in self.metadata_files('.checkpoint') if not f.name.startswith('0' * 20)]) < count:
            self.assertLess(time.monotonic(), deadline, 'no snapshot was written')
            time.sleep(0.1)

    def assert_topics(self, count):
        with self.server.connect(timeout_s=60) as connection:
            for number in range(count):
                connection.await_leader(f't{number}', timeout_s=60)

    def test_from_milena_to_apache_kafka_and_back(self):
        self.start(peer=None)
        self.make_topics(0, 150)
        self.await_snapshot(1)
        self.assertEqual(self.server.stop(), 0)
        segments = self.metadata_files('.log')
        self.assertGreater(int(segments[0].stem), 0, 'the log still has its beginning')
        newest = self.metadata_files('.checkpoint')[-1]
        said = apache.tool(self.jars, 'org.apache.kafka.tools.DumpLogSegments', '--cluster-metadata-decoder', '--files',
                           newest)
        for phrase in ('SnapshotHeader', 'SnapshotFooter', 'KRaftVersion', 'KRaftVoters', '"name":"t0"'):
            self.assertIn(phrase, said)
        self.assertNotIn('isvalid: false', said)

        self.start(peer=self.jars)
        self.assert_topics(150)
        self.make_topics(150, 200)
        self.await_snapshot(2)
        self.server.stop()

        self.start(peer=None)
        self.assertIn('loaded metadata snapshot', self.server.log())
        self.assert_topics(200)


class PeerToolsTest(unittest.TestCase):
    def test_apaches_topics_tool_makes_and_describes_a_topic(self):
        with node.Node() as server:
            jars = apache.jars()
            topics = 'org.apache.kafka.tools.TopicCommand'
            apache.tool(jars, topics, '--bootstrap-server', server.bootstrap, '--create', '--topic', 'made',
                        '--partitions',
                        3)
            with server.connect() as connection:
                self.assertEqual(len(connection.metadata(['made']).topics['made'][1]), 3)
            listed = apache.tool(jars, topics, '--bootstrap-server', server.bootstrap, '--list')
            self.assertEqual([line for line in listed.splitlines() if line == 'made'], ['made'])

    def test_apaches_console_producer_is_read_by_kcat(self):
        with node.Node() as server:
            lines = b''.join(b'line %d\n' % n for n in range(1000))
            producer = apache.java(apache.jars(), apache.TOOL_OPTIONS, 'org.apache.kafka.tools.ConsoleProducer',
                                   '--bootstrap-server', server.bootstrap, '--topic', 'c')
            subprocess.run(producer, input=lines, check=True, timeout=120, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            read = subprocess.run(['kcat', '-C', '-b', server.bootstrap, '-t', 'c', '-o', 'beginning', '-e', '-q'],
                                  check=True, timeout=60, stdout=subprocess.PIPE)
            self.assertEqual(read.stdout, lines)


if __name__ == '__main__':
    unittest.main()
