# SPDX-License-Identifier: Apache-2.0
"""Produce (0): every version, what is refused and what is stored; B05, B22, B25, B26, B44, B49, B50."""
import time

from support import odd_batches as odd
from support.odd_batches import GZIP, LZ4, NONE, SNAPPY, ZSTD, Record, batch

from . import conversation
from .talk import NO_ID, PRODUCE, UNKNOWN_ID, versions

TWO = [Record(b'one', b'k1'), Record(b'two', b'k2')]


def now():
    return int(time.time() * 1000)


@conversation
def produce_of_every_version(talk):
    topic = talk.topic()
    for version in versions(PRODUCE):
        for acks in (-1, 1):
            talk.produce(topic, batch(TWO), version, f'acks {acks}', acks)
    talk.state(topic)


@conversation
def produce_with_log_append_time(talk):
    topic = talk.topic(message_timestamp_type='LogAppendTime')
    for version in versions(PRODUCE):
        talk.produce(topic, batch(TWO), version)
    talk.produce(topic, batch(TWO, attributes=odd.LOG_APPEND), note='marked by the client')
    talk.produce(topic, batch([Record(b'a', timestamp=0), Record(b'b', timestamp=2**50)]), note='far times')
    talk.state(topic)


@conversation
def produce_to_what_is_not_there(talk):
    topic = talk.topic()
    missing = f'{talk.name}.missing'
    for version in versions(PRODUCE):
        talk.produce(topic, batch(TWO), version, 'no such partition', partition=7)
        talk.produce(topic, batch(TWO), version, 'partition -1', partition=-1)
        talk.produce(missing, batch(TWO), version, 'no such topic')
    talk.ids[missing] = UNKNOWN_ID
    talk.produce(missing, batch(TWO), 13, 'unknown id')
    talk.produce(missing, None, 13, 'unknown id, null records')
    talk.produce(missing, b'', 8, 'no such topic, no records')
    for name in ('', 'a b', '__cluster_metadata'):
        talk.produce(name, batch(TWO), 8, f'to {name!r}')
    talk.state(topic)


@conversation
def produce_with_acks(talk):
    """B44: -1, 0 and 1 are all there is; 0 is never answered, and an error ends the connection."""
    topic = talk.topic()
    talk.ids[f'{talk.name}.missing'] = UNKNOWN_ID
    for version in versions(PRODUCE):
        for acks in (2, -2, 32767):
            talk.produce(topic, batch(TWO), version, f'acks {acks}', acks)
    talk.produce(topic, b'', note='acks 2 and no records', acks=2)
    talk.produce(topic, batch(TWO, crc=1), note='acks 2 and a bad checksum', acks=2)
    talk.produce(f'{talk.name}.missing', batch(TWO), note='acks 2 and no topic', acks=2)
    for version in versions(PRODUCE):
        for note, name, partition, records in (('good', topic, 0, batch(TWO)), ('no partition', topic, 5, batch(TWO)),
                                               ('no topic', f'{talk.name}.missing', 0, batch(TWO)),
                                               ('bad', topic, 0, batch(TWO, crc=1)), ('empty', topic, 0, b'')):
            data = [{'Name': name, 'TopicId': talk.ids.get(name, NO_ID),
                     'PartitionData': [{'Index': partition, 'Records': records}]}]
            talk.send_only(PRODUCE, version, f'acks 0 {note}', Acks=0, TimeoutMs=1000, TopicData=data)
    talk.state(topic)


@conversation
def produce_with_too_few_replicas(talk):
    topic = talk.topic(min_insync_replicas=2)
    for acks in (-1, 1):
        talk.produce(topic, batch(TWO), note=f'acks {acks}', acks=acks)
    talk.state(topic)


@conversation
def produce_of_no_whole_batch(talk):
    """B25 (a) and its kind."""
    topic = talk.topic()
    good = batch(TWO)
    for version in (3, 8, 13):
        for note, records in (('empty', b''), ('no records', batch([], last_offset_delta=-1)),
                              ('no records, delta 0', batch([], last_offset_delta=0)),
                              ('one byte', b'\0'), ('header only', good[:61]), ('cut', good[:-1]),
                              ('ten bytes', good[:10]),
                              ('sixteen bytes', good[:16]), ('seventeen bytes', good[:17]), ('zeros', bytes(100)),
                              ('ones', b'\xff' * 100), ('garbage', bytes(range(256)))):
            talk.produce(topic, records, version, note)
    talk.state(topic)


@conversation
def produce_of_wrong_headers(talk):
    """B26 and its kind: what of a header is looked at, and what a server says of it."""
    topic = talk.topic()
    cases = {'control': dict(attributes=odd.CONTROL), 'control, transactional': dict(attributes=48, producer_id=1,
                                                                                   producer_epoch=0, base_sequence=0),
             'magic 1': dict(magic=1), 'magic 0': dict(magic=0), 'magic 3': dict(magic=3), 'magic -1': dict(magic=-1),
             'base offset 1': dict(base_offset=1), 'base offset -1': dict(base_offset=-1),
             'base offset far': dict(base_offset=2**60), 'bad checksum': dict(crc=12345),
             'last delta too great': dict(last_offset_delta=5), 'last delta too small': dict(last_offset_delta=0),
             'last delta negative': dict(last_offset_delta=-1), 'count 3': dict(count=3), 'count 1': dict(count=1),
             'count 0': dict(count=0), 'count -1': dict(count=-1),
             'count 3, delta 2': dict(count=3, last_offset_delta=2),
             'count 1, delta 0': dict(count=1, last_offset_delta=0), 'leader epoch 7': dict(leader_epoch=7),
             'leader epoch -5': dict(leader_epoch=-5), 'log append bit': dict(attributes=odd.LOG_APPEND),
             'delete horizon bit': dict(attributes=64), 'unknown bits': dict(attributes=0x7f80),
             'max timestamp too small': dict(max_timestamp=5), 'max timestamp too great': dict(max_timestamp=2**62),
             'max timestamp -1': dict(max_timestamp=-1),
             'length 0': dict(length=0), 'length -1': dict(length=-1), 'length 13': dict(length=13),
             'length 48': dict(length=48), 'length 49': dict(length=49), 'length 1 more': dict(length=200)}
    for note, header in cases.items():
        talk.produce(topic, batch(TWO, **header), note=note)
    talk.state(topic)


@conversation
def produce_of_two_batches(talk):
    topic = talk.topic()
    good = batch(TWO)
    for version in (3, 8, 13):
        for note, records in (('two', good + good), ('one and a cut one', good + good[:-1]),
                              ('one and a byte', good + b'\0'), ('one and zeros', good + bytes(50)),
                              ('one and a bad one', good + batch(TWO, magic=5)),
                              ('a bad one and one', batch(TWO, crc=3) + good),
                              ('one and magic 1', good + batch(TWO, magic=1)),
                              ('magic 1 and one', batch(TWO, magic=1) + good)):
            talk.produce(topic, records, version, note)
    talk.state(topic)


@conversation
def produce_of_malformed_records(talk):
    topic = talk.topic()
    body = odd.payload(TWO)
    cases = {'bytes behind': dict(body=body + b'\0'), 'a record behind': dict(body=odd.payload(TWO + TWO[:1])),
             'cut': dict(body=body[:-1]), 'no body': dict(body=b''),
             'length -1': dict(body=b'\1' + body), 'length 0': dict(body=b'\0' + body),
             'length too great': dict(body=b'\xfe\xff\xff\xff\x0f' + body),
             'key length -2': dict(body=b'\x10\0\0\0\3\0\0\0\0' + odd.record(TWO[0], 1, odd.T0)),
             'header count -1': dict(body=b'\x0c\0\0\0\1\1\1' + odd.record(TWO[0], 1, odd.T0)),
             'null header key': dict(body=odd.payload([Record(b'v', headers=[(None, b'x')]), Record(b'w')])),
             'record attributes': dict(body=b'\x0e\xff\0\0\1\2a\0' + odd.record(TWO[0], 1, odd.T0)),
             'record shorter inside': dict(body=b'\x12\0\0\0\1\2a\0\0\0' + odd.record(TWO[0], 1, odd.T0))}
    for note, changes in cases.items():
        for codec in (NONE, GZIP, LZ4):
            talk.produce(topic, batch(TWO, codec=codec, **changes), note=f'{note}, codec {codec}')
    talk.state(topic)


@conversation
def produce_without_keys_to_a_compacted_topic(talk):
    """B05: the batch is refused as a whole and the record named."""
    topic = talk.topic(cleanup_policy='compact')
    middle = [Record(b'a', b'k'), Record(b'b'), Record(b'c', b'k')]
    for version in versions(PRODUCE):
        talk.produce(topic, batch(middle), version, 'no key in the middle')
    talk.produce(topic, batch([Record(b'a'), Record(b'b'), Record(b'c', b'')]), note='several, and an empty key')
    talk.produce(topic, batch(middle, codec=ZSTD), note='compressed')
    talk.produce(topic, batch([Record(None, b'k'), Record(b'', b'')]), note='tombstone and empty key')
    talk.produce(topic, batch([Record(b'a', timestamp=0), Record(b'b', b'k', timestamp=now() + 10**8)]),
                 note='no key, and a far time')
    both = talk.topic('both', cleanup_policy='compact,delete')
    talk.produce(both, batch(middle), note='compacted and deleted')
    talk.state(topic)


@conversation
def produce_out_of_time(talk):
    topic = talk.topic(message_timestamp_before_max_ms=3600000, message_timestamp_after_max_ms=60000)
    for note, times in (('old', [now() - 2 * 3600000]), ('new', [now() + 3600000]), ('good', [now()]),
                        ('mixed', [now(), now() - 2 * 3600000, now() + 3600000]), ('-1', [-1]), ('0', [0]),
                        ('-2', [-2]), ('-1 and now', [-1, now()])):
        for version in (7, 8):
            talk.produce(topic, batch([Record(b'v', timestamp=t) for t in times]), version, note)
    talk.produce(topic, batch([Record(b'v', timestamp=now())], attributes=odd.LOG_APPEND), note='log append bit')
    plain = talk.topic('plain')
    talk.produce(plain, batch([Record(b'v', timestamp=now() + 2 * 3600000)]), note='two hours ahead, by default')
    talk.produce(plain, batch([Record(b'v', timestamp=now() + 1800000)]), note='half an hour ahead, by default')
    talk.produce(plain, batch([Record(b'v', timestamp=-1)]), note='-1, by default')
    talk.produce(plain, batch([Record(b'v', timestamp=-5)]), note='-5, by default')
    talk.state(plain)


@conversation
def produce_larger_than_allowed(talk):
    """B22: the limit is on the batch as it is sent."""
    topic = talk.topic(max_message_bytes=51200)
    for version in (7, 8):
        # The size is seen before the checksum, which would take long to make.
        talk.produce(topic, batch([bytes(10 << 20)], crc=0), version, '10 MiB')
    zeros = batch([bytes(10 << 20)], codec=LZ4)
    assert len(zeros) < 51200
    talk.produce(topic, zeros, note='10 MiB of zeros, compressed')
    head = len(batch([bytes(40000)])) - 40000
    for more in (0, 1):
        talk.produce(topic, batch([bytes(51200 - head + more)]), note=f'{51200 + more} bytes')
    talk.produce(topic, batch(TWO), note='then a small one')
    small = talk.topic('small', segment_bytes=1048576, max_message_bytes=4000000)
    talk.produce(small, batch([bytes(2000000)]), note='larger than a segment')
    talk.produce(small, batch([bytes(1048576 - 71)]), note='nearly as large')
    talk.note('end', talk.connect().list_offset(topic, -1))
    talk.note('end', talk.connect().list_offset(small, -1))


@conversation
def produce_of_every_codec(talk):
    """B49: what is stored is what was sent, in each framing that clients use."""
    topic = talk.topic()
    long = [Record(b'value %d ' % n * 50, b'key %d' % n, [(b'h', b'x')], odd.T0 + n) for n in range(100)]
    framings = {'plain': (NONE, None), 'gzip': (GZIP, None), 'gzip of two members': (GZIP, odd.gzip_of_two_members),
                'snappy, xerial': (SNAPPY, None), 'snappy, raw': (SNAPPY, odd.snappy_raw), 'lz4': (LZ4, None),
                'lz4, block checksums': (LZ4, lambda d: odd.lz4(d, block_checksum=1)),
                'lz4, content checksum': (LZ4, lambda d: odd.lz4(d, content_checksum=1)),
                'lz4, linked': (LZ4, lambda d: odd.lz4(d, linked=1)), 'zstd': (ZSTD, None),
                'gzip and bytes behind': (GZIP, lambda d: odd.gzip(d) + b'xxxx'),
                'zstd empty': (ZSTD, lambda d: b''), 'lz4 twice': (LZ4, lambda d: odd.lz4(d[:900]) + odd.lz4(d[900:])),
                'zstd twice': (ZSTD, lambda d: odd.zstd(d[:900]) + odd.zstd(d[900:]))}
    for note, (codec, compress) in framings.items():
        talk.produce(topic, batch(long, codec=codec, compress=compress), note=note)
    for version in versions(PRODUCE):
        talk.produce(topic, batch(TWO, codec=ZSTD), version, 'zstd')
    talk.state(topic)
    for version in (4, 9, 10, 11, 12):
        talk.fetch(topic, 0, version, 'of all codecs')


@conversation
def produce_that_is_compressed_anew(talk):
    """A topic with a codec of its own: the same records in another wrapping."""
    unpack = {NONE: lambda d: d, LZ4: odd.unlz4, GZIP: lambda d: __import__('zlib').decompress(d, 31)}
    items = [Record(b'v%d' % n * 30, b'k%d' % n, [(b'a', None), (b'a', b'\xff')], odd.T0 + 7 * n) for n in range(20)]
    for name, codec in (('lz4', LZ4), ('gzip', GZIP), ('uncompressed', NONE)):
        topic = talk.topic(name, compression_type=name)
        for sent in (NONE, GZIP, SNAPPY, LZ4, ZSTD):
            talk.produce(topic, batch(items, codec=sent, max_timestamp=5), note=f'{sent} to {name}')
        answer = talk.quietly(1, 11, MaxWaitMs=0, MinBytes=1, MaxBytes=1 << 26, Topics=[talk.fetch_part(topic, 0)])
        for data in odd.split(answer['Responses'][0]['Partitions'][0]['Records'])[0]:
            header = odd.described(data)
            del header['length'], header['body']
            got = unpack[codec](data[61:]) if header['attributes'] & 7 == codec else b''
            talk.note('stored', [header, repr(odd.records_of(got, header['count'] if got else 0))])


@conversation
def produce_of_odd_records(talk):
    """B50: every byte of keys, values and headers comes back."""
    topic = talk.topic()
    talk.produce(topic, batch([Record(b'v', headers=[(b'h%d' % n, b'%d' % n) for n in range(10000)])]),
                 note='many headers')
    talk.produce(topic, batch([Record(b'v', headers=[(b'h', bytes(200000))])]), note='a long header')
    talk.produce(topic, batch([Record(b'v', b'', [(b'a', b'1'), (b'a', None), (b'', b''), (b'\xff\xfe', b'\0')]),
                               Record(None), Record(b''), Record(None, b''), Record(b'', b'\0')]), note='odd ones')
    talk.state(topic)


@conversation
def produce_in_transactions_of_nobody(talk):
    topic = talk.topic()
    own = dict(producer_id=4711, producer_epoch=0, base_sequence=0)
    talk.produce(topic, batch(TWO, attributes=odd.TRANSACTIONAL, **own), 8,
                 'transactional, without an id in the request')
    talk.produce(topic, batch(TWO, producer_id=4711, producer_epoch=0, base_sequence=-1), 8, 'no sequence')
    talk.state(topic)


@conversation
def produce_to_internal_topics(talk):
    for name in ('__consumer_offsets', '__transaction_state', '__share_group_state'):
        for version in (3, 8):
            data = [{'Name': name, 'PartitionData': [{'Index': 0, 'Records': batch(TWO)}]}]
            talk.ask(PRODUCE, version, name, Acks=1, TimeoutMs=1000, TopicData=data)


@conversation
def produce_to_several(talk):
    topic, other = talk.topic(partitions=3), talk.topic('other')
    for version in versions(PRODUCE):
        data = [{'Name': topic, 'TopicId': talk.ids[topic], 'PartitionData': [
                    {'Index': 2, 'Records': batch(TWO)}, {'Index': 9, 'Records': batch(TWO)},
                    {'Index': 0, 'Records': batch(TWO, crc=1)}, {'Index': 1, 'Records': batch(TWO)}]},
                {'Name': other, 'TopicId': talk.ids[other], 'PartitionData': [{'Index': 0, 'Records': batch(TWO)}]}]
        answer = talk.quietly(PRODUCE, version, Acks=-1, TimeoutMs=5000, TopicData=data)
        for found in answer['Responses']:
            found['PartitionResponses'].sort(key=lambda p: p['Index'])
        key = 'TopicId' if version > 12 else 'Name'
        talk.note(f'v{version}', sorted(answer['Responses'], key=lambda t: talk.tidy(t[key])))
    talk.state(topic, 1)
