# SPDX-License-Identifier: Apache-2.0
"""Client libraries of Python and Node.js in groups of the classic protocol: members come and go while their topic is
written."""
import pathlib
import tempfile
import unittest

from compat import libraries
from compat.groups import members
from support import node


class ScriptGroupsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix='milena-groups-')
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.node = node.Node(members.BROKER).start()
        cls.addClassCleanup(cls.node.__exit__)

    def check(self, which, assignor, **how):
        try:
            own = self.folder / which.__name__
            own.mkdir(exist_ok=True)
            library = which(own)
        except libraries.Missing as why:
            self.skipTest(str(why))
        with members.Group(self.node, library, f'{which.__name__}-{assignor}', assignor, **how) as group:
            group.members_come_and_go()

    def test_confluent_kafka_range(self):
        self.check(libraries.ConfluentPython, 'range')

    def test_confluent_kafka_cooperative(self):
        # librdkafka 2.0 commits in a revocation of this kind with the generation before, which no broker takes.
        self.check(libraries.ConfluentPython, 'cooperative-sticky', hands_over=False)

    def test_new_confluent_kafka_cooperative(self):
        self.check(libraries.NewConfluentPython, 'cooperative-sticky')

    def test_kafka_python_round_robin(self):
        self.check(libraries.KafkaPython, 'roundrobin')

    def test_aiokafka_round_robin(self):
        self.check(libraries.AioKafka, 'roundrobin')

    def test_kafkajs_round_robin(self):
        self.check(libraries.KafkaJs, 'roundrobin')


if __name__ == '__main__':
    unittest.main()
