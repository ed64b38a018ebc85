# SPDX-License-Identifier: Apache-2.0
"""Finds the function definitions of a C++ text without a compiler.

It walks over the braces. What stands before an opening brace tells what it opens: a namespace, a
type, a function, or something inside a statement (an initialiser). Only functions that stand in
namespaces and types are found; lambdas and local classes belong to the function around them.
"""
import collections
import re

Function = collections.namedtuple('Function', 'name line lines parameters')

TYPE = re.compile(r'(?:template\s*<.*>\s*)?(?:typedef\s+)?(?:class|struct|union|enum)\b', re.S)
NAMESPACE = re.compile(r'(?:inline\s+)?namespace\b|extern\s*"[^"]*"\s*$')
LABEL = re.compile(r'\s*(?:public|protected|private)\s*:')
OPERATOR = re.compile(r'\boperator\s*(?:\(\s*\)|[^\s\w(]+)')
DIRECTIVE = re.compile(r'^[ \t]*#(?:[^\n\\]|\\\n|\\.)*', re.M)


def functions(code):
    """The definitions in `code`, whose comments and literals are blank."""
    code = DIRECTIVE.sub(lambda m: re.sub(r'[^\n]', ' ', m[0]), code)
    found, stack = [], []
    head, head_at = '', 0
    for brace in re.finditer(r'[{};]|$', code):
        at, char = brace.start(), brace[0]
        inside = [kind for kind, *_ in stack]
        at_scope = all(kind in ('namespace', 'type') for kind in inside)
        if at_scope:
            head += code[head_at:at]
        if char == '{':
            kind = opens(head) if at_scope else 'block'
            stack.append((kind, head, at))
            if kind != 'initializer':
                head = ''
        elif char == '}' and stack:
            kind, its_head, _ = stack.pop()
            if kind == 'function':
                found.append(describe(code, its_head, at))
            if kind == 'initializer':
                head = its_head + '{}'
        elif char == ';' and at_scope:
            head = ''
        head_at = at + 1
    return found


def opens(head):
    """What a brace after `head` opens at namespace or type scope."""
    text = LABEL.sub('', head).strip()
    if NAMESPACE.match(text):
        return 'namespace'
    if TYPE.match(text) and '(' not in re.sub(r'alignas\s*\(.*?\)|decltype\s*\(.*?\)|<.*>', '', text):
        return 'type'
    flat = top_level(OPERATOR.sub('operator', text))
    if '(' not in text or re.search(r'(?<![=!<>])=(?!=)', flat):
        return 'initializer'
    # A constructor's initialisers: only a brace after a finished one opens the body.
    if re.search(r'\)\s*(?:noexcept\s*)?:(?!:)', flat) and not flat.rstrip().endswith((')', '}')):
        return 'initializer'
    return 'function'


def top_level(text):
    """`text` without what stands inside its parentheses."""
    out, depth = [], 0
    for char in text:
        depth -= char == ')'
        if depth == 0:
            out.append(char)
        depth += char == '('
    return ''.join(out)


def describe(code, head, end):
    """Its body ends at `end`; `head` is what stands before the body."""
    text = LABEL.sub('', head)
    start = code.rfind(text.strip().split('{}')[0].strip(), 0, end)
    first = code.count('\n', 0, start) + 1
    last = code.count('\n', 0, end) + 1
    flat = OPERATOR.sub('operator_', text)
    opening = parameters_at(flat)
    name = re.findall(r'[~\w:]+', flat[:opening] or flat)
    return Function(name[-1] if name else '?', first, last - first + 1, count(flat, opening))


def parameters_at(text):
    """Where the parameter list opens: the first parenthesis outside of angle brackets."""
    depth = 0
    for at, char in enumerate(text):
        if char == '<':
            depth += 1
        elif char == '>' and depth:
            depth -= 1
        elif char == '(' and depth == 0 and not re.search(r'(alignas|decltype|requires|noexcept)\s*$',
                                                          text[:at]):
            return at
    return 0


def count(text, opening):
    depth, commas, empty = 0, 0, True
    for char in text[opening:]:
        if char in '(<[{':
            depth += 1
        elif char in ')>]}':
            depth -= 1
            if depth == 0:
                break
        elif char == ',' and depth == 1:
            commas += 1
        if not char.isspace() and (char != '(' or depth > 1):
            empty = False
    return 0 if empty else commas + 1
