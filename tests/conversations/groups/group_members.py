# SPDX-License-Identifier: Apache-2.0
"""JoinGroup (11), Heartbeat (12), LeaveGroup (13), SyncGroup (14), DescribeGroups (15): classic groups and who is in
them."""
import struct

from support import messages, wire

from .. import conversation
from ..talk import DESCRIBE_GROUPS, HEARTBEAT, JOIN_GROUP, LEAVE_GROUP, OFFSET_COMMIT, OFFSET_DELETE, OFFSET_FETCH, \
    SYNC_GROUP, Talk, versions
from .group_offsets import coordinator, group_name

CONSUMER = 'consumer'


def subscription(*topics):
    """What a consumer says of itself, version 0."""
    names = b''.join(struct.pack('>h', len(t)) + t.encode() for t in topics)
    return struct.pack('>hi', 0, len(topics)) + names + struct.pack('>i', -1)


def join(talk, version=9, note='', member='', protocols=(('range', b'm'),), **more):
    values = {'GroupId': group_name(talk), 'SessionTimeoutMs': 30000, 'RebalanceTimeoutMs': 10000, 'MemberId': member,
              'ProtocolType': CONSUMER, 'Protocols': [{'Name': n, 'Metadata': m} for n, m in protocols], **more}
    answer = talk.quietly(JOIN_GROUP, version, **values)
    note_members(talk, f'{JOIN_GROUP} v{version} {note or "join"}', answer, answer)
    return answer


def note_members(talk, what, answer, group):
    """Notes an answer with the members of a group in it in the order of their names: they come in no promised one."""
    group['Members'].sort(key=lambda m: talk.tidy_text(m['MemberId']))
    talk.note(what, answer)


def sync(talk, member, generation, assignments=(), version=5, note='', **more):
    values = {'GroupId': group_name(talk), 'GenerationId': generation, 'MemberId': member, 'ProtocolType': CONSUMER,
              'ProtocolName': 'range', 'Assignments': [{'MemberId': m, 'Assignment': a} for m, a in assignments],
              **more}
    return talk.ask(SYNC_GROUP, version, note or 'sync', **values)


def heartbeat(talk, member, generation, version=4, note='', **more):
    talk.ask(HEARTBEAT, version, note or 'heartbeat', GroupId=group_name(talk), GenerationId=generation,
             MemberId=member, **more)


def leave(talk, *members, version=5, note=''):
    talk.ask(LEAVE_GROUP, version, note or 'leave', GroupId=group_name(talk), MemberId=members[0][0], Members=[
        {'MemberId': m, 'GroupInstanceId': i} for m, i in members])


def describe(talk, version=6, note=''):
    answer = talk.quietly(DESCRIBE_GROUPS, version, Groups=[group_name(talk)])
    note_members(talk, f'{DESCRIBE_GROUPS} v{version} {note or "describe"}', answer, answer['Groups'][0])


def alone(talk, protocols=(('range', b'm'),), **more):
    """Joins as the only member; its id."""
    member = join(talk, note='without an id', protocols=protocols, **more)['MemberId']
    if more.get('GroupInstanceId') is None:
        join(talk, note='with its id', member=member, protocols=protocols, **more)
    return member


@conversation
def group_join_is_refused(talk):
    """B31."""
    coordinator(talk)
    for version in versions(JOIN_GROUP):
        join(talk, version, 'no group', GroupId='')
        join(talk, version, 'short session', SessionTimeoutMs=5999)
        join(talk, version, 'long session', SessionTimeoutMs=1800001)
        join(talk, version, 'session of a millisecond', SessionTimeoutMs=1)
        join(talk, version, 'member of no group', 'nobody')
        if version:
            join(talk, version, 'no type', ProtocolType='', GroupId=group_name(talk, f'type{version}'))
            join(talk, version, 'no protocols', protocols=(), GroupId=group_name(talk, f'protocols{version}'))
    talk.ask(DESCRIBE_GROUPS, 6, 'of a refused join', Groups=[group_name(talk, 'type9')])


@conversation
def group_of_one_member(talk):
    coordinator(talk)
    topic = talk.topic()
    protocols = (('range', subscription(topic)), ('roundrobin', subscription(topic)))
    describe(talk, note='before')
    member = join(talk, note='without an id', protocols=protocols)['MemberId']
    describe(talk, note='id given')
    heartbeat(talk, member, 0, note='id given')
    join(talk, note='with its id', member=member, protocols=protocols)
    describe(talk, note='joined')
    for version in versions(HEARTBEAT):
        heartbeat(talk, member, 1, version, 'joined')
    for version in versions(SYNC_GROUP):
        sync(talk, member, 0, version=version, note='old generation')
        sync(talk, 'nobody', 1, version=version, note='nobody')
    sync(talk, member, 1, ProtocolName='other', note='other protocol')
    sync(talk, member, 1, ProtocolName=None, note='no protocol')
    sync(talk, member, 1, GroupInstanceId='i', note='an instance that is not there')
    commit(talk, topic, member, 1, 'not yet stable')
    for version in versions(SYNC_GROUP):
        sync(talk, member, 1, [(member, b'assigned')], version)
    for version in versions(DESCRIBE_GROUPS):
        describe(talk, version, 'stable')
    for version in versions(HEARTBEAT):
        heartbeat(talk, member, 1, version, 'stable')
        heartbeat(talk, member, 2, version, 'next generation')
        heartbeat(talk, 'nobody', 1, version, 'nobody')
    for version in versions(OFFSET_COMMIT):
        commit(talk, topic, member, 1, 'member', version)
        commit(talk, topic, member, 0, 'old generation', version)
        commit(talk, topic, '', -1, 'from outside', version)
        commit(talk, topic, 'nobody', 1, 'nobody', version)
    talk.ask(OFFSET_FETCH, 9, 'all', Groups=[{'GroupId': group_name(talk), 'Topics': None}])
    talk.ask(OFFSET_DELETE, 0, 'subscribed', GroupId=group_name(talk), Topics=[
        {'Name': topic, 'Partitions': [{'PartitionIndex': 0}]}])
    join(talk, note='the leader again', member=member, protocols=protocols)
    sync(talk, member, 2, [(member, b'again')])
    join(talk, note='other protocols', member=member, protocols=protocols[:1])
    join(talk, note='protocols that it does not share', protocols=(('sticky', b''),))
    join(talk, note='another type', ProtocolType='connect')
    leave(talk, ('nobody', None), (member, None), ('', 'instance'), ('', None))
    describe(talk, note='left')
    heartbeat(talk, member, 3, note='left')
    sync(talk, member, 3, note='left')
    talk.ask(OFFSET_DELETE, 0, 'empty', GroupId=group_name(talk), Topics=[
        {'Name': topic, 'Partitions': [{'PartitionIndex': 0}]}])


def commit(talk, topic, member, generation, note, version=9, **more):
    parts = [{'PartitionIndex': 0, 'CommittedOffset': 5}]
    values = {'GroupId': group_name(talk), 'GenerationIdOrMemberEpoch': generation, 'MemberId': member,
              'Topics': [{'Name': topic, 'TopicId': talk.ids[topic], 'Partitions': parts}], **more}
    talk.ask(OFFSET_COMMIT, version, note, **values)


@conversation
def group_commits_from_outside(talk):
    """B35: of nobody, of an instance and of a generation, while the group is unknown, empty and in use."""
    coordinator(talk)
    topic = talk.topic()

    def from_outside(state, version):
        commit(talk, topic, '', -1, f'nobody, {state}', version)
        commit(talk, topic, 'm', -1, f'a member, {state}', version)
        commit(talk, topic, '', 3, f'a generation, {state}', version)
        commit(talk, topic, 'm', 3, f'a member of a generation, {state}', version)
        if version >= 7:
            commit(talk, topic, '', -1, f'an instance, {state}', version, GroupInstanceId='i')
            commit(talk, topic, 'm', -1, f'a member of an instance, {state}', version, GroupInstanceId='i')

    for version in versions(OFFSET_COMMIT):
        commit(talk, topic, 'm', 3, 'unknown', version, GroupId=group_name(talk, f'unknown{version}'))
        from_outside('made by a commit', version)
    for instance in (None, 'i'):
        member = alone(talk, GroupInstanceId=instance, SessionTimeoutMs=120000, RebalanceTimeoutMs=120000)
        for version in versions(OFFSET_COMMIT):
            from_outside('completing', version)
        generation = 1 if instance is None else 3
        sync(talk, member, generation, [(member, b'a')], GroupInstanceId=instance)
        for version in versions(OFFSET_COMMIT):
            from_outside('stable', version)
        leave(talk, (member, instance))
        for version in versions(OFFSET_COMMIT):
            from_outside('empty', version)


@conversation
def group_of_old_clients(talk):
    """They join without being told an id first, and leave one at a time."""
    coordinator(talk)
    member = join(talk, 0)['MemberId']
    sync(talk, member, 1, [(member, b'a')], 0)
    for version in range(1, 4):
        join(talk, version, 'again', member)
        sync(talk, member, version + 1, [(member, b'a')], version)
    for version in range(3):
        leave(talk, ('nobody', None), version=version, note='nobody')
    leave(talk, (member, None), version=0)
    describe(talk)
    for version in versions(LEAVE_GROUP):
        talk.ask(LEAVE_GROUP, version, 'no group', GroupId='', MemberId='m', Members=[{'MemberId': 'm'}])
        talk.ask(LEAVE_GROUP, version, 'unknown group', GroupId=group_name(talk, 'unknown'), MemberId='m',
                 Members=[{'MemberId': 'm'}])


@conversation
def group_with_a_static_member(talk):
    coordinator(talk)
    first = alone(talk, GroupInstanceId='i')
    sync(talk, first, 1, [(first, b'kept')], GroupInstanceId='i')
    second = join(talk, note='comes back', GroupInstanceId='i')['MemberId']
    heartbeat(talk, first, 1, note='the one before', GroupInstanceId='i')
    heartbeat(talk, first, 1, note='the one before, without its instance')
    sync(talk, first, 1, note='the one before', GroupInstanceId='i')
    join(talk, note='the one before', member=first, GroupInstanceId='i')
    leave(talk, (first, 'i'), note='the one before')
    sync(talk, second, 1, note='the one that came back', GroupInstanceId='i')
    third = join(talk, 8, 'comes back without KIP-814', GroupInstanceId='i')['MemberId']
    sync(talk, third, 1, note='the one that came back', GroupInstanceId='i')
    describe(talk)
    join(talk, note='comes back with another protocol', protocols=(('sticky', b'm'),), GroupInstanceId='i')
    join(talk, note='comes back with both', protocols=(('sticky', b'm'), ('range', b'm')), GroupInstanceId='i')
    leave(talk, ('', 'other'), note='an instance that is not there')
    leave(talk, ('', 'i'), note='the instance')
    describe(talk)


@conversation
def group_of_two_members(talk):
    """The second one makes a rebalance; the first hears of it with its heartbeat."""
    coordinator(talk)
    first = alone(talk)
    sync(talk, first, 1, [(first, b'all')])
    with Talk(talk.port, talk.name) as other:
        other.names, other.uuids, other.transcript = talk.names, talk.uuids, talk.transcript
        second = join(other, note='the second, without an id')['MemberId']
        heartbeat(talk, first, 1, note='the second has an id')
        send_join(other, second)
        heartbeat_until(talk, first, 1, 27)
        describe(talk, note='preparing')
        commit_as = {'GroupId': group_name(talk), 'GenerationId': 1, 'MemberId': first}
        talk.ask(SYNC_GROUP, 5, 'preparing', ProtocolType=CONSUMER, ProtocolName='range', Assignments=[], **commit_as)
        join(talk, note='the first joins again', member=first)
        receive(other, JOIN_GROUP, 9, 'the second joined')
        describe(talk, note='completing')
        heartbeat(talk, first, 2, note='completing')
        sync(talk, first, 2, [(first, b'one'), (second, b'two')])
        sync(other, second, 2, note='the second')
        describe(talk, note='stable')
        leave(other, (second, None), note='the second leaves')
        heartbeat(talk, first, 2, note='alone again')


def send_join(talk, member):
    values = {'GroupId': group_name(talk), 'SessionTimeoutMs': 30000, 'RebalanceTimeoutMs': 10000, 'MemberId': member,
              'ProtocolType': CONSUMER, 'Protocols': [{'Name': 'range', 'Metadata': b'm'}]}
    talk.connect().send(wire.frame(messages.request(JOIN_GROUP, 9, values, talk.next())))


def receive(talk, key, version, note):
    correlation, body = messages.answer(key, version, talk.connect().receive_frame())
    assert correlation == talk.correlation
    talk.note(f'{key} v{version} {note}', body)


def heartbeat_until(talk, member, generation, code):
    """The other's request may still be on its way."""
    while talk.quietly(HEARTBEAT, 4, GroupId=group_name(talk), GenerationId=generation,
                       MemberId=member)['ErrorCode'] != code:
        pass
    heartbeat(talk, member, generation, note='a rebalance')
