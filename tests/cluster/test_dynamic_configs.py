# SPDX-License-Identifier: Apache-2.0
"""What is configured while a broker runs is in effect when it is answered, and after a restart."""
import socket
import unittest

from conversations.talk import INCREMENTAL_ALTER_CONFIGS, PRODUCE, Talk
from support import node, records

TOPIC, BROKER = 2, 4
SET, DELETE = 0, 1
MESSAGE_TOO_LARGE = 10


class DynamicConfigsTest(unittest.TestCase):
    def setUp(self):
        self.node = node.Node({'message.max.bytes': 1000})
        self.addCleanup(self.node.__exit__)
        self.node.start()
        self.talk = Talk(self.node.port, 'd')
        self.addCleanup(lambda: self.talk.hang_up())
        self.topic = self.talk.topic()

    def alter(self, kind, name, key, value):
        operation = DELETE if value is None else SET
        answer = self.talk.quietly(INCREMENTAL_ALTER_CONFIGS, 1, Resources=[
            {'ResourceType': kind, 'ResourceName': name,
             'Configs': [{'Name': key, 'ConfigOperation': operation, 'Value': value}]}])
        self.assertEqual(answer['Responses'][0]['ErrorCode'], 0, answer)

    def takes(self, size):
        """True if a batch with so long a value is taken, False if it is too large."""
        data = [{'Name': self.topic, 'PartitionData': [{'Index': 0, 'Records': records.batch([b'x' * size])}]}]
        answer = self.talk.quietly(PRODUCE, 8, Acks=-1, TimeoutMs=10000, TopicData=data)
        code = answer['Responses'][0]['PartitionResponses'][0]['ErrorCode']
        self.assertIn(code, (0, MESSAGE_TOO_LARGE))
        return code == 0

    def test_each_layer_goes_before_the_one_below_it(self):
        self.assertFalse(self.takes(1500))
        self.alter(BROKER, '', 'message.max.bytes', '2000')
        self.assertTrue(self.takes(1500))
        self.assertFalse(self.takes(2500))
        self.alter(BROKER, '1', 'message.max.bytes', '3000')
        self.assertTrue(self.takes(2500))
        self.alter(TOPIC, self.topic, 'max.message.bytes', '500')
        self.assertFalse(self.takes(1500))
        self.alter(TOPIC, self.topic, 'max.message.bytes', None)
        self.assertTrue(self.takes(2500))
        self.alter(BROKER, '1', 'message.max.bytes', None)
        self.assertFalse(self.takes(2500))
        self.assertTrue(self.takes(1500))

    def test_it_is_in_effect_after_a_restart(self):
        self.alter(BROKER, '', 'message.max.bytes', '2000')
        self.talk.hang_up()
        self.node.kill()
        self.node.start()
        self.assertTrue(self.takes(1500))
        self.assertFalse(self.takes(2500))

    def connects(self):
        """True if one more connection is served."""
        try:
            return self.node.answers()
        except socket.timeout:
            return False

    def test_limits_of_connections_change_at_once(self):
        self.assertTrue(self.connects())
        for key, value in (('max.connections.per.ip', '1'), ('max.connections.per.ip.overrides', '127.0.0.1:1'),
                           ('max.connections', '1')):
            with self.subTest(key):
                self.alter(BROKER, '1', key, value)  # the connection of self.talk is the one
                self.assertFalse(self.connects())
                self.alter(BROKER, '1', key, None)
                self.assertTrue(self.connects())


if __name__ == '__main__':
    unittest.main()
