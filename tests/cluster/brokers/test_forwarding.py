# SPDX-License-Identifier: Apache-2.0
"""Any broker can be asked for what the controller decides: it passes it on, and then shows what was changed."""
import signal
import threading
import time
import unittest

from conversations.talk import (CREATE_PARTITIONS, CREATE_TOPICS, DELETE_TOPICS, DESCRIBE_CLUSTER, DESCRIBE_QUORUM,
                                ELECT_LEADERS, LIST_REASSIGNMENTS, METADATA, UNREGISTER_BROKER, UPDATE_FEATURES, Talk)
from support import messages, node, quorum, tools

ALTER_CONFIGS, DESCRIBE_CONFIGS, INCREMENTAL_ALTER_CONFIGS = 33, 32, 44
REQUEST_TIMED_OUT, TOPIC_ALREADY_EXISTS, BROKER_ID_NOT_REGISTERED, INVALID_UPDATE_VERSION = 7, 36, 102, 95
INVALID_REQUEST, NOT_CONTROLLER, UNSUPPORTED_VERSION, PRINCIPAL_DESERIALIZATION_FAILURE = 42, 41, 35, 97
TOPIC, BROKER, BROKER_LOGGER = 2, 4, 8
ENVELOPE = 58
CONTROLLERS = 2


def setUpModule():
    if node.PEER:
        raise unittest.SkipTest('the formatting tool is Milena\'s')


def new_topic(name, partitions=1):
    return {'Name': name, 'NumPartitions': partitions, 'ReplicationFactor': 1, 'name': name}


class Asked(Talk):
    """A conversation in which each answer must say that all went well."""

    def create(self, name, partitions=1, timeout_ms=30000, version=7):
        answer = self.quietly(CREATE_TOPICS, version, Topics=[new_topic(name, partitions)], timeoutMs=timeout_ms)
        return answer['Topics'][0]['ErrorCode']

    def known(self, name):
        """The partitions of a topic as this broker tells of it; None if it knows no such topic."""
        answer = self.quietly(METADATA, 12, Topics=[{'Name': name}], AllowAutoTopicCreation=False)
        topic = answer['Topics'][0]
        return len(topic['Partitions']) if topic['ErrorCode'] == 0 else None

    def configured(self, kind, name, key):
        answer = self.quietly(DESCRIBE_CONFIGS, 4, Resources=[
            {'ResourceType': kind, 'ResourceName': name, 'ConfigurationKeys': [key]}])
        return answer['Results'][0]['Configs'][0]['Value']

    def alter(self, kind, name, key, value):
        answer = self.quietly(INCREMENTAL_ALTER_CONFIGS, 1, Resources=[
            {'ResourceType': kind, 'ResourceName': str(name),
             'Configs': [{'Name': key, 'ConfigOperation': 0, 'Value': value}]}])
        return answer['Responses'][0]['ErrorCode']


class EveryBrokerMixin:
    """The claims that hold whatever the brokers' processes are beside."""

    @classmethod
    def start(cls, **how):
        cls.quorum = quorum.Quorum(**how)
        cls.addClassCleanup(cls.quorum.__exit__)
        cls.quorum.__enter__()
        cls.quorum.await_brokers()
        cls.quorum.leader()

    def each_broker(self):
        for broker in self.quorum.brokers:
            with Asked(broker.port, 'every') as talk:
                yield broker, talk

    def test_topics_are_made_grown_and_deleted(self):
        for broker, talk in self.each_broker():
            for version in range(2, 8):
                name = f'made-by-{broker.node_id}-v{version}'
                self.assertEqual(talk.create(name, 2, version=version), 0)
                self.assertEqual(talk.known(name), 2, 'what was answered is not shown')
                self.assertEqual(talk.create(name), TOPIC_ALREADY_EXISTS)
                grown = talk.quietly(CREATE_PARTITIONS, 3, TimeoutMs=30000,
                                     Topics=[{'Name': name, 'Count': 5, 'Assignments': None}])
                self.assertEqual(grown['Results'][0]['ErrorCode'], 0)
                self.assertEqual(talk.known(name), 5)
                gone = talk.quietly(DELETE_TOPICS, 6, Topics=[{'Name': name}], TimeoutMs=30000)
                self.assertEqual(gone['Responses'][0]['ErrorCode'], 0)
                self.assertIsNone(talk.known(name))

    def test_configurations_are_changed(self):
        for broker, talk in self.each_broker():
            name = f'configured-by-{broker.node_id}'
            self.assertEqual(talk.create(name), 0)
            self.assertEqual(talk.alter(TOPIC, name, 'retention.ms', '1234567'), 0)
            self.assertEqual(talk.configured(TOPIC, name, 'retention.ms'), '1234567')
            answer = talk.quietly(ALTER_CONFIGS, 2, Resources=[
                {'ResourceType': TOPIC, 'ResourceName': name,
                 'Configs': [{'Name': 'segment.bytes', 'Value': '2000000'}]}])
            self.assertEqual(answer['Responses'][0]['ErrorCode'], 0)
            self.assertEqual(talk.configured(TOPIC, name, 'segment.bytes'), '2000000')
            self.assertEqual(talk.configured(TOPIC, name, 'retention.ms'), '604800000')
            # What the broker judges itself, and what it then sends on.
            self.assertEqual(talk.alter(BROKER, broker.node_id, 'message.max.bytes', '2000001'), 0)
            self.assertEqual(talk.configured(BROKER, str(broker.node_id), 'message.max.bytes'), '2000001')
            self.assertEqual(talk.alter(BROKER, broker.node_id, 'log.dirs', '/elsewhere'), 42)
            self.assertEqual(talk.alter(BROKER_LOGGER, broker.node_id, 'root', 'INFO'), 0)

    def test_a_request_in_part_for_the_broker_itself_is_answered_in_order(self):
        for broker, talk in self.each_broker():
            name = f'mixed-by-{broker.node_id}'
            self.assertEqual(talk.create(name), 0)

            def change(kind, resource, key, value):
                return {'ResourceType': kind, 'ResourceName': resource,
                        'Configs': [{'Name': key, 'ConfigOperation': 0, 'Value': value}]}
            answer = talk.quietly(INCREMENTAL_ALTER_CONFIGS, 1, Resources=[
                change(BROKER_LOGGER, str(broker.node_id), 'root', 'INFO'),
                change(TOPIC, name, 'retention.ms', '-7'),
                change(BROKER, str(broker.node_id), 'log.dirs', '/elsewhere'),
                change(TOPIC, 'nobody-made-it', 'retention.ms', '7'),
                change(TOPIC, name + '-2', 'nonsense', '7')])
            self.assertEqual([(r['ResourceType'], r['ErrorCode']) for r in answer['Responses']],
                             [(BROKER_LOGGER, 0), (TOPIC, 40), (BROKER, 42), (TOPIC, 3), (TOPIC, 40)])

    def test_the_quorum_and_elections_and_features(self):
        leader, _ = self.quorum.leader()
        for broker, talk in self.each_broker():
            described = talk.quietly(DESCRIBE_QUORUM, 2, Topics=[
                {'TopicName': '__cluster_metadata', 'Partitions': [{'PartitionIndex': 0}]}])
            self.assertEqual(described['ErrorCode'], 0)
            self.assertEqual(described['Topics'][0]['Partitions'][0]['LeaderId'], leader.node_id)
            name = f'elected-by-{broker.node_id}'
            self.assertEqual(talk.create(name), 0)
            elected = talk.quietly(ELECT_LEADERS, 2, ElectionType=0, TimeoutMs=30000,
                                   TopicPartitions=[{'Topic': name, 'Partitions': [0]}])
            self.assertEqual(elected['ErrorCode'], 0)
            self.assertEqual(elected['ReplicaElectionResults'][0]['PartitionResult'][0]['ErrorCode'], 84)
            refused = talk.quietly(UPDATE_FEATURES, 2, timeoutMs=30000, FeatureUpdates=[
                {'Feature': 'nonsense', 'MaxVersionLevel': 7, 'UpgradeType': 1}])
            self.assertEqual(refused['ErrorCode'], INVALID_UPDATE_VERSION)
            unknown = talk.quietly(UNREGISTER_BROKER, 0, BrokerId=77)
            self.assertEqual(unknown['ErrorCode'], BROKER_ID_NOT_REGISTERED)
            self.assertEqual(talk.quietly(LIST_REASSIGNMENTS, 0, Topics=None, TimeoutMs=30000)['ErrorCode'], 0)

    def test_a_topic_is_made_by_a_question_for_it(self):
        for broker, talk in self.each_broker():
            name = f'asked-of-{broker.node_id}'
            answer = talk.quietly(METADATA, 12, Topics=[{'Name': name}], AllowAutoTopicCreation=True)
            self.assertEqual([answer['Topics'][0]['ErrorCode'], len(answer['Topics'][0]['Partitions'])], [0, 1])

    def test_the_controller_that_a_broker_names_can_be_asked(self):
        for broker, talk in self.each_broker():
            ports = {b.node_id: b.port for b in self.quorum.brokers}
            named = {talk.quietly(METADATA, 12, Topics=[])['ControllerId'] for _ in range(40)}
            named |= {talk.quietly(DESCRIBE_CLUSTER, 2, EndpointType=1)['ControllerId'] for _ in range(40)}
            self.assertEqual(named, set(ports), 'any broker, at random')

    def test_the_tools_work_through_any_broker(self):
        for broker, _ in self.each_broker():
            name = f'tool-by-{broker.node_id}'
            made = tools.run('topics', '--bootstrap-server', broker.bootstrap, '--create', '--topic', name)
            self.assertEqual([made.exit, made.out], [0, f'Created topic {name}.\n'], made.err)
            altered = tools.run('configs', '--bootstrap-server', broker.bootstrap, '--alter', '--topic', name,
                                '--add-config', 'retention.ms=86400000')
            self.assertEqual(altered.exit, 0, altered.err)
            described = tools.run('metadata-quorum', '--bootstrap-server', broker.bootstrap, 'describe',
                                  '--status')
            self.assertIn('LeaderId:', described.out)


class CombinedNodesTest(EveryBrokerMixin, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.start(roles='broker,controller')

    def test_every_controller_names_the_one_that_leads(self):
        leader, _ = self.quorum.leader()
        for voter in self.quorum.voters:
            with Asked(voter.controller_port, 'controllers') as talk:
                answer = talk.quietly(DESCRIBE_CLUSTER, 2, EndpointType=CONTROLLERS)
                self.assertEqual(answer['ControllerId'], leader.node_id)

    def test_the_tools_find_the_leader_among_controllers(self):
        for voter in self.quorum.voters:
            bootstrap = f'127.0.0.1:{voter.controller_port}'
            described = tools.run('metadata-quorum', '--bootstrap-controller', bootstrap, 'describe', '--status')
            self.assertEqual(described.exit, 0, described.err)


class BrokersAloneTest(EveryBrokerMixin, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.start(brokers=2)


class EnvelopeTest(unittest.TestCase):
    """What a controllers' listener makes of an Envelope (KIP-590)."""

    PRINCIPAL = b'\0\0' b'\x05User' b'\x06alice' b'\0' b'\0'  # version, type, name, no token, no tags

    @classmethod
    def setUpClass(cls):
        cls.quorum = quorum.Quorum(roles='broker,controller')
        cls.addClassCleanup(cls.quorum.__exit__)
        cls.quorum.__enter__()
        cls.quorum.await_brokers()
        cls.leader, _ = cls.quorum.leader()

    def put(self, inner, port=None, principal=PRINCIPAL, address=b'\x7f\0\0\1'):
        """The envelope's error, and the bytes of the answer inside."""
        with Talk(port or self.leader.controller_port, 'envelopes') as talk:
            answer = talk.quietly(ENVELOPE, 0, RequestData=inner, RequestPrincipal=principal,
                                  ClientHostAddress=address)
            return answer['ErrorCode'], answer['ResponseData']

    def create(self, name, correlation=77, version=7):
        return messages.request(CREATE_TOPICS, version, {'Topics': [new_topic(name)], 'timeoutMs': 10000},
                                correlation, client_id='far away')

    def test_the_answer_inside_is_that_of_the_inner_request(self):
        for version in range(2, 8):
            error, data = self.put(self.create(f'enveloped-v{version}', 1000 + version, version))
            self.assertEqual(error, 0)
            correlation, body = messages.answer(CREATE_TOPICS, version, data)
            self.assertEqual([correlation, body['Topics'][0]['ErrorCode']], [1000 + version, 0])
        error, data = self.put(self.create('enveloped-v7'), address=b'\0' * 15 + b'\1')
        self.assertEqual(error, 0)
        self.assertEqual(messages.answer(CREATE_TOPICS, 7, data)[1]['Topics'][0]['ErrorCode'], TOPIC_ALREADY_EXISTS)

    def test_another_node_is_not_the_controller(self):
        other = next(v for v in self.quorum.voters if v is not self.leader)
        self.assertEqual(self.put(self.create('nowhere'), port=other.controller_port), (NOT_CONTROLLER, None))
        inner = messages.request(DESCRIBE_QUORUM, 2, {'Topics': []}, 1)
        self.assertEqual(self.put(inner, port=other.controller_port), (NOT_CONTROLLER, None))

    def test_what_is_wrong_with_an_envelope_is_its_own_error(self):
        fetch = messages.request(1, 12, {}, 1)
        nested = messages.request(ENVELOPE, 0, {'RequestData': self.create('nested'), 'ClientHostAddress': b'abcd',
                                                'RequestPrincipal': self.PRINCIPAL}, 1)
        short = self.create('short')[:-7]
        newer = self.create('newer')[:2] + b'\0\x08' + self.create('newer')[4:]
        for what, refused, error in [
                ('an API that is not forwarded', dict(inner=fetch), INVALID_REQUEST),
                ('an envelope', dict(inner=nested), INVALID_REQUEST),
                ('no header', dict(inner=b'\0\x13\0'), INVALID_REQUEST),
                ('no API', dict(inner=b'\x7f' + self.create('no')[1:]), INVALID_REQUEST),
                ('nothing', dict(inner=b''), INVALID_REQUEST),
                ('half a body', dict(inner=short), UNSUPPORTED_VERSION),
                ('a version that is not there', dict(inner=newer), UNSUPPORTED_VERSION),
                ('no address', dict(inner=self.create('a'), address=b'abc'), INVALID_REQUEST),
                ('half a principal', dict(inner=self.create('a'), principal=self.PRINCIPAL[:-3]),
                 PRINCIPAL_DESERIALIZATION_FAILURE),
                ('a principal of another version', dict(inner=self.create('a'), principal=b'\0\1' + b'\0' * 9),
                 PRINCIPAL_DESERIALIZATION_FAILURE),
                ('no principal', dict(inner=self.create('a'), principal=None), PRINCIPAL_DESERIALIZATION_FAILURE)]:
            with self.subTest(what):
                self.assertEqual(self.put(**refused), (error, None))


class LostControllerTest(unittest.TestCase):
    def start(self, **how):
        running = quorum.Quorum(**how)
        self.addCleanup(running.__exit__)
        running.__enter__()
        running.await_brokers()
        running.leader()
        return running

    def keep_creating(self, broker, answers, until):
        with Asked(broker.port, 'meanwhile', timeout_s=60) as talk:
            number = 0
            while not until.is_set():
                name = f't-{broker.node_id}-{number}'
                answers.append((name, talk.create(name)))
                number += 1

    def test_a_topic_is_made_once_while_controllers_die(self):
        running = self.start(brokers=2)
        answers, until = [], threading.Event()
        threads = [threading.Thread(target=self.keep_creating, args=(broker, answers, until))
                   for broker in running.brokers]
        for thread in threads:
            thread.start()
        for _ in range(3):
            time.sleep(1)
            leader, _ = running.leader()
            before = len(answers)
            leader.kill()
            running.leader(but=leader)
            deadline = time.monotonic() + 20
            while len(answers) < before + 20:
                self.assertLess(time.monotonic(), deadline, 'nothing is made any more')
                time.sleep(0.01)
            leader.spawn()
        until.set()
        for thread in threads:
            thread.join(60)
        self.assertGreater(len(answers), 60)
        # A request whose answer was lost with its controller is asked again: it exists by then.
        repeated = [name for name, code in answers if code == TOPIC_ALREADY_EXISTS]
        self.assertLessEqual(len(repeated), 3 * len(threads))
        self.assertEqual({code for _, code in answers} - {0, TOPIC_ALREADY_EXISTS}, set())
        for broker in running.brokers:
            with Asked(broker.port, 'afterwards') as talk:
                self.assertEqual([name for name, _ in answers if talk.known(name) != 1], [])

    def test_without_a_controller_a_request_has_its_own_time(self):
        running = self.start(brokers=1)
        leader, _ = running.leader()
        for voter in running.voters:
            if voter is not leader:
                voter.kill()
        leader.kill()
        with Asked(running.brokers[0].port, 'nobody') as talk:
            began = time.monotonic()
            self.assertEqual(talk.create('never', timeout_ms=700), REQUEST_TIMED_OUT)
            self.assertLess(time.monotonic() - began, 5)
            self.assertGreater(time.monotonic() - began, 0.6)
            gone = talk.quietly(DELETE_TOPICS, 6, Topics=[{'Name': 'never'}], TimeoutMs=1)
            self.assertEqual(gone['Responses'][0]['ErrorCode'], REQUEST_TIMED_OUT)
            for voter in running.voters:
                voter.spawn()
            self.assertEqual(talk.create('now', timeout_ms=30000), 0)

    def test_a_leader_that_hangs_is_asked_no_longer(self):
        running = self.start(brokers=1)
        leader, _ = running.leader()
        with Asked(running.brokers[0].port, 'hangs', timeout_s=60) as talk:
            self.assertEqual(talk.create('before'), 0)
            leader.process.send_signal(signal.SIGSTOP)
            began = time.monotonic()
            self.assertEqual(talk.create('meanwhile'), 0)
            print(f'a request outlived a controller that hung: {time.monotonic() - began:.2f} s')
            self.assertLess(time.monotonic() - began, 15)
            self.assertEqual(talk.known('meanwhile'), 1)


if __name__ == '__main__':
    unittest.main()
