# SPDX-License-Identifier: Apache-2.0
"""Several nodes as processes: with a quorum that is configured (controller.quorum.voters), or one that grows."""
import base64
import shutil
import subprocess
import time

from conversations.talk import DESCRIBE_QUORUM, Talk

from . import node, wire

CLUSTER_ID = 'Lw3Jq8PSQGm0o3vbYqTCLQ'
LOG = '__cluster_metadata-0'


class Voter(node.Node):
    """One of them: a controller, or a broker too."""

    def __init__(self, node_id, roles):
        super().__init__({'process.roles': roles, 'node.id': node_id})
        self.node_id = node_id
        self.roles = roles

    def join(self, voters, extra):
        """Writes the configuration that names all, and formats the directory."""
        listeners = []
        if 'controller' in self.roles:
            listeners.append(f'CONTROLLER://127.0.0.1:{self.controller_port}')
        if 'broker' in self.roles:
            listeners.append(f'PLAINTEXT://127.0.0.1:{self.port}')
        quorum = ','.join(f'{v.node_id}@127.0.0.1:{v.controller_port}' for v in voters)
        lines = {'process.roles': self.roles, 'node.id': self.node_id, 'listeners': ','.join(listeners),
                 'controller.listener.names': 'CONTROLLER', 'controller.quorum.voters': quorum, 'log.dirs': self.data,
                 **extra}
        self.properties.write_text(''.join(f'{key}={value}\n' for key, value in lines.items()))
        subprocess.run([node.MILENA, 'storage', 'format', '-t', CLUSTER_ID, '-c', self.properties], check=True,
                       stdout=subprocess.DEVNULL)

    def described(self, timeout_s=2):
        """The quorum as this node tells of it if it leads, else None."""
        try:
            with Talk(self.controller_port, 'quorum', timeout_s=timeout_s) as talk:
                answer = talk.quietly(DESCRIBE_QUORUM, 2, Topics=[
                    {'TopicName': LOG.removesuffix('-0'), 'Partitions': [{'PartitionIndex': 0}]}])
        except (OSError, wire.Closed, AssertionError):
            return None
        if answer['ErrorCode'] != 0:
            return None
        return answer['Topics'][0]['Partitions'][0]

    def metadata_log(self):
        """The bytes of its segments."""
        return b''.join(path.read_bytes() for path in sorted((self.data / LOG).glob('*.log')))

    def metadata_log_start(self):
        """The offset at which its first segment begins."""
        return min(int(path.stem) for path in (self.data / LOG).glob('*.log'))


def short_id(directory):
    """A UUID as Kafka writes it."""
    return base64.urlsafe_b64encode(directory.bytes).decode().rstrip('=')


class Member(Voter):
    """A node that is told where controllers are, and not who votes."""

    def configure(self, servers, extra):
        listeners = []
        if 'controller' in self.roles:
            listeners.append(f'CONTROLLER://127.0.0.1:{self.controller_port}')
        if 'broker' in self.roles:
            listeners.append(f'PLAINTEXT://127.0.0.1:{self.port}')
        lines = {'process.roles': self.roles, 'node.id': self.node_id, 'listeners': ','.join(listeners),
                 'controller.listener.names': 'CONTROLLER', 'controller.quorum.bootstrap.servers': ','.join(servers),
                 'log.dirs': self.data, **extra}
        self.properties.write_text(''.join(f'{key}={value}\n' for key, value in lines.items()))

    def format(self, *how):
        subprocess.run([node.MILENA, 'storage', 'format', '-t', CLUSTER_ID, '-c', self.properties, *how], check=True,
                       stdout=subprocess.DEVNULL)

    def wipe(self):
        """An empty disk, formatted anew."""
        shutil.rmtree(self.data)
        self.format('--no-initial-controllers')

    def directory(self):
        return self.meta_properties()['directory.id']


class Quorum:
    """A context manager: formats and starts all voters, and `brokers` that are no voters; leaves nothing behind."""

    def __init__(self, count=3, roles='controller', extra=None, brokers=0):
        self.voters = [Voter(number + 1, roles) for number in range(count)]
        others = [Voter(100 + number, 'broker') for number in range(brokers)]
        self.nodes = self.voters + others
        self.brokers = others if roles == 'controller' else self.nodes
        for one in self.nodes:
            one.join(self.voters, extra or {})

    def __enter__(self):
        for one in self.nodes:
            one.spawn()
        return self

    def __exit__(self, *_):
        for one in self.nodes:
            one.__exit__()

    def await_brokers(self, timeout_s=60):
        """All brokers that run serve, and know each other."""
        running = [broker for broker in self.brokers if broker.is_running()]
        deadline = time.monotonic() + timeout_s
        for broker in running:
            while True:
                try:
                    with broker.connect() as connection:
                        known = connection.metadata().brokers
                except (OSError, wire.Closed):
                    known = {}
                if len(known) == len(running):
                    break
                assert time.monotonic() < deadline, f'{broker.node_id} knows {known}:\n{broker.log()}'
                time.sleep(0.02)

    def leader(self, timeout_s=60, but=None):
        """The voter that leads, and the quorum as it describes it."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            for voter in self.voters:
                described = voter.described() if voter.is_running() and voter is not but else None
                if described and described['LeaderId'] == voter.node_id:
                    return voter, described
            time.sleep(0.01)
        raise AssertionError('nobody leads:\n' + '\n'.join(voter.log() for voter in self.voters))

    def high_watermark(self):
        return self.leader()[1]['HighWatermark']

    def await_committed(self, offset, timeout_s=30):
        deadline = time.monotonic() + timeout_s
        while self.high_watermark() < offset:
            assert time.monotonic() < deadline, f'offset {offset} is not committed'
            time.sleep(0.02)


class Growing(Quorum):
    """One controller that begins alone, and others beside it that know its address and are not voters yet."""

    def __init__(self, count=3, roles='controller', extra=None):
        self.voters = [Member(number + 1, roles) for number in range(count)]
        self.nodes = list(self.voters)
        servers = [f'127.0.0.1:{m.controller_port}' for m in self.voters]
        for member in self.voters:
            member.configure(servers, extra or {})
            member.format('--standalone' if member is self.voters[0] else '--no-initial-controllers')

    def controllers(self):
        return ','.join(f'127.0.0.1:{m.controller_port}' for m in self.voters)

    def add_broker(self, servers):
        """A broker that is told only `servers`; not started yet."""
        broker = Member(101, 'broker')
        broker.configure(servers, {})
        broker.format()
        self.nodes.append(broker)
        return broker
