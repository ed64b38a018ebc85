# SPDX-License-Identifier: Apache-2.0
"""What brokers tell the active controller of their partitions, over its listener: in-sync sets, directories; and
moves of replicas that clients ask for. The brokers are modelled here: they register, beat, and lead nothing for real.
"""
import pathlib
import re
import tempfile
import time
import unittest
import uuid

from conversations.talk import ALTER_REASSIGNMENTS, CREATE_TOPICS, LIST_REASSIGNMENTS, METADATA, UNKNOWN_ID, Talk
from support import node, tools

ALTER_PARTITION, ASSIGN_REPLICAS = 56, 73
BROKER_REGISTRATION, BROKER_HEARTBEAT = 62, 63
NONE, UNKNOWN_TOPIC_OR_PARTITION, NOT_LEADER_OR_FOLLOWER = 0, 3, 6
NOT_CONTROLLER, INVALID_REQUEST, FENCED_LEADER_EPOCH, STALE_BROKER_EPOCH = 41, 42, 74, 77
NO_REASSIGNMENT_IN_PROGRESS, INVALID_UPDATE_VERSION, UNKNOWN_TOPIC_ID = 85, 95, 100
INELIGIBLE_REPLICA, INVALID_REPLICA_ASSIGNMENT, NEW_LEADER_ELECTED = 107, 39, 108
FEATURES = {'metadata.version': (7, 33), 'kraft.version': (0, 1), 'group.version': (0, 1), 'share.version': (0, 2),
            'streams.version': (0, 1), 'transaction.version': (0, 2), 'eligible.leader.replicas.version': (0, 1)}
FOR_EVER = 1 << 60


class PartitionRequestsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = node.Node({'broker.session.timeout.ms': 600000, 'min.insync.replicas': 2}).start()
        cls.addClassCleanup(cls.node.__exit__)
        cls.controllers = Talk(cls.node.controller_port, 'controllers')
        cls.addClassCleanup(cls.controllers.hang_up)
        cls.clients = Talk(cls.node.port, 'clients')
        cls.addClassCleanup(cls.clients.hang_up)
        cls.directories = {}
        cls.epochs = {broker: cls.register(broker) for broker in (2, 3, 4)}

    @classmethod
    def register(cls, broker):
        cls.directories[broker] = uuid.uuid4()
        cluster_id = re.search(r'^cluster\.id=(.*)$', (cls.node.data / 'meta.properties').read_text(), re.M)[1]
        answer = cls.controllers.quietly(
            BROKER_REGISTRATION, 4, BrokerId=broker, ClusterId=cluster_id, IncarnationId=uuid.uuid4(),
            Listeners=[{'Name': 'PLAINTEXT', 'Host': '127.0.0.1', 'Port': 1, 'SecurityProtocol': 0}],
            Features=[{'Name': name, 'MinSupportedVersion': low, 'MaxSupportedVersion': high}
                      for name, (low, high) in FEATURES.items()],
            LogDirs=[cls.directories[broker]])
        assert answer['ErrorCode'] == NONE, answer
        cls.beat(broker, answer['BrokerEpoch'])
        return answer['BrokerEpoch']

    @classmethod
    def beat(cls, broker, epoch, fence=False):
        answer = cls.controllers.quietly(BROKER_HEARTBEAT, 1, BrokerId=broker, BrokerEpoch=epoch,
                                         CurrentMetadataOffset=FOR_EVER, WantFence=fence)
        assert answer['ErrorCode'] == NONE and answer['IsFenced'] == fence, answer

    def topic(self, name, replicas):
        answer = self.clients.quietly(CREATE_TOPICS, 7, timeoutMs=30000, Topics=[
            {'Name': name, 'NumPartitions': -1, 'ReplicationFactor': -1,
             'Assignments': [{'PartitionIndex': 0, 'BrokerIds': replicas}]}])
        self.assertEqual(answer['Topics'][0]['ErrorCode'], NONE, answer)
        return answer['Topics'][0]['TopicId']

    def partition(self, name):
        answer = self.clients.quietly(METADATA, 12, Topics=[{'Name': name}], AllowAutoTopicCreation=False)
        return answer['Topics'][0]['Partitions'][0]

    def await_partition(self, name, **wanted):
        """What brokers tell follows the controller's answer a moment later."""
        deadline = time.monotonic() + 10
        while True:
            now = {field: self.partition(name)[field] for field in wanted}
            if now == wanted or time.monotonic() > deadline:
                return self.assertEqual(now, wanted)
            time.sleep(0.02)

    def alter(self, topic, isr, sender=2, version=3, broker_epoch=None, **more):
        """The answer for partition 0, or the error of all."""
        with_epochs = [isr_of if isinstance(isr_of, tuple) else (isr_of, self.epochs[isr_of]) for isr_of in isr]
        partition = {'PartitionIndex': 0, 'LeaderEpoch': 0, 'PartitionEpoch': 0, 'LeaderRecoveryState': 0,
                     'NewIsr': [broker for broker, _ in with_epochs],
                     'NewIsrWithEpochs': [{'BrokerId': b, 'BrokerEpoch': e} for b, e in with_epochs], **more}
        answer = self.controllers.quietly(
            ALTER_PARTITION, version, BrokerId=sender,
            BrokerEpoch=self.epochs[sender] if broker_epoch is None else broker_epoch,
            Topics=[{'TopicId': topic, 'Partitions': [partition]}])
        return answer['Topics'][0]['Partitions'][0] if answer['ErrorCode'] == NONE else answer

    def test_a_leader_alters_its_in_sync_set(self):
        topic = self.topic('isr', [2, 3, 4])
        for version, isr, epoch in (3, [2, 3], 0), (2, [2, 3, 4], 1), (3, [2], 2):
            answer = self.alter(topic, isr, version=version, PartitionEpoch=epoch)
            self.assertEqual(answer, {'PartitionIndex': 0, 'ErrorCode': NONE, 'LeaderId': 2, 'LeaderEpoch': 0,
                                      'Isr': isr, 'LeaderRecoveryState': 0, 'PartitionEpoch': epoch + 1})
        self.await_partition('isr', IsrNodes=[2])

    def test_what_a_leader_is_refused(self):
        topic = self.topic('refused', [2, 3])
        self.assertEqual(self.alter(topic, [2], broker_epoch=self.epochs[2] - 1)['ErrorCode'], STALE_BROKER_EPOCH)
        for code, arguments in ((UNKNOWN_TOPIC_ID, {'topic': UNKNOWN_ID}),
                                (UNKNOWN_TOPIC_OR_PARTITION, {'PartitionIndex': 1}),
                                (NOT_CONTROLLER, {'LeaderEpoch': 1}), (NOT_CONTROLLER, {'PartitionEpoch': 1}),
                                (FENCED_LEADER_EPOCH, {'LeaderEpoch': -1}), (INVALID_REQUEST, {'sender': 3}),
                                (INVALID_UPDATE_VERSION, {'PartitionEpoch': -1}), (INVALID_REQUEST, {'isr': []}),
                                (INVALID_REQUEST, {'isr': [2, 4]}), (INVALID_REQUEST, {'isr': [3]}),
                                (INVALID_REQUEST, {'LeaderRecoveryState': 1}),
                                (INELIGIBLE_REPLICA, {'isr': [2, (3, self.epochs[3] - 1)]})):
            with self.subTest(code=code, **arguments):
                answer = self.alter(**{'topic': topic, 'isr': [2], **arguments})
                self.assertEqual(answer, {'PartitionIndex': arguments.get('PartitionIndex', 0), 'ErrorCode': code,
                                          'LeaderId': 0, 'LeaderEpoch': 0, 'Isr': [], 'LeaderRecoveryState': 0,
                                          'PartitionEpoch': 0})
        self.assertEqual(self.alter(topic, [2, (3, -1)], PartitionEpoch=0)['ErrorCode'], NONE)

    def test_who_is_fenced_is_not_in_sync(self):
        topic = self.topic('fenced', [2, 4])
        self.beat(4, self.epochs[4], fence=True)
        self.await_partition('fenced', IsrNodes=[2])
        self.assertEqual(self.alter(topic, [2, 4], PartitionEpoch=1)['ErrorCode'], INELIGIBLE_REPLICA)
        self.beat(4, self.epochs[4])
        self.assertEqual(self.alter(topic, [2, 4], PartitionEpoch=1)['ErrorCode'], NONE)

    def reassign(self, name, replicas):
        answer = self.clients.quietly(ALTER_REASSIGNMENTS, 1, TimeoutMs=30000, Topics=[
            {'Name': name, 'Partitions': [{'PartitionIndex': 0, 'Replicas': replicas}]}])
        self.assertEqual(answer['ErrorCode'], NONE, answer)
        return answer['Responses'][0]['Partitions'][0]['ErrorCode']

    def moving(self, name):
        answer = self.clients.quietly(LIST_REASSIGNMENTS, 0, TimeoutMs=30000,
                                      Topics=[{'Name': name, 'PartitionIndexes': [0]}])
        return [(p['Replicas'], p['AddingReplicas'], p['RemovingReplicas'])
                for t in answer['Topics'] for p in t['Partitions']]

    def test_replicas_move(self):
        topic = self.topic('move', [2, 3])
        self.assertEqual(self.reassign('move', None), NO_REASSIGNMENT_IN_PROGRESS)
        self.assertEqual(self.reassign('move', [9]), INVALID_REPLICA_ASSIGNMENT)
        self.assertEqual(self.reassign('move', [4, 3]), NONE)
        self.assertEqual(self.moving('move'), [([4, 3, 2], [4], [2])])
        self.assertEqual(self.reassign('move', None), NONE)
        self.assertEqual(self.moving('move'), [])
        self.assertEqual(sorted(self.partition('move')['ReplicaNodes']), [2, 3])
        self.assertEqual(self.reassign('move', [4, 3]), NONE)
        epoch = self.partition('move')['LeaderEpoch']
        answer = self.alter(topic, [2, 3, 4], LeaderEpoch=epoch, PartitionEpoch=3)
        self.assertEqual(answer['ErrorCode'], NEW_LEADER_ELECTED)
        self.await_partition('move', ReplicaNodes=[4, 3], IsrNodes=[3, 4], LeaderId=4, LeaderEpoch=epoch + 1)

    def test_directories_are_assigned(self):
        topic = self.topic('dirs', [2, 3])

        def assign(partition=0, sender=2, topic_id=topic, epoch=None):
            answer = self.controllers.quietly(
                ASSIGN_REPLICAS, 0, BrokerId=sender, BrokerEpoch=self.epochs[sender] if epoch is None else epoch,
                Directories=[{'Id': self.directories[sender], 'Topics': [
                    {'TopicId': topic_id, 'Partitions': [{'PartitionIndex': partition}]}]}])
            if answer['ErrorCode'] != NONE:
                return answer['ErrorCode']
            self.assertEqual(answer['Directories'][0]['Id'], self.directories[sender])
            return answer['Directories'][0]['Topics'][0]['Partitions'][0]['ErrorCode']

        self.assertEqual(assign(), NONE)
        self.assertEqual(assign(partition=7), UNKNOWN_TOPIC_OR_PARTITION)
        self.assertEqual(assign(topic_id=UNKNOWN_ID), UNKNOWN_TOPIC_ID)
        self.assertEqual(assign(sender=4), NOT_LEADER_OR_FOLLOWER)
        self.assertEqual(assign(epoch=self.epochs[2] - 1), STALE_BROKER_EPOCH)


@unittest.skipIf(node.PEER, 'a second directory would have to be formatted first')
class DirectoryReportsTest(unittest.TestCase):
    def test_a_broker_tells_where_it_put_its_replicas(self):
        with tempfile.TemporaryDirectory() as second, node.Node() as server:
            server.stop()
            text = server.properties.read_text()
            server.properties.write_text(re.sub(r'^log\.dirs=.*$', f'log.dirs={server.data},{second}/data', text,
                                                flags=re.M))
            server.start()
            with server.connect() as connection:
                connection.make_topic('t', 4)
            ids = {re.search(r'^directory\.id=(.*)$', (path / 'meta.properties').read_text(), re.M)[1]
                   for path in (server.data, pathlib.Path(second) / 'data')}
            log = next(server.data.glob('__cluster_metadata-0/*.log'))
            deadline = time.monotonic() + 20
            told = []
            while len(told) < 4 and time.monotonic() < deadline:
                time.sleep(0.1)
                printed = tools.run('dump-log', '--files', str(log), '--cluster-metadata-decoder').out
                told = re.findall(r'PARTITION_CHANGE_RECORD.*"directories":\["([^"]*)"\]', printed)
            self.assertEqual(len(told), 4, printed)
            self.assertEqual(set(told), ids)


if __name__ == '__main__':
    unittest.main()
