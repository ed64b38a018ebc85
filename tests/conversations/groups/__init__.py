# SPDX-License-Identifier: Apache-2.0
"""Conversations with a coordinator of groups."""
