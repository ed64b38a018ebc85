# SPDX-License-Identifier: Apache-2.0
"""What a member of a group tells, the same for each library (../README.md)."""
import sys
import threading
import time

SESSION_TIMEOUT_MS, HEARTBEAT_INTERVAL_MS = 6000, 500
# Set when the member shall leave.
leaving = threading.Event()


def listen():
    """Leaves with the end of standard input."""
    def wait():
        sys.stdin.buffer.read()
        leaving.set()
    threading.Thread(target=wait, daemon=True).start()


def changed(what, partitions):
    print(what, time.time_ns() // 1000, ','.join(str(one.partition) for one in partitions), flush=True)


def record(partition, offset):
    """Must be flushed before its offset is committed."""
    print('record', partition, offset)


def flush():
    sys.stdout.flush()
