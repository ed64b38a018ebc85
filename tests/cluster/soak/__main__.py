# SPDX-License-Identifier: Apache-2.0
"""python3 -m cluster.soak [SECONDS] [SEED] [--nodes N] [--writers N] [--bytes N]        (scripts/dev soak)"""
import argparse
import pathlib
import random
import sys

from . import figures, schedule
from .course import Load


def main(programs=()):
    """`programs` write too: see Course.start()."""
    words = argparse.ArgumentParser(prog='soak')
    words.add_argument('seconds', nargs='?', type=float, default=600)
    words.add_argument('seed', nargs='?', type=int, default=random.randrange(1 << 30))
    words.add_argument('--nodes', type=int, default=3)
    words.add_argument('--partitions', type=int, default=Load.partitions)
    words.add_argument('--writers', type=int, default=Load.writers)
    words.add_argument('--bytes', type=int, default=0, help='of each record, beyond its number')
    words.add_argument('--logs', type=pathlib.Path, help='a folder that the logs of the nodes are copied to')
    wanted = words.parse_args()
    print(f'soak: {wanted.seconds:.0f} s, seed {wanted.seed}, {wanted.nodes} nodes', flush=True)
    load = Load(partitions=wanted.partitions, writers=wanted.writers, padding=b'.' * wanted.bytes)
    done = schedule.run(wanted.seconds, wanted.seed, wanted.nodes, load, programs=programs)
    print(done.text())
    for line in figures.outliers(done.blows):
        print(f'soak: {line}')
    if wanted.logs:
        wanted.logs.mkdir(parents=True, exist_ok=True)
        for node_id, text in done.kept_logs.items():
            (wanted.logs / f'node-{node_id}.log').write_text(text)
    for line in done.wrong[:20]:
        print(f'soak: {line}')
    return 1 if done.wrong else 0


if __name__ == '__main__':
    sys.exit(main())
