# SPDX-License-Identifier: Apache-2.0
"""Fetch (1), without sessions: every version, limits, epochs, B02, B23."""
import time

from support.odd_batches import ZSTD, batch

from . import conversation
from .talk import FETCH, UNKNOWN_ID, versions


def three_batches(talk, label='t', **configs):
    topic = talk.topic(label, **configs)
    talk.append(topic, batch([b'a', b'b']), batch([b'c', b'd']), batch([b'e']))
    return topic


@conversation
def fetch_of_every_version(talk):
    """B02 too: a batch that holds the offset comes whole."""
    topic = three_batches(talk)
    for version in versions(FETCH):
        for offset in (0, 1, 3, 4, 5):
            talk.fetch(topic, offset, version, f'from {offset}')


@conversation
def fetch_out_of_range(talk):
    topic = three_batches(talk)
    for version in versions(FETCH):
        for offset in (-1, 6, 2**62):
            talk.fetch(topic, offset, version, f'from {offset}')
    for offset in (-2, -3, -2**63, 2**63 - 1):
        talk.fetch(topic, offset, note=f'from {offset}')
    talk.fetch(talk.topic('empty'), 0, note='of an empty log')
    talk.fetch(f'{talk.name}.empty', 1, note='behind an empty log')


@conversation
def fetch_of_what_is_not_there(talk):
    topic = three_batches(talk)
    missing = f'{talk.name}.missing'
    for version in versions(FETCH):
        talk.fetch(topic, 0, version, 'partition 5', partition=5)
        talk.fetch(topic, 0, version, 'partition -1', partition=-1)
        if version < 13:
            talk.fetch(missing, 0, version, 'no topic')
    talk.ids[missing] = UNKNOWN_ID
    for version in versions(FETCH, 13):
        talk.fetch(missing, 0, version, 'unknown id')
    for name in ('', 'a b', '__cluster_metadata'):
        talk.fetch(name, 0, 12, f'of {name!r}')


@conversation
def fetch_with_epochs(talk):
    topic = three_batches(talk)
    for version in versions(FETCH, 9):
        for epoch in (-1, 0, 1, 7, -2):
            talk.fetch(topic, 2, version, f'current epoch {epoch}', CurrentLeaderEpoch=epoch)
    for version in versions(FETCH, 12):
        for epoch in (-1, 0, 1, 7, -2):
            for offset in (2, 5, 6):
                talk.fetch(topic, offset, version, f'fetched epoch {epoch} from {offset}', LastFetchedEpoch=epoch)
    talk.fetch(topic, 99, note='current epoch 9 and out of range', CurrentLeaderEpoch=9)
    talk.fetch(topic, 2, note='both', CurrentLeaderEpoch=0, LastFetchedEpoch=0)


@conversation
def fetch_limits(talk):
    """B23: the first partition with data gives a whole batch whatever the limits are."""
    topic = talk.topic(partitions=3)
    large = batch([b'x' * 20000])
    for partition in (1, 2):
        talk.append(topic, large, large, partition=partition)

    def part(partition, bytes_max, offset=0):
        return talk.fetch_part(topic, offset, partition, bytes_max)['Partitions'][0]
    for version in (4, 12, 18):
        for note, request, parts in (
                ('both 1 byte', 1, [part(1, 1), part(2, 1)]), ('other order', 1, [part(2, 1), part(1, 1)]),
                ('an empty one first', 1, [part(0, 1), part(1, 1), part(2, 1)]), ('0 bytes', 0, [part(1, 0)]),
                ('large request, 1 byte each', 1 << 20, [part(1, 1), part(2, 1)]),
                ('small request, large parts', 1, [part(1, 1 << 20), part(2, 1 << 20)]),
                ('a batch and a half', 1 << 20, [part(1, 30000)]),
                ('both cut', 30000, [part(1, 1 << 20), part(2, 1 << 20)]),
                ('exactly one each', 1 << 20, [part(1, len(large)), part(2, len(large))]),
                ('one byte more', 1 << 20, [part(1, len(large) + 1), part(2, len(large) + 11)]),
                ('one byte less', 1 << 20, [part(1, len(large) - 1), part(2, len(large) - 1)]),
                ('second, from the second batch', 1, [part(1, 1, 2), part(2, 1, 1)]),
                ('all', 2**31 - 1, [part(1, 2**31 - 1), part(2, 2**31 - 1)])):
            talk.ask(FETCH, version, note, MaxWaitMs=0, MinBytes=0, MaxBytes=request,
                     Topics=[{'Topic': topic, 'TopicId': talk.ids[topic], 'Partitions': parts}])


@conversation
def fetch_that_waits(talk):
    topic, empty = three_batches(talk), talk.topic('empty')

    def timed(note, floor_ms, ceiling_ms, parts, **request):
        began = time.monotonic()
        talk.ask(FETCH, 12, note, **{'MaxWaitMs': 700, 'MinBytes': 1, 'MaxBytes': 1 << 20, **request}, Topics=parts)
        took = (time.monotonic() - began) * 1000
        # Loaded machines are slow, so the ceiling only tells a wait from none.
        talk.note('waited', 'as long as it should' if floor_ms <= took < ceiling_ms else f'{took:.0f} ms')
    behind, there, gone = talk.fetch_part(empty, 0), talk.fetch_part(topic, 0), talk.fetch_part(topic, 0, 9)
    slow = {'MaxWaitMs': 5000}
    timed('nothing there', 600, 10000, [behind])
    timed('nothing there, no bytes wanted', 0, 4000, [behind], MinBytes=0, **slow)
    timed('nothing there, no wait', 0, 4000, [behind], MaxWaitMs=0)
    timed('nothing there, negative wait', 0, 4000, [behind], MaxWaitMs=-1)
    timed('one of two has data', 0, 4000, [behind, there], **slow)
    timed('more wanted than there is', 600, 10000, [there], MinBytes=1 << 20)
    timed('an unknown partition among them', 600, 10000, [behind, gone])
    timed('only an unknown partition', 0, 4000, [gone], **slow)
    timed('an offset out of range among them', 0, 4000, [behind, talk.fetch_part(topic, 99)], **slow)
    timed('no partitions', 0, 4000, [], **slow)
    timed('another epoch than the log has', 0, 4000, [talk.fetch_part(empty, 0, LastFetchedEpoch=3)], **slow)
    timed('more wanted than the request may hold', 0, 4000, [there], MinBytes=1 << 20, MaxBytes=10, **slow)
    timed('more wanted than the partition may give', 600, 10000, [talk.fetch_part(topic, 0, bytes_max=10)],
          MinBytes=1 << 10)


@conversation
def fetch_isolation(talk):
    topic = three_batches(talk)
    for version in versions(FETCH):
        talk.fetch(topic, 2, version, 'committed', {'IsolationLevel': 1})
        talk.fetch(topic, 9, version, 'committed, out of range', {'IsolationLevel': 1})
        talk.fetch(topic, 5, version, 'committed, at the end', {'IsolationLevel': 1})


@conversation
def fetch_as_a_replica(talk):
    topic = three_batches(talk)
    for version in (4, 11, 12, 14):
        for replica in (-1, -2, 0, 1, 2, -3):
            talk.fetch(topic, 2, version, f'replica {replica}', {'ReplicaId': replica})
    for version in (15, 18):
        for replica in (-1, -2, 2):
            talk.fetch(topic, 2, version, f'replica {replica}', {'ReplicaState': {'ReplicaId': replica}})


@conversation
def fetch_of_a_cluster_and_a_rack(talk):
    topic = three_batches(talk, compression_type='producer')
    talk.append(topic, batch([b'z'], codec=ZSTD))
    for version in versions(FETCH, 11):
        talk.fetch(topic, 5, version, 'rack', {'RackId': 'somewhere'})
    for version in versions(FETCH, 12):
        talk.fetch(topic, 5, version, 'another cluster', {'ClusterId': 'other'})
