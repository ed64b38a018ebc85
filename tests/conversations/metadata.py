# SPDX-License-Identifier: Apache-2.0
"""Metadata (3)."""
from . import conversation
from .talk import METADATA, NO_ID, UNKNOWN_ID, versions

NAMES = ['', '.', '..', 'a b', 'ä', 'x' * 249, 'x' * 250, '__cluster_metadata', '__consumer_offsets',
         '__transaction_state', '__share_group_state', '__unknown']


@conversation
def metadata_of_every_version(talk):
    topic = talk.topic(partitions=2)
    missing = f'{talk.name}.missing'
    for version in versions(METADATA):
        talk.metadata(version, 'one', [{'Name': topic}])
        if version > 3:  # before that a name that is not there is made
            talk.metadata(version, 'one twice and one that is not there',
                          [{'Name': n} for n in (topic, missing, topic)])
        if version:
            talk.metadata(version, 'none', [])


@conversation
def metadata_of_all_topics(talk):
    topic = talk.topic()
    for version in versions(METADATA):
        answer = talk.quietly(METADATA, version, Topics=None if version else [], AllowAutoTopicCreation=False)
        answer['Topics'] = [t for t in answer['Topics'] if t['Name'] == topic]
        talk.note(f'v{version}', answer)


@conversation
def metadata_of_names_without_a_topic(talk):
    for name in NAMES:
        for version in (4, 13):
            talk.metadata(version, f'{name[:20]!r}', [{'Name': name}])


@conversation
def metadata_that_would_create_what_can_not_be(talk):
    talk.topic('a.b')
    for name in ('', '.', '..', 'a b', 'ä', 'x' * 250, '__cluster_metadata', f'{talk.name}.a_b'):
        for version in (1, 4, 13):
            talk.metadata(version, f'{name[-10:]!r}', [{'Name': name}], AllowAutoTopicCreation=True)


@conversation
def metadata_by_id(talk):
    topic, missing = talk.topic(), f'{talk.name}.missing'
    known, unknown = {'TopicId': talk.ids[topic], 'Name': None}, {'TopicId': UNKNOWN_ID, 'Name': None}
    for version in versions(METADATA, 10):
        for note, asked in (('known', known), ('unknown', unknown),
                            ('both', {'TopicId': talk.ids[topic], 'Name': topic}),
                            ('empty name and an id', {'TopicId': talk.ids[topic], 'Name': ''})):
            talk.metadata(version, note, [asked])
    # In version 12 and later Apache trips over a topic with neither (docs/deviations.md).
    for version in (10, 11):
        talk.metadata(version, 'neither', [{'TopicId': NO_ID, 'Name': None}])
    talk.metadata(12, 'several', [unknown, known, unknown])
    talk.metadata(12, 'by name and by id', [{'Name': topic}, known, {'Name': missing}])
    talk.metadata(12, 'id and another name', [{'TopicId': talk.ids[topic], 'Name': missing}])


@conversation
def metadata_with_allowed_operations(talk):
    topic = talk.topic()
    for version in versions(METADATA, 8):
        talk.metadata(version, 'with operations', [{'Name': topic}, {'Name': f'{talk.name}.missing'}],
                      IncludeClusterAuthorizedOperations=True, IncludeTopicAuthorizedOperations=True)
