# SPDX-License-Identifier: Apache-2.0
"""A log directory whose disk fails when a test says so: see failing_disk.c."""
import os
import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).with_suffix('.c')


class FailingDisk:
    """`folder` is where the disk fails; files of its own go to `scratch`."""

    def __init__(self, folder, scratch):
        self.folder = folder
        self.shared = scratch / 'failing_disk.so'
        self.signal = scratch / 'disk-fails'
        subprocess.run(['clang-19', '-O1', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC', SOURCE, '-o',
                        self.shared], check=True)

    @property
    def environment(self):
        return {**os.environ, 'LD_PRELOAD': str(self.shared), 'FAILING_FOLDER': f'{self.folder}/',
                'FAILING_WHILE': str(self.signal)}

    def fail(self):
        self.signal.touch()

    def heal(self):
        self.signal.unlink(missing_ok=True)
