#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the ErrorCode enumeration from its table.

usage: error_codes.py TABLE HEADER SOURCE
"""
import os
import re
import sys

FLAGS = {'retriable', 'refresh'}


def parse(path):
    """Rows (number, NAME, flags) of the table. A malformed, repeated or unordered row is an error that names its line.
    """
    rows = []
    for number, line in enumerate(open(path), 1):
        text = line.split('#')[0].split()
        if not text:
            continue
        if len(text) < 2 or not re.fullmatch(r'-?\d+', text[0]) or not re.fullmatch(r'[A-Z_]+', text[1]) \
                or not set(text[2:]) <= FLAGS or (rows and int(text[0]) <= rows[-1][0]):
            sys.exit(f'{path}:{number}: expected "NUMBER NAME [retriable] [refresh]" in ascending order: '
                     f'{line.strip()}')
        rows.append((int(text[0]), text[1], text[2:]))
    return rows


def header(rows):
    names = '\n'.join(f'    {name.lower()} = {code},' for code, name, _ in rows)
    return f'''// Generated from src/base/error_codes.txt by scripts/gen/error_codes.py. Do not edit.
#pragma once

#include <cstdint>
#include <string_view>

namespace milena {{

/// What a client may be told. The numbers are Kafka's (4.4), the wire carries them as int16.
enum class ErrorCode : std::int16_t {{
{names}
}};

/// The code's name as Kafka spells it ("NOT_LEADER_OR_FOLLOWER"); "UNKNOWN_SERVER_ERROR" for a number without a row.
std::string_view error_name(ErrorCode code);

/// A client may send the same request again.
bool is_retriable(ErrorCode code);

}}  // namespace milena
'''


def source(rows):
    names = '\n'.join(f'        case ErrorCode::{name.lower()}: return "{name}";' for _, name, _ in rows)
    retriable = '\n'.join(f'        case ErrorCode::{name.lower()}:' for _, name, flags in rows if 'retriable' in flags)
    return f'''// Generated from src/base/error_codes.txt by scripts/gen/error_codes.py. Do not edit.
#include "milena/base/error_code.h"

namespace milena {{

std::string_view error_name(ErrorCode code) {{
    switch (code) {{
{names}
    }}
    return "UNKNOWN_SERVER_ERROR";
}}

bool is_retriable(ErrorCode code) {{
    switch (code) {{
{retriable}
            return true;
        default: return false;
    }}
}}

}}  // namespace milena
'''


def main(table, header_path, source_path):
    rows = parse(table)
    for path, text in ((header_path, header(rows)), (source_path, source(rows))):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as out:
            out.write(text)


if __name__ == '__main__':
    main(*sys.argv[1:])
