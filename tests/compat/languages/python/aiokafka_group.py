# SPDX-License-Identifier: Apache-2.0
"""A member of a group with aiokafka. See ../README.md for what it prints."""
import asyncio
import sys

import aiokafka
import group_events
from aiokafka.coordinator.assignors.range import RangePartitionAssignor
from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor

ASSIGNORS = {'range': RangePartitionAssignor, 'roundrobin': RoundRobinPartitionAssignor,
             'sticky': StickyPartitionAssignor}


class Listener(aiokafka.ConsumerRebalanceListener):
    """Partitions are not given back while a commit is under way."""

    def __init__(self, lock):
        self.lock = lock

    async def on_partitions_assigned(self, assigned):
        group_events.changed('assigned', assigned)

    async def on_partitions_revoked(self, revoked):
        async with self.lock:
            group_events.changed('revoked', revoked)


async def main(bootstrap, topic, group, assignor):
    group_events.listen()
    lock = asyncio.Lock()
    consumer = aiokafka.AIOKafkaConsumer(bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=False,
                                         auto_offset_reset='earliest',
                                         partition_assignment_strategy=[ASSIGNORS[assignor]],
                                         session_timeout_ms=group_events.SESSION_TIMEOUT_MS,
                                         heartbeat_interval_ms=group_events.HEARTBEAT_INTERVAL_MS)
    consumer.subscribe([topic], listener=Listener(lock))
    await consumer.start()
    while not group_events.leaving.is_set():
        # Waits while the group rebalances, so not with the lock.
        records = [record for some in (await consumer.getmany(timeout_ms=100)).values() for record in some]
        for record in records:
            group_events.record(record.partition, record.offset)
        group_events.flush()
        if records:
            async with lock:
                await consumer.commit()
    owned = consumer.assignment()
    group_events.changed('revoked', owned)
    await consumer.stop()


asyncio.run(main(*sys.argv[2:]))
