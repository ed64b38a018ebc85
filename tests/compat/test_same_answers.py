# SPDX-License-Identifier: Apache-2.0
"""Milena and Apache Kafka 4.4 are sent the same bytes and answer alike, and keep alike what they were sent.

Both run beside each other, each fresh, and two more for groups. What was recorded of Apache (tests/golden/*.json.gz,
which tests/cluster/test_answers.py needs no Apache for) is held against it too, so that it stays what Apache says.
Differences that are meant are in docs/deviations.md and in no conversation.
"""
import unittest

import conversations
from conversations import talk
from support import node

GOLDEN = conversations.golden()


class SameAnswersTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        jars = node.jars_beside()
        cls.pairs = [(node.Node(), node.Node()) for _ in range(2)]
        for apache, milena in cls.pairs:
            apache.peer = jars
            for server in (apache, milena):
                cls.addClassCleanup(server.__exit__)
                server.start()

    def hold(self, name, function):
        apache, milena = self.pairs[conversations.is_of_groups(function)]
        theirs = talk.hold(apache.port, name, function)
        ours = talk.hold(milena.port, name, function)
        for mine, their, golden in zip(ours, theirs, GOLDEN[name]):
            self.assertEqual(their, golden, 'Apache Kafka does not answer as it did')
            self.assertEqual(mine, their)
        self.assertEqual([len(ours), len(theirs)], [len(GOLDEN[name])] * 2)


def add_tests():
    for name, function in conversations.load().items():
        def test(self, name=name, function=function):
            self.hold(name, function)
        test.__doc__ = function.__doc__
        setattr(SameAnswersTest, f'test_{name}', test)


add_tests()

if __name__ == '__main__':
    unittest.main()
