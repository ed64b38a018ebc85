# SPDX-License-Identifier: Apache-2.0
"""The command line's tools against a node: run one, get what it printed and its exit code."""
import dataclasses
import subprocess

from . import node


@dataclasses.dataclass
class Done:
    exit: int
    out: str
    err: str


def run(name, *arguments, stdin='', timeout_s=60):
    """`milena NAME ARGUMENTS…`."""
    return run_program([str(node.MILENA), name, *arguments], stdin, timeout_s)


def run_program(command, stdin='', timeout_s=60):
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=timeout_s)
    return Done(done.returncode, done.stdout, done.stderr)
