# SPDX-License-Identifier: Apache-2.0
"""The tools against a node. The texts are those that the tools of Apache Kafka 4.4 print."""
import os
import pathlib
import pty
import re
import subprocess
import tempfile
import time
import unittest

from support import node, tools


class ToolsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = node.Node()
        cls.node.start()
        cls.addClassCleanup(cls.node.__exit__)

    def tool(self, name, *arguments, stdin=''):
        return tools.run(name, '--bootstrap-server', self.node.bootstrap, *arguments, stdin=stdin)

    def says(self, done, out, exit_code=0):
        self.assertEqual((done.out, done.exit), (out, exit_code), done.err)


class TopicsTest(ToolsTest):
    def test_a_topic_is_created_listed_and_deleted(self):
        self.says(self.tool('topics', '--create', '--topic', 'orders', '--partitions', '3'), 'Created topic orders.\n')
        self.assertIn('orders\n', self.tool('topics', '--list').out)
        self.says(self.tool('topics', '--list', '--topic', 'ord.*'), 'orders\n')
        self.says(self.tool('topics', '--delete', '--topic', 'orders'), '')
        self.says(self.tool('topics', '--list', '--topic', 'ord.*'), '\n')

    def test_a_topic_that_exists_is_refused(self):
        self.tool('topics', '--create', '--topic', 'twice')
        again = self.tool('topics', '--create', '--topic', 'twice')
        self.says(again, "Error while executing topic command : Topic 'twice' already exists.\n", 1)
        self.assertIn("ERROR org.apache.kafka.common.errors.TopicExistsException: Topic 'twice' already exists.\n"
                      ' (org.apache.kafka.tools.TopicCommand)\n', again.err)
        self.says(self.tool('topics', '--create', '--topic', 'twice', '--if-not-exists'), '')

    def test_a_name_with_a_period_is_warned_of(self):
        self.says(self.tool('topics', '--create', '--topic', 'my.topic'),
                  "WARNING: Due to limitations in metric names, topics with a period ('.') or underscore ('_') could "
                  'collide. To avoid issues it is best to use either, but not both.\nCreated topic my.topic.\n')

    def test_partitions_only_grow(self):
        self.tool('topics', '--create', '--topic', 'grows', '--partitions', '2')
        self.says(self.tool('topics', '--alter', '--topic', 'grows', '--partitions', '4'), '')
        self.says(self.tool('topics', '--alter', '--topic', 'grows', '--partitions', '2'),
                  'Error while executing topic command : The topic grows currently has 4 partition(s); 2 would not be '
                  'an increase.\n', 1)

    def test_a_topic_is_described(self):
        self.tool('topics', '--create', '--topic', 'seen', '--config', 'cleanup.policy=compact')
        done = self.tool('topics', '--describe', '--topic', 'seen')
        self.assertRegex(done.out, r'^Topic: seen\tTopicId: \S{22}\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: '
                                   r'\S*cleanup\.policy=compact\S*\n\tTopic: seen\tPartition: 0\tLeader: 1\t'
                                   r'Replicas: 1\tIsr: 1\tElr: \tLastKnownElr: \n$')

    def test_configs_are_set_shown_and_deleted(self):
        self.tool('topics', '--create', '--topic', 'set')
        self.says(self.tool('configs', '--alter', '--topic', 'set', '--add-config', 'retention.ms=1000000'),
                  'Completed updating config for topic set.\n')
        self.says(self.tool('configs', '--describe', '--topic', 'set'),
                  'Dynamic configs for topic set are:\n  retention.ms=1000000 sensitive=false '
                  'synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=1000000}\n')
        self.tool('configs', '--alter', '--topic', 'set', '--delete-config', 'retention.ms')
        self.says(self.tool('configs', '--describe', '--topic', 'set'), 'Dynamic configs for topic set are:\n')
        self.says(self.tool('configs', '--describe', '--topic', 'missing'),
                  "The topic 'missing' doesn't exist and doesn't have dynamic config.\n")

    def test_a_config_that_is_not_there_is_refused(self):
        self.tool('topics', '--create', '--topic', 'unset')
        done = self.tool('configs', '--alter', '--topic', 'unset', '--add-config', 'nope=1')
        self.says(done, '', 1)
        self.assertIn('\nCaused by: org.apache.kafka.common.errors.InvalidConfigurationException: Unknown topic config '
                      'name: nope\n', done.err)

    def test_a_missing_topic_is_an_error_unless_it_may_be_missing(self):
        for action in (['--describe'], ['--delete'], ['--alter', '--partitions', '2']):
            with self.subTest(action=action):
                self.says(self.tool('topics', *action, '--topic', 'missing'),
                          "Error while executing topic command : Topic 'missing' does not exist as expected\n", 1)
                self.says(self.tool('topics', *action, '--topic', 'missing', '--if-exists'), '')


class RecordsTest(ToolsTest):
    def test_lines_come_back(self):
        self.says(self.tool('console-producer', '--topic', 'lines', stdin='one\ntwo\nthree'), '')
        got = self.tool('console-consumer', '--topic', 'lines', '--partition', '0', '--offset', '1',
                        '--max-messages', '2')
        self.says(got, 'two\nthree\n')
        self.assertEqual(got.err, 'Processed a total of 2 messages\n')

    def test_keys_headers_and_codecs_come_back(self):
        for codec in ('gzip', 'snappy', 'lz4', 'zstd'):
            self.says(self.tool('console-producer', '--topic', 'keys', '--compression-codec', codec,
                                '--reader-property', 'parse.key=true', '--reader-property', 'parse.headers=true',
                                stdin=f'h1:v1,h2:v2\tk\t{codec}\n'), '')
        got = self.tool('console-consumer', '--topic', 'keys', '--from-beginning', '--max-messages', '4',
                        '--formatter-property', 'print.key=true', '--formatter-property', 'print.headers=true',
                        '--formatter-property', 'print.offset=true', '--formatter-property', 'print.partition=true')
        self.says(got, ''.join(f'Partition:0\tOffset:{i}\th1:v1,h2:v2\tk\t{codec}\n'
                               for i, codec in enumerate(('gzip', 'snappy', 'lz4', 'zstd'))))

    def test_values_are_printed_by_their_deserializer(self):
        self.tool('console-producer', '--topic', 'typed', stdin='abcd\nabcdefgh\n')
        consume = ['--topic', 'typed', '--partition', '0', '--offset', '0', '--max-messages', '2',
                   '--value-deserializer', 'org.apache.kafka.common.serialization.IntegerDeserializer']
        got = self.tool('console-consumer', *consume)
        self.says(got, '1633837924\n', 1)
        self.assertIn('Error processing message, terminating consumer process:', got.err)
        self.assertIn('SerializationException: Size of data received by IntegerDeserializer is not 4\n'
                      'Processed a total of 2 messages\n', got.err)
        got = self.tool('console-consumer', *consume, '--skip-message-on-error')
        self.says(got, '1633837924\n')
        self.assertIn('Error processing message, skipping this message:', got.err)

    def test_a_formatter_of_coordinators_records_ends_at_what_it_cannot_read(self):
        self.tool('console-producer', '--topic', 'keyed', '--reader-property', 'parse.key=true', stdin='k\tv\n')
        consume = ['--topic', 'keyed', '--from-beginning', '--max-messages', '1', '--formatter']
        package = 'org.apache.kafka.tools.consumer.'
        got = self.tool('console-consumer', *consume, package + 'OffsetsMessageFormatter')
        self.says(got, '', 1)
        self.assertIn("Could not read record at offset 0 due to: Could not read version from key's buffer.", got.err)
        self.says(self.tool('console-consumer', *consume, package + 'LoggingMessageFormatter'), 'v\n')
        self.says(self.tool('console-consumer', *consume, package + 'NoOpMessageFormatter'), '')

    def test_a_line_without_its_separator_ends_the_producer(self):
        done = self.tool('console-producer', '--topic', 'lines', '--reader-property', 'parse.key=true', stdin='nokey\n')
        self.says(done, '', 1)
        self.assertEqual(done.err, "org.apache.kafka.common.KafkaException: No key separator found on line number 1: "
                                   "'nokey'\n")

    def test_a_consumer_gives_up_when_nothing_comes(self):
        self.tool('topics', '--create', '--topic', 'empty')
        done = self.tool('console-consumer', '--topic', 'empty', '--from-beginning', '--timeout-ms', '300')
        self.says(done, '')
        self.assertIn('Error processing message, terminating consumer process:  '
                      '(org.apache.kafka.tools.consumer.ConsoleConsumer)\n'
                      'org.apache.kafka.common.errors.TimeoutException\nProcessed a total of 0 messages\n', done.err)

    def test_offsets_are_told_by_time(self):
        self.tool('topics', '--create', '--topic', 'offsets', '--partitions', '2')
        self.tool('console-producer', '--topic', 'offsets', '--reader-property', 'parse.key=true', stdin='a\t1\na\t2\n')
        latest = self.tool('get-offsets', '--topic', 'offsets')
        self.assertEqual(sorted(re.findall(r'offsets:[01]:(\d)\n', latest.out)), ['0', '2'])
        self.says(self.tool('get-offsets', '--topic', 'offsets', '--time', 'earliest'), 'offsets:0:0\noffsets:1:0\n')
        self.says(self.tool('get-offsets', '--topic-partitions', 'offsets:1', '--time', '-2'), 'offsets:1:0\n')
        missing = self.tool('get-offsets', '--topic', 'nothing')
        self.says(missing, '', 1)
        self.assertEqual(missing.err,
                         'Error occurred: Could not match any topic-partitions with the specified filters\n')


    def test_records_are_deleted_up_to_an_offset(self):
        self.tool('topics', '--create', '--topic', 'cut')
        self.tool('console-producer', '--topic', 'cut', stdin='a\nb\nc\n')
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            file.write('{"partitions": [{"topic": "cut", "partition": 0, "offset": 2}], "version": 1}')
            file.flush()
            self.says(self.tool('delete-records', '--offset-json-file', file.name),
                      'Executing records delete operation\nRecords delete operation completed:\n'
                      'partition: cut-0\tlow_watermark: 2\n')
        self.says(self.tool('get-offsets', '--topic', 'cut', '--time', 'earliest'), 'cut:0:2\n')

    def test_log_directories_are_told(self):
        self.tool('topics', '--create', '--topic', 'placed')
        self.says(self.tool('log-dirs', '--describe', '--topic-list', 'placed'),
                  'Querying brokers for log directories information\n'
                  'Received log directory information from brokers 1\n'
                  '{"brokers":[{"broker":1,"logDirs":[{"partitions":[{"partition":"placed-0","size":0,"offsetLag":0,'
                  f'"isFuture":false}}],"error":null,"logDir":"{self.node.data}"}}]}}],"version":1}}\n')


class ProducerPerfTest(ToolsTest):
    SUMMARY = (r'(?m)^%d%s records sent, \d+\.\d{6} records/sec \(\d+\.\d\d MB/sec\), \d+\.\d\d ms avg latency, '
               r'\d+\.\d\d ms max latency, \d+ ms 50th, \d+ ms 95th, \d+ ms 99th, \d+ ms 99\.9th\.$')

    def perf(self, topic, *arguments):
        return self.tool('producer-perf-test', '--topic', topic, *arguments)

    def values(self, topic, count):
        got = self.tool('console-consumer', '--topic', topic, '--from-beginning', '--max-messages', str(count),
                        '--timeout-ms', '10000', '--formatter-property', 'print.key=true')
        return got.out.splitlines()

    def test_all_records_arrive_and_are_what_kafkas_tool_sends(self):
        done = self.perf('perf', '--num-records', '3', '--record-size', '20', '--throughput', '-1',
                         '--key-distribution', 'random', '--record-key-range', '1000')
        self.assertRegex(done.out, self.SUMMARY % (3, ''))
        self.assertEqual((done.exit, done.err), (0, ''))
        self.assertEqual(self.values('perf', 3), ['924\tYQHHNEBSEPDNSEIFGAMS', '280\tJXKOLTXSPLGHDIOYZJFN',
                                                  '832\tDSPWHZMKVJAXDBZFCOXY'])

    def test_many_records_over_partitions_with_each_way_of_acknowledging(self):
        self.tool('topics', '--create', '--topic', 'perf.many', '--partitions', '5')
        for index, (acks, codec) in enumerate((('0', 'none'), ('1', 'lz4'), ('all', 'zstd'))):
            done = self.perf('perf.many', '--num-records', '20000', '--record-size', '100', '--throughput', '-1',
                             '--command-property', f'acks={acks}', f'compression.type={codec}', 'batch.size=4000')
            self.assertRegex(done.out, self.SUMMARY % (20000, ''))
            # What is not acknowledged may still be on its way.
            for _ in range(100):
                ends = re.findall(r'many:\d:(\d+)', self.tool('get-offsets', '--topic', 'perf.many').out)
                if sum(map(int, ends)) == 20000 * (index + 1):
                    break
            self.assertEqual(sum(map(int, ends)), 20000 * (index + 1))
            self.assertNotIn('0', ends)

    def test_the_rate_is_kept_and_told_while_it_runs(self):
        done = self.perf('perf.paced', '--num-records', '1500', '--record-size', '10', '--throughput', '1000',
                         '--warmup-records', '500', '--reporting-interval', '400')
        self.assertTrue(done.out.startswith('Warmup first 500 records. Steady state results will print after the '
                                            'complete test summary.\n'), done)
        self.assertIn('In steady state.\n', done.out)
        self.assertRegex(done.out, r'(?m)^\d+ records sent, \d+\.\d records/sec \(\d+\.\d\d MB/sec\), \d+\.\d ms avg '
                                   r'latency, \d+\.\d ms max latency\.$')
        self.assertRegex(done.out, self.SUMMARY % (1000, ' steady state'))
        rate = float(re.search(r'^1500 records sent, (\S+) ', done.out, re.M)[1])
        self.assertTrue(500 < rate <= 1010, done.out)

    def test_payloads_come_from_a_file_or_count_up(self):
        with tempfile.NamedTemporaryFile('w', suffix='.txt') as file:
            file.write('one;two;three;;five')
            file.flush()
            done = self.perf('perf.file', '--num-records', '3', '--payload-file', file.name, '--payload-delimiter', ';',
                             '--throughput', '-1')
            self.assertTrue(done.out.startswith(f'Reading payloads from: {file.name}\nNumber of records read: 5\n'))
        self.assertEqual(self.values('perf.file', 3), ['null\t', 'null\ttwo', 'null\tthree'])
        self.perf('perf.numbers', '--num-records', '3', '--payload-monotonic', '--throughput', '-1')
        self.assertEqual(self.values('perf.numbers', 3), ['null\t0', 'null\t1', 'null\t2'])

    def test_a_record_that_is_too_large_is_told_and_does_not_count(self):
        done = self.perf('perf.large', '--num-records', '2', '--record-size', '2000000', '--throughput', '-1')
        self.assertEqual(done.err.count('errors.RecordTooLargeException: The message is 2000'), 2)
        self.assertTrue(done.out.startswith('0 records sent, 0.000000 records/sec'), done)
        self.assertEqual(done.exit, 0)

    def test_metrics_are_counted(self):
        done = self.perf('perf.metrics', '--num-records', '1000', '--record-size', '100', '--throughput', '-1',
                         '--print-metrics', '--command-property', 'client.id=me')
        self.assertRegex(done.out, r'(?m)^Metric Name +Value$')
        self.assertRegex(done.out, r'(?m)^producer-metrics:record-send-total:{client-id=me} +: 1000\.000$')

    def test_transactions_are_refused(self):
        done = self.perf('perf', '--num-records', '3', '--record-size', '20', '--throughput', '-1',
                         '--transactional-id', 'x')
        self.says(done, '', 1)
        self.assertIn('no broker coordinates transactions yet', done.err.splitlines()[0])
        done = self.perf('perf', '--num-records', '3', '--record-size', '20', '--throughput', '-1',
                         '--command-property', 'transactional.id=x')
        self.says(done, '', 1)
        self.assertIn('no broker coordinates transactions yet', done.err)


class ProducerRetryTest(unittest.TestCase):
    def test_what_a_killed_node_did_not_acknowledge_is_sent_again(self):
        with node.Node() as server:
            tool = [str(node.MILENA), 'producer-perf-test', '--bootstrap-server', server.bootstrap, '--topic', 'again',
                    '--num-records', '1500', '--record-size', '10', '--throughput', '500']
            with subprocess.Popen(tool, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as producer:
                time.sleep(1)
                server.kill()
                server.start()
                out = producer.communicate(timeout=60)[0]
            self.assertTrue(out.splitlines()[-1].startswith('1500 records sent, '), out)
            ends = tools.run('get-offsets', '--bootstrap-server', server.bootstrap, '--topic', 'again').out
            self.assertGreaterEqual(int(ends.split(':')[2]), 1500)


class ProgressTest(ToolsTest):
    def test_long_work_shows_on_a_terminal_how_far_it_is(self):
        ours, theirs = pty.openpty()
        tool = [str(node.MILENA), 'producer-perf-test', '--bootstrap-server', self.node.bootstrap, '--topic', 'seen',
                '--num-records', '1000', '--record-size', '10', '--throughput', '500']
        done = subprocess.run(tool, stdout=subprocess.PIPE, stderr=theirs, text=True, timeout=60)
        os.close(theirs)
        shown = b''
        try:
            while chunk := os.read(ours, 4096):
                shown += chunk
        except OSError:
            pass  # the last one has closed the terminal
        os.close(ours)
        self.assertRegex(shown.decode(), r'\r\x1b\[KSending: \d+ % \(\d+ of 1000 records\)')
        self.assertTrue(shown.endswith(b'\r\x1b[K'), shown)
        self.assertTrue(done.stdout.startswith('1000 records sent, '), done)

    def test_what_goes_to_a_pipe_has_none_of_it(self):
        done = self.tool('producer-perf-test', '--topic', 'unseen', '--num-records', '500', '--record-size', '10',
                         '--throughput', '500')
        self.assertEqual(done.err, '')


class ConsumerPerfTest(ToolsTest):
    TIME = r'\d{4}-\d\d-\d\d \d\d:\d\d:\d\d:\d{3}'
    RATES = r'\d+, \d+, \d+\.\d{4}, \d+\.\d{4}'
    HEADER = ('start.time, end.time, data.consumed.in.MB, MB.sec, data.consumed.in.nMsg, nMsg.sec, rebalance.time.ms, '
              'fetch.time.ms, fetch.MB.sec, fetch.nMsg.sec\n')

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        tools.run('producer-perf-test', '--bootstrap-server', cls.node.bootstrap, '--topic', 'read', '--num-records',
                  '30000', '--record-size', '100', '--throughput', '-1')

    def read(self, *arguments):
        done = self.tool('consumer-perf-test', '--topic', 'read', *arguments)
        self.assertEqual((done.exit, done.err), (0, ''))
        return done.out

    def test_the_summary_is_kafkas(self):
        out = self.read('--num-records', '30000')
        self.assertTrue(out.startswith(self.HEADER), out)
        self.assertRegex(out.splitlines()[1], rf'^{self.TIME}, {self.TIME}, 2\.8610, \d+\.\d{{4}}, 30000, '
                                              rf'\d+\.\d{{4}}, {self.RATES}$')

    def test_the_header_may_be_left_out_and_times_written_otherwise(self):
        out = self.read('--messages', '5', '--hide-header', '--date-format', "yyyy 'x'")
        self.assertRegex(out, r'^\d{4} x, \d{4} x, 0\.0005, ')

    def test_detailed_lines_come_in_place_of_the_summary(self):
        out = self.read('--num-records', '30000', '--show-detailed-stats', '--reporting-interval', '1').splitlines()
        self.assertTrue(out[0].startswith('time, threadId, data.consumed.in.MB, '))
        self.assertRegex(out[1], rf'^{self.TIME}, 0, \d+\.\d{{4}}, \d+\.\d{{4}}, \d+, \d+\.\d{{4}}, {self.RATES}$')

    def test_it_ends_when_nothing_comes(self):
        out = self.read('--num-records', '99', '--from-latest', '--timeout', '300').splitlines()
        self.assertEqual(out[1], 'WARNING: Exiting before consuming the expected number of records: timeout (300 ms) '
                                 'exceeded. You can use the --timeout option to increase the timeout.')
        self.assertIn(', 0.0000, 0.0000, 0, 0.0000, ', out[2])

    def test_metrics_are_counted(self):
        self.assertRegex(self.read('--num-records', '7', '--print-metrics'),
                         r'(?m)^consumer-fetch-manager-metrics:records-consumed-total:{client-id=perf-consumer-client} '
                         r'+: 7\.000$')


class DumpLogTest(ToolsTest):
    def test_a_log_is_dumped(self):
        self.tool('topics', '--create', '--topic', 'dumped')
        self.tool('console-producer', '--topic', 'dumped', '--reader-property', 'parse.key=true', stdin='k\tv\n')
        path = self.node.data / 'dumped-0' / '00000000000000000000.log'
        done = tools.run('dump-log', '--files', str(path), '--print-data-log')
        self.assertRegex(done.out, rf'^Dumping {path}\nLog starting offset: 0\nbaseOffset: 0 lastOffset: 0 count: 1 .*'
                                   r'\n\| offset: 0 CreateTime: \d+ keySize: 1 valueSize: 1 sequence: -1 '
                                   r'headerKeys: \[\] key: k payload: v\n$')

    def test_the_metadata_log_is_decoded(self):
        self.tool('topics', '--create', '--topic', 'decoded')
        path = self.node.data / '__cluster_metadata-0' / '00000000000000000000.log'
        done = tools.run('dump-log', '--files', str(path), '--cluster-metadata-decoder')
        self.assertRegex(done.out, r'payload: {"type":"TOPIC_RECORD","version":0,"data":{"name":"decoded","topicId":')
        self.assertRegex(done.out, r'headerKeys: \[\] LeaderChange: {"version":\d,"leaderId":1,')

    def test_an_unknown_file_is_passed_over(self):
        path = self.node.data / 'meta.properties'
        done = tools.run('dump-log', '--files', str(path))
        self.says(done, f'Dumping {path}\n')
        self.assertEqual(done.err, f'Ignoring unknown file {path}\n')


class ClusterTest(ToolsTest):
    def test_the_apis_of_a_broker_are_listed(self):
        done = self.tool('broker-api-versions')
        self.assertTrue(done.out.startswith(
            f'{self.node.bootstrap} (id: 1 rack: null isFenced: false) -> (\n'
            '\tProduce(0): 0 to 13 [usable: 13],\n'), done)
        self.assertTrue(done.out.endswith('\n)\n'), done)

    def test_the_cluster_has_an_id_and_endpoints(self):
        self.says(self.tool('cluster', 'cluster-id'), f'Cluster ID: {self.node.meta_properties()["cluster.id"]}\n')
        self.says(self.tool('cluster', 'list-endpoints'),
                  'ID         HOST      PORT       RACK       STATE      ENDPOINT_TYPE  \n'
                  f'1          127.0.0.1 {self.node.port}      null       unfenced   broker         \n')

    def test_a_broker_that_is_not_there_is_not_unregistered(self):
        done = self.tool('cluster', 'unregister', '--id', '9')
        self.says(done, '', 1)
        self.assertIn('java.util.concurrent.ExecutionException: org.apache.kafka.common.errors.'
                      'BrokerIdNotRegisteredException: Broker ID 9 is not currently registered\n', done.err)

    def test_features_are_described(self):
        done = self.tool('features', 'describe')
        self.assertRegex(done.out, r'(?m)^Feature: metadata\.version {26}SupportedMinVersion: 3\.3-IV3 {10}'
                                   r'SupportedMaxVersion: 4\.4-IV2 {10}FinalizedVersionLevel: 4\.4-IV2 {10}'
                                   r'Epoch: \d+$')

    def test_a_feature_that_is_not_there_is_not_upgraded(self):
        done = self.tool('features', 'upgrade', '--feature', 'nope.version=1')
        self.says(done, 'Could not upgrade nope.version to 1. The update failed for all features since the following '
                        'feature had an error: Invalid update version 1 for feature nope.version. Local controller 1 '
                        'does not support this feature.\n', 1)
        self.assertEqual(done.err, '1 out of 1 operation(s) failed.\n')

    def test_the_quorum_is_described(self):
        done = self.tool('metadata-quorum', 'describe', '--status')
        self.assertRegex(done.out, r'^ClusterId: {14}\S{22}\nLeaderId: {15}1\nLeaderEpoch: {12}\d+\n'
                                   r'HighWatermark: {10}\d+\nMaxFollowerLag: {9}0\nMaxFollowerLagTimeMs: {3}0\n')


class UsageTest(unittest.TestCase):
    """What needs no cluster."""

    def usage(self, *command):
        done = tools.run(*command)
        self.assertEqual((done.out, done.exit), ('', 1))
        return done.err.split('\n')[0]

    def test_wrong_usage_is_told_as_kafka_tells_it(self):
        self.assertEqual(self.usage('topics', '--bootstrap-server', 'b:1', '--list', '--create'),
                         'Command must include exactly one action: --list, --describe, --create, --alter or --delete')
        self.assertEqual(self.usage('topics', '--list'), '--bootstrap-server must be specified')
        self.assertEqual(self.usage('topics', '--bootstrap-server', 'b:1', '--nosuch'),
                         'nosuch is not a recognized option')
        self.assertEqual(self.usage('console-consumer', '--bootstrap-server', 'b:1', '--topic', 't', '--offset', '3'),
                         'The partition is required when offset is specified.')
        perf = ['producer-perf-test', '--bootstrap-server', 'b:1', '--topic', 't', '--throughput', '-1']
        self.assertEqual(self.usage(*perf, '--num-records', '9'), 'kafka-producer-perf-test: error: one of the '
                         'arguments --record-size --payload-file --payload-monotonic is required')
        self.assertEqual(self.usage(*perf, '--num-records', '0', '--record-size', '1'),
                         'kafka-producer-perf-test: error: --num-records should be greater than zero.')
        self.assertEqual(self.usage(*perf, '--num-records', '9', '--record-size', '1', '--warmup-records', '9'),
                         'kafka-producer-perf-test: error: The value for --warmup-records must be strictly fewer than '
                         'the number of records in the test, --num-records.')
        self.assertEqual(self.usage('consumer-perf-test', '--bootstrap-server', 'b:1', '--topic', 't'),
                         'Exactly one of the following arguments is required: [messages], [num-records]')
        self.assertEqual(self.usage('configs', '--bootstrap-server', 'b:1', '--describe'),
                         'At least one entity type must be specified')

    def test_a_link_with_kafkas_name_is_the_tool(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(tools.run('install-tools', folder).exit, 0)
            for name in ('kafka-topics.sh', 'kafka-topics'):
                done = tools.run_program([str(pathlib.Path(folder, name)), '--version'])
                self.assertEqual((done.out, done.exit), ('4.4.0\n', 0))


if __name__ == '__main__':
    unittest.main()
