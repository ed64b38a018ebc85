# SPDX-License-Identifier: Apache-2.0
"""Nodes of a replicated cluster are killed and stopped while Apache Kafka's producer writes, beside librdkafka's."""
import tempfile
import unittest

from cluster.soak import schedule
from cluster.soak.course import Load
from compat import libraries
from support import apache

KILL_S, STOP_S = 1.0, 0.3


class SoakTest(unittest.TestCase):
    def writer(self):
        """The command of a Java producer."""
        jars = apache.jars()
        if not jars:
            self.skipTest('the jars of Apache Kafka are not to be had')
        folder = tempfile.TemporaryDirectory(prefix='milena-soak-')
        self.addCleanup(folder.cleanup)
        source = libraries.HERE / 'java' / 'SteadyWriter.java'
        libraries.make([libraries.need('javac'), '-cp', f'{jars}/*', '-d', folder.name, source], folder.name)
        return ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', f'{folder.name}:{jars}/*', 'SteadyWriter']

    def test_kills_cost_the_java_producer_nothing_and_less_than_a_second(self):
        done = schedule.run(60, seed=2, load=Load(writers=1), programs=[('java', self.writer())])
        print(f'\n{done.text()}')
        self.assertEqual(done.wrong[:10], [])
        for what, limit_s in (('kill', KILL_S), ('stop', STOP_S)):
            took = sorted(blow.silence_s['java'] for blow in done.blows if blow.what == what)
            self.assertLess(took[len(took) // 2], limit_s, f'the one in the middle: {what} {took}')


if __name__ == '__main__':
    unittest.main()
