# SPDX-License-Identifier: Apache-2.0
"""Apache Kafka's own consumer in groups of the classic protocol: members come and go while their topic is written."""
import pathlib
import tempfile
import unittest

from compat import libraries
from compat.groups import members
from support import node

ASSIGNORS = 'org.apache.kafka.clients.consumer.'


class JavaGroupsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix='milena-groups-')
        cls.addClassCleanup(folder.cleanup)
        try:
            cls.client = libraries.Java(pathlib.Path(folder.name))
        except libraries.Missing as why:
            raise unittest.SkipTest(str(why)) from why
        cls.node = node.Node(members.BROKER).start()
        cls.addClassCleanup(cls.node.__exit__)

    def group(self, name, assignor, *options):
        return members.Group(self.node, self.client, name, f'partition.assignment.strategy={ASSIGNORS}{assignor}',
                            'group.protocol=classic', *options)

    def test_range(self):
        with self.group('java-range', 'RangeAssignor') as group:
            group.members_come_and_go()

    def test_round_robin(self):
        with self.group('java-round-robin', 'RoundRobinAssignor') as group:
            group.members_come_and_go()

    def test_cooperative_sticky(self):
        with self.group('java-cooperative', 'CooperativeStickyAssignor') as group:
            group.members_come_and_go()

    def test_static_members_come_back_to_what_they_had(self):
        with self.group('java-static', 'RangeAssignor') as group:
            def start(name, instance):
                return group.start(name, f'group.instance.id={instance}')
            first, second, third = (start(name, name) for name in ('first', 'second', 'third'))
            group.await_owners(first, second, third)
            group.await_read()
            had, changes = [one.partitions() for one in (first, second, third)], len(third.changes)
            first.leave()
            first = start('first again', 'first')
            group.await_owners(first, second, third)
            second.kill()
            second = start('second again', 'second')
            group.await_owners(first, second, third)
            group.await_read()
            self.assertEqual([one.partitions() for one in (first, second, third)], had)
            self.assertEqual(third.changes[changes:], [], 'the third was told to change something')
            # One that stays away loses what it had after its session.
            second.leave()
            group.await_owners(first, third)
            group.finish(first, third)

    def test_of_two_static_members_with_one_name_the_first_is_fenced(self):
        with self.group('java-fenced', 'RangeAssignor', 'group.instance.id=one') as group:
            old = group.start('old')
            group.await_owners(old)
            new = group.start('new')
            self.assertNotEqual(old.process.wait(30), 0)
            self.assertIn('FencedInstanceIdException', old.said())
            group.await_owners(new)


if __name__ == '__main__':
    unittest.main()
