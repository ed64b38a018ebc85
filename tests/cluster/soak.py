# SPDX-License-Identifier: Apache-2.0
"""Kills a node again and again while idempotent producers write to it, then reads everything back.

What must hold: every record that was acknowledged lies at the offset that its producer was told, none is there twice,
and each partition has them in the order in which they were sent.

    python3 -m cluster.soak [SECONDS] [SEED]        (scripts/dev soak)
"""
import dataclasses
import random
import sys
import threading
import time

import confluent_kafka

from support import node

TOPIC, PARTITIONS, PRODUCERS = 'soak', 4, 3
# Between two kills.
LIFE_S = (0.5, 3.0)
PER_SECOND_MAX = 4000


@dataclasses.dataclass
class Report:
    kills: int = 0
    sent: int = 0
    acknowledged: dict = dataclasses.field(default_factory=dict)  # (partition, offset) -> value
    failed: list = dataclasses.field(default_factory=list)
    starts_s: list = dataclasses.field(default_factory=list)

    def text(self):
        slowest = max(self.starts_s, default=0)
        return (f'{self.kills} kills, {self.sent} records sent, {len(self.acknowledged)} acknowledged, '
                f'{len(self.failed)} failed, slowest start to the first answer {slowest * 1000:.0f} ms')


class Writer(threading.Thread):
    """One idempotent producer that writes numbered records to all partitions in turn until it is told to stop."""

    def __init__(self, name, bootstrap, report, lock):
        super().__init__(name=name, daemon=True)
        self.report, self.lock = report, lock
        self.stopping = threading.Event()
        self.left = None
        self.producer = confluent_kafka.Producer({
            'bootstrap.servers': bootstrap, 'enable.idempotence': True, 'linger.ms': 2, 'retry.backoff.ms': 50,
            'reconnect.backoff.ms': 20, 'reconnect.backoff.max.ms': 100, 'message.timeout.ms': 120_000,
            'log_level': 0})

    def delivered(self, error, message):
        with self.lock:
            if error:
                self.report.failed.append(str(error))
            else:
                self.report.acknowledged[message.partition(), message.offset()] = message.value()

    def run(self):
        number = 0
        while not self.stopping.is_set():
            value = f'{self.name} {number}'.encode()
            try:
                self.producer.produce(TOPIC, value, partition=number % PARTITIONS, on_delivery=self.delivered)
                number += 1
            except BufferError:
                pass
            self.producer.poll(0)
            time.sleep(1 / (PER_SECOND_MAX / PRODUCERS))
        self.left = self.producer.flush(120)
        with self.lock:
            self.report.sent += number


def run(seconds, seed):
    """The report, and the values of each partition in the order of their offsets: [(offset, value)]."""
    dice = random.Random(seed)
    report, lock = Report(), threading.Lock()
    with node.Node() as server:
        with server.connect() as connection:
            connection.make_topic(TOPIC, partitions=PARTITIONS)
        writers = [Writer(f'writer-{i}', server.bootstrap, report, lock) for i in range(PRODUCERS)]
        for writer in writers:
            writer.start()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(dice.uniform(*LIFE_S))
            server.kill()
            server.start()
            report.kills += 1
            report.starts_s.append(server.last_start_s)
        for writer in writers:
            writer.stopping.set()
        for writer in writers:
            writer.join(150)
            assert writer.left == 0, f'{writer.name} could not send {writer.left} records'
        return report, read_all(server.bootstrap)


def read_all(bootstrap):
    found = {}
    consumer = confluent_kafka.Consumer({'bootstrap.servers': bootstrap, 'group.id': 'soak', 'check.crcs': True,
                                         'enable.auto.commit': False})
    for partition in range(PARTITIONS):
        place = confluent_kafka.TopicPartition(TOPIC, partition, confluent_kafka.OFFSET_BEGINNING)
        _, end = consumer.get_watermark_offsets(place, timeout=30)
        consumer.assign([place])
        found[partition] = []
        while not found[partition] or found[partition][-1][0] < end - 1:
            message = consumer.poll(30)
            assert message is not None and not message.error(), f'partition {partition} cannot be read to {end}'
            found[partition].append((message.offset(), message.value()))
    consumer.close()
    return found


def check(report, found):
    """What does not hold, in words; nothing if all does."""
    wrong = [f'a record was given up: {why}' for why in report.failed]
    for partition, records in found.items():
        at = dict(records)
        for (of, offset), value in report.acknowledged.items():
            if of == partition and at.get(offset) != value:
                wrong.append(f'{value} was acknowledged at {partition}:{offset}, where {at.get(offset)} is')
        values = [value for _, value in records]
        if len(set(values)) != len(values):
            wrong.append(f'partition {partition} holds {len(values) - len(set(values))} records twice')
        last = {}
        for value in values:
            name, number = value.split()
            if int(number) <= last.get(name, -1):
                wrong.append(f'partition {partition} holds {value} after {last[name]}')
            last[name] = int(number)
    return wrong


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    print(f'soak: {seconds:.0f} s, seed {seed}', flush=True)
    report, found = run(seconds, seed)
    print(f'soak: {report.text()}')
    wrong = check(report, found)
    for line in wrong[:20]:
        print(f'soak: {line}')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
