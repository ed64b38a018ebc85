# SPDX-License-Identifier: Apache-2.0
"""5,000 partitions in a process that may open 1,024 files, and clients beside them."""
import pathlib
import re
import shutil
import tempfile
import time
import unittest

from support import node, wire
from support.wide_topic import WideTopic

PARTITIONS = 5000
DESCRIPTORS = 1024
DELETE_TOPICS = 20


def roomy_memory():
    """A folder in memory where there is room: making and removing 30,000 files is not what is tested."""
    memory = pathlib.Path('/dev/shm')
    has_room = memory.is_dir() and shutil.disk_usage(memory).free > 2 << 30
    return tempfile.TemporaryDirectory(prefix='milena-test-', dir=memory if has_room else None)


@unittest.skipIf(node.PEER, 'Apache Kafka needs several descriptors for each partition')
class ManyPartitionsTest(unittest.TestCase):
    topic = WideTopic('many', PARTITIONS)

    def check_process(self, server):
        self.assertLessEqual(server.descriptors(), DESCRIPTORS)
        self.assertNotIn(str(server.data), server.maps())
        self.assertNotIn('failed', server.log())
        self.assertNotIn('offline', server.log())

    def check_all(self, server, end):
        """Every partition has as many records as it should."""
        with server.connect(timeout_s=60) as connection:
            self.topic.await_ends(connection, end, 60)
            found = self.topic.fetch_all(connection)
            self.assertEqual(len(found), PARTITIONS)
            for partition, data in found.items():
                self.assertEqual(data.count(b'record'), end, f'partition {partition}')
        self.check_process(server)

    def append(self, server):
        with server.connect(timeout_s=60) as connection:
            self.topic.append_to_all(connection, b'record')
        self.check_process(server)

    def test_all_are_served_over_a_clean_stop_a_kill_and_to_their_end(self):
        folder = roomy_memory()
        self.addCleanup(folder.cleanup)
        with node.Node({'log.segment.delete.delay.ms': '0'}, pathlib.Path(folder.name) / 'data', DESCRIPTORS) as server:
            with server.connect(timeout_s=60) as connection:
                self.assertEqual(connection.create_topic(self.topic.name, PARTITIONS), 0)
                self.topic.await_ends(connection, 0, 60)
            self.check_process(server)
            self.append(server)
            self.append(server)
            self.check_all(server, 2)
            self.assertIn(server.stop(), (0, 143))
            server.start()
            self.check_all(server, 2)
            self.append(server)
            server.kill()
            server.start()
            self.check_all(server, 3)
            self.append(server)
            self.delete(server)
            self.assertIn(server.stop(), (0, 143))

    def delete(self, server):
        with server.connect(timeout_s=60) as connection:
            reader = connection.request(DELETE_TOPICS, 3, wire.array([wire.string(self.topic.name)])
                                        + wire.int32(60000))
            reader.take('i'), reader.take('i'), reader.string()
            self.assertEqual(reader.take('h'), 0)
        deadline = time.monotonic() + 120
        while any(path.name.startswith('many-') for path in server.data.iterdir()):
            self.assertLess(time.monotonic(), deadline, 'directories of the topic stay')
            time.sleep(0.05)
        self.check_process(server)


@unittest.skipIf(node.PEER, 'how many clients Apache Kafka serves is its own affair')
class ManyClientsTest(unittest.TestCase):
    topic = WideTopic('wide', 1000)

    def test_clients_get_the_descriptors_that_files_hold_and_none_takes_the_last(self):
        extra = {'milena.admin.listener': f'127.0.0.1:{node.free_port()}'}
        folder = roomy_memory()
        self.addCleanup(folder.cleanup)
        with node.Node(extra, pathlib.Path(folder.name) / 'data', DESCRIPTORS) as server:
            with server.connect(timeout_s=60) as connection:
                self.assertEqual(connection.create_topic(self.topic.name, self.topic.partitions), 0)
                self.topic.await_ends(connection, 0, 60)
                self.topic.append_to_all(connection)
                clients = [server.connect(timeout_s=60) for _ in range(850)]
                try:
                    for client in clients:
                        self.assertTrue(client.metadata().brokers)
                    # Files do with what is left, and go on.
                    self.topic.append_to_all(connection)
                    self.topic.await_ends(connection, 2, 60)
                    self.check_that_more_wait(server, connection)
                finally:
                    for client in clients:
                        client.close()
            self.assertTrue(server.answers())
            self.assertNotRegex(server.log(), re.compile('offline|directory failed'))

    def check_that_more_wait(self, server, connection):
        late = [server.connect() for _ in range(200)]
        try:
            time.sleep(0.5)
            self.topic.append_to_all(connection)
            self.assertLess(server.descriptors(), DESCRIPTORS - 4)
            self.topic.await_ends(connection, 3, 60)
        finally:
            for client in late:
                client.close()
