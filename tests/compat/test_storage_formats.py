# SPDX-License-Identifier: Apache-2.0
"""milena storage does and says what Apache's kafka-storage does: exit code, output, and the files that it leaves."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import apache, node

CLUSTER = 'abcdefghijklmnopqrstuQ'
ONE, TWO = 'MvDxzVmcRsaTz33bUuRU6A', '07R5amHmR32VDA6jHkGbTA'
COMMON = 'listeners={listeners}\ncontroller.listener.names=CONTROLLER\nlog.dirs={logs}\n'
BOTH, CONTROLLER = 'PLAINTEXT://localhost:19092,CONTROLLER://localhost:19093', 'CONTROLLER://localhost:19093'
FOUND = 'controller.quorum.bootstrap.servers=localhost:19093\n'
NODES = {
    'combined': ('process.roles=broker,controller\nnode.id=1\n' + FOUND, BOTH),
    'controller': ('process.roles=controller\nnode.id=1\n' + FOUND, CONTROLLER),
    'configured': ('process.roles=broker,controller\nnode.id=1\ncontroller.quorum.voters=1@localhost:19093\n', BOTH),
    'broker': ('process.roles=broker\nnode.id=2\n' + FOUND, 'PLAINTEXT://localhost:19092'),
}
SCRAM = 'SCRAM-SHA-512=[name=alice,salt="MWx2NHBkbnc0ZndxN25vdGN4bTB5eTFrN3E=",password=x,iterations=8192]'
SALTED = ('SCRAM-SHA-256=[name=bob,salt="MWx2NHBkbnc0ZndxN25vdGN4bTB5eTFrN3E=",iterations=8192,'
          'saltedpassword="mT0yyUUxnlJaC99HXgRTSYlbuqa4FSGtJCJfTMvjYCE="]')


class Done:
    """One run: its exit code, what it said, and the files that it left, without what no two runs share. Apache takes
    directories in the order of their names' hashes."""

    def __init__(self, folder, done):
        self.exit = done.returncode
        out = re.sub(r'(?ms)^\d{4}-\S+ (INFO|WARN|ERROR)\s.*?\([\w.$]+\)\n', '', done.stdout)
        err = re.sub(r'(?m)^\t(at|\.\.\.) .*\n|^Caused by: .*\n', '', done.stderr)
        err = re.sub(r'Exception in thread "main" [\w.]+: ', '', err)
        self.out, self.err = (re.sub(r'directory\.id=[\w-]+', 'directory.id=ID', text.replace(str(folder), 'FOLDER'))
                              for text in (out, err))
        lines = self.out.splitlines(keepends=True)
        self.out = ''.join(sorted(lines, key=lambda line: line if line.startswith('Formatting ') else ''))
        self.err = re.sub(r'FOLDER/[ab](?=[ /])', 'FOLDER/ONE', self.err)
        self.files = {}
        for path in sorted(folder.rglob('*')):
            if path.name == 'meta.properties':
                lines = sorted(line for line in path.read_text().splitlines() if not line.startswith('#'))
                self.files[path.relative_to(folder)] = [line for line in lines if not line.startswith('directory.id')]
            elif path.name.endswith('.checkpoint'):
                self.files[path.relative_to(folder)] = self.dumped(path)

    @staticmethod
    def dumped(path):
        text = subprocess.run([node.MILENA, 'dump-log', '--cluster-metadata-decoder', '--files', path], check=True,
                              stdout=subprocess.PIPE, text=True).stdout.replace(str(path), 'FILE')
        text = re.sub(r'(CreateTime|crc|lastContainedLogTimestamp|CreateTime:|"lastContainedLogTimestamp"):? ?\d+', 'N',
                      text)
        return re.sub(r'voterDirectoryId":"[\w-]+|[\w-]{22}(?=")', 'ID', text)


class StorageFormatsTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.jars = node.jars_beside()

    def run_one(self, command, steps):
        folder = pathlib.Path(tempfile.mkdtemp(prefix='milena-test-'))
        try:
            for name, (text, listeners) in NODES.items():
                logs = f'{folder}/a,{folder}/b' if name == 'combined' else f'{folder}/a'
                (folder / f'{name}.properties').write_text(text + COMMON.format(listeners=listeners, logs=logs))
            for step in steps:
                arguments = [folder / f'{word}.properties' if word in NODES else word for word in step]
                done = subprocess.run(command(arguments), capture_output=True, text=True, check=False, timeout=60)
            return Done(folder, done)
        finally:
            shutil.rmtree(folder)

    def both(self, *steps):
        """Runs them with each tool; gives what Milena's last step came to, once it is what Apache's did."""
        theirs = self.run_one(lambda arguments: apache.java(self.jars, apache.TOOL_OPTIONS, 'kafka.tools.StorageTool',
                                                            *arguments), steps)
        ours = self.run_one(lambda arguments: [node.MILENA, 'storage', *arguments], steps)
        self.assertEqual((ours.exit, ours.out), (theirs.exit, theirs.out), ours.err)
        self.assertEqual(ours.files, theirs.files)
        # Ours may add a hint to what Apache's says.
        if theirs.err.strip() and 'usage:' not in theirs.err:
            self.assertTrue(ours.err.startswith(theirs.err.strip()), (ours.err, theirs.err))
        elif 'usage:' in theirs.err:
            last = ' '.join(theirs.err[theirs.err.index('error:'):].split())
            self.assertIn(last, ours.err)
        return ours

    def format(self, name, *arguments):
        return self.both(('format', '-t', CLUSTER, '-c', name, *arguments))

    def test_every_way_to_name_the_first_voters(self):
        self.assertIn('dynamic metadata voter directory FOLDER/a', self.format('combined', '-s').out)
        self.format('combined', '-I', f'1@localhost:19093:{ONE}, 2@localhost:19094:{TWO}')
        self.assertIn('dynamic metadata directory', self.format('combined', '-I', f'3@localhost:19093:{ONE}').out)
        self.format('combined', '-N')
        self.format('combined')
        self.format('controller', '-s')
        self.format('configured')
        self.format('configured', '-N')
        self.format('configured', '-s')
        self.format('broker')
        self.format('broker', '-s')
        self.format('combined', '-s', '-N')

    def test_first_voters_that_are_none(self):
        for voters in ('1', '1@localhost', f'x@localhost:19093:{ONE}', f'1@localhost:port:{ONE}',
                       '1@localhost:19093:zz', f'1@localhost:19093:{ONE},1@localhost:19094:{TWO}', ''):
            self.assertEqual(self.format('combined', '-I', voters).exit, 1)

    def test_levels(self):
        self.format('combined', '-s', '-r', '3.9')
        self.format('configured', '-r', '3.7')
        self.format('combined', '-s', '-f', 'transaction.version=1', '-f', 'group.version=0')
        self.format('combined', '-s', '-r', '3.9', '-f', 'eligible.leader.replicas.version=1')
        self.format('combined', '-s', '-f', 'group.version=9')
        self.format('combined', '-s', '-f', 'nope=1')
        self.format('configured', '-f', 'kraft.version=1')

    def test_users(self):
        self.assertIn('UserScramCredentialRecord', self.format('combined', '-s', '-S', SCRAM, '-S', SALTED).out)
        self.format('configured', '-r', '3.4', '-S', SCRAM)
        for words in ('nonsense', 'SCRAM-SHA-1=[name=a,password=b]', 'SCRAM-SHA-256=[password=a]',
                      'SCRAM-SHA-256=[name=a,password=b,iterations=100]'):
            self.assertEqual(self.format('combined', '-s', '-S', words).exit, 1)

    def test_what_is_formatted(self):
        first = ('format', '-t', CLUSTER, '-c', 'combined', '-s')
        self.both(first, first)
        self.both(first, (*first, '-g'))
        self.both(first, ('info', '-c', 'combined'))
        self.both(('info', '-c', 'combined'))
        self.both(first, ('format', '-t', 'zzzzefghijklmnopqrstuQ', '-c', 'combined', '-s', '-g'))

    def test_what_belongs_together(self):
        self.both(('version-mapping',))
        self.both(('version-mapping', '-r', '3.9'))
        self.both(('feature-dependencies', '-f', 'eligible.leader.replicas.version=1', '-f', 'metadata.version=25'))
        for feature in ('nope=1', 'group.version=9', 'group.version', 'metadata.version=99'):
            self.both(('feature-dependencies', '-f', feature))
        for missing in (('info',), ('format', '-c', 'combined', '-s'), ('feature-dependencies',)):
            self.both(missing)


if __name__ == '__main__':
    unittest.main()
