# SPDX-License-Identifier: Apache-2.0
"""FetchSnapshot on a controllers' listener (KIP-630): a snapshot comes in pieces, and what can't come has its error."""
import time
import unittest

from conversations.talk import DESCRIBE_QUORUM, Talk
from support import node

FETCH_SNAPSHOT = 59
LOG = '__cluster_metadata'
UNKNOWN_TOPIC_OR_PARTITION, INVALID_REQUEST, FENCED_EPOCH, UNKNOWN_EPOCH = 3, 42, 74, 75
SNAPSHOT_NOT_FOUND, POSITION_OUT_OF_RANGE, INCONSISTENT_CLUSTER = 98, 99, 104
ours_alone = unittest.skipIf(node.PEER, 'Apache Kafka answers UNKNOWN_SERVER_ERROR to what it refuses')


class FetchSnapshotTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Without records that say nothing, so that the newest snapshot stays the newest.
        cls.node = node.Node({'metadata.log.max.record.bytes.between.snapshots': 1000,
                              'metadata.max.idle.interval.ms': 0}).start()
        cls.addClassCleanup(cls.node.__exit__)
        with cls.node.connect() as connection:
            for number in range(5):
                connection.make_topic(f't{number}', 20)

    def setUp(self):
        self.talk = Talk(self.node.controller_port, 'snapshots')
        self.addCleanup(self.talk.hang_up)
        answer = self.talk.quietly(DESCRIBE_QUORUM, 2, Topics=[
            {'TopicName': LOG, 'Partitions': [{'PartitionIndex': 0}]}])
        self.epoch = answer['Topics'][0]['Partitions'][0]['LeaderEpoch']
        self.path, self.snapshot = self.newest_snapshot()

    def newest_snapshot(self):
        """Its file, and how it is asked for, once no newer one comes."""
        deadline, last = time.monotonic() + 30, None
        while True:
            path = max((self.node.data / f'{LOG}-0').glob('*.checkpoint'))
            end, epoch = (int(number) for number in path.stem.split('-'))
            if end > 0 and path == last:
                return path, {'EndOffset': end, 'Epoch': epoch}
            self.assertLess(time.monotonic(), deadline, 'no snapshot was written')
            last = path
            time.sleep(0.2)

    def ask(self, version=1, topic=LOG, cluster=None, max_bytes=1000, **partition):
        asked = {'Partition': 0, 'CurrentLeaderEpoch': self.epoch, 'SnapshotId': self.snapshot, 'Position': 0}
        return self.talk.quietly(FETCH_SNAPSHOT, version, ClusterId=cluster, ReplicaId=7, MaxBytes=max_bytes,
                                 Topics=[{'Name': topic, 'Partitions': [{**asked, **partition}]}])

    def part(self, **asked):
        answer = self.ask(**asked)
        self.assertEqual(answer['ErrorCode'], 0)
        return answer['Topics'][0]['Partitions'][0]

    def test_the_pieces_are_the_file(self):
        whole = self.path.read_bytes()
        for version, max_bytes in (0, 700), (1, 1000), (1, 1 << 20):
            fetched = b''
            while len(fetched) < len(whole):
                part = self.part(version=version, max_bytes=max_bytes, Position=len(fetched))
                self.assertEqual(part['ErrorCode'], 0)
                self.assertEqual(part['SnapshotId'], self.snapshot)
                self.assertEqual([part['Size'], part['Position']], [len(whole), len(fetched)])
                self.assertEqual(part['CurrentLeader'], {'LeaderId': 1, 'LeaderEpoch': self.epoch})
                self.assertEqual(len(part['UnalignedRecords']), min(max_bytes, len(whole) - len(fetched)))
                fetched += part['UnalignedRecords']
            self.assertEqual(fetched, whole)

    def test_it_says_where_the_leader_is(self):
        self.assertEqual(self.ask()['NodeEndpoints'],
                         [{'NodeId': 1, 'Host': '127.0.0.1', 'Port': self.node.controller_port}])

    @ours_alone
    def test_what_is_not_there(self):
        size = self.path.stat().st_size
        for position in size, size + 1, -1:
            self.assertEqual(self.part(Position=position)['ErrorCode'], POSITION_OUT_OF_RANGE, position)
        others = [{**self.snapshot, 'EndOffset': self.snapshot['EndOffset'] + 1000},
                  {**self.snapshot, 'Epoch': self.snapshot['Epoch'] + 1}, {'EndOffset': 0, 'Epoch': 0}]
        for other in others:
            answer = self.part(SnapshotId=other)
            self.assertEqual(answer['ErrorCode'], SNAPSHOT_NOT_FOUND, other)
            self.assertEqual(answer['CurrentLeader']['LeaderId'], 1)
            self.assertEqual(answer['UnalignedRecords'], b'')

    @ours_alone
    def test_another_epoch(self):
        self.assertEqual(self.part(CurrentLeaderEpoch=self.epoch + 1)['ErrorCode'], UNKNOWN_EPOCH)
        self.assertEqual(self.part(CurrentLeaderEpoch=self.epoch - 1)['ErrorCode'], FENCED_EPOCH)

    @ours_alone
    def test_another_log_or_cluster(self):
        self.assertEqual(self.ask(cluster='another')['ErrorCode'], INCONSISTENT_CLUSTER)
        answer = self.ask(topic='t0')
        self.assertEqual(answer['ErrorCode'], 0)
        self.assertEqual(answer['Topics'][0]['Name'], 't0')
        self.assertEqual(answer['Topics'][0]['Partitions'][0]['ErrorCode'], UNKNOWN_TOPIC_OR_PARTITION)
        self.assertEqual(self.part(Partition=1)['ErrorCode'], UNKNOWN_TOPIC_OR_PARTITION)
        nothing = self.talk.quietly(FETCH_SNAPSHOT, 1, Topics=[])
        self.assertEqual(nothing['ErrorCode'], INVALID_REQUEST)


if __name__ == '__main__':
    unittest.main()
