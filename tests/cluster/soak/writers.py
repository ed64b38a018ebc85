# SPDX-License-Identifier: Apache-2.0
"""Those who write while nodes die: idempotent producers with acks=all, otherwise as their libraries come."""
import subprocess
import threading
import time

import confluent_kafka

FLUSH_S = 120


class Librdkafka(threading.Thread):
    """Writes a numbered record into each partition, again and again, until it is told to stop.

    As it comes, librdkafka waits up to ten seconds before it connects again to a broker that it has lost several times
    within ten seconds, whatever leads there meanwhile: where nodes die that often its figures are about that. So there
    is a `quick` one too, which waits a second at most, as Kafka's own client does."""

    def __init__(self, name, bootstrap, topic, history, load, quick=False):
        super().__init__(name=name, daemon=True)
        self.topic, self.history, self.load = topic, history, load
        self.kind = 'librdkafka, quick' if quick else 'librdkafka'
        self.stopping = threading.Event()
        self.left = None
        self.producer = confluent_kafka.Producer({
            'bootstrap.servers': bootstrap, 'acks': 'all', 'enable.idempotence': True, 'retry.backoff.ms': 100,
            'log_level': 0, **({'reconnect.backoff.max.ms': 1000} if quick else {})})

    def send(self, number, partition):
        mark = f'{self.name} {number}'.encode()
        sent = time.monotonic()

        def delivered(error, message):
            if error:
                self.history.fail(f'{mark}: {error}')
            else:
                self.history.hear(self.kind, partition, message.offset(), mark, sent, time.monotonic())
        self.producer.produce(self.topic, mark + b' ' + self.load.padding, partition=partition,
                              on_delivery=delivered)

    def run(self):
        number, due = 0, time.monotonic()
        try:
            while not self.stopping.is_set():
                for partition in range(self.load.partitions):
                    try:
                        self.send(number, partition)
                        number += 1
                    except BufferError:
                        pass
                due = max(due + self.load.period_s, time.monotonic() - 1)
                while (rest := due - time.monotonic()) > 0:
                    self.producer.poll(min(rest, 0.002))
                self.producer.poll(0)
            self.left = self.producer.flush(FLUSH_S)
        except confluent_kafka.KafkaException as error:  # it can not go on at all
            self.history.fail(str(error))
        with self.history.lock:
            self.history.sent += number

    def end(self):
        """Nothing new from now on."""
        self.stopping.set()

    def finish(self):
        """When all is answered: None, or what is wrong."""
        self.join(FLUSH_S + 30)
        return None if self.left == 0 else f'{self.name} could not send {self.left} records'


class Program(threading.Thread):
    """A producer in another language, as a process: PROGRAM BOOTSTRAP TOPIC PARTITIONS PERIOD_MS BYTES NAME. Tells a
    line an acknowledgement ("partition offset number sent heard", the times in nanoseconds) or "failed why", and ends
    when its standard input has ended and all is answered."""

    def __init__(self, kind, command, history):
        super().__init__(name=kind, daemon=True)
        self.kind, self.history = kind, history
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self):
        told = 0
        for line in self.process.stdout:
            words = line.split()
            if words[0] == 'failed':
                self.history.fail(f'{self.kind}: {line}')
                continue
            partition, offset, number, sent, heard = map(int, words)
            self.history.hear(self.kind, partition, offset, f'{self.kind} {number}'.encode(), sent / 1e9, heard / 1e9)
            told += 1
        with self.history.lock:
            self.history.sent += told

    def end(self):
        self.process.stdin.close()

    def finish(self):
        try:
            code = self.process.wait(FLUSH_S + 30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        self.join(30)
        self.process.stdout.close()
        return None if code == 0 else f'{self.kind} ended with {code}'
