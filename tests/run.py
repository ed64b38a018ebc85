# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of a folder, all or those whose name has a word, and says at the end which took longest.

With --side-by-side there is a process for each file, two at a time: such tests wait more than they work. A file that
measures time says ALONE = True and comes at the end, with nothing beside it.
"""
import argparse
import concurrent.futures
import os
import pathlib
import queue
import re
import subprocess
import sys
import time
import unittest

TESTS = pathlib.Path(__file__).resolve().parent
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
    """Here, one after the other: whether all is well, and whether there was anything."""
    sys.path.insert(0, str(TESTS))
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f'*{word}*' for word in words] or None
    tests = loader.discover(TESTS / folder, pattern, TESTS)
    result = unittest.TextTestRunner(resultclass=TimedResult).run(tests)
    for seconds, test in sorted(result.seconds, reverse=True)[:SHOWN]:
        print(f'{seconds:7.1f} s  {test}')
    return result.wasSuccessful(), result.testsRun > 0


def run_apart(folder, file, words, lane):
    """In a process of its own: whether all is well, whether there was anything, and what it said."""
    environment = {**os.environ, 'MILENA_TEST_LANE': f'{lane}/{LANES}'}
    done = subprocess.run([sys.executable, '-B', __file__, folder, '--part', '--files', file, *words], check=False,
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
    return done.returncode == 0, 'Ran 0 tests' not in done.stdout, done.stdout


def run_side_by_side(folder, words):
    files = sorted((TESTS / folder).rglob('test_*.py'), key=lambda file: -file.stat().st_size)
    alone = [file for file in files if re.search(r'^ALONE = True$', file.read_text(), re.MULTILINE)]
    lanes = queue.SimpleQueue()
    for lane in range(LANES):
        lanes.put(lane)

    def one(file):
        lane = lanes.get()
        is_well, has_run, said = run_apart(folder, file.name, words, lane)
        lanes.put(lane)
        if not is_well or has_run:
            print(f'-- {file.name}\n{said}', end='', flush=True)
        return is_well, has_run

    with concurrent.futures.ThreadPoolExecutor(LANES) as pool:
        results = list(pool.map(one, (file for file in files if file not in alone)))
    results += [one(file) for file in alone]
    return all(is_well for is_well, _ in results), any(has_run for _, has_run in results)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('folder')
    parser.add_argument('words', nargs='*')
    parser.add_argument('--files', default='test_*.py')
    parser.add_argument('--side-by-side', action='store_true')
    parser.add_argument('--part', action='store_true', help='of a larger run: having nothing to run is well')
    args = parser.parse_intermixed_args()
    if args.side_by_side:
        is_well, has_run = run_side_by_side(args.folder, args.words)
    else:
        is_well, has_run = run(args.folder, args.files, args.words)
    if not has_run and not args.part:
        print(f'run: no test in {args.folder} has a name with {" or ".join(args.words)}', file=sys.stderr)
    return is_well and (has_run or args.part)


if __name__ == '__main__':
    sys.exit(0 if main() else 1)
