# SPDX-License-Identifier: Apache-2.0
"""CreateTopics (19)."""
from . import conversation
from .talk import CREATE_TOPICS, METADATA, versions


INVALID_CONFIG = 40


def wanted(name, partitions=1, replication=1, configs=None, assignments=None):
    return {'Name': name, 'NumPartitions': partitions, 'ReplicationFactor': replication,
            'Configs': [{'Name': k, 'Value': v} for k, v in configs or ()],
            'Assignments': [{'PartitionIndex': i, 'BrokerIds': b} for i, b in assignments or ()]}


def create(talk, note, *topics, version=7, only_errors=True, **more):
    """Notes the answer in the order of names: neither server promises another."""
    answer = talk.quietly(CREATE_TOPICS, version, Topics=list(topics), **{'timeoutMs': 30000, **more})
    answer['Topics'].sort(key=lambda t: t['Name'])
    for topic in answer['Topics']:
        if only_errors:
            topic.pop('Configs', None)
        # Which of several wrong values is told is not promised; the words are compared in configs.py.
        if topic['ErrorCode'] == INVALID_CONFIG and 'Unknown' not in topic['ErrorMessage']:
            topic['ErrorMessage'] = topic['ErrorMessage'] and 'words'
    talk.note(f'v{version} {note}', answer)


def exists(talk, *names):
    answer = talk.quietly(METADATA, 12, Topics=[{'Name': n} for n in names], AllowAutoTopicCreation=False)
    found = [[t['Name'], t['ErrorCode'], sorted(t['Partitions'], key=lambda p: p['PartitionIndex'])]
             for t in answer['Topics']]
    talk.note('then', sorted(found, key=lambda t: t[0]))


@conversation
def create_topics_of_every_version(talk):
    for version in versions(CREATE_TOPICS):
        name = f'{talk.name}.v{version}'
        create(talk, 'checked only', wanted(name), version=version, only_errors=False, validateOnly=True)
        exists(talk, name)
        create(talk, 'made', wanted(name, 3), version=version, only_errors=False)
        for partition in range(3):
            talk.connect().await_leader(name, partition, 30)
        exists(talk, name)
        create(talk, 'again', wanted(name), version=version)
        create(talk, 'again, checked only', wanted(name), version=version, validateOnly=True)
        create(talk, 'by default', wanted(f'{name}d', -1, -1), version=version)
        for partition in range(4):
            talk.list_offset(name, -1, 4, f'of partition {partition}', partition=partition)


@conversation
def create_topics_with_configs(talk):
    own = [('retention.ms', '1000'), ('cleanup.policy', 'compact,delete'), ('min.insync.replicas', '2'),
           ('compression.type', 'lz4'), ('message.timestamp.type', 'LogAppendTime'), ('max.message.bytes', '1234'),
           ('segment.bytes', '1048576'), ('unclean.leader.election.enable', 'true')]
    create(talk, 'own', wanted(f'{talk.name}.own', configs=own), only_errors=False)
    for note, configs in {
            'unknown key': [('no.such.key', '1')], 'empty key': [('', '1')], 'null value': [('retention.ms', None)],
            'not a number': [('retention.ms', 'soon')], 'below its range': [('retention.ms', '-2')],
            'too large': [('segment.bytes', '99999999999')], 'not in the list': [('cleanup.policy', 'burn')],
            'not all in the list': [('cleanup.policy', 'delete,burn')], 'not a boolean': [('preallocate', 'maybe')],
            'ratio over 1': [('min.cleanable.dirty.ratio', '1.5')], 'min isr 0': [('min.insync.replicas', '0')],
            'spaces around': [('retention.ms', ' 1000 ')], 'upper case': [('preallocate', 'TRUE')],
            'codec': [('compression.type', 'brotli')], 'gzip level': [('compression.gzip.level', '10')],
            'gzip level 0': [('compression.gzip.level', '0')], 'lz4 level': [('compression.lz4.level', '18')],
            'timestamp type': [('message.timestamp.type', 'Never')], 'segment too small': [('segment.bytes', '1')],
            'same key twice': [('retention.ms', '1'), ('retention.ms', '2')], 'empty value': [('retention.ms', '')],
            'empty list': [('cleanup.policy', '')], 'list with a gap': [('cleanup.policy', 'delete,,compact')],
            'lag': [('min.compaction.lag.ms', '10'), ('max.compaction.lag.ms', '5')],
            'removed key': [('message.format.version', '2.0')], 'hex': [('segment.bytes', '0x100000')],
            'plus': [('retention.ms', '+5')], 'remote': [('remote.storage.enable', 'true')],
            'throttled replicas': [('leader.replication.throttled.replicas', '0:1,1:1')],
            'throttled replicas wrong': [('leader.replication.throttled.replicas', 'x')],
            'local retention': [('local.retention.ms', '100'), ('retention.ms', '10')],
            'two wrong': [('retention.ms', 'a'), ('segment.ms', 'b')]}.items():
        create(talk, note, wanted(f'{talk.name}.t', configs=configs), validateOnly=True)


@conversation
def create_topics_with_names(talk):
    create(talk, 'base', wanted(f'{talk.name}.a.b'))
    for name in ('', '.', '..', '...', 'a b', 'ä', 'a/b', 'x' * 249, 'x' * 250, '__cluster_metadata', '-',
                 f'{talk.name}.a_b', f'{talk.name}_a.b', f'{talk.name}.a.b', 'a\nb', '__made_up'):
        create(talk, f'{name[:40]!r}', wanted(name), validateOnly=True)


@conversation
def create_topics_with_counts(talk):
    for partitions, replication in ((0, 1), (-2, 1), (-1, 1), (1, 0), (1, -2), (1, -1), (1, 2), (1, 32767),
                                    (-1, -1), (0, 0), (10001, 1), (2**31 - 1, 1), (3, 5), (-2**31, 1)):
        create(talk, f'{partitions} times {replication}', wanted(f'{talk.name}.t', partitions, replication),
               validateOnly=True)
    create(talk, 'two large ones', wanted(f'{talk.name}.a', 6000), wanted(f'{talk.name}.b', 6000), validateOnly=True)
    create(talk, 'two largest ones', wanted(f'{talk.name}.a', 2**31 - 1), wanted(f'{talk.name}.b', 2**31 - 1),
           validateOnly=True)


@conversation
def create_topics_with_assignments(talk):
    for note, topic in {
            'one': wanted('t', -1, -1, None, [(0, [1])]), 'two': wanted('t', -1, -1, None, [(1, [1]), (0, [1])]),
            'partitions given': wanted('t', 1, -1, None, [(0, [1])]),
            'factor given': wanted('t', -1, 1, None, [(0, [1])]),
            'both given': wanted('t', 1, 1, None, [(0, [1])]), 'a gap': wanted('t', -1, -1, None, [(0, [1]), (2, [1])]),
            'not from 0': wanted('t', -1, -1, None, [(1, [1])]),
            'index twice': wanted('t', -1, -1, None, [(0, [1]), (0, [1])]),
            'negative': wanted('t', -1, -1, None, [(-1, [1])]), 'no broker': wanted('t', -1, -1, None, [(0, [])]),
            'unknown broker': wanted('t', -1, -1, None, [(0, [7])]),
            'broker twice': wanted('t', -1, -1, None, [(0, [1, 1])]),
            'uneven': wanted('t', -1, -1, None, [(0, [1]), (1, [1, 7])]),
            'negative broker': wanted('t', -1, -1, None, [(0, [-1])])}.items():
        topic['Name'] = f'{talk.name}.t'
        create(talk, note, topic, validateOnly=True)


@conversation
def create_topics_several(talk):
    n = talk.name
    create(talk, 'good and bad', wanted(f'{n}.good'), wanted(f'{n}.bad', 0), wanted(f'{n}.b d'),
           wanted(f'{n}.far', 1, 9))
    talk.connect().await_leader(f'{n}.good', timeout_s=30)
    exists(talk, f'{n}.good', f'{n}.bad')
    create(talk, 'one twice', wanted(f'{n}.twice'), wanted(f'{n}.once'), wanted(f'{n}.twice', 2))
    talk.connect().await_leader(f'{n}.once', timeout_s=30)
    exists(talk, f'{n}.twice', f'{n}.once')
    create(talk, 'thrice and no timeout', wanted(f'{n}.x'), wanted(f'{n}.x'), wanted(f'{n}.x'), timeoutMs=-5)
    create(talk, 'that collide', wanted(f'{n}.c.d'), wanted(f'{n}.c_d'))
    create(talk, 'none')
    create(talk, 'internal', wanted('__cluster_metadata', -1, -1), wanted(f'{n}.beside'))
    talk.connect().await_leader(f'{n}.beside', timeout_s=30)
    exists(talk, f'{n}.beside')
