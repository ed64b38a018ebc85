# SPDX-License-Identifier: Apache-2.0
"""milena cluster start: three nodes with one command, watched, stopped, and started again with what they had."""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.request

from support import node, tools, wire


@unittest.skipIf(node.PEER, 'about a command of Milena')
class LocalClusterTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='milena-test-'))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.directory = self.folder / 'cluster'
        self.port = node.free_ports(30)
        self.output = self.folder / 'output'
        self.watcher = None
        self.addCleanup(self.end)

    def end(self):
        if self.watcher and self.watcher.poll() is None:
            self.watcher.terminate()
            try:
                self.watcher.wait(60)
            except subprocess.TimeoutExpired:
                self.watcher.kill()

    def start(self, *arguments):
        with open(self.output, 'wb') as output:
            self.watcher = subprocess.Popen([node.MILENA, 'cluster', 'start', *arguments, '--dir', self.directory],
                                            stdout=output, stderr=output, stdin=subprocess.DEVNULL)
        return self.await_text('Stop:')

    def said(self):
        return self.output.read_text()

    def await_text(self, text, timeout_s=60):
        deadline = time.monotonic() + timeout_s
        while text not in self.said():
            self.assertIsNone(self.watcher.poll(), self.said())
            self.assertLess(time.monotonic(), deadline, self.said())
            time.sleep(0.02)
        return self.said()

    def pids(self):
        return {int(n): int(pid) for n, pid in re.findall(r'node (\d) is ready \(process (\d+)\)', self.said())}

    def knows(self, number, topic):
        with wire.Connection(self.port + 10 * (number - 1), timeout_s=10) as connection:
            return connection.metadata([topic]).topics[topic][0] == 0

    def make_topic(self, name):
        """On whichever node makes topics: the one that leads the quorum does at least."""
        deadline = time.monotonic() + 30
        errors = []
        while time.monotonic() < deadline:
            for number in (1, 2, 3):
                with wire.Connection(self.port + 10 * (number - 1), timeout_s=10) as connection:
                    errors.append(connection.create_topic(name, 1))
                if errors[-1] in (0, 36):
                    return
            time.sleep(0.1)
        self.fail(f'{name} was not made: {errors[-3:]}')

    def await_topic(self, name):
        deadline = time.monotonic() + 30
        while not all(self.knows(number, name) for number in (1, 2, 3)):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def figures(self, number):
        """The quorum's metrics of a node, by their names without what all begin with."""
        with urllib.request.urlopen(f'http://127.0.0.1:{self.port + 10 * (number - 1) + 2}/metrics') as page:
            lines = page.read().decode().splitlines()
        start = 'kafka_server_raft_metrics_'
        return dict(line.removeprefix(start).rsplit(' ', 1) for line in lines if line.startswith(start))

    def check_figures(self):
        of = {number: self.figures(number) for number in (1, 2, 3)}
        leader = int(of[1]['current_leader'])
        for number, figures in of.items():
            state = 'leader' if number == leader else 'follower'
            self.assertEqual(figures[f'current_state{{state="{state}"}}'], '1')
            self.assertEqual((int(figures['current_leader']), figures['number_of_voters']), (leader, '3'))
            self.assertEqual(figures['number_unknown_voter_connections'], '0')
            self.assertEqual(figures['log_end_epoch'], of[leader]['current_epoch'])
            self.assertGreater(float(figures['election_latency_max']), 0)
            rate = 'append_records_rate' if number == leader else 'fetch_records_rate'
            self.assertGreater(float(figures[rate]), 0)
        self.assertEqual((of[leader]['number_of_observers'], of[leader]['current_vote']), ('0', str(leader)))
        self.assertGreater(float(of[leader]['commit_latency_max']), 0)

    def test_three_nodes_start_stop_and_go_on_with_what_they_had(self):
        said = self.start('3', '--port', str(self.port))
        servers = ','.join(f'localhost:{self.port + 10 * i}' for i in range(3))
        self.assertIn(f'Bootstrap servers: {servers}\n', said)
        self.assertIn(str(self.directory / 'node-2' / 'server.log'), said)
        self.make_topic('kept')
        self.await_topic('kept')
        self.check_figures()
        status = tools.run('cluster', 'status', '--dir', str(self.directory))
        self.assertEqual((status.exit, status.out.count('ready, process')), (0, 3), status.out)

        pids = self.pids()
        self.watcher.send_signal(signal.SIGINT)
        self.assertEqual(self.watcher.wait(60), 0, self.said())
        self.assertEqual(self.said().count('has stopped'), 3, self.said())
        for pid in pids.values():
            self.assertFalse(os.path.exists(f'/proc/{pid}'))
        self.assertEqual(tools.run('cluster', 'status', '--dir', str(self.directory)).exit, 1)

        written = (self.directory / 'node-1' / 'server.properties').read_text()
        self.start()
        self.await_topic('kept')
        self.assertEqual((self.directory / 'node-1' / 'server.properties').read_text(), written)
        stopped = tools.run('cluster', 'stop', '--dir', str(self.directory))
        self.assertEqual((stopped.exit, self.watcher.wait(60)), (0, 0), stopped)

    def test_a_node_that_dies_is_told_with_its_last_lines_and_the_others_go_on(self):
        self.start('3', '--port', str(self.port))
        os.kill(self.pids()[2], signal.SIGKILL)
        said = self.await_text('Node 2 has ended: signal 9 (Killed)')
        self.await_text('The others go on.')
        self.assertIn('started', said[said.index('Node 2 has ended'):])
        self.assertIn(1, {broker for broker in wire_brokers(self.port)})
        again = tools.run('cluster', 'start', '--dir', str(self.directory))
        self.assertEqual(again.exit, 1)
        self.assertIn(f'Process {self.watcher.pid} runs the cluster in {self.directory}', again.err)

    def test_nodes_end_with_who_watches_them(self):
        self.start('1', '--port', str(self.port))
        pid = self.pids()[1]
        self.watcher.kill()
        self.watcher.wait()
        deadline = time.monotonic() + 30
        while os.path.exists(f'/proc/{pid}'):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.start()

    def test_what_is_in_the_way_is_named(self):
        with socket.socket() as holder:
            holder.bind(('127.0.0.1', self.port + 10))
            holder.listen()
            done = self.run_start('3', '--port', str(self.port))
            self.assertEqual(done.exit, 1)
            self.assertIn(f"Node 2 can't have localhost:{self.port + 10} (PLAINTEXT): Address already in use", done.err)
        done = self.run_start('4')
        self.assertEqual(done.exit, 1)
        self.assertIn(f'{self.directory} is a cluster of 3 nodes, not of 4', done.err)
        properties = self.directory / 'node-1' / 'server.properties'
        properties.write_text(properties.read_text().replace('node.id=1', 'node.id=7'))
        done = self.run_start()
        self.assertIn(f'{properties}: node.id is 7', done.err)
        self.directory = self.folder
        done = self.run_start()
        self.assertIn(f'{self.folder} holds cluster and no cluster.properties', done.err)
        done = tools.run('cluster', 'stop', '--dir', str(self.folder))
        self.assertEqual((done.exit, done.err), (1, f'There is no local cluster in {self.folder}\n'))

    def test_what_an_interrupted_start_left_is_completed(self):
        self.start('3', '--port', str(self.port))
        self.end()
        shutil.rmtree(self.directory / 'node-3')
        self.assertIn('3 nodes are ready', self.start())

    def run_start(self, *arguments):
        return tools.run('cluster', 'start', *arguments, '--dir', str(self.directory))


def wire_brokers(port):
    with wire.Connection(port, timeout_s=10) as connection:
        return connection.metadata().brokers


if __name__ == '__main__':
    unittest.main()
