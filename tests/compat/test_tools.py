# SPDX-License-Identifier: Apache-2.0
"""Apache Kafka's own tools print of Milena what they print of Apache Kafka.

Both servers run beside each other, each fresh; every tool is run against one and then against the other. What no two
servers share (ids, ports, offsets, the time) is replaced by a word before the two outputs are compared.
"""
import re
import subprocess
import time
import unittest

from support import apache, node, records

TOOLS = {'topics': 'org.apache.kafka.tools.TopicCommand', 'cluster': 'org.apache.kafka.tools.ClusterTool',
         'configs': 'org.apache.kafka.tools.ConfigCommand', 'get-offsets': 'org.apache.kafka.tools.GetOffsetShell',
         'dump-log': 'org.apache.kafka.tools.DumpLogSegments',
         'producer-perf-test': 'org.apache.kafka.tools.ProducerPerformance',
         'features': 'org.apache.kafka.tools.FeatureCommand',
         'metadata-quorum': 'org.apache.kafka.tools.MetadataQuorumCommand',
         'broker-api-versions': 'org.apache.kafka.tools.BrokerApiVersionsCommand',
         'leader-election': 'org.apache.kafka.tools.LeaderElectionCommand',
         'reassign-partitions': 'org.apache.kafka.tools.reassign.ReassignPartitionsCommand'}
ID = r'(?<![\w-])[\w-]{22}(?![\w-])'
TIMES = r'(?<!\d)1\d{12}(?!\d)'


class ToolsTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.jars = node.jars_beside()
        cls.apache, cls.milena = node.Node(), node.Node()
        cls.apache.peer = cls.jars
        for server in (cls.apache, cls.milena):
            cls.addClassCleanup(server.__exit__)
            server.start()

    def run_tool(self, server, tool, *arguments, controller=False):
        """(exit code, output in which every server would have said the same)."""
        option = '--bootstrap-controller' if controller else '--bootstrap-server'
        port = server.controller_port if controller else server.port
        arguments = [str(argument).replace('FOLDER', str(server.folder)) for argument in arguments]
        if tool != 'dump-log':
            arguments = [option, f'127.0.0.1:{port}', *arguments]
        command = apache.java(self.jars, apache.TOOL_OPTIONS, TOOLS[tool], *arguments)
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                              timeout=120)
        text = done.stdout.replace(str(server.controller_port), 'CONTROLLERPORT').replace(str(server.port), 'PORT')
        text = text.replace(str(server.folder), 'FOLDER')
        text = re.sub(r'(?ms)^\d{4}-\S+ (INFO|WARN) .*?\([\w.$]+\)\n', '', text)
        text = re.sub(r'(?m)^\d{4}-\d\d-\d\dT\S+', 'TIME', text)
        return done.returncode, re.sub(TIMES, 'NOW', re.sub(ID, 'ID', text))

    def both(self, tool, *arguments, keep=lambda text: text, **how):
        """Runs the tool against both; gives what Milena's run printed, once it is what Apache's did."""
        theirs, ours = (self.run_tool(server, tool, *arguments, **how) for server in (self.apache, self.milena))
        self.assertEqual((ours[0], keep(ours[1])), (theirs[0], keep(theirs[1])))
        return ours[1]

    def test_topics_are_made_grown_and_deleted(self):
        self.assertIn('Created topic t.', self.both('topics', '--create', '--topic', 't', '--partitions', '3'))
        self.both('topics', '--create', '--topic', 't')
        self.assertIn('t\n', self.both('topics', '--list'))
        self.both('topics', '--alter', '--topic', 't', '--partitions', '5')
        self.both('topics', '--alter', '--topic', 't', '--partitions', '2')
        described = self.both('topics', '--describe', '--topic', 't')
        self.assertIn('PartitionCount: 5', described)
        self.both('topics', '--describe', '--topic', 'missing')
        self.both('leader-election', '--election-type', 'PREFERRED', '--all-topic-partitions')
        self.both('leader-election', '--election-type', 'UNCLEAN', '--topic', 't', '--partition', '0')
        self.both('leader-election', '--election-type', 'PREFERRED', '--topic', 't', '--partition', '9')
        self.both('reassign-partitions', '--list')
        self.both('topics', '--delete', '--topic', 't')
        self.both('topics', '--delete', '--topic', 'missing')

    def on_both(self, topic, values, partitions=1):
        """Makes the topic on both, and writes the same batch of the values to its first partition."""
        batch = records.batch(values, int(time.time() * 1000))
        for server in (self.apache, self.milena):
            with server.connect(timeout_s=60) as connection:
                connection.make_topic(topic, partitions, timeout_s=60)
                self.assertEqual(connection.produce(topic, batch), (0, 0))

    def test_configs_are_set_shown_and_deleted(self):
        self.on_both('configured', [b'a'])
        topic = ['--entity-type', 'topics', '--entity-name', 'configured']
        self.both('configs', '--describe', *topic)
        self.both('configs', '--alter', *topic, '--add-config', 'retention.ms=70000,cleanup.policy=[compact,delete]')
        self.assertIn('retention.ms=70000', self.both('configs', '--describe', *topic))
        self.both('configs', '--describe', '--all', *topic)
        self.both('configs', '--alter', *topic, '--delete-config', 'retention.ms')
        self.both('configs', '--alter', *topic, '--add-config', 'nope=1')
        self.both('configs', '--alter', *topic, '--add-config', 'retention.ms=much')
        broker = ['--entity-type', 'brokers', '--entity-name', '1']
        self.both('configs', '--alter', *broker, '--add-config', 'log.retention.ms=70000')
        self.assertIn('log.retention.ms=70000', self.both('configs', '--describe', *broker))
        self.both('configs', '--alter', *broker, '--delete-config', 'log.retention.ms')
        self.both('configs', '--describe', '--entity-type', 'brokers', '--entity-default')

    def test_offsets_are_told(self):
        self.on_both('told', [b'a', b'b', b'c'], partitions=2)
        self.assertEqual(self.both('get-offsets', '--topic', 'told'), 'told:0:3\ntold:1:0\n')
        for when in ('earliest', 'max-timestamp', 'earliest-local', '0'):
            self.both('get-offsets', '--topic', 'told', '--time', when)
        self.both('get-offsets', '--topic-partitions', 'told:1')
        self.both('get-offsets', '--topic', 'missing')

    def test_the_producers_test_says_the_same_but_for_its_numbers(self):
        self.on_both('perf', [b'a'])

        def without_numbers(text):
            return re.sub(r'\d+\.\d+ |\d+ (?=ms)', 'N ', re.sub(r'\(\d+\.\d+', '(N', text))
        test = ['--topic', 'perf', '--num-records', '500', '--record-size', '100', '--throughput', '-1',
                '--reporting-interval', '600000']
        for more in ([], ['--command-property', 'acks=1', 'compression.type=lz4'], ['--warmup-records', '200']):
            said = self.both('producer-perf-test', *test, *more, keep=without_numbers)
            self.assertIn('500 records sent', said)
        self.assertEqual(self.both('get-offsets', '--topic', 'perf'), 'perf:0:1501\n')

    def test_the_log_of_one_is_dumped_as_that_of_the_other(self):
        self.on_both('dumped', [b'one', b'two', b'three'])
        log = 'FOLDER/data/dumped-0/00000000000000000000.log'
        said = self.both('dump-log', '--files', log, '--print-data-log')
        self.assertIn('payload: three', said)
        self.assertIn('isvalid: true', said)
        self.both('dump-log', '--files', log, '--deep-iteration', '--skip-record-metadata')

    def test_the_cluster_is_described(self):
        self.both('cluster', 'cluster-id', keep=lambda text: re.sub(r'Cluster ID: \S+', 'Cluster ID: ID', text))
        self.both('cluster', 'list-endpoints')
        self.both('cluster', 'list-endpoints', controller=True)
        self.both('cluster', 'unregister', '--id', '7')

    def test_the_quorum_is_described(self):
        def without_offsets(text):
            text = re.sub(r'(?m)^(ClusterId|LeaderEpoch|HighWatermark): .*$', r'\1', text)
            return re.sub(r'(?m)^(1 +\tID\t)\d+ +\t', r'\1OFFSET\t', text)
        for controller in (False, True):
            for what in ('--status', '--replication'):
                self.both('metadata-quorum', 'describe', what, keep=without_offsets, controller=controller)

    def test_features_are_described_and_changed(self):
        def without_epoch(text):
            return re.sub(r'Epoch: \d+', 'Epoch', text)
        self.both('features', 'describe', keep=without_epoch)
        self.both('features', 'describe', keep=without_epoch, controller=True)
        self.both('features', 'downgrade', '--feature', 'streams.version=0', '--dry-run')
        self.both('features', 'downgrade', '--feature', 'streams.version=0')
        self.both('features', 'upgrade', '--feature', 'streams.version=1')
        self.both('features', 'upgrade', '--feature', 'streams.version=7')
        self.both('features', 'downgrade', '--metadata', '4.3-IV0')

    def test_the_versions_of_apis_are_those_of_apache(self):
        theirs, ours = (self.run_tool(server, 'broker-api-versions') for server in (self.apache, self.milena))
        served = [line for line in ours[1].rstrip().splitlines() if 'UNSUPPORTED' not in line]
        self.assertGreater(len(served), 15)
        for line in served:
            self.assertIn(line.rstrip(','), theirs[1])


if __name__ == '__main__':
    unittest.main()
