# SPDX-License-Identifier: Apache-2.0
"""Writes the golden answers anew from a fresh Apache Kafka: `cd tests && python3 -m conversations.record [FILE]`.

With the name of a file of conversations only its own golden file, answers_FILE.json.gz, is written; without one
answers.json.gz, which has those that have no file of their own.
"""
import gzip
import json
import sys

from support import apache, node

from . import GOLDEN, load
from .talk import hold


def belongs(function, path):
    """True if that golden file is, or is to be, the one of the conversation."""
    own = GOLDEN / f"answers_{function.__module__.rpartition('.')[2]}.json.gz"
    return path == own or (path.name == 'answers.json.gz' and not own.exists())


def record(path):
    jars = apache.jars()
    assert jars, 'needs a JDK and Maven'
    server = node.Node()
    server.peer = jars
    with server:
        found = {name: hold(server.port, name, function) for name, function in load().items()
                 if belongs(function, path)}
    path.write_bytes(gzip.compress(json.dumps(found, indent=0).encode(), mtime=0))


if __name__ == '__main__':
    record(GOLDEN / (f'answers_{sys.argv[1]}.json.gz' if sys.argv[1:] else 'answers.json.gz'))
