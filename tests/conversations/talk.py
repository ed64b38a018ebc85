# SPDX-License-Identifier: Apache-2.0
"""Holds a conversation with a server and keeps its transcript."""
import json
import re
import struct
import time
import uuid

from support import messages, odd_batches, wire
from support.wire import API_VERSIONS, CREATE_TOPICS, FETCH, LIST_OFFSETS, METADATA, PRODUCE  # noqa: F401

CREATE_PARTITIONS, DELETE_TOPICS, DESCRIBE_CLUSTER, DESCRIBE_QUORUM, DESCRIBE_TOPIC_PARTITIONS = 37, 20, 60, 55, 75
ELECT_LEADERS, LIST_REASSIGNMENTS, UNREGISTER_BROKER, UPDATE_FEATURES = 43, 46, 64, 57
DELETE_RECORDS, ALTER_REPLICA_LOG_DIRS, DESCRIBE_LOG_DIRS, OFFSET_FOR_LEADER_EPOCH = 21, 34, 35, 23
ALTER_REASSIGNMENTS, INCREMENTAL_ALTER_CONFIGS = 45, 44
OFFSET_COMMIT, OFFSET_FETCH, FIND_COORDINATOR, JOIN_GROUP, HEARTBEAT, LEAVE_GROUP, SYNC_GROUP = range(8, 15)
DESCRIBE_GROUPS, LIST_GROUPS, DELETE_GROUPS, OFFSET_DELETE = 15, 16, 42, 47
CONSUMER_GROUP_HEARTBEAT, CONSUMER_GROUP_DESCRIBE = 68, 69
GROUP_BYTES = ('Metadata', 'MemberMetadata', 'MemberAssignment', 'Assignment')  # what members say, and are told
NO_ID = uuid.UUID(int=0)
UNKNOWN_ID = uuid.UUID('12345678-9abc-def0-1234-56789abcdef0')
# Error codes and times of a moment ago, and of limits an hour away from it, are the same moment to two servers.
NOW_RANGE_MS = 2 * 3600 * 1000
VERSIONS = {API_VERSIONS: (0, 5), METADATA: (0, 13), CREATE_TOPICS: (2, 7), PRODUCE: (3, 13), FETCH: (4, 18),
            LIST_OFFSETS: (1, 11), CREATE_PARTITIONS: (0, 3), DELETE_TOPICS: (1, 6), DESCRIBE_CLUSTER: (0, 2),
            DESCRIBE_QUORUM: (0, 2), DESCRIBE_TOPIC_PARTITIONS: (0, 0), ELECT_LEADERS: (0, 2),
            DELETE_RECORDS: (0, 2), ALTER_REPLICA_LOG_DIRS: (1, 2), DESCRIBE_LOG_DIRS: (1, 5),
            OFFSET_FOR_LEADER_EPOCH: (2, 4),
            OFFSET_COMMIT: (2, 10), OFFSET_FETCH: (1, 10), JOIN_GROUP: (0, 9), HEARTBEAT: (0, 4), LEAVE_GROUP: (0, 5),
            SYNC_GROUP: (0, 5), DESCRIBE_GROUPS: (0, 6), LIST_GROUPS: (0, 5), DELETE_GROUPS: (0, 3),
            OFFSET_DELETE: (0, 0), CONSUMER_GROUP_HEARTBEAT: (0, 1), CONSUMER_GROUP_DESCRIBE: (0, 1),
            LIST_REASSIGNMENTS: (0, 0), UNREGISTER_BROKER: (0, 0), UPDATE_FEATURES: (0, 2)}
SILENCE_S = 1.0
UUID_TEXT = re.compile(r'[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}')


def versions(key, first=0):
    low, high = VERSIONS[key]
    return range(max(low, first), high + 1)


class Talk:
    def __init__(self, port, name, timeout_s=30, host='127.0.0.1'):
        self.port, self.name, self.timeout_s, self.host = port, name, timeout_s, host
        self.transcript = []
        self.names = {}  # what is random, by the word that stands for it
        self.ids = {}
        self.uuids = {}  # of members of groups, by their order
        self.connection = None
        self.correlation = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.hang_up()

    def connect(self):
        if self.connection is None:
            self.connection = wire.Connection(self.port, self.host, self.timeout_s)
        return self.connection

    def hang_up(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def topic(self, label='t', partitions=1, **configs):
        """Makes a topic of this conversation; the part of its name that makes it unique is not written down."""
        name = f'{self.name}.{label}'
        self.connect().make_topic(name, partitions, {k.replace('_', '.'): str(v) for k, v in configs.items()}, 60)
        answer = self.quietly(METADATA, 12, Topics=[{'Name': name}], AllowAutoTopicCreation=False)
        self.ids[name] = answer['Topics'][0]['TopicId']
        self.names[self.ids[name]] = f'id of {label}'
        return name

    def metadata(self, version, note, topics, **more):
        """Notes an answer of Metadata with its topics sorted: they come in no promised order."""
        answer = self.quietly(METADATA, version, Topics=topics, **{'AllowAutoTopicCreation': False, **more})
        answer['Topics'].sort(key=lambda t: (str(self.tidy(t['Name'])), t.get('TopicId', NO_ID)))
        self.note(f'v{version} {note}', answer)

    def ask(self, key, version, note='', **values):
        """Sends a request and notes what comes of it; gives the body of the answer, or None."""
        return self.say(messages.request(key, version, values, self.next()), key, version, note)

    def say(self, payload, key, version, note=''):
        """The same with a payload made by hand (its correlation id is the last that next() gave)."""
        outcome, body = self.exchange(payload, key, version)
        self.transcript.append([f'{key} v{version} {note}'.strip(), self.tidy(body) if body else outcome])
        return body

    def quietly(self, key, version, **values):
        outcome, body = self.exchange(messages.request(key, version, values, self.next()), key, version)
        assert body, f'{key} v{version}: {outcome}'
        return body

    def next(self):
        self.correlation += 1
        return self.correlation

    def exchange(self, payload, key, version):
        try:
            self.connect().send(wire.frame(payload))
            correlation, body = messages.answer(key, version, self.connection.receive_frame())
        except wire.Closed:
            self.hang_up()
            return 'closed', None
        assert correlation == self.correlation
        return 'answered', body

    def send_only(self, key, version, note='', **values):
        """For what has no answer: notes whether the connection lives on (an ApiVersions is the next answer) or not."""
        self.connect().send(wire.frame(messages.request(key, version, values, self.next())))
        outcome, body = self.exchange(messages.request(API_VERSIONS, 0, {}, self.next()), API_VERSIONS, 0)
        self.transcript.append([f'{key} v{version} {note}'.strip(), 'no answer, goes on' if body else outcome])

    def note(self, what, value):
        self.transcript.append([what, self.tidy(value)])

    # Shorthands. Each takes what is unusual as fields of the partition or of the request.

    def produce(self, topic, records, version=8, note='', acks=-1, partition=0, **more):
        parts = [{'Index': partition, 'Records': records}]
        data = [{'Name': topic, 'TopicId': self.ids.get(topic, NO_ID), 'PartitionData': parts}]
        return self.ask(PRODUCE, version, note, Acks=acks, TimeoutMs=10000, TopicData=data, **more)

    def append(self, topic, *batches, partition=0):
        """Produces what is meant to be there; not noted."""
        for records in batches:
            answer = self.quietly(PRODUCE, 8, Acks=-1, TimeoutMs=30000, TopicData=[
                {'Name': topic, 'PartitionData': [{'Index': partition, 'Records': records}]}])
            assert answer['Responses'][0]['PartitionResponses'][0]['ErrorCode'] == 0, answer

    def fetch_part(self, topic, offset, partition=0, bytes_max=1 << 20, **more):
        return {'Topic': topic, 'TopicId': self.ids.get(topic, NO_ID), 'Partitions': [
            {'Partition': partition, 'FetchOffset': offset, 'PartitionMaxBytes': bytes_max, **more}]}

    def fetch(self, topic, offset, version=12, note='', request=None, **part):
        values = {'MaxWaitMs': 0, 'MinBytes': 1, 'MaxBytes': 1 << 24,
                  'Topics': [self.fetch_part(topic, offset, **part)]}
        return self.ask(FETCH, version, note, **{**values, **(request or {})})

    def list_offset(self, topic, timestamp, version=11, note='', request=None, partition=0, **part):
        parts = [{'PartitionIndex': partition, 'Timestamp': timestamp, **part}]
        values = {'ReplicaId': -1, 'Topics': [{'Name': topic, 'Partitions': parts}]}
        return self.ask(LIST_OFFSETS, version, note or f'of {timestamp}', **{**values, **(request or {})})

    def state(self, topic, partition=0):
        """Notes where the partition begins and ends and what batches it holds."""
        found = {}
        for timestamp in (-2, -1):
            parts = [{'PartitionIndex': partition, 'Timestamp': timestamp}]
            answer = self.quietly(LIST_OFFSETS, 5, ReplicaId=-1, Topics=[{'Name': topic, 'Partitions': parts}])
            found[timestamp] = answer['Topics'][0]['Partitions'][0]
        answer = self.quietly(FETCH, 11, MaxWaitMs=0, MinBytes=1, MaxBytes=1 << 26, Topics=[
            self.fetch_part(topic, found[-2]['Offset'], partition, 1 << 26)])
        self.note('holds', [found[-2]['Offset'], found[-1]['Offset'], answer['Responses'][0]['Partitions'][0]])

    # What no two servers share.

    def tidy(self, value, name=''):
        if isinstance(value, dict):
            return {k: self.tidy(v, k) for k, v in self.without_words(value).items()}
        if isinstance(value, (list, tuple)):
            return [self.tidy(v, name) for v in value]
        if isinstance(value, uuid.UUID):
            return 'no id' if value == NO_ID else self.names.get(value, 'an id')
        if isinstance(value, bytes):
            return self.tidy_bytes(value, name)
        if isinstance(value, str):
            return 'cluster' if name == 'ClusterId' else self.tidy_text(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return self.tidy_number(value, name)
        return value

    @staticmethod
    def without_words(value):
        """The words of a refused Produce are the server's own; where records are named there must be some."""
        if 'BatchIndexErrorMessage' in value:
            return {**value, 'BatchIndexErrorMessage': value['BatchIndexErrorMessage'] and 'words'}
        if 'RecordErrors' not in value or not value['ErrorCode']:
            return value
        return {**value, 'ErrorMessage': value['ErrorMessage'] and 'words' if value['RecordErrors'] else 'any words'}

    def tidy_bytes(self, data, name):
        return data.hex() if name in GROUP_BYTES else self.tidy_records(data)

    def tidy_records(self, data):
        batches, cut = odd_batches.split(data)
        return [self.tidy(odd_batches.described(b)) for b in batches] + ([f'{cut} bytes of a cut one'] if cut else [])

    def tidy_text(self, text):
        text = text.replace(f'{self.name}.', '')
        text = UUID_TEXT.sub(lambda m: self.uuids.setdefault(m[0], f'uuid {len(self.uuids) + 1}'), text)
        return re.sub(r'\b1\d{12}\b', lambda m: str(self.tidy_number(int(m[0]))), text)

    @staticmethod
    def tidy_number(number, name=''):
        if name == 'Port':
            return 'port'
        if name == 'SessionId':
            return 'a session' if number > 0 else number
        if name == 'FinalizedFeaturesEpoch':
            return 'an offset' if number > 0 else number
        return 'now' if abs(number - time.time() * 1000) < NOW_RANGE_MS else number


def raw_header(key, version, correlation, flexible=False):
    return struct.pack('>hhih', key, version, correlation, 3) + b'raw' + (b'\0' if flexible else b'')


def hold(port, name, function):
    """The transcript of one conversation, as JSON would give it back."""
    with Talk(port, name) as talk:
        function(talk)
        return json.loads(json.dumps(talk.transcript))
