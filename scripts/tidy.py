#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The house rules as a program: prints every place that breaks one and fails if there is any.

usage: tidy.py [--modules] [ROOT]

--modules checks only who uses which module; the build runs that before it compiles anything. ROOT is
the tree to check, by default the one this file stands in. The rules are in tidy_rules/, one file a
subject; their tests in tests/lint/.
"""
import pathlib
import sys

from tidy_rules import cpp_words, modules, places, sizes, tree, wording


def check(root, only_modules=False):
    """All findings in the tree, each a (path, line, rule, message); sorted."""
    files = tree.read(root)
    rules = [modules.check]
    if not only_modules:
        rules += [cpp_words.check, sizes.check, places.check, wording.check]
    return sorted(finding for rule in rules for finding in rule(files))


def main(arguments):
    only_modules = '--modules' in arguments
    roots = [a for a in arguments if not a.startswith('--')]
    root = pathlib.Path(roots[0] if roots else __file__).resolve()
    if not roots:
        root = root.parent.parent
    findings = check(root, only_modules)
    for path, line, rule, message in findings:
        print(f'{path}:{line}: {rule}: {message}')
    if findings:
        print(f'tidy: {len(findings)} places break a house rule')
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
