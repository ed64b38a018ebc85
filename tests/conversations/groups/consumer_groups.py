# SPDX-License-Identifier: Apache-2.0
"""ConsumerGroupHeartbeat (68), ConsumerGroupDescribe (69): groups of the consumer protocol (KIP-848), and members of
the classic protocol in them."""
import struct
import time

from .. import conversation
from ..talk import CONSUMER_GROUP_DESCRIBE, CONSUMER_GROUP_HEARTBEAT, DELETE_GROUPS, DESCRIBE_GROUPS, HEARTBEAT, \
    JOIN_GROUP, LEAVE_GROUP, LIST_GROUPS, OFFSET_COMMIT, OFFSET_DELETE, OFFSET_FETCH, SYNC_GROUP, versions
from .group_offsets import coordinator, group_name

# Longer than the shortest time between two assignments.
INTERVAL_S = 1.1


def in_order(topics):
    topics.sort(key=lambda t: t['Partitions'])


def beat(talk, member, epoch, note='', version=1, **more):
    """Topics come in the order of their ids, which are random; those of one conversation differ in their partitions."""
    values = {'GroupId': group_name(talk), 'MemberId': member, 'MemberEpoch': epoch, **more}
    answer = talk.quietly(CONSUMER_GROUP_HEARTBEAT, version, **values)
    if answer['Assignment']:
        in_order(answer['Assignment']['TopicPartitions'])
    if member == '' and answer['MemberId']:
        talk.names[answer['MemberId']] = 'a made id'
        answer['MemberId'] = 'a made id'
    talk.note(f'{CONSUMER_GROUP_HEARTBEAT} v{version} {note or "beat"} of {member} at {epoch}', answer)
    return answer


def join(talk, member, *topics, note='join', **more):
    return beat(talk, member, 0, note, **{'RebalanceTimeoutMs': 60000, 'SubscribedTopicNames': list(topics),
                                          'TopicPartitions': [], **more})


def own(talk, member, epoch, *partitions, **more):
    """A heartbeat with what the member owns: topic and partitions."""
    owned = [{'TopicId': talk.ids[topic], 'Partitions': indexes} for topic, indexes in partitions]
    return beat(talk, member, epoch, f'owns {[indexes for _, indexes in partitions]}', TopicPartitions=owned, **more)


def describe(talk, version=1, note='describe', operations=False):
    answer = talk.quietly(CONSUMER_GROUP_DESCRIBE, version, GroupIds=[group_name(talk)],
                          IncludeAuthorizedOperations=operations)
    members = answer['Groups'][0]['Members']
    members.sort(key=lambda m: talk.tidy_text(m['MemberId']))
    for member in members:
        in_order(member['Assignment']['TopicPartitions'])
        in_order(member['TargetAssignment']['TopicPartitions'])
    talk.note(f'{CONSUMER_GROUP_DESCRIBE} v{version} {note}', answer)


def interval():
    time.sleep(INTERVAL_S)


def commit(talk, topic, member, epoch, partition=0, version=9, note='commit', **more):
    talk.ask(OFFSET_COMMIT, version, f'{note} of {member} at {epoch} in {partition}', GroupId=group_name(talk),
             GenerationIdOrMemberEpoch=epoch, MemberId=member, Topics=[{
                 'Name': topic, 'TopicId': talk.ids[topic],
                 'Partitions': [{'PartitionIndex': partition, 'CommittedOffset': 5}]}], **more)


@conversation
def consumer_group_heartbeat_is_refused(talk):
    coordinator(talk)
    topic = talk.topic()
    whole = {'RebalanceTimeoutMs': 1000, 'TopicPartitions': [], 'SubscribedTopicNames': [topic]}
    for version in versions(CONSUMER_GROUP_HEARTBEAT):
        def refused(member, epoch, note, version=version, **more):
            beat(talk, member, epoch, note, version, **more)
        refused('A', 0, 'no group', GroupId='')
        refused('', 0, 'no id')
        refused('A', 0, 'nothing')
        refused('A', 0, 'no partitions', RebalanceTimeoutMs=1000)
        refused('A', 0, 'no subscription', RebalanceTimeoutMs=1000, TopicPartitions=[])
        refused('A', 0, 'partitions', **{**whole, 'TopicPartitions': [
            {'TopicId': talk.ids[topic], 'Partitions': [0]}]})
        refused('A', 0, 'empty instance', **whole, InstanceId='')
        refused('A', 0, 'empty rack', **whole, RackId='')
        refused('A', 0, 'unknown assignor', **whole, ServerAssignor='best')
        refused('A', 0, 'empty assignor', **whole, ServerAssignor='')
        refused('A', 0, 'no timeout', **{**whole, 'RebalanceTimeoutMs': -1})
        refused('A', -1, 'no such group')
        refused('A', -2, 'no instance')
        refused('A', -2, 'no such group', InstanceId='i')
        refused('A', -3, 'no such epoch')
        refused('', 1, 'no id')
        refused('', -1, 'no id')
        refused('A', 1, 'no such group')
    beat(talk, 'A', 0, 'pattern', SubscribedTopicRegex='a[', RebalanceTimeoutMs=1000, TopicPartitions=[])
    for version in versions(CONSUMER_GROUP_DESCRIBE):
        describe(talk, version, 'nothing')


@conversation
def consumer_group_of_one_member(talk):
    coordinator(talk)
    topic, other = talk.topic('t', 3), talk.topic('u', 2)
    join(talk, 'A', note='to nothing')
    beat(talk, 'A', 1, 'other topics', SubscribedTopicNames=[topic, other])
    beat(talk, 'A', 1)
    beat(talk, 'A', 2)
    for version in versions(CONSUMER_GROUP_DESCRIBE):
        describe(talk, version)
    describe(talk, operations=True)
    interval()
    beat(talk, 'A', 2, 'the same twice', SubscribedTopicNames=[topic, other, topic])
    beat(talk, 'A', 2, 'one of them', SubscribedTopicNames=[other])
    describe(talk)
    own(talk, 'A', 2, (other, [0, 1]))
    describe(talk)
    own(talk, 'A', 2, (other, [0, 1]))
    own(talk, 'A', 2, (topic, [0, 1, 2]), (other, [0, 1]))
    own(talk, 'A', 2)
    join(talk, 'A', other, note='again')
    interval()
    beat(talk, 'A', 3, 'assignor', ServerAssignor='range')
    describe(talk)
    beat(talk, 'A', 4, 'timeout', RebalanceTimeoutMs=70000)
    everything = {'RebalanceTimeoutMs': 70000, 'SubscribedTopicNames': [other]}
    own(talk, 'A', 4, **everything)
    own(talk, 'A', 4, (other, [0, 1]), **everything)
    beat(talk, 'B', 4)
    beat(talk, 'B', -1)
    beat(talk, 'A', 4, 'instance', InstanceId='i')
    beat(talk, 'A', -1)
    describe(talk)
    beat(talk, 'A', 4)
    beat(talk, 'A', -1)


@conversation
def consumer_group_makes_ids_before_version_1(talk):
    coordinator(talk)
    topic = talk.topic()
    values = {'RebalanceTimeoutMs': 1000, 'TopicPartitions': [], 'SubscribedTopicNames': [topic]}
    made = beat(talk, '', 0, 'without an id', 0, **values)
    beat(talk, 'mine', 0, 'with an id', 0, **values)
    assert made['MemberId']


@conversation
def consumer_group_revokes_before_it_assigns(talk):
    coordinator(talk)
    topic = talk.topic('t', 6)
    join(talk, 'A', topic)
    join(talk, 'B', topic)
    describe(talk)
    interval()
    beat(talk, 'A', 2)
    describe(talk)
    beat(talk, 'B', 2)
    own(talk, 'A', 2, (topic, [0, 1, 2, 3, 4, 5]))
    join(talk, 'C', topic)
    interval()
    beat(talk, 'C', 3)
    describe(talk)
    own(talk, 'A', 2, (topic, [0, 1, 2]))
    own(talk, 'A', 2, (topic, [0, 1]))
    own(talk, 'A', 4, (topic, [0, 1]))
    beat(talk, 'B', 3)
    beat(talk, 'C', 4)
    describe(talk)
    beat(talk, 'B', -1)
    beat(talk, 'A', -1)
    beat(talk, 'C', 4)
    interval()
    beat(talk, 'C', 4)
    describe(talk)


@conversation
def consumer_group_heartbeats_come_twice(talk):
    """B34: whole heartbeats whose answers were lost, whatever the member's state; then a fenced one, and two leave."""
    coordinator(talk)
    topic = talk.topic('t', 6)
    epochs = {}

    def twice(member, *owned):
        """The second time with the epoch before, if there is another since."""
        whole = {'RebalanceTimeoutMs': 60000, 'SubscribedTopicNames': [topic]}
        partitions = [(topic, list(owned))] if owned else []
        for _ in range(2):
            answer = own(talk, member, epochs[member], *partitions, **whole)
        epochs[member] = answer['MemberEpoch']

    def join_twice(member):
        for _ in range(2):
            epochs[member] = join(talk, member, topic)['MemberEpoch']

    join_twice('A')
    twice('A', 0, 1, 2, 3, 4, 5)
    join_twice('B')
    interval()
    twice('B')
    twice('A', 0, 1, 2, 3, 4, 5)
    describe(talk, note='one is to give up, the other waits')
    twice('B')
    before = epochs['A']
    twice('A', 0, 1, 2)
    own(talk, 'A', before, (topic, [0, 1, 2]))
    own(talk, 'A', before, (topic, [0, 1]))
    beat(talk, 'A', before)
    own(talk, 'A', before, (topic, [0, 1, 2, 3]))
    own(talk, 'A', before - 1, (topic, [0, 1, 2]))
    twice('B')
    twice('B', 3, 4, 5)
    describe(talk, note='both have theirs')
    join_twice('A')
    beat(talk, 'A', epochs['A'] + 1)
    join_twice('A')
    twice('A', 0, 1, 2)
    for _ in range(2):
        beat(talk, 'A', -1)
        beat(talk, 'B', -2)
    beat(talk, 'B', -1)
    describe(talk, note='all have left')


@conversation
def consumer_group_gives_up_what_is_not_subscribed(talk):
    coordinator(talk)
    topic, other = talk.topic('t', 2), talk.topic('u', 3)
    join(talk, 'A', topic, other)
    beat(talk, 'A', 2, 'one of them', SubscribedTopicNames=[topic])
    describe(talk)
    own(talk, 'A', 2, (topic, [0, 1]))
    describe(talk)
    interval()
    beat(talk, 'A', 2)
    describe(talk)


@conversation
def consumer_group_static_member(talk):
    coordinator(talk)
    topic, other = talk.topic('t', 4), talk.topic('u', 2)
    i = {'InstanceId': 'i'}
    join(talk, 'A', topic, **i)
    join(talk, 'B', topic, note='while it is there', **i)
    beat(talk, 'A', 2, **i)
    beat(talk, 'A', 2, 'without instance')
    beat(talk, 'B', 2, **i)
    beat(talk, 'A', 2, InstanceId='j')
    beat(talk, 'A', -1, InstanceId='j')
    beat(talk, 'B', -1, **i)
    beat(talk, 'B', -2, **i)
    beat(talk, 'A', -2, **i)
    describe(talk)
    beat(talk, 'A', 2, **i)
    beat(talk, 'A', -2, **i)
    join(talk, 'A', topic, note='comes back as itself', **i)
    describe(talk)
    beat(talk, 'A', 2, **i)
    beat(talk, 'A', -2, **i)
    join(talk, 'B', topic, note='comes back', **i)
    describe(talk)
    beat(talk, 'A', 2, **i)
    beat(talk, 'B', 2, **i)
    beat(talk, 'B', -2, **i)
    interval()
    join(talk, 'C', other, note='comes back for another topic', **i)
    describe(talk)
    beat(talk, 'C', 3, **i)
    beat(talk, 'C', -1, **i)
    describe(talk)


@conversation
def consumer_group_pattern(talk):
    coordinator(talk)
    talk.topic('ab1', 2)
    talk.topic('ab2', 1)
    talk.topic('zz', 3)
    begin = talk.name.replace('.', '\\.')
    values = {'RebalanceTimeoutMs': 60000, 'TopicPartitions': []}
    beat(talk, 'A', 0, 'join', SubscribedTopicRegex='', **values)
    beat(talk, 'A', 0, 'join', SubscribedTopicRegex=f'{begin}\\.ab.*', **values)
    time.sleep(1)
    beat(talk, 'A', 1)
    describe(talk)
    beat(talk, 'A', 2)
    interval()
    beat(talk, 'A', 2, 'no pattern', SubscribedTopicRegex='')
    own(talk, 'A', 2)
    beat(talk, 'A', 3)
    describe(talk)


@conversation
def consumer_group_offsets(talk):
    coordinator(talk)
    topic = talk.topic('t', 4)
    join(talk, 'A', topic)
    for version in versions(OFFSET_COMMIT):
        for member, epoch in (('A', 2), ('A', 1), ('A', 3), ('A', -1), ('', -1), ('B', 2), ('B', -1)):
            commit(talk, topic, member, epoch, version=version)
    for version in versions(OFFSET_FETCH, 8):
        for member, epoch in (('A', 2), ('A', 1), ('A', 3), ('A', -1), (None, -1), ('', -1), ('B', 2)):
            talk.ask(OFFSET_FETCH, version, f'of {member} at {epoch}', Groups=[{
                'GroupId': group_name(talk), 'MemberId': member, 'MemberEpoch': epoch,
                'Topics': [{'Name': topic, 'TopicId': talk.ids[topic], 'PartitionIndexes': [0]}]}])
    interval()
    join(talk, 'B', topic)
    beat(talk, 'A', 2)
    commit(talk, topic, 'A', 2, 2)
    own(talk, 'A', 2, (topic, [0, 1]))
    for member, epoch, partition in (('A', 2, 0), ('A', 2, 2), ('A', 3, 2), ('A', 3, 0), ('B', 3, 3)):
        commit(talk, topic, member, epoch, partition)
    beat(talk, 'B', 3)
    for member, epoch, partition in (('B', 3, 3), ('B', 2, 3), ('B', 2, 0), ('B', 3, 0)):
        commit(talk, topic, member, epoch, partition)
    name = group_name(talk)
    for version in versions(DESCRIBE_GROUPS):
        talk.ask(DESCRIBE_GROUPS, version, Groups=[name])
    talk.ask(DELETE_GROUPS, 2, 'with members', GroupsNames=[name])
    for asked in (topic, f'{topic}-other'):
        talk.ask(OFFSET_DELETE, 0, GroupId=name, Topics=[{'Name': asked, 'Partitions': [{'PartitionIndex': 0}]}])
    talk.ask(HEARTBEAT, 4, 'classic', GroupId=name, GenerationId=3, MemberId='A')
    talk.ask(SYNC_GROUP, 5, 'classic', GroupId=name, GenerationId=3, MemberId='A', ProtocolType='consumer',
             ProtocolName='range', Assignments=[])
    talk.ask(LEAVE_GROUP, 5, 'classic', GroupId=name, Members=[{'MemberId': 'A'}, {'MemberId': 'nobody'}])
    beat(talk, 'A', -1)
    beat(talk, 'B', -1)
    commit(talk, topic, '', -1)
    commit(talk, topic, 'A', 2)
    commit(talk, topic, 'A', -1)
    talk.ask(OFFSET_DELETE, 0, GroupId=name, Topics=[{'Name': topic, 'Partitions': [{'PartitionIndex': 0}]}])
    note_listed(talk, 'empty')
    talk.ask(DELETE_GROUPS, 2, GroupsNames=[name])
    describe(talk)
    talk.ask(DELETE_GROUPS, 2, GroupsNames=[name])


def note_listed(talk, note):
    """This conversation's group in the list of all."""
    for types in ([], ['consumer'], ['Classic']):
        answer = talk.quietly(LIST_GROUPS, 5, TypesFilter=types, StatesFilter=[])
        answer['Groups'] = [g for g in answer['Groups'] if g['GroupId'] == group_name(talk)]
        talk.note(f'{LIST_GROUPS} v5 {note} {types}', answer)


# Members of the classic protocol.

def subscription(*topics, owned=()):
    """What a consumer says of itself, version 3, with the partitions of each topic that it owns."""
    def text(name):
        return struct.pack('>h', len(name)) + name.encode()
    names = b''.join(text(t) for t in topics)
    has = b''.join(text(t) + struct.pack(f'>i{len(p)}i', len(p), *p) for t, p in owned)
    return (struct.pack('>hi', 3, len(topics)) + names + struct.pack('>i', -1) + struct.pack('>i', len(owned)) + has
            + struct.pack('>ih', -1, -1))


def assignment(topic, partitions):
    return (struct.pack('>hih', 0, 1, len(topic)) + topic.encode()
            + struct.pack(f'>i{len(partitions)}ii', len(partitions), *partitions, -1))


class Classic:
    """A member that joins by JoinGroup; ids are random in form and length."""

    def __init__(self, talk, topic, label):
        self.talk, self.topic, self.label = talk, topic, label
        self.id, self.generation = '', -1

    def known(self, answer):
        if answer.get('MemberId'):
            self.id = answer['MemberId']
            self.talk.member_names[self.id] = self.label
        for field in ('MemberId', 'Leader'):
            if answer.get(field):
                answer[field] = self.talk.member_names.get(answer[field], answer[field])
        return answer

    def join(self, note='join', owned=(), **more):
        protocols = [{'Name': 'range', 'Metadata': subscription(self.topic, owned=owned)}]
        answer = self.talk.quietly(JOIN_GROUP, 9, **{
            'GroupId': group_name(self.talk), 'SessionTimeoutMs': 30000, 'RebalanceTimeoutMs': 10000,
            'MemberId': self.id, 'ProtocolType': 'consumer', 'Protocols': protocols, **more})
        self.generation = answer['GenerationId']
        answer['Members'] = len(answer['Members'])
        self.talk.note(f'{JOIN_GROUP} v9 {note} of {self.label}', self.known(answer))

    def sync(self, note='sync', assignments=(), **more):
        answer = self.talk.quietly(SYNC_GROUP, 5, **{
            'GroupId': group_name(self.talk), 'GenerationId': self.generation, 'MemberId': self.id,
            'ProtocolType': 'consumer', 'ProtocolName': 'range',
            'Assignments': [{'MemberId': self.id, 'Assignment': a} for a in assignments], **more})
        self.talk.note(f'{SYNC_GROUP} v5 {note} of {self.label}', answer)

    def beat(self, note='heartbeat', **more):
        answer = self.talk.quietly(HEARTBEAT, 4, **{
            'GroupId': group_name(self.talk), 'GenerationId': self.generation, 'MemberId': self.id, **more})
        self.talk.note(f'{HEARTBEAT} v4 {note} of {self.label}', answer)


def classic_group(talk):
    """A stable classic group of one member."""
    coordinator(talk)
    talk.member_names = {}
    topic = talk.topic('t', 4)
    member = Classic(talk, topic, 'classic')
    member.join('without an id')
    member.join()
    member.sync(assignments=[assignment(topic, [0, 1, 2, 3])])
    return topic, member


def described(talk, note):
    answer = talk.quietly(CONSUMER_GROUP_DESCRIBE, 1, GroupIds=[group_name(talk)])
    for member in answer['Groups'][0]['Members']:
        member['MemberId'] = talk.member_names.get(member['MemberId'], member['MemberId'])
    answer['Groups'][0]['Members'].sort(key=lambda m: m['MemberId'])
    talk.note(f'{CONSUMER_GROUP_DESCRIBE} v1 {note}', answer)


@conversation
def consumer_group_takes_a_classic_one_over(talk):
    topic, member = classic_group(talk)
    join(talk, 'B', topic)
    described(talk, 'taken over')
    note_listed(talk, 'taken over')
    member.beat()
    beat(talk, 'B', 2)
    member.join('owns all', owned=[(topic, [0, 1, 2, 3])])
    described(talk, 'told to give up')
    member.sync()
    member.beat()
    member.join('owns half', owned=[(topic, [0, 1])])
    described(talk, 'has given up')
    member.sync()
    member.beat()
    beat(talk, 'B', 2)
    described(talk, 'has all')
    member.sync('next generation', GenerationId=5)
    member.sync('other protocol', ProtocolName='other')
    member.sync('other type', ProtocolType='other')
    member.sync('nobody', MemberId='nobody')
    member.beat('next generation', GenerationId=5)
    member.beat('nobody', MemberId='nobody')
    member.join('no common protocol', Protocols=[{'Name': 'other', 'Metadata': subscription(topic)}])
    member.join('other type', ProtocolType='other')


@conversation
def consumer_group_goes_back_to_classic(talk):
    topic, member = classic_group(talk)
    join(talk, 'B', topic)
    member.join('owns half', owned=[(topic, [0, 1])])
    member.sync()
    beat(talk, 'B', 2)
    beat(talk, 'B', -1)
    note_listed(talk, 'gone back')
    described(talk, 'gone back')
    member.beat()
    beat(talk, 'C', 2)
    member.join(owned=[(topic, [0, 1])])
    member.sync(assignments=[assignment(topic, [0, 1, 2, 3])])
    member.beat()
