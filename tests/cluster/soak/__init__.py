# SPDX-License-Identifier: Apache-2.0
"""Nodes are killed and stopped again and again while idempotent producers write; then everything is read back."""
