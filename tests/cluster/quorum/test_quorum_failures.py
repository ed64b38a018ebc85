# SPDX-License-Identifier: Apache-2.0
"""Three real nodes, each on a network of its own, are killed, paused and cut off in turn while topics are made."""
import unittest

from cluster.quorum import rotation
from support import islands, node

KILL_S, SILENT_S = 1.0, 6.0


@unittest.skipIf(node.PEER, 'the formatting tool is Milena\'s')
class QuorumFailuresTest(unittest.TestCase):
    """One cluster for all of them: what a failure leaves behind is there when the next one comes."""

    @classmethod
    def setUpClass(cls):
        if why := islands.obstacle():
            raise unittest.SkipTest(why)
        schedule = [('kill', 'leader')] * 3 + [('kill', 'follower')]
        schedule += [(way, 'leader') for way in ('pause', 'isolate', 'mute', 'deafen')] + [('mute', 'follower')]
        cls.report = rotation.run(schedule)
        print(f'\n{cls.report.text()}')

    def test_nothing_acknowledged_is_lost_and_all_have_the_same(self):
        self.assertEqual(self.report.wrong[:5], [])
        self.assertGreater(len(self.report.names), 20)

    def test_after_a_kill_the_next_change_is_acknowledged_within_a_second(self):
        took = sorted(took for what, of, took in self.report.hurts if (what, of) == ('kill', 'leader'))
        self.assertLess(took[1], KILL_S, 'the one in the middle of three')
        self.assertLess(self.report.slowest('kill', 'follower'), KILL_S)

    def test_who_is_silent_in_one_direction_or_both_is_replaced(self):
        for way in ('pause', 'isolate', 'mute', 'deafen'):
            self.assertLess(self.report.slowest(way, 'leader'), SILENT_S, way)

    def test_a_follower_that_is_cut_off_is_not_missed(self):
        self.assertLess(self.report.slowest('mute', 'follower'), KILL_S)


class JudgeTest(unittest.TestCase):
    """That what must not be is seen, on logs made by hand."""

    def test_logs_that_differ_below_the_high_watermark_are_told(self):
        class Made:
            def __init__(self, node_id, batches):
                self.node_id, self.batches = node_id, batches

        def differing(*logs, watermark=10):
            kept, rotation.dumped = rotation.dumped, lambda island: island.batches
            try:
                return rotation.differing_logs([Made(i, log) for i, log in enumerate(logs)], watermark)
            finally:
                rotation.dumped = kept
        one = {0: ['a'], 5: ['b']}
        self.assertEqual(differing(one, dict(one)), [])
        self.assertEqual(differing(one, {**one, 12: ['c']}), [], 'beyond it a log may hold what nobody else has')
        self.assertIn('at 5', differing(one, {0: ['a'], 5: ['x']})[0])
        self.assertIn('at 5', differing(one, {0: ['a']})[0])
        self.assertEqual(differing({}, {}), ['the logs are empty'])


if __name__ == '__main__':
    unittest.main()
