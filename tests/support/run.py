# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of a folder, all or those whose name has a word, and says at the end which took longest."""
import pathlib
import sys
import time
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
SHOWN = 15


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


def main(folder, words):
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f'*{word}*' for word in words] or None
    tests = loader.discover(TESTS / folder, 'test_*.py', TESTS)
    result = unittest.TextTestRunner(resultclass=TimedResult).run(tests)
    for seconds, test in sorted(result.seconds, reverse=True)[:SHOWN]:
        print(f'{seconds:7.1f} s  {test}')
    return 0 if result.wasSuccessful() and result.testsRun else 1


if __name__ == '__main__':
    sys.path.insert(0, str(TESTS))
    sys.exit(main(sys.argv[1], sys.argv[2:]))
