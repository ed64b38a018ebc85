# SPDX-License-Identifier: Apache-2.0
"""The soak of a replicated cluster with Apache Kafka's producer among the writers.

    python3 -m compat.java_soak [SECONDS] [SEED]        (scripts/dev soak --java)
"""
import contextlib
import sys
import tempfile

from cluster.soak import __main__ as soak
from compat import libraries
from support import apache


@contextlib.contextmanager
def steady_writer(jars):
    """The command of that producer, see cluster.soak.writers.Program."""
    with tempfile.TemporaryDirectory(prefix='milena-soak-') as folder:
        source = libraries.HERE / 'java' / 'SteadyWriter.java'
        libraries.make([libraries.need('javac'), '-cp', f'{jars}/*', '-d', folder, source], folder)
        yield ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', f'{folder}:{jars}/*', 'SteadyWriter']


def main():
    jars = apache.jars()
    if jars is None:
        return 'soak: needs a JDK and Maven for the client of Apache Kafka'
    with steady_writer(jars) as command:
        return soak.main([('java', command)])


if __name__ == '__main__':
    sys.exit(main())
