# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/answers.json.gz anew from a fresh Apache Kafka: `cd tests && python3 -m conversations.record`."""
import gzip
import json

from support import apache, node

from . import GOLDEN, load
from .talk import hold


def record():
    jars = apache.jars()
    assert jars, 'needs a JDK and Maven'
    server = node.Node()
    server.peer = jars
    with server:
        found = {name: hold(server.port, name, function) for name, function in load().items()}
    GOLDEN.write_bytes(gzip.compress(json.dumps(found, indent=0).encode(), mtime=0))


if __name__ == '__main__':
    record()
