# SPDX-License-Identifier: Apache-2.0
"""What there is to ask and to change about a cluster: DescribeCluster (60), UnregisterBroker (64), DescribeQuorum (55),
UpdateFeatures (57)."""
from . import conversation
from .talk import DESCRIBE_CLUSTER, DESCRIBE_QUORUM, UNREGISTER_BROKER, UPDATE_FEATURES, versions

UPGRADE, SAFE, UNSAFE = 1, 2, 3


@conversation
def describe_cluster_of_every_version(talk):
    for version in versions(DESCRIBE_CLUSTER):
        talk.ask(DESCRIBE_CLUSTER, version)
        talk.ask(DESCRIBE_CLUSTER, version, 'with operations and fenced', IncludeClusterAuthorizedOperations=True,
                 IncludeFencedBrokers=True)
        if version:
            for kind in (1, 2, 0, 3, -1, 127):
                talk.ask(DESCRIBE_CLUSTER, version, f'of kind {kind}', EndpointType=kind,
                         IncludeClusterAuthorizedOperations=True)


@conversation
def unregister_broker_that_is_not_there(talk):
    for broker in (7, -1, 2**31 - 1):
        talk.ask(UNREGISTER_BROKER, 0, f'{broker}', BrokerId=broker)


@conversation
def describe_quorum_of_every_version(talk):
    log = '__cluster_metadata'
    for version in versions(DESCRIBE_QUORUM):
        for asked in ([], [(log, [0])], [(log, [0, 1])], [(log, [1])], [('x', [0])], [(log, [])], [('', [0])],
                      [(log, [0]), (log, [0])], [(log, [0, 0])], [(log, [0]), ('x', [0])], [(log, [-1])]):
            answer = talk.quietly(DESCRIBE_QUORUM, version, Topics=[
                {'TopicName': name, 'Partitions': [{'PartitionIndex': i} for i in indexes]} for name, indexes in asked])
            talk.note(f'v{version} {asked}', without_offsets(answer))


def without_offsets(answer):
    """How far a server's log has come is its own: that all of it is committed is not, nor that somebody leads."""
    for topic in answer['Topics']:
        for partition in topic['Partitions']:
            if partition['ErrorCode'] == 0:
                ends = {r['LogEndOffset'] for r in partition['CurrentVoters']}
                assert 0 < partition['HighWatermark'] <= min(ends), partition
                partition.update(HighWatermark='an offset', LeaderEpoch=partition['LeaderEpoch'] > 0)
                for replica in partition['CurrentVoters']:
                    replica['LogEndOffset'] = 'an offset'
    return answer


def update(talk, note, *updates, version=2, check=True, **more):
    features = [{'Feature': name, 'MaxVersionLevel': level, 'UpgradeType': kind, 'AllowDowngrade': kind > UPGRADE}
                for name, level, kind in updates]
    talk.ask(UPDATE_FEATURES, version, note, FeatureUpdates=features, ValidateOnly=check,
             **{'timeoutMs': 30000, **more})


@conversation
def update_features_to_levels(talk):
    for name, levels in {'metadata.version': (-1, 0, 6, 7, 22, 26, 32, 33, 34, 32767), 'no.such': (0, 1, -1),
                         '': (0, 1), 'kraft.version': (0, 2, -1), 'group.version': (0, 1, 2, -1),
                         'share.version': (0, 1, 2, 3), 'transaction.version': (0, 1, 2, 3),
                         'eligible.leader.replicas.version': (0, 1, 2), 'streams.version': (0, 1, 2)}.items():
        for level in levels:
            for kind in (UPGRADE, SAFE, UNSAFE):
                update(talk, f'{name} {level} by {kind}', (name, level, kind))
    for kind in (0, 4, -1, 127):
        update(talk, f'by {kind}', ('group.version', 1, kind))


@conversation
def update_features_of_every_version(talk):
    for version in versions(UPDATE_FEATURES):
        check = version > 0
        update(talk, 'none', version=version, check=check)
        update(talk, 'the same', ('group.version', 1, UPGRADE), version=version, check=check)
        update(talk, 'two', ('group.version', 1, UPGRADE), ('share.version', 2, UPGRADE), version=version, check=check)
        update(talk, 'good and bad', ('group.version', 1, UPGRADE), ('share.version', 5, UPGRADE), version=version,
               check=check)
        update(talk, 'unknown', ('no.such', 1, UPGRADE), version=version, check=check)
        update(talk, 'twice', ('group.version', 1, UPGRADE), ('group.version', 1, UPGRADE), version=version,
               check=check)
        update(talk, 'without time', ('group.version', 1, UPGRADE), version=version, check=check, timeoutMs=0)


@conversation
def update_features_there_and_back(talk):
    """Of streams, which no other conversation looks at."""
    for version in versions(UPDATE_FEATURES):
        update(talk, 'down', ('streams.version', 0, SAFE), version=version, check=False)
        update(talk, 'down again', ('streams.version', 0, SAFE), version=version, check=False)
        update(talk, 'up as a downgrade', ('streams.version', 1, SAFE), version=version, check=False)
        update(talk, 'up', ('streams.version', 1, UPGRADE), version=version, check=False)
