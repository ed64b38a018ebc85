# SPDX-License-Identifier: Apache-2.0
"""kafka-consumer-groups and kafka-groups: Apache's print of Milena what they print of Apache Kafka, and ours print of
either what Apache's print of it."""
import base64
import re
import subprocess
import tempfile
import time
import unittest

from compat import libraries
from support import apache, members, node, records

CLASSES = {'consumer-groups': 'consumer.group.ConsumerGroupCommand', 'groups': 'GroupsCommand'}
EXTRA = {'group.initial.rebalance.delay.ms': 500, 'offsets.topic.num.partitions': 5}
TOPICS = {'events': 2, 'other': 1, 'zed': 3, 'a-topic-with-a-very-long-name-indeed': 1}
LONG = 'a-group-with-a-very-long-name-indeed'
UUID = r'[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'
SESSION = {'session_ms': 600000}


class ToolRunner:
    """Apache Kafka's tools, many of them in one JVM: see languages/java/ToolRunner.java. A context manager."""

    def __init__(self, jars, folder):
        libraries.make([libraries.need('javac'), '-cp', f'{jars}/*', '-d', folder,
                        libraries.HERE / 'java' / 'ToolRunner.java'], folder)
        self.process = subprocess.Popen(
            ['java', *apache.TOOL_OPTIONS, f'-Dlog4j2.configurationFile=file:{apache.LOG4J}', '-cp',
             f'{folder}:{jars}/*', 'ToolRunner'],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def run(self, name, *arguments):
        """Runs the class to its end; gives its exit code and what it printed on both outputs."""
        self.process.stdin.write('\t'.join([f'org.apache.kafka.tools.{name}', *map(str, arguments)]) + '\n')
        self.process.stdin.flush()
        code, *texts = self.process.stdout.readline().rstrip('\n').split('\t')
        return int(code), *(base64.b64decode(text).decode() for text in texts)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class GroupToolsTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        jars = node.jars_beside()
        cls.apache, cls.milena = node.Node(EXTRA), node.Node(EXTRA)
        cls.apache.peer = jars
        for server in (cls.apache, cls.milena):
            cls.addClassCleanup(server.__exit__)
            server.spawn()
        try:
            folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix='milena-runner-'))
            cls.runner = cls.enterClassContext(ToolRunner(jars, folder))
        except libraries.Missing as missing:
            raise unittest.SkipTest(str(missing)) from missing
        for server in (cls.apache, cls.milena):
            cls.await_answer(server)
            cls.shape(server)

    @staticmethod
    def await_answer(server, timeout_s=60):
        deadline = time.monotonic() + timeout_s
        while not server.answers():
            assert time.monotonic() < deadline, server.log()
            time.sleep(0.05)

    @classmethod
    def shape(cls, server):
        """Topics with a few records, and groups in every state that they keep for a while."""
        with server.connect(timeout_s=60) as connection:
            for topic, partitions in TOPICS.items():
                connection.make_topic(topic, partitions, timeout_s=60)
            assert connection.produce('events', records.batch([b'a', b'b', b'c'], int(time.time() * 1000))) == (0, 0)

        def group(name):
            return cls.enterClassContext(members.Group(server.port, name))
        for name in ('empty', 'reset-a', 'reset-b', 'gone-a', 'gone-b'):
            group(name).commit({('events', 0): 1, ('other', 0): 0, ('zed', 2): 0}, leader_epoch=0)
        group(LONG).commit({('a-topic-with-a-very-long-name-indeed', 0): 0})
        group('stable').form([('client-one', {'events': [0], 'zed': [0, 2]}, None), ('c2', {'other': [0]}, None)],
                             **SESSION).commit({('events', 0): 2, ('events', 1): 0, ('other', 0): 0})
        group('static').form([('s', {'events': [1, 0]}, 'inst-1'), ('idle', {}, None)], **SESSION)
        group('completing').join_one('c4', ['events'], **SESSION)()
        group('preparing').form([('c5', {'events': [0]}, None)], **SESSION).join_one('c5b', ['events'], **SESSION)
        group('connect').form([('c7', {'events': [0]}, None)], kind='connect', **SESSION)

    @staticmethod
    def command(server, who, arguments):
        return ['--bootstrap-server', server.bootstrap, *(argument.replace('WHO', who) for argument in arguments)]

    def theirs(self, server, tool, *arguments):
        code, out, err = self.runner.run(CLASSES[tool], *self.command(server, 'a', arguments))
        # Their log is where their output is.
        out = re.sub(r'(?ms)^\d{4}-\S+ (INFO|WARN|ERROR) .*?\([\w.$]+\)\n', '', out)
        return self.same_everywhere(server, code, out, err)

    def ours(self, server, tool, *arguments):
        done = subprocess.run([str(node.MILENA), tool, *self.command(server, 'b', arguments)], capture_output=True,
                              text=True, check=False, timeout=60)
        return self.same_everywhere(server, done.returncode, done.stdout, done.stderr)

    @staticmethod
    def same_everywhere(server, code, out, err):
        """With words of the same length for what no two servers share."""
        texts = []
        for text in (out, err):
            text = re.sub(UUID, lambda found: 'U' * len(found[0]), text.replace(str(server.port), 'P' * 5))
            texts.append(re.sub(r'(reset|gone)-[ab]', r'\1-X', text))
        # What is said besides. With wrong usage its first line: the options follow in each one's own words; and Kafka's
        # tool has options in the order of a set, which changes from run to run. Exceptions have a message on standard
        # output, and here a stack.
        said = [''.join(sorted(re.findall(r'\[[\w-]+\]', line))) + re.sub(r'\[[\w-]+\](, )?', '', line)
                for line in texts[1].splitlines() if line and not line.startswith('[')]
        if code:
            said = said[:1]
        if any('Exception' in line for line in said):
            said = ['an exception']
        return code, texts[0], said

    def check(self, tool, *arguments, is_same_error=True, is_in_order=True):
        """All four ways; gives what was printed. Servers list members and groups in orders of their own."""
        outcomes = {}
        for server in (self.apache, self.milena):
            expected, done = (run(server, tool, *arguments) for run in (self.theirs, self.ours))
            with self.subTest(command=' '.join((tool, *arguments)), server='Apache' if server.peer else 'Milena'):
                in_order = str if is_in_order else lambda out: sorted(out.splitlines())
                self.assertEqual((done[0], in_order(done[1])), (expected[0], in_order(expected[1])))
                if is_same_error:
                    self.assertEqual(done[2], expected[2])
            outcomes[server] = expected
        code, out, said = outcomes[self.milena]
        wanted = outcomes[self.apache]
        with self.subTest(command=' '.join((tool, *arguments))):
            self.assertEqual((code, sorted(out.splitlines()), said),
                             (wanted[0], sorted(wanted[1].splitlines()), wanted[2]))
        return out

    def groups(self, line, **how):
        # A machine that has much else to do is not what is compared.
        return self.check('consumer-groups', *line.split(), '--timeout', '60000', **how)

    def test_groups_are_listed(self):
        self.assertIn('stable', self.groups('--list'))
        for more in ('--state', '--type', '--state --type', '--state stable,empty', '--type classic --state Dead',
                     '--type consumer'):
            self.groups(f'--list {more}')
        self.assertIn('connect', self.check('groups', '--list'))
        for more in ('--consumer', '--share', '--streams', '--group-type classic', '--protocol connect'):
            self.check('groups', '--list', *more.split())

    def test_groups_are_described(self):
        for group in ('empty', LONG, 'stable', 'static', 'completing', 'preparing', 'connect', 'missing'):
            for what in ('--offsets', '--verbose', '--members', '--members --verbose', '--state', '--state --verbose'):
                self.groups(f'--describe --group {group} {what}')
        self.groups('--describe --group stable --group empty')
        self.groups('--describe --group stable --group missing')
        for what in ('--offsets', '--members', '--state'):
            self.assertIn('stable', self.groups(f'--describe --all-groups {what}'))

    def test_offsets_are_reset(self):
        scenarios = ('--to-earliest', '--to-latest', '--to-current', '--to-offset 2', '--to-offset 99', '--shift-by -5',
                     '--shift-by 1', '--to-datetime 2020-01-01T00:00:00.000', '--to-datetime 2040-01-01T00:00:00.000Z',
                     '--by-duration P1D', '--by-duration nonsense', '--to-datetime 2020-01-01', '--shift-by x')
        for scenario in scenarios:
            self.groups(f'--reset-offsets --group empty --topic events:0 {scenario} --dry-run')
        for group in ('stable', 'completing', 'preparing', 'connect'):
            self.groups(f'--reset-offsets --group {group} --topic events --to-latest --dry-run')
        self.groups('--reset-offsets --group new --topic events --shift-by 1 --dry-run')
        for topics in ('--all-topics', '--topic events', '--topic events:0 --topic other', '--topic missing',
                       '--topic events:0,7', '--topic events:a', '--topic missing:1'):
            self.groups(f'--reset-offsets --group empty {topics} --to-earliest --dry-run')
        for groups in (f'--group {LONG}', f'--group empty --group {LONG}'):
            self.groups(f'--reset-offsets {groups} --all-topics --to-latest --export --dry-run')
        # Groups come in the order of a hash, and where two share a place as the server has listed them.
        self.groups('--reset-offsets --all-groups --topic events --to-latest --dry-run', is_in_order=False)
        self.groups('--reset-offsets --group reset-WHO --topic events --to-latest --execute')
        said = self.groups('--reset-offsets --group reset-WHO --all-topics --to-current --dry-run')
        self.assertIn('reset-X         events          0          3\n', said)

    def test_groups_and_offsets_are_deleted(self):
        for what in ('--group stable --topic events', '--group static --topic events:0 --topic zed',
                     '--group connect --topic zed', '--group missing --topic events', '--group empty --topic zed:9',
                     '--group gone-WHO --topic events:0 --topic nope --topic other'):
            self.groups(f'--delete-offsets {what}')
        self.groups('--delete --group missing --group stable --group missing')
        self.groups('--delete --group gone-WHO')
        self.groups('--describe --group gone-WHO')

    def test_wrong_usage_is_told(self):
        for line in ('--describe', '--list --describe', '--describe --group g --members --state',
                     '--describe --group g --state foo', '--list --group g', '--delete', '--delete --group g --topic t',
                     '--delete-offsets --group g', '--list --type share', '--list --state wrong --type',
                     '--reset-offsets --group g --topic t --to-latest --to-earliest --dry-run',
                     '--reset-offsets --topic t --to-latest --dry-run'):
            self.check('consumer-groups', *line.split(), is_same_error='wrong' not in line)
        self.check('consumer-groups', '--validate-regex', '(foo')
        self.check('consumer-groups', '--validate-regex', 'foo.*')
        for line in ('', '--list --consumer --share', '--list --group-type classic --streams',
                     '--list --group-type nope'):
            self.check('groups', *line.split())


if __name__ == '__main__':
    unittest.main()
