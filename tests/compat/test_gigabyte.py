# SPDX-License-Identifier: Apache-2.0
"""One GB of real text goes through one partition, over the end of a segment, and comes out again byte for byte."""
import hashlib
import pathlib
import subprocess
import tempfile
import unittest

from compat import clients
from support import node, text

BYTES = 1_000_000_000
TIMEOUT_S = 300


class GigabyteTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='milena-gigabyte-')
        self.addCleanup(folder.cleanup)
        self.program = clients.Librdkafka(folder.name).program
        source = pathlib.Path(folder.name, 'text')
        text.make(source)
        self.text = source.read_bytes()
        self.times = -(-BYTES // len(self.text))

    def test_a_gigabyte_goes_through_one_partition(self):
        digest = hashlib.sha256()
        with node.Node() as server:
            with subprocess.Popen([self.program, 'produce', server.bootstrap, 'gigabyte', 'none'],
                                  stdin=subprocess.PIPE) as writer:
                for _ in range(self.times):
                    writer.stdin.write(self.text)
                    digest.update(self.text)
                writer.stdin.close()
                self.assertEqual(writer.wait(TIMEOUT_S), 0)
            segments = sorted(pathlib.Path(server.data, 'gigabyte-0').glob('*.log'))
            self.assertGreaterEqual(len(segments), 2, 'all of it fits into one segment')
            self.assertEqual(self.read(server.bootstrap), (self.times * len(self.text), digest.hexdigest()))

    def read(self, bootstrap):
        """The length and the SHA-256 of all records."""
        length, digest = 0, hashlib.sha256()
        with subprocess.Popen([self.program, 'consume', bootstrap, 'gigabyte'], stdout=subprocess.PIPE) as reader:
            while piece := reader.stdout.read(1 << 20):
                length += len(piece)
                digest.update(piece)
            self.assertEqual(reader.wait(TIMEOUT_S), 0)
        return length, digest.hexdigest()


if __name__ == '__main__':
    unittest.main()
