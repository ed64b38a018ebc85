# SPDX-License-Identifier: Apache-2.0
"""What a controllers' listener answers (KIP-919): where the controllers are, who leads them and their log."""
import time
import unittest

from conversations.talk import DESCRIBE_CLUSTER, DESCRIBE_QUORUM, Talk
from support import node

BROKERS, CONTROLLERS = 1, 2
INVALID_REQUEST, MISMATCHED_ENDPOINT_TYPE, UNSUPPORTED_ENDPOINT_TYPE = 42, 114, 115


class ControllersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = node.Node().start()
        cls.addClassCleanup(cls.node.__exit__)

    def setUp(self):
        self.talk = Talk(self.node.controller_port, 'controllers')
        self.addCleanup(self.talk.hang_up)

    def described(self, version=2, kind=CONTROLLERS):
        return self.talk.quietly(DESCRIBE_CLUSTER, version, EndpointType=kind)

    def test_the_controllers_are_those_that_have_registered(self):
        deadline = time.monotonic() + 10
        while not self.described()['Brokers'] and time.monotonic() < deadline:
            time.sleep(0.05)  # a node registers its controller while it serves
        answer = self.described()
        self.assertEqual([answer['EndpointType'], answer['ControllerId']], [CONTROLLERS, 1])
        self.assertEqual([(b['BrokerId'], b['Host'], b['Port'], b['IsFenced']) for b in answer['Brokers']],
                         [(1, '127.0.0.1', self.node.controller_port, False)])

    def test_brokers_are_asked_for_elsewhere(self):
        self.assertEqual(self.described(kind=BROKERS)['ErrorCode'], MISMATCHED_ENDPOINT_TYPE)
        self.assertEqual(self.described(version=0)['ErrorCode'], INVALID_REQUEST)
        self.assertEqual(self.described(kind=3)['ErrorCode'], UNSUPPORTED_ENDPOINT_TYPE)

    def test_the_quorum_is_described(self):
        answer = self.talk.quietly(DESCRIBE_QUORUM, 2, Topics=[
            {'TopicName': '__cluster_metadata', 'Partitions': [{'PartitionIndex': 0}]}])
        self.assertEqual(answer['Topics'][0]['Partitions'][0]['LeaderId'], 1)
        self.assertEqual(answer['Nodes'], [{'NodeId': 1, 'Listeners': [
            {'Name': 'CONTROLLER', 'Host': '127.0.0.1', 'Port': self.node.controller_port}]}])


if __name__ == '__main__':
    unittest.main()
