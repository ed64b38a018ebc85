# SPDX-License-Identifier: Apache-2.0
"""milena storage formats what a node starts from, and says what kafka-storage says."""
import re
import shutil
import subprocess
import unittest

from support import node

CLUSTER = 'abcdefghijklmnopqrstuQ'
DIRECTORY = 'MvDxzVmcRsaTz33bUuRU6A'


@unittest.skipIf(node.PEER, 'about the tool of Milena')
class StorageToolTest(unittest.TestCase):
    def setUp(self):
        self.node = node.Node()
        self.addCleanup(self.node.__exit__)

    def storage(self, *arguments):
        return subprocess.run([node.MILENA, 'storage', *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False)

    def format(self, *arguments, cluster=CLUSTER):
        return self.storage('format', '-t', cluster, '-c', self.node.properties, *arguments)

    def test_a_node_starts_from_what_was_formatted(self):
        done = self.format('--standalone')
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        lines = done.stdout.splitlines()
        self.assertTrue(lines[0].startswith(
            "Bootstrap metadata: BootstrapMetadata(records=[ApiMessageAndVersion(FeatureLevelRecord("
            "name='metadata.version', featureLevel=33) at version 0), "), lines[0])
        self.assertTrue(lines[0].endswith('], metadataVersionLevel=33, source=format command)'), lines[0])
        self.assertEqual(lines[1:], [
            f'Formatting dynamic metadata voter directory {self.node.data} with metadata.version 4.4-IV2.'])
        with self.node:
            self.assertEqual(self.node.meta_properties()['cluster.id'], CLUSTER)

    def test_what_is_formatted_is_not_formatted_again(self):
        self.assertEqual(self.format('-s').returncode, 0)
        done = self.format('-s')
        self.assertEqual((done.returncode, done.stdout, done.stderr), (
            1, '', f'Log directory {self.node.data} is already formatted. Use --ignore-formatted to ignore this '
                   'directory and format the others.\n'))
        done = self.format('-s', '-g')
        self.assertEqual((done.returncode, done.stdout), (0, 'All of the log directories are already formatted.\n'))

    def test_another_clusters_directory_is_named_with_both_ids(self):
        self.assertEqual(self.format('-s').returncode, 0)
        done = self.format('-s', '-g', cluster='zzzzefghijklmnopqrstuQ')
        self.assertEqual(done.returncode, 1)
        self.assertIn(f'Invalid cluster.id in: {self.node.data}/meta.properties. Expected zzzzefghijklmnopqrstuQ, but '
                      f'read {CLUSTER}.', done.stderr)

    def test_somebody_elses_files_stay_as_they_are(self):
        self.node.data.mkdir()
        (self.node.data / 'letters').write_text('dear')
        done = self.format('-s')
        self.assertEqual(done.returncode, 1)
        self.assertIn('letters', done.stderr)
        self.assertEqual([p.name for p in self.node.data.iterdir() if p.name != '.lock'], ['letters'])

    def test_a_controller_must_know_its_voters(self):
        done = self.format()
        self.assertEqual((done.returncode, done.stderr), (
            1, 'Because controller.quorum.voters is not set on this controller, you must specify one of the following: '
               '--standalone, --initial-controllers, or --no-initial-controllers.\n'))

    def test_an_initial_controller_gets_the_directory_id_that_was_said(self):
        done = self.format('-I', f'1@127.0.0.1:{self.node.controller_port}:{DIRECTORY}')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.node.meta_properties()['directory.id'], DIRECTORY)
        with self.node:
            pass

    def test_levels_that_there_are_not_are_refused(self):
        for arguments, words in (
                (('-r', '3.0-IV0'), "Unknown metadata.version '3.0-IV0'. Supported metadata.version are: 3.3-IV3, 3.4"),
                (('-f', 'kraft.version=0'), 'Cannot set kraft.version to 0 if controller.quorum.voters is empty'),
                (('-f', 'nope=1'), 'Unsupported feature: nope. Supported features are: eligible.leader.replicas'),
                (('-f', 'group.version=9'), 'No feature:group.version with feature level 9')):
            done = self.format('-s', *arguments)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)
            self.assertFalse(self.node.data.exists())

    def test_a_copied_directory_fails_the_start_by_name(self):
        first, second = self.node.folder / 'a', self.node.folder / 'b'
        with open(self.node.properties, 'a', encoding='utf-8') as properties:
            properties.write(f'log.dirs={first},{second}\n')
        self.assertEqual(self.format('-s').returncode, 0)
        shutil.copy(first / 'meta.properties', second / 'meta.properties')
        self.assertNotEqual(self.node.spawn().wait(60), 0)
        self.assertIn(f'{first} and {second} both have directory.id=', self.node.log())

    def test_info_tells_what_is_there_and_what_is_missing(self):
        done = self.storage('info', '-c', self.node.properties)
        self.assertEqual((done.returncode, done.stdout), (
            1, f'Found problem:\n  {self.node.data} does not exist\n\n'))
        self.format('-s')
        done = self.storage('info', '-c', self.node.properties)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.replace(self.node.meta_properties()['directory.id'], 'ID'),
                         f'Found log directory:\n  {self.node.data}\n\nFound metadata: {{cluster.id={CLUSTER}, '
                         'directory.id=ID, node.id=1, version=1}\n\n')

    def test_it_knows_which_levels_belong_together(self):
        self.assertEqual(self.storage('version-mapping', '-r', '3.9-IV0').stdout,
                         'metadata.version=21 (3.9-IV0)\nkraft.version=1\ntransaction.version=0\ngroup.version=0\n'
                         'eligible.leader.replicas.version=0\nshare.version=0\nstreams.version=0\n')
        self.assertEqual(self.storage('version-mapping').stdout,
                         'metadata.version=33 (4.4-IV2)\nkraft.version=1\ntransaction.version=2\ngroup.version=1\n'
                         'eligible.leader.replicas.version=1\nshare.version=2\nstreams.version=1\n')
        self.assertEqual(self.storage('feature-dependencies', '-f', 'transaction.version=2').stdout,
                         'transaction.version=2 has no dependencies.\n')

    def test_an_id_is_random(self):
        ids = {self.storage('random-uuid').stdout for _ in range(3)}
        self.assertEqual(len(ids), 3)
        for one in ids:
            self.assertRegex(one, re.compile(r'^[A-Za-z0-9_-]{22}\n$'))

    def test_an_unknown_action_is_refused(self):
        done = self.storage('bogus')
        self.assertEqual(done.returncode, 1)
        self.assertIn("invalid choice: 'bogus'", done.stderr)


if __name__ == '__main__':
    unittest.main()
