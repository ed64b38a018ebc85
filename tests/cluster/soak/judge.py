# SPDX-License-Identifier: Apache-2.0
"""What must hold when all is over, each in words if it does not: nothing acknowledged is lost (I1) or elsewhere (I3),
none is there twice (I4), each writer's records stand in their order in each partition (I5), and all replicas hold the
same bytes up to the high watermark (I2).
"""
import struct

import confluent_kafka

# Records of those who only ask whether a partition can be written to: not idempotent, so they may be there twice.
PROBE = b'probe'


def mark_of(value):
    """The mark that a value begins with: its first two words."""
    return b' '.join(value.split(b' ', 2)[:2])


def read_all(bootstrap, topic, partitions):
    """[(offset, mark)] of each partition, from its beginning to its high watermark."""
    consumer = confluent_kafka.Consumer({'bootstrap.servers': bootstrap, 'group.id': 'soak', 'check.crcs': True,
                                         'enable.auto.commit': False, 'log_level': 0})
    found = {}
    try:
        for partition in range(partitions):
            place = confluent_kafka.TopicPartition(topic, partition, confluent_kafka.OFFSET_BEGINNING)
            _, end = consumer.get_watermark_offsets(place, timeout=30)
            consumer.assign([place])
            records = found[partition] = []
            while end > 0 and (not records or records[-1][0] < end - 1):
                messages = consumer.consume(10_000, 0.2) or consumer.consume(1, 30)
                assert messages, f'partition {partition} can not be read to its end {end}'
                for message in messages:
                    assert not message.error(), f'partition {partition}: {message.error()}'
                    records.append((message.offset(), mark_of(message.value())))
    finally:
        consumer.close()
    return found


def check(history, found):
    """What does not hold of what was read; nothing if all does."""
    wrong = [f'a record was given up: {why}' for why in history.failed] + history.wrong
    for partition, records in found.items():
        at = dict(records)
        for offset, mark in history.acknowledged[partition].items():
            if at.get(offset) != mark:
                wrong.append(f'{mark} was acknowledged at {partition}:{offset}, where {at.get(offset)} is')
        wrong += order_of(partition, [mark for _, mark in records if not mark.startswith(PROBE)])
    return wrong


def order_of(partition, marks):
    wrong, last = [], {}
    if len(set(marks)) != len(marks):
        wrong.append(f'partition {partition} holds {len(marks) - len(set(marks))} records twice')
    for mark in marks:
        name, number = mark.split()
        if int(number) < last.get(name, -1):
            wrong.append(f'partition {partition} holds {mark} after {last[name]}')
        last[name] = int(number)
    return wrong


def batches_below(log, end):
    """The bytes of the batches before the offset `end` in the bytes of a log, and the offset behind the last."""
    at, reached = 0, 0
    while len(log) - at >= 61:
        base, length = struct.unpack_from('>qi', log, at)
        if base >= end or len(log) - at < 12 + length:
            break
        reached = base + struct.unpack_from('>i', log, at + 23)[0] + 1
        at += 12 + length
    return log[:at], reached


def log_of(node, topic, partition):
    """All segments of a replica, one behind the other."""
    folder = node.data / f'{topic}-{partition}'
    return b''.join(path.read_bytes() for path in sorted(folder.glob('*.log')))


def compare_replicas(logs, partition, end):
    """`logs` are the replicas' bytes by node, `end` is the high watermark."""
    below = {node: batches_below(log, end) for node, log in logs.items()}
    wrong = [f'partition {partition} of node {node} ends at {reached}, though {end} is committed'
             for node, (_, reached) in below.items() if reached < end]
    if wrong:
        return wrong
    first = next(iter(below))
    for node, (data, _) in below.items():
        if data != below[first][0]:
            at = next((i for i, (a, b) in enumerate(zip(data, below[first][0])) if a != b), 'the end')
            wrong.append(f'partition {partition} of nodes {first} and {node} differs at byte {at}')
    return wrong
