# SPDX-License-Identifier: Apache-2.0
"""Where files are: the root's few entries, a test beside its source, no header that nobody reads."""
import re

ROOT = {'CMakeLists.txt', 'README.md', 'LICENSE', 'config', 'scripts', 'docs', 'include', 'src', 'tests'}


def check(files):
    return root_entries(files) + namesakes(files) + unread_headers(files)


def root_entries(files):
    entries = {path.split('/')[0] for path in files}
    return [(entry, 1, 'places', 'the root holds the eight entries and LICENSE, nothing else')
            for entry in sorted(entries - ROOT) if not entry.startswith('.')]


def namesakes(files):
    """tests/unit/M/X_test.cc is about src/M/X.cc, or about a door or room of that name."""
    findings = []
    for file in files.values():
        found = re.match(r'tests/unit/(\w+)/(?:.*/)?(\w+?)(?:_property)?_test\.cc$', file.path)
        if not found:
            continue
        module, name = found.groups()
        same = re.compile(rf'(?:src/{module}/(?:.*/)?|include/milena/{module}/){name}\.(?:cc|h)$')
        if not any(same.match(path) for path in files):
            findings.append((file.path, 1, 'places', f'there is no src/{module}/{name}.cc that it tests'))
    return findings


def unread_headers(files):
    includes = set()
    for file in files.values():
        if file.is_cpp:
            includes.update(re.findall(r'#\s*include\s*["<]([^">]+)', file.text))
    names = {include.rsplit('/', 1)[-1] for include in includes}
    return [(file.path, 1, 'places', 'nobody includes it') for file in files.values()
            if file.path.endswith('.h') and file.module and file.name not in names]
