# SPDX-License-Identifier: Apache-2.0
"""What each blow cost, and the table of it."""
import dataclasses
import math
import statistics
import time


@dataclasses.dataclass
class Blow:
    what: str  # kill, stop, isolate…
    node: int
    led: list  # partitions
    controlled: bool
    began: float
    # Seconds. To the first acknowledgement by each kind of client, on the worst partition.
    first_s: dict = dataclasses.field(default_factory=dict)
    # The longest time without one, on the worst partition.
    silence_s: dict = dataclasses.field(default_factory=dict)
    broker_s: float = None  # until every partition could be written to
    controller_s: float = None  # until a topic could be made
    healed_s: float = None  # from the mending on, until all are in sync again
    writable_s: float = None  # from the mending on, until every partition could be written to

    def role(self):
        if self.led and self.controlled:
            return 'leader, controller'
        return 'leader' if self.led else 'controller' if self.controlled else 'follower'


    def started_at(self):
        """As the nodes' logs write it: UTC."""
        moment = time.time() - time.monotonic() + self.began
        return time.strftime('%H:%M:%S', time.gmtime(moment)) + f'.{int(moment % 1 * 1000):03}'


COLUMNS = (('brokers', lambda b: b.broker_s), ('controller', lambda b: b.controller_s),
           ('writable', lambda b: b.writable_s), ('in sync', lambda b: b.healed_s))


def columns(blows):
    kinds = sorted({kind for blow in blows for kind in blow.first_s})
    own = [(kind, lambda b, kind=kind: b.first_s.get(kind)) for kind in kinds]
    own += [(f'{kind}, silent', lambda b, kind=kind: b.silence_s.get(kind)) for kind in kinds]
    return own + [(name, take) for name, take in COLUMNS if any(take(b) is not None for b in blows)]


def endless(blow):
    """In words, what was not to be had again as long as it was asked for."""
    return [f'after {blow.what} of node {blow.node} {what}' for what, took_s in (
        ('the others do not take records for every partition', blow.broker_s),
        ('no topic can be made', blow.controller_s),
        ('not every partition can be written to again', blow.writable_s)) if took_s == math.inf]


def cell(values):
    values = [value for value in values if value is not None]
    return f'{statistics.median(values):.2f} {max(values):.2f}' if values else ''


def table(blows):
    """Rows by what was done to whom; of each column median and maximum, in seconds."""
    shown = columns(blows)
    rows = [['median and maximum, s', 'times', *[name for name, _ in shown]]]
    for key in sorted({(b.what, b.role()) for b in blows}):
        group = [b for b in blows if (b.what, b.role()) == key]
        rows.append([f'{key[0]} {key[1]}', str(len(group)), *[cell(map(take, group)) for _, take in shown]])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return '\n'.join('  '.join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows)


def outliers(blows, limit_s=1.0):
    """A line for each blow after which the brokers took longer, to be looked up in their logs."""
    return [f'{blow.started_at()} {blow.what} of node {blow.node}, {blow.role()}: brokers {blow.broker_s:.2f} s'
            + (f', controller {blow.controller_s:.2f} s' if blow.controller_s is not None else '')
            for blow in blows if max(blow.broker_s or 0, blow.controller_s or 0) > limit_s]
