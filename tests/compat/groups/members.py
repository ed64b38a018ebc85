# SPDX-License-Identifier: Apache-2.0
"""Members of consumer groups that come and go while their topic is written, and what they must never see.

A member is a program of languages/ with the command `group`: it prints what it was assigned, what was taken from it and
each record that it read, and commits what it has printed. From these lines a Group tells whether a partition ever had
two owners, whether each owner began where the one before had ended, and whether every record was read.
"""
import collections
import subprocess
import tempfile
import threading
import time

from conversations.talk import OFFSET_FETCH, Talk
from support import records, wire

PARTITIONS = 8
# Group coordinators must not be idle for three seconds before each test's first generation.
BROKER = {'group.initial.rebalance.delay.ms': 100, 'offsets.topic.num.partitions': 8}
SECONDS_MAX = 60


def await_true(is_so, what, timeout_s=SECONDS_MAX):
    deadline = time.monotonic() + timeout_s
    while not is_so():
        assert time.monotonic() < deadline, f'{what()} after {timeout_s} s'
        time.sleep(0.02)


class Writer:
    """Writes into each partition of the topic every so often, from its own thread; `ends` has the acknowledged ends."""

    def __init__(self, node, topic, period_s=0.05):
        self.node, self.topic, self.period_s = node, topic, period_s
        self.ends = [0] * PARTITIONS
        self.failure = None
        self.longest_pause_s = 0
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        try:
            with self.node.connect() as connection:
                last = time.monotonic()
                while not self.stopping.wait(self.period_s):
                    last, before = time.monotonic(), last
                    self.longest_pause_s = max(self.longest_pause_s, last - before)
                    for partition in range(PARTITIONS):
                        batch = records.batch([b'%d' % self.ends[partition]], int(time.time() * 1000))
                        error, base = connection.produce(self.topic, batch, partition=partition)
                        assert (error, base) == (0, self.ends[partition]), f'error {error}, offset {base}'
                        self.ends[partition] += 1
        except (AssertionError, OSError, wire.Closed) as failure:
            self.failure = failure

    def stop(self):
        self.stopping.set()
        self.thread.join()
        assert self.failure is None, f'the writer: {self.failure!r}'


class Ownership:
    """A member's time with a partition: microseconds, and the offsets that it read."""

    def __init__(self, member, since):
        self.member, self.since, self.until = member, since, None
        self.was_killed = False
        self.first, self.next = None, None

    def __repr__(self):
        return f'{self.member} {self.since}..{self.until} read {self.first}..{self.next}'


class Member:
    """The process of one, and what it has said so far."""

    def __init__(self, command, name):
        self.name = name
        self.owned, self.past = {}, collections.defaultdict(list)  # Ownership by partition
        self.changes, self.wrong = [], []
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def listen(self):
        for line in self.process.stdout:
            try:
                self.take(*line.split())
            except (ValueError, TypeError, KeyError) as failure:
                self.wrong.append(f'{self.name} says {line}: {failure!r}')

    def take(self, what, *words):
        if what == 'record':
            self.read(*map(int, words))
            return
        self.changes.append(' '.join([what, *words]))
        change = {'assigned': self.assigned, 'revoked': self.gone, 'lost': self.gone}[what]
        for partition in words[1].split(',') if len(words) > 1 else ():
            change(int(partition), int(words[0]))

    def assigned(self, partition, at):
        if partition in self.owned:
            self.wrong.append(f'{self.name} was assigned {partition} twice')
        self.owned[partition] = Ownership(self.name, at)
        self.past[partition].append(self.owned[partition])

    def gone(self, partition, at):
        if partition not in self.owned:
            self.wrong.append(f'{self.name} lost {partition}, which it had not')
            return
        self.owned.pop(partition).until = at

    def read(self, partition, offset):
        own = self.owned.get(partition)
        if own is None:
            self.wrong.append(f'{self.name} read {partition} at {offset}, which it had not')
            return
        if own.first is None:
            own.first = own.next = offset
        if offset != own.next:
            self.wrong.append(f'{self.name} read {partition} at {offset} after {own.next - 1}')
        own.next = offset + 1

    def partitions(self):
        return set(self.owned)

    def is_running(self):
        return self.process.poll() is None

    def leave(self, timeout_s=30):
        """It closes its consumer and ends."""
        self.process.stdin.close()
        code = self.process.wait(timeout_s)
        self.thread.join()
        assert code == 0, f'{self.name} ended with {code}:\n{self.said()}'
        assert not self.owned, f'{self.name} still has {sorted(self.owned)} at its end'

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.thread.join()
        for own in self.owned.values():
            own.until, own.was_killed = time.time_ns() // 1000, True
        self.owned.clear()

    def said(self):
        self.errors.seek(0)
        return '\n'.join(self.changes[-20:]) + '\n' + self.errors.read()[-4000:].decode(errors='replace')

    def end(self):
        """Whatever it does."""
        if self.is_running():
            self.process.kill()
        self.process.wait()
        self.thread.join()
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            stream.close()


class Group:
    """A topic that is written, and the members that read it. A context manager that leaves no process behind.

    `hands_over` is False where the library does not always commit what it gives back.
    """

    def __init__(self, node, library, name, *options, hands_over=True):
        self.node, self.client, self.name, self.options = node, library, name, options
        self.hands_over = hands_over
        self.topic = f'{name}-topic'
        self.members, self.sharing = [], []  # all that ever were, and those that share the topic now
        self.writer = None

    def __enter__(self):
        with self.node.connect() as connection:
            connection.make_topic(self.topic, PARTITIONS)
        self.writer = Writer(self.node, self.topic)
        return self

    def __exit__(self, _, failure, __):
        self.writer.stopping.set()
        for member in self.members:
            member.end()
        self.writer.thread.join()
        if failure:
            # A machine that stands still for as long as a session ends sessions.
            failure.add_note(f'the writer was once kept from writing for {self.writer.longest_pause_s:.1f} s')

    def start(self, name, *options):
        command = self.client.member(self.node.bootstrap, self.topic, self.name, *self.options, *options)
        member = Member(command, name)
        self.members.append(member)
        return member

    def described(self):
        return '\n'.join(f'{member.name} has {sorted(member.owned)}: {member.said()}' for member in self.members
                         if member.is_running() or member.process.returncode > 0)

    def await_owners(self, *members):
        """Each of them has something, and together they have everything."""
        self.sharing = members

        def share():
            self.check_running()
            owned = [member.partitions() for member in members]
            return all(owned) and sum(map(len, owned)) == PARTITIONS == len(set().union(*owned))
        await_true(share, lambda: f'{[m.name for m in members]} do not share the topic:\n{self.described()}')

    def check_running(self):
        for member in self.sharing:
            assert member.is_running() and not member.wrong, f'{member.name}: {member.wrong}\n{member.said()}'

    def next_offset(self, partition):
        """Where the readers are."""
        return max((own.next for member in self.members for own in member.past[partition] if own.next is not None),
                   default=0)

    def await_read(self):
        """All that is acknowledged now has been read, and there is some of each partition."""
        await_true(lambda: all(self.writer.ends), lambda: f'{self.writer.ends} are written: {self.writer.failure}')
        ends = list(self.writer.ends)

        def is_read():
            self.check_running()
            return all(end <= self.next_offset(partition) for partition, end in enumerate(ends))
        await_true(is_read, lambda: f'{ends} are not read:\n{self.described()}')

    def committed(self):
        with Talk(self.node.port, 'committed') as talk:
            answer = talk.quietly(OFFSET_FETCH, 7, GroupId=self.name, Topics=None)
        assert answer['ErrorCode'] == 0, answer
        found = {part['PartitionIndex']: part['CommittedOffset']
                 for topic in answer['Topics'] for part in topic['Partitions']}
        return [found.get(partition) for partition in range(PARTITIONS)]

    def members_come_and_go(self):
        """One joins later, one leaves, one is killed, one comes in its place; when all have left, one goes on."""
        first, second = self.start('first'), self.start('second')
        self.await_owners(first, second)
        self.await_read()
        third = self.start('third')
        self.await_owners(first, second, third)
        self.await_read()
        first.leave()
        self.await_owners(second, third)
        self.await_read()
        second.kill()
        self.await_owners(third)
        fourth = self.start('fourth')
        self.await_owners(third, fourth)
        self.await_read()
        third.leave()
        fourth.leave()
        fifth = self.start('fifth')
        self.finish(fifth)

    def finish(self, *members):
        """No more is written; the members read the rest and leave; then everything is looked at."""
        self.await_owners(*members)
        self.await_read()
        self.writer.stop()
        self.await_read()
        for member in members:
            member.leave()
        self.check()

    def check(self):
        wrong = [text for member in self.members for text in member.wrong]
        assert not wrong, wrong[:10]
        for partition, end in enumerate(self.writer.ends):
            self.check_owners(partition, end)
        assert self.committed() == self.writer.ends, f'{self.committed()} committed of {self.writer.ends}'

    def check_owners(self, partition, end):
        """One after the other, each where the one before ended; what a killed one had not committed comes again."""
        owners = sorted((own for member in self.members for own in member.past[partition]), key=lambda own: own.since)
        at, may_repeat = 0, False
        for own, after in zip(owners, owners[1:]):
            assert own.until <= after.since, f'{partition} had two owners: {own} and {after}'
        for own in owners:
            if own.first is not None:
                assert own.first == at or own.first < at and may_repeat, f'{partition} begins again at {at}: {owners}'
                at, may_repeat = max(at, own.next), False
            may_repeat |= own.was_killed or not self.hands_over
        assert at == end, f'{partition} is read to {at} of {end}'
