# SPDX-License-Identifier: Apache-2.0
"""A disk that stalls stops its partitions and not the node."""
import concurrent.futures
import json
import os
import time
import unittest
import urllib.request

from support import node, records
from support.disks import StallingDisk

# As many as are surely dealt to every core of the node, which has at most one for each processor and deals them
# in turn: a few others may come in between.
CONNECTIONS = (os.cpu_count() or 1) + 8
STALL_S = 3


@unittest.skipIf(node.PEER, 'Milena promises more')
class StalledDiskTest(unittest.TestCase):
    def setUp(self):
        self.admin_port = node.free_port()
        self.server = node.Node({'milena.admin.listener': f'127.0.0.1:{self.admin_port}'})
        self.addCleanup(self.server.__exit__)
        calm, stalling = self.server.folder / 'calm', self.server.folder / 'stalling'
        with open(self.server.properties, 'a', encoding='utf-8') as properties:
            properties.write(f'log.dirs={calm},{stalling}\n')
        self.disk = StallingDisk(stalling, self.server.folder)
        self.server.environment = self.disk.environment
        self.server.start()
        with self.server.connect() as connection:
            for name in ('first', 'second'):
                connection.make_topic(name)
        names = {'first': (calm / 'first-0').exists(), 'second': (calm / 'second-0').exists()}
        self.assertEqual(sorted(names.values()), [False, True], 'each directory has one of the topics')
        self.calm, = (name for name, is_calm in names.items() if is_calm)
        self.stalling, = (name for name, is_calm in names.items() if not is_calm)

    def get(self, path):
        with urllib.request.urlopen(f'http://127.0.0.1:{self.admin_port}{path}', timeout=2) as answer:
            return answer.read().decode()

    def disturb(self):
        """The first write that stalls is made in place: from then on the directory is not calm."""
        with self.server.connect() as connection, concurrent.futures.ThreadPoolExecutor(1) as pool:
            with self.disk.stalls():
                produced = pool.submit(connection.produce, self.stalling, records.batch([b'slow']))
                time.sleep(0.1)
            self.assertEqual(produced.result(), (0, 0))
        self.assertIn(f'milena_log_directory_calm{{directory="{self.disk.folder}"}} 0', self.get('/metrics'))

    def everything_else_answers(self, round_number):
        for _ in range(CONNECTIONS):
            with self.server.connect(timeout_s=2) as connection:
                self.assertEqual(len(connection.metadata([self.calm, self.stalling]).topics), 2)
                self.assertEqual(connection.produce(self.calm, records.batch([b'x']))[0], 0)
                self.assertEqual(connection.fetch(self.calm, 0)[0], 0)
                # What the stalled one has can be read, and asked for.
                error, high_watermark, data = connection.fetch(self.stalling, 0, max_wait_ms=0)
                self.assertEqual((error, high_watermark, len(list(records.read(data)))), (0, 1, 1))
                self.assertEqual(connection.list_offset(self.stalling, -1), (0, 1))
        self.assertEqual(json.loads(self.get('/healthz'))['status'], 'ready')
        self.assertIn('kafka_log_log_logendoffset', self.get('/metrics'), f'round {round_number}')

    def test_a_stalled_disk_stops_its_partitions_and_not_the_node(self):
        self.disturb()
        connections = [self.server.connect(timeout_s=60) for _ in range(CONNECTIONS)]
        self.addCleanup(lambda: [one.close() for one in connections])
        with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
            with self.disk.stalls():
                stalled = [pool.submit(one.produce, self.stalling, records.batch([b'late'])) for one in connections]
                ends = time.monotonic() + STALL_S
                round_number = 0
                while time.monotonic() < ends:
                    self.everything_else_answers(round_number)
                    round_number += 1
                self.assertFalse(any(one.done() for one in stalled), 'written to a disk that stalls')
            answers = [one.result(timeout=30) for one in stalled]
        self.assertEqual(sorted(answers), [(0, 1 + n) for n in range(CONNECTIONS)])
        with self.server.connect() as connection:
            _, _, data = connection.fetch(self.stalling, 0)
            self.assertEqual([offset for offset, _ in records.read(data)], list(range(1 + CONNECTIONS)))
            # Writes that are quick again bring the calm back.
            for _ in range(100):
                connection.produce(self.stalling, records.batch([b'x']))
        self.assertIn(f'milena_log_directory_calm{{directory="{self.disk.folder}"}} 1', self.get('/metrics'))
        self.assertEqual(self.server.stop(), 0)


if __name__ == '__main__':
    unittest.main()
