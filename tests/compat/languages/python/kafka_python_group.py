# SPDX-License-Identifier: Apache-2.0
"""A member of a group with kafka-python. See ../README.md for what it prints."""
import sys

import group_events
import kafka
from kafka.coordinator.assignors.range import RangePartitionAssignor
from kafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor

# Its sticky one fails when it joins again.
ASSIGNORS = {'range': RangePartitionAssignor, 'roundrobin': RoundRobinPartitionAssignor}


class Listener(kafka.ConsumerRebalanceListener):
    def on_partitions_assigned(self, assigned):
        group_events.changed('assigned', assigned)

    def on_partitions_revoked(self, revoked):
        group_events.changed('revoked', revoked)


def main(bootstrap, topic, group, assignor):
    group_events.listen()
    consumer = kafka.KafkaConsumer(bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=False,
                                   auto_offset_reset='earliest', partition_assignment_strategy=[ASSIGNORS[assignor]],
                                   session_timeout_ms=group_events.SESSION_TIMEOUT_MS,
                                   heartbeat_interval_ms=group_events.HEARTBEAT_INTERVAL_MS)
    consumer.subscribe([topic], listener=Listener())
    while not group_events.leaving.is_set():
        records = [record for some in consumer.poll(100).values() for record in some]
        for record in records:
            group_events.record(record.partition, record.offset)
        group_events.flush()
        if records:
            consumer.commit()
    owned = consumer.assignment()
    group_events.changed('revoked', owned)
    consumer.close()


main(*sys.argv[2:])
