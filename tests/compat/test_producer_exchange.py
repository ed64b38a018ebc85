# SPDX-License-Identifier: Apache-2.0
"""What one server knows of producers and transactions, the other reads from the folder: Milena and Apache Kafka.

Both are asked the same and must answer alike: which producers there are, what is stable, what was aborted, and what
is sent again. Needs a JDK and Maven, which fetches Apache Kafka; without them these tests skip themselves.
"""
import time
import unittest

from conversations import producers
from conversations.producers import describe
from conversations.talk import PRODUCE, Talk
from support import apache, node
from support.odd_batches import TRANSACTIONAL

FIND_COORDINATOR, INIT_PRODUCER_ID, ADD_PARTITIONS, END_TRANSACTION = 10, 22, 24, 26
COORDINATOR_ERRORS = (14, 15, 16, 51)  # loading, not available, not this one, the one before is not done


# Producers of long ago are forgotten.
WHEN = int(time.time() * 1000)


def sent(*sequence_and_more, **header):
    return producers.sent(*sequence_and_more, when=WHEN, **header)


def setUpModule():
    if node.PEER or apache.jars() is None:
        raise unittest.SkipTest('Apache Kafka needs a JDK and Maven')


class Transactions:
    """A transactional producer in its classic form, against Apache Kafka."""

    def __init__(self, talk, name):
        self.talk, self.name, self.sequence = talk, name, 0
        self.insist(FIND_COORDINATOR, 1, Key=name, KeyType=1)
        answer = self.insist(INIT_PRODUCER_ID, 2, TransactionalId=name, TransactionTimeoutMs=600_000)
        self.id, self.epoch = answer['ProducerId'], answer['ProducerEpoch']

    def insist(self, key, version, **values):
        """Asks until the coordinator is there and ready."""
        for _ in range(300):
            answer = self.talk.quietly(key, version, **values)
            errors = [answer.get('ErrorCode', 0)]
            for topic in answer.get('ResultsByTopicV3AndBelow', []):
                errors += [part['PartitionErrorCode'] for part in topic['ResultsByPartition']]
            if not any(error in COORDINATOR_ERRORS for error in errors):
                assert not any(errors), answer
                return answer
            time.sleep(0.1)
        raise AssertionError(answer)

    def send(self, topic, count):
        own = {'TransactionalId': self.name, 'ProducerId': self.id, 'ProducerEpoch': self.epoch}
        self.insist(ADD_PARTITIONS, 2, **{f'V3AndBelow{k}': v for k, v in own.items()},
                    V3AndBelowTopics=[{'Name': topic, 'Partitions': [0]}])
        records = sent(self.sequence, count, self.epoch, self.id, attributes=TRANSACTIONAL)
        answer = self.talk.quietly(PRODUCE, 8, TransactionalId=self.name, Acks=-1, TimeoutMs=10000, TopicData=[
            {'Name': topic, 'PartitionData': [{'Index': 0, 'Records': records}]}])
        assert answer['Responses'][0]['PartitionResponses'][0]['ErrorCode'] == 0, answer
        self.sequence += count

    def end(self, commit):
        self.insist(END_TRANSACTION, 2, TransactionalId=self.name, ProducerId=self.id, ProducerEpoch=self.epoch,
                    Committed=commit)


class ProducerExchangeTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.server = node.Node({'log.segment.bytes': 1 << 20})
        self.addCleanup(self.server.__exit__)

    def start(self, peer):
        self.server.peer = peer
        self.server.start(timeout_s=120)

    def talk(self):
        return Talk(self.server.port, 'exchange')

    def await_leader(self, talk, topic):
        talk.connect().await_leader(topic, timeout_s=60)

    def facts(self, talk, topic, end):
        """What the server says of the partition; a transcript that two servers can be compared by."""
        talk.transcript.clear()
        describe(talk, topic, 'now')
        for offset in range(end + 1):
            talk.fetch(topic, offset, 11, f'committed from {offset}', {'IsolationLevel': 1}, bytes_max=300)
        talk.list_offset(topic, -1, 5, 'stable', {'IsolationLevel': 1})
        talk.list_offset(topic, -1, 5, 'all', {'IsolationLevel': 0})
        return without_epochs(talk.transcript)

    def write_transactions(self, talk, topic):
        """Committed, aborted, aborted over another's, and one that stays open; gives the log's end."""
        first, second = Transactions(talk, 'first'), Transactions(talk, 'second')
        first.send(topic, 2)
        first.end(commit=True)
        first.send(topic, 1)
        second.send(topic, 2)
        first.end(commit=False)
        talk.append(topic, sent(0))
        second.send(topic, 1)
        second.end(commit=False)
        first.send(topic, 1)
        talk.append(topic, sent(1))
        return talk.connect().list_offset(topic, -1)[1]

    def check_transactions(self, stop):
        """Milena answers as Apache Kafka did before, and Apache Kafka does again with what Milena left of it."""
        self.start(apache.jars())
        with self.talk() as talk:
            topic = talk.topic()
            end = self.write_transactions(talk, topic)
            theirs = self.facts(talk, topic, end)
        for server in (None, apache.jars()):
            stop()
            stop = self.server.stop
            self.start(server)
            with self.talk() as talk:
                self.await_leader(talk, topic)
                again = self.facts(talk, topic, end)
            for now, before in zip(again, theirs):
                self.assertEqual(now, before)

    def test_transactions_of_apache_kafka_after_a_clean_stop(self):
        self.check_transactions(self.server.stop)

    def test_transactions_of_apache_kafka_after_a_kill(self):
        self.check_transactions(self.server.kill)

    def check_producer(self, writer, reader, stop):
        """What was sent before the change of servers is known after it, and goes on where it was."""
        self.start(writer)
        with self.talk() as talk:
            topic = talk.topic()
            talk.append(topic, *(sent(n, epoch=2) for n in range(20)), sent(7, 3, producer=4712))
            describe(talk, topic, '')
            before = talk.transcript
        stop()
        self.start(reader)
        with self.talk() as talk:
            self.await_leader(talk, topic)
            describe(talk, topic, '')
            self.assertEqual(talk.transcript, before)
            answers = [talk.produce(topic, *asked)['Responses'][0]['PartitionResponses'][0] for asked in (
                [sent(19, epoch=2)], [sent(21, epoch=2)], [sent(0, epoch=1)], [sent(20, epoch=2)],
                [sent(10, producer=4712)])]
        self.assertEqual([(a['ErrorCode'], a['BaseOffset']) for a in answers],
                         [(0, 19), (45, -1), (47, -1), (0, 23), (0, 24)])

    def test_apache_kafka_knows_the_producers_of_milena_after_a_clean_stop(self):
        self.check_producer(None, apache.jars(), self.server.stop)

    def test_apache_kafka_knows_the_producers_of_milena_after_a_kill(self):
        self.check_producer(None, apache.jars(), self.server.kill)

    def test_milena_knows_the_producers_of_apache_kafka_after_a_kill(self):
        self.check_producer(apache.jars(), None, self.server.kill)

    def test_milena_knows_its_own_producers_after_a_kill(self):
        self.check_producer(None, None, self.server.kill)


def without_epochs(transcript):
    """The leader's epoch is one more after each start; aborted transactions come in no promised order."""
    def clean(value):
        if isinstance(value, dict):
            aborted = value.get('AbortedTransactions')
            if aborted:
                value = {**value, 'AbortedTransactions': sorted(aborted, key=lambda one: one['FirstOffset'])}
            return {k: clean(v) for k, v in value.items() if k != 'LeaderEpoch'}
        return [clean(one) for one in value] if isinstance(value, list) else value

    return clean(transcript)


if __name__ == '__main__':
    unittest.main()
