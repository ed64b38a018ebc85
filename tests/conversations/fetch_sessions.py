# SPDX-License-Identifier: Apache-2.0
"""Fetch (1) with sessions (KIP-227): who gets one, what goes on with it, what it leaves out. B40."""
import time

from support.odd_batches import batch

from . import conversation
from .talk import FETCH, UNKNOWN_ID, versions

DATA = batch([b'x' * 100])


class Session:
    """What a client keeps of its session; each request is the next of it unless said otherwise."""

    def __init__(self, talk, version=12):
        self.talk, self.version, self.id, self.epoch = talk, version, 0, 0

    def ask(self, note, topics=(), forget=(), version=None, **request):
        values = {'MaxWaitMs': 0, 'MinBytes': 1, 'MaxBytes': 1 << 24, 'SessionId': self.id, 'SessionEpoch': self.epoch,
                  'Topics': list(topics), 'ForgottenTopicsData': list(forget), **request}
        body = self.talk.ask(FETCH, version or self.version, note, **values)
        if 'SessionEpoch' not in request:
            self.epoch += 1
        self.id = self.id or body['SessionId']
        return body

    def forgotten(self, topic, *partitions):
        return {'Topic': topic, 'TopicId': self.talk.ids[topic], 'Partitions': list(partitions)}


@conversation
def session_of_every_version(talk):
    for version in versions(FETCH, 7):
        topic = talk.topic(f'v{version}', partitions=3)
        talk.append(topic, DATA, partition=1)
        session = Session(talk, version)
        session.ask('all', [talk.fetch_part(topic, 0, p) for p in range(3)])
        session.ask('the same data again')
        session.ask('had it', [talk.fetch_part(topic, 1, 1)])
        session.ask('no news')
        talk.append(topic, DATA, partition=2)
        session.ask('news')
        session.ask('an offset is told again', [talk.fetch_part(topic, 0, 0)])
        session.ask('the end', SessionEpoch=-1)
        session.ask('after the end')


@conversation
def session_epochs(talk):
    topic = talk.topic()
    part = [talk.fetch_part(topic, 0)]
    for version in (7, 12, 18):
        session = Session(talk, version)
        session.ask('all', part)
        for epoch in (2, 7, -2, 2**31 - 1):
            session.ask(f'epoch {epoch}', SessionEpoch=epoch)
        session.ask('goes on')
        session.ask('the same epoch again', SessionEpoch=1)
        session.ask('goes on all the same')
        old = session.id
        session.ask('a new one in its place', part, SessionEpoch=0)
        session.ask('the old one is gone', SessionId=old, SessionEpoch=3)
        session.ask('none', part, SessionId=0, SessionEpoch=-1)
        session.ask('id 0', SessionId=0, SessionEpoch=1)
        session.ask('no such id', part, SessionId=2**30 + 1, SessionEpoch=1)
        session.ask('no such id to end', part, SessionId=2**30 + 1, SessionEpoch=-1)
        session.ask('a negative id', part, SessionId=-5, SessionEpoch=4)


@conversation
def session_forgets(talk):
    for version in (7, 12, 13, 18):
        topic, other = talk.topic(f't{version}', partitions=3), talk.topic(f'o{version}')
        for partition in range(3):
            talk.append(topic, DATA, partition=partition)
        session = Session(talk, version)
        session.ask('all', [talk.fetch_part(topic, 0, p) for p in range(3)])
        session.ask('one less', forget=[session.forgotten(topic, 1)])
        session.ask('what was not in it', forget=[session.forgotten(topic, 1, 77), session.forgotten(other, 0)])
        session.ask('one more', [talk.fetch_part(other, 0)])
        session.ask('back', [talk.fetch_part(topic, 0, 1)])
        session.ask('asked and forgotten', [talk.fetch_part(topic, 0, 2)], [session.forgotten(topic, 2)])
        session.ask('all', forget=[session.forgotten(topic, 0, 1), session.forgotten(other, 0)])
        session.ask('ended with that')


@conversation
def session_without_partitions(talk):
    topic = talk.topic()
    for version in (7, 12, 18):
        session = Session(talk, version)
        session.ask('none at all')
        session.ask('still none')
        session.ask('ended')
        session = Session(talk, version)
        session.ask('none at all')
        session.ask('one', [talk.fetch_part(topic, 0)])
        session.ask('no news')


@conversation
def session_names_and_ids(talk):
    topic = talk.topic()
    for first, then in ((7, 13), (12, 18), (13, 12), (18, 7), (7, 12), (13, 18)):
        session = Session(talk, first)
        session.ask('all', [talk.fetch_part(topic, 0)])
        session.ask('goes on', version=then)
        session.ask('with an offset', [talk.fetch_part(topic, 0)], version=then, SessionEpoch=session.epoch)


@conversation
def session_errors(talk):
    topic, late = talk.topic(partitions=2), f'{talk.name}.late'
    talk.append(topic, DATA)
    for version in (7, 12, 13, 18):
        session = Session(talk, version)
        session.ask('out of range', [talk.fetch_part(topic, 99), talk.fetch_part(topic, 0, 1)])
        session.ask('still')
        session.ask('no such partition', [talk.fetch_part(topic, 0, 5)])
        session.ask('both')
        session.ask('one less', [talk.fetch_part(topic, 1)])
        session.ask('now in range', forget=[session.forgotten(topic, 5)])
        session.ask('newer leader epoch', [talk.fetch_part(topic, 1, CurrentLeaderEpoch=7)])
        session.ask('still', [])
        session.ask('another fetched epoch', [talk.fetch_part(topic, 1, LastFetchedEpoch=0)])
        session.ask('an older epoch', [talk.fetch_part(topic, 0, 1, LastFetchedEpoch=0)])
    session = Session(talk, 12)
    session.ask('no such topic', [talk.fetch_part(topic, 1), talk.fetch_part(late, 0)])
    session.ask('still')
    talk.topic('late')
    session.ask('now there is')
    session.ask('nothing more')
    talk.ids['unknown'] = UNKNOWN_ID
    session = Session(talk, 13)
    session.ask('no such id', [talk.fetch_part(topic, 1), talk.fetch_part('unknown', 0)])
    session.ask('still')


@conversation
def session_order(talk):
    """What gave data comes last the next time, so that all get their turn."""
    topic, other = talk.topic(partitions=4), talk.topic('other')
    large = batch([b'y' * 10000])
    for partition in range(4):
        talk.append(topic, large, partition=partition)
    talk.append(other, large)
    for version in (12, 18):
        session = Session(talk, version)
        session.ask('one fits', [talk.fetch_part(topic, 0, p) for p in range(4)] + [talk.fetch_part(other, 0)],
                    MaxBytes=15000)
        for turn in range(6):
            session.ask(f'turn {turn}', MaxBytes=9000)
        for turn in range(3):
            session.ask(f'all, {turn}')
        session.ask('one has been read', [talk.fetch_part(topic, 1, 2)])
        session.ask('all the others')


@conversation
def session_of_a_topic_that_is_made_again(talk):
    """B38: the session's topic is gone, and then another has its name."""
    topic, other = talk.topic(), talk.topic('other')
    sessions = [Session(talk, version) for version in (12, 13, 18)]
    for session in sessions:
        session.ask('both', [talk.fetch_part(topic, 0), talk.fetch_part(other, 0)])
    talk.quietly(20, 5, TopicNames=[topic], TimeoutMs=30000)
    time.sleep(2)  # until every part of the broker has heard of it
    for session in sessions:
        session.ask('it is gone')
        session.ask('still')
    talk.topic()
    time.sleep(2)
    for session in sessions:
        session.ask('another has its name')
        session.ask('still')
