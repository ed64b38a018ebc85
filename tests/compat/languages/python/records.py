# SPDX-License-Identifier: Apache-2.0
"""aiokafka. See ../README.md for the commands."""
import asyncio
import base64
import json
import sys

import aiokafka


def as_bytes(text):
    return None if text is None else base64.b64decode(text)


def as_text(value):
    return None if value is None else base64.b64encode(value).decode()


async def write(bootstrap, topic, codec):
    producer = aiokafka.AIOKafkaProducer(bootstrap_servers=bootstrap, acks='all',
                                         compression_type=None if codec == 'none' else codec)
    await producer.start()
    sent = []
    for line in sys.stdin:
        record = json.loads(line)
        headers = [(name, as_bytes(value)) for name, value in record['h']]
        sent.append(await producer.send(topic, as_bytes(record['v']), as_bytes(record['k']), partition=0,
                                        timestamp_ms=record['t'], headers=headers))
    for one in sent:
        await one
    await producer.stop()


async def assigned(bootstrap, topic):
    consumer = aiokafka.AIOKafkaConsumer(bootstrap_servers=bootstrap, enable_auto_commit=False)
    await consumer.start()
    partition = aiokafka.TopicPartition(topic, 0)
    consumer.assign([partition])
    return consumer, partition


async def read(bootstrap, topic, count):
    consumer, partition = await assigned(bootstrap, topic)
    await consumer.seek_to_beginning(partition)
    for _ in range(int(count)):
        record = await asyncio.wait_for(consumer.getone(), 30)
        print(json.dumps({'t': record.timestamp, 'k': as_text(record.key), 'v': as_text(record.value),
                          'h': [[name, as_text(value)] for name, value in record.headers]}))
    await consumer.stop()


async def find(bootstrap, topic, time):
    consumer, partition = await assigned(bootstrap, topic)
    found = (await consumer.offsets_for_times({partition: int(time)}))[partition]
    print(-1 if found is None else found.offset)
    await consumer.stop()


asyncio.run({'write': write, 'read': read, 'find': find}[sys.argv[1]](*sys.argv[2:]))
