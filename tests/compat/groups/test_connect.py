# SPDX-License-Identifier: Apache-2.0
"""Two distributed workers of Kafka Connect on three nodes: from a file through a topic into a file, whoever ends.

Connect's workers are a group, of its own protocol; what they run, and how far, is in three compacted topics.
"""
import json
import pathlib
import re
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

from compat import libraries
from compat.groups import members
from conversations.talk import FIND_COORDINATOR, Talk
from support import apache, node, quorum

BROKERS = {'group.initial.rebalance.delay.ms': 100, 'offsets.topic.num.partitions': 8}
GROUP, TOPIC = 'workers', 'lines'
INTERNAL = ('workers-configs', 'workers-offsets', 'workers-status')
WORKER = '''bootstrap.servers={bootstrap}
group.id={group}
listeners=http://127.0.0.1:{port}
key.converter=org.apache.kafka.connect.storage.StringConverter
value.converter=org.apache.kafka.connect.storage.StringConverter
config.storage.topic={group}-configs
offset.storage.topic={group}-offsets
offset.storage.partitions=4
status.storage.topic={group}-status
status.storage.partitions=2
offset.flush.interval.ms=500
session.timeout.ms=6000
heartbeat.interval.ms=500
consumer.session.timeout.ms=6000
consumer.heartbeat.interval.ms=500
scheduled.rebalance.max.delay.ms=500
plugin.discovery=service_load
'''
OPTIONS = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']


class Worker:
    def __init__(self, jars, folder, name, bootstrap):
        self.port = node.free_port()
        self.id = f'127.0.0.1:{self.port}'
        properties = pathlib.Path(folder, f'{name}.properties')
        properties.write_text(WORKER.format(bootstrap=bootstrap, group=GROUP, port=self.port))
        self.log = pathlib.Path(folder, f'{name}.log')
        with open(self.log, 'wb') as log:
            self.process = subprocess.Popen(
                apache.java(jars, OPTIONS, 'org.apache.kafka.connect.cli.ConnectDistributed', properties), stdout=log,
                stderr=log, stdin=subprocess.DEVNULL, cwd=folder)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def ask(self, path, body=None):
        """What it answers; None if it doesn't, or asks to try again."""
        request = urllib.request.Request(f'http://{self.id}{path}', method='PUT' if body else 'GET',
                                         data=json.dumps(body).encode() if body else None,
                                         headers={'Content-Type': 'application/json'})
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return json.load(answer)
        except (OSError, urllib.error.URLError):
            assert self.process.poll() is None, self.said()
            return None

    def said(self):
        return f'{self.id}:\n' + self.log.read_text(errors='replace')[-6000:]


class Source:
    """A file that grows by a numbered line every few milliseconds."""

    def __init__(self, path):
        self.path, self.count = path, 0
        self.stopping = threading.Event()
        path.touch()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        with open(self.path, 'a', buffering=1, encoding='ascii') as file:
            while not self.stopping.wait(0.01):
                file.write(f'<{self.count}>\n')
                self.count += 1

    def stop(self):
        self.stopping.set()
        self.thread.join()


class ConnectTest(unittest.TestCase):
    def setUp(self):
        self.jars = node.PEER or node.jars_beside()
        folder = tempfile.TemporaryDirectory(prefix='milena-connect-')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        libraries.make(['javac', '-d', folder.name, libraries.HERE / 'java' / 'AppInfoParser.java'], folder.name)
        self.cluster = quorum.Quorum(3, 'broker,controller', BROKERS)
        self.addCleanup(self.cluster.__exit__)
        self.cluster.__enter__()
        self.cluster.await_brokers()
        self.bootstrap = ','.join(one.bootstrap for one in self.cluster.brokers)
        self.workers = []
        for name in ('one', 'two'):
            self.workers.append(Worker(f'{self.folder}:{self.jars}', self.folder, name, self.bootstrap))
            self.addCleanup(self.workers[-1].kill)

    def said(self):
        return '\n'.join(worker.said() for worker in self.workers)

    def await_true(self, is_so, what):
        members.await_true(is_so, lambda: f'{what}\n{self.said()}')

    def configure(self, name, **config):
        config = {'tasks.max': '1', 'connector.class': f'org.apache.kafka.connect.file.FileStream{name}Connector',
                  **config}
        self.await_true(lambda: any(worker.ask(f'/connectors/{name}/config', config) for worker in self.workers),
                        f'{name} is not taken')

    def task_of(self, name):
        """The id of the worker that runs the connector's task, None if nobody does."""
        status = next(filter(None, (worker.ask(f'/connectors/{name}/status') for worker in self.workers)), None)
        running = [task['worker_id'] for task in status['tasks'] if task['state'] == 'RUNNING'] if status else []
        return running[0] if running else None

    def sunk(self):
        """Numbers of the lines in the sink. A line that was cut when its writer was killed is none."""
        path = self.folder / 'sink'
        return {int(number) for number in re.findall(r'<(\d+)>', path.read_text())} if path.exists() else set()

    def await_more(self, source, count=100):
        """Lines that are written from now on are in the sink."""
        wanted = source.count + count
        self.await_true(lambda: wanted in self.sunk(), f'line {wanted} is not in the sink')

    def coordinator(self):
        with Talk(self.cluster.brokers[0].port, 'coordinator') as talk:
            found = talk.quietly(FIND_COORDINATOR, 3, Key=GROUP, KeyType=0)
        return next(one for one in self.cluster.brokers if one.node_id == found['NodeId'])

    def policies(self):
        """cleanup.policy of Connect's topics, as a broker tells it."""
        described = apache.tool(self.jars, 'org.apache.kafka.tools.ConfigCommand', '--bootstrap-server', self.bootstrap,
                                '--describe', '--entity-type', 'topics')
        return {name: re.search(r'cleanup.policy=(\w+)', about)[1] for name, about in re.findall(
            r'Dynamic configs for topic (\S+) are:\n((?:  .*\n)+)', described) if name in INTERNAL}

    def test_every_line_arrives(self):
        source = Source(self.folder / 'source')
        self.addCleanup(source.stop)
        self.configure('Source', file=str(source.path), topic=TOPIC, **{
            'topic.creation.default.replication.factor': 3, 'topic.creation.default.partitions': 2})
        self.configure('Sink', file=str(self.folder / 'sink'), topics=TOPIC)
        self.await_more(source)
        self.assertEqual(self.policies(), dict.fromkeys(INTERNAL, 'compact'))
        broker = self.coordinator()
        broker.kill()
        self.await_more(source)
        broker.start()
        worker = self.task_of('Source')
        gone, left = sorted(self.workers, key=lambda one: one.id != worker)
        gone.kill()
        self.workers.remove(gone)
        self.await_true(lambda: self.task_of('Source') == self.task_of('Sink') == left.id, 'tasks do not move')
        self.await_more(source)
        source.stop()
        every = set(range(source.count))
        self.await_true(lambda: self.sunk() == every, 'the sink lacks lines')
        print(f'Connect: {len(every)} lines')


if __name__ == '__main__':
    unittest.main()
