# SPDX-License-Identifier: Apache-2.0
"""Limits on lines, functions, parameters and folders (the goals are far below them)."""
import ast
import collections
import re

from . import cpp_functions

LINES_SOURCE = 600
LINES_TEST = 800
LINES_FUNCTION = 70
PARAMETERS = 5
COLUMNS_CPP = 100
COLUMNS_OTHER = 120
FILES_IN_FOLDER = 25
# Numbered or named series, which CMake globs, may grow.
SERIES = re.compile(r'(^|/)(schema|api|commands|golden/.*|golden|changes|decisions)$')


def check(files):
    findings = []
    folders = collections.Counter()
    for file in files.values():
        folders[file.path.rpartition('/')[0]] += 1
        findings += check_lines(file)
        if file.is_cpp:
            findings += check_cpp_functions(file)
        elif file.name.endswith('.py'):
            findings += check_python_functions(file)
    for folder, count in folders.items():
        if count > FILES_IN_FOLDER and not SERIES.search(folder):
            findings.append((folder, 1, 'sizes', f'{count} files; {FILES_IN_FOLDER} are enough'))
    return findings


def is_source(file):
    return file.is_cpp or file.name.endswith(('.py', '.cmake'))


def check_lines(file):
    if not is_source(file) and not file.path.startswith(('scripts/', '.ci/')):
        return []
    findings = []
    limit = LINES_TEST if file.path.startswith('tests/') else LINES_SOURCE
    if len(file.lines) - 1 > limit:
        findings.append((file.path, limit + 1, 'sizes', f'{len(file.lines) - 1} lines; at most {limit}'))
    columns = COLUMNS_CPP if file.is_cpp else COLUMNS_OTHER
    for number, line in enumerate(file.lines, 1):
        if len(line) > columns:
            findings.append((file.path, number, 'sizes', f'{len(line)} columns; at most {columns}'))
    return findings


def check_cpp_functions(file):
    findings = []
    for function in cpp_functions.functions(file.code):
        if function.lines > LINES_FUNCTION:
            findings.append((file.path, function.line, 'sizes',
                             f'{function.name} has {function.lines} lines; at most {LINES_FUNCTION}'))
        if function.parameters > PARAMETERS:
            findings.append((file.path, function.line, 'sizes', f'{function.name} takes '
                             f'{function.parameters} parameters; more than {PARAMETERS} are a struct'))
    return findings


def check_python_functions(file):
    try:
        tree = ast.parse(file.text)
    except SyntaxError as error:
        return [(file.path, error.lineno or 1, 'sizes', f'not Python: {error.msg}')]
    findings = []
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        length = (node.end_lineno or node.lineno) - node.lineno + 1
        if length > LINES_FUNCTION:
            findings.append((file.path, node.lineno, 'sizes',
                             f'{node.name} has {length} lines; at most {LINES_FUNCTION}'))
    return findings
