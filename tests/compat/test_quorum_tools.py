# SPDX-License-Identifier: Apache-2.0
"""Milena's tools about a quorum print what Apache's do: features of a cluster, and a log that three nodes wrote."""
import re
import subprocess
import time
import unittest

from support import apache, node, quorum, tools

FEATURES, DUMP = 'org.apache.kafka.tools.FeatureCommand', 'org.apache.kafka.tools.DumpLogSegments'


class QuorumToolsTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.jars = node.jars_beside()

    def theirs(self, main, *arguments):
        done = subprocess.run(apache.java(self.jars, apache.TOOL_OPTIONS, main, *arguments), capture_output=True,
                              text=True, check=False, timeout=120)
        return done.returncode, re.sub(r'(?ms)^\d{4}-\S+ (INFO|WARN) .*?\([\w.$]+\)\n', '', done.stdout), done.stderr

    def assert_same(self, main, name, *arguments, keep=lambda text: text):
        """What Milena's tool prints, once it is what Apache's does."""
        arguments = [str(argument) for argument in arguments]
        code, out, err = self.theirs(main, *arguments)
        ours = tools.run(name, *arguments)
        self.assertEqual((ours.exit, keep(ours.out)), (code, keep(out)), (ours.err, err))
        if 'usage:' not in err:
            self.assertEqual(ours.err.strip(), re.sub(r'(?m)^\tat .*\n?', '', err).strip())
        return ours.out

    def test_features_are_described_and_changed(self):
        with node.Node() as server:
            def same(*arguments):
                return self.assert_same(FEATURES, 'features', '--bootstrap-server', server.bootstrap, *arguments,
                                        keep=lambda text: re.sub(r'Epoch: \d+', 'Epoch', text))
            self.assertIn('metadata.version', same('describe'))
            same('upgrade', '--release-version', '4.4-IV2')
            same('upgrade', '--feature', 'share.version=1')
            same('downgrade', '--feature', 'share.version=1', '--dry-run')
            same('upgrade', '--feature', 'nope.version=1')
            same('downgrade', '--feature', 'kraft.version=0')
            same('downgrade', '--release-version', '3.9-IV0')
            same('disable', '--feature', 'streams.version', '--dry-run')

    def test_features_that_belong_together(self):
        self.assert_same(FEATURES, 'features', 'version-mapping')
        self.assert_same(FEATURES, 'features', 'version-mapping', '--release-version', '4.0-IV3')
        self.assert_same(FEATURES, 'features', 'feature-dependencies', '--feature',
                         'eligible.leader.replicas.version=1', '--feature', 'metadata.version=25')
        self.assert_same(FEATURES, 'features', 'feature-dependencies', '--feature', 'nope=1')

    def test_the_log_of_three_nodes_is_dumped_by_both(self):
        with quorum.Quorum(roles='broker,controller') as running:
            leader, described = running.leader()
            deadline = time.monotonic() + 60
            with leader.connect() as connection:
                while connection.create_topic('dumped', 3) != 0:
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.1)
            leader.kill()
            running.leader(but=leader)
            running.await_committed(described['HighWatermark'] + 10)
            for voter in running.voters:
                voter.kill()
            for voter in running.voters:
                log = sorted((voter.data / quorum.LOG).glob('*.log'))[0]
                said = self.assert_same(DUMP, 'dump-log', '--cluster-metadata-decoder', '--files', log)
                self.assertIn('"type":"TOPIC_RECORD"', said)
                self.assertIn('LeaderChange', said)


if __name__ == '__main__':
    unittest.main()
