# SPDX-License-Identifier: Apache-2.0
"""AlterReplicaLogDirs (34) where there is one directory: what is refused, and a wish for where a replica lies."""
from . import conversation
from .talk import ALTER_REPLICA_LOG_DIRS, DESCRIBE_LOG_DIRS, versions


@conversation
def alter_replica_log_dirs_in_every_version(talk):
    topic = talk.topic(partitions=2)
    own = talk.quietly(DESCRIBE_LOG_DIRS, 4, Topics=[])['Results'][0]['LogDir']
    for version in versions(ALTER_REPLICA_LOG_DIRS):
        def place(note, *dirs, version=version):
            answer = talk.quietly(ALTER_REPLICA_LOG_DIRS, version, Dirs=[
                {'Path': path, 'Topics': [{'Name': name, 'Partitions': partitions} for name, partitions in topics]}
                for path, topics in dirs])
            answer['Results'].sort(key=lambda t: t['TopicName'])
            for result in answer['Results']:
                result['Partitions'].sort(key=lambda p: p['PartitionIndex'])
            talk.note(f'v{version} {note}', answer)
        place('nothing')
        place('where it lies', (own, [(topic, [0, 1])]))
        place('no such directory', ('/no/such/directory', [(topic, [0, 1, 7]), (f'{talk.name}.missing', [0])]))
        place('no such partition', (own, [(topic, [7, -1]), (f'{talk.name}.missing', [0])]))
        place('a long name', (own, [('x' * 213, [0]), ('y' * 214, [0])]))
        place('two directories', ('/no/such/directory', [(topic, [0])]), (own, [(topic, [0, 1])]))
        place('and the other way round', (own, [(topic, [0, 1])]), ('/no/such/directory', [(topic, [0])]))
