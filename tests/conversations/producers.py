# SPDX-License-Identifier: Apache-2.0
"""InitProducerId (22), DescribeProducers (61), and Produce with a producer id (KIP-98, KIP-360): B07, B08, B19."""
from support import odd_batches as odd
from support.odd_batches import Record, batch

from . import conversation
from .talk import PRODUCE

INIT_PRODUCER_ID, DESCRIBE_PRODUCERS = 22, 61
GREATEST = 2**31 - 1


def sent(sequence, count=1, epoch=0, producer=4711, when=odd.T0, **more):
    """The same bytes each time: a producer that sends again sends the same batch."""
    return batch([Record(b'v%d' % n, timestamp=when + n) for n in range(count)], producer_id=producer,
                 producer_epoch=epoch, base_sequence=sequence, **more)


def describe(talk, topic, note, partitions=(0,)):
    body = talk.quietly(DESCRIBE_PRODUCERS, 0, Topics=[{'Name': topic, 'PartitionIndexes': list(partitions)}])
    for part in body['Topics'][0]['Partitions']:
        part['ActiveProducers'].sort(key=lambda p: p['ProducerId'])
    talk.note(f'producers {note}', body)


@conversation
def producer_ids_of_every_version(talk):
    ids = set()

    def init(version, note, **more):
        asked = {'TransactionTimeoutMs': 60000, 'TransactionalId': None, **more}
        answer = talk.quietly(INIT_PRODUCER_ID, version, **asked)
        if answer['ProducerId'] >= 0:
            assert answer['ProducerId'] not in ids
            ids.add(answer['ProducerId'])
            answer['ProducerId'] = 'a fresh id'
        talk.note(f'v{version} {note}', answer)

    # A broker that has none yet says COORDINATOR_LOAD_IN_PROGRESS until the controller has given it some.
    while talk.quietly(INIT_PRODUCER_ID, 1, TransactionTimeoutMs=1, TransactionalId=None)['ErrorCode'] == 14:
        pass
    for version in range(6):
        init(version, 'without an id')
        init(version, 'a timeout of 0', TransactionTimeoutMs=0)
        init(version, 'an empty transactional id', TransactionalId='')
    for version in range(3, 6):
        for producer, epoch in ((4711, 3), (4711, 32767), (4711, -1), (-1, 3), (-1, -1), (-5, -7)):
            init(version, f'with {producer} and {epoch}', ProducerId=producer, ProducerEpoch=epoch)


@conversation
def transactional_ids_with_wrong_timeouts(talk):
    for timeout in (0, -1):
        talk.ask(INIT_PRODUCER_ID, 5, f'timeout {timeout}', TransactionalId=f'{talk.name}.x',
                 TransactionTimeoutMs=timeout)


@conversation
def a_batch_sent_again(talk):
    """B07: the five last batches are known again, with their offsets; nothing is appended."""
    for name, configs in (('create', {}), ('append', {'message_timestamp_type': 'LogAppendTime'})):
        topic = talk.topic(name, **configs)
        for n in range(7):
            talk.produce(topic, sent(2 * n, 2), note=f'batch {n}')
        for acks in (-1, 1):
            for n in range(7):
                talk.produce(topic, sent(2 * n, 2), note=f'batch {n} again, acks {acks}', acks=acks)
        talk.produce(topic, sent(12, 1), note='the beginning of the last')
        talk.produce(topic, sent(13, 1), note='the end of the last')
        talk.produce(topic, sent(12, 3), note='the last and more')
        talk.produce(topic, batch([Record(b'other'), Record(b'words')], producer_id=4711, producer_epoch=0,
                                  base_sequence=12), note='the last with other content')
        for version in (3, 5, 9, 13):
            talk.produce(topic, sent(12, 2), version, 'the last again')
        talk.state(topic)


@conversation
def sequences_of_a_producer(talk):
    """B08: an unknown producer begins anywhere, from there on there is one next sequence."""
    topic = talk.topic()
    for version in (3, 8, 13):
        producer = 5000 + version
        talk.produce(topic, sent(17, producer=producer), version, 'begins at 17')
        talk.produce(topic, sent(19, producer=producer), version, 'a gap')
        talk.produce(topic, sent(16, producer=producer), version, 'back')
        talk.produce(topic, sent(18, 3, producer=producer), version, 'the next')
        talk.produce(topic, sent(21, producer=producer), version, 'the next')
    talk.produce(topic, sent(0, producer=6000) + sent(1, producer=6000), note='two at once')
    talk.produce(topic, sent(-1, producer=6000), note='no sequence')
    talk.produce(topic, sent(-1, producer=6000, epoch=-1), note='no sequence, no epoch')
    talk.produce(topic, sent(0, producer=6001, epoch=-1), note='no epoch')
    talk.produce(topic, sent(5, producer=6001, epoch=-1), note='no epoch, a gap')
    talk.produce(topic, sent(0, producer=-1), note='no producer, a sequence')
    talk.produce(topic, sent(0, producer=-7), note='producer -7')
    describe(talk, topic, 'after all')
    talk.state(topic)


@conversation
def the_greatest_sequence(talk):
    topic = talk.topic()
    talk.produce(topic, sent(GREATEST - 1, 2), note='up to the greatest')
    talk.produce(topic, sent(1), note='1 is not the next')
    talk.produce(topic, sent(0), note='0 is')
    talk.produce(topic, sent(GREATEST - 1, 2), note='the first again')
    talk.produce(topic, sent(GREATEST, 5, producer=4712), note='across')
    talk.produce(topic, sent(GREATEST, 5, producer=4712), note='across, again')
    talk.produce(topic, sent(4, producer=4712), note='behind')
    describe(talk, topic, 'across')
    talk.state(topic)


@conversation
def epochs_of_a_producer(talk):
    topic = talk.topic()
    talk.produce(topic, sent(3, epoch=5), note='epoch 5')
    talk.produce(topic, sent(4, epoch=6), note='epoch 6 does not begin at 0')
    talk.produce(topic, sent(0, epoch=4), note='epoch 4')
    talk.produce(topic, sent(3, epoch=4), note='epoch 4, a known sequence')
    talk.produce(topic, sent(0, epoch=6), note='epoch 6')
    talk.produce(topic, sent(4, epoch=5), note='epoch 5 goes on')
    talk.produce(topic, sent(3, epoch=5), note='epoch 5 again')
    talk.produce(topic, sent(1, epoch=6), note='epoch 6 goes on')
    talk.produce(topic, sent(0, epoch=32767), note='the last epoch')
    describe(talk, topic, 'after all')
    talk.state(topic)


@conversation
def a_producer_that_is_refused_otherwise(talk):
    """What is wrong with the batch itself is seen before its sequence, and leaves no trace."""
    topic = talk.topic(cleanup_policy='compact')
    keyed = dict(producer_id=4711, producer_epoch=0)
    talk.produce(topic, batch([Record(b'v', b'k')], base_sequence=0, **keyed), note='good')
    talk.produce(topic, batch([Record(b'v')], base_sequence=7, **keyed), note='no key, and a gap')
    talk.produce(topic, batch([Record(b'v')], base_sequence=1, **keyed), note='no key')
    talk.produce(topic, batch([Record(b'v', b'k')], base_sequence=1, crc=5, **keyed), note='bad checksum')
    talk.produce(topic, batch([Record(b'v', b'k')], base_sequence=1, **keyed), note='good')
    talk.state(topic)


@conversation
def a_producer_in_several_partitions(talk):
    topic = talk.topic(partitions=2)
    data = [{'Name': topic, 'PartitionData': [{'Index': 0, 'Records': sent(0)}, {'Index': 1, 'Records': sent(9)}]}]
    talk.quietly(PRODUCE, 8, Acks=-1, TimeoutMs=5000, TopicData=data)
    data[0]['PartitionData'][1]['Records'] = sent(11)
    answer = talk.quietly(PRODUCE, 8, Acks=-1, TimeoutMs=5000, TopicData=data)
    talk.note('one again, one with a gap', sorted(answer['Responses'][0]['PartitionResponses'],
                                                  key=lambda p: p['Index']))
    describe(talk, topic, 'of each', (1, 0))


@conversation
def producers_of_what_is_not_there(talk):
    topic = talk.topic()
    describe(talk, topic, 'of nobody')
    describe(talk, topic, 'of no partition', (7, -1, 0))
    describe(talk, topic, 'of the same twice', (0, 0))
    describe(talk, f'{talk.name}.missing', 'of no topic')
    talk.ask(DESCRIBE_PRODUCERS, 0, 'of none', Topics=[])


@conversation
def committed_data_without_transactions(talk):
    """Isolation level 1 where nothing is open: all of it is stable, and the list of what was aborted is empty."""
    topic = talk.topic()
    talk.append(topic, sent(0, 3))
    for version in (4, 8, 12, 18):
        talk.fetch(topic, 0, version, 'committed', {'IsolationLevel': 1})
        talk.fetch(topic, 3, version, 'committed, at the end', {'IsolationLevel': 1})
        talk.fetch(topic, 0, version, 'all', {'IsolationLevel': 0})
    for version in (2, 5, 11):
        talk.list_offset(topic, -1, version, 'committed', {'IsolationLevel': 1})
