# SPDX-License-Identifier: Apache-2.0
"""How long a rebalance of the consumer protocol (KIP-848) takes: from the heartbeat of a new member until all members
have their partitions, where each sends its next heartbeat as soon as the others have been answered."""
import contextlib
import time
import uuid

from coordinators import TOPIC, Lane, Single, await_coordinator, make_topic
from support.wire import int32

HEARTBEAT, VERSION = 68, 1
REBALANCE_MS = 60000
PARTITIONS_EACH = 2
ROUNDS_MAX = 100


def varint(number):
    data = b''
    while number >= 0x80:
        data += bytes([number & 0x7f | 0x80])
        number >>= 7
    return data + bytes([number])


def compact(text):
    return varint(0) if text is None else varint(len(text) + 1) + text.encode()


def compact_array(items):
    return varint(0) if items is None else varint(len(items) + 1) + b''.join(items)


def take_varint(reader):
    number = shift = 0
    while True:
        byte = reader.take('B')
        number |= (byte & 0x7f) << shift
        if byte < 0x80:
            return number
        shift += 7


def skip_compact(reader):
    length = take_varint(reader) - 1
    reader.at += max(length, 0)


class Member:
    def __init__(self, port, group):
        self.lane, self.group, self.id = Lane(port), group, str(uuid.uuid4())
        self.epoch, self.owned, self.is_told = 0, {}, True

    def beat(self):
        """What it owns is told with the first heartbeat after that has changed, as clients do."""
        owned = [topic + compact_array([int32(index) for index in parts]) + b'\0'
                 for topic, parts in self.owned.items()] if self.is_told else None
        joins = self.epoch == 0
        self.lane.send(HEARTBEAT, VERSION, compact(self.group), compact(self.id), int32(self.epoch), compact(None),
                       compact(None), int32(REBALANCE_MS if joins else -1),
                       compact_array([compact(TOPIC)] if joins else None), compact(None), compact(None),
                       compact_array(owned), b'\0', flexible=True)

    def hear(self):
        """Whether the answer has given it another epoch or other partitions."""
        answer = self.lane.answer()
        answer.take('b')  # tagged fields of the header
        _, code = answer.take('ih')
        assert code == 0, f'a heartbeat: {code}'
        skip_compact(answer)
        skip_compact(answer)
        epoch, _, has_assignment = answer.take('iib')
        is_new = epoch != self.epoch or has_assignment > 0
        self.epoch, self.is_told = epoch, has_assignment > 0
        if has_assignment > 0:
            self.owned = {}
            for _ in range(take_varint(answer) - 1):
                topic = answer.data[answer.at:answer.at + 16]
                answer.at += 16
                self.owned[topic] = [answer.take('i') for _ in range(take_varint(answer) - 1)]
                answer.take('b')
        return is_new


def settle(members, partitions):
    """Seconds until nothing changes any more and every partition has its owner."""
    began = time.monotonic()
    for _ in range(ROUNDS_MAX):
        for member in members:
            member.beat()
        is_new = [member.hear() for member in members]
        if not any(is_new):
            owned = [(topic, index) for one in members for topic, parts in one.owned.items() for index in parts]
            assert len(owned) == len(set(owned)) == partitions, f'{len(owned)} of {partitions} partitions have owners'
            assert len({member.epoch for member in members}) == 1
            return time.monotonic() - began
    raise AssertionError(f'not stable after {ROUNDS_MAX} heartbeats of each member')


def measure_consumer_rebalances(peer, sizes):
    figures = {}
    for size in sizes:
        with Single(peer) as server, contextlib.ExitStack() as open_lanes:
            make_topic(server, size * PARTITIONS_EACH, 1)
            group = f'of-{size}'
            await_coordinator(server.port, group)
            members = []

            def add():
                members.append(Member(server.port, group))
                open_lanes.callback(members[-1].lane.close)

            for _ in range(size - 3):
                add()
            settle(members, size * PARTITIONS_EACH)
            figures[f'consumer {size}'] = 1000 * min(
                (add(), settle(members, size * PARTITIONS_EACH))[1] for _ in range(3))
    return figures
