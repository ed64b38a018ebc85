# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks of groups share: connections with requests under way, and a node or cluster that coordinates."""
import socket
import struct
import time

import confluent_kafka.admin

from support import node
from support.wire import Reader, array, frame, header, int32, string

OFFSET_FETCH, FIND_COORDINATOR = 9, 10
# Nothing waits for others to come first.
SETTINGS = {'group.initial.rebalance.delay.ms': 0, 'group.consumer.assignment.interval.ms': 0,
            'offsets.topic.num.partitions': 1}
TOPIC = 'bench'


class Lane:
    """A connection with requests under way, answered in order."""

    def __init__(self, port):
        self.socket = socket.create_connection(('127.0.0.1', port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b''

    def send(self, key, version, *fields, flexible=False):
        self.socket.sendall(frame(header(key, version, flexible=flexible) + b''.join(fields)))

    def take(self):
        """The next answer behind its correlation id if it is here, else None."""
        if len(self.buffer) < 4:
            return None
        size = struct.unpack('>i', self.buffer[:4])[0]
        if len(self.buffer) < 4 + size:
            return None
        answer, self.buffer = self.buffer[8:4 + size], self.buffer[4 + size:]
        return Reader(answer)

    def fill(self):
        data = self.socket.recv(1 << 20)
        if not data:
            raise ConnectionError('the server has closed the connection')
        self.buffer += data

    def answer(self):
        while (found := self.take()) is None:
            self.fill()
        return found

    def ask(self, key, version, *fields):
        self.send(key, version, *fields)
        return self.answer()

    def close(self):
        self.socket.close()


class Single:
    """One node of Milena, or of Apache Kafka; a context manager."""

    def __init__(self, peer):
        self.node = node.Node(SETTINGS)
        self.node.peer = peer

    def __enter__(self):
        return self.node.start()

    def __exit__(self, *_):
        self.node.__exit__()


def make_topic(server_or_trio, partitions, replicas):
    admin = confluent_kafka.admin.AdminClient({'bootstrap.servers': server_or_trio.bootstrap, 'log_level': 0})
    wanted = confluent_kafka.admin.NewTopic(TOPIC, partitions, replicas)
    admin.create_topics([wanted], operation_timeout=60)[TOPIC].result()


def fetch_offset(port, group):
    """The error and the offset of partition 0."""
    lane = Lane(port)
    answer = lane.ask(OFFSET_FETCH, 5, string(group), array([string(TOPIC) + array([int32(0)])]))
    lane.close()
    answer.take('i')
    if answer.take('i') == 0:
        return answer.take('h'), -1
    answer.string()
    answer.take('ii')
    offset = answer.take('q')
    answer.take('i')
    answer.string()
    partition_code, code = answer.take('h'), answer.take('h')
    return code or partition_code, offset


def await_coordinator(port, group):
    """Its port, once it serves the group."""
    deadline = time.monotonic() + 60
    while True:
        lane = Lane(port)
        answer = lane.ask(FIND_COORDINATOR, 2, string(group), b'\0')
        lane.close()
        answer.take('i')
        if answer.take('h') == 0:
            answer.string()
            answer.take('i')
            answer.string()
            coordinator = answer.take('i')
            if fetch_offset(coordinator, group)[0] == 0:
                return coordinator
        assert time.monotonic() < deadline
        time.sleep(0.1)
