# SPDX-License-Identifier: Apache-2.0
"""What three nodes show of their replication, under Kafka's names: each value moves when what it tells of happens."""
import signal
import time
import unittest

import confluent_kafka
from confluent_kafka.admin import AdminClient, NewTopic

from conversations.talk import ALTER_REASSIGNMENTS, Talk
from support import node, quorum, records, scraped

MANAGER = 'kafka_server_replicamanager_'
TOPIC = 'counted'


def setUpModule():
    if node.PEER:
        raise unittest.SkipTest('Apache Kafka shows them over JMX')


class ReplicationMetricsTest(unittest.TestCase):
    def setUp(self):
        self.running = quorum.Quorum(roles='broker,controller', extra={'replica.lag.time.max.ms': 2000})
        self.addCleanup(self.running.__exit__)
        scraped.add_pages(self.running)
        self.running.__enter__()
        self.running.await_brokers()
        self.one, self.two, self.three = self.running.voters
        self.bootstrap = ','.join(voter.bootstrap for voter in self.running.voters)
        self.admin = AdminClient({'bootstrap.servers': self.bootstrap, 'log_level': 0})
        self.admin.create_topics([NewTopic(TOPIC, 1, replica_assignment=[[1, 2, 3]],
                                           config={'min.insync.replicas': '2'})])[TOPIC].result(30)
        self.await_metrics(self.one, {(f'{MANAGER}underreplicatedpartitions', ''): 0,
                                      (f'{MANAGER}leadercount', ''): 1})

    def await_metrics(self, one, wanted, timeout_s=30):
        """Gives the page that has them all."""
        deadline = time.monotonic() + timeout_s
        while True:
            page = scraped.metrics(one)
            found = {key: page.get(key) for key in wanted}
            if found == wanted:
                return page
            self.assertLess(time.monotonic(), deadline, f'{found} where {wanted} are expected\n{one.log()}')
            time.sleep(0.05)

    def write(self, count=20):
        producer = confluent_kafka.Producer({'bootstrap.servers': self.bootstrap, 'acks': 'all', 'log_level': 0})
        for _ in range(count):
            producer.produce(TOPIC, b'x' * 1000, partition=0)
        self.assertEqual(producer.flush(30), 0)

    def await_traffic(self, timeout_s=10):
        """What the leader has sent is what both followers have taken."""
        deadline = time.monotonic() + timeout_s
        while True:
            sent = scraped.metrics(self.one)['kafka_server_brokertopicmetrics_replicationbytesout_total', '']
            taken = [scraped.metrics(one)['kafka_server_brokertopicmetrics_replicationbytesin_total', '']
                     for one in (self.two, self.three)]
            if sent > 0 and sent == sum(taken):
                return taken
            self.assertLess(time.monotonic(), deadline, f'{sent} sent, {taken} taken')
            time.sleep(0.05)

    def test_bytes_lag_and_rates_of_fetchers(self):
        self.write()
        taken = self.await_traffic()
        self.assertEqual(taken[0], taken[1])
        self.assertGreater(taken[0], 20_000)
        page = self.await_metrics(self.two, {
            ('kafka_server_fetcherlagmetrics_consumerlag',
             f'clientId="ReplicaFetcherThread-0-1",topic="{TOPIC}",partition="0"'): 0,
            ('kafka_server_replicafetchermanager_maxlag', 'clientId="Replica"'): 0,
            ('kafka_server_replicafetchermanager_deadthreadcount', 'clientId="Replica"'): 0,
            ('kafka_server_replicafetchermanager_failedpartitionscount', 'clientId="Replica"'): 0})
        self.assertGreater(page['kafka_server_replicafetchermanager_minfetchrate', 'clientId="Replica"'], 0)
        thread = f'clientId="ReplicaFetcherThread-0-1",brokerHost="127.0.0.1",brokerPort="{self.one.port}"'
        self.assertEqual(page['kafka_server_fetcherstats_bytes_total', thread], taken[0])
        self.assertGreater(page['kafka_server_fetcherstats_requests_total', thread], 0)

    def test_in_sync_sets_that_shrink_and_grow(self):
        before = scraped.metrics(self.one)[f'{MANAGER}isrexpands_total', '']
        self.three.kill()
        self.await_metrics(self.one, {(f'{MANAGER}underreplicatedpartitions', ''): 1,
                                      (f'{MANAGER}atminisrpartitioncount', ''): 1,
                                      (f'{MANAGER}underminisrpartitioncount', ''): 0,
                                      (f'{MANAGER}offlinereplicacount', ''): 0})
        self.three.spawn()
        self.await_metrics(self.one, {(f'{MANAGER}underreplicatedpartitions', ''): 0,
                                      (f'{MANAGER}atminisrpartitioncount', ''): 0,
                                      (f'{MANAGER}isrexpands_total', ''): before + 1}, timeout_s=60)

    def test_a_follower_that_hangs_is_taken_out_by_its_leader(self):
        before = scraped.metrics(self.one)[f'{MANAGER}isrshrinks_total', '']
        self.three.process.send_signal(signal.SIGSTOP)
        self.write(1)
        try:
            self.await_metrics(self.one, {(f'{MANAGER}isrshrinks_total', ''): before + 1})
        finally:
            self.three.process.send_signal(signal.SIGCONT)

    def test_a_partition_without_a_leader_is_offline(self):
        self.admin.create_topics([NewTopic('alone', 1, replica_assignment=[[3]])])['alone'].result(30)
        offline = ('kafka_controller_kafkacontroller_offlinepartitionscount', '')
        self.await_metrics(self.one, {offline: 0})
        self.three.kill()
        self.await_metrics(self.one, {offline: 1})
        self.three.spawn()
        self.await_metrics(self.one, {offline: 0})

    def test_a_move_counts_until_it_is_done(self):
        # A follower that can't fetch keeps it going.
        self.admin.create_topics([NewTopic('moved', 1, replica_assignment=[[1, 2]])])['moved'].result(30)
        reassigning = (f'{MANAGER}reassigningpartitions', '')
        self.await_metrics(self.one, {reassigning: 0, (f'{MANAGER}leadercount', ''): 2})
        self.three.kill()
        leader, _ = self.running.leader()
        with Talk(leader.port, 'moves') as talk:
            answer = talk.quietly(ALTER_REASSIGNMENTS, 0, TimeoutMs=30000, Topics=[
                {'Name': 'moved', 'Partitions': [{'PartitionIndex': 0, 'Replicas': [1, 3]}]}])
            self.assertEqual(answer['ErrorCode'], 0, answer)
        self.await_metrics(self.one, {reassigning: 1})
        self.three.spawn()
        self.await_metrics(self.one, {reassigning: 0}, timeout_s=60)

    def test_where_the_time_of_a_request_goes(self):
        def phases(request):
            page = scraped.metrics(self.one)
            return {phase: page[f'kafka_network_requestmetrics_{phase}timems',
                                f'request="{request}",quantile="0.999"']
                    for phase in ('requestqueue', 'local', 'remote', 'responsequeue', 'responsesend', 'total')}

        self.write(5)
        with self.one.connect() as connection:
            end = connection.list_offset(TOPIC, -1)[1]
            connection.fetch(TOPIC, end, max_wait_ms=700)  # finds nothing
            fetched = phases('FetchConsumer')
            self.assertGreater(fetched['remote'], 600, fetched)
            self.assertLess(fetched['local'], 300, fetched)
            self.assertGreaterEqual(fetched['total'], fetched['remote'])
            self.assertEqual(connection.produce(TOPIC, records.batch([b'x']))[0], 0)
        produced = phases('Produce')
        self.assertGreater(produced['remote'], 0, 'it waits for replicas')
        page = scraped.metrics(self.one)
        counts = {page[f'kafka_network_requestmetrics_{phase}timems_count', 'request="Produce"']
                  for phase in ('requestqueue', 'local', 'remote', 'responsequeue', 'responsesend', 'total')}
        self.assertEqual(len(counts), 1, 'each request counts once in each')


if __name__ == '__main__':
    unittest.main()
