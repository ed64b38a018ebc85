# SPDX-License-Identifier: Apache-2.0
"""What is done to whom, one after the other, and a whole run of it."""
import random
import time

from support import quorum

from .course import Course, Load

# Three of four nodes die, the fourth is stopped as an operator would.
BLOWS = [('kill', 'leader'), ('kill', 'controller'), ('kill', 'follower'), ('stop', 'leader')]


def until(end, dice):
    """Everything in turn, in an order drawn anew each time."""
    every = list(BLOWS)
    while True:
        dice.shuffle(every)
        for one in every:
            if time.monotonic() >= end:
                return
            yield one


def run(seconds, seed, nodes=3, load=Load(), programs=()):
    """`programs` as in Course.start()."""
    dice = random.Random(seed)
    extra = {'offsets.topic.replication.factor': nodes}
    with quorum.Quorum(count=nodes, roles='broker,controller', extra=extra) as running:
        running.await_brokers()
        course = Course(running, dice, load)
        course.start(programs)
        for what, of in until(time.monotonic() + seconds, dice):
            course.strike(what, of)
        return course.finish()
