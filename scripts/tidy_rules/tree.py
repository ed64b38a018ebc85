# SPDX-License-Identifier: Apache-2.0
"""The files of a tree, read once, and C++ sources with their comments and strings blanked."""
import os
import pathlib
import re

SKIPPED = re.compile(r'(build.*|data|__pycache__|\..*)$')
TEXT = re.compile(r'\.(h|cc|c|py|cmake|md|txt|properties|sh|java|xml|toml)$|/[A-Za-z.]+$')
CPP = ('.h', '.cc', '.c')

# A literal or a comment, whichever begins first.
TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<raw>[^(\s]*)\(.*?\)(?P=raw)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'", re.S)


class File:
    """One file: its path relative to the root, its text, and for C++ its code alone."""

    def __init__(self, path, text):
        self.path = path
        self.name = path.rsplit('/', 1)[-1]
        self.text = text
        self.lines = text.split('\n')
        self.is_cpp = path.endswith(CPP)
        self._code = None

    @property
    def code(self):
        """The text with comments and the insides of literals blanked, line for line; includes stay."""
        if self._code is None:
            self._code = TOKEN.sub(blank, self.text)
        return self._code

    @property
    def module(self):
        """The module whose door or room this is, or None."""
        found = re.match(r'(?:src|include/milena)/(\w+)/', self.path)
        return found and found[1]

    def line_of(self, position):
        return self.text.count('\n', 0, position) + 1


def blank(token):
    text = token[0]
    if text.startswith(('/', 'R')):
        return re.sub(r'[^\n]', ' ', text)
    before = token.string[:token.start()].rsplit('\n', 1)[-1]
    if re.match(r'\s*#\s*include\s*$', before):
        return text
    return text[0] + ' ' * (len(text) - 2) + text[0]


def read(root):
    """The tree's files by path. Build directories, data and what begins with a dot are left out,
    except .ci."""
    root = pathlib.Path(root)
    files = {}
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f == '.ci' or not SKIPPED.match(f))
        for name in sorted(names):
            path = pathlib.Path(folder, name)
            relative = path.relative_to(root).as_posix()
            if TEXT.search('/' + relative) and path.is_file():
                files[relative] = File(relative, path.read_text(errors='replace'))
    return files
