# SPDX-License-Identifier: Apache-2.0
"""A real text of 50 MB goes in and comes out again, byte for byte, through each client and codec.

The node is stopped and started between writing and reading: cleanly where the codec is none, by kill -9 where
it is lz4. So each reading is of what the disk, or the page cache, has kept.
"""
import pathlib
import tempfile
import unittest

from compat import clients
from support import node, text


class TextRoundTripTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix='milena-text-')
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.source = cls.folder / 'text'
        cls.lines, cls.digest = text.make(cls.source)
        assert cls.source.stat().st_size >= 50_000_000
        cls.node = node.Node().start()
        cls.addClassCleanup(cls.node.__exit__)

    def check(self, client):
        for codec in ('none', 'lz4'):
            with self.subTest(codec=codec):
                topic = f'{type(client).__name__}-{codec}'
                client.write(self.source, self.node.bootstrap, topic, codec)
                if codec == 'none':
                    self.node.restart()
                else:
                    self.node.kill()
                    self.node.start()
                with self.node.connect() as connection:
                    connection.await_leader(topic)
                self.assert_same(client, topic)

    def assert_same(self, client, topic):
        target = self.folder / 'read'
        client.read(target, self.node.bootstrap, topic)
        self.assertEqual(target.stat().st_size, self.source.stat().st_size)
        self.assertEqual(text.digest(target), self.digest)
        target.unlink()

    def test_kcat(self):
        self.check(clients.Kcat())

    def test_librdkafka(self):
        self.check(clients.Librdkafka(self.folder))

    def test_python3_kafka(self):
        self.check(clients.KafkaPython())

    def test_python3_confluent_kafka(self):
        self.check(clients.ConfluentPython())

    def test_one_client_reads_what_another_wrote(self):
        writer = clients.Kcat()
        for codec in ('none', 'gzip', 'snappy', 'lz4', 'zstd'):
            with self.subTest(codec=codec):
                topic = f'across-{codec}'
                writer.write(self.source, self.node.bootstrap, topic, codec)
                self.assert_same(clients.ConfluentPython(), topic)


if __name__ == '__main__':
    unittest.main()
