# SPDX-License-Identifier: Apache-2.0
"""DescribeLogDirs (35): sizes of partitions. Where the directory is and how full its disk, no two servers share."""
from support.odd_batches import Record, batch

from . import conversation
from .talk import DESCRIBE_LOG_DIRS, versions


def describe(talk, topics, version, note, keep):
    answer = talk.quietly(DESCRIBE_LOG_DIRS, version, Topics=topics)
    for result in answer['Results']:
        assert result.pop('LogDir').startswith('/')
        if version >= 4:
            assert 0 < result.pop('UsableBytes') < result.pop('TotalBytes')
        result['Topics'] = sorted((t for t in result['Topics'] if t['Name'] in keep), key=lambda t: t['Name'])
        for topic in result['Topics']:
            topic['Partitions'].sort(key=lambda p: p['PartitionIndex'])
    talk.note(f'v{version} {note}', answer)


@conversation
def describe_log_dirs_in_every_version(talk):
    topic, other = talk.topic(partitions=3), talk.topic('other')
    talk.append(topic, batch([Record(b'v', b'k')] * 3), batch([Record(b'v', b'k')] * 30), partition=1)
    for version in versions(DESCRIBE_LOG_DIRS):
        describe(talk, None, version, 'all', (topic, other))
        describe(talk, [], version, 'none', (topic, other))
        describe(talk, [{'Topic': topic, 'Partitions': [1, 2, 7]}], version, 'some', (topic, other))
        describe(talk, [{'Topic': f'{talk.name}.missing', 'Partitions': [0]}], version, 'no topic', (topic, other))
