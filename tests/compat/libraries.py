# SPDX-License-Identifier: Apache-2.0
"""Client libraries of other languages as programs that write, read and find records (languages/README.md)."""
import base64
import json
import pathlib
import shutil
import subprocess
import sys

from support import apache

HERE = pathlib.Path(__file__).resolve().parent / 'languages'
CODECS = ('none', 'gzip', 'snappy', 'lz4', 'zstd')


class Missing(Exception):
    """What the library needs is not on this machine."""


def make(command, folder):
    """Runs a step of a build."""
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, timeout=600,
                          check=False)
    if done.returncode:
        raise AssertionError(f'{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}')


def fetch(command, folder):
    """Brings what is not ours from its registry; without the registry the library is not here."""
    try:
        make(command, folder)
    except AssertionError as why:
        raise Missing(f'it can not be fetched: {why}') from why


def need(program):
    found = shutil.which(program)
    if not found:
        raise Missing(f'{program} is not installed')
    return found


class Library:
    """A program. `codecs` it writes; `reads` is False where it can't without a consumer group."""
    codecs = CODECS
    reads = True

    def __init__(self, command):
        self.command = [str(word) for word in command]

    def run(self, *arguments, lines=None):
        done = subprocess.run([*self.command, *map(str, arguments)], input=lines, capture_output=True, text=True,
                              timeout=120, check=False)
        if done.returncode:
            raise AssertionError(f'{self.command} {arguments} ended with {done.returncode}:\n{done.stderr}')
        return done.stdout

    def member(self, bootstrap, topic, group, *options):
        """The command of a member of a group."""
        return [*self.command, 'group', bootstrap, topic, group, *options]

    def write(self, bootstrap, topic, codec, records):
        self.run('write', bootstrap, topic, codec, lines=''.join(json.dumps(one) + '\n' for one in records))

    def read(self, bootstrap, topic, count):
        return [json.loads(line) for line in self.run('read', bootstrap, topic, count).splitlines()]

    def find(self, bootstrap, topic, time_ms):
        return int(self.run('find', bootstrap, topic, time_ms))

    def sendable(self, record):
        """What the library can send of a record; None where it refuses it."""
        return record

    def shown(self, record):
        """What it shows of a record that it has read."""
        return record


class Java(Library):
    def __init__(self, folder):
        jars = apache.jars()
        if not jars:
            raise Missing('the jars of Apache Kafka are not to be had')
        sources = [HERE / 'java' / 'Records.java', HERE / 'java' / 'Member.java']
        make([need('javac'), '-cp', f'{jars}/*', '-d', folder, *sources], folder)
        super().__init__([need('java'), '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx256m',
                          '-Dtests.log=SYSTEM_ERR', f'-Dlog4j2.configurationFile=file:{apache.LOG4J}',
                          '-cp', f'{folder}:{jars}/*', 'Records'])

    def member(self, bootstrap, topic, group, *options):
        return [*self.command[:-1], 'Member', 'group', bootstrap, topic, group, *options]


class Go(Library):
    package = ''

    def __init__(self, folder):
        program = pathlib.Path(folder) / self.package
        fetch([need('go'), 'mod', 'download'], HERE / 'go')
        make([need('go'), 'build', '-o', program, f'./{self.package}'], HERE / 'go')
        super().__init__([program])


class FranzGo(Go):
    package = 'franz'


class Sarama(Go):
    package = 'sarama'


class KafkaGo(Go):
    package = 'kafkago'

    def shown(self, record):
        # Empty is null to it.
        return {**record, 'k': record['k'] or None, 'v': record['v'] or None,
                'h': [[name, value or None] for name, value in record['h']]}


class KafkaJs(Library):
    codecs = ('none', 'gzip')
    reads = False

    def __init__(self, folder):
        for name in ('package.json', 'records.js', 'group.js'):
            shutil.copy(HERE / 'node' / name, folder)
        fetch([need('npm'), 'install', '--no-audit', '--no-fund', '--silent'], folder)
        super().__init__([need('node'), pathlib.Path(folder) / 'records.js'])

    def sendable(self, record):
        # Headers are an object, and null values are left out.
        headers = {name: value for name, value in record['h'] if value is not None}
        return {**record, 'h': [list(item) for item in headers.items()]}


class AioKafka(Library):
    def __init__(self, folder):
        make([need('python3'), '-m', 'venv', folder], folder)
        fetch([f'{folder}/bin/pip', 'install', '-q', 'aiokafka==0.12.0', 'cramjam==2.9.1'], folder)
        self.python = f'{folder}/bin/python3'
        super().__init__([self.python, HERE / 'python' / 'records.py'])

    def member(self, bootstrap, topic, group, *options):
        return [self.python, '-B', HERE / 'python' / 'aiokafka_group.py', 'group', bootstrap, topic, group, *options]

    def sendable(self, record):
        return None if record['k'] is None and record['v'] is None else record


class Installed(Library):
    """A library that the system has; members of groups only."""
    program = ''

    def __init__(self, _):
        super().__init__([sys.executable, '-B', HERE / 'python' / self.program])


class KafkaPython(Installed):
    program = 'kafka_python_group.py'


class ConfluentPython(Installed):
    program = 'confluent_group.py'


class NewConfluentPython(Library):
    """confluent-kafka as its authors have it now; members of groups only."""

    def __init__(self, folder):
        make([need('python3'), '-m', 'venv', folder], folder)
        fetch([f'{folder}/bin/pip', 'install', '-q', 'confluent-kafka==2.16.1'], folder)
        super().__init__([f'{folder}/bin/python3', '-B', HERE / 'python' / 'confluent_group.py'])


def corpus():
    """Records with every kind of key, value, header and time that a batch can hold."""
    def text(value):
        return None if value is None else base64.b64encode(value).decode()
    records = []
    for number in range(300):
        key = [None, b'', b'key-%d' % number, bytes(range(256))][number % 4]
        value = [b'value-%d' % number, b'', None, b'\x00\xff' * 40, b'x' * (number * 97)][number % 5]
        headers = [[], [['a', b'1']], [['b', None], ['c', b'']],
                   [['d', b'\xff\x00'], ['d', b'twice'], ['\u00e9', b'u']]]
        records.append({'t': 1_700_000_000_000 + number // 3 * 10 + number % 2, 'k': text(key), 'v': text(value),
                        'h': [[name, text(of)] for name, of in headers[number % 4]]})
    return records
