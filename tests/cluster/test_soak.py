# SPDX-License-Identifier: Apache-2.0
"""Half a minute of scripts/dev soak, and that its judge sees what it is there to see."""
import unittest

from cluster import soak


class SoakTest(unittest.TestCase):
    def test_kills_under_load_cost_nothing_that_was_acknowledged(self):
        report, found = soak.run(30, seed=1)
        print(f'\n{report.text()}')
        self.assertEqual(soak.check(report, found)[:10], [])
        self.assertGreater(report.kills, 5)
        self.assertGreater(len(report.acknowledged), 1000)

    def test_a_lost_a_moved_a_doubled_and_a_late_record_are_seen(self):
        report = soak.Report(acknowledged={(0, 0): b'w 0', (0, 1): b'w 1'})
        self.assertEqual(soak.check(report, {0: [(0, b'w 0'), (1, b'w 1')]}), [])
        self.assertIn('where None is', soak.check(report, {0: [(0, b'w 0')]})[0])
        self.assertIn('where b\'w 2\' is', soak.check(report, {0: [(0, b'w 0'), (1, b'w 2')]})[0])
        self.assertIn('1 records twice', soak.check(report, {0: [(0, b'w 0'), (1, b'w 1'), (2, b'w 1')]})[0])
        self.assertIn('after 1', soak.check(soak.Report(), {0: [(0, b'w 1'), (1, b'w 0')]})[0])
        self.assertIn('given up', soak.check(soak.Report(failed=['late']), {})[0])


if __name__ == '__main__':
    unittest.main()
