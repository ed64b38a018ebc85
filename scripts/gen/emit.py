# SPDX-License-Identifier: Apache-2.0
"""Writes C++ for checked messages: a header with structs per schema file, a source with walks per group of files, and
the two tables (APIs, message types). It knows types, never messages."""
import re

from parse import OPEN

SCALARS = {'bool': 'bool', 'int8': 'std::int8_t', 'int16': 'std::int16_t', 'uint16': 'std::uint16_t',
           'int32': 'std::int32_t', 'uint32': 'std::uint32_t', 'int64': 'std::int64_t', 'float64': 'double',
           'uuid': 'Uuid'}
VIEWS = {'string': 'std::string_view', 'bytes': 'Bytes', 'records': 'Records'}
NULLABLE_VIEWS = {'string': 'NullableString', 'bytes': 'NullableBytes', 'records': 'Records'}
KEYWORDS = {'default', 'delete', 'register', 'namespace', 'operator', 'private', 'public', 'template', 'union', 'switch'}
MADE_BY = '// Generated from {} by scripts/gen/compile_schema.py. Do not edit.\n'


def snake(name):
    """CreateTopics -> create_topics, V3AndBelowTopics -> v3_and_below_topics"""
    name = re.sub(r'([A-Z]+)([A-Z][a-z])', r'\1_\2', name)
    name = re.sub(r'([a-z0-9])([A-Z])', r'\1_\2', name).lower()
    return name + '_' if name in KEYWORDS else name


def element_type(field, nullable):
    kind = field.source.type
    if field.struct:
        return field.struct.name
    return SCALARS.get(kind) or (NULLABLE_VIEWS if nullable else VIEWS)[kind]


def member_type(field):
    nullable = bool(field.nullable)
    if field.source.is_array:
        return f'{"NullableArray" if nullable else "Array"}<{element_type(field, False)}>'
    if field.struct and nullable:
        return f'Nullable<{field.struct.name}>'
    return element_type(field, nullable)


def literal(field):
    """The default as an expression, or None where it is an empty view, array or struct, or a zero id."""
    value = field.default
    if value is ...:
        return None
    if value is None:
        return 'std::nullopt'
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if isinstance(value, str):
        return '"' + value.replace('\\', '\\\\').replace('"', '\\"') + '"'
    if value in (-2**31, -2**63):  # C++ has no literal for the least number
        return f'{value + 1} - 1'
    return repr(value)


def initializer(field):
    """Every member has one, so that a message can be made with the few members that matter named."""
    value = literal(field)
    if value is not None and value != 'std::nullopt':
        return f' = {value}'
    if value is None and field.nullable:  # empty, not null
        if field.source.is_array:
            return f' = Array<{element_type(field, False)}>()'
        return f' = {field.struct.name}()' if field.struct else ' = BytesView()'
    return '{}'


def walk_default(field):
    """The default as the walk hands it to a visitor."""
    value = literal(field)
    if value is None:
        return 'Empty{}'
    scalar = SCALARS.get(field.source.type)
    if value == 'std::nullopt' or not scalar:
        return value
    return f'{scalar}{{{value}}}'


def struct_body(struct, indent):
    lines = [f'{indent}{member_type(f)} {snake(f.source.name)}{initializer(f)};' for f in struct.fields + struct.tagged]
    return lines + ([''] if lines else []) + [f'{indent}bool operator==(const {struct.name}&) const = default;']


def message_struct(message):
    source = message.source
    lines = [f'/// {line}' for line in source.doc]
    lines.append(f'struct {source.full_name} {{')
    if source.key is not None:
        lines.append(f'    static constexpr std::int16_t k{"Api" if source.kind in ("request", "response") else ""}Key'
                     f' = {source.key};')
    flexible = str(source.flexible.first) if source.flexible else 'kNoVersion'
    lines += [f'    static constexpr std::int16_t kMinVersion = {source.versions.first};',
              f'    static constexpr std::int16_t kMaxVersion = {source.versions.last};',
              f'    static constexpr std::int16_t kFirstFlexibleVersion = {flexible};',
              f'    static constexpr std::string_view kName = "{source.full_name}";',
              '    static const MessageType kType;', '']
    for struct in message.structs:
        lines += [f'    struct {struct.name} {{', *struct_body(struct, ' ' * 8), '    };', '']
    return '\n'.join(lines + struct_body(message.body, '    ') + ['};'])


def header(path, messages):
    """The header of one schema file."""
    return '\n'.join([
        MADE_BY.format(path), '#pragma once', '', '#include <cstdint>', '#include <string_view>',
        '', '#include "milena/protocol/message_type.h"', '#include "milena/protocol/types.h"', '', 'namespace milena::protocol {', '',
        *(message_struct(m) + '\n' for m in messages), '}  // namespace milena::protocol', ''])


def bounds(versions, everywhere):
    """First and last as a Field has them: an end that the message has too is no bound."""
    return (versions.first if versions.first > everywhere.first else 0,
            versions.last if versions.last < everywhere.last else OPEN)


def field_row(field, everywhere):
    first, last = bounds(field.versions, everywhere)
    parts = [f'.name = "{field.source.name}"']
    parts += [f'.first = {first}'] if first else []
    parts += [f'.last = {last}'] if last != OPEN else []
    if field.nullable:
        # Where it does not exist, whether it may be null is no question: widen to the field's own ends.
        null_first, null_last = bounds(field.nullable, field.versions)
        parts += [f'.null_first = {null_first}', f'.null_last = {"kNoVersion" if null_last == OPEN else null_last}']
    parts += [f'.tag = {field.tag}'] if field.tag is not None else []
    parts += ['.ignorable = true'] if field.source.ignorable else []
    parts += ['.never_flexible = true'] if field.source.flexible is not None and not field.source.flexible else []
    return '        {' + ', '.join(parts) + '},'


def walk(message, struct, scope):
    everywhere = message.source.versions
    fields = struct.fields + struct.tagged
    lines = ['template <>', f'struct Walk<{scope}> {{',
             f'    static constexpr std::size_t kWireBytesMin = {struct.wire_bytes_min};']
    if fields:
        lines += ['    static constexpr Field kFields[] = {', *(field_row(f, everywhere) for f in fields), '    };']
    lines += ['', '    template <class V, class M>',
              f'    [[gnu::always_inline]] static void fields({"V& v, M& m" if fields else "V& v, M&"}) {{']
    flexible = bool(message.source.flexible)
    if not fields and not flexible:
        lines[-1] = '    [[gnu::always_inline]] static void fields(V&, M&) {'
    for index, f in enumerate(struct.fields):
        lines.append(f'        v.field(kFields[{index}], m.{snake(f.source.name)}, {walk_default(f)});')
    if flexible:
        lines.append('        for (auto tags = v.tags(); tags.next();) {')
        for index, f in enumerate(struct.tagged, len(struct.fields)):
            lines.append(f'            v.tagged(tags, kFields[{index}], m.{snake(f.source.name)}, {walk_default(f)});')
        lines.append('        }')
    return '\n'.join(lines + ['    }', '};', ''])


def type_row(message):
    source = message.source
    return (f'constexpr MessageType {source.full_name}::kType = message_type<{source.full_name}>('
            f'kName, MessageKind::{source.kind.replace("-", "_")}, {-1 if source.key is None else source.key});')


def source(group, files):
    """The source of a group: (schema path, header, messages) for each of its files."""
    parts = [MADE_BY.format(', '.join(path for path, _, _ in files))]
    parts += [f'#include "{include}"' for _, include, _ in files]
    parts += ['', '#include "instantiate.h"', '', 'namespace milena::protocol {', '']
    messages = [m for _, _, ms in files for m in ms]
    for m in messages:
        parts += [walk(m, struct, f'{m.source.full_name}::{struct.name}') for struct in m.structs]
        parts += [walk(m, m.body, m.source.full_name), type_row(m), '']
    addresses = ', '.join(f'&{m.source.full_name}::kType' for m in messages)
    parts += ['namespace {', f'constexpr const MessageType* kTypes[] = {{{addresses}}};', '}  // namespace', '',
              f'std::span<const MessageType* const> message_types_{group}() {{ return kTypes; }}', '',
              '}  // namespace milena::protocol', '']
    return '\n'.join(parts)


def type_table(groups):
    """The source that joins the groups' message types."""
    return '\n'.join([
        MADE_BY.format('src/protocol/schema'), '#include "message_types.h"', '', 'namespace milena::protocol {', '',
        *(f'std::span<const MessageType* const> message_types_{g}();' for g in groups), '',
        'std::vector<std::span<const MessageType* const>> message_type_groups() {',
        '    return {' + ', '.join(f'message_types_{g}()' for g in groups) + '};', '}', '',
        '}  // namespace milena::protocol', ''])


def api_key_header(apis):
    rows = '\n'.join(f'    {snake(m.source.name)} = {m.source.key},' for m in apis)
    return '\n'.join([
        MADE_BY.format('src/protocol/schema'), '#pragma once', '', '#include <cstdint>', '',
        'namespace milena::protocol {', '', '/// The APIs of Kafka 4.4 by their numbers on the wire.',
        'enum class ApiKey : std::int16_t {', rows, '};', '', '}  // namespace milena::protocol', ''])


def api_row(m):
    source = m.source
    flexible = source.flexible.first if source.flexible else 'kNoVersion'
    stable = source.versions.last - (1 if source.latest_unstable else 0)
    on = {name: 'true' if name in source.listeners else 'false' for name in ('broker', 'controller')}
    return (f'    {{.key = ApiKey::{snake(source.name)}, .name = "{source.name}", .min_version = {source.versions.first}, '
            f'.max_version = {source.versions.last}, .max_stable_version = {stable}, '
            f'.first_flexible_version = {flexible}, .on_broker = {on["broker"]}, .on_controller = {on["controller"]}}},')


def api_table(apis):
    return '\n'.join([
        MADE_BY.format('src/protocol/schema'), '#include "milena/protocol/api.h"', '', 'namespace milena::protocol {', '',
        'namespace {', 'constexpr Api kApis[] = {', *(api_row(m) for m in apis), '};', '}  // namespace', '',
        'std::span<const Api> apis() { return kApis; }', '', '}  // namespace milena::protocol', ''])
