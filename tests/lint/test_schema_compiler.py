# SPDX-License-Identifier: Apache-2.0
"""The schema compiler: its output for a sample against the committed one, and what it refuses.

After an intended change of its output, UPDATE_GOLDEN=1 rewrites the sample; review the diff.
"""
import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'scripts' / 'gen'))
import compile_schema  # noqa: E402
import import_schema  # noqa: E402
from check import check  # noqa: E402
from parse import SchemaError, parse  # noqa: E402

SAMPLE = ROOT / 'tests' / 'golden' / 'schema_compiler'


class GoldenSample(unittest.TestCase):
    def test_output_is_the_committed_one(self):
        for texts in compile_schema.compile_all(str(SAMPLE / 'schema')).values():
            for path, text in texts.items():
                golden = SAMPLE / 'generated' / (path + '.txt')
                if os.environ.get('UPDATE_GOLDEN'):
                    golden.parent.mkdir(parents=True, exist_ok=True)
                    golden.write_text(text)
                with self.subTest(path):
                    self.assertEqual(text, golden.read_text())

    def test_a_number_without_versions_makes_nothing(self):
        outputs = compile_schema.compile_all(str(SAMPLE / 'schema'))
        texts = [text for kind in outputs.values() for text in kind.values()]
        self.assertNotIn('Reserved', ''.join(texts))


class Refusals(unittest.TestCase):
    """Each is a message in which one thing is wrong, and what the compiler says about it."""

    def refusal(self, text):
        with self.assertRaises(SchemaError) as raised:
            check(parse(text, 'x.txt'))
        return str(raised.exception)

    def refusal_of_field(self, line, more=''):
        return self.refusal(f'A request key=0 versions=0-4 flexible=2+\n  {line}\n{more}')

    def test_syntax(self):
        self.assertIn('x.txt:1', self.refusal('A tale key=0'))
        self.assertIn('x.txt:1', self.refusal('A request key=0 versions=2-1'))
        self.assertIn('what is colour', self.refusal('A request key=0 colour=red'))
        self.assertIn('said twice', self.refusal('A request key=0 key=1'))
        self.assertIn('x.txt:2', self.refusal_of_field('Count int32 versions=0+'))
        self.assertIn('what is colour', self.refusal_of_field('Count: int32 colour=red'))
        self.assertIn('is no range', self.refusal_of_field('Count: int32 versions=some'))
        self.assertIn('indented', self.refusal_of_field('  Count: int32 versions=0+'))

    def test_messages(self):
        self.assertIn('no last version', self.refusal('A request key=0 versions=0+'))
        self.assertIn('must have a key', self.refusal('A request versions=0'))
        self.assertIn('must not have a key', self.refusal('A data key=0 versions=0'))
        self.assertIn('always flexible', self.refusal('A data versions=0-3 flexible=1-2'))
        self.assertIn('listeners', self.refusal('A request key=0 versions=0 listeners=zookeeper'))
        self.assertIn('A is there twice', self.refusal('A data versions=0\n\nA data versions=0'))
        self.assertIn('key 1 is there twice',
                      self.refusal('A metadata key=1 versions=0\n\nB metadata key=1 versions=0'))

    def test_types(self):
        self.assertIn('no type Row', self.refusal_of_field('Rows: []Row versions=0+'))
        self.assertIn('holds itself', self.refusal_of_field(
            'Rows: []Row versions=0+', '  struct Row versions=0+\n    Rows: []Row versions=0+'))
        self.assertIn('is not used', self.refusal_of_field(
            'Count: int32 versions=0+', '  struct Row versions=0+\n    Count: int32 versions=0+'))
        self.assertIn('two shapes', self.refusal_of_field(
            'A: []Row versions=0+',
            '    X: int8 versions=0+\n  B: []Row versions=0+\n    Y: int8 versions=0+'))
        self.assertIn('a name of', self.refusal_of_field(
            'Count: int32 versions=0+', '  Count: int32 versions=0+'))

    def test_nulls_and_defaults(self):
        self.assertIn('never null', self.refusal_of_field('Count: int32 versions=0+ nullable=0+'))
        self.assertIn('never nullable',
                      self.refusal_of_field('Name: string versions=0+ default=null'))
        self.assertIn('does not fit', self.refusal_of_field('Count: int8 versions=0+ default=128'))
        self.assertIn('is no bool', self.refusal_of_field('Flag: bool versions=0+ default=yes'))
        self.assertIn('no default but null',
                      self.refusal_of_field('Id: uuid versions=0+ default=1'))
        self.assertIn('in no version', self.refusal_of_field('Count: int32 ignorable'))

    def test_tags(self):
        self.assertIn('go together', self.refusal_of_field('Count: int32 versions=2+ tagged=2+'))
        self.assertIn('some of its versions',
                      self.refusal_of_field('Count: int32 versions=2+ tagged=3+ tag=0'))
        self.assertIn('not flexible',
                      self.refusal_of_field('Count: int32 versions=1+ tagged=1+ tag=0'))
        self.assertIn('records in a tagged',
                      self.refusal_of_field('Count: records versions=2+ tagged=2+ tag=0'))
        self.assertIn('a tag of', self.refusal_of_field(
            'A: int32 versions=2+ tagged=2+ tag=0', '  B: int32 versions=2+ tagged=2+ tag=0'))


class Import(unittest.TestCase):
    def test_replaces_facts_and_keeps_comments(self):
        ours = ('# Licence\n\n# What it does.\nA request key=0\n  Old: int8 versions=0\n\n'
                'B data versions=0\n')
        imported = 'A request key=0 versions=0\n  New: int8 versions=0\n'
        self.assertEqual(import_schema.merge(imported, ours),
                         '# Licence\n\n# What it does.\n' + imported)

    def test_keeps_fields_that_are_milenas_own(self):
        ours = ('A response key=0 versions=0+\n  Groups: []Group versions=0+\n    Old: int8 versions=0+\n'
                '    Facts: bytes versions=0+ tagged=0+ tag=10000\n  Last: int8 versions=0+\n')
        imported = ('A response key=0 versions=0-1\n  Groups: []Group versions=0+\n    New: int8 versions=1+\n'
                    '    Old: int8 versions=0-1\n  Last: int8 versions=0+\n')
        self.assertEqual(import_schema.merge(imported, '# Licence\n\n' + ours), '# Licence\n\n' + imported.replace(
            '  Last', '    Facts: bytes versions=0+ tagged=0+ tag=10000\n  Last'))

    def test_names_files_by_key(self):
        self.assertEqual(import_schema.target_name('in/protocol/003-Metadata.txt'),
                         '03_Metadata.txt')
        self.assertEqual(import_schema.target_name('in/protocol/headers.txt'), 'headers.txt')
        self.assertEqual(import_schema.target_name('in/records/raft-control.txt'),
                         'records/raft_control.txt')


if __name__ == '__main__':
    unittest.main()
