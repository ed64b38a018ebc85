# SPDX-License-Identifier: Apache-2.0
"""Go's client libraries in groups of the classic protocol: members come and go while their topic is written."""
import pathlib
import tempfile
import unittest

from compat import libraries
from compat.groups import members
from support import node


class GoGroupsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix='milena-groups-')
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.node = node.Node(members.BROKER).start()
        cls.addClassCleanup(cls.node.__exit__)

    def check(self, which, assignor):
        try:
            library = which(self.folder)
        except libraries.Missing as why:
            self.skipTest(str(why))
        with members.Group(self.node, library, f'{which.package}-{assignor}', assignor) as group:
            group.members_come_and_go()

    def test_franz_go_range(self):
        self.check(libraries.FranzGo, 'range')

    def test_franz_go_cooperative(self):
        self.check(libraries.FranzGo, 'cooperative')

    def test_sarama_sticky(self):
        self.check(libraries.Sarama, 'sticky')

    def test_kafka_go_round_robin(self):
        self.check(libraries.KafkaGo, 'roundrobin')


if __name__ == '__main__':
    unittest.main()
