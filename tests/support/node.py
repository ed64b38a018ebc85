# SPDX-License-Identifier: Apache-2.0
"""A server as a process: configured, started on free ports, watched, stopped by its pid.

By default it is Milena. With MILENA_TEST_PEER set to a folder of Apache Kafka's jars it is Apache Kafka, so
that the tests themselves can be held against what they were written from.
"""
import itertools
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from . import apache, wire

ROOT = pathlib.Path(__file__).resolve().parents[2]
MILENA = pathlib.Path(os.environ.get('MILENA_BINARY', ROOT / 'build' / 'milena'))
PEER = os.environ.get('MILENA_TEST_PEER')

PROPERTIES = '''process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}
controller.listener.names=CONTROLLER
controller.quorum.bootstrap.servers=127.0.0.1:{controller_port}
log.dirs={data}
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
'''


def jars_beside():
    """The jars of Apache Kafka for a test that runs it, or its tools, beside Milena; skips the test without them."""
    jars = None if PEER else apache.jars()
    if jars is None:
        raise unittest.SkipTest('needs a JDK and Maven for Apache Kafka and its tools, and Milena beside it')
    return jars


# Below those that the system gives to clients. A process begins anywhere among them and goes on in turn: what it handed
# out it does not hand out again, for a node that has not bound its port yet, or is down, still counts on it.
PORTS = range(20000, 32000)
# Of processes of tests side by side each has a part (run.py).
_lane, _lanes = map(int, os.environ.get('MILENA_TEST_LANE', '0/1').split('/'))
PORTS = PORTS[len(PORTS) // _lanes * _lane:len(PORTS) // _lanes * (_lane + 1)]
_turn = itertools.count(random.randrange(len(PORTS)))


def free_port():
    """A port that nobody listens on and that nobody else in this process was given."""
    while True:
        port = PORTS[next(_turn) % len(PORTS)]
        if is_free(port):
            return port


def free_ports(count):
    """As many of them as asked for, one beside the other: the first of them."""
    while True:
        ports = [free_port() for _ in range(count)]
        if ports[-1] - ports[0] == count - 1:
            return ports[0]


def is_free(port):
    with socket.socket() as probe:
        try:
            probe.bind(('127.0.0.1', port))
        except OSError:
            return False
    return True


class Node:
    """One combined node in a folder of its own. A context manager: leaves no process and no folder behind."""
    host = '127.0.0.1'

    def __init__(self, extra=None, data=None, descriptors_max=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='milena-test-'))
        self.port, self.controller_port = free_port(), free_port()
        self.data = pathlib.Path(data or self.folder / 'data')
        self.properties = self.folder / 'server.properties'
        self.log_path = self.folder / 'server.log'
        text = PROPERTIES.format(port=self.port, controller_port=self.controller_port, data=self.data)
        self.properties.write_text(text + ''.join(f'{k}={v}\n' for k, v in (extra or {}).items()))
        # Variables of the process; None for those of the tests.
        self.environment = None
        # The jars of Apache Kafka if that is what the next start shall run, else None.
        self.peer = PEER
        # How many files the process may open; None for as many as this one.
        self.descriptors_max = descriptors_max
        self.process = None
        self.last_start_s = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def bootstrap(self):
        return f'{self.host}:{self.port}'

    def command(self):
        if self.peer:
            return apache.server_command(self.peer, self.properties)
        limit = ['prlimit', f'--nofile={self.descriptors_max}:{self.descriptors_max}'] if self.descriptors_max else []
        return [*limit, str(MILENA), 'server', str(self.properties)]

    def spawn(self):
        """Starts the process and does not wait for it to serve."""
        if self.peer and not (self.data / 'meta.properties').exists():
            apache.format_storage(self.peer, self.properties)
        with open(self.log_path, 'ab') as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                            cwd=self.folder, env=self.environment)
        return self.process

    def start(self, timeout_s=180):
        """Starts the process and waits for its first answer."""
        began = time.monotonic()
        self.spawn()
        while time.monotonic() - began < timeout_s:
            if self.process.poll() is not None:
                raise AssertionError(f'the server ended with {self.process.returncode}:\n{self.log()}')
            if self.answers():
                self.last_start_s = time.monotonic() - began
                return self
            time.sleep(0.01)
        raise AssertionError(f'no answer after {timeout_s} s:\n{self.log()}')

    def answers(self, timeout_s=5):
        """True if a new connection gets an answer to Metadata that names a broker."""
        try:
            with wire.Connection(self.port, timeout_s=timeout_s) as connection:
                return bool(connection.metadata().brokers)
        except (OSError, wire.Closed):
            return False

    def connect(self, timeout_s=10):
        return wire.Connection(self.port, timeout_s=timeout_s)

    def stop(self, timeout_s=60):
        """SIGTERM; gives the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout_s)

    def kill(self):
        """SIGKILL, if it still runs."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def restart(self):
        self.stop()
        return self.start()

    def log(self):
        return self.log_path.read_text(errors='replace') if self.log_path.exists() else ''

    def await_line(self, phrase, timeout_s=15):
        """The first line of the log that holds the phrase."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            for line in self.log().splitlines():
                if phrase in line:
                    return line
            time.sleep(0.02)
        raise AssertionError(f'no line says {phrase}:\n{self.log()}')

    def log_lines(self):
        return self.log().count('\n')

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def rss_kib(self):
        status = pathlib.Path(f'/proc/{self.process.pid}/status').read_text()
        return int(re.search(r'VmRSS:\s+(\d+) kB', status)[1])

    def cpu_s(self):
        """User and system time of the process so far."""
        fields = pathlib.Path(f'/proc/{self.process.pid}/stat').read_text().rpartition(')')[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def descriptors(self):
        return len(os.listdir(f'/proc/{self.process.pid}/fd'))

    def maps(self):
        """What the process has mapped into its memory, a line each."""
        return pathlib.Path(f'/proc/{self.process.pid}/maps').read_text()

    def meta_properties(self):
        lines = (self.data / 'meta.properties').read_text().splitlines()
        return dict(line.split('=', 1) for line in lines if line and not line.startswith('#'))
