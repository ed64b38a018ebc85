# SPDX-License-Identifier: Apache-2.0
"""Client libraries of other languages against Milena: every codec, every kind of record, byte for byte.

Each library writes a topic a codec, which it reads back itself and the next library reads too; and each finds records
by their time.
"""
import pathlib
import tempfile
import unittest

from compat import libraries
from support import node

LIBRARIES = (libraries.Java, libraries.FranzGo, libraries.Sarama, libraries.KafkaGo, libraries.KafkaJs,
             libraries.AioKafka)


class LanguagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix='milena-languages-')
        cls.addClassCleanup(folder.cleanup)
        cls.libraries, cls.missing = {}, {}
        for library in LIBRARIES:
            own = pathlib.Path(folder.name, library.__name__)
            own.mkdir()
            try:
                cls.libraries[library] = library(own)
            except libraries.Missing as why:
                cls.missing[library] = str(why)
        cls.node = node.Node().start()
        cls.addClassCleanup(cls.node.__exit__)

    def made(self, which):
        if which in self.missing:
            self.skipTest(self.missing[which])
        return self.libraries[which]

    def reader_after(self, which):
        """The next library in the ring that reads."""
        ring = [one for one in LIBRARIES if one in self.libraries and one.reads]
        at = ring.index(which) if which in ring else -1
        return self.libraries[ring[(at + 1) % len(ring)]]

    def check(self, which):
        library = self.made(which)
        sendable = [library.sendable(record) for record in libraries.corpus()]
        records = [record for record in sendable if record is not None]
        for codec in library.codecs:
            topic = f'{which.__name__}-{codec}'
            with self.node.connect() as connection:
                connection.make_topic(topic)
            library.write(self.node.bootstrap, topic, codec, records)
            for reader in {library, self.reader_after(which)}:
                if not reader.reads:
                    continue
                with self.subTest(codec=codec, reader=type(reader).__name__):
                    found = reader.read(self.node.bootstrap, topic, len(records))
                    self.assert_same(found, [reader.shown(record) for record in records])
            with self.subTest(codec=codec, find=True):
                self.check_times(library, topic, records)

    def assert_same(self, found, records):
        self.assertEqual(len(found), len(records))
        for number, (one, other) in enumerate(zip(found, records)):
            self.assertEqual(one, other, f'record {number}')

    def check_times(self, library, topic, records):
        times = [record['t'] for record in records]
        for time in (times[0] - 1, times[100], times[150] + 1, times[-1]):
            expected = next(number for number, at in enumerate(times) if at >= time)
            self.assertEqual(library.find(self.node.bootstrap, topic, time), expected, f'time {time}')
        self.assertEqual(library.find(self.node.bootstrap, topic, max(times) + 1), -1)

    def test_java(self):
        self.check(libraries.Java)

    def test_franz_go(self):
        self.check(libraries.FranzGo)

    def test_sarama(self):
        self.check(libraries.Sarama)

    def test_kafka_go(self):
        self.check(libraries.KafkaGo)

    def test_kafkajs(self):
        self.check(libraries.KafkaJs)

    def test_aiokafka(self):
        self.check(libraries.AioKafka)


if __name__ == '__main__':
    unittest.main()
