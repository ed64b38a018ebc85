# SPDX-License-Identifier: Apache-2.0
"""ListOffsets (2): times and special offsets in every version; B10, B11, B13."""
from support.odd_batches import GZIP, LZ4, NONE, T0, ZSTD, Record, batch

from . import conversation
from .talk import LIST_OFFSETS, versions


def at(*times):
    return [Record(b'v', b'k', timestamp=T0 + t) for t in times]


@conversation
def list_offsets_of_every_version(talk):
    topic, empty = talk.topic(), talk.topic('empty')
    talk.append(topic, batch(at(10, 20)), batch(at(30, 25)), batch(at(40)))
    for version in versions(LIST_OFFSETS):
        for timestamp in (-1, -2, -3, -4, -5, -6, -7, -99, -2**63, 0, T0 + 25, T0 + 41, 2**63 - 1):
            talk.list_offset(topic, timestamp, version)
        for timestamp in (-1, -2, -3, 0):
            talk.list_offset(empty, timestamp, version, f'of an empty log, {timestamp}')


@conversation
def list_offsets_by_time(talk):
    """B10: exact to the record, inside compressed batches too."""
    for codec in (NONE, GZIP, LZ4, ZSTD):
        topic = talk.topic(f'c{codec}')
        talk.append(topic, batch(at(10, 20, 30, 40), codec=codec))
        for time in (0, 9, 10, 11, 25, 30, 31, 40, 41):
            talk.list_offset(topic, T0 + time, note=f'codec {codec} time {time}')
    topic = talk.topic('steps')
    talk.append(topic, batch(at(50, 10)), batch(at(20, 60)), batch(at(5)), batch(at(55, 56)))
    for time in (0, 5, 6, 11, 21, 50, 51, 56, 57, 60, 61):
        talk.list_offset(topic, T0 + time, note=f'steps, time {time}')


@conversation
def list_offsets_of_the_greatest_time(talk):
    """B11: the first record that has it."""
    for note, batches in {'inside': [at(10, 40, 20, 30)], 'twice': [at(10, 40, 40)], 'in two': [at(10, 40), at(40, 5)],
                          'first': [at(40, 10)], 'grows': [at(1), at(2), at(3)]}.items():
        for codec in (NONE, GZIP):
            topic = talk.topic(f'{note.replace(" ", "-")}-{codec}')
            talk.append(topic, *(batch(b, codec=codec) for b in batches))
            for version in (7, 11):
                talk.list_offset(topic, -3, version, f'{note} codec {codec}')
    topic = talk.topic('log-append', message_timestamp_type='LogAppendTime')
    talk.append(topic, batch(at(10, 40, 20)))
    talk.list_offset(topic, -3, note='log append time')
    talk.list_offset(topic, 0, note='log append time, of 0')


@conversation
def list_offsets_with_wrong_max_timestamps(talk):
    topic = talk.topic()
    talk.append(topic, batch(at(10, 20), max_timestamp=T0 + 99), batch(at(30, 40), max_timestamp=T0),
                batch(at(50), max_timestamp=-1))
    for timestamp in (-3, T0 + 15, T0 + 30, T0 + 45, T0 + 60):
        talk.list_offset(topic, timestamp)


@conversation
def list_offsets_with_epochs(talk):
    topic = talk.topic()
    talk.append(topic, batch(at(10, 20)))
    for version in versions(LIST_OFFSETS, 4):
        for epoch in (-1, 0, 1, 7, -2):
            talk.list_offset(topic, -1, version, f'epoch {epoch}', CurrentLeaderEpoch=epoch)
    talk.list_offset(topic, -99, note='epoch 7 of -99', CurrentLeaderEpoch=7)


@conversation
def list_offsets_of_what_is_not_there(talk):
    topic = talk.topic()
    for version in versions(LIST_OFFSETS):
        talk.list_offset(topic, -1, version, 'partition 5', partition=5)
        talk.list_offset(topic, -1, version, 'partition -1', partition=-1)
        talk.list_offset(f'{talk.name}.missing', -1, version, 'no topic')
        talk.list_offset(f'{talk.name}.missing', -99, version, 'no topic, -99')
    for name in ('', 'a b', '__cluster_metadata'):
        talk.list_offset(name, -1, note=f'of {name!r}')


@conversation
def list_offsets_of_one_twice(talk):
    """B13: the others in the request are still answered."""
    topic = talk.topic(partitions=3)
    talk.append(topic, batch(at(10, 20)), partition=1)
    for version in versions(LIST_OFFSETS):
        parts = [{'PartitionIndex': p, 'Timestamp': t}
                 for p, t in ((0, -1), (1, -1), (0, -2), (2, -99), (9, -1), (9, -1))]
        talk_sorted(talk, version, 'twice in a topic', [{'Name': topic, 'Partitions': parts}])
        talk_sorted(talk, version, 'topic twice', [{'Name': topic, 'Partitions': parts[:2]},
                                                   {'Name': topic, 'Partitions': parts[2:3]}])


def talk_sorted(talk, version, note, topics):
    answer = talk.quietly(LIST_OFFSETS, version, ReplicaId=-1, Topics=topics)
    for topic in answer['Topics']:
        topic['Partitions'].sort(key=lambda p: (p['PartitionIndex'], p['Offset']))
    talk.note(f'v{version} {note}', answer)


@conversation
def list_offsets_isolation_and_replicas(talk):
    topic = talk.topic()
    talk.append(topic, batch(at(10, 20)))
    for version in (2, 6, 11):
        for level in (0, 1):
            talk.list_offset(topic, -1, version, f'isolation {level}', {'IsolationLevel': level})
        for replica in (-1, -2, 0, 1, 2, -3):
            talk.list_offset(topic, -1, version, f'replica {replica}', {'ReplicaId': replica})
    for timeout in (0, -1, 1000):
        talk.list_offset(topic, T0 + 15, 11, f'timeout {timeout}', {'TimeoutMs': timeout})
