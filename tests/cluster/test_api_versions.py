# SPDX-License-Identifier: Apache-2.0
"""Every API that Milena serves is told with the versions that Apache Kafka 4.4.0 tells, on either kind of listener."""
import unittest

from conversations.talk import API_VERSIONS, Talk
from support import node

# As Apache answers them.
BROKER = {
    0: (0, 13), 1: (4, 18), 2: (1, 11), 3: (0, 13), 8: (2, 10), 9: (1, 10), 10: (0, 6), 11: (0, 9), 12: (0, 4),
    13: (0, 5), 14: (0, 5), 15: (0, 6), 16: (0, 5), 17: (0, 1), 18: (0, 5), 19: (2, 7), 20: (1, 6), 21: (0, 2),
    22: (0, 5), 23: (2, 4), 24: (0, 5), 25: (0, 4), 26: (0, 5), 27: (1, 2), 28: (0, 6), 29: (1, 3), 30: (1, 3),
    31: (1, 3), 32: (1, 4), 33: (0, 2), 34: (1, 2), 35: (1, 5), 36: (0, 2), 37: (0, 3), 38: (1, 3), 39: (1, 2),
    40: (1, 2), 41: (1, 3), 42: (0, 3), 43: (0, 2), 44: (0, 1), 45: (0, 1), 46: (0, 0), 47: (0, 0), 48: (0, 1),
    49: (0, 1), 50: (0, 0), 51: (0, 0), 55: (0, 2), 57: (0, 2), 60: (0, 2), 61: (0, 0), 64: (0, 0), 65: (0, 0),
    66: (0, 2), 68: (0, 1), 69: (0, 1), 74: (0, 1), 75: (0, 0), 76: (1, 1), 77: (1, 1), 78: (1, 2), 79: (1, 2),
    80: (0, 1), 81: (0, 0), 83: (0, 0), 84: (0, 0), 85: (0, 1), 86: (0, 0), 87: (0, 1), 88: (0, 1), 89: (0, 1),
    90: (0, 1), 91: (0, 0), 92: (0, 0), 93: (0, 0), 94: (0, 0)}

CONTROLLER = {
    1: (4, 18), 17: (0, 1), 18: (0, 5), 19: (2, 7), 20: (1, 6), 29: (1, 3), 30: (1, 3), 31: (1, 3), 32: (1, 4),
    33: (0, 2), 36: (0, 2), 37: (0, 3), 38: (1, 3), 39: (1, 2), 40: (1, 2), 41: (1, 3), 43: (0, 2), 44: (0, 1),
    45: (0, 1), 46: (0, 0), 49: (0, 1), 50: (0, 0), 51: (0, 0), 52: (0, 2), 53: (0, 1), 54: (0, 1), 55: (0, 2),
    56: (2, 3), 57: (0, 2), 58: (0, 0), 59: (0, 1), 60: (0, 2), 62: (0, 4), 63: (0, 2), 64: (0, 0), 67: (0, 0),
    70: (0, 0), 73: (0, 0), 80: (0, 1), 81: (0, 0), 82: (0, 0), 94: (0, 0)}


class ApiVersionsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = node.Node().start()
        cls.addClassCleanup(cls.node.__exit__)

    def answer(self, port):
        with Talk(port, 'versions') as talk:
            return talk.quietly(API_VERSIONS, 4, ClientSoftwareName='x', ClientSoftwareVersion='1')

    def told(self, port):
        answer = self.answer(port)
        return {r['ApiKey']: (r['MinVersion'], r['MaxVersion']) for r in answer['ApiKeys']}

    def test_a_broker_tells_the_versions_that_apache_tells(self):
        told = self.told(self.node.port)
        self.assertEqual(told, {key: BROKER[key] for key in told})
        self.assertIn(API_VERSIONS, told)

    def test_a_controller_tells_the_versions_that_apache_tells(self):
        told = self.told(self.node.controller_port)
        self.assertEqual(told, {key: CONTROLLER[key] for key in told})
        self.assertIn(API_VERSIONS, told)

    def test_the_version_of_the_quorum_is_a_finalized_feature(self):
        for port in (self.node.port, self.node.controller_port):
            features = {f['Name']: f['MaxVersionLevel'] for f in self.answer(port)['FinalizedFeatures']}
            self.assertEqual(features['kraft.version'], 1)


if __name__ == '__main__':
    unittest.main()
