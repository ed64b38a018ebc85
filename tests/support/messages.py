# SPDX-License-Identifier: Apache-2.0
"""Any request of any version, from a dictionary, and any answer back: walks the same schema files as the build.

A field that the dictionary leaves out gets its default. What stands in it and is not of the version is left out, so
that one dictionary serves every version. Answers are dictionaries in wire order, tagged fields only where they were
sent; every byte of an answer must be accounted for.
"""
import functools
import pathlib
import struct
import sys
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'scripts' / 'gen'))
import parse  # noqa: E402

NUMBERS = {'int8': 'b', 'int16': 'h', 'uint16': 'H', 'int32': 'i', 'uint32': 'I', 'int64': 'q', 'float64': 'd'}
FILES = {int(path.name[:2]): path for path in (ROOT / 'src' / 'protocol' / 'schema').glob('[0-9][0-9]_*.txt')}


@functools.cache
def message(key, kind):
    path = FILES[key]
    return next(m for m in parse.parse(path.read_text(), path.name) if m.kind == kind)


def uvarint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


class Walk:
    """What writing and reading share: one message in one version."""

    def __init__(self, schema, version):
        self.version = version
        self.flexible = schema.flexible.has(version)
        self.structs = {s.name: s.fields for s in schema.structs}

    def fields_of(self, field):
        return field.fields or self.structs.get(field.type, [])

    def plain(self, fields):
        return [f for f in fields if f.versions.has(self.version) and not self.is_tagged(f)]

    def tagged(self, fields):
        return [f for f in fields if f.versions.has(self.version) and self.is_tagged(f)]

    def is_tagged(self, field):
        return field.tag is not None and field.tagged.has(self.version)

    def is_nullable_struct(self, field):
        return not field.is_array and field.nullable is not None and field.nullable.has(self.version)

    def is_flexible(self, field):
        return self.flexible if field.flexible is None else field.flexible.has(self.version)


class Writing(Walk):
    def struct(self, fields, values):
        out = b''.join(self.value(f, self.given(f, values)) for f in self.plain(fields))
        return out + self.tags(fields, values) if self.flexible else out

    def tags(self, fields, values):
        given = sorted((f.tag, self.value(f, values[f.name])) for f in self.tagged(fields) if f.name in values)
        return uvarint(len(given)) + b''.join(uvarint(tag) + uvarint(len(data)) + data for tag, data in given)

    def given(self, field, values):
        if field.name in values:
            return values[field.name]
        if field.default == 'null':
            return None
        if field.is_array:
            return []
        if field.type in NUMBERS:
            return int(field.default or '0', 0)
        if field.type == 'bool':
            return field.default == 'true'
        return {'string': '', 'bytes': b'', 'records': None, 'uuid': uuid.UUID(int=0)}.get(field.type, {})

    def value(self, field, value):
        if field.is_array:
            head = self.length(field, value, 'i')
            return head + b''.join(self.element(field, item) for item in value or [])
        return self.element(field, value)

    def length(self, field, value, classic):
        count = -1 if value is None else len(value)
        return uvarint(count + 1) if self.is_flexible(field) else struct.pack('>' + classic, count)

    def element(self, field, value):
        if field.type in NUMBERS:
            return struct.pack('>' + NUMBERS[field.type], value)
        if field.type == 'bool':
            return bytes([value])
        if field.type == 'uuid':
            return value.bytes
        if field.type in ('string', 'bytes', 'records'):
            data = value.encode() if isinstance(value, str) else value
            return self.length(field, data, 'h' if field.type == 'string' else 'i') + (data or b'')
        if not self.is_nullable_struct(field):
            return self.struct(self.fields_of(field), value)
        return b'\xff' if value is None else b'\1' + self.struct(self.fields_of(field), value)


class Reading(Walk):
    def __init__(self, schema, version, data, at=0):
        super().__init__(schema, version)
        self.data, self.at = data, at

    def take(self, form):
        value = struct.unpack_from('>' + form, self.data, self.at)[0]
        self.at += struct.calcsize('>' + form)
        return value

    def uvarint(self):
        number = shift = 0
        while True:
            byte = self.take('B')
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    def bytes(self, count):
        assert self.at + count <= len(self.data), f'{count} bytes announced, {len(self.data) - self.at} there'
        self.at += count
        return bytes(self.data[self.at - count:self.at])

    def struct(self, fields):
        out = {f.name: self.value(f) for f in self.plain(fields)}
        if self.flexible:
            known = {f.tag: f for f in self.tagged(fields)}
            for _ in range(self.uvarint()):
                tag, size = self.uvarint(), self.uvarint()
                end = self.at + size
                out[known[tag].name if tag in known else f'tag {tag}'] = (
                    self.value(known[tag]) if tag in known else self.bytes(size))
                assert self.at == end, f'tag {tag} has {size} bytes, read {size + self.at - end}'
        return out

    def length(self, field, classic):
        return self.uvarint() - 1 if self.is_flexible(field) else self.take(classic)

    def value(self, field):
        if not field.is_array:
            return self.element(field)
        count = self.length(field, 'i')
        return None if count < 0 else [self.element(field) for _ in range(count)]

    def element(self, field):
        if field.type in NUMBERS:
            return self.take(NUMBERS[field.type])
        if field.type == 'bool':
            return bool(self.take('b'))
        if field.type == 'uuid':
            return uuid.UUID(bytes=self.bytes(16))
        if field.type in ('string', 'bytes', 'records'):
            count = self.length(field, 'h' if field.type == 'string' else 'i')
            data = None if count < 0 else self.bytes(count)
            return data.decode(errors='backslashreplace') if field.type == 'string' and data is not None else data
        if self.is_nullable_struct(field) and self.take('b') < 0:
            return None
        return self.struct(self.fields_of(field))


def request(key, version, values, correlation, client_id='raw'):
    """The payload of a frame: header and body."""
    schema = message(key, 'request')
    writing = Writing(schema, version)
    name = client_id.encode() if client_id is not None else b''
    head = struct.pack('>hhih', key, version, correlation, len(name) if client_id is not None else -1) + name
    return head + (b'\0' if writing.flexible else b'') + writing.struct(schema.fields, values)


def answer(key, version, payload):
    """(correlation id, body) of an answer; every byte is used."""
    schema = message(key, 'response')
    reading = Reading(schema, version, payload)
    correlation = reading.take('i')
    if reading.flexible and key != 18:  # ApiVersions always answers with the old header
        assert reading.take('B') == 0, 'tagged fields in the header of an answer'
    body = reading.struct(schema.fields)
    assert reading.at == len(payload), f'{len(payload) - reading.at} bytes behind the answer'
    return correlation, body
