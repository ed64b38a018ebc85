# SPDX-License-Identifier: Apache-2.0
"""What the tests with real processes share: nodes, a raw client, a real text."""
