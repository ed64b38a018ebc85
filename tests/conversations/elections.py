# SPDX-License-Identifier: Apache-2.0
"""ElectLeaders (43), and ListPartitionReassignments (46): of one node, where nobody else can lead."""
from . import conversation
from .talk import ELECT_LEADERS, LIST_REASSIGNMENTS, versions


def asked(*topics):
    return [{'Topic': name, 'Partitions': list(indexes)} for name, indexes in topics]


def elect(talk, note, topics, kind=0, version=2, **more):
    talk.ask(ELECT_LEADERS, version, f'{note}, by {kind}', ElectionType=kind, TopicPartitions=topics,
             **{'TimeoutMs': 30000, **more})


@conversation
def elect_leaders_of_every_version(talk):
    name, missing = talk.topic('t', 3), f'{talk.name}.missing'
    for version in versions(ELECT_LEADERS):
        for kind in (0, 1, 2, -1) if version else (0,):
            for note, topics in {
                    'one': asked((name, [0])), 'one and one too many': asked((name, [5, 0])),
                    'missing': asked((missing, [0, 1])), 'none': [], 'no partition': asked((name, [])),
                    'one twice': asked((name, [0, 0, -1])), 'topic twice': asked((name, [0]), (name, [1])),
                    'two topics': asked((name, [2]), (missing, [2]))}.items():
                elect(talk, note, topics, kind, version)
        elect(talk, 'without time', asked((name, [0, 7])), version=version, TimeoutMs=0)
        elect(talk, 'with less than none', asked((name, [0])), version=version, TimeoutMs=-1)
        elect(talk, 'all without time', None, version=version, TimeoutMs=0)


@conversation
def elect_leaders_of_all(talk):
    name = talk.topic('t', 3)
    for version in versions(ELECT_LEADERS):
        for kind in (0, 1) if version else (0,):
            answer = talk.quietly(ELECT_LEADERS, version, ElectionType=kind, TopicPartitions=None, TimeoutMs=30000)
            mine = [t for t in answer.pop('ReplicaElectionResults') if t['Topic'] == name]
            talk.note(f'v{version} all, by {kind}', [answer, mine])
    for kind in (2, -1):
        elect(talk, 'all', None, kind)


@conversation
def list_partition_reassignments_where_there_are_none(talk):
    name = talk.topic('t', 2)
    for note, topics in {'all': None, 'none': [], 'one': [(name, [0])], 'one that is not there': [(name, [0, 5])],
                         'no partition': [(name, [])], 'one twice': [(name, [0, 0, -1])],
                         'missing': [(f'{talk.name}.missing', [0])]}.items():
        talk.ask(LIST_REASSIGNMENTS, 0, note, TimeoutMs=30000,
                 Topics=topics and [{'Name': n, 'PartitionIndexes': i} for n, i in topics])
    talk.ask(LIST_REASSIGNMENTS, 0, 'without time', TimeoutMs=0, Topics=None)
