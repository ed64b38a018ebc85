# SPDX-License-Identifier: Apache-2.0
"""What producers were told, and when: for the judge of what must hold, and for the figures of how long it took.

A record's value begins with its mark, "writer number"; numbers of one writer grow. Times are of the monotonic clock,
which all processes of a machine share.
"""
import array
import bisect
import collections
import math
import threading


class Times:
    """When the acknowledged records of one partition were handed to the client, and when it heard of them."""

    def __init__(self):
        self.sent, self.heard = array.array('d'), array.array('d')

    def add(self, sent, heard):
        # Several writers hear at once: a hair's breadth out of order, which would mislead a search.
        self.sent.append(sent)
        self.heard.append(max(heard, self.heard[-1]) if self.heard else heard)

    def first_after(self, moment):
        """Seconds from `moment` to the first acknowledgement of a record that was sent later."""
        for place in range(bisect.bisect_left(self.heard, moment), len(self.heard)):
            if self.sent[place] >= moment:
                return self.heard[place] - moment
        return math.inf

    def longest_silence(self, begin, end):
        """Between two acknowledgements one after the other, of which the second came between the two moments."""
        low, high = bisect.bisect_left(self.heard, begin), bisect.bisect_right(self.heard, end)
        gaps = [self.heard[place] - self.heard[place - 1] for place in range(max(low, 1), high)]
        if high == len(self.heard) and self.heard:
            gaps.append(end - self.heard[-1])
        return max(gaps, default=math.inf)


class History:
    """Of all writers; each call may come from any thread."""

    def __init__(self):
        self.lock = threading.Lock()
        self.acknowledged = collections.defaultdict(dict)  # partition -> {offset: mark}
        self.failed = []
        self.wrong = []  # what no later look at the logs would show
        self.sent = 0
        # By kind of client, and partition.
        self.times = collections.defaultdict(lambda: collections.defaultdict(Times))

    def hear(self, kind, partition, offset, mark, sent, heard):
        with self.lock:
            first = self.acknowledged[partition].setdefault(offset, mark)
            if first != mark:
                self.wrong.append(f'{partition}:{offset} was acknowledged for {first} and then for {mark}')
            self.times[kind][partition].add(sent, heard)

    def fail(self, why):
        with self.lock:
            self.failed.append(why)

    def count(self):
        return sum(len(marks) for marks in self.acknowledged.values())

    def first_after(self, kind, moment):
        """Of the worst partition."""
        with self.lock:
            return max((times.first_after(moment) for times in self.times[kind].values()), default=math.inf)

    def longest_silence(self, kind, begin, end):
        """Of the worst partition."""
        with self.lock:
            return max((times.longest_silence(begin, end) for times in self.times[kind].values()), default=math.inf)
