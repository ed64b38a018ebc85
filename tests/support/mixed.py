# SPDX-License-Identifier: Apache-2.0
"""Clusters of Apache Kafka's nodes and Milena's: which program a node runs is decided at each of its starts, its
configuration and its folder stay what they are. And what the partitions of such a cluster hold."""
import collections
import threading
import time
import uuid

import confluent_kafka

from conversations import talk
from . import apache, quorum, records, wire

# Enough for some dozens of partitions; short compilation, for what lives a minute.
JVM = ['-Xms96m', '-Xmx256m', '-Xss512k', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:CICompilerCount=1']
# What Milena's brokers don't coordinate yet stays switched off for all.
NO_COORDINATORS = [word for name in ('group', 'share', 'streams', 'transaction')
                   for word in ('--feature', f'{name}.version=0')]
EXTRA = {
    'offsets.topic.num.partitions': 1, 'offsets.topic.replication.factor': 3, 'log.cleaner.dedupe.buffer.size': 2 << 20,
    'broker.heartbeat.interval.ms': 500, 'broker.session.timeout.ms': 3000, 'replica.lag.time.max.ms': 3000,
    'num.network.threads': 2, 'num.io.threads': 2, 'background.threads': 2, 'num.recovery.threads.per.data.dir': 1}

# So that elections are won by Apache Kafka's voters too.
PATIENT = {'controller.quorum.election.timeout.ms': 4000}


class Machine(quorum.Member):
    """A node that runs Milena, or Apache Kafka if `peer` is set."""

    def __init__(self, node_id, roles, peer):
        super().__init__(node_id, roles)
        self.peer = peer
        self.directory_id = uuid.uuid4()

    def command(self):
        if self.peer:
            return apache.java(self.peer, JVM, 'kafka.Kafka', self.properties)
        return super().command()

    def ask(self, key, version, **values):
        """The answer of this node's broker to one request."""
        with talk.Talk(self.port, 'mixed', timeout_s=20) as asked:
            return asked.quietly(key, version, **values)

    def partitions(self, topic):
        """What it tells of a topic's partitions: {index: answer}; empty if it knows no such topic."""
        answer = self.ask(talk.DESCRIBE_TOPIC_PARTITIONS, 0, Topics=[{'Name': topic}])
        return {one['PartitionIndex']: one for one in answer['Topics'][0]['Partitions']}

    def log_folder(self, topic, partition):
        return self.data / f'{topic}-{partition}'

    def log_bytes(self, topic, partition):
        """The bytes of all segments of its replica."""
        return b''.join(path.read_bytes() for path in sorted(self.log_folder(topic, partition).glob('*.log')))


class Cluster(quorum.Quorum):
    """`kinds` has a letter for each voter, m for Milena and a for Apache Kafka; voters are brokers too. Beside them
    `brokers` of Milena that don't vote."""

    def __init__(self, kinds, jars, extra=None, brokers=0):
        self.jars = jars
        self.voters = [Machine(number + 1, 'broker,controller', jars if kind == 'a' else None)
                       for number, kind in enumerate(kinds)]
        others = [Machine(101 + number, 'broker', None) for number in range(brokers)]
        self.nodes = self.brokers = self.voters + others
        servers = [f'127.0.0.1:{one.controller_port}' for one in self.voters]
        first = ','.join(f'{one.node_id}@{server}:{quorum.short_id(one.directory_id)}'
                         for one, server in zip(self.voters, servers))
        for one in self.nodes:
            one.configure(servers, {**EXTRA, **({} if one.peer else PATIENT), **(extra or {})})
            if one in self.voters:
                one.format('--initial-controllers', first, *NO_COORDINATORS)
            else:
                one.format()

    @property
    def milenas(self):
        return [one for one in self.voters if not one.peer]

    @property
    def apaches(self):
        return [one for one in self.voters if one.peer]

    @property
    def bootstrap(self):
        return ','.join(one.bootstrap for one in self.nodes)

    def node(self, node_id):
        return next(one for one in self.nodes if one.node_id == node_id)

    def create(self, topic, assignment, at=None, **configs):
        """Has a node make a topic whose partitions have these replicas."""
        answer = (at or self.nodes[0]).ask(talk.CREATE_TOPICS, 7, timeoutMs=30000, Topics=[{
            'Name': topic, 'NumPartitions': -1, 'ReplicationFactor': -1,
            'Assignments': [{'PartitionIndex': index, 'BrokerIds': ids} for index, ids in enumerate(assignment)],
            'Configs': [{'Name': key.replace('_', '.'), 'Value': str(value)} for key, value in configs.items()]}])
        assert answer['Topics'][0]['ErrorCode'] == 0, answer

    def wrong_metadata(self):
        """What does not hold of the metadata logs: as far as all have it, it is the same."""
        logs = [one.metadata_log() for one in self.voters if one.metadata_log_start() == 0]
        common = min(len(log) for log in logs)
        return [] if all(log[:common] == logs[0][:common] for log in logs) else ['the metadata logs differ']

    def logs(self):
        return '\n'.join(f'--- node {one.node_id}, {"Apache Kafka" if one.peer else "Milena"}\n{one.log()[-20000:]}'
                         for one in self.nodes)

    def make_lead(self, kind, tries=8):
        """Has a voter of the kind become the active controller, by kills of the others; gives it."""
        for _ in range(tries):
            leader = self.leader()[0]
            if bool(leader.peer) == (kind == 'a'):
                return leader
            others = self.apaches if leader.peer else self.milenas
            for one in others:
                one.kill()
            if len(others) == 2:
                # The one that is left stands, and needs one vote. Who led before is in no haste to stand again.
                time.sleep(3)
                leader.spawn()
            self.leader(but=leader if len(others) == 1 else None)
            for one in others:
                if not one.is_running():
                    one.spawn()
            self.await_brokers()
        raise AssertionError(f'none of {tries} elections was won by who is wanted\n{self.logs()}')

    def await_in_sync(self, topic, wanted, timeout_s=60, at=None):
        """Every partition of the topic has exactly these in sync, and a leader, as every running node tells."""
        asked = [at] if at else [one for one in self.nodes if one.is_running()]
        deadline = time.monotonic() + timeout_s
        for one in asked:
            while True:
                told = {}
                try:
                    told = one.partitions(topic)
                    if told and all(set(part['IsrNodes']) == set(wanted) and part['LeaderId'] in wanted
                                    for part in told.values()):
                        break
                except (OSError, wire.Closed, AssertionError):
                    pass
                if time.monotonic() > deadline:
                    raise AssertionError(f'node {one.node_id} tells {told}\n{self.logs()}')
                time.sleep(0.05)

    def await_same_logs(self, topic, partitions, nodes, timeout_s=20):
        """The replicas of a topic that nobody writes to become equal to the last byte; gives them by partition."""
        deadline = time.monotonic() + timeout_s
        while True:
            found = {index: [one.log_bytes(topic, index) for one in nodes] for index in range(partitions)}
            if all(log == logs[0] for logs in found.values() for log in logs):
                return {index: logs[0] for index, logs in found.items()}
            sizes = {index: [len(log) for log in logs] for index, logs in found.items()}
            assert time.monotonic() < deadline, f'logs of {sizes} bytes differ\n{self.logs()}'
            time.sleep(0.1)


class Writer(threading.Thread):
    """An idempotent producer that writes numbered records to all partitions in turn until it is told to stop."""

    def __init__(self, bootstrap, topic, partitions, per_second=300, name='writer'):
        super().__init__(name=name, daemon=True)
        self.topic, self.partitions, self.pause_s = topic, partitions, 1 / per_second
        self.stopping = threading.Event()
        self.acknowledged, self.failed, self.left = {}, [], None  # (partition, offset) -> value
        self.wrong = []
        self.producer = confluent_kafka.Producer({
            'bootstrap.servers': bootstrap, 'enable.idempotence': True, 'linger.ms': 2, 'retry.backoff.ms': 50,
            'reconnect.backoff.ms': 20, 'reconnect.backoff.max.ms': 200, 'message.timeout.ms': 120_000,
            'topic.metadata.refresh.fast.interval.ms': 50, 'socket.timeout.ms': 10_000, 'log_level': 0})

    def delivered(self, error, message):
        if error:
            self.failed.append(str(error))
        else:
            place, value = (message.partition(), message.offset()), message.value()
            first = self.acknowledged.setdefault(place, value)
            if first != value:
                self.wrong.append(f'{place} was acknowledged for {first} and then for {value}')

    def run(self):
        number = 0
        while not self.stopping.is_set():
            self.producer.produce(self.topic, f'{self.name} {number}'.encode(), partition=number % self.partitions,
                                  on_delivery=self.delivered)
            number += 1
            self.producer.poll(0)
            time.sleep(self.pause_s)
        self.left = self.producer.flush(120)

    def finish(self):
        self.stopping.set()
        self.join()
        assert self.left == 0, f'{self.left} records could not be sent'

    def await_more(self, timeout_s=60):
        """Every partition takes records that are sent from now on."""
        def taken():
            return collections.Counter(where for where, _ in list(self.acknowledged))
        before = taken()
        deadline = time.monotonic() + timeout_s
        while any(taken()[index] < before[index] + 20 for index in range(self.partitions)):
            assert time.monotonic() < deadline, f'no partition of {before} takes records: {self.failed[:3]}'
            time.sleep(0.05)


def wrong(writers, logs):
    """What does not hold of logs (by partition), in words: lost, doubled or reordered records."""
    found = [f'a record was given up: {why}' for writer in writers for why in writer.failed]
    found += [why for writer in writers for why in writer.wrong]
    for partition, log in logs.items():
        read = records.read(log)
        at = dict(read)
        for writer in writers:
            found += [f'{value} was acknowledged at {place}, where {at.get(place[1])} is'
                      for place, value in writer.acknowledged.items()
                      if place[0] == partition and at.get(place[1]) != value]
        if list(at) != list(range(len(read))):
            found.append(f'offsets of partition {partition} do not count up from 0')
        last = {}
        for _, value in read:
            name, number = value.split()
            if int(number) <= last.get(name, -1):
                found.append(f'partition {partition} has {value} after {last[name]}')
            last[name] = int(number)
    return found
