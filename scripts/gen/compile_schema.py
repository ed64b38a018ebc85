#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The schema compiler: schema files (docs/formats/schema.md) to C++.

usage: compile_schema.py SCHEMA_FOLDER INCLUDE_FOLDER SOURCE_FOLDER          writes what changed
       compile_schema.py --list SCHEMA_FOLDER INCLUDE_FOLDER SOURCE_FOLDER   prints their names

Headers go to INCLUDE_FOLDER/milena/protocol/{messages,records}, one for each schema file. Sources
go to SOURCE_FOLDER, one for a dozen API keys and one for each other file: enough of them to keep two
cores busy, few enough that the headers they share are not parsed a hundred times.
"""
import glob
import os
import pathlib
import re
import sys

import emit
from check import check
from parse import OPEN, SchemaError, parse

KEYS_PER_SOURCE = 12


def schema_files(folder):
    """Paths relative to the folder: API keys by number, then the others by name."""
    paths = [os.path.relpath(p, folder) for p in glob.glob(f'{folder}/**/*.txt', recursive=True)]
    numbers = {p: int(p.split('_')[0]) for p in paths if p[0].isdigit()}
    return sorted(paths, key=lambda p: (numbers.get(p, OPEN), p.startswith('records'), p))


def include_of(path):
    name = emit.snake(re.sub(r'^\d+_', '', os.path.basename(path)[:-len('.txt')]))
    return f'milena/protocol/{"records" if path.startswith("records/") else "messages"}/{name}.h'


def group_of(path):
    """Which source a schema file goes to. Not a matter of sizes: a new field must not move the others."""
    number = re.match(r'(\d+)_', path)
    if number:
        return f'apis_{int(number[1]) // KEYS_PER_SOURCE}'
    return re.sub(r'\.txt$', '', path).replace('/', '_')


def compile_all(folder):
    """{'include' or 'source': {path: text}}"""
    name = os.path.basename(folder)
    files = schema_files(folder)
    parsed = {f: parse(pathlib.Path(folder, f).read_text(), f'{name}/{f}') for f in files}
    everything = check([message for f in files for message in parsed[f]])
    checked = {f: [m for m in everything if any(m.source is p for p in parsed[f])] for f in files}
    used = [f for f in files if checked[f]]
    apis = [m for m in everything if m.source.kind == 'request']

    includes = {include_of(f): emit.header(f'{name}/{f}', checked[f]) for f in used}
    includes['milena/protocol/api_key.h'] = emit.api_key_header(name, apis)
    sources = {}
    groups = list(dict.fromkeys(group_of(f) for f in used))
    for group in groups:
        parts = [(f'{name}/{f}', include_of(f), checked[f]) for f in used if group_of(f) == group]
        sources[f'{group}.cc'] = emit.source(group, parts)
    sources['message_type_table.cc'] = emit.type_table(name, groups)
    sources['api_table.cc'] = emit.api_table(name, apis)
    return {'include': includes, 'source': sources}


def write_changed(path, text):
    """Leaves a file alone that is as it should be: only what changed is compiled again."""
    target = pathlib.Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or target.read_text() != text:
        target.write_text(text)


def main(arguments):
    listing = arguments[:1] == ['--list']
    folder, include_folder, source_folder = arguments[1:] if listing else arguments
    roots = {'include': include_folder, 'source': source_folder}
    for kind, texts in compile_all(folder).items():
        for path, text in texts.items():
            if listing:
                print(f'{roots[kind]}/{path}')
            else:
                write_changed(f'{roots[kind]}/{path}', text)


if __name__ == '__main__':
    try:
        main(sys.argv[1:])
    except SchemaError as error:
        sys.exit(str(error))
