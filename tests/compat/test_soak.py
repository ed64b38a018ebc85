# SPDX-License-Identifier: Apache-2.0
"""Nodes of a replicated cluster are killed and stopped while Apache Kafka's producer writes, beside librdkafka's."""
import unittest

from cluster.soak import schedule
from cluster.soak.course import Load
from compat import java_soak
from support import apache

KILL_S, STOP_S = 1.0, 0.3

ALONE = True


class SoakTest(unittest.TestCase):
    def test_kills_cost_the_java_producer_nothing_and_less_than_a_second(self):
        jars = apache.jars()
        if not jars:
            self.skipTest('the jars of Apache Kafka are not to be had')
        with java_soak.steady_writer(jars) as command:
            done = schedule.run(60, seed=2, load=Load(writers=1), programs=[('java', command)])
        print(f'\n{done.text()}')
        self.assertEqual(done.wrong[:10], [])
        for what, limit_s in (('kill', KILL_S), ('stop', STOP_S)):
            took = sorted(blow.silence_s['java'] for blow in done.blows if blow.what == what)
            self.assertLess(took[len(took) // 2], limit_s, f'the one in the middle: {what} {took}')


if __name__ == '__main__':
    unittest.main()
