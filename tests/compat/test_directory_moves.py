# SPDX-License-Identifier: Apache-2.0
"""Apache's tools move replicas between Milena's log directories and see them move; and a folder in the middle of such a
move goes to Apache Kafka, which finishes it, and back.
"""
import json
import os
import pathlib
import re
import time
import unittest

from conversations.talk import INCREMENTAL_ALTER_CONFIGS, Talk
from support import apache, node, records

REASSIGN = 'org.apache.kafka.tools.reassign.ReassignPartitionsCommand'
LOG_DIRS = 'org.apache.kafka.tools.LogDirsCommand'
BROKER, DELETE = 4, 1
TOPIC = 't'
VALUES = [b'%d ' % number + os.urandom(64 * 1024) for number in range(100)]


def setUpModule():
    if node.PEER or apache.jars() is None:
        raise unittest.SkipTest('Apache Kafka and its tools need a JDK and Maven')


class DirectoryMovesTest(unittest.TestCase):
    def setUp(self):
        self.jars = apache.jars()
        self.server = node.Node({'log.segment.delete.delay.ms': 500, 'file.delete.delay.ms': 500})
        self.addCleanup(self.server.__exit__)
        self.places = [str(self.server.folder / name) for name in ('d0', 'd1')]
        self.server.data = pathlib.Path(self.places[0])
        text = self.server.properties.read_text()
        self.server.properties.write_text(re.sub(r'(?m)^log\.dirs=.*$', 'log.dirs=' + ','.join(self.places), text))
        self.server.start()
        with self.server.connect(timeout_s=60) as connection:
            connection.make_topic(TOPIC, configs={'segment.bytes': '2097152'})
            connection.await_leader(TOPIC)
            for value in VALUES:
                self.assertEqual(connection.produce(TOPIC, records.batch([value]))[0], 0)

    def tool(self, main, *arguments):
        return apache.tool(self.jars, main, '--bootstrap-server', self.server.bootstrap, *arguments)

    def described(self):
        """{(directory, is it a copy)} of the partition, as kafka-log-dirs prints it."""
        said = self.tool(LOG_DIRS, '--describe', '--topic-list', TOPIC)
        (broker,) = json.loads(next(line for line in said.splitlines() if line.startswith('{')))['brokers']
        return {(d['logDir'], p['isFuture']) for d in broker['logDirs'] for p in d['partitions']}

    def plan(self, to):
        path = self.server.folder / 'plan.json'
        path.write_text(json.dumps({'version': 1, 'partitions': [
            {'topic': TOPIC, 'partition': 0, 'replicas': [1], 'log_dirs': [to]}]}))
        return path

    def begin(self, throttle):
        """Where the replica goes, by Apache's tool."""
        ((own, _),) = self.described()
        (to,) = [place for place in self.places if place != own]
        said = self.tool(REASSIGN, '--execute', '--reassignment-json-file', self.plan(to),
                         '--replica-alter-log-dirs-throttle', throttle)
        self.assertIn('Successfully started moving log directory to', said)
        return to

    def let_go(self):
        with Talk(self.server.port, 'configs') as talk:
            answer = talk.quietly(INCREMENTAL_ALTER_CONFIGS, 1, ValidateOnly=False, Resources=[
                {'ResourceType': BROKER, 'ResourceName': '1', 'Configs': [
                    {'Name': 'replica.alter.log.dirs.io.max.bytes.per.second', 'ConfigOperation': DELETE}]}])
        self.assertEqual(answer['Responses'][0]['ErrorCode'], 0)

    def read(self):
        values = []
        with self.server.connect(timeout_s=60) as connection:
            connection.await_leader(TOPIC, timeout_s=60)
            _, end = connection.list_offset(TOPIC, -1)
            while len(values) < end:
                error, _, data = connection.fetch(TOPIC, len(values))
                self.assertEqual(error, 0)
                values += [value for offset, value in records.read(data) if offset >= len(values)]
        return values

    def test_apaches_tools_move_a_replica(self):
        to = self.begin(throttle=50_000)
        self.assertIn((to, True), self.described())
        said = self.tool(REASSIGN, '--verify', '--preserve-throttles', '--reassignment-json-file', self.plan(to))
        self.assertIn(f'Reassignment of replica {TOPIC}-0-1 is still in progress.', said)
        self.tool(REASSIGN, '--execute', '--additional', '--reassignment-json-file', self.plan(to),
                  '--replica-alter-log-dirs-throttle', 1_000_000_000)
        deadline = time.monotonic() + 60
        while self.described() != {(to, False)}:
            self.assertLess(time.monotonic(), deadline, self.server.log())
        said = self.tool(REASSIGN, '--verify', '--reassignment-json-file', self.plan(to))
        self.assertIn(f'Reassignment of replica {TOPIC}-0-1 completed successfully.', said)
        self.assertEqual(self.read(), VALUES)

    def go_to_apache_and_back(self, end):
        to = self.begin(throttle=50_000)
        copies = [name for name in os.listdir(to) if name.endswith('-future')]
        self.assertEqual(len(copies), 1)
        end()
        self.assertEqual([name for name in os.listdir(to) if name.endswith('-future')], copies)
        self.server.peer = self.jars
        self.server.start(timeout_s=120)
        self.let_go()
        deadline = time.monotonic() + 60
        while self.described() != {(to, False)}:
            self.assertLess(time.monotonic(), deadline, self.server.log()[-10_000:])
        self.assertEqual(self.read(), VALUES)
        self.assertEqual(self.server.stop(), 143)
        self.server.peer = None
        self.server.start()
        self.assertEqual(self.described(), {(to, False)})
        self.assertEqual(self.read(), VALUES)

    def test_apache_finishes_what_a_stop_has_interrupted(self):
        self.go_to_apache_and_back(lambda: self.assertEqual(self.server.stop(), 0))

    def test_apache_finishes_what_a_kill_has_interrupted(self):
        self.go_to_apache_and_back(self.server.kill)

    def test_milena_finishes_what_apache_has_begun(self):
        self.assertEqual(self.server.stop(), 0)
        self.server.peer = self.jars
        self.server.start(timeout_s=120)
        to = self.begin(throttle=50_000)
        self.assertIn((to, True), self.described())
        self.server.kill()
        self.server.peer = None
        self.server.start()
        self.assertIn((to, True), self.described())
        self.let_go()
        deadline = time.monotonic() + 60
        while self.described() != {(to, False)}:
            self.assertLess(time.monotonic(), deadline, self.server.log())
        self.assertEqual(self.read(), VALUES)


if __name__ == '__main__':
    unittest.main()
