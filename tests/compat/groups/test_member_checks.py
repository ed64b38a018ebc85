# SPDX-License-Identifier: Apache-2.0
"""What members.py must see in what members say: each fault is found, and what is allowed is not one."""
import types
import unittest

from compat.groups import members

FIRST = ['assigned 10 0', 'record 0 0', 'record 0 1', 'revoked 20 0']
SECOND = ['assigned 30 0', 'record 0 2', 'revoked 40 0']


class GroupsChecksTest(unittest.TestCase):
    def check(self, *said, killed=(), committed=3, **how):
        group = members.Group(None, None, 'g', **how)
        group.writer = types.SimpleNamespace(ends=[3] + [0] * (members.PARTITIONS - 1))
        group.committed = lambda: [committed] + group.writer.ends[1:]
        for number, lines in enumerate(said):
            member = members.Member(['printf', '%s\\n', *lines], str(number))
            self.addCleanup(member.end)
            member.thread.join()
            for own in member.past[0] if number in killed else ():
                own.was_killed = True
            group.members.append(member)
        group.check()

    def check_fails(self, text, *said, **how):
        with self.assertRaisesRegex(AssertionError, text):
            self.check(*said, **how)

    def test_one_after_the_other_is_well(self):
        self.check(FIRST, SECOND)

    def test_two_owners(self):
        self.check_fails('two owners', FIRST, ['assigned 19 0', 'record 0 2', 'revoked 40 0'])

    def test_an_owner_that_skips_records(self):
        self.check_fails('begins again', FIRST[:2] + FIRST[3:], SECOND)

    def test_a_record_that_is_left_out(self):
        self.check_fails('after', ['assigned 10 0', 'record 0 0', 'record 0 2', 'revoked 20 0'])

    def test_records_that_come_again(self):
        again = ['assigned 30 0', 'record 0 1', 'record 0 2', 'revoked 40 0']
        self.check_fails('begins again', FIRST, again)
        self.check(FIRST, again, killed=[0])
        self.check(FIRST, again, hands_over=False)

    def test_records_that_nobody_reads(self):
        self.check_fails('is read to 2 of 3', FIRST)

    def test_a_record_of_somebody_else(self):
        self.check_fails('which it had not', [*FIRST, 'record 0 2'])

    def test_offsets_that_are_not_committed(self):
        self.check_fails('committed of', FIRST, SECOND, committed=2)


if __name__ == '__main__':
    unittest.main()
