# SPDX-License-Identifier: Apache-2.0
"""Checks that parsed messages make sense, and resolves them: type names to structs, ranges cut
to the versions that exist, defaults to values."""
from dataclasses import dataclass, field

from parse import NONE, OPEN, SchemaError, Versions

# The types of the wire and the bytes of each; of what has a length, the bytes of a classic length
# (a flexible one takes a single byte at least).
WIRE_BYTES = {'bool': 1, 'int8': 1, 'int16': 2, 'uint16': 2, 'int32': 4, 'uint32': 4, 'int64': 8,
              'float64': 8, 'uuid': 16, 'string': 2, 'bytes': 4, 'records': 4}
COUNTED = {'string', 'bytes', 'records'}
CLASSIC_COUNT_BYTES = 4
INTEGERS = {'int8': (-2**7, 2**7 - 1), 'int16': (-2**15, 2**15 - 1), 'uint16': (0, 2**16 - 1),
            'int32': (-2**31, 2**31 - 1), 'uint32': (0, 2**32 - 1), 'int64': (-2**63, 2**63 - 1)}
LISTENERS = {'broker', 'controller'}


@dataclass
class CheckedField:
    source: object  # parse.Field
    struct: object  # CheckedStruct, or None for a type of the wire
    versions: Versions  # on the wire, within the message's
    nullable: Versions
    default: object  # None for null, int, bool, float, str; ... for empty

    @property
    def tag(self):
        return self.source.tag


@dataclass
class CheckedStruct:
    name: str
    fields: list = field(default_factory=list)  # in wire order
    tagged: list = field(default_factory=list)  # by ascending tag
    wire_bytes_min: int = 1


@dataclass
class CheckedMessage:
    source: object  # parse.Message
    structs: list  # inner ones before those that hold them
    body: CheckedStruct


def default_of(field):
    """The field's value where it is absent."""
    text, where = field.default, field.where
    if text == 'null':
        if not field.nullable:
            raise SchemaError(f'{where}: {field.name} is null by default and never nullable')
        return None
    if field.is_array or field.type not in WIRE_BYTES or field.type in ('uuid', 'bytes', 'records'):
        if text is not None:
            raise SchemaError(f'{where}: a {field.type} has no default but null')
        # Records that nobody has set are no records, not an empty batch.
        return None if field.type == 'records' and field.nullable else ...
    if field.type == 'bool':
        if text not in (None, 'true', 'false'):
            raise SchemaError(f'{where}: {text} is no bool')
        return text == 'true'
    if field.type == 'string':
        return '' if text in (None, '""') else text
    if field.type == 'float64':
        return float(text or 0)
    number = int(text or '0', 0)
    low, high = INTEGERS[field.type]
    if not low <= number <= high:
        raise SchemaError(f'{where}: {text} does not fit {field.type}')
    return number


class Resolver:
    """Checks the fields of one message and collects its structs, inner ones first."""

    def __init__(self, message):
        self.message = message
        self.named = {}
        for struct in message.structs:
            if struct.name in self.named:
                raise SchemaError(f'{struct.where}: struct {struct.name} is there twice')
            self.named[struct.name] = struct
        self.inline = {}
        self.done = {}
        self.open = []

    def struct_of(self, field):
        """The struct of a field whose type is not one of the wire's."""
        name = field.type
        if field.fields:
            shape = [(f.name, f.type, f.versions) for f in field.fields]
            if name in self.named or self.inline.setdefault(name, shape) != shape:
                raise SchemaError(f'{field.where}: struct {name} has two shapes in this message')
            return self.struct(name, field.fields, field.where)
        if name in self.named:
            return self.struct(name, self.named[name].fields, field.where)
        # A message without any field of its own is a legal thing, an unknown type is not.
        raise SchemaError(f'{field.where}: there is no type {name}')

    def struct(self, name, fields, where):
        if name in self.open:
            raise SchemaError(f'{where}: struct {name} holds itself')
        if name not in self.done:
            self.open.append(name)
            self.done[name] = self.resolve(name, fields)  # its inner ones stand before it now
            self.open.pop()
        return self.done[name]

    def resolve(self, name, fields):
        result = CheckedStruct(name)
        for parsed in fields:
            checked = self.field(parsed)
            (result.tagged if parsed.tagged else result.fields).append(checked)
        result.tagged.sort(key=lambda f: f.tag)
        for kind, seen in (('name', [f.source.name for f in result.fields + result.tagged]),
                           ('tag', [f.tag for f in result.tagged])):
            if len(set(seen)) < len(seen):
                raise SchemaError(f'{self.message.where}: a {kind} of {name} is there twice')
        result.wire_bytes_min = self.wire_bytes_min(result)
        return result

    def field(self, parsed):
        struct = None if parsed.type in WIRE_BYTES else self.struct_of(parsed)
        self.check_ranges(parsed, struct)
        everywhere = self.message.versions
        versions = parsed.versions.meet(everywhere)
        nullable = parsed.nullable.meet(versions) or NONE
        return CheckedField(parsed, struct, versions, nullable, default_of(parsed))

    def check_ranges(self, parsed, struct):
        where = parsed.where
        if not parsed.versions:
            raise SchemaError(f'{where}: {parsed.name} exists in no version')
        if parsed.nullable and not (parsed.is_array or struct or parsed.type in COUNTED):
            raise SchemaError(f'{where}: a {parsed.type} is never null')
        if bool(parsed.tagged) != (parsed.tag is not None):
            raise SchemaError(f'{where}: tagged= and tag= go together')
        if not parsed.tagged:
            return
        if parsed.tagged != parsed.versions:
            raise SchemaError(f'{where}: {parsed.name} is tagged in some of its versions only')
        if not self.message.flexible.covers(parsed.tagged.meet(self.message.versions)):
            raise SchemaError(f'{where}: {parsed.name} is tagged in a version that is not flexible')
        if parsed.type == 'records':
            raise SchemaError(f'{where}: records in a tagged field, whose size stands before it')

    def wire_bytes_min(self, struct):
        """The least over all versions, but one at least: an array is no longer than the bytes."""
        def of_field(f, flexible):
            if f.source.is_array:
                return 1 if flexible else CLASSIC_COUNT_BYTES
            if f.struct:
                return 1 if f.nullable else f.struct.wire_bytes_min
            return 1 if flexible and f.source.type in COUNTED else WIRE_BYTES[f.source.type]

        def in_version(version):
            flexible = self.message.flexible.has(version)
            there = [f for f in struct.fields if f.versions.has(version)]
            return sum(of_field(f, flexible) for f in there) + (1 if flexible else 0)
        span = self.message.versions
        return max(1, min(in_version(v) for v in range(span.first, span.last + 1)))


def check_message(message):
    where = message.where
    if message.versions.last == OPEN:
        raise SchemaError(f'{where}: {message.name} has no last version')
    if message.flexible and message.flexible.last != OPEN:
        raise SchemaError(f'{where}: once flexible, always flexible')
    if (message.kind in ('header', 'data')) != (message.key is None):
        must = 'must' if message.key is None else 'must not'
        raise SchemaError(f'{where}: a {message.kind} {must} have a key')
    if not set(message.listeners) <= LISTENERS or (message.listeners and message.kind != 'request'):
        raise SchemaError(f'{where}: a request has listeners, of {", ".join(sorted(LISTENERS))}')
    resolver = Resolver(message)
    body = resolver.resolve(message.full_name, message.fields)
    for struct in message.structs:
        if struct.name not in resolver.done:
            raise SchemaError(f'{struct.where}: struct {struct.name} is not used')
    return CheckedMessage(message, list(resolver.done.values()), body)


def check(messages):
    """Checked messages, those without a version left out (their number is only reserved)."""
    names, keys = set(), set()
    for message in messages:
        if message.full_name in names:
            raise SchemaError(f'{message.where}: {message.full_name} is there twice')
        names.add(message.full_name)
        identity = (message.kind, message.key, message.where.split(':')[0])
        if message.key is not None and identity in keys:
            raise SchemaError(f'{message.where}: key {message.key} is there twice')
        keys.add(identity)
    return [check_message(message) for message in messages if message.versions]
