#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what three nodes cost that keep everything three times, beside three of Apache Kafka, in one run.

usage: three_nodes.py [--partitions N] [--records N] [--rounds N] [--only ROW…] [--folder PATH]

Each node is broker and controller. Written is with acks=all and min.insync.replicas=2 by Apache Kafka's own
performance test with its default batches; CPU is that of the three nodes together. Partitions are spread over ten
topics; they are served when one of the nodes tells the end of each, and whole when each has three in-sync replicas
too. Of several rounds the lowest counts. A JDK and Maven are needed.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import confluent_kafka.admin

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from support import apache, node, quorum  # noqa: E402
from support.wide_topic import WideTopic  # noqa: E402

# Row, ratio to Apache Kafka that is allowed.
BUDGETS = {'100 B': 0.25, '1 KiB': 0.25, 'p99': 0.3, 'p99.9': 0.3, 'create': 0.3, 'idle': 0.2, 'start one': 0.2,
           'start all': 0.2, 'memory': 0.1}
TITLES = {'100 B': 'written, CPU-s per million of 100 B', '1 KiB': 'written, CPU-s per million of 1 KiB',
          'p50': '1,000 records/s, end to end: p50 ms', 'p99': 'p99 ms', 'p99.9': 'p99.9 ms',
          'create': 'partitions created and whole, s', 'create CPU': 'CPU-s of that',
          'memory': 'MiB resident then, each node', 'idle': 'CPU-s of 10 s without load',
          'start one': 'a node stopped, started, all whole, s', 'start all': 'all killed, started, all whole, s',
          'start all CPU': 'CPU-s of that'}
TOPICS = 10
SETTINGS = {'default.replication.factor': 3, 'min.insync.replicas': 2, 'auto.create.topics.enable': 'false',
            'group.initial.rebalance.delay.ms': 0}


class Trio:
    """Three nodes, of Milena or of Apache Kafka; a context manager."""

    def __init__(self, jars, **more):
        self.quorum = quorum.Quorum(3, 'broker,controller', {**SETTINGS, **more})
        for one in self.nodes:
            one.peer = jars

    @property
    def nodes(self):
        return self.quorum.nodes

    @property
    def bootstrap(self):
        return ','.join(one.bootstrap for one in self.nodes)

    def __enter__(self):
        self.quorum.__enter__()
        self.quorum.await_brokers(180)
        return self

    def __exit__(self, *_):
        self.quorum.__exit__()

    def cpu_s(self):
        return sum(one.cpu_s() for one in self.nodes)

    def admin(self):
        return confluent_kafka.admin.AdminClient({'bootstrap.servers': self.bootstrap, 'log_level': 0})

    def make(self, names, partitions):
        admin = self.admin()
        for name in names:  # one request each: no more than 10,000 records are taken for one
            wanted = confluent_kafka.admin.NewTopic(name, partitions, 3)
            for future in admin.create_topics([wanted], operation_timeout=300, request_timeout=310).values():
                future.result()

    def await_whole(self, names, partitions, timeout_s=900):
        """Until all partitions have three in-sync replicas, as a running broker knows, and tell where they end."""
        deadline = time.monotonic() + timeout_s
        while not (self.in_sync(names, partitions) and self.served(names, partitions)):
            assert time.monotonic() < deadline, 'partitions are not whole'
            time.sleep(0.1)

    def in_sync(self, names, partitions):
        try:
            topics = self.admin().list_topics(timeout=30).topics
        except confluent_kafka.KafkaException:
            return False
        return all(name in topics and len(topics[name].partitions) == partitions
                   and all(len(p.isrs) == 3 for p in topics[name].partitions.values()) for name in names)

    def served(self, names, partitions):
        missing = {(name, number) for name in names for number in range(partitions)}
        for one in self.nodes:
            try:
                with one.connect(timeout_s=60) as connection:
                    for name in names:
                        ends = WideTopic(name, partitions).end_offsets(connection)
                        missing -= {(name, number) for number, end in enumerate(ends) if end >= 0}
            except OSError:
                return False
        return not missing


class Round:
    """One life of a cluster: the figures of its rows."""

    def __init__(self, arguments, jars, tools):
        self.arguments, self.jars, self.tools, self.figures = arguments, jars, tools, {}
        self.names = [f'many-{number}' for number in range(TOPICS)]
        self.each = arguments.partitions // TOPICS

    def run(self, peer):
        parts = {'write': self.write, 'latency': self.latency, 'partitions': self.partitions}
        for name, part in parts.items():
            if name in self.arguments.only:
                with Trio(peer) as trio:
                    part(trio)
        return self.figures

    def write(self, trio):
        trio.make(['written'], 6)
        trio.await_whole(['written'], 6)
        for row, size, count in (('100 B', 100, 2 * self.arguments.records), ('1 KiB', 1024, self.arguments.records)):
            self.load(trio, size, count)  # warms a JVM up
            before = trio.cpu_s()
            self.load(trio, size, count)
            self.figures[row] = (trio.cpu_s() - before) / count * 1e6

    def load(self, trio, size, count):
        apache.tool(self.jars, 'org.apache.kafka.tools.ProducerPerformance', '--topic', 'written', '--num-records',
                    count, '--record-size', size, '--throughput', -1, '--producer-props', 'acks=all',
                    f'bootstrap.servers={trio.bootstrap}')

    def latency(self, trio):
        for topic, seconds in (('warm-up', 10), ('latency', 30)):  # the first for a JVM
            trio.make([topic], 1)
            trio.await_whole([topic], 1)
            done = subprocess.run([self.tools / 'latency', trio.bootstrap, topic, '1000', str(seconds)], check=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.figures |= zip(('p50', 'p99', 'p99.9'), map(float, done.stdout.split()))

    def partitions(self, trio):
        self.timed(trio, 'create', lambda: trio.make(self.names, self.each))
        self.figures['memory'] = max(one.rss_kib() for one in trio.nodes) / 1024
        time.sleep(10)
        before = trio.cpu_s()
        time.sleep(10)
        self.figures['idle'] = trio.cpu_s() - before
        trio.nodes[0].stop(600)
        self.timed(trio, 'start one', trio.nodes[0].spawn)
        for one in trio.nodes:
            one.kill()
        self.timed(trio, 'start all', lambda: [one.spawn() for one in trio.nodes])

    def timed(self, trio, row, work):
        pids = [one.process.pid for one in trio.nodes]
        used, began = trio.cpu_s() if all(one.is_running() for one in trio.nodes) else 0, time.monotonic()
        work()
        trio.await_whole(self.names, self.each)
        self.figures[row] = time.monotonic() - began
        if f'{row} CPU' in TITLES:
            is_same = pids == [one.process.pid for one in trio.nodes]
            self.figures[f'{row} CPU'] = trio.cpu_s() - (used if is_same else 0)


def lowest(rounds):
    return {row: min(one[row] for one in rounds) for row in rounds[0]}


def report(ours, theirs):
    columns = '{:42}{:>10}{:>10}{:>8}{:>8}'
    print(columns.format('', 'Milena', 'Apache', 'ratio', 'budget'))
    for row in (row for row in TITLES if row in ours):
        ratio, budget = ours[row] / max(theirs[row], 1e-9), BUDGETS.get(row)
        allowed = '' if budget is None else f'{budget:.2f}' + ('!' if ratio > budget else '')
        print(columns.format(TITLES[row], f'{ours[row]:.2f}', f'{theirs[row]:.2f}', f'{ratio:.3f}', allowed))
    print('(! is over budget)', flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1])
    parser.add_argument('--partitions', type=int, default=10000)
    parser.add_argument('--records', type=int, default=1_000_000)
    parser.add_argument('--rounds', type=int, default=1)
    parser.add_argument('--only', nargs='*', default=['write', 'latency', 'partitions'])
    parser.add_argument('--folder', default=os.environ.get('BENCH_DIR'))
    arguments = parser.parse_args()
    jars = apache.jars()
    if jars is None:
        sys.exit('three_nodes.py: Apache Kafka can not be had here (a JDK and Maven are needed)')
    with tempfile.TemporaryDirectory(prefix='milena-bench-', dir=arguments.folder) as name:
        tools = pathlib.Path(name)
        subprocess.run(['clang-19', '-O2', '-Wall', '-Wextra', '-Werror', HERE / 'latency.c', '-o', tools / 'latency',
                        '-lrdkafka'], check=True)
        tempfile.tempdir = arguments.folder  # where the nodes have their data
        ours, theirs = [], []
        for _ in range(arguments.rounds):  # in turns, so that both see the same machine
            ours.append(Round(arguments, jars, tools).run(None))
            print(ours[-1], flush=True)
            theirs.append(Round(arguments, jars, tools).run(jars))
            print(theirs[-1], flush=True)
    report(lowest(ours), lowest(theirs))


if __name__ == '__main__':
    main()
