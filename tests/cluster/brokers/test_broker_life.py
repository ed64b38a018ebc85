# SPDX-License-Identifier: Apache-2.0
"""Brokers of several nodes as the controller sees them: killed, stopped, hung, restarted, and twice under one id."""
import signal
import time
import unittest
import urllib.request

from conversations.talk import DESCRIBE_CLUSTER, Talk
from support import node, quorum

FAST_S = 1.0
SESSION_S = 9.0


def setUpModule():
    if node.PEER:
        raise unittest.SkipTest('the formatting tool is Milena\'s')


class BrokerLifeTest(unittest.TestCase):
    def start(self, **how):
        running = quorum.Quorum(**how)
        self.addCleanup(running.__exit__)
        running.__enter__()
        running.await_brokers()
        running.leader()
        return running

    def states(self, asked):
        """{broker: is it fenced} as a broker tells of them."""
        with Talk(asked.port, 'life') as talk:
            answer = talk.quietly(DESCRIBE_CLUSTER, 2, EndpointType=1, IncludeFencedBrokers=True)
        return {broker['BrokerId']: broker['IsFenced'] for broker in answer['Brokers']}

    def await_state(self, asked, broker, is_fenced, timeout_s):
        """Seconds until the broker is as said."""
        began = time.monotonic()
        while self.states(asked).get(broker.node_id) != is_fenced:
            self.assertLess(time.monotonic() - began, timeout_s, asked.log())
            time.sleep(0.01)
        return time.monotonic() - began

    def test_a_killed_broker_is_fenced_within_a_second(self):
        running = self.start(brokers=2)
        asked, victim = running.brokers
        took_s = []
        for _ in range(3):
            victim.kill()
            took_s.append(self.await_state(asked, victim, True, 15))
            victim.spawn()
            self.await_state(asked, victim, False, 15)
        print('seconds from the kill of a broker until it is fenced: ' + ', '.join(f'{s:.2f}' for s in took_s))
        self.assertLess(sorted(took_s)[1], FAST_S)

    def test_a_broker_that_is_killed_and_started_again_serves_at_once(self):
        running = self.start(brokers=2)
        asked, victim = running.brokers
        took_s = []
        for _ in range(3):
            victim.kill()
            began = time.monotonic()
            victim.start()
            took_s.append(time.monotonic() - began)
        print('seconds from the kill of a broker until its next process serves: '
              + ', '.join(f'{s:.2f}' for s in took_s))
        self.assertLess(sorted(took_s)[1], 2)
        # The other broker hears of it with the metadata, a moment later.
        self.await_state(asked, victim, False, 1)
        self.assertEqual(self.states(asked), {100: False, 101: False})

    def test_a_broker_that_hangs_keeps_its_session(self):
        running = self.start(brokers=2)
        asked, victim = running.brokers
        victim.process.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        while time.monotonic() - began < SESSION_S - 3:
            self.assertFalse(self.states(asked)[victim.node_id], 'silence is no evidence')
            time.sleep(0.1)
        self.await_state(asked, victim, True, 15)
        victim.process.send_signal(signal.SIGCONT)
        self.await_state(asked, victim, False, 15)

    def test_a_broker_that_dies_with_its_controller_is_fenced_within_seconds(self):
        running = self.start(roles='broker,controller')
        leader, _ = running.leader()
        others = [n for n in running.nodes if n is not leader]
        leader.kill()
        took_s = self.await_state(others[0], leader, True, 15)
        print(f'seconds from the kill of a leading node until its broker is fenced: {took_s:.2f}')
        self.assertLess(took_s, SESSION_S - 3)
        self.assertEqual(self.states(others[0]), {n.node_id: n is leader for n in running.nodes})
        leader.start()
        self.assertEqual(self.states(others[1]), {n.node_id: False for n in running.nodes})

    def test_a_broker_that_stops_is_let_go_by_a_controller_elsewhere(self):
        running = self.start(brokers=2)
        asked, leaving = running.brokers
        self.assertEqual(leaving.stop(), 0)
        self.assertTrue(self.states(asked)[leaving.node_id], 'fenced before its process ended')
        self.assertNotIn('controlled shutdown', leaving.log())
        began = time.monotonic()
        leaving.start()
        self.assertLess(time.monotonic() - began, 3)

    def test_a_broker_stops_while_its_controller_dies(self):
        running = self.start(brokers=1)
        leader, _ = running.leader()
        leader.kill()
        self.assertEqual(running.brokers[0].stop(timeout_s=30), 0)

    def test_a_second_process_of_one_id_ends_and_says_who_holds_it(self):
        running = self.start(brokers=1)
        holder = running.brokers[0]
        second = quorum.Voter(holder.node_id, 'broker')
        self.addCleanup(second.__exit__)
        second.join(running.voters, {})
        began = time.monotonic()
        second.spawn()
        self.assertNotEqual(second.process.wait(40), 0)
        self.assertGreater(time.monotonic() - began, SESSION_S)
        self.assertIn(f'node.id {holder.node_id} is held by another process at PLAINTEXT://127.0.0.1:{holder.port}, '
                      'since 20', second.log())
        self.assertEqual(self.states(holder), {holder.node_id: False}, 'the first has not lost its place')

    def test_without_fast_fencing_a_session_must_end(self):
        running = self.start(brokers=2, extra={'milena.fast.fencing': 'false', 'broker.session.timeout.ms': '4000'})
        asked, victim = running.brokers
        victim.kill()
        self.assertGreater(self.await_state(asked, victim, True, 15), 2)

    def test_the_metrics_count_brokers(self):
        admin = {}
        running = quorum.Quorum(brokers=2)
        self.addCleanup(running.__exit__)
        for one in running.nodes:
            admin[one.node_id] = node.free_port()
            with open(one.properties, 'a', encoding='utf-8') as lines:
                lines.write(f'milena.admin.listener=127.0.0.1:{admin[one.node_id]}\n')
        running.__enter__()
        running.await_brokers()
        leader, _ = running.leader()
        asked, victim = running.brokers
        prefix = 'kafka_controller_kafkacontroller_'

        def figures(one):
            with urllib.request.urlopen(f'http://127.0.0.1:{admin[one.node_id]}/metrics', timeout=10) as page:
                lines = [line.rsplit(' ', 1) for line in page.read().decode().splitlines() if line.startswith('kafka')]
            return {name.removeprefix(prefix): float(value) for name, value in lines}
        before = figures(leader)
        self.assertEqual([before['activecontrollercount'], before['activebrokercount'], before['fencedbrokercount'],
                          before['timedoutbrokerheartbeatcount'],
                          before['brokerregistrationstate{broker="100"}']], [1, 2, 0, 0, 30])
        self.assertLess(before['timesincelastheartbeatreceivedms{broker="101"}'], 9000)
        victim.kill()
        self.await_state(asked, victim, True, 15)
        time.sleep(0.3)
        after = figures(leader)
        self.assertEqual([after['activebrokercount'], after['fencedbrokercount'],
                          after['brokerregistrationstate{broker="101"}']], [1, 1, 10])
        self.assertNotIn('timesincelastheartbeatreceivedms{broker="101"}', after)
        self.assertEqual(figures(asked)['activecontrollercount'], 0)


if __name__ == '__main__':
    unittest.main()
