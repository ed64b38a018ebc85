# SPDX-License-Identifier: Apache-2.0
"""A client that is told an address where nobody listens is named in the log, and no other client is."""
import shutil
import subprocess
import time
import unittest

from support import node

PHRASE = 'a client keeps asking for leaders and never comes to this one'


@unittest.skipIf(node.PEER, 'Apache Kafka does not tell')
class ClientReachTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Nobody listens there; the node itself is on 127.0.0.1.
        cls.told = f'127.0.0.2:{node.free_port()}'
        cls.node = node.Node({'advertised.listeners': f'PLAINTEXT://{cls.told}'})
        cls.addClassCleanup(cls.node.__exit__)
        cls.node.start()
        with cls.node.connect() as connection:
            connection.make_topic('t')

    def ask(self, connection, times, pause_s, **how):
        for _ in range(times):
            self.assertEqual(connection.metadata(['t'], **how).topics['t'][0], 0)
            time.sleep(pause_s)

    def lines(self):
        return [line for line in self.node.log().splitlines() if PHRASE in line]

    def test_a_client_that_keeps_asking_is_named_once(self):
        # The topic was made by a client with this one's address and id: it needs another id.
        with self.node.connect() as connection:
            connection.client_id = 'lost'
            self.ask(connection, 5, 1.5, create=True)
        line = self.node.await_line('client_id=lost')
        self.assertIn(PHRASE, line)
        for part in ('client=127.0.0.1:', 'listener=PLAINTEXT', f'came_to=127.0.0.1:{self.node.port}',
                     f'was_told={self.told}', 'advertised.listeners'):
            self.assertIn(part, line)
        self.assertEqual(len([line for line in self.lines() if 'client_id=lost' in line]), 1)

    def test_a_client_that_works_is_not(self):
        with self.node.connect() as asking, self.node.connect() as working:
            asking.client_id = working.client_id = 'works'
            working.list_offset('t', -1)
            self.ask(asking, 5, 1.5, create=True)
        self.assertFalse([line for line in self.lines() if 'client_id=works' in line])

    def test_a_client_that_only_lists_topics_is_not(self):
        with self.node.connect() as connection:
            connection.client_id = 'lists'
            for _ in range(12):
                connection.metadata()
                self.ask(connection, 1, 0.3)
                connection.list_offset('t', -2)
                time.sleep(0.2)
        with self.node.connect() as connection:
            connection.client_id = 'looks'
            self.ask(connection, 4, 1.5)
        self.assertFalse([line for line in self.lines() if 'client_id=lists' in line or 'client_id=looks' in line])

    @unittest.skipUnless(shutil.which('kcat'), 'needs kcat')
    def test_librdkafka_is_named(self):
        producer = subprocess.Popen(['kcat', '-P', '-b', self.node.bootstrap, '-t', 't', '-X', 'client.id=kcat-lost'],
                                    stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(producer.wait)
        self.addCleanup(producer.kill)
        producer.stdin.write(b'v\n')
        producer.stdin.close()
        self.assertIn(PHRASE, self.node.await_line('client_id=kcat-lost', timeout_s=60))


@unittest.skipIf(node.PEER, 'Apache Kafka does not tell')
class ReachableTest(unittest.TestCase):
    def test_who_comes_by_the_advertised_address_may_ask_as_it_likes(self):
        with node.Node() as server, server.connect() as connection:
            connection.make_topic('t')
            with server.connect() as other:
                other.client_id = 'asks'
                for _ in range(5):
                    other.metadata(['t'], create=True)
                    time.sleep(1.5)
            self.assertNotIn(PHRASE, server.log())


if __name__ == '__main__':
    unittest.main()
