# SPDX-License-Identifier: Apache-2.0
"""What watchers of a node read over HTTP: /metrics as Prometheus parses it, /healthz, and what strangers get there."""
import json
import re
import socket
import time
import unittest
import urllib.error
import urllib.request

from support import messages, node, records, wire

SAMPLE = re.compile(r'([a-z_][a-z0-9_]*)(?:\{((?:[A-Za-z]+="(?:[^"\\]|\\.)*",?)*)\})? (-?[0-9.e+]+)')


def parse(text):
    """Samples by name and labels. Fails on a line that is none, and on a metric that stands in two places."""
    samples, typed, last = {}, set(), None
    for line in text.splitlines():
        if line.startswith('# TYPE '):
            last = line.split()[2]
            assert last not in typed, line
            typed.add(last)
        elif not line.startswith('#'):
            found = SAMPLE.fullmatch(line)
            assert found and found[1] == last, line
            samples[found[1], found[2] or ''] = float(found[3])
    return samples


@unittest.skipIf(node.PEER, 'Apache Kafka has no such pages')
class AdminPagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.admin_port = node.free_port()
        cls.node = node.Node({'milena.admin.listener': f'127.0.0.1:{cls.admin_port}'}).start()
        cls.addClassCleanup(cls.node.__exit__)

    def get(self, path):
        with urllib.request.urlopen(f'http://127.0.0.1:{self.admin_port}{path}', timeout=10) as answer:
            return answer.headers, answer.read().decode()

    def metrics(self):
        return parse(self.get('/metrics')[1])

    def await_metric(self, sample, least, timeout_s=5):
        """The metrics once that one is there."""
        deadline = time.monotonic() + timeout_s
        while (seen := self.metrics())[sample] < least:
            self.assertLess(time.monotonic(), deadline, sample)
        return seen

    def test_traffic_of_a_topic_is_counted(self):
        with self.node.connect() as connection:
            connection.make_topic('counted', partitions=2)
            batch = records.batch([b'one', b'two', b'three'])
            connection.produce('counted', batch)
            seen = self.metrics()
            self.assertEqual(seen['kafka_server_brokertopicmetrics_messagesin_total', 'topic="counted"'], 3)
            self.assertEqual(seen['kafka_server_brokertopicmetrics_bytesin_total', 'topic="counted"'], len(batch))
            self.assertEqual(seen['kafka_log_log_logendoffset', 'topic="counted",partition="0"'], 3)
            self.assertEqual(seen['kafka_log_log_size', 'topic="counted",partition="0"'], len(batch))
            self.assertEqual(seen['kafka_log_log_logendoffset', 'topic="counted",partition="1"'], 0)
            self.assertGreaterEqual(seen['kafka_server_brokertopicmetrics_messagesin_total', ''], 3)

    def test_a_consumers_fetch_is_counted_as_one(self):
        with self.node.connect() as connection:
            connection.make_topic('fetched')
            batch = records.batch([b'one'])
            connection.produce('fetched', batch)
            connection.fetch('fetched', 0)
            name = 'kafka_network_requestmetrics_totaltimems_count'
            # Its time is known when it has been sent, which is a moment after it is here.
            seen = self.await_metric((name, 'request="FetchConsumer"'), 1)
            self.assertEqual(seen['kafka_server_brokertopicmetrics_bytesout_total', 'topic="fetched"'], len(batch))
            self.assertEqual(seen['kafka_server_brokertopicmetrics_totalfetchrequests_total', 'topic="fetched"'], 1)
            self.assertEqual(seen[name, 'request="FetchConsumer"'], seen[name, 'request="Fetch"'])
            self.assertEqual(seen[name, 'request="FetchFollower"'], 0)

    def test_fetch_sessions_show(self):
        name = 'kafka_server_fetchsessioncache_'
        with self.node.connect() as connection:
            connection.make_topic('in-session', partitions=3)
            parts = [{'Partition': p, 'FetchOffset': 0, 'PartitionMaxBytes': 1} for p in range(3)]
            connection.send(wire.frame(messages.request(wire.FETCH, 12, {
                'SessionId': 0, 'SessionEpoch': 0, 'Topics': [{'Topic': 'in-session', 'Partitions': parts}]}, 1)))
            _, body = messages.answer(wire.FETCH, 12, connection.receive_frame())
            self.assertNotEqual(body['SessionId'], 0)
            seen = self.metrics()
            self.assertEqual(seen[name + 'numincrementalfetchsessions', ''], 1)
            self.assertEqual(seen[name + 'numincrementalfetchpartitionscached', ''], 3)
            self.assertEqual(seen[name + 'incrementalfetchsessionevictions_total', ''], 0)

    def test_requests_are_counted_by_api_and_version(self):
        with self.node.connect() as connection:
            before = self.metrics().get(('kafka_network_requestmetrics_totaltimems_count', 'request="Metadata"'), 0)
            for _ in range(5):
                connection.metadata()
            seen = self.metrics()
            self.assertEqual(seen['kafka_network_requestmetrics_totaltimems_count', 'request="Metadata"'], before + 5)
            total = sum(value for (name, labels), value in seen.items()
                        if name == 'kafka_network_requestmetrics_requests_total' and 'request="Metadata"' in labels)
            self.assertEqual(total, before + 5)

    def test_the_cluster_and_the_process_show(self):
        seen = self.metrics()
        self.assertEqual(seen['kafka_controller_kafkacontroller_activecontrollercount', ''], 1)
        self.assertEqual(seen['kafka_controller_kafkacontroller_activebrokercount', ''], 1)
        self.assertEqual(seen['kafka_controller_kafkacontroller_offlinepartitionscount', ''], 0)
        self.assertEqual(seen['kafka_server_replicamanager_underreplicatedpartitions', ''], 0)
        self.assertEqual(seen['kafka_server_raft_metrics_current_leader', ''], 1)
        self.assertEqual(seen['kafka_server_kafkaserver_brokerstate', ''], 3)
        self.assertIn(('kafka_server_metadataloader_finalizedlevel', 'featureName="metadataVersion"'), seen)
        self.assertGreater(seen['process_resident_memory_bytes', ''], 1 << 20)
        self.assertGreater(seen['process_open_fds', ''], 3)
        self.assertGreater(seen['milena_files_hits_total', ''], 0)
        self.assertGreater(seen['milena_files_open_max', ''], seen['milena_files_open', ''])

    def test_connections_are_counted_by_listener(self):
        name = 'kafka_server_socket_server_metrics_connection_count', 'listener="PLAINTEXT"'
        before = self.metrics()[name]
        with self.node.connect() as connection:
            connection.metadata()
            self.assertEqual(self.metrics()[name], before + 1)

    def test_health_is_json_and_200_when_clients_are_served(self):
        headers, body = self.get('/healthz')
        self.assertEqual(headers['Content-Type'], 'application/json')
        self.assertEqual(json.loads(body), {'status': 'ready'})
        self.assertEqual(json.loads(self.get('/healthz/live?x=1')[1]), {'status': 'ready'})

    def test_an_unknown_page_is_404_and_names_those_there_are(self):
        with self.assertRaises(urllib.error.HTTPError) as caught:
            self.get('/metric')
        self.assertEqual(caught.exception.code, 404)
        self.assertIn('/metrics', caught.exception.read().decode())

    def raw(self, data):
        with socket.create_connection(('127.0.0.1', self.admin_port), timeout=10) as stream:
            stream.sendall(data)
            answer = b''
            while chunk := stream.recv(65536):
                answer += chunk
            return answer

    def test_head_has_no_body_and_other_methods_are_refused(self):
        head = self.raw(b'HEAD /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
        self.assertTrue(head.startswith(b'HTTP/1.1 200 OK\r\n') and head.endswith(b'\r\n\r\n'), head)
        self.assertTrue(self.raw(b'DELETE /metrics HTTP/1.1\r\nHost: x\r\n\r\n').startswith(b'HTTP/1.1 405 '))

    def test_what_is_not_http_or_too_long_is_refused(self):
        self.assertTrue(self.raw(bytes.fromhex('16030100c8010000c40303') + b'\r\n\r\n').startswith(b'HTTP/1.1 400 '))
        self.assertTrue(self.raw(b'GET /' + b'x' * 9000).startswith(b'HTTP/1.1 431 '))
        self.assertTrue(self.node.answers())

    def test_a_half_sent_request_holds_up_nobody(self):
        with socket.create_connection(('127.0.0.1', self.admin_port), timeout=10) as stream:
            stream.sendall(b'GET /metr')
            self.assertEqual(json.loads(self.get('/healthz')[1]), {'status': 'ready'})


if __name__ == '__main__':
    unittest.main()
