# SPDX-License-Identifier: Apache-2.0
"""Tests of build/milena as a process: its disk, its signals, its sockets."""
