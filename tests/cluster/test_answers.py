# SPDX-License-Identifier: Apache-2.0
"""Every conversation ends as it did with Apache Kafka 4.4.0 (tests/golden/answers.json.gz).

One node serves them all, and another one those of groups; each has topics of its own. Lines are compared one by one, so
that a failure shows the request and the two answers.
"""
import unittest

import conversations
from conversations import talk
from support import node

GOLDEN = conversations.golden()


class AnswersTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.nodes = [node.Node() for _ in range(2)]
        for one in cls.nodes:
            cls.addClassCleanup(one.__exit__)
            one.start()

    def hold(self, name, function):
        found = talk.hold(self.nodes[conversations.is_of_groups(function)].port, name, function)
        for got, golden in zip(found, GOLDEN[name]):
            self.assertEqual(got, golden)
        self.assertEqual(len(found), len(GOLDEN[name]))

    def test_every_golden_conversation_is_held(self):
        self.assertEqual(set(GOLDEN), set(conversations.load()))

    def tearDown(self):
        for one in self.nodes:
            self.assertTrue(one.is_running(), one.log()[-2000:])


def add_tests():
    for name, function in conversations.load().items():
        def test(self, name=name, function=function):
            self.hold(name, function)
        test.__doc__ = function.__doc__
        setattr(AnswersTest, f'test_{name}', test)


add_tests()

if __name__ == '__main__':
    unittest.main()
