# SPDX-License-Identifier: Apache-2.0
"""Log directories whose disk does what a test says, by a library that a server starts with: stalling.c, failing.c."""
import contextlib
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


class Disk:
    """`folder` is where the disk misbehaves, while a file is there; files of its own go to `scratch`."""

    def __init__(self, way, folder, scratch):
        self.way, self.folder = way, folder
        self.shared = scratch / f'{way}_disk.so'
        self.signal = scratch / f'disk-is-{way}'
        subprocess.run(['clang-19', '-O1', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC', HERE / f'{way}.c', '-o',
                        self.shared], check=True)

    @property
    def environment(self):
        name = self.way.upper()
        return {**os.environ, 'LD_PRELOAD': str(self.shared), f'{name}_FOLDER': f'{self.folder}/',
                f'{name}_WHILE': str(self.signal)}


class StallingDisk(Disk):
    """Writes wait."""

    def __init__(self, folder, scratch):
        super().__init__('stalling', folder, scratch)

    @contextlib.contextmanager
    def stalls(self):
        self.signal.touch()
        try:
            yield
        finally:
            self.signal.unlink(missing_ok=True)


class FailingDisk(Disk):
    """Calls end with EIO."""

    def __init__(self, folder, scratch):
        super().__init__('failing', folder, scratch)

    def fail(self):
        self.signal.touch()

    def heal(self):
        self.signal.unlink(missing_ok=True)
