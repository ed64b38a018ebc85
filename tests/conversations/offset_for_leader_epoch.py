# SPDX-License-Identifier: Apache-2.0
"""OffsetForLeaderEpoch (23): where epochs end; B14."""
from support.odd_batches import Record, batch

from . import conversation
from .talk import DELETE_RECORDS, OFFSET_FOR_LEADER_EPOCH, versions


def ask(talk, topic, epoch, version, note='', partition=0, **more):
    parts = [{'Partition': partition, 'LeaderEpoch': epoch, **more}]
    talk.ask(OFFSET_FOR_LEADER_EPOCH, version, note or f'epoch {epoch}', ReplicaId=-1,
             Topics=[{'Topic': topic, 'Partitions': parts}])


@conversation
def offset_for_leader_epoch_in_every_version(talk):
    topic, empty = talk.topic(), talk.topic('empty')
    talk.append(topic, batch([Record(b'v', b'k')] * 3))
    for version in versions(OFFSET_FOR_LEADER_EPOCH):
        for epoch in (0, 1, 7, -1, -2):
            ask(talk, topic, epoch, version)
            ask(talk, empty, epoch, version, f'of an empty log, {epoch}')
        for current in (-1, 0, 1, 7, -2):
            ask(talk, topic, 0, version, f'current {current}', CurrentLeaderEpoch=current)


@conversation
def offset_for_leader_epoch_after_a_deletion(talk):
    topic = talk.topic()
    talk.append(topic, batch([Record(b'v', b'k')] * 3))
    parts = [{'PartitionIndex': 0, 'Offset': -1}]
    talk.quietly(DELETE_RECORDS, 2, Topics=[{'Name': topic, 'Partitions': parts}], TimeoutMs=10000)
    for epoch in (0, 1):
        ask(talk, topic, epoch, 4)


@conversation
def offset_for_leader_epoch_of_what_is_not_there(talk):
    topic = talk.topic()
    for version in versions(OFFSET_FOR_LEADER_EPOCH):
        ask(talk, topic, 0, version, 'partition 5', 5)
        ask(talk, topic, 0, version, 'partition -1', -1)
        ask(talk, f'{talk.name}.missing', 0, version, 'no topic')
        talk.ask(OFFSET_FOR_LEADER_EPOCH, version, 'nothing', ReplicaId=-1, Topics=[])
