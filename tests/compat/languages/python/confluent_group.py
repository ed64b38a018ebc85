# SPDX-License-Identifier: Apache-2.0
"""A member of a group with confluent-kafka, which is librdkafka. See ../README.md for what it prints."""
import sys

import confluent_kafka
import group_events


class Member:
    def __init__(self, bootstrap, topic, group, assignor):
        self.consumer = confluent_kafka.Consumer({
            'bootstrap.servers': bootstrap, 'group.id': group, 'enable.auto.commit': False,
            'auto.offset.reset': 'earliest', 'partition.assignment.strategy': assignor,
            'session.timeout.ms': group_events.SESSION_TIMEOUT_MS,
            'heartbeat.interval.ms': group_events.HEARTBEAT_INTERVAL_MS})
        self.next = {}  # offsets to commit
        self.consumer.subscribe([topic], on_assign=lambda _, parts: group_events.changed('assigned', parts),
                                on_revoke=self.revoked, on_lost=lambda _, parts: group_events.changed('lost', parts))

    def commit(self):
        """What it can't commit while the group rebalances goes with the next one, or with the revocation."""
        offsets = [confluent_kafka.TopicPartition(topic, partition, at) for (topic, partition), at in self.next.items()]
        if not offsets:
            return
        try:
            self.consumer.commit(offsets=offsets, asynchronous=False)
        except confluent_kafka.KafkaException as why:
            if why.args[0].code() not in (confluent_kafka.KafkaError.ILLEGAL_GENERATION,
                                          confluent_kafka.KafkaError.REBALANCE_IN_PROGRESS):
                raise
        else:
            self.next.clear()

    def revoked(self, _, partitions):
        self.commit()
        for one in partitions:
            self.next.pop((one.topic, one.partition), None)
        group_events.changed('revoked', partitions)

    def run(self):
        while not group_events.leaving.is_set():
            record = self.consumer.poll(0.1)
            if record is not None:
                if record.error():
                    raise SystemExit(record.error())
                group_events.record(record.partition(), record.offset())
                group_events.flush()
                self.next[record.topic(), record.partition()] = record.offset() + 1
            if record is None or len(self.next) == 2:
                self.commit()
        self.consumer.close()


group_events.listen()
Member(*sys.argv[2:]).run()
