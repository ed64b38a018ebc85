# SPDX-License-Identifier: Apache-2.0
"""A run: writers write, one node after the other is hurt and made whole again, then all is read back and judged."""
import dataclasses
import math
import signal
import time

from . import judge, probes, view, writers
from .figures import Blow, endless, table
from .history import History

TOPIC = 'soak'
# After a node was made whole all are in sync again within that time, or it is told.
WHOLE_S = 60
# How long a node stays hurt, at least; longer if not everything can be written to again.
HURT_S = (0.5, 2.5)
PAUSE_S = (0.2, 1.0)


@dataclasses.dataclass(frozen=True)
class Load:
    partitions: int = 6
    writers: int = 3
    # Between two rounds of a writer: a record into each partition.
    period_s: float = 0.02
    padding: bytes = b''


class Ways:
    """What can be done to a process; each gives what makes it whole again."""

    def __init__(self, wrong):
        self.wrong = wrong

    def kill(self, node):
        node.kill()
        return node.spawn

    def stop(self, node):
        node.process.send_signal(signal.SIGTERM)

        def start_again():
            if node.process.wait(60) != 0:
                self.wrong.append(f'node {node.node_id} ended with {node.process.returncode}')
            node.spawn()
        return start_again


class Course:
    """`running` has nodes and a quorum: support.quorum.Quorum, or support.islands.Islands."""

    def __init__(self, running, dice, load=Load(), hurt_max_s=probes.LIMIT_S):
        self.running, self.dice, self.load, self.hurt_max_s = running, dice, load, hurt_max_s
        self.nodes = running.nodes
        self.bootstrap = ','.join(node.bootstrap for node in self.nodes)
        self.history, self.blows, self.wrong, self.writers = History(), [], [], []
        self.ways = Ways(self.wrong)
        self.ends, self.kept_logs = {}, {}

    def start(self, programs=()):
        """`programs` give the commands of writers in other languages: (kind, [word…])."""
        view.make_topic(self.nodes[0], TOPIC, self.load.partitions, len(self.nodes))
        if view.await_whole(self.nodes, TOPIC, WHOLE_S) is None:
            raise AssertionError('the topic does not come to be:\n' + self.logs())
        self.writers = [writers.Librdkafka(f'writer-{number}', self.bootstrap, TOPIC, self.history, self.load,
                                           quick=number % 2 == 0)
                        for number in range(self.load.writers)]
        for kind, command in programs:
            words = [self.bootstrap, TOPIC, self.load.partitions, int(self.load.period_s * 1000),
                     len(self.load.padding), kind]
            self.writers.append(writers.Program(kind, [*command, *map(str, words)], self.history))
        for writer in self.writers:
            writer.start()
        self.await_all_kinds()

    def await_all_kinds(self):
        deadline = time.monotonic() + 60
        for kind in {writer.kind for writer in self.writers}:
            while len(self.history.times[kind]) < self.load.partitions:
                assert time.monotonic() < deadline, f'{kind} writes nothing: {self.history.failed}\n{self.logs()}'
                time.sleep(0.05)
        time.sleep(0.5)

    def logs(self):
        return '\n'.join(f'node {node.node_id}:\n{node.log()}' for node in self.nodes)

    def victim(self, of):
        """Who is hit, what it leads, and whether it is the active controller."""
        controller = self.running.leader()[0]
        told = None
        while told is None:
            told = view.ask(self.dice.choice(self.nodes), TOPIC)
        led = {node.node_id: [p for p, leader in told.leaders.items() if leader == node.node_id]
               for node in self.nodes}
        if of == 'controller':
            victim = controller
        elif of == 'leader':
            victim = max(self.nodes, key=lambda node: (len(led[node.node_id]), self.dice.random()))
        else:
            others = [node for node in self.nodes if node is not controller] or self.nodes
            victim = min(others, key=lambda node: (len(led[node.node_id]), self.dice.random()))
        return victim, led[victim.node_id], victim is controller

    def strike(self, what, of):
        victim, led, controlled = self.victim(of)
        survivors = [node for node in self.nodes if node is not victim]
        others = [p for p in range(self.load.partitions) if p not in led]
        probe = probes.LeaderProbe(survivors, TOPIC, (led, others) if survivors else ())
        maker = probes.ControllerProbe(survivors[0], f'made-{len(self.blows)}') if controlled and survivors else None
        blow = Blow(what, victim.node_id, led, controlled, time.monotonic())
        mend = getattr(self.ways, what)(victim)
        probe.begin()
        if maker:
            maker.start()
        self.stay_hurt(blow, probe, maker)
        mend()
        self.heal(blow)
        self.measure(blow, probe, maker)
        self.blows.append(blow)

    def stay_hurt(self, blow, probe, maker):
        time.sleep(self.dice.uniform(*HURT_S) if len(self.nodes) > 1 else 0)
        deadline = blow.began + self.hurt_max_s
        while time.monotonic() < deadline and not (probe.is_over() and (not maker or maker.moment)):
            time.sleep(0.01)

    def heal(self, blow):
        mended = time.monotonic()
        probe = probes.LeaderProbe(self.nodes, TOPIC, [list(range(self.load.partitions))])
        probe.begin()
        if view.await_whole(self.nodes, TOPIC, WHOLE_S) is None:
            views = [view.ask(node, TOPIC) for node in self.nodes]
            self.wrong.append(f'after {blow.what} of node {blow.node} not all are in sync: {views}')
        blow.healed_s = time.monotonic() - mended
        while time.monotonic() < mended + WHOLE_S and not probe.is_over():
            time.sleep(0.01)
        blow.writable_s = probe.took_s(mended)

    def await_clients(self, blow):
        """Until each kind of client has gone on, on every partition: the next blow is to be the only one."""
        kinds = {writer.kind for writer in self.writers}
        deadline = time.monotonic() + WHOLE_S
        while any(self.history.first_after(kind, blow.began) == math.inf for kind in kinds):
            if time.monotonic() > deadline:
                self.wrong.append(f'after {blow.what} of node {blow.node} clients do not go on')
                return
            time.sleep(0.01)

    def measure(self, blow, probe, maker):
        self.await_clients(blow)
        time.sleep(self.dice.uniform(*PAUSE_S))
        end = time.monotonic()
        for kind in {writer.kind for writer in self.writers}:
            blow.first_s[kind] = self.history.first_after(kind, blow.began)
            blow.silence_s[kind] = self.history.longest_silence(kind, blow.began, end)
        if len(self.nodes) > 1:
            blow.broker_s = probe.took_s(blow.began)
        if maker:
            blow.controller_s = maker.moment - blow.began if maker.moment else math.inf
        self.wrong += endless(blow)

    def finish(self):
        """Ends the writers, reads everything back, ends the nodes, and judges."""
        for writer in self.writers:
            writer.end()
        self.wrong += [why for writer in self.writers if (why := writer.finish())]
        found = judge.read_all(self.bootstrap, TOPIC, self.load.partitions)
        self.wrong += judge.check(self.history, found)
        self.ends = {partition: records[-1][0] + 1 for partition, records in found.items() if records}
        if view.await_whole(self.nodes, TOPIC, WHOLE_S) is None:
            self.wrong.append('not all are in sync at the end')
        time.sleep(1)  # a last fetch
        for node in self.nodes:
            node.kill()
        self.kept_logs = {node.node_id: node.log() for node in self.nodes}
        for partition, end in self.ends.items():
            logs = {node.node_id: judge.log_of(node, TOPIC, partition) for node in self.nodes}
            self.wrong += judge.compare_replicas(logs, partition, end)
        return self

    def text(self):
        return (f'{len(self.blows)} blows, {self.history.sent} records sent, {self.history.count()} acknowledged, '
                f'{len(self.history.failed)} failed\n{table(self.blows)}')
