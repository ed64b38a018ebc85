# SPDX-License-Identifier: Apache-2.0
"""DeleteRecords (21): to where a log can be cut, and what is left of it; B28."""
from support.odd_batches import Record, batch

from . import conversation
from .talk import DELETE_RECORDS, versions


def records(count):
    return batch([Record(b'v', b'k')] * count)


def delete(talk, topic, offset, version=2, note='', partition=0):
    parts = [{'PartitionIndex': partition, 'Offset': offset}]
    talk.ask(DELETE_RECORDS, version, note or f'to {offset}', Topics=[{'Name': topic, 'Partitions': parts}],
             TimeoutMs=10000)


@conversation
def delete_records_in_every_version(talk):
    topic = talk.topic()
    talk.append(topic, records(3), records(3), records(3))
    for version in versions(DELETE_RECORDS):
        for offset in (-2, 10, 1000, 2**63 - 1, version, 0, version + 2, 1):
            delete(talk, topic, offset, version)
        talk.list_offset(topic, -2)
        talk.fetch(topic, 0, note='below the start')
    talk.state(topic)
    delete(talk, topic, -1)
    delete(talk, topic, 9)
    delete(talk, topic, -1)
    talk.state(topic)
    talk.append(topic, records(2))
    talk.state(topic)
    delete(talk, topic, 10)
    talk.list_offset(topic, -2)
    talk.list_offset(topic, 0, note='first time')
    talk.fetch(topic, 10, note='inside a batch')


@conversation
def delete_records_of_an_empty_log(talk):
    topic = talk.topic()
    for offset in (0, -1, 1):
        delete(talk, topic, offset)


@conversation
def delete_records_where_they_may_not_go(talk):
    for policy in ('compact', 'compact,delete', 'delete'):
        topic = talk.topic(policy.replace(',', '-'), cleanup_policy=policy)
        talk.append(topic, records(3))
        for offset in (1, -1, 4, -2):
            delete(talk, topic, offset, note=f'of {policy} to {offset}')


@conversation
def delete_records_of_what_is_not_there(talk):
    topic = talk.topic()
    for version in versions(DELETE_RECORDS):
        delete(talk, topic, 0, version, 'partition 5', 5)
        delete(talk, topic, 0, version, 'partition -1', -1)
        delete(talk, f'{talk.name}.missing', 0, version, 'no topic')
        talk.ask(DELETE_RECORDS, version, 'nothing', Topics=[], TimeoutMs=0)
