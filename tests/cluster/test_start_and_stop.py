# SPDX-License-Identifier: Apache-2.0
"""A node's life on its disk: the first start, the next ones, two at once, and files that it refuses."""
import json
import subprocess
import unittest

from support import node, records


class StartAndStopTest(unittest.TestCase):
    def test_an_empty_directory_is_formatted_and_keeps_its_ids(self):
        with node.Node() as server:
            first = server.meta_properties()
            with server.connect() as connection:
                self.assertEqual(connection.metadata().cluster_id, first['cluster.id'])
            self.assertEqual(first['version'], '1')
            self.assertEqual(first['node.id'], '1')
            self.assertEqual(len(first['directory.id']), 22)
            self.assertTrue((server.data / '__cluster_metadata-0').is_dir())
            server.restart()
            self.assertEqual(server.meta_properties(), first)

    def test_two_nodes_that_format_themselves_are_two_clusters(self):
        if node.PEER:
            self.skipTest('the cluster id of the peer is given to it')
        with node.Node() as one, node.Node() as other:
            self.assertNotEqual(one.meta_properties()['cluster.id'], other.meta_properties()['cluster.id'])

    def test_a_clean_stop_says_so_and_leaves_the_marker(self):
        with node.Node() as server:
            with server.connect() as connection:
                connection.make_topic('t')
                connection.produce('t', records.batch([b'one']))
            code = server.stop()
            self.assertIn(code, (0, 143))
            self.assertTrue((server.data / '.kafka_cleanshutdown').exists())

    def test_a_second_process_on_the_same_directories_is_refused(self):
        with node.Node() as server:
            second = node.Node(data=server.data)
            self.addCleanup(second.__exit__)
            second.spawn()
            self.assertNotEqual(second.process.wait(60), 0)
            self.assertIn(str(server.data), second.log())
            self.assertRegex(second.log().lower(), 'lock|another process')
            self.assertTrue(server.answers())

    def test_a_port_in_use_is_named(self):
        with node.Node() as server:
            second = node.Node({'listeners': f'PLAINTEXT://127.0.0.1:{server.port},CONTROLLER://127.0.0.1:1'})
            self.addCleanup(second.__exit__)
            text = second.properties.read_text().replace('CONTROLLER://127.0.0.1:1\n',
                                                         f'CONTROLLER://127.0.0.1:{second.controller_port}\n')
            second.properties.write_text(text)
            second.spawn()
            self.assertNotEqual(second.process.wait(60), 0)
            self.assertIn(str(server.port), second.log())
            self.assertTrue(server.answers())


    @unittest.skipIf(node.PEER, 'lines of Milena')
    def test_a_start_tells_where_clients_are_sent_and_whether_that_leads_here(self):
        with node.Node() as server:
            line = server.await_line('clients are told')
            self.assertIn('clients are told an address that leads here', line)
            self.assertIn(f'listener=PLAINTEXT bound=127.0.0.1:{server.port} advertised=127.0.0.1:{server.port}', line)

    @unittest.skipIf(node.PEER, 'lines of Milena')
    def test_an_advertised_address_that_leads_nowhere_or_elsewhere_is_told(self):
        with node.Node() as other:
            for port, said in ((node.free_port(), 'does not answer'), (other.port, 'of another cluster')):
                with node.Node({'advertised.listeners': f'PLAINTEXT://127.0.0.1:{port}'}) as server:
                    line = server.await_line('clients are told')
                    self.assertIn(said, line)
                    self.assertIn('advertised.listeners', line)


    @unittest.skipIf(node.PEER, 'a format of Milena')
    def test_json_lines_are_json_from_the_first_to_the_last(self):
        with node.Node({'milena.log.format': 'json', 'no.such.key': 'x"y'}) as server:
            server.stop()
            lines = [json.loads(line) for line in server.log().splitlines()]
        self.assertTrue(all({'time', 'level', 'message'} <= set(line) for line in lines))
        started = next(line for line in lines if line['message'] == 'started')
        self.assertEqual(started['node_id'], '1')
        self.assertEqual(lines[-1]['message'], 'stopped')


@unittest.skipIf(node.PEER, 'messages of Milena')
class RefusedFilesTest(unittest.TestCase):
    def refusal(self, extra):
        """What a start with these lines prints before it ends with an error."""
        server = node.Node(extra)
        self.addCleanup(server.__exit__)
        self.assertNotIn(server.spawn().wait(30), (0, -6, -11), server.log())
        return server.log()

    def test_a_bad_value_names_key_value_place_and_range(self):
        said = self.refusal({'log.segment.bytes': 'big'})
        self.assertIn('server.properties:12: log.segment.bytes=big', said)
        self.assertIn('1048576 or more', said)

    def test_what_is_not_there_yet_is_refused_by_name(self):
        self.assertIn('authorizer.class.name', self.refusal({'authorizer.class.name': 'kafka.Acl'}))
        self.assertIn('SASL_SSL', self.refusal(
            {'listener.security.protocol.map': 'PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT'}))

    def test_an_unknown_key_warns_and_names_the_nearest(self):
        with node.Node({'log.segment.byte': '1'}) as server:
            self.assertIn('is it log.segment.bytes?', server.log())

    def test_a_missing_file_is_named(self):
        done = subprocess.run([str(node.MILENA), 'server', '/no/such/file.properties'], capture_output=True, text=True,
                              check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('/no/such/file.properties', done.stdout + done.stderr)

    def test_a_foreign_node_id_on_the_disk_is_refused(self):
        with node.Node() as server:
            server.stop()
            server.properties.write_text(server.properties.read_text().replace('node.id=1', 'node.id=2'))
            server.spawn()
            self.assertNotEqual(server.process.wait(30), 0)
            self.assertIn('node.id', server.log())


if __name__ == '__main__':
    unittest.main()
