# SPDX-License-Identifier: Apache-2.0
"""A cluster of Apache Kafka and one of Milena, three brokers each, and the tools of both run against both: what any
of them prints of either is what Apache's print of Apache Kafka."""
import json
import re
import subprocess
import threading
import time
import unittest

from . import apache, node, quorum, tools

CLASSES = {'topics': 'TopicCommand', 'configs': 'ConfigCommand', 'cluster': 'ClusterTool',
           'get-offsets': 'GetOffsetShell', 'log-dirs': 'LogDirsCommand', 'leader-election': 'LeaderElectionCommand',
           'reassign-partitions': 'reassign.ReassignPartitionsCommand'}
ID = r'(?<![\w-])(?=[\w-]*[A-Z0-9])[\w-]{22}(?![\w-])'


class Cluster(quorum.Quorum):
    """Brokers 1, 2 and 3 in a rack each, with two log directories; the first is the controller too. Of Apache Kafka
    if `jars` are given."""

    def __init__(self, jars=None):
        self.nodes = [quorum.Voter(number, 'broker' if number > 1 else 'broker,controller') for number in (1, 2, 3)]
        self.voters, self.brokers = self.nodes[:1], self.nodes
        for one in self.nodes:
            one.peer = jars
            one.join(self.voters, {'broker.rack': f'rack{one.node_id}', 'offsets.topic.replication.factor': 1,
                                   'log.dirs': f'{one.data},{one.folder}/more'})
        # Not the third: it is the one that tests stop.
        self.bootstrap = ','.join(one.bootstrap for one in self.nodes[:2])
        self.folder = self.nodes[0].folder

    def write(self, name, value):
        (self.folder / name).write_text(json.dumps(value))

    def plan(self, name, topic, replicas, directories=None):
        """Writes where partitions of a topic are to be: a list of brokers for each partition."""
        entries = [{'topic': topic, 'partition': partition, 'replicas': brokers,
                    **({'log_dirs': directories[partition]} if directories else {})}
                   for partition, brokers in replicas.items()]
        self.write(name, {'version': 1, 'partitions': entries})

    def same_everywhere(self, text):
        """With words for what no two clusters share."""
        for one in self.nodes:
            text = text.replace(str(one.controller_port), f'CONTROLLERPORT{one.node_id}')
            text = text.replace(str(one.port), f'PORT{one.node_id}').replace(f'{one.folder}/more', f'{one.folder}/data')
            text = text.replace(str(one.folder), f'FOLDER{one.node_id}')
        return re.sub(ID, 'ID', text)


class Play:
    """One run of commands with the tools of one against a cluster; `said` is what they printed."""

    def __init__(self, cluster, jars):
        self.cluster, self.jars, self.said = cluster, jars, []
        self.exact = []  # what Apache's and ours print of one cluster in the same words, and of two in others
        self.words = {}  # more of what no two clusters share, and what stands for it

    def command(self, tool, arguments):
        if self.jars is None:
            return [str(node.MILENA), tool, *arguments]
        return apache.java(self.jars, apache.TOOL_OPTIONS, 'org.apache.kafka.tools.' + CLASSES[tool], *arguments)

    def local(self, tool, *arguments, keep=lambda text: text, exact=False):
        """Without a cluster's address."""
        done = subprocess.run(self.command(tool, [str(argument) for argument in arguments]), capture_output=True,
                              text=True, check=False, timeout=180, cwd=self.cluster.folder)
        out, err = (self.without_frames(text) for text in (done.stdout, done.stderr))
        # Apache's tools have their log where their output is.
        logged = ''.join(re.findall(r'(?m)^TIME ERROR .*\n', out))
        out, err = out.replace(logged, ''), logged + err
        # Options are described in each one's own words.
        if re.search(r'(?m)^Option  |^Usage: |^usage: |^OPTIONS:|^Options:', err):
            err = err.splitlines()[0]
        if exact:
            self.exact.append(self.without_log(done.stdout))
        command = self.same_everywhere(' '.join(map(str, (tool, *arguments))))
        self.said.append((command, done.returncode, keep(out), err.strip()))
        return out

    def __call__(self, tool, *arguments, **how):
        first, *others = (tool, *arguments)
        action = [others.pop(0)] if first == 'cluster' else []
        return self.local(first, *action, '--bootstrap-server', self.cluster.bootstrap, *others, **how)

    @staticmethod
    def without_log(text):
        return re.sub(r'(?s)\d{4}-\d\d-\d\dT\S+ (INFO|WARN) .*?\([\w.$]+\)\n', '', text)

    def without_frames(self, text):
        text = self.without_log(text)
        text = re.sub(r'(?m)^\[?\d{4}-\d\d-\d\d[T ][\d:,.]+\]?', 'TIME', text)
        text = re.sub(r'(?m)^\t+(at |\.\.\. \d+ more).*\n', '', text)
        # A client that was closed at once says so in its log, with a stack.
        text = re.sub(r'(?m)^[\w.]+: Timed out waiting to send the call. Call: fetchMetadata\n', '', text)
        return self.same_everywhere(text)

    def same_everywhere(self, text):
        for what, word in self.words.items():
            text = text.replace(what, word)
        return self.cluster.same_everywhere(text)

    def directories(self, topic, broker):
        """Where the broker has the topic's only partition, and its other directory."""
        found = self.log_directories(topic, '--broker-list', str(broker))
        return [entry['logDir'] for entry in sorted(found, key=lambda entry: all(
            partition['isFuture'] for partition in entry['partitions']))]

    def log_directories(self, topic, *brokers):
        done = tools.run('log-dirs', '--bootstrap-server', self.cluster.bootstrap, '--describe', '--topic-list', topic,
                         *brokers)
        return [entry for broker in json.loads(done.out.splitlines()[2])['brokers'] for entry in broker['logDirs']]

    def await_replicas(self, topic, count, timeout_s=60):
        """A broker makes its replica a moment after the topic is there."""
        deadline = time.monotonic() + timeout_s
        while sum(len(entry['partitions']) for entry in self.log_directories(topic)) != count:
            assert time.monotonic() < deadline, f'{topic} has no {count} replicas'
            time.sleep(0.05)

    def await_no_moves(self, timeout_s=60):
        deadline = time.monotonic() + timeout_s
        while 'No partition' not in tools.run('reassign-partitions', '--bootstrap-server', self.cluster.bootstrap,
                                              '--list').out:
            assert time.monotonic() < deadline, 'partitions still move'
            time.sleep(0.05)


class BesideTest(unittest.TestCase):
    """Both clusters run for a class."""
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.jars = node.jars_beside()
        cls.clusters = [Cluster(cls.jars), Cluster()]
        for cluster in cls.clusters:
            cls.addClassCleanup(cluster.__exit__)
            cluster.__enter__()
        for cluster in cls.clusters:
            cluster.await_brokers(timeout_s=180)

    def on_both(self, act):
        """Does something with each cluster, at the same time."""
        failures = []

        def guarded(cluster):
            try:
                act(cluster)
            except BaseException as failure:  # pylint: disable=broad-except
                failures.append(failure)
        threads = [threading.Thread(target=guarded, args=[cluster]) for cluster in self.clusters]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]

    def same(self, commands):
        """Runs the commands with Apache's tools and then with ours, against both clusters, the first of which is
        Apache's. Gives what was printed."""
        plays = {cluster: [Play(cluster, self.jars), Play(cluster, None)] for cluster in self.clusters}

        def run(cluster):
            for play in plays[cluster]:
                commands(play)
        self.on_both(run)
        for theirs, ours in plays.values():
            self.assertEqual(ours.exact, theirs.exact)
        expected, *others = [play for of_cluster in plays.values() for play in of_cluster]
        for play in others:
            whose, of = 'theirs' if play.jars else 'ours', 'Apache' if play.cluster.nodes[0].peer else 'Milena'
            for theirs, ours in zip(expected.said, play.said):
                self.assertEqual(ours, theirs, f'{whose} on {of}')
            self.assertEqual(len(play.said), len(expected.said))
        return '\n'.join(str(out) for _, _, out, _ in expected.said)
