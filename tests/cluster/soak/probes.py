# SPDX-License-Identifier: Apache-2.0
"""What the brokers' part of a failure takes: clients that ask without a pause, and are told nothing by metadata.

A producer finds a new leader by its own backoffs. These ask every node for everything all the time, over connections
that are there before the blow, so what they measure is when the new leader could first acknowledge, and when the new
controller could first make a change.
"""
import socket
import struct
import threading
import time

from support import records, wire

from . import view

PRODUCE_VERSION = 7
PAUSE_S = 0.002
LIMIT_S = 60


def produce_request(topic, partitions, batch):
    parts = [wire.int32(p) + wire.int32(len(batch)) + batch for p in partitions]
    return (wire.string(None) + wire.int16(-1) + wire.int32(30_000)
            + wire.array([wire.string(topic) + wire.array(parts)]))


def read_taken(reader):
    """The partitions that were acknowledged."""
    taken = []
    reader.take('i'), reader.string()
    for _ in range(reader.take('i')):
        partition, error, _, _, _ = reader.take('ihqqq')
        if error == 0:
            taken.append(partition)
    return taken


class Asking(threading.Thread):
    """One node, for some partitions, until all of them were acknowledged somewhere."""

    def __init__(self, node, topic, probe, partitions):
        super().__init__(daemon=True)
        self.node, self.topic, self.probe, self.partitions = node, topic, probe, partitions
        self.connection = None
        try:
            self.connect()
        except OSError:  # it is just starting
            pass

    def connect(self):
        self.connection = self.connection or wire.Connection(self.node.port, self.node.host, timeout_s=2)
        return self.connection

    def run(self):
        batch = records.batch([b'probe 0'])
        self.probe.begun.wait()
        while wanted := self.probe.still_wanted(self.partitions):
            try:
                reader = self.connect().request(wire.PRODUCE, PRODUCE_VERSION,
                                                produce_request(self.topic, wanted, batch))
                self.probe.take(read_taken(reader))
            except (OSError, wire.Closed, struct.error, socket.timeout):
                if self.connection:
                    self.connection.close()
                self.connection = None
            time.sleep(PAUSE_S)
        if self.connection:
            self.connection.close()


class LeaderProbe:
    """When could each partition first be written to? Asked of the nodes that are left."""

    def __init__(self, nodes, topic, groups):
        """`groups` of partitions that are asked for in one request each: those that go on and those that can't."""
        self.lock, self.begun = threading.Lock(), threading.Event()
        self.moments = {partition: None for group in groups for partition in group}
        self.asking = [Asking(node, topic, self, group) for node in nodes for group in groups if group]
        for one in self.asking:
            one.start()

    def still_wanted(self, partitions):
        with self.lock:
            if time.monotonic() > getattr(self, 'deadline', float('inf')):
                return []
            return [p for p in partitions if self.moments[p] is None]

    def take(self, partitions):
        now = time.monotonic()
        with self.lock:
            for partition in partitions:
                if self.moments[partition] is None:
                    self.moments[partition] = now

    def begin(self):
        self.deadline = time.monotonic() + LIMIT_S
        self.begun.set()

    def is_over(self):
        with self.lock:
            return None not in self.moments.values()

    def took_s(self, began, partitions=None):
        """Of the worst partition; infinite if one was not acknowledged at all."""
        with self.lock:
            moments = [self.moments[p] for p in (self.moments if partitions is None else partitions)]
        return max((float('inf') if m is None else m - began for m in moments), default=0.0)


class ControllerProbe(threading.Thread):
    """When could the next topic be made? Asked of one node that is left, which passes it on."""

    def __init__(self, node, name):
        super().__init__(daemon=True)
        self.node, self.name = node, name
        self.moment = None

    def run(self):
        deadline = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline:
            try:
                with wire.Connection(self.node.port, self.node.host, timeout_s=2) as connection:
                    while connection.create_topic(self.name) not in (0, view.TOPIC_ALREADY_EXISTS):
                        time.sleep(PAUSE_S)
                self.moment = time.monotonic()
                return
            except (OSError, wire.Closed, struct.error):
                time.sleep(PAUSE_S)
