# SPDX-License-Identifier: Apache-2.0
"""ApiVersions (18): behaviour of every version, B01, B52."""
import struct

from . import conversation
from .talk import API_VERSIONS, CREATE_TOPICS, FETCH, LIST_OFFSETS, METADATA, PRODUCE, raw_header, versions

SOFTWARE = {'ClientSoftwareName': 'apache-kafka-java', 'ClientSoftwareVersion': '4.4.0'}


# Which versions are told of all the others, tests/cluster/test_api_versions.py compares.
ROWS = (API_VERSIONS, CREATE_TOPICS, FETCH, LIST_OFFSETS, METADATA, PRODUCE)


def only_served(body):
    """A few rows, which both servers have."""
    if body:
        body['ApiKeys'] = sorted((r['ApiKey'], r['MinVersion'], r['MaxVersion']) for r in body['ApiKeys']
                                 if r['ApiKey'] in ROWS)
        for features in ('SupportedFeatures', 'FinalizedFeatures'):
            if features in body:
                # Which voters a quorum has, and with it kraft.version, is how the server was formatted.
                body[features] = sorted(tuple(sorted(f.items())) for f in body[features]
                                        if f['Name'] != 'kraft.version')
    return body


@conversation
def api_versions_of_every_version(talk):
    for version in versions(API_VERSIONS):
        talk.note(f'v{version}', only_served(talk.quietly(API_VERSIONS, version, **SOFTWARE)))


@conversation
def api_versions_that_are_not_served(talk):
    for version in (6, 99, 32767):
        payload = raw_header(API_VERSIONS, version, talk.next(), flexible=True) + b'\x05test\x022\0'
        talk.say(payload, API_VERSIONS, 0, f'asked for v{version}')
        talk.note('goes on', only_served(talk.quietly(API_VERSIONS, 0)))
    # Only the header is looked at.
    talk.say(raw_header(API_VERSIONS, 99, talk.next(), flexible=True), API_VERSIONS, 0, 'v99 without a body')
    talk.say(raw_header(API_VERSIONS, 99, talk.next(), flexible=True) + b'\xff' * 30, API_VERSIONS, 0,
             'v99 and garbage')
    talk.say(raw_header(API_VERSIONS, 99, talk.next()), API_VERSIONS, 0, 'v99 with the old header')


@conversation
def api_versions_with_software_names(talk):
    names = ['a', 'a-b.c', 'A9', '', ' ', 'a b', '-a', 'a-', '.', 'a_b', 'a/b', 'ä', 'a\n', 'a' * 1000, 'a--..b', '9']
    for version in versions(API_VERSIONS, 3):
        for name in names:
            for field in SOFTWARE:
                body = talk.quietly(API_VERSIONS, version, **{**SOFTWARE, field: name})
                found = [body['ErrorCode'], len(body['ApiKeys']) > 0, 'SupportedFeatures' in body,
                         'FinalizedFeatures' in body, body.get('FinalizedFeaturesEpoch', 'none') == 'none']
                talk.note(f'v{version} {field} {name[:20]!r}', found)


@conversation
def api_versions_for_a_cluster_and_a_node(talk):
    cluster = talk.connect().metadata().cluster_id
    for cluster_id, node in ((cluster, 1), (cluster, -1), (None, 1), (None, -1), ('other', 1), (cluster, 2), ('', 1),
                             ('', -1), (cluster, -2), (None, -2), ('other', 7)):
        body = talk.quietly(API_VERSIONS, 5, ClusterId=cluster_id, NodeId=node, **SOFTWARE)
        which = 'this' if cluster_id == cluster else cluster_id
        talk.note(f'cluster {which} node {node}', {**only_served(body), 'ApiKeys': len(body['ApiKeys'])})
    talk.note('goes on', only_served(talk.quietly(API_VERSIONS, 0)))


@conversation
def api_versions_with_odd_bytes(talk):
    head = lambda version: raw_header(API_VERSIONS, version, talk.next(), flexible=version > 2)  # noqa: E731
    talk.say(head(0) + b'more', API_VERSIONS, 0, 'with bytes behind it') and talk.transcript.pop()
    talk.note('with bytes behind it', 'answered' if talk.connection else 'closed')
    for note, body in (('null name', b'\0\x021\0'), ('no version', b'\x02a'), ('cut name', b'\x09a'),
                       ('unknown tag', b'\x02a\x021\x01\x63\x03abc'), ('cut tag', b'\x02a\x021\x01\x63\x09abc'),
                       ('tag twice', b'\x02a\x021\x02\x63\x01a\x63\x01b'),
                       ('name of bad UTF-8', b'\x03\xff\xfe\x021\0'),
                       ('many tags', b'\x02a\x021\xff\xff\xff\xff\x07'), ('endless length', b'\xff' * 11)):
        outcome, answer = talk.exchange(head(3) + body, API_VERSIONS, 3)
        talk.note(note, [outcome, answer and answer['ErrorCode']])
    payload = struct.pack('>hhih', API_VERSIONS, 3, talk.next(), -1) + b'\0\x02a\x021\0'
    outcome, answer = talk.exchange(payload, API_VERSIONS, 3)
    talk.note('null client id', [outcome, answer and answer['ErrorCode']])
