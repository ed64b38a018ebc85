# SPDX-License-Identifier: Apache-2.0
"""Nodes of Apache Kafka and Milena in one cluster, killed, paused, stopped and exchanged at random under load.

What must hold: every record that was acknowledged lies at the offset that its producer was told, none is there twice or
out of order, and at the end the logs of all replicas are the same to the last byte, the metadata log among them.

    python3 -m compat.mixed_soak [SECONDS] [SEED]        (scripts/dev soak --mixed)
"""
import argparse
import collections
import random
import signal
import sys
import time

from support import apache, mixed

TOPIC, PARTITIONS = 'soak', 6
NODES = {1, 2, 3}
# How often each thing is done, in parts.
HURTS = {'kill': 5, 'kill two': 1, 'pause': 2, 'restart': 2, 'exchange': 2}
# Of a node that was asked to end; a JVM's is that of the signal.
CLEAN_ENDS = (0, 128 + signal.SIGTERM)


class Soak:
    def __init__(self, cluster, dice):
        self.cluster, self.dice = cluster, dice
        self.done = collections.Counter()
        self.wrong = []

    def kill(self, victim):
        victim.kill()
        time.sleep(self.dice.choice((0, self.dice.uniform(0, 6))))
        victim.spawn()

    def kill_two(self, victim):
        both = [victim, self.dice.choice([one for one in self.cluster.voters if one is not victim])]
        for one in both:
            one.kill()
        time.sleep(self.dice.choice((0, self.dice.uniform(0, 4))))
        for one in both:
            one.spawn()

    def pause(self, victim):
        victim.process.send_signal(signal.SIGSTOP)
        time.sleep(self.dice.uniform(0.5, 8))
        victim.process.send_signal(signal.SIGCONT)

    def stop(self, victim):
        code = victim.stop()
        if code not in CLEAN_ENDS:
            self.wrong.append(f'node {victim.node_id} ended with {code}')

    def restart(self, victim):
        self.stop(victim)
        victim.spawn()

    def exchange(self, victim):
        """Never all of one kind."""
        alike = [one for one in self.cluster.voters if bool(one.peer) == bool(victim.peer)]
        if len(alike) == 1:
            victim = next(one for one in self.cluster.voters if one is not victim)
        self.stop(victim)
        victim.peer = None if victim.peer else self.cluster.jars
        victim.spawn()

    def step(self):
        what = self.dice.choices(list(HURTS), list(HURTS.values()))[0]
        victim = self.dice.choice(self.cluster.voters)
        kind = 'Apache Kafka' if victim.peer else 'Milena'
        role = 'controller' if victim is self.cluster.leader()[0] else 'broker'
        began = time.monotonic()
        getattr(self, what.replace(' ', '_'))(victim)
        self.cluster.await_in_sync(TOPIC, NODES, timeout_s=90)
        self.done[what, kind, role] += 1
        print(f'soak: {what} {victim.node_id} ({kind}, {role}): all in sync after {time.monotonic() - began:.1f} s',
              flush=True)


def run(seconds, seed, jars):
    """What does not hold, in words."""
    dice = random.Random(seed)
    with mixed.Cluster(dice.choice(('mma', 'maa')), jars) as cluster:
        cluster.await_brokers()
        cluster.create(TOPIC, [[1, 2, 3], [2, 3, 1], [3, 1, 2], [1, 3, 2], [2, 1, 3], [3, 2, 1]], min_insync_replicas=2)
        cluster.await_in_sync(TOPIC, NODES)
        writers = [mixed.Writer(cluster.bootstrap, TOPIC, PARTITIONS, name=f'writer-{i}') for i in range(2)]
        for writer in writers:
            writer.start()
        soak = Soak(cluster, dice)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            soak.step()
            for writer in writers:
                writer.await_more()
        for writer in writers:
            writer.finish()
        logs = cluster.await_same_logs(TOPIC, PARTITIONS, cluster.voters)
        print(f'soak: {sum(soak.done.values())} times hurt, {sum(len(one.acknowledged) for one in writers)} records '
              'acknowledged')
        return soak.wrong + mixed.wrong(writers, logs) + cluster.wrong_metadata()


def main():
    words = argparse.ArgumentParser(prog='soak --mixed')
    words.add_argument('seconds', nargs='?', type=float, default=600)
    words.add_argument('seed', nargs='?', type=int, default=random.randrange(1 << 30))
    wanted = words.parse_args()
    jars = apache.jars()
    if jars is None:
        return 'soak: needs a JDK and Maven for Apache Kafka'
    print(f'soak: {wanted.seconds:.0f} s of a mixed cluster, seed {wanted.seed}', flush=True)
    wrong = run(wanted.seconds, wanted.seed, jars)
    for line in wrong[:20]:
        print(f'soak: {line}')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
