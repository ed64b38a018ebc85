# SPDX-License-Identifier: Apache-2.0
"""Words that code must not hold: the outside world other than through env, libraries outside their
doors, exceptions, and what the house has its own way for."""
import re

from . import modules

SYSTEM_CALLS = '|'.join('''open openat creat close read write pread pwrite preadv2? pwritev2? readv writev
    send sendto sendmsg sendfile splice recv recvfrom recvmsg socket connect bind listen accept4?
    shutdown setsockopt fsync fdatasync sync_file_range fallocate ftruncate truncate mmap munmap unlink
    rename mkdir rmdir opendir readdir stat fstat lstat flock fcntl fork exec\\w+ pipe2? poll select
    epoll_\\w+ getenv setenv gethostname sleep usleep nanosleep clock_gettime gettimeofday time rand srand
    random getrandom pthread_\\w+ signal sigaction kill'''.split())

# Each: what it is, and a pattern. In the modules after env, and not in cli.
OUTSIDE = [
    ('a clock', r'\bstd::chrono::\w*_clock\b|\b(?:steady|system|high_resolution)_clock\b'),
    ('randomness', r'\bstd::(?:random_device|mt19937\w*|default_random_engine)\b'),
    ('the network', r'\basio::(?:ip|local)\b'),
    ('a file', r'\b(?:fopen|freopen|fdopen|tmpfile)\s*\(|\bstd::(?:[io]?fstream|filesystem)\b'
               r'|<(?:fstream|filesystem|cstdio|stdio\.h|unistd\.h|fcntl\.h|sys/\w+\.h)>'),
    ('a system call', rf'(?<![\w>])::(?:{SYSTEM_CALLS})\s*\('),
    ('the console', r'\bstd::(?:cout|cerr|clog|cin)\b|\b(?:std::)?f?printf\s*\(|\bfmt::print\b'),
]
THREADS = ('a thread or what threads share',
           r'\bstd::(?:j?thread|this_thread|(?:recursive_|shared_|timed_)*mutex|lock_guard|unique_lock'
           r'|scoped_lock|shared_lock|condition_variable\w*|atomic\w*|future|promise|async|call_once'
           r'|once_flag|latch|barrier|\w+_semaphore)\b|\bthread_local\b'
           r'|<(?:thread|mutex|shared_mutex|atomic|future|condition_variable)>')
COROUTINES = r'\bco_(?:await|return|yield)\b'
# base has the macros that pass an error up in one.
COROUTINE_MODULES = {'base', 'env', 'wire', 'server', 'drivers', 'node', 'cli'}

# Everywhere in src and include.
HOUSE = [
    ('throw', r'\bthrow\b', 'errors travel in Result'),
    ('assert', r'(?<![\w_])assert\s*\(|<cassert>', 'what must hold is an INVARIANT'),
    ('std::format', r'\bstd::(?:v?format\w*|print\w*)\b|<format>', 'fmt formats'),
    ('using namespace', r'^[ \t]*using namespace\b', 'name what is used'),
]

# A library, how it is seen, and the paths where it may be.
LIBRARIES = [
    ('nlohmann/json', r'\bnlohmann\b',
     r'src/cli/|src/server/admin|(?:src|include/milena)/security/|src/raft/quorum_state'
     r'|src/storage/meta_properties'),
    ('Asio', r'\bboost/asio\b|\bboost::asio\b', r'(?:src|include/milena)/env/'),
    ('spdlog', r'\bspdlog\b', r'src/base/'),
    ('RocksDB', r'\brocksdb\b', r'src/storage/state_store'),
    ('CLI11', r'<CLI/|\bCLI::', r'src/cli/'),
    ('Beast', r'\bboost/beast\b|\bboost::beast\b', r'src/server/admin/'),
    ('OpenSSL', r'<openssl/', r'src/env/|src/security/'),
]


def check(files):
    order = modules.order(files)
    after_env = order[order.index('env') + 1:] if 'env' in order else []
    findings = []
    for file in files.values():
        if not (file.is_cpp and file.module):
            continue
        findings += house_words(file) + libraries(file)
        if file.module in after_env:
            findings += outside_words(file)
        if file.module not in COROUTINE_MODULES:
            findings += found(file, 'coroutines', COROUTINES,
                              f'no coroutines in {file.module}: a function here runs to its end')
    return findings


def outside_words(file):
    words = [] if file.module == 'cli' else list(OUTSIDE)
    if file.module != 'telemetry':  # its counters are atomics
        words.append(THREADS)
    return [finding for what, pattern in words
            for finding in found(file, 'doors', pattern, f'{what} only through env')]


def house_words(file):
    return [finding for word, pattern, why in HOUSE
            for finding in found(file, 'words', pattern, f'{word}: {why}')]


def libraries(file):
    return [finding for name, pattern, allowed in LIBRARIES if not re.match(allowed, file.path)
            for finding in found(file, 'libraries', pattern, f'{name} does not belong here')]


def found(file, rule, pattern, message):
    lines = {file.line_of(match.start()): match[0].strip() for match in re.finditer(pattern, file.code, re.M)}
    return [(file.path, line, rule, f'{message}: {match}') for line, match in lines.items()]
