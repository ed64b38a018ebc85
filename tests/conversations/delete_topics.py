# SPDX-License-Identifier: Apache-2.0
"""DeleteTopics (20)."""
import time

from . import conversation
from .talk import DELETE_TOPICS, METADATA, NO_ID, UNKNOWN_ID, versions

FIRST_VERSION_WITH_IDS = 6
UNKNOWN_TOPIC_OR_PARTITION = 3


def delete(talk, note, *topics, version=6, **more):
    """Notes the answer in an order: neither server promises one."""
    fields = {'Topics': [t if isinstance(t, dict) else {'Name': t} for t in topics]}
    if version < FIRST_VERSION_WITH_IDS:
        fields = {'TopicNames': list(topics)}
    answer = talk.quietly(DELETE_TOPICS, version, **{'TimeoutMs': 30000, **fields, **more})
    # Ids that were drawn come behind those that are always the same.
    drawn = set(talk.ids.values())
    answer['Responses'].sort(key=lambda t: (t['Name'] or '', t.get('TopicId', NO_ID) in drawn,
                                            t.get('TopicId', NO_ID), t['ErrorCode']))
    talk.note(f'v{version} {note}', answer)


def there(talk, *names):
    answer = talk.quietly(METADATA, 12, Topics=[{'Name': n} for n in names], AllowAutoTopicCreation=False)
    return sorted([t['Name'], t['ErrorCode']] for t in answer['Topics'])


def exists(talk, *names):
    talk.note('then', there(talk, *names))


def is_gone(talk, name):
    """Apache answers before its metadata has forgotten the topic."""
    deadline = time.monotonic() + 30
    while there(talk, name) != [[name, UNKNOWN_TOPIC_OR_PARTITION]]:
        assert time.monotonic() < deadline, f'{name} is still there'
        time.sleep(0.02)


@conversation
def delete_topics_of_every_version(talk):
    missing = f'{talk.name}.missing'
    for version in versions(DELETE_TOPICS):
        name = talk.topic(f'v{version}', 2)
        delete(talk, 'none', version=version)
        delete(talk, 'missing', missing, version=version)
        delete(talk, 'missing, twice', missing, missing, version=version)
        delete(talk, 'no names of topics', '', 'a b', '__cluster_metadata', '..', 'x' * 300, version=version)
        delete(talk, 'twice', name, missing, name, name, version=version)
        exists(talk, name)
        delete(talk, 'without time', name, version=version, TimeoutMs=0)
        delete(talk, 'with less than none', name, version=version, TimeoutMs=-1)
        exists(talk, name)
        delete(talk, 'once', name, version=version)
        is_gone(talk, name)
        delete(talk, 'again', name, version=version)


@conversation
def delete_topics_by_id(talk):
    a, b, c, d = (talk.topic(label) for label in 'abcd')
    by_id = {t: {'Name': None, 'TopicId': talk.ids[t]} for t in (a, b, c, d)}
    unknown, neither = {'Name': None, 'TopicId': UNKNOWN_ID}, {'Name': None}
    both = {'Name': a, 'TopicId': talk.ids[a]}
    delete(talk, 'unknown', unknown)
    delete(talk, 'unknown, twice', unknown, unknown)
    delete(talk, 'neither', neither)
    delete(talk, 'both', both)
    delete(talk, 'empty name and an id', {'Name': '', 'TopicId': talk.ids[a]})
    delete(talk, 'name and same id', a, by_id[a])
    delete(talk, 'id and same name', by_id[a], a)
    delete(talk, 'twice', by_id[a], by_id[a])
    delete(talk, 'without time', by_id[a], unknown, TimeoutMs=0)
    exists(talk, a)
    delete(talk, 'once', by_id[a])
    is_gone(talk, a)
    delete(talk, 'again', by_id[a])
    delete(talk, 'several', by_id[b], c, f'{talk.name}.missing', unknown, unknown, neither, f'{talk.name}.missing',
           both)
    is_gone(talk, b)
    is_gone(talk, c)
    exists(talk, a, d)


@conversation
def delete_topics_and_make_them_again(talk):
    name = talk.topic('t', 3)
    delete(talk, 'first', name)
    is_gone(talk, name)
    talk.topic('t')
    talk.list_offset(name, -1, 4)
    talk.list_offset(name, -1, 4, 'of a partition that the new one lacks', partition=2)
