# SPDX-License-Identifier: Apache-2.0
"""Who coordinates a group, in every version of the question; the topic is made when it is first asked: B41."""
import time
import unittest

from conversations.talk import METADATA, PRODUCE, Talk
from support import messages, node, quorum, wire
from support.odd_batches import Record, batch

FIND_COORDINATOR = 10
OFFSETS = '__consumer_offsets'
NONE, COORDINATOR_NOT_AVAILABLE, INVALID_TOPIC, INVALID_REQUEST = 0, 15, 17, 42
GROUP, TRANSACTION, SHARE = 0, 1, 2
A_SHARE = 'g:Lw3Jq8PSQGm0o3vbYqTCLQ:0'


def java_hash(text):
    value = 0
    units = text.encode('utf-16-be')
    for high, low in zip(units[::2], units[1::2]):
        value = (31 * value + (high << 8) + low) & 0xFFFFFFFF
    return value & 0x7FFFFFFF


class FindCoordinatorTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = node.Node({'offsets.topic.num.partitions': 3}).start()
        cls.addClassCleanup(cls.node.__exit__)

    def setUp(self):
        self.talk = Talk(self.node.port, self.id().rpartition('.')[2])
        self.addCleanup(self.talk.hang_up)

    def find(self, version, *keys, **more):
        """(error, node, host, port) of each key."""
        if version < 4:
            answers = [self.talk.quietly(FIND_COORDINATOR, version, Key=key, **more) for key in keys]
        else:
            answer = self.talk.quietly(FIND_COORDINATOR, version, CoordinatorKeys=list(keys), **more)
            answers = answer['Coordinators']
            self.assertEqual([one['Key'] for one in answers], list(keys))
        return [(one['ErrorCode'], one['NodeId'], one['Host'], one['Port']) for one in answers]

    def await_topic(self):
        deadline = time.monotonic() + 30
        while self.find(4, 'g')[0][0] != NONE:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)

    def topic(self):
        answer = self.talk.quietly(METADATA, 12, Topics=[{'Name': OFFSETS}], AllowAutoTopicCreation=False)
        return answer['Topics'][0]

    def test_every_version_names_this_broker(self):
        self.await_topic()
        here = (NONE, 1, '127.0.0.1', self.node.port)
        for version in range(7):
            with self.subTest(version=version):
                self.assertEqual(self.find(version, 'a', 'b', '', 'ä', '\U0001F600'), [here] * 5)

    def test_the_topic_is_made_as_the_configuration_says(self):
        self.await_topic()
        topic = self.topic()
        self.assertEqual((topic['ErrorCode'], topic['IsInternal'], len(topic['Partitions'])), (NONE, True, 3))

    def test_a_key_type_that_waits_for_its_feature_or_does_not_exist_is_an_error(self):
        nobody = (-1, '', -1)
        self.assertEqual(self.find(1, A_SHARE, KeyType=SHARE), [(INVALID_REQUEST, *nobody)])
        self.assertEqual(self.find(5, A_SHARE, KeyType=SHARE), [(INVALID_REQUEST, *nobody)])
        self.assertEqual(self.find(6, 'not a share partition', KeyType=SHARE), [(INVALID_REQUEST, *nobody)])
        if not node.PEER:
            self.assertEqual(self.find(4, 'tx', KeyType=TRANSACTION), [(COORDINATOR_NOT_AVAILABLE, *nobody)])
            self.assertEqual(self.find(6, A_SHARE, KeyType=SHARE), [(COORDINATOR_NOT_AVAILABLE, *nobody)])

    def test_a_key_type_that_there_is_not_is_an_error(self):
        for version in range(1, 7):
            for kind in (-1, 3, 9, 127):
                with self.subTest(version=version, kind=kind):
                    answers = self.find(version, 'g', KeyType=kind)
                    self.assertEqual(answers, [(INVALID_REQUEST, -1, '', -1)])

    def test_a_key_that_is_asked_for_twice_is_answered_twice(self):
        self.await_topic()
        here = (NONE, 1, '127.0.0.1', self.node.port)
        self.assertEqual(self.find(4, 'a', 'b', 'a'), [here] * 3)

    def test_nothing_is_asked_and_nothing_is_answered(self):
        self.assertEqual(self.find(4), [])

    def test_clients_do_not_write_into_the_topic_and_administrators_do(self):
        self.await_topic()
        # That there is no such group.
        records = batch([Record(None, wire.int16(2) + wire.string('nobody'))])
        values = {'Acks': -1, 'TimeoutMs': 5000, 'TopicData': [
            {'Name': OFFSETS, 'PartitionData': [{'Index': 0, 'Records': records}]}]}
        for client, wanted in (('raw', INVALID_TOPIC), (None, INVALID_TOPIC), ('__admin_client', NONE)):
            request = messages.request(PRODUCE, 8, values, self.talk.next(), client)
            _, body = self.talk.exchange(request, PRODUCE, 8)
            part = body['Responses'][0]['PartitionResponses'][0]
            self.assertEqual((client, part['ErrorCode']), (client, wanted))


class ColdStartTest(unittest.TestCase):
    def test_the_first_question_is_answered_within_five_seconds(self):
        """With a coordinator, or with what has the client ask again."""
        with node.Node() as cold:
            cold.start()
            began = time.monotonic()
            with Talk(cold.port, 'cold') as talk:
                errors = []
                while NONE not in errors:
                    answer = talk.quietly(FIND_COORDINATOR, 4, CoordinatorKeys=['g'])
                    errors.append(answer['Coordinators'][0]['ErrorCode'])
                    self.assertLess(time.monotonic() - began, 30 if node.PEER else 5)
                    time.sleep(0.05)
            self.assertLessEqual(set(errors), {NONE, COORDINATOR_NOT_AVAILABLE})


class ManyBrokersTest(unittest.TestCase):
    def test_each_broker_names_the_same_coordinator(self):
        if node.PEER:
            raise unittest.SkipTest('the formatting tool is Milena\'s')
        with quorum.Quorum(roles='broker,controller', extra={'offsets.topic.replication.factor': 3,
                                                             'offsets.topic.num.partitions': 6}) as running:
            running.await_brokers()
            groups = [f'group-{number}' for number in range(50)]
            answers = {}
            for voter in running.voters:
                with Talk(voter.port, 'many') as talk:
                    deadline = time.monotonic() + 30
                    while True:
                        answer = talk.quietly(FIND_COORDINATOR, 4, CoordinatorKeys=groups)['Coordinators']
                        if all(one['ErrorCode'] == NONE for one in answer):
                            break
                        self.assertLess(time.monotonic(), deadline, answer)
                        time.sleep(0.1)
                    answers[voter.node_id] = [one['NodeId'] for one in answer]
            self.assertEqual(answers[1], answers[2])
            self.assertEqual(answers[1], answers[3])
            with Talk(running.voters[0].port, 'many') as talk:
                topic = talk.quietly(METADATA, 12, Topics=[{'Name': OFFSETS}])['Topics'][0]
            leaders = {one['PartitionIndex']: one['LeaderId'] for one in topic['Partitions']}
            self.assertEqual(answers[1], [leaders[java_hash(group) % 6] for group in groups])
            self.assertEqual(set(answers[1]), {1, 2, 3})


if __name__ == '__main__':
    unittest.main()
