# SPDX-License-Identifier: Apache-2.0
"""What every file opens with, and words that no file holds."""
import re

COMMENT = re.compile(r'\s*(?://|#|"""|<!--|\*|/\*)')
HEADED = ('.h', '.cc', '.c', '.py', '.cmake')

# Rule, pattern, message. Over whole texts, comments included.
WORDS = [
    ('todo', r'\b(?:FIXME|XXX|HACK)\b|\bTODO\b(?!\(#\d+\): )', 'write TODO(#issue): what'),
    ('machine', r'(?<![\w./])/(?:home|root|work|Users)(?=/|\b(?!\w))|[.][.]/shared|[.]library\b',
     'a path of one machine'),
]
CPP_WORDS = [
    ('names', r'(?<![A-Za-z])terms?(?![A-Za-z])', 'KRaft says epoch'),
    ('names', r'\b(?:class|struct)\s+\w+(?:Manager|Helper|Utils?|Impl|Info)\b(?!\s*;)',
     'the name says nothing: find the noun'),
]


def check(files):
    findings = []
    for file in files.values():
        if not file.path.startswith('scripts/tidy_rules/') and not file.name.endswith('.md'):
            findings += words(file, WORDS)
        if file.is_cpp and file.module:
            findings += words(file, CPP_WORDS)
        if file.name.endswith(HEADED) or file.name == 'CMakeLists.txt' or file.text.startswith('#!'):
            findings += opening(file)
    return findings


def words(file, table):
    return [(file.path, file.line_of(match.start()), rule, f'{why}: {match[0].strip()}')
            for rule, pattern, why in table for match in re.finditer(pattern, file.text)]


def opening(file):
    """The licence first, then a comment that says what the file is for."""
    at = 1 if file.lines[0].startswith('#!') else 0
    lines = file.lines[at:]
    if 'SPDX-License-Identifier: Apache-2.0' not in lines[0]:
        return [(file.path, at + 1, 'opening', 'the first line is the licence')]
    if file.name in ('__init__.py', 'CMakeLists.txt') and len(lines) <= 3:
        return []  # a package's mark, or a module's one line
    body = next((line for line in lines[1:] if line.strip()), '')
    if not COMMENT.match(body) or body.startswith(('#include', '#pragma')):
        return [(file.path, at + 2, 'opening', 'after the licence say what the file is for')]
    return []
