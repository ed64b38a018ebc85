# SPDX-License-Identifier: Apache-2.0
"""Requests that a broker of Apache Kafka passes on to a controller of Milena, and the other way round.

Needs a JDK and Maven, which fetches Apache Kafka; without them this test skips itself.
"""
import os
import pathlib
import subprocess
import time
import unittest

from conversations.talk import (CREATE_PARTITIONS, CREATE_TOPICS, DELETE_TOPICS, DESCRIBE_QUORUM, METADATA,
                                UNREGISTER_BROKER, Talk)
from support import apache, node, quorum

ENVELOPES = pathlib.Path(__file__).resolve().parent / 'languages' / 'java' / 'Envelopes.java'
TOPIC_ALREADY_EXISTS, BROKER_ID_NOT_REGISTERED = 36, 102


def setUpModule():
    if node.PEER or apache.jars() is None:
        raise unittest.SkipTest('Apache Kafka needs a JDK and Maven')


class PrincipalTest(unittest.TestCase):
    def test_the_bytes_of_a_principal(self):
        """They are those of tests/unit/server/forwarding/identity_test.cc."""
        done = subprocess.run([os.environ.get('JAVA', 'java'), *apache.TOOL_OPTIONS, '-cp', f'{apache.jars()}/*',
                               str(ENVELOPES), 'User', 'ANONYMOUS', 'false', 'User', 'zoë', 'true'],
                              check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, 'LC_ALL': 'C.UTF-8'})
        self.assertEqual([bytes.fromhex(line) for line in done.stdout.split()],
                         [b'\0\0' b'\x05User' b'\x0aANONYMOUS' b'\0' b'\0',
                          b'\0\0' b'\x05User' b'\x05zo\xc3\xab' b'\1' b'\0'])


class MixedClusterMixin:
    """One controller and one broker, of two kinds; `who` of them is Apache Kafka's."""

    def start(self, who):
        self.quorum = quorum.Quorum(count=1, brokers=1)
        self.addCleanup(self.quorum.__exit__)
        (self.quorum.brokers if who == 'broker' else self.quorum.voters)[0].peer = apache.jars()
        self.quorum.__enter__()
        self.quorum.await_brokers(timeout_s=90)
        talk = Talk(self.quorum.brokers[0].port, 'mixed', timeout_s=60)
        self.addCleanup(talk.hang_up)
        return talk

    def await_partitions(self, talk, name, count):
        """A broker of Apache Kafka may know a moment after its answer."""
        deadline = time.monotonic() + 30
        while True:
            answer = talk.quietly(METADATA, 12, Topics=[{'Name': name}], AllowAutoTopicCreation=False)
            if len(answer['Topics'][0]['Partitions']) == count:
                return
            self.assertLess(time.monotonic(), deadline, answer)
            time.sleep(0.05)

    def check(self, talk):
        created = talk.quietly(CREATE_TOPICS, 7, timeoutMs=30000, Topics=[
            {'Name': 'made', 'NumPartitions': 3, 'ReplicationFactor': 1}])
        self.assertEqual(created['Topics'][0]['ErrorCode'], 0, created)
        self.await_partitions(talk, 'made', 3)
        again = talk.quietly(CREATE_TOPICS, 7, timeoutMs=30000, Topics=[
            {'Name': 'made', 'NumPartitions': 3, 'ReplicationFactor': 1}])
        self.assertEqual(again['Topics'][0]['ErrorCode'], TOPIC_ALREADY_EXISTS)
        grown = talk.quietly(CREATE_PARTITIONS, 3, TimeoutMs=30000,
                             Topics=[{'Name': 'made', 'Count': 5, 'Assignments': None}])
        self.assertEqual(grown['Results'][0]['ErrorCode'], 0, grown)
        self.await_partitions(talk, 'made', 5)
        quorum_now = talk.quietly(DESCRIBE_QUORUM, 2, Topics=[
            {'TopicName': '__cluster_metadata', 'Partitions': [{'PartitionIndex': 0}]}])
        self.assertEqual(quorum_now['Topics'][0]['Partitions'][0]['LeaderId'], 1)
        self.assertEqual(talk.quietly(UNREGISTER_BROKER, 0, BrokerId=77)['ErrorCode'], BROKER_ID_NOT_REGISTERED)
        gone = talk.quietly(DELETE_TOPICS, 6, Topics=[{'Name': 'made'}], TimeoutMs=30000)
        self.assertEqual(gone['Responses'][0]['ErrorCode'], 0, gone)
        self.await_partitions(talk, 'made', 0)
        deadline = time.monotonic() + 30
        while True:  # it is made by a question for it
            asked = talk.quietly(METADATA, 12, Topics=[{'Name': 'asked-for'}], AllowAutoTopicCreation=True)
            if asked['Topics'][0]['ErrorCode'] == 0:
                break
            self.assertLess(time.monotonic(), deadline, asked)
            time.sleep(0.1)


class ApacheBrokerTest(MixedClusterMixin, unittest.TestCase):
    def test_a_controller_of_milena_takes_its_envelopes(self):
        self.check(self.start('broker'))


class ApacheControllerTest(MixedClusterMixin, unittest.TestCase):
    def test_it_takes_the_envelopes_of_a_broker_of_milena(self):
        self.check(self.start('controller'))


if __name__ == '__main__':
    unittest.main()
