# SPDX-License-Identifier: Apache-2.0
"""Apache Kafka's own tools print of Milena what they print of Apache Kafka.

Both servers run beside each other, each fresh; every tool is run against one and then against the other. What no two
servers share (ids, ports, offsets, the time) is replaced by a word before the two outputs are compared.
"""
import re
import subprocess
import unittest

from support import apache, node

TOOLS = {'topics': 'org.apache.kafka.tools.TopicCommand', 'cluster': 'org.apache.kafka.tools.ClusterTool',
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
        cls.jars = None if node.PEER else apache.jars()
        if cls.jars is None:
            raise unittest.SkipTest('needs a JDK and Maven for Apache Kafka and its tools, and Milena beside it')
        cls.apache, cls.milena = node.Node(), node.Node()
        cls.apache.peer = cls.jars
        for server in (cls.apache, cls.milena):
            cls.addClassCleanup(server.__exit__)
            server.start()

    def run_tool(self, server, tool, *arguments, controller=False):
        """(exit code, output in which every server would have said the same)."""
        option = '--bootstrap-controller' if controller else '--bootstrap-server'
        port = server.controller_port if controller else server.port
        command = apache.java(self.jars, apache.TOOL_OPTIONS, TOOLS[tool], option, f'127.0.0.1:{port}', *arguments)
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                              timeout=120)
        text = done.stdout.replace(str(server.controller_port), 'CONTROLLERPORT').replace(str(server.port), 'PORT')
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
        self.assertEqual(self.both('topics', '--list'), 't\n')
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
