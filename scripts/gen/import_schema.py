#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Brings in message schemas that are in their text form (docs/formats/schema.md) already.

usage: import_schema.py FOLDER SCHEMA_FOLDER

FOLDER holds protocol/NNN-Name.txt, protocol/headers.txt, protocol/embedded.txt and records/*.txt.
They replace the messages in SCHEMA_FOLDER; the comment lines before a message there are ours and stay, and so do
fields whose tags are Milena's own, behind the field that they stand behind now.
"""
import glob
import os
import pathlib
import re
import sys

# Which of our record files an imported one becomes.
RECORDS = {
    'kraft-metadata': 'metadata', 'group-coordinator': 'group',
    'transaction-coordinator': 'transaction', 'share-coordinator': 'share',
    'raft-control': 'raft_control', 'log-control': 'log_control', 'remote-log': 'remote_log',
}
OWN_TAGS_FROM = 10_000
LICENCE = '# SPDX-License-Identifier: Apache-2.0'


def blocks(text):
    """The messages of a schema file: (comment lines before it, its lines)."""
    found, comments, message = [], [], []
    for line in text.splitlines() + ['']:
        if line.startswith('#'):
            comments.append(line)
        elif line.strip():
            message.append(line.rstrip())
        elif message:
            found.append((comments, message))
            comments, message = [], []
        elif comments:  # a block of comments by itself: the head of the file
            found.append((comments, []))
            comments = []
    return found


def identity(message):
    return tuple(message[0].split()[:2])


def is_own(line):
    tag = re.search(r' tag=(\d+)', line)
    return tag is not None and int(tag[1]) >= OWN_TAGS_FROM


def field_of(line):
    """How deep it stands, and its name."""
    return re.match(r' *', line)[0], line.split()[0]


def with_own(message, ours):
    """The imported message with the fields of ours that Kafka does not have."""
    result = list(message)
    for at, line in enumerate(ours):
        if is_own(line):
            before = [i for i, theirs in enumerate(result) if field_of(theirs) == field_of(ours[at - 1])]
            if len(before) != 1:
                sys.exit(f'{message[0].split()[0]}: there is no one place for {line.strip()}')
            result.insert(before[0] + 1, line)
    return result


def merge(imported, ours):
    """The file's new text: imported messages under the comments that ours has for them."""
    kept = {identity(message): comments for comments, message in blocks(ours) if message}
    own = {identity(message): message for _, message in blocks(ours) if message}
    heads = [comments for comments, message in blocks(ours) if not message] or [[LICENCE]]
    parts = ['\n'.join(head) for head in heads]
    for _, message in blocks(imported):
        if message:
            merged = with_own(message, own.get(identity(message), []))
            parts.append('\n'.join(kept.get(identity(message), []) + merged))
    return '\n\n'.join(parts) + '\n'


def target_name(path):
    """The path of our file for an imported one, relative to the schema folder."""
    name = os.path.basename(path)[:-len('.txt')]
    if os.path.basename(os.path.dirname(path)) == 'records':
        return f'records/{RECORDS[name]}.txt'
    numbered = re.fullmatch(r'(\d{3})-(\w+)', name)
    return f'{int(numbered[1]):02d}_{numbered[2]}.txt' if numbered else f'{name}.txt'


def main(folder, schema_folder):
    paths = sorted(glob.glob(f'{folder}/protocol/*.txt') + glob.glob(f'{folder}/records/*.txt'))
    if not paths:
        sys.exit(f'{folder}: no protocol/*.txt or records/*.txt here')
    os.makedirs(f'{schema_folder}/records', exist_ok=True)
    for path in paths:
        target = f'{schema_folder}/{target_name(path)}'
        target = pathlib.Path(target)
        ours = target.read_text() if target.exists() else ''
        target.write_text(merge(pathlib.Path(path).read_text(), ours))
    print(f'{len(paths)} files')


if __name__ == '__main__':
    main(*sys.argv[1:])
