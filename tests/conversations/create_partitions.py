# SPDX-License-Identifier: Apache-2.0
"""CreatePartitions (37)."""
from . import conversation
from .talk import CREATE_PARTITIONS, METADATA, versions


def wanted(name, count, *assignments):
    """Without assignments the server chooses; one that is None stands for an empty list of them."""
    replicas = [{'BrokerIds': a} for a in assignments if a is not None]
    return {'Name': name, 'Count': count, 'Assignments': replicas if assignments else None}


def grow(talk, note, *topics, version=3, **more):
    """Notes the answer in the order of names: neither server promises another."""
    answer = talk.quietly(CREATE_PARTITIONS, version, Topics=list(topics), **{'TimeoutMs': 30000, **more})
    answer['Results'].sort(key=lambda t: t['Name'])
    talk.note(f'v{version} {note}', answer)


def partitions(talk, name, count):
    for partition in range(count):
        talk.connect().await_leader(name, partition, 30)
    answer = talk.quietly(METADATA, 12, Topics=[{'Name': name}], AllowAutoTopicCreation=False)
    talk.note('then', sorted(answer['Topics'][0]['Partitions'], key=lambda p: p['PartitionIndex']))


@conversation
def create_partitions_of_every_version(talk):
    name = talk.topic('t')
    for version in versions(CREATE_PARTITIONS):
        more = version + 2
        grow(talk, 'checked only', wanted(name, more), version=version, ValidateOnly=True)
        grow(talk, 'without time', wanted(name, more), version=version, TimeoutMs=0)
        grow(talk, 'with less than none', wanted(name, more), version=version, TimeoutMs=-1)
        grow(talk, 'made', wanted(name, more), version=version)
        partitions(talk, name, more)
        grow(talk, 'again', wanted(name, more), version=version)
        grow(talk, 'none', version=version)
        for partition in range(more + 1):
            talk.list_offset(name, -1, 4, f'of partition {partition}', partition=partition)


@conversation
def create_partitions_with_counts(talk):
    a, b = talk.topic('a', 2), talk.topic('b')
    missing = f'{talk.name}.missing'
    for count in (1, 2, 0, -1, -2**31, 3, 10002, 10003, 2**31 - 1):
        grow(talk, f'to {count}', wanted(a, count), ValidateOnly=True)
    for name in (missing, '', '__cluster_metadata', '..', '__consumer_offsets'):
        grow(talk, f'of {name[-9:]!r}', wanted(name, 2), ValidateOnly=True)
    for note, topics in {
            'twice': [wanted(a, 3), wanted(a, 4)], 'twice, missing': [wanted(missing, 3), wanted(missing, 4)],
            'twice, and another': [wanted(a, 3), wanted(b, 4), wanted(a, 5)],
            'both': [wanted(a, 3), wanted(b, 2)], 'good and bad': [wanted(a, 3), wanted(b, 1), wanted(missing, 3)],
            'too many together': [wanted(a, 6000), wanted(b, 6000)],
            'too many and missing': [wanted(a, 10003), wanted(missing, 1)],
            'just as many, and one that shrinks': [wanted(a, 10002), wanted(b, -5)],
            'too many, but twice': [wanted(a, 20000), wanted(a, 20000), wanted(b, 2)]}.items():
        grow(talk, note, *topics, ValidateOnly=True)
    grow(talk, 'good and bad, done', wanted(a, 4), wanted(b, 0), wanted(missing, 3))
    partitions(talk, a, 4)
    partitions(talk, b, 1)


@conversation
def create_partitions_with_assignments(talk):
    name = talk.topic('t', 2)
    for note, asked in {
            'empty': wanted(name, 3, None), 'one': wanted(name, 3, [1]), 'too many': wanted(name, 3, [1], [1]),
            'too few': wanted(name, 4, [1]), 'unknown broker': wanted(name, 3, [7]),
            'no broker': wanted(name, 3, []), 'broker twice': wanted(name, 3, [1, 1]),
            'another factor': wanted(name, 3, [1, 7]), 'negative broker': wanted(name, 3, [-1]),
            'second unknown': wanted(name, 4, [1], [7]), 'second without': wanted(name, 4, [1], []),
            'fewer': wanted(name, 1, [1]), 'same': wanted(name, 2, [1])}.items():
        grow(talk, note, asked, ValidateOnly=True)
    grow(talk, 'done', wanted(name, 4, [1], [1]))
    partitions(talk, name, 4)
