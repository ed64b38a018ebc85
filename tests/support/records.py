# SPDX-License-Identifier: Apache-2.0
"""Record batches v2, made and read by hand."""
import struct


def crc32c_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


TABLE = crc32c_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def varint(number):
    number = (number << 1) ^ (number >> 63)
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def read_varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return (number >> 1) ^ -(number & 1), at


def batch(values, timestamp=1_700_000_000_000, base_offset=0):
    """One uncompressed batch of records without keys, made at `timestamp`."""
    body = b''
    for index, value in enumerate(values):
        record = b'\0' + varint(0) + varint(index) + varint(-1) + varint(len(value)) + value + varint(0)
        body += varint(len(record)) + record
    after_crc = struct.pack('>hiqqqhii', 0, len(values) - 1, timestamp, timestamp, -1, -1, -1, len(values)) + body
    after_length = struct.pack('>ibI', -1, 2, crc32c(after_crc)) + after_crc
    return struct.pack('>qi', base_offset, len(after_length)) + after_length


def read(data):
    """[(offset, value)] of the whole uncompressed batches in `data`; a cut one at the end is left out."""
    found, at = [], 0
    while len(data) - at >= 61:
        base, length = struct.unpack_from('>qi', data, at)
        if len(data) - at < 12 + length:
            break
        position, count = at + 61, struct.unpack_from('>i', data, at + 57)[0]
        for _ in range(count):
            size, position = read_varint(data, position)
            end = position + size
            _, position = read_varint(data, position + 1)
            delta, position = read_varint(data, position)
            key, position = read_varint(data, position)
            position += max(key, 0)
            value, position = read_varint(data, position)
            found.append((base + delta, data[position:position + value]))
            position = end
        at += 12 + length
    return found
