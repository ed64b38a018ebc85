# SPDX-License-Identifier: Apache-2.0
"""Frames of the APIs for topics and the cluster that are not quite right, and ApiVersions of no version."""
from support import messages

from . import conversation
from .talk import (API_VERSIONS, CREATE_PARTITIONS, DELETE_TOPICS, DESCRIBE_CLUSTER, DESCRIBE_QUORUM,
                   DESCRIBE_TOPIC_PARTITIONS, ELECT_LEADERS, LIST_REASSIGNMENTS, UNREGISTER_BROKER, UPDATE_FEATURES,
                   VERSIONS, raw_header)

PLAIN = {CREATE_PARTITIONS: {}, DELETE_TOPICS: {}, DESCRIBE_CLUSTER: {}, DESCRIBE_QUORUM: {},
         DESCRIBE_TOPIC_PARTITIONS: {'Topics': [{'Name': 'missing'}]}, ELECT_LEADERS: {'TopicPartitions': []},
         LIST_REASSIGNMENTS: {}, UNREGISTER_BROKER: {'BrokerId': 99}, UPDATE_FEATURES: {}}


@conversation
def versions_at_the_edges_of_admin_requests(talk):
    for key in PLAIN:
        low, high = VERSIONS[key]
        for version in (low - 1, high + 1, 0 if low else -1, 32767):
            payload = raw_header(key, version, talk.next(), flexible=version > high) + bytes(40)
            talk.say(payload, key, low, f'asked for v{version}')


@conversation
def admin_requests_with_odd_bytes(talk):
    for key, values in PLAIN.items():
        for version in range(VERSIONS[key][0], VERSIONS[key][1] + 1):
            for note, change in (('cut', lambda p: p[:-1]), ('with bytes behind it', lambda p: p + b'more')):
                payload = messages.request(key, version, values, talk.next())
                outcome, _ = talk.exchange(change(payload), key, version)
                talk.note(f'{key} v{version} {note}', outcome)


@conversation
def api_versions_below_0(talk):
    for version in (-1, -2, -32768):
        for flexible in (False, True):
            payload = raw_header(API_VERSIONS, version, talk.next(), flexible)
            talk.say(payload, API_VERSIONS, 0, f'asked for v{version}, flexible {flexible}')
            talk.say(payload[:3], API_VERSIONS, 0, f'v{version} and no more')
        payload = raw_header(API_VERSIONS, version, talk.next()) + b'\xff' * 30
        talk.say(payload, API_VERSIONS, 0, f'v{version} and garbage')
