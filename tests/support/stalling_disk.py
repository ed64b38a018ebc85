# SPDX-License-Identifier: Apache-2.0
"""A log directory whose disk stalls when a test says so: see stalling_disk.c."""
import contextlib
import os
import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).with_suffix('.c')


class StallingDisk:
    """`folder` is where writes stall; files of its own go to `scratch`."""

    def __init__(self, folder, scratch):
        self.folder = folder
        self.shared = scratch / 'stalling_disk.so'
        self.signal = scratch / 'disk-stalls'
        subprocess.run(['clang-19', '-O1', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC', SOURCE, '-o',
                        self.shared], check=True)

    @property
    def environment(self):
        return {**os.environ, 'LD_PRELOAD': str(self.shared), 'STALLING_FOLDER': f'{self.folder}/',
                'STALLING_WHILE': str(self.signal)}

    @contextlib.contextmanager
    def stalls(self):
        self.signal.touch()
        try:
            yield
        finally:
            self.signal.unlink(missing_ok=True)
