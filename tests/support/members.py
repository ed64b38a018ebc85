# SPDX-License-Identifier: Apache-2.0
"""Members of classic groups that do just what a test says: they join, are given the partitions that the test wants them
to have, and stay as they are until they are told to leave or their session ends."""
import struct
import threading

from . import messages, wire

OFFSET_COMMIT, FIND_COORDINATOR, JOIN_GROUP, LEAVE_GROUP, SYNC_GROUP = 8, 10, 11, 13, 14
COORDINATOR_NOT_AVAILABLE, LOADING, NOT_COORDINATOR, MEMBER_ID_REQUIRED = 15, 14, 16, 79


def text(value):
    return struct.pack('>h', len(value)) + value.encode()


def subscription(topics):
    return struct.pack('>hi', 0, len(topics)) + b''.join(map(text, topics)) + struct.pack('>i', -1)


def assignment(partitions):
    """Of {topic: [partition, …]}."""
    parts = b''.join(text(topic) + struct.pack(f'>i{len(numbers)}i', len(numbers), *numbers)
                     for topic, numbers in partitions.items())
    return struct.pack('>hi', 0, len(partitions)) + parts + struct.pack('>i', -1)


class Link:
    """A connection that asks, as a client of that name."""

    def __init__(self, port, client_id):
        self.connection, self.client_id, self.correlation = wire.Connection(port, timeout_s=60), client_id, 0

    def ask(self, key, version, **values):
        self.correlation += 1
        self.connection.send(wire.frame(messages.request(key, version, values, self.correlation, self.client_id)))
        return messages.answer(key, version, self.connection.receive_frame())[1]

    def close(self):
        self.connection.close()


class Group:
    """A group whose coordinator is at this port."""

    def __init__(self, port, name):
        self.port, self.name, self.links, self.ids, self.instances = port, name, [], [], []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for link in self.links:
            link.close()

    def join_one(self, client_id, topics, instance=None, session_ms=30000, kind='consumer', rebalance_ms=None):
        """Sends a JoinGroup and gives what waits for its answer, which comes when all members have joined."""
        link = Link(self.port, client_id)
        values = {'GroupId': self.name, 'SessionTimeoutMs': session_ms,
                  'RebalanceTimeoutMs': rebalance_ms or session_ms,
                  'MemberId': '', 'GroupInstanceId': instance, 'ProtocolType': kind,
                  'Protocols': [{'Name': 'range', 'Metadata': subscription(topics)}]}

        def first():
            answer = link.ask(JOIN_GROUP, 9, **values)
            while answer['ErrorCode'] in (COORDINATOR_NOT_AVAILABLE, LOADING, NOT_COORDINATOR):
                link.ask(FIND_COORDINATOR, 4, CoordinatorKeys=[self.name])
                answer = link.ask(JOIN_GROUP, 9, **values)
            return answer
        self.links.append(link)
        self.instances.append(instance)
        answer = {} if instance else first()
        assert instance or answer['ErrorCode'] == MEMBER_ID_REQUIRED, answer
        values['MemberId'] = answer.get('MemberId', '')
        done = []

        def join():
            try:
                done.append(first())
            except (OSError, wire.Closed):
                pass  # the test is over, or will say that there is no answer
        thread = threading.Thread(target=join, daemon=True)
        thread.start()

        def wait():
            thread.join(60)
            assert done and done[0]['ErrorCode'] == 0, done
            return done[0]
        return wait

    def form(self, members, **how):
        """Joins all of [(client id, {topic: [partition, …]}, instance), …] and gives them these partitions. All must
        come before the first rebalance is over: the server has to wait for them."""
        topics = sorted({topic for _, partitions, _ in members for topic in partitions})
        waits = [self.join_one(client, topics, instance, **how) for client, _, instance in members]
        answers = [wait() for wait in waits]
        self.ids = [answer['MemberId'] for answer in answers]
        given = [{'MemberId': one, 'Assignment': assignment(partitions)}
                 for one, (_, partitions, _) in zip(self.ids, members)]
        leader = self.ids.index(answers[0]['Leader'])
        for index in [leader, *(i for i in range(len(members)) if i != leader)]:
            synced = self.links[index].ask(
                SYNC_GROUP, 5, GroupId=self.name, GenerationId=answers[0]['GenerationId'], MemberId=self.ids[index],
                GroupInstanceId=self.instances[index], ProtocolType=how.get('kind', 'consumer'), ProtocolName='range',
                Assignments=given if index == leader else [])
            assert synced['ErrorCode'] == 0, synced
        self.generation = answers[0]['GenerationId']
        return self

    def commit(self, offsets, leader_epoch=-1):
        """Commits {(topic, partition): offset}: as the first member, or from outside while there is none."""
        link = self.links[0] if self.ids else Link(self.port, 'committer')
        values = {'GroupId': self.name, 'GenerationIdOrMemberEpoch': self.generation if self.ids else -1,
                  'MemberId': self.ids[0] if self.ids else '',
                  'GroupInstanceId': self.instances[0] if self.ids else None,
                  'Topics': [{'Name': topic, 'Partitions': [
                      {'PartitionIndex': partition, 'CommittedOffset': offset, 'CommittedLeaderEpoch': leader_epoch}]}
                             for (topic, partition), offset in offsets.items()]}
        for _ in range(600):
            answer = link.ask(OFFSET_COMMIT, 9, **values)
            codes = {part['ErrorCode'] for topic in answer['Topics'] for part in topic['Partitions']}
            if not codes & {COORDINATOR_NOT_AVAILABLE, LOADING, NOT_COORDINATOR}:
                break
            link.ask(FIND_COORDINATOR, 4, CoordinatorKeys=[self.name])
        assert codes == {0}, codes
        return self

    def leave(self):
        for link, member, instance in zip(self.links, self.ids, self.instances):
            link.ask(LEAVE_GROUP, 5, GroupId=self.name, Members=[{'MemberId': member, 'GroupInstanceId': instance}])
        self.ids = []
