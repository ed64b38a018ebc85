# SPDX-License-Identifier: Apache-2.0
"""Partitions that move to other brokers while an idempotent producer writes to them (KIP-455): nothing is lost, the old
replicas and their directories go; a move that is called off leaves the old replicas and no half copy.
"""
import signal
import time
import unittest

from cluster.brokers.moving import FOURTH, NONE, PARTITIONS, TOPIC, MovingTestCase, Writer
from support import node

NO_REASSIGNMENT_IN_PROGRESS = 85


def setUpModule():
    if node.PEER:
        raise unittest.SkipTest('the formatting tool is Milena\'s')


class ReassignmentTest(MovingTestCase):
    def test_partitions_move_under_load_and_back(self):
        self.start([1, 2])
        self.fill(20, partition=0)
        writer = Writer(self.bootstrap)
        writer.start()
        time.sleep(1)
        began = time.monotonic()
        # One stays, then none; the first of the new replicas leads in the end.
        for replicas, gone in (([FOURTH, 2], 1), ([3, 1], FOURTH), ([1, 2], 3)):
            self.assertEqual(self.reassign(replicas), {NONE})
            self.await_true('no move is left', lambda: not self.moving())
            self.await_partitions(replicas)
            self.await_no_directory(gone)
        time.sleep(1)
        writer.finish()
        print(f'seconds without an acknowledgement on the worst partition: {writer.longest_gap_s(began):.2f}')
        self.assert_nothing_lost(writer)
        for p in range(PARTITIONS):
            self.assertEqual([self.directories(one, p) for one in (3, FOURTH)], [[], []])
        time.sleep(0.6)  # a last fetch
        for one in self.nodes.values():
            one.kill()
        self.assert_same_logs([1, 2])

    def test_a_move_is_called_off_and_its_half_copy_goes(self):
        self.start([1, 2], {'replica.fetch.max.bytes': 32768, 'replica.fetch.response.max.bytes': 32768})
        self.fill(60, partition=0)
        writer = Writer(self.bootstrap)
        writer.start()
        fourth = self.nodes[FOURTH]
        copy = fourth.data / f'{TOPIC}-0' / f'{0:020}.log'
        whole = (self.nodes[1].data / f'{TOPIC}-0' / f'{0:020}.log').stat().st_size
        self.assertEqual(self.reassign([FOURTH, 2], [0]), {NONE})
        self.await_true('the copy has begun', lambda: copy.exists() and copy.stat().st_size > 1 << 20)
        fourth.process.send_signal(signal.SIGSTOP)
        self.addCleanup(fourth.process.send_signal, signal.SIGCONT)
        self.assertLess(copy.stat().st_size, whole, 'too late: all is copied')
        self.assertEqual(self.moving(), {0: ([FOURTH, 2, 1], [FOURTH], [1])})
        self.assertEqual(self.reassign(None, [0]), {NONE})
        self.assertEqual(self.reassign(None, [0]), {NO_REASSIGNMENT_IN_PROGRESS})
        self.assertEqual(self.moving(), {})
        self.assertEqual(sorted(self.partitions()[0]['ReplicaNodes']), [1, 2])
        fourth.process.send_signal(signal.SIGCONT)
        self.await_no_directory(FOURTH, [0])
        time.sleep(1)
        writer.finish()
        self.assert_nothing_lost(writer)
        self.assertEqual([sorted(one['ReplicaNodes']) for one in self.partitions().values()], [[1, 2]] * PARTITIONS)

    def test_brokers_die_in_the_middle_of_a_move(self):
        self.start([1, 2, 3], {'replica.fetch.max.bytes': 32768, 'replica.fetch.response.max.bytes': 32768})
        self.fill(100, partition=0)
        writer = Writer(self.bootstrap)
        writer.start()
        copy = self.nodes[FOURTH].data / f'{TOPIC}-0' / f'{0:020}.log'
        self.assertEqual(self.reassign([FOURTH, 2, 3]), {NONE})
        self.talk.hang_up()
        self.talk.port = self.nodes[2].port
        # The one that leads and is to go, then the one that comes, as soon as it copies from the next leader.
        copied = 0
        for victim in (1, FOURTH):
            self.await_true('the copy goes on', lambda: copy.exists() and copy.stat().st_size > copied + (1 << 20))
            self.assertIn(0, self.moving(), 'too late: all has moved')
            self.nodes[victim].kill()
            copied = copy.stat().st_size
        time.sleep(1)
        for victim in (1, FOURTH):
            self.nodes[victim].start()
        self.await_true('no move is left', lambda: not self.moving())
        self.await_partitions([FOURTH, 2, 3])
        writer.finish()
        self.assert_nothing_lost(writer)
        # What moved away while it was down it keeps as strays, as it keeps all that nobody claims.
        kept = [p for p in range(PARTITIONS) if self.directories(1, p)]
        self.assertEqual([self.directories(1, p) for p in kept], [[f'{TOPIC}-{p}'] for p in kept])


if __name__ == '__main__':
    unittest.main()
