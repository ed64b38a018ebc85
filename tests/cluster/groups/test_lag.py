# SPDX-License-Identifier: Apache-2.0
"""How far behind groups are, as the node tells that coordinates them, whoever leads the partitions that they read."""
import time
import unittest

import confluent_kafka
from confluent_kafka.admin import AdminClient, NewTopic

from cluster.groups.test_consumer_groups import Group
from conversations.talk import FIND_COORDINATOR, Talk
from support import node, quorum, scraped

DELETE_GROUPS = 42
TOPIC, PARTITIONS, RECORDS = 'lagged', 6, 600
EACH = RECORDS // PARTITIONS
LAG, SECONDS = 'kafka_consumergroup_lag', 'kafka_consumergroup_group_lag_seconds'
SUM, MAX_SECONDS = 'kafka_consumergroup_group_sum_lag', 'kafka_consumergroup_group_max_lag_seconds'
MEMBERS, STATE = 'kafka_consumergroup_members', 'milena_group_state'


def setUpModule():
    if node.PEER:
        raise unittest.SkipTest('Apache Kafka needs an exporter for it')


class LagTest(unittest.TestCase):
    def setUp(self):
        self.running = quorum.Quorum(roles='broker,controller', extra={
            'offsets.topic.replication.factor': 3, 'min.insync.replicas': 2, 'offsets.topic.num.partitions': 6,
            'group.initial.rebalance.delay.ms': 100, 'group.consumer.assignment.interval.ms': 0})
        self.addCleanup(self.running.__exit__)
        scraped.add_pages(self.running)
        self.running.__enter__()
        self.running.await_brokers()
        self.bootstrap = ','.join(voter.bootstrap for voter in self.running.voters)
        self.admin = AdminClient({'bootstrap.servers': self.bootstrap, 'log_level': 0})
        # Each node leads two partitions: whoever coordinates a group has to ask the two others.
        leaders = [[(number + at) % 3 + 1 for at in range(3)] for number in range(PARTITIONS)]
        self.admin.create_topics([NewTopic(TOPIC, PARTITIONS, replica_assignment=leaders)])[TOPIC].result(30)
        self.fill(RECORDS)

    def fill(self, count):
        producer = confluent_kafka.Producer({'bootstrap.servers': self.bootstrap, 'acks': 'all', 'log_level': 0})
        for number in range(count):
            producer.produce(TOPIC, b'value', partition=number % PARTITIONS)
        self.assertEqual(producer.flush(60), 0)

    def consumer(self, group, **more):
        return confluent_kafka.Consumer({'bootstrap.servers': self.bootstrap, 'group.id': group, 'log_level': 0,
                                         'enable.auto.commit': False, **more})

    def commit(self, group, offset):
        """All partitions, from outside the group."""
        parts = [confluent_kafka.TopicPartition(TOPIC, number, offset) for number in range(PARTITIONS)]
        one = self.consumer(group)
        deadline = time.monotonic() + 60
        while True:
            try:
                if not any(part.error for part in one.commit(offsets=parts, asynchronous=False)):
                    break
            except confluent_kafka.KafkaException:
                pass
            self.assertLess(time.monotonic(), deadline)
        one.close()

    def coordinator(self, group):
        deadline = time.monotonic() + 60
        while True:
            for voter in self.running.voters:
                if not voter.is_running():
                    continue
                with Talk(voter.port, 'find') as talk:
                    found = talk.quietly(FIND_COORDINATOR, 4, CoordinatorKeys=[group])['Coordinators'][0]
                if found['ErrorCode'] == 0 and self.running.voters[found['NodeId'] - 1].is_running():
                    return self.running.voters[found['NodeId'] - 1]
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def await_page(self, one, holds, timeout_s=30):
        """The first page of which that is true."""
        deadline = time.monotonic() + timeout_s
        while not holds(page := scraped.metrics(one)):
            about = {name: value for name, value in page.items() if 'group=' in name[1] or 'group_lag' in name[0]}
            self.assertLess(time.monotonic(), deadline, about)
            time.sleep(0.1)
        return page

    @staticmethod
    def lags(page, group, name=LAG):
        label = 'group' if name == SECONDS else 'consumergroup'
        return [page.get((name, f'{label}="{group}",topic="{TOPIC}",partition="{number}"'))
                for number in range(PARTITIONS)]

    def test_it_grows_and_shrinks_and_the_seconds_follow(self):
        self.commit('g', 40)
        one = self.coordinator('g')
        page = self.await_page(one, lambda page: self.lags(page, 'g') == [EACH - 40] * PARTITIONS)
        self.assertEqual(page[SUM, 'group="g"'], RECORDS - 40 * PARTITIONS)
        self.assertEqual(page['kafka_consumergroup_lag_sum', f'consumergroup="g",topic="{TOPIC}"'],
                         RECORDS - 40 * PARTITIONS)
        self.assertGreater(page['milena_group_lag_requests_total', ''], 0)
        for other in self.running.voters:
            if other is not one:
                self.assertEqual(self.lags(scraped.metrics(other), 'g'), [None] * PARTITIONS)

        self.commit('g', EACH)
        page = self.await_page(one, lambda page: self.lags(page, 'g') == [0] * PARTITIONS)
        self.assertEqual(self.lags(page, 'g', SECONDS), [0] * PARTITIONS)
        self.fill(PARTITIONS)
        filled = time.monotonic()
        page = self.await_page(one, lambda page: self.lags(page, 'g') == [1] * PARTITIONS)
        page = self.await_page(one, lambda page: min(self.lags(page, 'g', SECONDS)) > 8)
        # An end that is looked at each five seconds may have moved as long before it was seen.
        self.assertLess(page[MAX_SECONDS, 'group="g"'], time.monotonic() - filled + 6)
        self.assertGreater(page[MAX_SECONDS, 'group="g"'], time.monotonic() - filled - 8)
        self.commit('g', EACH + 1)
        page = self.await_page(one, lambda page: page[SUM, 'group="g"'] == 0)
        self.assertEqual(page[MAX_SECONDS, 'group="g"'], 0)

    def test_the_next_coordinator_shows_it_too(self):
        self.commit('g', 40)
        first = self.coordinator('g')
        self.await_page(first, lambda page: self.lags(page, 'g') == [EACH - 40] * PARTITIONS)
        first.kill()
        deadline = time.monotonic() + 60
        while (second := self.coordinator('g')) is first:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        self.await_page(second, lambda page: self.lags(page, 'g') == [EACH - 40] * PARTITIONS, 60)
        self.fill(PARTITIONS)
        self.await_page(second, lambda page: self.lags(page, 'g') == [EACH - 39] * PARTITIONS)
        first.spawn()
        self.running.await_brokers()

    def test_groups_show_their_state_and_members(self):
        self.commit('simple', 40)
        page = self.await_page(self.coordinator('simple'), lambda page: (MEMBERS, 'consumergroup="simple"') in page)
        self.assertEqual(page[MEMBERS, 'consumergroup="simple"'], 0)
        self.assertEqual(page[STATE, 'group="simple",state="Empty"'], 1)

        member = self.consumer('classic', **{'session.timeout.ms': 6000})
        member.subscribe([TOPIC])
        deadline = time.monotonic() + 60
        while not member.assignment():
            member.poll(0.1)
            self.assertLess(time.monotonic(), deadline)
        page = self.await_page(self.coordinator('classic'),
                               lambda page: (STATE, 'group="classic",state="Stable"') in page)
        self.assertEqual(page[MEMBERS, 'consumergroup="classic"'], 1)
        member.close()
        self.await_page(self.coordinator('classic'), lambda page: page.get((MEMBERS, 'consumergroup="classic"')) == 0)

        modern = Group(lambda name: self.coordinator(name).port, TOPIC, 'modern')
        modern.beat('A')
        modern.settle('A')
        page = self.await_page(self.coordinator('modern'),
                               lambda page: (STATE, 'group="modern",state="Stable"') in page)
        self.assertEqual(page[MEMBERS, 'consumergroup="modern"'], 1)
        self.assertNotIn((STATE, 'group="modern",state="Assigning"'), page)

    def test_what_is_deleted_is_shown_no_more(self):
        self.commit('g', 40)
        self.commit('h', 40)
        one, two = self.coordinator('g'), self.coordinator('h')
        self.await_page(one, lambda page: None not in self.lags(page, 'g'))
        self.await_page(two, lambda page: None not in self.lags(page, 'h'))
        with Talk(one.port, 'deleter') as talk:
            gone = talk.quietly(DELETE_GROUPS, 2, GroupsNames=['g'])
        self.assertEqual(gone['Results'][0]['ErrorCode'], 0)
        self.await_page(one, lambda page: not any('group="g"' in labels for _, labels in page))
        self.admin.delete_topics([TOPIC])[TOPIC].result(30)
        self.await_page(two, lambda page: not any('group="h"' in labels and TOPIC in labels for _, labels in page))


if __name__ == '__main__':
    unittest.main()
