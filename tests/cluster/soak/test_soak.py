# SPDX-License-Identifier: Apache-2.0
"""A minute of scripts/dev soak, and that its judge sees what it is there to see."""
import math
import statistics
import struct
import unittest

from cluster.soak import figures, history, judge, schedule
from support import node, records

# What the brokers' part may take; what clients add is their own backoffs (docs/brokers.md).
KILL_S, STOP_S = 1.0, 0.3
CLIENT = 'librdkafka, quick'
CLIENT_KILL_S, CLIENT_STOP_S = 1.5, 0.8


@unittest.skipIf(node.PEER, 'the formatting tool is Milena\'s')
class SoakTest(unittest.TestCase):
    def assert_sound(self, done):
        print(f'\n{done.text()}')
        self.assertEqual(done.wrong[:10], [])
        self.assertGreater(done.history.count(), 1000)

    def test_kills_of_a_replicated_cluster_cost_nothing_and_less_than_a_second(self):
        done = schedule.run(60, seed=1)
        self.assert_sound(done)
        for what, limit_s, client_s in (('kill', KILL_S, CLIENT_KILL_S), ('stop', STOP_S, CLIENT_STOP_S)):
            blows = [blow for blow in done.blows if blow.what == what]
            self.assertGreater(len(blows), 1, what)
            self.assertLess(statistics.median(blow.broker_s for blow in blows), limit_s, what)
            self.assertLess(statistics.median(blow.silence_s[CLIENT] for blow in blows), client_s, what)
        controllers = [blow.controller_s for blow in done.blows if blow.controlled]
        self.assertLess(statistics.median(controllers), KILL_S)

    def test_kills_of_a_single_node_cost_nothing_that_was_acknowledged(self):
        self.assert_sound(schedule.run(15, seed=1, nodes=1))


class JudgeTest(unittest.TestCase):
    """That what must not be is seen, on histories made by hand."""

    def told(self, acknowledged, failed=()):
        made = history.History()
        for offset, mark in acknowledged.items():
            made.hear('made', 0, offset, mark, 0, 0)
        made.failed.extend(failed)
        return made

    def test_a_lost_a_moved_a_doubled_and_a_late_record_are_seen(self):
        sound = self.told({0: b'w 0', 1: b'w 1'})
        self.assertEqual(judge.check(sound, {0: [(0, b'w 0'), (1, b'w 1')]}), [])
        self.assertIn('where None is', judge.check(sound, {0: [(0, b'w 0')]})[0])
        self.assertIn('where b\'w 2\' is', judge.check(sound, {0: [(0, b'w 0'), (1, b'w 2')]})[0])
        self.assertIn('1 records twice', judge.check(sound, {0: [(0, b'w 0'), (1, b'w 1'), (2, b'w 1')]})[0])
        self.assertIn('after 1', judge.check(self.told({}), {0: [(0, b'w 1'), (1, b'w 0')]})[0])
        self.assertIn('given up', judge.check(self.told({}, ['late']), {})[0])

    def test_an_offset_that_was_acknowledged_for_two_records_is_seen(self):
        made = self.told({0: b'w 0', 1: b'w 1'})
        made.hear('made', 0, 1, b'v 0', 0, 0)
        self.assertIn('0:1 was acknowledged for b\'w 1\' and then for b\'v 0\'', judge.check(made, {})[0])
        # Whichever of them the log holds.
        self.assertEqual(len(judge.check(made, {0: [(0, b'w 0'), (1, b'w 1')]})), 1)
        self.assertIn('b\'w 1\' was acknowledged at 0:1', judge.check(made, {0: [(0, b'w 0'), (1, b'v 0')]})[1])

    def test_a_probe_may_be_there_twice(self):
        self.assertEqual(judge.check(self.told({}), {0: [(0, b'probe 0'), (1, b'w 0'), (2, b'probe 0')]}), [])

    def test_a_mark_is_known_in_a_padded_value(self):
        self.assertEqual([judge.mark_of(value) for value in (b'w 7', b'w 7 ', b'w 7 ....')], [b'w 7'] * 3)

    def test_replicas_that_differ_or_end_below_the_high_watermark_are_told(self):
        def log(*values):
            return b''.join(records.batch([value], base_offset=offset) for offset, value in enumerate(values))
        one = log(b'a', b'b')
        self.assertEqual(judge.compare_replicas({1: one, 2: one}, 0, 2), [])
        self.assertEqual(judge.compare_replicas({1: one, 2: log(b'a', b'x')}, 0, 1), [], 'beyond it is nobody\'s')
        self.assertIn('differs at byte', judge.compare_replicas({1: one, 2: log(b'a', b'x')}, 0, 2)[0])
        self.assertIn('node 2 ends at 1', judge.compare_replicas({1: one, 2: log(b'a')}, 0, 2)[0])
        other_epoch = bytearray(one)
        struct.pack_into('>i', other_epoch, 12, 7)
        self.assertIn('differs at byte 12', judge.compare_replicas({1: one, 2: bytes(other_epoch)}, 0, 2)[0])

    def test_how_long_nothing_was_acknowledged(self):
        made = history.History()
        for sent, heard in ((0, 1), (1.5, 2), (1.9, 5), (2.5, 6)):
            made.hear('made', 0, int(heard), b'w 0', sent, heard)
        self.assertEqual(made.first_after('made', 2), 4, 'what was sent before the moment says nothing')
        self.assertEqual(made.longest_silence('made', 1.5, 6.5), 3)
        self.assertEqual(made.longest_silence('made', 5.5, 9), 3, 'the end is silent too')
        self.assertEqual(made.first_after('made', 7), math.inf)

    def test_what_never_came_back_is_told(self):
        sound = {'broker_s': 1, 'controller_s': 2, 'writable_s': 3}
        self.assertEqual(figures.endless(figures.Blow('kill', 1, [], False, 0)), [], 'not measured')
        self.assertEqual(figures.endless(figures.Blow('kill', 1, [], True, 0, **sound)), [])
        for which in sound:
            blow = figures.Blow('kill', 1, [], True, 0, **{**sound, which: math.inf})
            self.assertEqual(len(figures.endless(blow)), 1, which)

    def test_the_table_has_median_and_maximum_of_each_kind(self):
        blows = [figures.Blow('kill', 1, [0], False, 0, {'java': s}, {'java': s}, broker_s=s / 2) for s in (1, 2, 6)]
        blows.append(figures.Blow('stop', 1, [], True, 0, {'java': 3}, {'java': 3}))
        lines = figures.table(blows).splitlines()
        self.assertRegex(lines[0], '^median and maximum, s +times +java +java, silent +brokers$')
        self.assertRegex(lines[1], r'^kill leader +3 +2\.00 6\.00 +2\.00 6\.00 +1\.00 3\.00$')
        self.assertRegex(lines[2], r'^stop controller +1 +3\.00 3\.00 +3\.00 3\.00$')
        self.assertEqual([line.split()[1:4] for line in figures.outliers(blows)], [['kill', 'of', 'node']])


if __name__ == '__main__':
    unittest.main()
