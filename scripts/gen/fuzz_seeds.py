#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seeds for the fuzzers of the protocol, made from the wire vectors (tests/golden/wire_vectors.md).

usage: fuzz_seeds.py SCHEMA_FOLDER VECTORS.tsv.zst CORPUS_FOLDER

CORPUS_FOLDER/fuzz_messages gets every vector behind the three bytes by which that fuzzer chooses
message and version; fuzz_request_head gets every request behind a header. Needs the zstd command.
"""
import pathlib
import subprocess
import sys

from check import check
from compile_schema import schema_files
from parse import parse


def read_vectors(path):
    """(message, version, body) of each line."""
    text = subprocess.run(['zstd', '-dc', path], check=True, capture_output=True, text=True).stdout
    for line in text.splitlines()[1:]:
        name, _, _, version, _, _, body = (line.split('\t') + [''])[:7]
        yield name, int(version), bytes.fromhex(body)


def request_head(source, version):
    """Key, version, correlation id, the client id "seed", and no tags in a flexible version."""
    tags = b'\0' if source.flexible.has(version) else b''
    return (source.key.to_bytes(2, 'big') + version.to_bytes(2, 'big') + bytes([0, 0, 0, 1]) +
            b'\0\4seed' + tags)


def main(schema_folder, vectors, corpus_folder):
    files = schema_files(schema_folder)
    parsed = [m for f in files for m in parse(pathlib.Path(schema_folder, f).read_text(), f)]
    # The order of message_types(), by which the fuzzer counts.
    sources = [message.source for message in check(parsed)]
    place = {source.full_name: index for index, source in enumerate(sources)}
    corpora = {name: pathlib.Path(corpus_folder, name) for name in ('fuzz_messages', 'fuzz_request_head')}
    for corpus in corpora.values():
        corpus.mkdir(parents=True, exist_ok=True)
    for number, (name, version, body) in enumerate(read_vectors(vectors)):
        source = sources[place[name]]
        choice = place[name].to_bytes(2, 'big') + bytes([version - source.versions.first])
        (corpora['fuzz_messages'] / f'vector-{number}').write_bytes(choice + body)
        if source.kind == 'request':
            frame = request_head(source, version) + body
            (corpora['fuzz_request_head'] / f'vector-{number}').write_bytes(frame)


if __name__ == '__main__':
    main(*sys.argv[1:])
