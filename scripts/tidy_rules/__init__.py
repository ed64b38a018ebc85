# SPDX-License-Identifier: Apache-2.0
"""The house rules, one file a subject: check(files) gives findings (path, line, rule, message)."""
