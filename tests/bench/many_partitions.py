#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what many partitions cost one node: their creation, stops, starts after a clean stop and after kill -9.

usage: many_partitions.py [--partitions N] [--descriptors N] [--rounds N] [--no-peer] [--folder PATH]

Each partition gets a record before the stop and another before the kill, so that every log is touched. Served means
that ListOffsets of all partitions gives the offsets they had. Milena may open no more files than --descriptors says;
where a JDK and Maven are present, Apache Kafka does the same in turns with it, with as many as the system allows. Of
several rounds the lowest counts: a shared machine only ever adds. CPU is the processes' own, whoever else is busy.
PATH should lie on the file system that is to be measured.
"""
import argparse
import os
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from support import apache, node  # noqa: E402
from support.wide_topic import WideTopic  # noqa: E402

# Row, ratio to Apache Kafka that is allowed.
BUDGETS = {'create': 0.15, 'clean start': 0.05, 'start after kill -9': 0.05, 'idle': 0.1, 'full': 0.1}
TITLES = {'create': 'created and served', 'append': 'a record appended to each', 'clean stop': 'clean stop',
          'clean start': 'start after a clean stop, all served',
          'start after kill -9': 'start after kill -9, all served',
          'idle': 'MiB resident, empty', 'full': 'MiB resident, all served and written to',
          'descriptors': 'descriptors then'}


class Round:
    """One life of a node: seconds and CPU seconds of each step, and sizes."""

    def __init__(self, topic, folder, descriptors):
        self.topic, self.seconds, self.cpu, self.sizes = topic, {}, {}, {}
        self.server = node.Node(data=folder / 'data', descriptors_max=descriptors)

    def timed(self, row, work):
        process, used = self.server.process, self.server.cpu_s() if self.server.is_running() else 0
        began = time.monotonic()
        work()
        self.seconds[row] = time.monotonic() - began
        if self.server.is_running():
            self.cpu[row] = self.server.cpu_s() - (used if self.server.process is process else 0)

    def create(self):
        with self.server.connect(timeout_s=300) as connection:
            error = connection.create_topic(self.topic.name, self.topic.partitions)
            assert error == 0, error
        self.await_ends(0)

    def append(self):
        with self.server.connect(timeout_s=300) as connection:
            self.topic.append_to_all(connection)

    def await_ends(self, end):
        with self.server.connect(timeout_s=60) as connection:
            self.topic.await_ends(connection, end)

    def start(self, end):
        self.server.start()
        self.await_ends(end)

    def run(self):
        with self.server:
            self.sizes['idle'] = self.server.rss_kib() / 1024
            self.timed('create', self.create)
            self.timed('append', self.append)
            self.timed('clean stop', lambda: self.server.stop(300))
            self.timed('clean start', lambda: self.start(1))
            self.append()
            self.sizes['full'] = self.server.rss_kib() / 1024
            self.sizes['descriptors'] = self.server.descriptors()
            self.server.kill()
            self.timed('start after kill -9', lambda: self.start(2))
        return self


def measure(arguments, topic, peer):
    with tempfile.TemporaryDirectory(prefix='milena-bench-', dir=arguments.folder) as folder:
        node.PEER = peer
        try:
            return Round(topic, pathlib.Path(folder), None if peer else arguments.descriptors).run()
        finally:
            node.PEER = None


def lowest(rounds, figures):
    """The lowest of each row, of those that have it."""
    rows = {}
    for one in rounds:
        for row, figure in getattr(one, figures).items():
            rows[row] = min(figure, rows.get(row, figure))
    return rows


def report(ours, theirs):
    columns = '{:40}{:>10}{:>10}{:>8}{:>8}'
    for figures, unit in (('seconds', 's'), ('cpu', 'CPU-s'), ('sizes', '')):
        mine, peers = lowest(ours, figures), lowest(theirs, figures)
        print(columns.format(unit, 'Milena', 'Apache', 'ratio', 'budget'))
        for row in mine:
            cells = [TITLES[row], f'{mine[row]:.2f}']
            if row in peers:
                ratio, budget = mine[row] / peers[row], BUDGETS.get(row)
                cells += [f'{peers[row]:.2f}', f'{ratio:.3f}']
                cells.append('' if budget is None else f'{budget:.2f}' + ('!' if ratio > budget else ''))
            print(columns.format(*cells, *[''] * (5 - len(cells))))
    print('(! is over budget)', flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1])
    parser.add_argument('--partitions', type=int, default=5000)
    parser.add_argument('--descriptors', type=int, default=1024)
    parser.add_argument('--rounds', type=int, default=1)
    parser.add_argument('--no-peer', action='store_true')
    parser.add_argument('--folder', default=os.environ.get('BENCH_DIR'))
    arguments = parser.parse_args()
    topic = WideTopic('many', arguments.partitions)
    jars = None if arguments.no_peer else apache.jars()
    ours, theirs = [], []
    for _ in range(arguments.rounds):  # in turns, so that both see the same machine
        ours.append(measure(arguments, topic, None))
        if jars:
            theirs.append(measure(arguments, topic, jars))
    report(ours, theirs)


if __name__ == '__main__':
    main()
