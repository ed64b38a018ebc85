# SPDX-License-Identifier: Apache-2.0
"""Apache Kafka from a folder of its jars (tests/compat/peer/fetch makes one)."""
import os
import pathlib
import shutil
import subprocess

FETCH = pathlib.Path(__file__).resolve().parents[1] / 'compat' / 'peer' / 'fetch'
LOG4J = pathlib.Path(__file__).resolve().parents[1] / 'compat' / 'peer' / 'log4j2.properties'
# As Apache's own scripts start a broker.
BROKER_OPTIONS = ['-Xmx1g', '-Xms1g', '-server', '-XX:+UseG1GC', '-XX:MaxGCPauseMillis=20',
                  '-XX:InitiatingHeapOccupancyPercent=35', '-XX:+ExplicitGCInvokesConcurrent']
TOOL_OPTIONS = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']
CLUSTER_ID = 'bWlsZW5hLXBlZXItdGVzdA'


def jars():
    """The folder of the jars, fetched if need be; None where a JDK or Maven is missing, or nothing can be fetched."""
    if not shutil.which('java') or not shutil.which('mvn'):
        return None
    fetched = subprocess.run([FETCH], check=False, stdout=subprocess.PIPE, text=True)
    return fetched.stdout.strip() if fetched.returncode == 0 else None


def java(folder, options, main, *arguments):
    return [os.environ.get('JAVA', 'java'), *options, f'-Dlog4j2.configurationFile=file:{LOG4J}', '-cp', f'{folder}/*',
            main, *[str(a) for a in arguments]]


def server_command(folder, properties):
    return java(folder, BROKER_OPTIONS, 'kafka.Kafka', properties)


def tool(folder, main, *arguments):
    """Runs a tool to its end; gives its output. Fails if it fails."""
    done = subprocess.run(java(folder, TOOL_OPTIONS, main, *arguments), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise AssertionError(f'{main} ended with {done.returncode}:\n{done.stdout}')
    return done.stdout


def format_storage(folder, properties):
    tool(folder, 'kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', properties, '--standalone')
