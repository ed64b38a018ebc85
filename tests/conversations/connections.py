# SPDX-License-Identifier: Apache-2.0
"""What ends a connection, what does not, and in what order answers come."""
import struct

from support import messages, odd_batches, wire

from . import conversation
from .talk import API_VERSIONS, CREATE_TOPICS, FETCH, LIST_OFFSETS, METADATA, PRODUCE, VERSIONS, raw_header

PLAIN = {METADATA: {'Topics': [], 'AllowAutoTopicCreation': False}, CREATE_TOPICS: {},
         PRODUCE: {'Acks': 1, 'TimeoutMs': 1000}, FETCH: {'MinBytes': 1}, LIST_OFFSETS: {'ReplicaId': -1}}


@conversation
def versions_at_the_edges(talk):
    for key in (METADATA, CREATE_TOPICS, PRODUCE, FETCH, LIST_OFFSETS):
        low, high = VERSIONS[key]
        for version in (low - 1, high + 1, 0 if low else -1, 32767):
            payload = raw_header(key, version, talk.next(), flexible=version > high) + bytes(40)
            talk.say(payload, key, low, f'asked for v{version}')


@conversation
def a_request_without_a_topic(talk):
    for key, values in PLAIN.items():
        for version in range(VERSIONS[key][0], VERSIONS[key][1] + 1):
            if key != METADATA or version:
                talk.ask(key, version, 'nothing asked', **values)


@conversation
def a_request_with_one_byte_less(talk):
    for key, values in PLAIN.items():
        for version in VERSIONS[key]:
            payload = messages.request(key, version, values, talk.next())
            outcome, _ = talk.exchange(payload[:-1], key, version)
            talk.note(f'{key} v{version} cut', outcome)


@conversation
def a_request_with_bytes_behind_it(talk):
    for key, values in PLAIN.items():
        for version in VERSIONS[key]:
            payload = messages.request(key, version, values, talk.next())
            outcome, _ = talk.exchange(payload + b'more', key, version)
            talk.note(f'{key} v{version} with bytes behind it', outcome)


@conversation
def names_that_are_no_text(talk):
    for name in (b'\xff\xfe', b'\xc3', b'a\0b', b'\xed\xa0\x80'):
        body = struct.pack('>i', 1) + struct.pack('>h', len(name)) + name + b'\0'
        outcome, answer = talk.exchange(raw_header(METADATA, 4, talk.next()) + body, METADATA, 4)
        talk.note(repr(name), [outcome, answer and [t['ErrorCode'] for t in answer['Topics']]])


@conversation
def arrays_and_strings_that_are_null_or_less(talk):
    cases = {'null topics v0': (METADATA, 0, b'\xff' * 4), 'null topics v1': (METADATA, 1, b'\xff' * 4),
             'topics of length -2 v1': (METADATA, 1, b'\xff\xff\xff\xfe'),
             'null name v4': (METADATA, 4, b'\0\0\0\1\xff\xff\0'),
             'name of length -2 v4': (METADATA, 4, b'\0\0\0\1\xff\xfe\0'),
             'create flag 2 v4': (METADATA, 4, b'\0\0\0\0\2'),
             'null topics of ListOffsets': (LIST_OFFSETS, 1, b'\xff' * 8),
             'null topics of Fetch': (FETCH, 4, b'\xff' * 4 + bytes(13) + b'\xff' * 4),
             'null topics of Produce': (PRODUCE, 3, b'\xff\xff\0\1\0\0\0\1' + b'\xff' * 4),
             'null topics of CreateTopics': (CREATE_TOPICS, 2, b'\xff' * 4 + bytes(5)),
             'compact null topics of ListOffsets': (LIST_OFFSETS, 6, b'\xff' * 4 + bytes(3))}
    for note, (key, version, body) in cases.items():
        flexible = messages.Walk(messages.message(key, 'request'), version).flexible
        outcome, _ = talk.exchange(raw_header(key, version, talk.next(), flexible) + body, key, version)
        talk.note(note, outcome)


@conversation
def answers_keep_the_order_of_requests(talk):
    topic = talk.topic()
    fetch = {'MaxWaitMs': 400, 'MinBytes': 1, 'MaxBytes': 1000, 'Topics': [talk.fetch_part(topic, 0)]}
    data = [{'Name': topic, 'PartitionData': [{'Index': 0, 'Records': odd_batches.batch([b'a'])}]}]
    asked = [(FETCH, 4, fetch), (METADATA, 4, {'Topics': []}), (API_VERSIONS, 0, {}),
             (PRODUCE, 7, {'Acks': -1, 'TimeoutMs': 1000, 'TopicData': data}),
             (PRODUCE, 7, {'Acks': 1, 'TimeoutMs': 1000, 'TopicData': data}),
             (PRODUCE, 7, {'Acks': 0, 'TimeoutMs': 1000, 'TopicData': data}), (API_VERSIONS, 0, {})]
    frames = [wire.frame(messages.request(key, version, values, n)) for n, (key, version, values) in enumerate(asked)]
    talk.connect().send(b''.join(frames))
    order = [struct.unpack_from('>i', talk.connection.receive_frame())[0] for _ in range(len(asked) - 1)]
    talk.note('order', order)
    talk.state(topic)
