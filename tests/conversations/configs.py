# SPDX-License-Identifier: Apache-2.0
"""DescribeConfigs (32), AlterConfigs (33), IncrementalAlterConfigs (44), ListConfigResources (74)."""
import time

from . import conversation

DESCRIBE_CONFIGS, ALTER_CONFIGS, INCREMENTAL_ALTER_CONFIGS, LIST_CONFIG_RESOURCES = 32, 33, 44, 74
VERSIONS = {DESCRIBE_CONFIGS: range(1, 5), ALTER_CONFIGS: range(3), INCREMENTAL_ALTER_CONFIGS: range(2),
            LIST_CONFIG_RESOURCES: range(2)}
SET, DELETE, APPEND, SUBTRACT = range(4)
TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32
# What no two servers share.
PLACES = {'listeners', 'advertised.listeners', 'controller.quorum.bootstrap.servers', 'log.dirs'}


def settle(talk):
    """Apache's brokers take a change a moment after they have answered it."""
    if vars(talk).pop('has_changed', False):
        time.sleep(0.3)


def describe(talk, note, *resources, version=4, **more):
    """Notes the answer with its keys in the order of their names, which neither server promises."""
    settle(talk)
    asked = [{'ResourceType': kind, 'ResourceName': name, 'ConfigurationKeys': keys} for kind, name, keys in resources]
    answer = talk.quietly(DESCRIBE_CONFIGS, version, Resources=asked, **{'IncludeSynonyms': True, **more})
    for result in answer['Results']:
        result['Configs'] = sorted((c for c in result['Configs'] if not c['Name'].startswith('milena.')),
                                   key=lambda c: c['Name'])
        for config in result['Configs']:
            if config['Name'] in PLACES:
                config['Value'] = 'a place'
                for synonym in config['Synonyms']:
                    synonym['Value'] = 'a place'
    talk.note(f'v{version} {note}', answer)


def alter(talk, note, *resources, version=1, validate=False):
    """Each resource is (type, name, (key, operation, value)…)."""
    asked = [{'ResourceType': kind, 'ResourceName': name,
              'Configs': [{'Name': k, 'ConfigOperation': o, 'Value': v} for k, o, v in changes]}
             for kind, name, *changes in resources]
    talk.has_changed = True
    talk.ask(INCREMENTAL_ALTER_CONFIGS, version, note, Resources=asked, ValidateOnly=validate)


def replace(talk, note, *resources, version=2, validate=False):
    asked = [{'ResourceType': kind, 'ResourceName': name, 'Configs': [{'Name': k, 'Value': v} for k, v in configs]}
             for kind, name, *configs in resources]
    talk.has_changed = True
    talk.ask(ALTER_CONFIGS, version, note, Resources=asked, ValidateOnly=validate)


def listed(talk, note, *types, version=1):
    settle(talk)
    answer = talk.quietly(LIST_CONFIG_RESOURCES, version, ResourceTypes=list(types))
    # One server holds all conversations: only what is this one's, and what every server has.
    answer['ConfigResources'] = [r for r in answer['ConfigResources']
                                 if talk.name in r['ResourceName'] or r['ResourceName'] == '1']
    talk.note(f'v{version} {note}', answer)


@conversation
def configs_of_a_topic(talk):
    t = talk.topic(retention_ms=5000, cleanup_policy='compact,delete')
    for version in VERSIONS[DESCRIBE_CONFIGS]:
        describe(talk, 'all', (TOPIC, t, None), version=version)
        describe(talk, 'without synonyms', (TOPIC, t, ['retention.ms']), version=version, IncludeSynonyms=False)
        describe(talk, 'unknown', (TOPIC, f'{t}.no', None), version=version)
    describe(talk, 'some', (TOPIC, t, ['retention.ms', 'nope', 'segment.bytes']))
    describe(talk, 'none named is all', (TOPIC, t, []))
    describe(talk, 'twice and another', (TOPIC, t, ['retention.ms']), (TOPIC, t, ['retention.ms']),
             (TOPIC, f'{t}.no', None))
    describe(talk, 'no name', (TOPIC, '', None))
    describe(talk, 'bad name', (TOPIC, 'a b', None))
    describe(talk, 'nothing')
    for kind in (0, 3, 99, -1):
        describe(talk, f'type {kind}', (kind, 'x', None))


@conversation
def configs_of_a_topic_changed(talk):
    t = talk.topic()
    for version in VERSIONS[INCREMENTAL_ALTER_CONFIGS]:
        alter(talk, 'one key', (TOPIC, t, ('retention.ms', SET, '5000')), version=version)
        alter(talk, 'of no topic', (TOPIC, f'{t}.no', ('retention.ms', SET, '5000')), version=version)
    describe(talk, 'changed', (TOPIC, t, ['retention.ms']))
    alter(talk, 'as texts', (TOPIC, t, ('preallocate', SET, 'TRUE'), ('min.cleanable.dirty.ratio', SET, '.25'),
                             ('compression.type', SET, ' gzip '), ('segment.ms', SET, '+500'),
                             ('retention.ms', SET, ' 1000 '), ('cleanup.policy', SET, 'delete, delete')))
    describe(talk, 'as texts', (TOPIC, t, ['preallocate', 'min.cleanable.dirty.ratio', 'compression.type', 'segment.ms',
                                           'retention.ms', 'cleanup.policy']))
    alter(talk, 'removed', (TOPIC, t, ('preallocate', DELETE, None), ('cleanup.policy', DELETE, 'x')))
    alter(talk, 'internal', (TOPIC, t, ('internal.segment.bytes', SET, '100')))
    describe(talk, 'removed', (TOPIC, t, ['preallocate', 'cleanup.policy', 'internal.segment.bytes', 'segment.bytes']))
    for note, change in {
            'appended to the default': (APPEND, 'compact'), 'again': (APPEND, 'compact'),
            'taken away': (SUBTRACT, 'delete'), 'the last': (SUBTRACT, 'compact'), 'what is not': (SUBTRACT, 'delete'),
            'with spaces': (APPEND, ' compact , delete'), 'bad': (APPEND, 'burn'), 'empty': (APPEND, '')}.items():
        alter(talk, note, (TOPIC, t, ('cleanup.policy', *change)))
        describe(talk, note, (TOPIC, t, ['cleanup.policy']))
    throttled = 'leader.replication.throttled.replicas'
    for operation, value in ((APPEND, '0:1'), (APPEND, '1:1,0:1'), (SUBTRACT, '0:1'), (SET, '*')):
        alter(talk, f'throttled {value}', (TOPIC, t, (throttled, operation, value)))
        describe(talk, 'throttled', (TOPIC, t, [throttled]))


@conversation
def configs_of_a_topic_refused(talk):
    t = talk.topic()
    for note, changes in {
            'unknown key': [('nope', SET, '1')], 'unknown key removed': [('nope', DELETE, None)],
            'empty key': [('', SET, '1')], 'null': [('retention.ms', SET, None)],
            'null appended': [('cleanup.policy', APPEND, None)], 'empty': [('retention.ms', SET, '')],
            'no number': [('retention.ms', SET, 'abc')], 'below': [('retention.ms', SET, '-2')],
            'too large': [('segment.bytes', SET, '99999999999')], 'hex': [('segment.bytes', SET, '0x1')],
            'small': [('segment.bytes', SET, '1')], 'no boolean': [('preallocate', SET, 'maybe')],
            'no ratio': [('min.cleanable.dirty.ratio', SET, 'x')],
            'ratio above': [('min.cleanable.dirty.ratio', SET, '1.5')], 'no policy': [('cleanup.policy', SET, 'burn')],
            'gap in a list': [('cleanup.policy', SET, 'delete,,compact')],
            'no codec': [('compression.type', SET, 'brotli')], 'codec in capitals': [('compression.type', SET, 'GZIP')],
            'gzip level': [('compression.gzip.level', SET, '0')], 'lz4 level': [('compression.lz4.level', SET, '18')],
            'zstd level': [('compression.zstd.level', SET, '23')],
            'timestamp type': [('message.timestamp.type', SET, 'Never')],
            'throttled': [('leader.replication.throttled.replicas', SET, 'x')],
            'lags': [('min.compaction.lag.ms', SET, '10'), ('max.compaction.lag.ms', SET, '5')],
            'remote': [('remote.storage.enable', SET, 'true')],
            'appended to no list': [('retention.ms', APPEND, '1')],
            'subtracted from no list': [('retention.ms', SUBTRACT, '1')],
            'appended to unknown': [('nope', APPEND, '1')], 'no operation': [('retention.ms', 4, '1')],
            'key twice': [('retention.ms', SET, '1'), ('retention.ms', DELETE, None)], 'nothing': []}.items():
        alter(talk, note, (TOPIC, t, *changes))
    one = ('retention.ms', SET, '1')
    alter(talk, 'resource twice', (TOPIC, t, one), (TOPIC, t, ('segment.ms', SET, '2')))
    alter(talk, 'no topic', (TOPIC, f'{t}.no', one))
    alter(talk, 'bad name', (TOPIC, 'a b', one))
    alter(talk, 'no name', (TOPIC, '', one))
    alter(talk, 'no resource')
    alter(talk, 'good and bad', (TOPIC, t, ('segment.ms', SET, '7')), (TOPIC, f'{t}.no', one))
    for kind in (0, 1, 3, 99):
        alter(talk, f'type {kind}', (kind, 'x', one))
    alter(talk, 'only checked', (TOPIC, t, ('retention.ms', SET, '77')), validate=True)
    alter(talk, 'only checked, bad', (TOPIC, t, ('retention.ms', SET, 'x')), validate=True)
    describe(talk, 'what is left of it', (TOPIC, t, ['retention.ms', 'segment.ms', 'nope']))


@conversation
def configs_replaced(talk):
    t = talk.topic(segment_ms=7)
    for version in VERSIONS[ALTER_CONFIGS]:
        replace(talk, 'a topic', (TOPIC, t, ('retention.ms', '123')), version=version)
        describe(talk, 'then', (TOPIC, t, ['retention.ms', 'segment.ms']))
        replace(talk, 'only checked', (TOPIC, t, ('segment.ms', '123')), version=version, validate=True)
        replace(talk, 'by nothing', (TOPIC, t), version=version)
        describe(talk, 'then', (TOPIC, t, ['retention.ms', 'segment.ms']))
    for note, configs in {'null': [('retention.ms', None)], 'unknown': [('nope', '1')],
                          'unknown and null': [('nope', None)], 'twice': [('retention.ms', '1'), ('retention.ms', '2')]
                          }.items():
        replace(talk, note, (TOPIC, t, *configs))
    replace(talk, 'no topic', (TOPIC, f'{t}.no', ('retention.ms', '1')))
    replace(talk, 'no resource')
    replace(talk, 'a broker', (BROKER, '1', ('background.threads', '9')))
    describe(talk, 'then', (BROKER, '1', ['background.threads']))
    replace(talk, 'a broker, fixed', (BROKER, '1', ('node.id', '2')))
    replace(talk, 'another broker', (BROKER, '2', ('background.threads', '9')))
    replace(talk, 'the default', (BROKER, '', ('background.threads', '9')))
    replace(talk, 'a broker by nothing', (BROKER, '1'))
    replace(talk, 'a logger', (LOGGER, '1', ('root', 'INFO')))
    replace(talk, 'a type', (99, '1', ('root', 'INFO')))
    for kind in (GROUP, METRICS):
        replace(talk, 'no name', (kind, '', ('interval.ms', '1000')))


@conversation
def configs_of_brokers(talk):
    describe(talk, 'all', (BROKER, '1', None))
    for name in ('2', 'x', '-1', '01'):
        describe(talk, f'of {name}', (BROKER, name, ['node.id']))
    for version in VERSIONS[DESCRIBE_CONFIGS]:
        describe(talk, 'some', (BROKER, '1', ['node.id', 'nope', 'ssl.keystore.password']), version=version)
    describe(talk, 'the default', (BROKER, '', ['min.insync.replicas', 'node.id']))
    key = 'log.segment.delete.delay.ms'
    topic = talk.topic()
    for note, broker, default in (('default', None, '70000'), ('both', '50000', '70000'), ('broker', '50000', None),
                                  ('neither', None, None)):
        for name, value in (('1', broker), ('', default)):
            alter(talk, f'{note}: {name}', (BROKER, name, (key, SET if value else DELETE, value)))
            describe(talk, note, (BROKER, '1', [key]), (BROKER, '', [key]), (TOPIC, topic, ['file.delete.delay.ms']))
    alter(talk, 'retention', (BROKER, '1', ('log.retention.ms', SET, '100000')))
    describe(talk, 'retention', (BROKER, '1', ['log.retention.ms', 'log.retention.hours', 'log.retention.minutes']),
             (TOPIC, topic, ['retention.ms']))
    alter(talk, 'retention', (BROKER, '1', ('log.retention.ms', DELETE, None)))
    alter(talk, 'unknown', (BROKER, '1', (f'{talk.name}.key', SET, '1')))
    alter(talk, 'of a listener', (BROKER, '1', ('listener.name.x.ssl.keystore.type', SET, 'PKCS12'),
                                  ('listener.name.x.ssl.keystore.password', SET, 'secret'),
                                  ('leader.replication.throttled.rate', SET, '1000')))
    keys = [f'{talk.name}.key', 'listener.name.x.ssl.keystore.type', 'listener.name.x.ssl.keystore.password',
            'leader.replication.throttled.rate']
    describe(talk, 'odd ones', (BROKER, '1', keys))
    alter(talk, 'odd ones removed', (BROKER, '1', *[(k, DELETE, None) for k in keys]))


@conversation
def configs_of_brokers_refused(talk):
    for note, change in {
            'fixed': ('num.partitions', SET, '3'), 'fixed, removed': ('num.partitions', DELETE, None),
            'fixed, appended to': ('log.dirs', APPEND, 'x'), 'no number': ('message.max.bytes', SET, 'x'),
            'below': ('message.max.bytes', SET, '-1'), 'null': ('log.cleaner.threads', SET, None),
            'no list': ('message.max.bytes', APPEND, '1'), 'unknown list': ('nope', APPEND, '1'),
            'half the threads': ('num.io.threads', SET, '2'), 'many threads': ('num.io.threads', SET, '100'),
            'fetchers': ('num.replica.fetchers', SET, '3'), 'background': ('background.threads', SET, '4'),
            'no background': ('background.threads', SET, '0'), 'cleaners': ('log.cleaner.threads', SET, '9'),
            'of listeners only': ('ssl.keystore.location', SET, 'x'), 'retention': ('log.retention.ms', SET, '0'),
            'roll': ('log.roll.ms', SET, '0'), 'jitter': ('log.roll.jitter.ms', SET, '-1'),
            'minimum': ('min.insync.replicas', SET, '1'), 'cordoned': ('cordoned.log.dirs', SET, '/x'),
            'codec': ('compression.type', SET, 'x'), 'no boolean': ('unclean.leader.election.enable', SET, 'yes'),
            'rate': ('leader.replication.throttled.rate', SET, '-1'),
            'advertised': ('advertised.listeners', SET, 'PLAINTEXT://x:1'),
            'of a listener': ('listener.name.plaintext.message.max.bytes', SET, 'x')}.items():
        alter(talk, note, (BROKER, '1', change), validate=True)
    alter(talk, 'two fixed', (BROKER, '1', ('node.id', SET, '3'), ('num.partitions', SET, '3')))
    for note, change in {
            'per broker': ('listeners', SET, 'PLAINTEXT://:1'), 'of a listener': (
                'listener.name.plaintext.ssl.keystore.type', SET, 'JKS'),
            'below': ('message.max.bytes', SET, '-1'), 'minimum': ('min.insync.replicas', DELETE, None),
            'local retention': ('log.local.retention.ms', SET, '10000000000')}.items():
        alter(talk, f'default: {note}', (BROKER, '', change), validate=True)
    for name in ('2', 'x', '-1', '01'):
        alter(talk, f'of {name}', (BROKER, name, ('background.threads', SET, '9')), validate=True)
    alter(talk, 'several', (BROKER, '1', ('background.threads', SET, '9')), (BROKER, '', ('nope', SET, '1')),
          (BROKER, '2', ('x', SET, '1')), validate=True)


@conversation
def configs_of_groups(talk):
    g = f'{talk.name}.g'
    describe(talk, 'nothing set', (GROUP, g, None))
    describe(talk, 'no name', (GROUP, '', None))
    for key, value in (
            ('consumer.session.timeout.ms', '50000'), ('nope', '1'), ('consumer.session.timeout.ms', 'x'),
            ('consumer.session.timeout.ms', '1'), ('consumer.session.timeout.ms', '100000'),
            ('consumer.heartbeat.interval.ms', '1'), ('consumer.assignment.interval.ms', '-1'),
            ('consumer.assignment.interval.ms', '99999'), ('consumer.assignor.offload.enable', 'false'),
            ('share.isolation.level', 'x'), ('share.auto.offset.reset', 'x'), ('share.auto.offset.reset', 'EARLIEST'),
            ('share.auto.offset.reset', 'by_duration:-PT1S'), ('share.auto.offset.reset', 'by_duration:P1Y'),
            ('share.auto.offset.reset', 'by_duration:PT1H30M5.5S'), ('share.record.lock.duration.ms', '1'),
            ('share.record.lock.duration.ms', '1000'), ('share.delivery.count.limit', '50'),
            ('share.partition.max.record.locks', '100000'), ('share.renew.acknowledge.enable', 'x'),
            ('streams.num.standby.replicas', '9'), ('streams.num.warmup.replicas', '99'),
            ('streams.task.offset.interval.ms', '1'), ('streams.assignor.name', 'nope'),
            ('streams.assignor.name', 'sticky'), ('streams.rack.aware.assignment.tags', 'a,a'),
            ('streams.rack.aware.assignment.tags', 'a,b'), ('errors.deadletterqueue.topic.name', '__x'),
            ('errors.deadletterqueue.topic.name', 'a b')):
        alter(talk, f'{key}={value}', (GROUP, g, (key, SET, value)))
    alter(talk, 'appended', (GROUP, g, ('streams.rack.aware.assignment.tags', APPEND, 'zone')))
    alter(talk, 'unknown removed', (GROUP, g, ('nope', DELETE, None)))
    alter(talk, 'no name', (GROUP, '', ('consumer.session.timeout.ms', SET, '50000')))
    describe(talk, 'much set', (GROUP, g, None))
    replace(talk, 'all', (GROUP, g, ('consumer.session.timeout.ms', '45000')))
    describe(talk, 'little set', (GROUP, g, ['consumer.session.timeout.ms', 'share.auto.offset.reset']))


@conversation
def configs_of_client_metrics(talk):
    m = f'{talk.name}.m'
    describe(talk, 'nothing set', (METRICS, m, None))
    describe(talk, 'no name', (METRICS, '', None))
    for key, value in (
            ('interval.ms', '1000'), ('interval.ms', '10'), ('interval.ms', '9999999'), ('interval.ms', 'x'),
            ('nope', '1'), ('match', 'client_id=a.*'), ('match', 'nope=a.*'), ('match', 'client_id=['),
            ('match', 'client_id'), ('match', 'client_id=a=b'), ('match', ''), ('metrics', 'org.apache.kafka.'),
            ('metrics', '*'), ('metrics', 'a,,b'), ('match', ' client_id = a , client_source_port=9')):
        alter(talk, f'{key}={value}', (METRICS, m, (key, SET, value)))
    for pattern in ('a(', 'a)', '*a', 'a**', 'a{', 'a\\', '[a', 'a]', '(?i)a', 'x{2', '+', 'a|b', '[z-a]', 'a{2}',
                    'a++', '(?=a)', '\\d', '\\y', '{', '[]a]', '[^]]', 'a{2', '(a|b)+', 'a?+', '^a.*$'):
        alter(talk, pattern, (METRICS, m, ('match', SET, f'client_id={pattern}')), validate=True)
    alter(talk, 'appended', (METRICS, m, ('metrics', APPEND, 'x')))
    alter(talk, 'null', (METRICS, m, ('match', SET, None)))
    alter(talk, 'no name', (METRICS, '', ('metrics', SET, '*')))
    describe(talk, 'all set', (METRICS, m, None))


@conversation
def configs_of_loggers(talk):
    """Only what is about the logger that every server has, at the level it has anyway."""
    describe(talk, 'one', (LOGGER, '1', ['root', 'nope']))
    for name in ('', '2', 'x'):
        describe(talk, f'of {name!r}', (LOGGER, name, ['root']))
        alter(talk, f'of {name!r}', (LOGGER, name, ('root', SET, 'INFO')))
    for key, operation, value in (('root', SET, 'INFO'), ('nope', SET, 'INFO'), ('root', SET, 'LOUD'),
                                  ('root', DELETE, None), ('root', APPEND, 'INFO'), ('root', SUBTRACT, 'INFO')):
        alter(talk, f'{key} {operation} {value}', (LOGGER, '1', (key, operation, value)))


@conversation
def configs_listed(talk):
    talk.topic('b')
    talk.topic('a')
    for kind, key, value in ((GROUP, 'consumer.session.timeout.ms', '50000'), (METRICS, 'interval.ms', '1000')):
        alter(talk, 'something', (kind, f'{talk.name}.x', (key, SET, value)))
    for version in VERSIONS[LIST_CONFIG_RESOURCES]:
        listed(talk, 'all', version=version)
    for types in ((TOPIC,), (BROKER,), (LOGGER,), (METRICS,), (GROUP,), (TOPIC, TOPIC), (BROKER, GROUP), (3,), (0,),
                  (LOGGER, 3)):
        listed(talk, f'{types}', *types)
    for kind, key in ((GROUP, 'consumer.session.timeout.ms'), (METRICS, 'interval.ms')):
        alter(talk, 'nothing', (kind, f'{talk.name}.x', (key, DELETE, None)))
    listed(talk, 'nothing set', GROUP, METRICS)
