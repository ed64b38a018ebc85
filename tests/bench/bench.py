#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what a broker costs beside the least that it could, all measured in this run.

usage: bench.py [--mb MB] [--rounds N] [--no-peer]

CPU seconds of the broker for each GB (10^9 bytes) of records written and read, beside the floor (floor.cc)
and, where a JDK and Maven are present, beside Apache Kafka; and the time from the start of an empty node to
its first answer. Of several rounds the lowest counts: a shared machine only ever adds.
"""
import argparse
import collections
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from support import apache, node, wire  # noqa: E402

TOPIC = 'bench'
# Row, ratio to the floor that is allowed, ratio to Apache Kafka that is allowed. Where the floor itself takes more than
# the latter, what is allowed beside the floor is allowed beside Apache Kafka too (docs/decisions/0010).
BUDGETS = {'write': (1.3, 0.4), 'read': (1.2, 0.25), 'start': (None, 0.05)}
TITLES = {'write': 'written, CPU-s/GB', 'read': 'read, CPU-s/GB', 'start': 'start to first answer, s'}


def compile_tools(folder):
    subprocess.run(['clang++-19', '-std=c++23', '-O2', '-Wall', '-Wextra', '-Werror', HERE / 'floor.cc', '-o',
                    folder / 'floor', '-lisal'], check=True)
    subprocess.run(['clang-19', '-O2', '-Wall', '-Wextra', '-Werror', HERE / 'load.c', '-o', folder / 'load',
                    '-lrdkafka'], check=True)


def floor(folder, mode, megabytes, *batch_bytes):
    """CPU seconds for each GB."""
    out = subprocess.run([folder / 'floor', mode, str(megabytes), folder, *map(str, batch_bytes)], check=True,
                         capture_output=True, text=True)
    return float(out.stdout.split()[0])


class Drain:
    """Fetches the topic from end to end, 1 MiB at a time, and throws the records away in the kernel."""

    def __init__(self, connection):
        self.connection, self.stream = connection, connection.socket
        self.room = bytearray(1 << 20)
        self.sizes = collections.Counter()  # of batches

    def run(self):
        """The bytes of all record batches."""
        taken = offset = 0
        _, end = self.connection.list_offset(TOPIC, -1)
        while offset < end:
            length = self.fetch(offset)
            offset = self.pass_over(offset, length)
            taken += length
        return taken

    def fetch(self, offset):
        """Asks for what stands at `offset`, reads the answer up to the records, and gives their length."""
        part = wire.int32(0) + wire.int64(offset) + wire.int32(1 << 20)
        body = (wire.int32(-1) + wire.int32(500) + wire.int32(1) + wire.int32(50 << 20) + b'\0'
                + wire.array([wire.string(TOPIC) + wire.array([part])]))
        self.connection.send(wire.frame(wire.header(wire.FETCH, 4) + body))
        names = 4 + 4 + 4 + 4 + 2 + len(TOPIC) + 4 + 4  # size, correlation, throttle, topic, its name, partition
        reader = wire.Reader(self.connection.receive_exactly(names + 2 + 8 + 8 + 4 + 4))
        reader.at = names
        error, _, _, aborted, length = reader.take('hqqii')
        assert error == 0 and aborted <= 0, f'Fetch: error {error}'
        return length

    def pass_over(self, offset, left):
        """Reads of the batches only their headers; gives the offset behind the last whole one."""
        while left >= 61:
            head = self.connection.receive_exactly(61)
            size = int.from_bytes(head[8:12], 'big') - 49
            left -= 61
            if size <= left:
                self.sizes[size + 61] += 1
                offset = int.from_bytes(head[0:8], 'big') + int.from_bytes(head[23:27], 'big') + 1
            self.discard(min(size, left))
            left -= min(size, left)
        self.discard(left)
        return offset

    def discard(self, count):
        while count:
            took = self.stream.recv_into(self.room, min(count, len(self.room)), socket.MSG_TRUNC)
            if not took:
                raise wire.Closed
            count -= took


def measure(folder, megabytes, warm_up=100):
    """One round of the broker: {'write': …, 'read': …, 'start': …, 'batch': the usual size of one}."""
    with node.Node() as server:
        start_s = server.last_start_s
        with server.connect(timeout_s=60) as connection:
            connection.make_topic(TOPIC)
            load = [folder / 'load', server.bootstrap, TOPIC]
            subprocess.run([*load, str(warm_up)], check=True, capture_output=True)
            before = server.cpu_s()
            subprocess.run([*load, str(megabytes)], check=True, capture_output=True)
            write = (server.cpu_s() - before) / (megabytes / 1000)
            os.sync()  # what the system writes back meanwhile is interrupts in whoever runs
            before = server.cpu_s()
            drain = Drain(connection)
            taken = drain.run()
            read = (server.cpu_s() - before) / (taken / 1e9)
    return {'write': write, 'read': read, 'start': start_s, 'batch': drain.sizes.most_common(1)[0][0]}


def lowest(rounds):
    return {key: min(one[key] for one in rounds) for key in rounds[0]}


def measure_peer(folder, megabytes, rounds):
    """The same of Apache Kafka, or nothing where it can not be had."""
    node.PEER = apache.jars()
    if node.PEER is None:
        return None
    try:
        # A cold JVM costs several times as much, so it gets a few times as much to warm up.
        return lowest([measure(folder, megabytes, warm_up=3 * megabytes) for _ in range(rounds)])
    finally:
        node.PEER = None


def allowed(budgets, floor, peer):
    """The two ratios, the second no lower than the first makes possible."""
    beside_floor, beside_peer = budgets
    if floor and peer:
        beside_peer = max(beside_peer, beside_floor * floor / peer)
    return beside_floor, beside_peer


def report(floors, ours, peer):
    columns = '{:26}{:>9}{:>9}{:>8}{:>8}{:>9}{:>8}{:>8}'
    print(columns.format('', 'Milena', 'floor', 'ratio', 'budget', 'Apache', 'ratio', 'budget'))
    for key, title in TITLES.items():
        cells = [title, f'{ours[key]:.3f}']
        bases = floors.get(key), (peer or {}).get(key)
        for base, budget in zip(bases, allowed(BUDGETS[key], *bases)):
            if base is None:
                cells += ['-', '-', '-']
                continue
            ratio = ours[key] / base
            cells += [f'{base:.3f}', f'{ratio:.2f}', f'{budget:.2f}' + ('!' if ratio > budget else '')]
        print(columns.format(*cells))
    print('(! is over budget)')


def main():
    parser = argparse.ArgumentParser(description='CPU of a broker beside the floor and beside Apache Kafka.')
    parser.add_argument('--mb', type=int, default=1000)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--no-peer', action='store_true')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='milena-bench-', dir=os.environ.get('BENCH_DIR')) as name:
        folder = pathlib.Path(name)
        compile_tools(folder)
        floors, ours = [], []
        for _ in range(options.rounds):  # in turns, so that both see the same machine
            ours.append(measure(folder, options.mb))
            floors.append({'write': floor(folder, 'ingest', options.mb, ours[-1]['batch']),
                           'read': floor(folder, 'egress', options.mb)})
        peer = None if options.no_peer else measure_peer(folder, options.mb, options.rounds)
        report(lowest(floors), lowest(ours), peer)


if __name__ == '__main__':
    main()
