# SPDX-License-Identifier: Apache-2.0
"""The samples in config/ start as they are, but for the names of machines, ports and folders."""
import re
import time
import unittest

from cluster.test_storage_tool import CLUSTER
from support import node, tools, wire

CONFIG = node.ROOT / 'config'


class Machine(node.Node):
    """A sample as if on a machine of its own: `places` says which port of this one stands for each name and port."""

    def __init__(self, sample, places, **changes):
        super().__init__()
        text = (CONFIG / sample).read_text()
        for (name, port), here in places.items():
            text = text.replace(f'{name}:{port}', f'127.0.0.1:{here}')
        text = re.sub(r'(?m)^log.dirs=.*$', f'log.dirs={self.data}', text)
        text = re.sub(r'(?m)^milena.admin.listener=.*$', f'milena.admin.listener=127.0.0.1:{node.free_port()}', text)
        for key, value in changes.items():
            text, count = re.subn(rf'(?m)^{key.replace("_", ".")}=.*$', f'{key.replace("_", ".")}={value}', text)
            assert count == 1, key
        self.properties.write_text(text)

    def format(self, *arguments):
        done = tools.run('storage', 'format', '-t', CLUSTER, '-c', str(self.properties), *arguments)
        assert done.exit == 0, done


@unittest.skipIf(node.PEER, 'about files of Milena')
class ConfigSamplesTest(unittest.TestCase):
    def setUp(self):
        self.machines = []

    def tearDown(self):
        for machine in self.machines:
            machine.__exit__()

    def start(self, *machines):
        self.machines += machines
        for machine in machines:
            machine.spawn()

    def await_brokers(self, port, ids, timeout_s=60):
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                with wire.Connection(port) as connection:
                    told = sorted(connection.metadata().brokers)
            except (OSError, wire.Closed):
                told = None
            if told == ids:
                return
            logs = '\n'.join(machine.log() for machine in self.machines)
            self.assertLess(time.monotonic(), deadline, f'{told}\n{logs}')
            time.sleep(0.05)

    def test_three_nodes(self):
        clients = {number: node.free_port() for number in (1, 2, 3)}
        quorum = {number: node.free_port() for number in (1, 2, 3)}
        places = {(f'node{n}', 9093): quorum[n] for n in quorum} | {('node1', 9092): clients[1]}
        voters = ','.join(f'{n}@127.0.0.1:{quorum[n]}:milenasample{n:09}A' for n in quorum)
        machines = []
        for number, port in clients.items():
            machine = Machine('three-nodes.properties', places, node_id=number,
                              listeners=f'PLAINTEXT://:{port},CONTROLLER://:{quorum[number]}',
                              advertised_listeners=f'PLAINTEXT://127.0.0.1:{port},'
                                                   f'CONTROLLER://127.0.0.1:{quorum[number]}')
            machine.format('--initial-controllers', voters)
            machines.append(machine)
        self.start(*machines)
        for port in clients.values():
            self.await_brokers(port, [1, 2, 3])

    def test_controllers_and_a_broker(self):
        quorum = {number: node.free_port() for number in (1, 2, 3)}
        places = {(f'controller{n}', 9093): quorum[n] for n in quorum}
        voters = ','.join(f'{n}@127.0.0.1:{quorum[n]}:milenasample{n:09}A' for n in quorum)
        machines = []
        for number, port in quorum.items():
            machine = Machine('controller.properties', places, node_id=number, listeners=f'CONTROLLER://:{port}',
                              advertised_listeners=f'CONTROLLER://127.0.0.1:{port}')
            machine.format('--initial-controllers', voters)
            machines.append(machine)
        port = node.free_port()
        broker = Machine('broker.properties', places | {('broker11', 9092): port}, listeners=f'PLAINTEXT://:{port}')
        broker.format()
        self.start(*machines, broker)
        self.await_brokers(port, [11])

    def test_one_node(self):
        clients, quorum = node.free_port(), node.free_port()
        machine = Machine('server.properties', {('localhost', 9092): clients, ('localhost', 9093): quorum})
        self.start(machine)
        self.await_brokers(clients, [1])


if __name__ == '__main__':
    unittest.main()
