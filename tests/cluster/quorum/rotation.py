# SPDX-License-Identifier: Apache-2.0
"""Hurts the nodes of a quorum one after the other, in every way there is, while topics are made through all of them.

What must hold: each topic whose creation was acknowledged is there at the end, on every node; all nodes tell the same;
their metadata logs hold the same at the same offsets; and after kill -9 of the active controller the next change is
acknowledged within a second.

    python3 -m cluster.quorum.rotation [SECONDS] [SEED]        (scripts/dev rotation)
"""
import dataclasses
import random
import re
import subprocess
import sys
import threading
import time

from support import islands, node, wire

# Longer than controller.quorum.fetch.timeout.ms: then a silent leader is replaced.
SILENCE_S = 3.0
PER_SECOND = 10
# A broker that was killed is taken back once its old session has ended; nobody here waits for nine seconds of it.
SHORT_SESSIONS = {'broker.heartbeat.interval.ms': 300, 'broker.session.timeout.ms': 2000}
TOPIC_ALREADY_EXISTS = 36


class Maker(threading.Thread):
    """Makes topics through one node until it is told to stop. One that was not acknowledged is asked for again, so
    that its creation may be acknowledged by TOPIC_ALREADY_EXISTS: who says that has it committed."""

    def __init__(self, island):
        super().__init__(name=f'node-{island.node_id}', daemon=True)
        self.island = island
        self.stopping = threading.Event()
        self.acknowledged = []  # (name, when it was asked for, when it was answered)

    def run(self):
        connection, number = None, 0
        while not self.stopping.is_set():
            name = f'{self.name}-{number}'
            asked = time.monotonic()
            try:
                connection = connection or self.island.connect(timeout_s=1)
                error = connection.create_topic(name)
            except (OSError, wire.Closed, AssertionError):
                error = None
                if connection:
                    connection.close()
                connection = None
            if error in (0, TOPIC_ALREADY_EXISTS):
                self.acknowledged.append((name, asked, time.monotonic()))
                number += 1
                self.stopping.wait(1 / PER_SECOND)
            else:
                self.stopping.wait(0.01)
        if connection:
            connection.close()


@dataclasses.dataclass
class Report:
    names: list = dataclasses.field(default_factory=list)
    hurts: list = dataclasses.field(default_factory=list)  # (what, of whom, seconds to the next acknowledgement)
    wrong: list = dataclasses.field(default_factory=list)

    def text(self):
        lines = [f'{len(self.hurts)} failures, {len(self.names)} topics acknowledged']
        lines += [f'  {what} the {of}: the next change after {took:.2f} s' for what, of, took in self.hurts]
        return '\n'.join(lines)

    def slowest(self, what, of):
        return max((took for one, whom, took in self.hurts if (one, whom) == (what, of)), default=0)


class Rotation:
    """The ways to hurt a node: each does it, and gives what makes it whole again."""

    def __init__(self, running):
        self.running = running
        self.ways = {'kill': self.kill, 'pause': self.pause, 'isolate': self.isolate, 'mute': self.mute,
                     'deafen': self.deafen, 'unplug': self.unplug}

    def kill(self, island):
        island.kill()
        return island.spawn

    def pause(self, island):
        island.pause()
        return island.go_on

    def isolate(self, island):
        self.running.isolate(island)
        return self.running.heal

    def mute(self, island):
        self.running.mute(island)
        return self.running.heal

    def deafen(self, island):
        self.running.deafen(island)
        return self.running.heal

    def unplug(self, island):
        self.running.unplug(island)
        return self.running.heal


def next_acknowledgement(makers, after, timeout_s=20):
    """Seconds from `after` to the first answer to a request that was sent later."""
    while time.monotonic() < after + timeout_s:
        answered = [end for maker in makers for _, asked, end in maker.acknowledged[-20:] if asked >= after]
        if answered:
            return min(answered) - after
        time.sleep(0.005)
    return float('inf')


def hurt(running, makers, report, what, of):
    island, _ = running.leader()
    if of == 'follower':
        others = [other for other in running.all if other is not island]
        island = others[len(report.hurts) % len(others)]
    mend = Rotation(running).ways[what](island)
    began = time.monotonic()
    took = next_acknowledgement(makers, began)
    report.hurts.append((what, of, took))
    if took == float('inf'):
        report.wrong.append(f'after {what} of the {of}, node {island.node_id}, nothing is acknowledged')
    # Long enough that who is silent is noticed, and comes back to others than it left.
    time.sleep(max(0.0, began + SILENCE_S - time.monotonic()) if what != 'kill' else 0.3)
    mend()
    await_all(running, report)


def all_are_brokers(running):
    everybody = [island.node_id for island in running.all]
    return all((told := island.cluster()) and told[0] == everybody for island in running.all)


def await_all(running, report, timeout_s=60):
    """Until every voter has nearly all of the log again, and every broker answers: the next failure is to be the
    only one."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        _, described = running.leader()
        ends = [v['LogEndOffset'] for v in described['CurrentVoters']]
        if len(ends) == len(running.all) and min(ends) >= described['HighWatermark'] - 20 and all_are_brokers(running):
            return
        time.sleep(0.02)
    report.wrong.append(f'a node does not catch up: {described}')


def run(schedule):
    """`schedule` gives (what, 'leader' or 'follower') one after the other."""
    report = Report()
    with islands.Islands(extra=SHORT_SESSIONS) as running:
        running.leader()
        makers = [Maker(island) for island in running.all]
        for maker in makers:
            maker.start()
        if next_acknowledgement(makers, time.monotonic(), 60) == float('inf'):
            raise AssertionError('no topic can be made:\n' + running.all[0].log())
        for what, of in schedule:
            hurt(running, makers, report, what, of)
        for maker in makers:
            maker.stopping.set()
        for maker in makers:
            maker.join(30)
        report.names = [name for maker in makers for name, _, _ in maker.acknowledged]
        check(running, report)
    return report


def check(running, report):
    report.wrong += differing_answers(running, report.names)
    watermark = running.leader()[1]['HighWatermark']
    for island in running.all:
        island.process.terminate()
    for island in running.all:
        if island.process.wait(60) != 0:
            report.wrong.append(f'node {island.node_id} does not stop cleanly')
    report.wrong += differing_logs(running.all, watermark)


def differing_answers(running, names, timeout_s=60):
    """Waits until all tell the same with all topics led and all nodes there; what is missing then, in words."""
    deadline = time.monotonic() + timeout_s
    everybody = [island.node_id for island in running.all]
    while True:
        told = [island.cluster() for island in running.all]
        if None not in told and all(one == told[0] for one in told) and told[0][0] == everybody:
            break
        if time.monotonic() > deadline:
            return [f'node {i.node_id} tells brokers {one and one[0]} and {one and len(one[1])} topics'
                    for i, one in zip(running.all, told)]
        time.sleep(0.1)
    return [f'{name} was acknowledged and is gone' for name in names if name not in told[0][1]]


def dumped(island):
    """{base offset: lines} of the batches of its metadata log, as dump-log tells them."""
    files = ','.join(str(path) for path in sorted((island.data / islands.LOG).glob('*.log')))
    done = subprocess.run([node.MILENA, 'dump-log', '--cluster-metadata-decoder', '--files', files], check=True,
                          stdout=subprocess.PIPE, text=True)
    batches, lines = {}, []
    for line in done.stdout.splitlines():
        if found := re.match(r'baseOffset: (\d+) ', line):
            lines = batches.setdefault(int(found[1]), [])
            line = re.sub(r'position: \d+ ', '', line)
        if batches and not line.startswith(('Dumping ', 'Log starting offset')):
            lines.append(line)
    return batches


def differing_logs(all_islands, watermark):
    """Below the high watermark every log holds the same batches with the same records."""
    logs = [dumped(island) for island in all_islands]
    wrong = []
    for island, log in zip(all_islands[1:], logs[1:]):
        for offset in sorted(set(log) | set(logs[0])):
            if offset < watermark and log.get(offset) != logs[0].get(offset):
                wrong.append(f'at {offset} node {island.node_id} has {log.get(offset)}, node '
                             f'{all_islands[0].node_id} {logs[0].get(offset)}')
                break
    if not any(offset < watermark for offset in logs[0]):
        wrong.append('the logs are empty')
    return wrong


def until(end, seed):
    """Everything in turn, from a random place on."""
    dice = random.Random(seed)
    every = [(what, of) for what in ('kill', 'pause', 'isolate', 'mute', 'deafen', 'unplug')
             for of in ('leader', 'follower')]
    while time.monotonic() < end:
        dice.shuffle(every)
        for one in every:
            if time.monotonic() < end:
                yield one


def main():
    if why := islands.obstacle():
        print(f'rotation: {why}')
        return 1
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    print(f'rotation: {seconds:.0f} s, seed {seed}', flush=True)
    report = run(until(time.monotonic() + seconds, seed))
    print(f'rotation: {report.text()}')
    for line in report.wrong[:20]:
        print(f'rotation: {line}')
    return 1 if report.wrong else 0


if __name__ == '__main__':
    sys.exit(main())
