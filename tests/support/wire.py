# SPDX-License-Identifier: Apache-2.0
"""A raw client: frames made by hand, so that a test can send what no real client would.

Speaks classic (not flexible) versions of a few APIs, which every 4.x broker serves.
"""
import collections
import socket
import struct
import time

API_VERSIONS, METADATA, PRODUCE, FETCH, LIST_OFFSETS, CREATE_TOPICS = 18, 3, 0, 1, 2, 19

Metadata = collections.namedtuple('Metadata', 'brokers cluster_id topics')
Partition = collections.namedtuple('Partition', 'error leader')


class Closed(Exception):
    """The server has closed the connection."""


def int16(number):
    return struct.pack('>h', number)


def int32(number):
    return struct.pack('>i', number)


def int64(number):
    return struct.pack('>q', number)


def string(text):
    return int16(-1) if text is None else int16(len(text.encode())) + text.encode()


def array(items):
    return int32(len(items)) + b''.join(items)


def frame(payload):
    return int32(len(payload)) + payload


def header(key, version, correlation=1, client_id='raw', flexible=False):
    return (int16(key) + int16(version) + int32(correlation) + string(client_id)
            + (b'\0' if flexible else b''))


class Reader:
    """Takes an answer apart, front to back."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from('>' + form, self.data, self.at)
        self.at += struct.calcsize('>' + form)
        return values if len(values) > 1 else values[0]

    def string(self):
        length = self.take('h')
        if length < 0:
            return None
        self.at += length
        return self.data[self.at - length:self.at].decode()

    def array(self, read):
        return [read() for _ in range(self.take('i'))]


class Connection:
    def __init__(self, port, host='127.0.0.1', timeout_s=10):
        self.socket = socket.create_connection((host, port), timeout=timeout_s)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.correlation = 0
        self.client_id = 'raw'

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    @property
    def local_port(self):
        return self.socket.getsockname()[1]

    def send(self, data):
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise Closed from error

    def receive_exactly(self, count):
        chunks = []
        while count:
            try:
                chunk = self.socket.recv(min(count, 1 << 20))
            except ConnectionResetError as error:
                raise Closed from error
            if not chunk:
                raise Closed
            chunks.append(chunk)
            count -= len(chunk)
        return b''.join(chunks)

    def receive_frame(self):
        return self.receive_exactly(struct.unpack('>i', self.receive_exactly(4))[0])

    def request(self, key, version, body, flexible=False):
        """Sends a request and gives a Reader at the body of its answer (classic response header)."""
        self.correlation += 1
        self.send(frame(header(key, version, self.correlation, self.client_id, flexible) + body))
        reader = Reader(self.receive_frame())
        correlation = reader.take('i')
        assert correlation == self.correlation, f'answer {correlation} to request {self.correlation}'
        return reader

    def is_closed_within(self, seconds):
        """True if the server ends the connection, whatever it sends before that."""
        self.socket.settimeout(seconds)
        try:
            while self.socket.recv(1 << 16):
                pass
            return True
        except ConnectionResetError:
            return True
        except (TimeoutError, socket.timeout):
            return False

    # The APIs.

    def api_versions(self):
        """{key: (lowest, highest version)} of what this listener serves."""
        reader = self.request(API_VERSIONS, 0, b'')
        error = reader.take('h')
        assert error == 0, f'ApiVersions: error {error}'
        return {key: (low, high) for key, low, high in reader.array(lambda: reader.take('hhh'))}

    def metadata(self, topics=(), create=False):
        """Brokers {id: (host, port)} and topics {name: (error, {index: Partition})}."""
        body = array([string(t) for t in topics]) + (b'\1' if create else b'\0')
        reader = self.request(METADATA, 4, body)
        reader.take('i')
        brokers = {}
        for _ in range(reader.take('i')):
            node = reader.take('i')
            brokers[node] = (reader.string(), reader.take('i'))
            reader.string()
        cluster_id = reader.string()
        reader.take('i')
        found = {}
        for _ in range(reader.take('i')):
            error = reader.take('h')
            name = reader.string()
            reader.take('b')
            partitions = {}
            for _ in range(reader.take('i')):
                partition_error, index, leader = reader.take('hii')
                reader.array(lambda: reader.take('i'))
                reader.array(lambda: reader.take('i'))
                partitions[index] = Partition(partition_error, leader)
            found[name] = (error, partitions)
        return Metadata(brokers, cluster_id, found)

    def create_topic(self, name, partitions=1, configs=None):
        """The error code of the creation."""
        entries = [string(k) + string(v) for k, v in (configs or {}).items()]
        topic = string(name) + int32(partitions) + int16(1) + array([]) + array(entries)
        reader = self.request(CREATE_TOPICS, 4, array([topic]) + int32(10000) + b'\0')
        reader.take('i')
        return reader.array(lambda: (reader.string(), reader.take('h'), reader.string()))[0][1]

    def make_topic(self, name, partitions=1, configs=None, timeout_s=10):
        """Creates the topic and waits until each of its partitions has a leader that answers."""
        error = self.create_topic(name, partitions, configs)
        assert error == 0, f'CreateTopics {name}: error {error}'
        for partition in range(partitions):
            self.await_leader(name, partition, timeout_s)

    def await_leader(self, topic, partition=0, timeout_s=10):
        deadline = time.monotonic() + timeout_s
        while self.list_offset(topic, -1, partition)[0] != 0:
            assert time.monotonic() < deadline, f'{topic}-{partition} has no leader after {timeout_s} s'
            time.sleep(0.02)

    def produce(self, topic, records, acks=-1, partition=0):
        """(error code, base offset) of one batch."""
        body = (string(None) + int16(acks) + int32(10000)
                + array([string(topic) + array([int32(partition) + int32(len(records)) + records])]))
        reader = self.request(PRODUCE, 7, body)
        reader.take('i'), reader.string(), reader.take('i')
        _, error, base, _, _ = reader.take('ihqqq')
        return error, base

    def list_offset(self, topic, timestamp, partition=0):
        """(error code, offset); −1 is the end, −2 the beginning."""
        body = int32(-1) + array([string(topic) + array([int32(partition) + int64(timestamp)])])
        reader = self.request(LIST_OFFSETS, 1, body)
        reader.take('i'), reader.string(), reader.take('i')
        _, error, _, offset = reader.take('ihqq')
        return error, offset

    def fetch(self, topic, offset, partition=0, max_wait_ms=500, bytes_max=1 << 20):
        """(error code, high watermark, the bytes of whole and cut batches)."""
        part = int32(partition) + int64(offset) + int32(bytes_max)
        body = (int32(-1) + int32(max_wait_ms) + int32(1) + int32(bytes_max) + b'\0'
                + array([string(topic) + array([part])]))
        reader = self.request(FETCH, 4, body)
        reader.take('i'), reader.take('i'), reader.string(), reader.take('i')
        _, error, high_watermark, _ = reader.take('ihqq')
        reader.array(lambda: reader.take('qq'))
        length = reader.take('i')
        return error, high_watermark, reader.data[reader.at:reader.at + max(length, 0)]
