#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what many partitions cost one node: their creation, a stop, a start after it and one after kill -9.

usage: many_partitions.py [--partitions N] [--descriptors N] [--folder PATH]

Each partition gets a record before the stop and another before the kill, so that every log is touched. Served means
that ListOffsets of all partitions gives the offsets they had. The node may open no more files than --descriptors says.
PATH should lie on the file system that is to be measured.
"""
import argparse
import os
import pathlib
import resource
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from support import node, odd_batches  # noqa: E402
from support.wire import LIST_OFFSETS, PRODUCE, array, int16, int32, int64, string  # noqa: E402

TOPIC = 'many'


def end_offsets(connection, partitions):
    """The end of each partition, or its error as a negative number, in one request."""
    parts = [int32(p) + int64(-1) for p in range(partitions)]
    reader = connection.request(LIST_OFFSETS, 1, int32(-1) + array([string(TOPIC) + array(parts)]))
    reader.take('i'), reader.string()
    return [offset if error == 0 else -error
            for _, error, _, offset in reader.array(lambda: reader.take('ihqq'))]


def append_to_all(connection, partitions):
    records = odd_batches.batch([odd_batches.Record(b'v')])
    parts = [int32(p) + int32(len(records)) + records for p in range(partitions)]
    body = string(None) + int16(1) + int32(60000) + array([string(TOPIC) + array(parts)])
    reader = connection.request(PRODUCE, 7, body)
    reader.take('i'), reader.string()
    errors = {error for _, error, _, _, _ in reader.array(lambda: reader.take('ihqqq'))}
    assert errors == {0}, errors


def serve_all(server, partitions, end):
    """Waits until every partition tells that it ends there."""
    deadline = time.monotonic() + 300
    with server.connect(timeout_s=60) as connection:
        while True:
            found = end_offsets(connection, partitions)
            if all(offset == end for offset in found):
                return
            assert time.monotonic() < deadline, sorted(set(found))
            time.sleep(0.01)


def timed(server, title, work):
    """Elapsed time, and what the node's process has used of the processors meanwhile."""
    process, used = server.process, server.cpu_s() if server.is_running() else 0
    began = time.monotonic()
    work()
    line = f'{title:<42}{time.monotonic() - began:8.2f} s'
    if server.is_running():
        used = server.cpu_s() - (used if server.process is process else 0)
        line += f'{used:8.2f} CPU-s{server.rss_kib() / 1024:8.1f} MiB resident{server.descriptors():7} descriptors'
    print(line, flush=True)


def create(server, partitions):
    with server.connect(timeout_s=300) as connection:
        error = connection.create_topic(TOPIC, partitions)
        assert error == 0, error
    serve_all(server, partitions, 0)


def start(server, partitions, end):
    server.start()
    serve_all(server, partitions, end)


def measure(partitions, folder):
    server = node.Node(data=folder / 'data')
    with server:
        timed(server, f'{partitions} partitions created and served', lambda: create(server, partitions))
        with server.connect(timeout_s=300) as connection:
            timed(server, 'a record appended to each', lambda: append_to_all(connection, partitions))
        timed(server, 'clean stop', lambda: server.stop(300))
        timed(server, 'start after it until all are served', lambda: start(server, partitions, 1))
        with server.connect(timeout_s=300) as connection:
            timed(server, 'a record appended to each', lambda: append_to_all(connection, partitions))
        server.kill()
        timed(server, 'start after kill -9 until all are served', lambda: start(server, partitions, 2))
        timed(server, 'clean stop', lambda: server.stop(300))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1])
    parser.add_argument('--partitions', type=int, default=5000)
    parser.add_argument('--descriptors', type=int, default=1024)
    parser.add_argument('--folder')
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (arguments.descriptors, arguments.descriptors))
    with tempfile.TemporaryDirectory(prefix='milena-bench-', dir=arguments.folder) as folder:
        measure(arguments.partitions, pathlib.Path(folder))


if __name__ == '__main__':
    main()
