# SPDX-License-Identifier: Apache-2.0
"""Tools about where partitions are, on three brokers: Apache's print of Milena what they print of Apache Kafka, and
ours print of either what Apache's print."""
import json
import re
import time
import unittest

from conversations.talk import ALTER_REASSIGNMENTS, Talk
from support import beside, records


def any_placement(text):
    """The proposed replicas of a generated plan, sorted: where Kafka begins is random."""
    head, found, proposed = text.partition('Proposed')
    return head + found + re.sub(r'"replicas":\[([\d,]*)\]',
                                 lambda match: '"replicas":' + ','.join(sorted(match[1].split(','))), proposed)


def any_order_of_isr(text):
    """Apache's leaders propose it in the order of a hash set."""
    return re.sub(r'Isr: ([\d,]+)', lambda match: 'Isr: ' + ','.join(sorted(match[1].split(','))), text)


def without_directories(text):
    """What kafka-log-dirs prints, but for where brokers put what: its first lines, and of each broker how many
    directories it has and the replicas in them."""
    *lines, last = text.splitlines() or ['']
    if not last.startswith('{'):
        return text
    brokers = {}
    for broker in json.loads(last)['brokers']:
        directories = broker['logDirs']
        brokers[broker['broker']] = (len(directories), [entry['error'] for entry in directories], sorted(
            str(sorted(replica.items())) for entry in directories for replica in entry['partitions']))
    return f'{lines} {brokers}'


class MovingTest(beside.BesideTest):
    def test_partitions_are_moved(self):
        def commands(run):
            run.cluster.plan('plan.json', 'moved', {0: [3, 1], 1: [2, 1]})
            run.cluster.write('topics.json', {'version': 1, 'topics': [{'topic': 'moved'}]})
            run('topics', '--create', '--topic', 'moved', '--replica-assignment', '1:2,2:3')
            run.await_replicas('moved', 4)
            for more in ([], ['--disable-rack-aware']):
                run('reassign-partitions', '--generate', '--topics-to-move-json-file', 'topics.json', '--broker-list',
                    '1,3', *more, keep=any_placement)
            run('reassign-partitions', '--execute', '--reassignment-json-file', 'plan.json', '--throttle', '50000000',
                '--replica-alter-log-dirs-throttle', '70000000')
            run.await_no_moves()
            run('configs', '--describe', '--entity-type', 'topics', '--entity-name', 'moved')
            run('configs', '--describe', '--entity-type', 'brokers', '--entity-name', '2')
            run('reassign-partitions', '--verify', '--reassignment-json-file', 'plan.json', '--preserve-throttles')
            run('reassign-partitions', '--verify', '--reassignment-json-file', 'plan.json')
            run('configs', '--describe', '--entity-type', 'topics', '--entity-name', 'moved')
            run('configs', '--describe', '--entity-type', 'brokers', '--entity-name', '2')
            run('reassign-partitions', '--list')
            run('reassign-partitions', '--cancel', '--reassignment-json-file', 'plan.json')
            run('topics', '--describe', '--topic', 'moved', keep=any_order_of_isr)
            run('topics', '--delete', '--topic', 'moved')
        said = self.same(commands)
        self.assertIn('Reassignment of partition moved-1 is completed.', said)
        self.assertIn('leader.replication.throttled.replicas=0:1,0:2,1:2,1:3', said)

    def test_moves_are_listed_and_cancelled(self):
        """The third broker is down, so what moves there stays under way."""
        self.addCleanup(self.on_both, self.come_back)
        self.on_both(lambda cluster: cluster.nodes[2].stop())

        def commands(run):
            run.cluster.plan('one.json', 'stuck', {0: [1, 3]})
            run.cluster.plan('other.json', 'stuck', {1: [1, 2]})
            run.cluster.plan('both.json', 'stuck', {0: [1, 3], 1: [1, 2]})
            run('topics', '--create', '--topic', 'stuck', '--replica-assignment', '1:2,2:1')
            # The tools themselves refuse a broker that is down.
            with Talk(run.cluster.nodes[0].port, 'mover') as talk:
                answer = talk.quietly(ALTER_REASSIGNMENTS, 1, TimeoutMs=30000, Topics=[
                    {'Name': 'stuck', 'Partitions': [{'PartitionIndex': 0, 'Replicas': [1, 3]}]}])
                self.assertEqual(answer['Responses'][0]['Partitions'][0]['ErrorCode'], 0)
            run('reassign-partitions', '--execute', '--reassignment-json-file', 'other.json')
            run('reassign-partitions', '--list')
            run('reassign-partitions', '--verify', '--reassignment-json-file', 'both.json')
            run('reassign-partitions', '--execute', '--reassignment-json-file', 'other.json', '--additional',
                '--disallow-replication-factor-change')
            run('topics', '--describe', '--topic', 'stuck')
            run('topics', '--describe', '--topic', 'stuck', '--under-replicated-partitions')
            run('reassign-partitions', '--cancel', '--reassignment-json-file', 'both.json', '--preserve-throttles')
            run('reassign-partitions', '--list')
            run('topics', '--describe', '--topic', 'stuck')
            run('topics', '--delete', '--topic', 'stuck')
        said = self.same(commands)
        self.assertIn('stuck-0: replicas: 1,3,2. adding: 3. removing: 2.', said)
        self.assertIn('Adding Replicas: 3\tRemoving Replicas: 2', said)
        self.assertIn('Successfully cancelled partition reassignment for: stuck-0', said)

    def test_plans_that_are_refused(self):
        def commands(run):
            def plan(*entries):
                run.cluster.write('plan.json', {'version': 1, 'partitions': entries})
                run('reassign-partitions', '--execute', '--reassignment-json-file', 'plan.json')
            there = {'topic': 'refused', 'partition': 0, 'replicas': [1]}
            run('topics', '--create', '--topic', 'refused', '--replica-assignment', '1:2')
            plan()
            plan({'topic': 'nope', 'partition': 0, 'replicas': [1]})
            plan({**there, 'partition': 5})
            plan({**there, 'replicas': [9]})
            plan({**there, 'replicas': []})
            plan({**there, 'replicas': [1, 1]})
            plan(there, there)
            plan({**there, 'log_dirs': ['any', 'any']})
            plan({**there, 'replicas': 'x'})
            run('reassign-partitions', '--verify', '--reassignment-json-file', 'plan.json')
            run('reassign-partitions', '--execute', '--reassignment-json-file', 'missing.json')
            run.cluster.plan('plan.json', 'refused', {0: [1]})
            run('reassign-partitions', '--verify', '--reassignment-json-file', 'plan.json', '--preserve-throttles')
            run('reassign-partitions', '--execute', '--reassignment-json-file', 'plan.json',
                '--disallow-replication-factor-change')
            run.cluster.write('topics.json', {'topics': [{'topic': 'refused'}]})
            for brokers in ('1', '9', '1,1'):
                run('reassign-partitions', '--generate', '--topics-to-move-json-file', 'topics.json', '--broker-list',
                    brokers)
            run('topics', '--delete', '--topic', 'refused')
        self.assertIn('Unknown broker id 9', self.same(commands))

    def test_usage_that_is_wrong(self):
        def commands(run):
            run.local('reassign-partitions', '--list')
            run('reassign-partitions', '--list', '--cancel')
            run('reassign-partitions', '--execute')
            run('reassign-partitions', '--list', '--throttle', '1')
            run('leader-election', '--election-type', 'bogus', '--all-topic-partitions')
            run('leader-election', '--topic', 't', '--partition', '0')
            run('leader-election', '--election-type', 'preferred', '--topic', 't')
            run('leader-election', '--election-type', 'preferred', '--partition', '1', '--all-topic-partitions')
            run('leader-election', '--election-type', 'preferred')
            run('leader-election', '--election-type', 'preferred', '--path-to-json-file', 'missing.json')
            run('log-dirs')
        self.same(commands)

    def test_leaders_are_elected(self):
        def commands(run):
            run.cluster.plan('swap.json', 'led', {0: [2, 1], 2: [3, 1]})
            run.cluster.write('elect.json', {'partitions': [{'topic': 'led', 'partition': number}
                                                            for number in (0, 1, 2)]})
            run('topics', '--create', '--topic', 'led', '--replica-assignment', '1:2,2:3,1:3')
            run.await_replicas('led', 6)
            run('reassign-partitions', '--execute', '--reassignment-json-file', 'swap.json')
            run.await_no_moves()
            run('topics', '--describe', '--topic', 'led')
            for kind in ('unclean', 'preferred', 'PREFERRED'):
                run('leader-election', '--election-type', kind, '--topic', 'led', '--partition', '0')
            run('leader-election', '--election-type', 'preferred', '--path-to-json-file', 'elect.json')
            run('leader-election', '--election-type', 'preferred', '--all-topic-partitions')
            run('leader-election', '--election-type', 'preferred', '--topic', 'missing', '--partition', '0')
            run('topics', '--describe', '--topic', 'led')
            run('topics', '--delete', '--topic', 'led')
        said = self.same(commands)
        self.assertIn('Successfully completed leader election (PREFERRED) for partitions led-0', said)
        self.assertIn('Valid replica already elected for partitions led-1, led-0', said)

    def test_replicas_are_moved_between_directories(self):
        def commands(run):
            run('topics', '--create', '--topic', 'aside', '--replica-assignment', '1:2')
            run.await_replicas('aside', 2)
            current, target = run.directories('aside', 2)
            run.words = {current: 'CURRENT', target: 'TARGET'}
            run.cluster.plan('plan.json', 'aside', {0: [1, 2]}, [['any', target]])
            run('reassign-partitions', '--execute', '--reassignment-json-file', 'plan.json',
                '--replica-alter-log-dirs-throttle', '1000000')
            deadline = time.monotonic() + 60
            while run.directories('aside', 2) != [target, current]:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.1)
            run('reassign-partitions', '--verify', '--reassignment-json-file', 'plan.json')
            run('log-dirs', '--describe', '--broker-list', '2', '--topic-list', 'aside',
                keep=lambda text: re.findall(r'"partition":"aside-0"[^]]*],"error":null,"logDir":"\w+"', text))
            run.cluster.plan('back.json', 'aside', {0: [1, 2]}, [['any', current]])
            run('reassign-partitions', '--verify', '--reassignment-json-file', 'back.json', '--preserve-throttles')
            run('reassign-partitions', '--cancel', '--reassignment-json-file', 'plan.json')
            run.cluster.plan('nowhere.json', 'aside', {0: [1, 2]}, [['any', '/nowhere']])
            run('reassign-partitions', '--execute', '--reassignment-json-file', 'nowhere.json')
            run('topics', '--delete', '--topic', 'aside')
        said = self.same(commands)
        self.assertIn('Successfully started moving log directory to TARGET for replica aside-0 with broker 2', said)
        self.assertIn('Reassignment of replica aside-0-2 completed successfully.', said)
        self.assertIn('Failed to alter dir for aside-0-2', said)

    def make_topics(self, cluster):
        """`deaf` wants more replicas in sync than are left, `lone` has one, on the broker that is to stop."""
        batch = records.batch([b'a', b'b', b'c'], int(time.time() * 1000))
        for topic, assignment, in_sync in (('deaf', '2:3,3:1', 2), ('lone', '3,1', 1), ('wide', '1:2:3', 2)):
            beside.tools.run('topics', '--bootstrap-server', cluster.bootstrap, '--create', '--topic', topic,
                             '--replica-assignment', assignment, '--config', f'min.insync.replicas={in_sync}')
        for topic, leader in (('deaf', 2), ('lone', 3), ('wide', 1)):
            with cluster.nodes[leader - 1].connect(timeout_s=30) as connection:
                deadline = time.monotonic() + 30
                while connection.produce(topic, batch)[0] != 0:
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.1)

    def delete_topics(self, cluster):
        for topic in ('deaf', 'lone', 'wide'):
            beside.tools.run('topics', '--bootstrap-server', cluster.bootstrap, '--delete', '--topic', topic)

    def test_brokers_and_their_directories_are_described(self):
        self.addCleanup(self.on_both, self.delete_topics)
        self.on_both(self.make_topics)

        def commands(run):
            for choice in (['--topic-list', 'wide,lone'], ['--broker-list', '3,1,3', '--topic-list', 'deaf']):
                run('log-dirs', '--describe', *choice, keep=without_directories, exact=True)
            run('log-dirs', '--describe', '--broker-list', '9,2,8')
            run('get-offsets', '--topic', 'deaf|lone|wide')
            run('get-offsets', '--topic-partitions', 'deaf:0-1,lone:0', '--time', 'earliest')
            run('cluster', 'list-endpoints')
            run('cluster', 'cluster-id', keep=lambda text: re.sub(r'ID: \S+', 'ID: ID', text))
        said = self.same(commands)
        self.assertIn('deaf:0:3\ndeaf:1:0\nlone:0:3\nlone:1:0\nwide:0:3\n', said)

    def test_a_broker_that_is_down(self):
        self.addCleanup(self.on_both, self.delete_topics)
        self.addCleanup(self.on_both, self.come_back)
        self.on_both(self.make_topics)
        self.on_both(lambda cluster: cluster.nodes[2].stop())

        def commands(run):
            for which in ([], ['--under-replicated-partitions'], ['--unavailable-partitions'],
                          ['--under-min-isr-partitions'], ['--at-min-isr-partitions'],
                          ['--unavailable-partitions', '--at-min-isr-partitions']):
                run('topics', '--describe', *which)
            run.cluster.plan('plan.json', 'wide', {0: [3, 1, 2]})
            run('reassign-partitions', '--execute', '--reassignment-json-file', 'plan.json')
            run.cluster.write('topics.json', {'topics': [{'topic': 'wide'}]})
            run('reassign-partitions', '--generate', '--topics-to-move-json-file', 'topics.json', '--broker-list',
                '1,2,3')
            for kind in ('preferred', 'unclean'):
                for topic in ('lone', 'deaf'):
                    run('leader-election', '--election-type', kind, '--topic', topic, '--partition', '0')
            # Apache Kafka's controller answers in no order.
            run('leader-election', '--election-type', 'preferred', '--all-topic-partitions',
                keep=lambda text: sorted(text.splitlines()))
            run('cluster', 'list-endpoints')
            run('cluster', 'list-endpoints', '--include-fenced-brokers')
            run('log-dirs', '--describe', '--topic-list', 'wide', keep=without_directories, exact=True)
            run('log-dirs', '--describe', '--broker-list', '3')
        said = self.same(commands)
        self.assertIn('Topic: lone\tPartition: 0\tLeader: none\tReplicas: 3\tIsr: \tElr: 3\tLastKnownElr: 3', said)
        for play in [beside.Play(cluster, None) for cluster in self.clusters]:
            self.assertEqual(play('cluster', 'unregister', '--id', '3'), 'Broker 3 is no longer registered.\n')
        self.same(lambda run: run('cluster', 'unregister', '--id', '3'))

    def come_back(self, cluster):
        if not cluster.nodes[2].is_running():
            cluster.nodes[2].start()
        cluster.await_brokers(timeout_s=180)


if __name__ == '__main__':
    unittest.main()
