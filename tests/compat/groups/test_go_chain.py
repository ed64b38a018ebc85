# SPDX-License-Identifier: Apache-2.0
"""franz-go's own test of groups, TestGroupETL, again and again against three brokers: chains of groups whose members
come and go (range, cooperative, static, and with the consumer protocol) read what the group before has written. It
fails if a member that lives is unknown, a record comes twice or out of order, or one is missing (B32)."""
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

from compat import libraries
from support import node, quorum

PACKAGE = 'github.com/twmb/franz-go/pkg/kgo'
BROKERS = {'group.initial.rebalance.delay.ms': 100, 'offsets.topic.num.partitions': 8,
           'offsets.topic.replication.factor': 3, 'min.insync.replicas': 2}
SECONDS = 60
RECORDS = 20000


class GoChainTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if node.PEER:
            raise unittest.SkipTest('the formatting tool is Milena\'s')
        folder = tempfile.TemporaryDirectory(prefix='milena-chain-')
        cls.addClassCleanup(folder.cleanup)
        cls.program = pathlib.Path(folder.name) / 'kgo.test'
        try:
            libraries.fetch([libraries.need('go'), 'mod', 'download'], libraries.HERE / 'go')
        except libraries.Missing as why:
            raise unittest.SkipTest(str(why)) from why
        libraries.make(['go', 'test', '-c', '-o', cls.program, PACKAGE], libraries.HERE / 'go')
        cls.running = quorum.Quorum(roles='broker,controller', extra=BROKERS)
        cls.addClassCleanup(cls.running.__exit__)
        cls.running.__enter__()
        cls.running.await_brokers()

    def test_groups_in_chains_read_everything_once(self):
        """For about a minute, once at least."""
        seeds = ','.join(voter.bootstrap for voter in self.running.voters)
        environment = {**os.environ, 'KGO_SEEDS': seeds, 'KGO_TEST_RF': '3', 'KGO_TEST_RECORDS': str(RECORDS),
                       'KGO_TEST_MAX_TOPIC_PARTS': '8', 'KGO_LOG_LEVEL': 'info'}
        deadline = time.monotonic() + SECONDS
        rounds = 0
        while rounds == 0 or time.monotonic() < deadline:
            done = subprocess.run([self.program, '-test.run', '^TestGroupETL$', '-test.timeout', '300s'], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, check=False)
            rounds += 1
            self.assertEqual(done.returncode, 0, f'round {rounds}:\n{self.told(done.stdout)}')
            self.assertNotIn('UNKNOWN_MEMBER_ID', done.stdout, f'round {rounds}')
        for voter in self.running.voters:
            self.assertTrue(voter.is_running(), voter.log()[-2000:])

    @staticmethod
    def told(said):
        """What failed, and the end."""
        wrong = [line for line in said.splitlines() if 'FAIL' in line or '_test.go' in line]
        return '\n'.join([*wrong[:40], said[-4000:]])


if __name__ == '__main__':
    unittest.main()
