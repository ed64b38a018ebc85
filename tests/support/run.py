# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of a folder, all or those whose name has a word, and says at the end which took longest.

With --side-by-side there is a process for each file, two at a time: such tests wait more than they work. A file that
measures time says ALONE = True and comes at the end, with nothing beside it.
"""
import argparse
import concurrent.futures
import itertools
import os
import pathlib
import queue
import re
import subprocess
import sys
import time
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
SHOWN = 15
LANES = 2


class TimedResult(unittest.TextTestResult):
    """What unittest prints, with the seconds of each test kept."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.seconds = []

    def startTest(self, test):
        super().startTest(test)
        self.began = time.monotonic()

    def stopTest(self, test):
        self.seconds.append((time.monotonic() - self.began, test.id()))
        super().stopTest(test)


def run(folder, pattern, words):
    """Here, one after the other: whether all is well."""
    sys.path.insert(0, str(TESTS))
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f'*{word}*' for word in words] or None
    tests = loader.discover(TESTS / folder, pattern, TESTS)
    result = unittest.TextTestRunner(resultclass=TimedResult).run(tests)
    for seconds, test in sorted(result.seconds, reverse=True)[:SHOWN]:
        print(f'{seconds:7.1f} s  {test}')
    return result.wasSuccessful()


def run_apart(folder, file, words, lane):
    """In a process of its own: whether all is well, and what it said."""
    environment = {**os.environ, 'MILENA_TEST_LANE': f'{lane}/{LANES}'}
    done = subprocess.run([sys.executable, '-B', __file__, folder, '--files', file, *words], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
    return done.returncode == 0, done.stdout


def run_side_by_side(folder, words):
    files = sorted((TESTS / folder).glob('test_*.py'), key=lambda file: -file.stat().st_size)
    alone = [file for file in files if re.search(r'^ALONE = True$', file.read_text(), re.MULTILINE)]
    lanes = queue.SimpleQueue()
    for lane in range(LANES):
        lanes.put(lane)

    def one(file):
        lane = lanes.get()
        is_well, said = run_apart(folder, file.name, words, lane)
        lanes.put(lane)
        if not is_well or 'Ran 0 tests' not in said:
            print(f'-- {file.name}\n{said}', end='', flush=True)
        return is_well

    with concurrent.futures.ThreadPoolExecutor(LANES) as pool:
        beside = list(pool.map(one, (file for file in files if file not in alone)))
    return all(itertools.chain(beside, [one(file) for file in alone]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('folder')
    parser.add_argument('words', nargs='*')
    parser.add_argument('--files', default='test_*.py')
    parser.add_argument('--side-by-side', action='store_true')
    args = parser.parse_intermixed_args()
    if args.side_by_side:
        return run_side_by_side(args.folder, args.words)
    return run(args.folder, args.files, args.words)


if __name__ == '__main__':
    sys.exit(0 if main() else 1)
