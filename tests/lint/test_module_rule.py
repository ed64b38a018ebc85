# SPDX-License-Identifier: Apache-2.0
"""A module that uses one which it does not declare fails the build, by its #include and by its symbols.

Each test copies the sources, plants one violation in the copy and builds a little of it: enough for the
build to fail, and to fail for that reason. The same build without the violation goes through.
"""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class ModuleRuleTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.tree = pathlib.Path(folder.name, 'tree')
        cls.tree.mkdir()
        for name in ('src', 'include', 'scripts'):
            shutil.copytree(ROOT / name, cls.tree / name, ignore=shutil.ignore_patterns('__pycache__'))
        shutil.copy(ROOT / 'CMakeLists.txt', cls.tree)
        done = cls.run_command('cmake', '-S', cls.tree, '-B', cls.tree / 'build', '-G', 'Ninja', '-DMILENA_TESTS=OFF',
                               '-DCMAKE_C_COMPILER=clang-19',
                               '-DCMAKE_CXX_COMPILER=clang++-19')
        assert done.returncode == 0, done.stdout

    @staticmethod
    def run_command(*command):
        return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)

    def build(self, target):
        return self.run_command('ninja', '-C', self.tree / 'build', target)

    def plant(self, path, text):
        """Puts `text` at the end of a source of the copy until the test is over."""
        file = self.tree / path
        before = file.read_text()
        file.write_text(before + text)
        self.addCleanup(file.write_text, before)

    def test_an_undeclared_include_fails_the_build(self):
        self.plant('src/base/uuid.cc', '#include "milena/env/clock.h"\n')
        done = self.build('milena_base')
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r'src/base/uuid\.cc:\d+: modules: base includes "milena/env/clock\.h", '
                                      r'but env is not in its DEPS')

    def test_an_undeclared_symbol_fails_the_link_check(self):
        clean = self.build('links_base')
        self.assertEqual(clean.returncode, 0, clean.stdout)
        # No #include gives it away: the function is declared by hand. It exists, but in env, which base does not link.
        self.plant('src/base/uuid.cc', '#include "milena/base/result.h"\n'
                                       'namespace milena::env { bool is_out_of_space(const Error&); }\n'
                                       'namespace milena { bool planted(const Error&); }\n'
                                       'bool milena::planted(const Error& e) { return env::is_out_of_space(e); }\n')
        done = self.build('links_base')
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('undefined', done.stdout)
        self.assertIn('milena::env::is_out_of_space', done.stdout)


if __name__ == '__main__':
    unittest.main()
