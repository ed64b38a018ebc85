# SPDX-License-Identifier: Apache-2.0
"""Conversations with a server, to be held with two and compared.

Each is a function that is given a Talk and says what it has to say; the Talk writes down what was answered, with what
no two servers share (ids, ports, the time) replaced by a word. What Apache Kafka 4.4.0 answered is in answers.json.gz
and in files of the same kind, answers_NAME.json.gz for the conversations of the file NAME:
tests/cluster/test_answers.py holds Milena against it, tests/compat/test_same_answers.py holds Apache against it too.
"""
import gzip
import importlib
import json
import pathlib

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / 'golden'
CONVERSATIONS = {}


def conversation(function):
    """Registers a conversation under the name of the function."""
    assert function.__name__ not in CONVERSATIONS, function.__name__
    CONVERSATIONS[function.__name__] = function
    return function


def is_of_groups(function):
    """A server that was asked for a coordinator has internal topics. These are held with one of their own, so that
    others find it without."""
    return '.groups.' in function.__module__


def load():
    """All conversations, in the order of their files."""
    folder = pathlib.Path(__file__).parent
    for path in sorted(folder.rglob('[a-z]*.py')):
        if path.stem not in ('record', 'talk'):
            importlib.import_module('.'.join((__name__, *path.relative_to(folder).with_suffix('').parts)))
    return CONVERSATIONS


def golden():
    found = {}
    for path in sorted(GOLDEN.glob('answers*.json.gz')):
        found |= json.loads(gzip.decompress(path.read_bytes()))
    return found
