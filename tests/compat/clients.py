# SPDX-License-Identifier: Apache-2.0
"""Clients of other people, each as two functions: write(file, …) into a topic and read(file, …) out of it.

Each takes the lines of a file in its own way; what it reads must be the file again, byte for byte.
"""
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
# librdkafka looks at a queue that was full again after a second only, whatever was taken out of it: so none gets full.
QUEUED_MIN_MESSAGES = 10_000_000


def run(command, stdin=None, stdout=None):
    done = subprocess.run([str(word) for word in command], stdin=stdin, stdout=stdout, stderr=subprocess.PIPE,
                          timeout=300, check=False)
    if done.returncode:
        raise AssertionError(f'{command} ended with {done.returncode}:\n{done.stderr.decode(errors="replace")}')


class Kcat:
    """kcat: each line a record."""

    def write(self, source, bootstrap, topic, codec):
        run(['kcat', '-P', '-b', bootstrap, '-t', topic, '-z', codec, '-l', source])

    def read(self, target, bootstrap, topic):
        with open(target, 'wb') as out:
            run(['kcat', '-C', '-b', bootstrap, '-t', topic, '-o', 'beginning', '-e', '-q', '-X', 'check.crcs=true',
                 '-X', f'queued.min.messages={QUEUED_MIN_MESSAGES}'], stdout=out)


class Librdkafka:
    """A C program of ours on librdkafka: each line a record."""

    def __init__(self, folder):
        self.program = pathlib.Path(folder, 'lines')
        run(['clang-19', '-O1', '-Wall', '-Wextra', '-Werror', HERE / 'lines.c', '-o', self.program, '-lrdkafka'])

    def write(self, source, bootstrap, topic, codec):
        with open(source, 'rb') as lines:
            run([self.program, 'produce', bootstrap, topic, codec], stdin=lines)

    def read(self, target, bootstrap, topic):
        with open(target, 'wb') as out:
            run([self.program, 'consume', bootstrap, topic], stdout=out)


class KafkaPython:
    """Debian's python3-kafka, which is slow by the record: each record holds lines of about 1 KiB together."""

    def write(self, source, bootstrap, topic, codec):
        import kafka
        producer = kafka.KafkaProducer(bootstrap_servers=bootstrap, acks='all', batch_size=1 << 17, linger_ms=20,
                                       compression_type=None if codec == 'none' else codec,
                                       max_in_flight_requests_per_connection=1)
        sent = [producer.send(topic, value, partition=0) for value in self.pieces(source)]
        producer.flush(timeout=120)
        for future in sent:
            future.get(timeout=10)
        producer.close()

    @staticmethod
    def pieces(source):
        piece = bytearray()
        with open(source, 'rb') as lines:
            for line in lines:
                piece += line
                if len(piece) >= 1024:
                    yield bytes(piece)
                    piece.clear()
        if piece:
            yield bytes(piece)

    def read(self, target, bootstrap, topic):
        import kafka
        consumer = kafka.KafkaConsumer(bootstrap_servers=bootstrap, enable_auto_commit=False, check_crcs=True,
                                       consumer_timeout_ms=30000)
        partition = kafka.TopicPartition(topic, 0)
        consumer.assign([partition])
        end = consumer.end_offsets([partition])[partition]
        consumer.seek_to_beginning(partition)
        with open(target, 'wb') as out:
            for record in consumer:
                out.write(record.value)
                if record.offset == end - 1:
                    break
        consumer.close()


class ConfluentPython:
    """Debian's python3-confluent-kafka: each line a record."""

    def write(self, source, bootstrap, topic, codec):
        import confluent_kafka
        failed = []
        producer = confluent_kafka.Producer({
            'bootstrap.servers': bootstrap, 'compression.codec': codec, 'linger.ms': 20,
            'max.in.flight.requests.per.connection': 1, 'queue.buffering.max.messages': 500000,
            'on_delivery': lambda error, _: error and failed.append(error)})
        with open(source, 'rb') as lines:
            for line in lines:
                while True:
                    try:
                        producer.produce(topic, line[:-1], partition=0)
                        break
                    except BufferError:
                        producer.poll(0.05)
        left = producer.flush(120)
        if left or failed:
            raise AssertionError(f'{left} records were not sent, {len(failed)} failed: {failed[:1]}')

    def read(self, target, bootstrap, topic):
        import confluent_kafka
        consumer = confluent_kafka.Consumer({'bootstrap.servers': bootstrap, 'group.id': 'lines', 'check.crcs': True,
                                             'enable.auto.commit': False, 'queued.min.messages': QUEUED_MIN_MESSAGES})
        partition = confluent_kafka.TopicPartition(topic, 0, confluent_kafka.OFFSET_BEGINNING)
        _, end = consumer.get_watermark_offsets(partition, timeout=30)
        consumer.assign([partition])
        with open(target, 'wb') as out:
            seen = 0
            while seen < end:
                # Waits until there are as many, so never for more than there are.
                messages = consumer.consume(min(10_000, end - seen), timeout=30)
                if not messages:
                    raise AssertionError(f'nothing for 30 s after {seen} of {end} records')
                for message in messages:
                    if message.error():
                        raise AssertionError(message.error())
                    out.write(message.value() + b'\n')
                    seen += 1
        consumer.close()
