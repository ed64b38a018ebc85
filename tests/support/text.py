# SPDX-License-Identifier: Apache-2.0
"""A real text of at least 50 MB, from what Debian ships: the same on every machine with the same packages.

Sources, manuals and change logs in several languages: short lines and long ones, UTF-8. Empty lines are left
out, because command-line producers skip them, and so are lines over 500 kB.
"""
import hashlib
import os
import pathlib

BYTES = 50_000_000
FOLDERS = ['/usr/share/perl', '/usr/lib/python3', '/usr/lib/python3.11', '/usr/share/doc', '/usr/include',
           '/usr/lib/x86_64-linux-gnu/perl', '/usr/share/cmake-3.25', '/usr/share/common-licenses']


def texts():
    """The paths of ordinary files under FOLDERS, in a fixed order."""
    for folder in FOLDERS:
        for place, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                path = pathlib.Path(place, name)
                if not name.endswith(('.gz', '.pyc', '.so', '.a', '.png')) and path.is_file() and not path.is_symlink():
                    yield path


def make(target):
    """Writes the text to `target`, unless it is there; gives its number of lines and its SHA-256."""
    target = pathlib.Path(target)
    if not target.exists():
        part = target.with_suffix('.part')
        with open(part, 'wb') as out:
            while out.tell() < BYTES:
                before = out.tell()
                append(out)
                assert out.tell() > before, f'nothing to read in {FOLDERS}'
        part.rename(target)
    data = target.read_bytes()
    return data.count(b'\n'), hashlib.sha256(data).hexdigest()


def append(out):
    for path in texts():
        try:
            data = path.read_bytes()
            data.decode()
        except (OSError, UnicodeDecodeError):
            continue
        out.writelines(line + b'\n' for line in data.replace(b'\r', b'').split(b'\n') if 0 < len(line) < 500_000)
        if out.tell() >= BYTES:
            return


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
