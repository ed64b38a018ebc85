#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what groups cost, beside Apache Kafka in one run: rebalances of many members, commits, and a coordinator that
takes over a million committed offsets.

usage: groups.py [--members N…] [--offsets N] [--commits N] [--rounds N] [--only ROW…]

A rebalance is one that a new member begins: from its JoinGroup until the last of all members has its assignment. The
others join as soon as they are told to, with nothing between, so the time is the coordinator's. Rebalances of the
consumer protocol are in consumer_groups.py. A commit is one request with ten partitions. Of several rounds the lowest
counts. A JDK and Maven are needed.
"""
import argparse
import pathlib
import re
import selectors
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from consumer_groups import measure_consumer_rebalances  # noqa: E402
from coordinators import SETTINGS, TOPIC, Lane, Single, await_coordinator, fetch_offset, make_topic  # noqa: E402
from three_nodes import Trio  # noqa: E402
from support import apache  # noqa: E402
from support.wire import array, int32, int64, string  # noqa: E402

OFFSET_COMMIT, JOIN, SYNC = 8, 11, 14
MEMBER_ID_REQUIRED, REBALANCE_IN_PROGRESS = 79, 27
SESSION_MS = 45000
QUIET_S = 0.5
LANES, DEPTH, PARTITIONS_EACH = 8, 16, 10
# Ratios to Apache Kafka that are allowed; and of the last, milliseconds and MiB.
BUDGETS = {'rebalance': 0.5, 'consumer': 0.5, 'commits': 0.5}
TAKE_OVER_MS, OFFSETS_MIB = 100, 64


class Member:
    def __init__(self, port, group):
        self.lane, self.group, self.id, self.generation = Lane(port), group, '', -1

    def join(self):
        self.lane.send(JOIN, 5, string(self.group), int32(SESSION_MS), int32(SESSION_MS), string(self.id), string(None),
                       string('consumer'), array([string('range') + int32(4) + b'abcd']))

    def joined(self, answer):
        """What a JoinGroup was answered: the members if this one leads, [] if not, None if it must come again."""
        _, code, generation = answer.take('i'), answer.take('h'), answer.take('i')
        answer.string()
        leader, member = answer.string(), answer.string()
        if code == MEMBER_ID_REQUIRED:
            self.id = member
            return None
        assert code == 0, f'a join: {code}'
        self.id, self.generation = member, generation
        members = []
        for _ in range(answer.take('i')):
            members.append(answer.string())
            answer.string()
            size = answer.take('i')
            answer.at += size
        return members if leader == self.id else []

    def sync(self, members):
        self.lane.send(SYNC, 3, string(self.group), int32(self.generation), string(self.id), string(None),
                       array([string(member) + int32(16) + b'0123456789abcdef' for member in members]))

    @staticmethod
    def synced(answer):
        """False if another rebalance has begun."""
        answer.take('i')
        code = answer.take('h')
        assert code in (0, REBALANCE_IN_PROGRESS), f'a sync: {code}'
        return code == 0


def rebalance(members):
    """All of them send a JoinGroup, the leader first; seconds until all have assignments of one generation."""
    began = time.monotonic()
    waiting = selectors.DefaultSelector()

    def join(member):
        member.step = 'join'
        member.join()

    for member in members:
        join(member)
        waiting.register(member.lane.socket, selectors.EVENT_READ, member)
    while any(member.step != 'done' for member in members) or len({member.generation for member in members}) != 1:
        events = waiting.select(QUIET_S)
        if not events:
            # The others wait for those who have their assignment, who would hear so with their next heartbeat.
            for one in members:
                if one.step == 'done':
                    join(one)
        assert time.monotonic() - began < SESSION_MS / 1000, 'the group does not come to rest'
        for key, _ in events:
            member = key.data
            member.lane.fill()
            while (answer := member.lane.take()) is not None:
                if member.step == 'join':
                    others = member.joined(answer)
                    if others is None:
                        join(member)
                    else:
                        member.step = 'sync'
                        member.sync(others)
                elif member.synced(answer):
                    member.step = 'done'
                    newest = max(one.generation for one in members)
                    for one in members:
                        if one.step == 'done' and one.generation < newest:
                            join(one)
                else:
                    join(member)
    waiting.close()
    return time.monotonic() - began


def commit_fields(group, partitions, offset):
    parts = array([int32(index) + int64(offset) + int32(-1) + string('') for index in partitions])
    return (string(group), int32(-1), string(''), string(None), array([string(TOPIC) + parts]))


def codes(answer):
    answer.take('i')
    found = []
    for _ in range(answer.take('i')):
        answer.string()
        found += [answer.take('ih')[1] for _ in range(answer.take('i'))]
    return found


def measure_rebalances(peer, sizes):
    figures = {}
    with Single(peer) as server:
        for size in sizes:
            group = f'of-{size}'
            await_coordinator(server.port, group)
            members = [Member(server.port, group) for _ in range(size)]
            rebalance(members)
            figures[f'rebalance {size}'] = 1000 * min(rebalance(members) for _ in range(6))
            for member in members:
                member.lane.close()
    return figures


def measure_commits(peer, count):
    """CPU-s of the broker for a thousand commits."""
    with Single(peer) as server:
        make_topic(server, PARTITIONS_EACH, 1)
        await_coordinator(server.port, 'lane-0')
        lanes = [Lane(server.port) for _ in range(LANES)]

        def run(each):
            for number, lane in enumerate(lanes):
                fields = commit_fields(f'lane-{number}', range(PARTITIONS_EACH), 1)
                for _ in range(DEPTH):
                    lane.send(OFFSET_COMMIT, 7, *fields)
                lane.fields = fields
            for done in range(each):
                for lane in lanes:
                    assert not any(codes(lane.answer()))
                    if done < each - DEPTH:
                        lane.send(OFFSET_COMMIT, 7, *lane.fields)

        run(count // LANES // 2)  # warm
        before = server.cpu_s()
        run(count // LANES)
        return {'commits': (server.cpu_s() - before) / count * 1000}


def first_answer(nodes, group):
    """Seconds until somebody tells an offset that was committed."""
    began = time.monotonic()
    while True:
        for one in nodes:
            try:
                code, offset = fetch_offset(one.port, group)
                if code == 0:
                    assert offset == 7, f'{offset} is told'
                    return time.monotonic() - began
            except OSError:
                continue
        assert time.monotonic() - began < 300


def measure_take_over(peer, offsets):
    figures = {}
    partitions = 1000
    with Trio(peer, **SETTINGS) as trio:
        make_topic(trio, partitions, 3)
        port = await_coordinator(trio.nodes[0].port, 'g-0')
        coordinator = next(one for one in trio.nodes if one.port == port)
        before = {one: one.rss_kib() / 1024 for one in trio.nodes}
        lane = Lane(coordinator.port)
        for number in range(offsets // partitions):
            found = set(codes(lane.ask(OFFSET_COMMIT, 7, *commit_fields(f'g-{number}', range(partitions), 7))))
            assert found == {0}, f'a commit: {found}'
        figures['offsets MiB'] = max(one.rss_kib() / 1024 - before[one] for one in trio.nodes)
        time.sleep(2)
        others = [one for one in trio.nodes if one is not coordinator]
        coordinator.kill()
        figures['first answer'] = 1000 * first_answer(others, f'g-{offsets // partitions // 2}')
        if peer is None:
            said = [re.findall(r'coordinates its groups.* ms=(\d+)', one.log()) for one in others]
            figures['take-over'] = max(int(found[-1]) for found in said if found)
    return figures


def measure(peer, arguments):
    figures = {}
    if 'rebalance' in arguments.only:
        figures |= measure_rebalances(peer, arguments.members)
    if 'consumer' in arguments.only:
        figures |= measure_consumer_rebalances(peer, arguments.members)
    if 'commits' in arguments.only:
        figures |= measure_commits(peer, arguments.commits)
    if 'take-over' in arguments.only:
        figures |= measure_take_over(peer, arguments.offsets)
    return figures


def lowest(rounds):
    return {name: min(one[name] for one in rounds) for name in rounds[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--members', type=int, nargs='+', default=[10, 500])
    parser.add_argument('--offsets', type=int, default=1_000_000)
    parser.add_argument('--commits', type=int, default=40_000)
    parser.add_argument('--rounds', type=int, default=1)
    parser.add_argument('--only', nargs='+', default=['rebalance', 'consumer', 'commits', 'take-over'])
    arguments = parser.parse_args()
    jars = apache.jars()
    if jars is None:
        parser.error('Apache Kafka needs a JDK and Maven')
    ours, theirs = (lowest([measure(peer, arguments) for _ in range(arguments.rounds)]) for peer in (None, jars))
    is_over = False
    print(f'{"":24}{"Milena":>12}{"Apache":>12}{"ratio":>8}  budget')
    for name, value in ours.items():
        other = theirs.get(name)
        ratio = value / other if other else None
        budget = BUDGETS.get(name.split()[0])
        limit = {'take-over': TAKE_OVER_MS, 'offsets MiB': OFFSETS_MIB}.get(name)
        is_over |= (budget is not None and ratio > budget) or (limit is not None and value > limit)
        print(f'{name:24}{value:12.2f}{other if other is not None else float("nan"):12.2f}'
              f'{ratio if ratio is not None else float("nan"):8.3f}  {budget or limit or ""}')
    return 1 if is_over else 0


if __name__ == '__main__':
    sys.exit(main())
