# SPDX-License-Identifier: Apache-2.0
"""How one node tells of a topic: who leads, and who is in sync."""
import dataclasses
import time

from conversations.talk import CREATE_TOPICS, METADATA, Talk
from support import wire

TOPIC_ALREADY_EXISTS = 36


@dataclasses.dataclass
class View:
    brokers: list
    leaders: dict  # partition -> node; -1 if there is none
    in_sync: dict  # partition -> the nodes


def ask(node, topic, timeout_s=2):
    """None if it does not answer, or does not know the topic."""
    try:
        with Talk(node.port, 'view', timeout_s, node.host) as talk:
            answer = talk.quietly(METADATA, 12, Topics=[{'Name': topic}], AllowAutoTopicCreation=False)
    except (OSError, wire.Closed, AssertionError):
        return None
    told = answer['Topics'][0]['Partitions']
    if answer['Topics'][0]['ErrorCode'] or not told:
        return None
    return View(sorted(b['NodeId'] for b in answer['Brokers']),
                {p['PartitionIndex']: p['LeaderId'] for p in told},
                {p['PartitionIndex']: sorted(p['IsrNodes']) for p in told})


def is_whole(nodes, topic):
    """Every node answers, all have the same leaders, and everybody is in sync."""
    everybody = sorted(node.node_id for node in nodes)
    views = [ask(node, topic) for node in nodes]
    return all(view and view.brokers == everybody and view.leaders == views[0].leaders
               and all(leader > 0 for leader in view.leaders.values())
               and all(isr == everybody for isr in view.in_sync.values()) for view in views)


def await_whole(nodes, topic, timeout_s):
    """Seconds that it took; None if it has not come to that."""
    began = time.monotonic()
    while time.monotonic() < began + timeout_s:
        if is_whole(nodes, topic):
            return time.monotonic() - began
        time.sleep(0.02)
    return None


def make_topic(node, topic, partitions, replicas):
    """Asked for again until it is there."""
    deadline = time.monotonic() + 60
    wanted = {'Name': topic, 'NumPartitions': partitions, 'ReplicationFactor': replicas, 'Assignments': [],
              'Configs': [{'Name': 'min.insync.replicas', 'Value': str(min(2, replicas))}]}
    while True:
        with Talk(node.port, 'maker', 10, node.host) as talk:
            answer = talk.quietly(CREATE_TOPICS, 7, Topics=[wanted], TimeoutMs=10_000, ValidateOnly=False)
        if answer['Topics'][0]['ErrorCode'] in (0, TOPIC_ALREADY_EXISTS):
            return
        assert time.monotonic() < deadline, answer
        time.sleep(0.1)
