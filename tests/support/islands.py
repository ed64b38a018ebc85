# SPDX-License-Identifier: Apache-2.0
"""Nodes on machines of their own, as far as the network goes: each in a network namespace, all on one switch.

The namespaces have no names: they end with the processes in them, and nothing of the host's own network is touched. The
thread that makes the islands stands on the switch while they exist, and so do the threads that it starts. What one
island sends to another is lost by giving it a wrong hardware address for it: one direction at a time, silently, as a
broken cable or a firewall does it, while the test itself still reaches everybody.
"""
import contextlib
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from conversations.talk import DESCRIBE_QUORUM, METADATA, Talk

from . import node, wire

CLONE_NEWNET = 0x40000000
CLUSTER_ID = 'Lw3Jq8PSQGm0o3vbYqTCLQ'
LOG = '__cluster_metadata-0'
CLIENTS, CONTROLLERS = 9092, 9093
NOBODY = '02:00:00:00:00:01'

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _run(*command):
    subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


@contextlib.contextmanager
def new_network():
    """The calling thread is in an empty network of its own inside; back in the old one after."""
    before = os.open('/proc/thread-self/ns/net', os.O_RDONLY)
    try:
        _checked(_libc.unshare(CLONE_NEWNET))
        try:
            yield
        finally:
            _checked(_libc.setns(before, CLONE_NEWNET))
    finally:
        os.close(before)


def obstacle():
    """Why there can't be islands here; None if there can."""
    for tool in ('ip', 'unshare', 'nsenter'):
        if not shutil.which(tool):
            return f'there is no {tool}'
    try:
        with new_network():
            _run('ip', 'link', 'add', 'sea', 'type', 'bridge')
            _run('ip', 'link', 'add', 'one', 'type', 'veth', 'peer', 'name', 'other')
    except OSError as error:
        return f'no network namespace can be made: {error}'
    except subprocess.CalledProcessError as error:
        return f'no bridge or virtual cable can be made: {error.stdout.decode().strip()}'
    return None


class Island:
    """A node and its machine. The machine outlives the process."""
    port = CLIENTS

    def __init__(self, node_id):
        self.node_id = node_id
        self.host = f'10.77.0.{10 + node_id}'
        self.bootstrap = f'{self.host}:{CLIENTS}'
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='milena-test-'))
        self.data = self.folder / 'data'
        self.properties = self.folder / 'server.properties'
        self.directory_id = f'milenaisland{node_id:09}A'
        self.process = None
        outside = os.stat('/proc/thread-self/ns/net').st_ino
        self.machine = subprocess.Popen(['unshare', '-n', 'sleep', 'infinity'])
        deadline = time.monotonic() + 10
        while os.stat(f'/proc/{self.machine.pid}/ns/net').st_ino == outside:
            assert time.monotonic() < deadline, 'no namespace'
            time.sleep(0.005)
        cable = f'cable{node_id}'
        _run('ip', 'link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', str(self.machine.pid))
        _run('ip', 'link', 'set', cable, 'master', 'sea', 'up')
        self.inside('ip', 'link', 'set', 'lo', 'up')
        self.inside('ip', 'addr', 'add', f'{self.host}/24', 'dev', 'eth0')
        self.inside('ip', 'link', 'set', 'eth0', 'up')

    def enter(self):
        return ['nsenter', f'--net=/proc/{self.machine.pid}/ns/net', '--']

    def inside(self, *command):
        _run(*self.enter(), *command)

    def spawn(self):
        with open(self.folder / 'server.log', 'ab') as log:
            self.process = subprocess.Popen([*self.enter(), node.MILENA, 'server', self.properties], stdout=log,
                                            stderr=log, stdin=subprocess.DEVNULL, cwd=self.folder)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def destroy(self):
        if self.is_running():
            self.go_on()
            self.kill()
        self.machine.kill()
        self.machine.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def log(self):
        return (self.folder / 'server.log').read_text(errors='replace')

    def connect(self, timeout_s=2):
        return wire.Connection(CLIENTS, self.host, timeout_s)

    def quorum(self, timeout_s=0.5):
        """The quorum as this node tells of it if it leads, else None."""
        try:
            with Talk(CONTROLLERS, 'quorum', timeout_s, self.host) as talk:
                answer = talk.quietly(DESCRIBE_QUORUM, 2, Topics=[
                    {'TopicName': LOG.removesuffix('-0'), 'Partitions': [{'PartitionIndex': 0}]}])
        except (OSError, wire.Closed, AssertionError):
            return None
        described = answer['Topics'][0]['Partitions'][0] if answer['ErrorCode'] == 0 else None
        return described if described and described['LeaderId'] == self.node_id else None

    def cluster(self, timeout_s=2):
        """Brokers, and topics with their ids and partitions, as this node's clients hear of them; None if it does
        not answer."""
        try:
            with Talk(CLIENTS, 'cluster', timeout_s, self.host) as talk:
                answer = talk.quietly(METADATA, 12, Topics=None, AllowAutoTopicCreation=False)
        except (OSError, wire.Closed, AssertionError):
            return None
        topics = {t['Name']: (t['TopicId'], t['ErrorCode'],
                              sorted((p['PartitionIndex'], p['LeaderId'], p['LeaderEpoch'], tuple(p['IsrNodes']))
                                     for p in t['Partitions'])) for t in answer['Topics']}
        return sorted(b['NodeId'] for b in answer['Brokers']), topics


class Islands:
    """A context manager: formats and starts all nodes, and leaves nothing behind."""

    def __init__(self, count=3, roles='broker,controller', extra=None):
        self.count, self.roles, self.extra = count, roles, extra or {}
        self.all = []
        self.stack = contextlib.ExitStack()

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            stack.enter_context(new_network())
            _run('ip', 'link', 'add', 'sea', 'type', 'bridge')
            _run('ip', 'link', 'set', 'sea', 'up')
            _run('ip', 'addr', 'add', '10.77.0.1/24', 'dev', 'sea')
            for number in range(1, self.count + 1):
                self.all.append(Island(number))
                stack.callback(self.all[-1].destroy)
            for island in self.all:
                self.format(island)
                island.spawn()
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    @property
    def nodes(self):
        return self.all

    def format(self, island):
        listeners = [f'CONTROLLER://{island.host}:{CONTROLLERS}']
        if 'broker' in self.roles:
            listeners.append(f'PLAINTEXT://{island.host}:{CLIENTS}')
        servers = ','.join(f'{i.host}:{CONTROLLERS}' for i in self.all)
        lines = {'process.roles': self.roles, 'node.id': island.node_id, 'listeners': ','.join(listeners),
                 'controller.listener.names': 'CONTROLLER', 'controller.quorum.bootstrap.servers': servers,
                 'log.dirs': island.data, **self.extra}
        island.properties.write_text(''.join(f'{key}={value}\n' for key, value in lines.items()))
        voters = ','.join(f'{i.node_id}@{i.host}:{CONTROLLERS}:{i.directory_id}' for i in self.all)
        _run(node.MILENA, 'storage', 'format', '-t', CLUSTER_ID, '-c', island.properties, '--initial-controllers',
             voters)

    def leader(self, timeout_s=60, but=()):
        """The one that leads, and the quorum as it describes it."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            for island in self.all:
                described = island.quorum() if island.is_running() and island not in but else None
                if described:
                    return island, described
            time.sleep(0.01)
        raise AssertionError('nobody leads:\n' + '\n'.join(f'{i.node_id}:\n{i.log()}' for i in self.all))

    def lose(self, sender, receiver):
        """What the one sends to the other does not arrive, from now on."""
        sender.inside('ip', 'neigh', 'replace', receiver.host, 'lladdr', NOBODY, 'nud', 'permanent', 'dev', 'eth0')

    def mute(self, island):
        """The other islands hear nothing from it."""
        for other in self.all:
            if other is not island:
                self.lose(island, other)

    def deafen(self, island):
        """It hears nothing from the other islands."""
        for other in self.all:
            if other is not island:
                self.lose(other, island)

    def isolate(self, island):
        self.mute(island)
        self.deafen(island)

    def unplug(self, island):
        """Its cable is out: the test does not reach it either."""
        _run('ip', 'link', 'set', f'cable{island.node_id}', 'down')

    def heal(self):
        for island in self.all:
            _run('ip', 'link', 'set', f'cable{island.node_id}', 'up')
            for other in self.all:
                if other is not island:
                    subprocess.run([*island.enter(), 'ip', 'neigh', 'del', other.host, 'dev', 'eth0'], check=False,
                                   stderr=subprocess.DEVNULL)
