# SPDX-License-Identifier: Apache-2.0
"""Reads schema files (docs/formats/schema.md) into messages. Syntax only: whether a schema makes
sense is for check.py to say."""
import re
from dataclasses import dataclass, field

OPEN = 32767  # the last version of an open range
KINDS = ('request', 'response', 'header', 'data', 'metadata', 'coordinator-key',
         'coordinator-value')


class SchemaError(Exception):
    pass


@dataclass(frozen=True)
class Versions:
    """first..last inclusive; `none` is the empty range."""
    first: int
    last: int

    def __bool__(self):
        return self.first <= self.last

    def has(self, version):
        return self.first <= version <= self.last

    def meet(self, other):
        return Versions(max(self.first, other.first), min(self.last, other.last))

    def covers(self, other):
        return not other or (self.first <= other.first and other.last <= self.last)


NONE = Versions(1, 0)


@dataclass
class Field:
    name: str
    type: str  # without []
    is_array: bool
    where: str
    versions: Versions = NONE
    nullable: Versions = NONE
    tagged: Versions = NONE
    flexible: Versions | None = None  # None: as the message
    tag: int | None = None
    default: str | None = None
    ignorable: bool = False
    map_key: bool = False
    zero_copy: bool = False
    entity_type: str = ''
    fields: list = field(default_factory=list)


@dataclass
class Struct:
    name: str
    versions: Versions
    fields: list
    where: str


@dataclass
class Message:
    name: str  # as the API or record is called: Produce, TopicRecord
    kind: str
    where: str
    key: int | None = None
    versions: Versions = NONE
    flexible: Versions = NONE
    latest_unstable: bool = False
    listeners: tuple = ()
    fields: list = field(default_factory=list)
    structs: list = field(default_factory=list)

    @property
    def full_name(self):
        """As its struct is called: ProduceRequest."""
        suffix = self.kind.capitalize() if self.kind in ('request', 'response') else ''
        return self.name + suffix


def versions(text, where):
    if text == 'none':
        return NONE
    match = re.fullmatch(r'(\d+)(?:(\+)|-(\d+))?', text)
    if not match:
        raise SchemaError(f'{where}: "{text}" is no range of versions')
    first = int(match[1])
    last = OPEN if match[2] else int(match[3]) if match[3] else first
    if last < first:
        raise SchemaError(f'{where}: "{text}" ends before it begins')
    return Versions(first, last)


RANGES = {'versions', 'nullable', 'tagged', 'flexible'}
FIELD_FLAGS = {'ignorable': 'ignorable', 'mapKey': 'map_key', 'zeroCopy': 'zero_copy'}


def attributes(words, where):
    """(key, value or None) of the words `key=value` and `key`; a key may stand once."""
    seen = {}
    for word in words:
        key, equals, value = word.partition('=')
        if key in seen:
            raise SchemaError(f'{where}: {key} is said twice')
        seen[key] = value if equals else None
    return seen.items()


def parse_message(line, where):
    words = line.split()
    if len(words) < 2 or words[1] not in KINDS:
        raise SchemaError(f'{where}: a message begins "Name kind", kind of {", ".join(KINDS)}')
    message = Message(words[0], words[1], where)
    for key, value in attributes(words[2:], where):
        if key == 'key' and value:
            message.key = int(value)
        elif key in ('versions', 'flexible') and value:
            setattr(message, key, versions(value, where))
        elif key == 'latestUnstable' and value is None:
            message.latest_unstable = True
        elif key == 'listeners' and value:
            message.listeners = tuple(value.split(','))
        else:
            raise SchemaError(f'{where}: what is {key} of a message?')
    return message


def parse_field(line, where):
    match = re.fullmatch(r'(\w+): (\[\])?(\w+)((?: \S+)*)', line)
    if not match:
        raise SchemaError(f'{where}: expected "Name: type attributes"')
    result = Field(match[1], match[3], bool(match[2]), where)
    for key, value in attributes(match[4].split(), where):
        if key in RANGES and value:
            setattr(result, key, versions(value, where))
        elif key == 'tag' and value:
            result.tag = int(value)
        elif key == 'default' and value:
            result.default = value
        elif key == 'entityType' and value:
            result.entity_type = value
        elif key in FIELD_FLAGS and value is None:
            setattr(result, FIELD_FLAGS[key], True)
        else:
            raise SchemaError(f'{where}: what is {key} of a field?')
    return result


def parse_struct(line, where):
    match = re.fullmatch(r'struct (\w+) versions=(\S+)', line)
    if not match:
        raise SchemaError(f'{where}: expected "struct Name versions=A-B"')
    return Struct(match[1], versions(match[2], where), [], where)


def parse(text, path):
    """The messages of one file, in its order."""
    messages, open_lists = [], []
    for number, line in enumerate(text.splitlines(), 1):
        where = f'{path}:{number}'
        body = line.strip()
        depth, odd = divmod(len(line) - len(line.lstrip(' ')), 2)
        if not body:
            open_lists = []
        elif body.startswith('#'):
            continue  # for the reader
        elif depth == 0:
            messages.append(parse_message(body, where))
            open_lists = [messages[-1].fields]
        elif odd or depth > len(open_lists):
            raise SchemaError(f'{where}: indented by two spaces a level, under what it belongs to')
        elif body.startswith('struct '):
            if depth != 1:
                raise SchemaError(f'{where}: a struct stands beside the fields of the message')
            messages[-1].structs.append(parse_struct(body, where))
            open_lists = [messages[-1].fields, messages[-1].structs[-1].fields]
        else:
            parsed = parse_field(body, where)
            open_lists[depth - 1].append(parsed)
            del open_lists[depth:]
            open_lists.append(parsed.fields)
    return messages
