# SPDX-License-Identifier: Apache-2.0
"""What Apache Kafka's dump tool prints of a folder that Apache Kafka wrote, Milena's prints too: every file of it.

The folder is tests/golden/kafka-4.4-logdir.tar.zst, with transactions, groups of all kinds, every codec, a metadata
log and its snapshots. Needs a JDK and Maven, which fetches Apache's tool; without them these tests skip themselves.
"""
import pathlib
import subprocess
import tempfile
import unittest

from support import apache, node, tools

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / 'golden' / 'kafka-4.4-logdir.tar.zst'
DECODERS = {'__consumer_offsets': '--offsets-decoder', '__transaction_state': '--transaction-log-decoder',
            '__share_group_state': '--share-group-state-decoder', '__cluster_metadata': '--cluster-metadata-decoder'}


class DumpLogTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.jars = node.jars_beside()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        subprocess.run(['tar', '--zstd', '-xf', GOLDEN, '-C', folder.name], check=True)
        cls.folder = pathlib.Path(folder.name) / 'kafka-4.4-logdir' / 'clean'

    def logs(self, pattern='*'):
        """Segments with something in them."""
        return [path for path in sorted(self.folder.glob(f'{pattern}/*.log')) if path.stat().st_size]

    def both(self, files, *flags):
        """What both tools print of the files; gives it once it is the same."""
        arguments = ['--files', ','.join(map(str, files)), *flags]
        command = apache.java(self.jars, apache.TOOL_OPTIONS, 'org.apache.kafka.tools.DumpLogSegments', *arguments)
        theirs = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        ours = tools.run('dump-log', *arguments)
        self.assertEqual(ours.out.splitlines(), theirs.stdout.splitlines())
        self.assertEqual(ours.exit, theirs.returncode)
        if not theirs.returncode:
            # Findings come in the order of a Java map, which nothing promises.
            self.assertEqual(sorted(ours.err.splitlines()), sorted(theirs.stderr.splitlines()))
        return ours.out

    def test_records_of_every_log(self):
        self.assertIn('compresscodec: zstd', self.both(self.logs('[!_]*'), '--print-data-log'))

    def test_records_without_what_is_about_them(self):
        self.both(self.logs('[!_]*'), '--print-data-log', '--skip-record-metadata')

    def test_batches_and_their_beginning(self):
        self.both(self.logs(), '--max-bytes', '300')
        self.both(self.logs(), '--deep-iteration')

    def test_records_of_coordinators_and_of_the_metadata_log(self):
        for topic, decoder in DECODERS.items():
            with self.subTest(topic=topic):
                self.assertIn('{"type":"', self.both(self.logs(f'{topic}-*'), decoder))

    def test_records_that_are_not_what_the_decoder_takes(self):
        plain = self.logs('plain-0')
        for decoder in (*DECODERS.values(), '--value-decoder-class=org.apache.kafka.tools.api.IntegerDecoder'):
            with self.subTest(decoder=decoder):
                self.both(plain, decoder)

    def test_indexes_and_snapshots(self):
        files = sorted(path for pattern in ('*.index', '*.timeindex', '*.txnindex', '*.snapshot')
                       for path in self.folder.glob(f'[!_]*/{pattern}') if path.with_suffix('.log').exists()
                       and path.stat().st_size)
        self.assertGreater(len(files), 10)
        self.both(files)
        self.both(files, '--verify-index-only')
        # The tool ends at the first one that is preallocated: it ends in zeros.
        for path in files:
            if path.suffix in ('.index', '.timeindex') and path.parent.name.startswith(('gone', 'segments')):
                self.both([path], '--index-sanity-check')

    def test_snapshots_of_the_metadata_log(self):
        self.both(sorted(self.folder.glob('__cluster_metadata-0/*.checkpoint')), '--cluster-metadata-decoder')

    def test_a_time_index_that_is_wrong(self):
        index = self.folder / 'trimmed-0' / '00000000000000000192.timeindex'
        right = index.read_bytes()
        self.addCleanup(index.write_bytes, right)
        # The second entry has a time that is too low.
        index.write_bytes(right[:12] + (1795960800100).to_bytes(8, 'big') + right[20:])
        self.both([index])
        index.write_bytes(right + b'abc')
        self.both([index], '--index-sanity-check')


if __name__ == '__main__':
    unittest.main()
