# SPDX-License-Identifier: Apache-2.0
"""DescribeTopicPartitions (75)."""
from . import conversation
from .talk import DESCRIBE_TOPIC_PARTITIONS


def describe(talk, note, *names, limit=2000, cursor=None):
    after = cursor and {'TopicName': cursor[0], 'PartitionIndex': cursor[1]}
    return talk.ask(DESCRIBE_TOPIC_PARTITIONS, 0, note, Topics=[{'Name': n} for n in names],
                    ResponsePartitionLimit=limit, Cursor=after)


@conversation
def describe_topic_partitions_page_by_page(talk):
    a, b = talk.topic('a', 5), talk.topic('b', 3)
    for limit in (1, 2, 4, 5, 6, 7, 8, 9, 2000, 2001, 2**31 - 1, 0, -1, -2**31):
        describe(talk, f'{limit} at most', a, b, limit=limit)
    for index in (0, 2, 4, 5, 100):
        describe(talk, f'from a {index}', a, b, cursor=(a, index))
    for index in (0, 1, 3):
        describe(talk, f'from b {index}', a, b, cursor=(b, index))
    describe(talk, 'from a 3, 3', a, b, cursor=(a, 3), limit=3)
    describe(talk, 'from a 3, 2', a, b, cursor=(a, 3), limit=2)
    cursor, pages = None, 0
    while pages == 0 or cursor:
        page = describe(talk, 'the next 3', b, a, limit=3, cursor=cursor)
        pages += 1
        cursor = page['NextCursor'] and (page['NextCursor']['TopicName'], page['NextCursor']['PartitionIndex'])


@conversation
def describe_topic_partitions_of_odd_cursors(talk):
    a, b = talk.topic('a', 2), talk.topic('b')
    for name, index in ((a, -1), (f'{talk.name}.missing', 0), ('', 0), ('zz', 0), (f'{talk.name}.a5', 0), (a, -2**31)):
        describe(talk, f'{name[-9:]!r} {index}', a, b, cursor=(name, index))
    missing = f'{talk.name}.am'
    for index in (0, 3):
        describe(talk, f'one that is asked for and missing, {index}', a, missing, b, cursor=(missing, index), limit=2)


@conversation
def describe_topic_partitions_of_names(talk):
    a, b = talk.topic('a', 2), talk.topic('b')
    missing, between = f'{talk.name}.missing', f'{talk.name}.aa'
    describe(talk, 'missing', missing, limit=1)
    describe(talk, 'between', b, missing, between, a, limit=3)
    describe(talk, 'between and cut', b, missing, between, a, limit=2)
    describe(talk, 'cut before one that is missing', a, between, limit=2)
    describe(talk, 'twice', a, a, limit=2)
    describe(talk, 'not sorted', b, a, limit=1)
    # Without a cursor Apache trips over the empty name (docs/deviations.md).
    describe(talk, 'no names of topics', '.', '..', 'a b', 'x' * 250, '__consumer_offsets', '__cluster_metadata')


@conversation
def describe_topic_partitions_of_all(talk):
    a = talk.topic('a', 2)
    first = describe(talk, 'all')
    talk.transcript.pop()
    mine = [t for t in first['Topics'] if t['Name'] == a]
    talk.note('all', [mine, [t['Name'] for t in first['Topics']] == sorted(t['Name'] for t in first['Topics'])])
    page = describe(talk, 'all from here', limit=1, cursor=(a, 1))
    talk.transcript.pop()
    talk.note('all from here', page['Topics'])
    page = describe(talk, 'all from between', limit=2, cursor=(f'{talk.name}.', 7))
    talk.transcript.pop()
    talk.note('all from between', page['Topics'])
