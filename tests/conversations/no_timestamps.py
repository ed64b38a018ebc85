# SPDX-License-Identifier: Apache-2.0
"""ListOffsets (2) of records that have no time, or whose batch says so."""
from support.odd_batches import Record, T0, batch

from . import conversation


def without(*keys):
    return [Record(k, timestamp=-1) for k in keys]


@conversation
def list_offsets_without_timestamps(talk):
    topic = talk.topic()
    talk.list_offset(topic, -3, note='of nothing')
    talk.append(topic, batch(without(b'a', b'b')), batch(without(b'c')))
    for timestamp in (-3, 0, T0, -2, -1):
        talk.list_offset(topic, timestamp)
    talk.append(topic, batch([b'd']))
    talk.list_offset(topic, -3, note='with one that has a time')


@conversation
def list_offsets_of_batches_that_hide_their_time(talk):
    topic = talk.topic()
    talk.append(topic, batch([b'a', b'b'], max_timestamp=-1))
    for timestamp in (-3, 0, T0):
        talk.list_offset(topic, timestamp)
