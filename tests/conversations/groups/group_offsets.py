# SPDX-License-Identifier: Apache-2.0
"""OffsetCommit (8), OffsetFetch (9), ListGroups (16), DeleteGroups (42), OffsetDelete (47): the offsets of groups that
nobody joins."""
import time

from support.records import batch

from .. import conversation
from ..talk import DELETE_GROUPS, DELETE_TOPICS, DESCRIBE_GROUPS, FIND_COORDINATOR, LIST_GROUPS, NO_ID, OFFSET_COMMIT, \
    OFFSET_DELETE, OFFSET_FETCH, UNKNOWN_ID, versions


def group_name(talk, label='g'):
    return f'{talk.name}.{label}'


def coordinator(talk):
    """Waits until there is one for the group."""
    while talk.quietly(FIND_COORDINATOR, 3, Key=group_name(talk), KeyType=0)['ErrorCode']:
        time.sleep(0.1)
    while talk.quietly(OFFSET_FETCH, 7, GroupId=group_name(talk, 'none'), Topics=None)['ErrorCode']:
        time.sleep(0.1)


def named(talk, topic, *partitions):
    return {'Name': topic, 'TopicId': talk.ids.get(topic, NO_ID), 'Partitions': list(partitions)}


def commit(talk, version, note, topics, generation=-1, **more):
    values = {'GroupId': group_name(talk), 'GenerationIdOrMemberEpoch': generation, 'Topics': topics, **more}
    talk.ask(OFFSET_COMMIT, version, note, **values)


def at(partition, offset, **more):
    return {'PartitionIndex': partition, 'CommittedOffset': offset, **more}


def fetch(talk, version, note, topics, group='g', **more):
    """Of topics as (name, partitions), or of all with None."""
    named_topics = topics and [{'Name': n, 'TopicId': talk.ids.get(n, NO_ID), 'PartitionIndexes': p}
                               for n, p in topics]
    if topics == []:
        named_topics = []
    name = group_name(talk, group)
    talk.ask(OFFSET_FETCH, version, note, GroupId=name, Topics=named_topics,
             Groups=[{'GroupId': name, 'Topics': named_topics, **more}])


@conversation
def offsets_in_every_version(talk):
    coordinator(talk)
    topic = talk.topic(partitions=3)
    for version in versions(OFFSET_FETCH):
        fetch(talk, version, 'nothing there', [(topic, [0, 1])])
    for version in versions(OFFSET_COMMIT):
        parts = [at(0, version, CommittedMetadata=f'v{version}', CommittedLeaderEpoch=version), at(1, 100)]
        commit(talk, version, 'two partitions', [named(talk, topic, *parts)])
        fetch(talk, 7, 'what it committed', [(topic, [0, 1, 2])])
    for version in versions(OFFSET_FETCH):
        fetch(talk, version, 'some', [(topic, [2, 1, 0, 7])])
        fetch(talk, version, 'none', [])
        if version > 1:
            fetch(talk, version, 'all', None)
        if version > 6:
            talk.ask(OFFSET_FETCH, version, 'stable', GroupId=group_name(talk), Topics=None, RequireStable=True,
                     Groups=[{'GroupId': group_name(talk), 'Topics': None}])


@conversation
def offsets_of_what_is_not_there(talk):
    coordinator(talk)
    topic = talk.topic(partitions=2)
    missing = f'{talk.name}.missing'
    for version in versions(OFFSET_COMMIT):
        commit(talk, version, 'unknown topic', [named(talk, missing, at(0, 1))])
        commit(talk, version, 'unknown partition', [named(talk, topic, at(5, 1), at(1, 1), at(-1, 1))])
        commit(talk, version, 'some of each', [named(talk, topic, at(0, 1)), named(talk, missing, at(0, 1)),
                                               named(talk, topic, at(9, 1))])
        commit(talk, version, 'nothing', [])
        commit(talk, version, 'a generation', [named(talk, topic, at(0, 1))], 1, GroupId=group_name(talk, 'new'))
        commit(talk, version, 'a member', [named(talk, topic, at(0, 1))], MemberId='m')
        commit(talk, version, 'no name', [named(talk, topic, at(0, version))], GroupId='')
    commit(talk, 10, 'an unknown id', [{'TopicId': UNKNOWN_ID, 'Partitions': [at(0, 1)]}])
    for version in versions(OFFSET_FETCH):
        fetch(talk, version, 'unknown topic', [(missing, [0])])
        fetch(talk, version, 'no group', [(topic, [0])], 'nobody')
        if version > 1:
            fetch(talk, version, 'all of no group', None, 'nobody')
    talk.ask(OFFSET_FETCH, 10, 'an unknown id', Groups=[
        {'GroupId': group_name(talk), 'Topics': [{'TopicId': UNKNOWN_ID, 'PartitionIndexes': [0, 1]}]}])
    for version in versions(OFFSET_FETCH, 9):
        fetch(talk, version, 'as a member', [(topic, [0])], MemberId='m', MemberEpoch=3)


@conversation
def offsets_of_a_topic_that_is_made_again(talk):
    """B38: what was committed of the topic before is gone, and its id is unknown to all who still say it."""
    coordinator(talk)
    topic = talk.topic()
    old = talk.ids[topic]
    talk.append(topic, batch([b'x']))
    commit(talk, 10, 'of the first', [named(talk, topic, at(0, 1))])
    talk.quietly(DELETE_TOPICS, 5, TopicNames=[topic], TimeoutMs=30000)
    time.sleep(2)  # until every part of the broker has heard of it
    for version in (9, 10):
        fetch(talk, version, 'the topic is gone', [(topic, [0])])
    talk.topic()
    time.sleep(2)
    for version in (9, 10):
        fetch(talk, version, 'another has its name', [(topic, [0])])
    new, talk.ids[topic] = talk.ids[topic], old
    talk.names[old] = 'the id before'
    fetch(talk, 10, 'by the id before', [(topic, [0])])
    commit(talk, 10, 'by the id before', [named(talk, topic, at(0, 1))])
    talk.produce(topic, batch([b'x']), 13, 'by the id before')
    for version in (13, 18):
        talk.fetch(topic, 0, version, 'by the id before')
    talk.ids[topic] = new
    fetch(talk, 10, 'by its id', [(topic, [0])])
    commit(talk, 10, 'by its id', [named(talk, topic, at(0, 1))])
    fetch(talk, 10, 'by its id', [(topic, [0])])


@conversation
def offsets_of_several_groups(talk):
    coordinator(talk)
    topic = talk.topic()
    for label in 'ab':
        commit(talk, 9, f'of {label}', [named(talk, topic, at(0, ord(label)))], GroupId=group_name(talk, label))
    for version in versions(OFFSET_FETCH, 8):
        talk.ask(OFFSET_FETCH, version, 'three', Groups=[
            {'GroupId': group_name(talk, 'a'), 'Topics': None},
            {'GroupId': group_name(talk, 'c'), 'Topics': None},
            {'GroupId': group_name(talk, 'b'), 'Topics': [
                {'Name': topic, 'TopicId': talk.ids[topic], 'PartitionIndexes': [0]}]}])
        talk.ask(OFFSET_FETCH, version, 'none', Groups=[])


@conversation
def offsets_with_long_metadata(talk):
    coordinator(talk)
    topic = talk.topic(partitions=4)
    texts = ('x' * 4096, 'x' * 4097, 'é' * 4096, '😀' * 2049)
    commit(talk, 9, 'lengths', [named(talk, topic, *(at(i, 1, CommittedMetadata=t) for i, t in enumerate(texts)))])
    fetch(talk, 7, 'what is there', [(topic, [0, 1, 2, 3])])


@conversation
def offsets_are_deleted(talk):
    coordinator(talk)
    topic = talk.topic(partitions=3)

    def delete(note, topics, **more):
        values = {'GroupId': group_name(talk), 'Topics': [
            {'Name': n, 'Partitions': [{'PartitionIndex': p} for p in ps]} for n, ps in topics], **more}
        talk.ask(OFFSET_DELETE, 0, note, **values)

    delete('no group', [(topic, [0])])
    commit(talk, 9, '', [named(talk, topic, at(0, 1), at(1, 2))])
    delete('no name', [(topic, [0])], GroupId='')
    delete('some', [(topic, [0, 2, 7]), (f'{talk.name}.missing', [0])])
    delete('none', [])
    fetch(talk, 7, 'what is left', None)


@conversation
def groups_are_deleted(talk):
    coordinator(talk)
    topic = talk.topic()
    for version in versions(DELETE_GROUPS):
        commit(talk, 9, 'to be deleted', [named(talk, topic, at(0, 1))])
        answer = talk.quietly(DELETE_GROUPS, version, GroupsNames=[
            group_name(talk), group_name(talk, 'missing'), group_name(talk)])
        answer['Results'].sort(key=lambda r: r['GroupId'])
        talk.note(f'{DELETE_GROUPS} v{version} one and one that is not there', answer)
        fetch(talk, 7, 'of the deleted one', None)
    talk.ask(DELETE_GROUPS, 3, 'none', GroupsNames=[])


@conversation
def groups_are_described(talk):
    coordinator(talk)
    topic = talk.topic()
    commit(talk, 9, '', [named(talk, topic, at(0, 1))])
    for version in versions(DESCRIBE_GROUPS):
        for label in ('g', 'missing'):
            for rights in (False, True):
                talk.ask(DESCRIBE_GROUPS, version, f'{label} {rights}', Groups=[group_name(talk, label)],
                         IncludeAuthorizedOperations=rights)
        talk.ask(DESCRIBE_GROUPS, version, 'none', Groups=[])


@conversation
def groups_are_listed(talk):
    """Of the groups of this conversation: others hold theirs on the same server."""
    coordinator(talk)
    topic = talk.topic()
    commit(talk, 9, '', [named(talk, topic, at(0, 1))])

    def listed(version, note, **values):
        answer = talk.quietly(LIST_GROUPS, version, **values)
        answer['Groups'] = [g for g in answer['Groups'] if g['GroupId'].startswith(f'{talk.name}.')]
        talk.note(f'{LIST_GROUPS} v{version} {note}', answer)

    for version in versions(LIST_GROUPS):
        listed(version, 'all')
    for version in versions(LIST_GROUPS, 4):
        for states in (['Empty'], ['eMPTY', 'Stable'], [' Empty '], ['Stable'], ['nonsense'], ['']):
            listed(version, f'states {states}', StatesFilter=states)
    for types in (['classic'], ['CLASSIC', 'consumer'], ['consumer'], ['nonsense']):
        listed(5, f'types {types}', TypesFilter=types)
    listed(5, 'both', StatesFilter=['Empty'], TypesFilter=['Classic'])
