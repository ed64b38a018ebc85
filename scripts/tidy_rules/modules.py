# SPDX-License-Identifier: Apache-2.0
"""Who uses whom. The order of the modules is that of CMakeLists.txt; each names in its own
CMakeLists.txt the ones above it that it uses (DEPS), and includes only their doors."""
import posixpath
import re

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)
# The last one: it puts the parts together, so it may open every door.
TOP = 'cli'


def order(files):
    """The modules in the order in which they may use each other."""
    return re.findall(r'^add_subdirectory\(src/(\w+)\)', files['CMakeLists.txt'].text, re.M)


def declared(files, module):
    """(line, DEPS) of a module; (1, []) if it names none."""
    file = files.get(f'src/{module}/CMakeLists.txt')
    found = file and re.search(r'add_module\(\s*NAME\s+\w+(?:\s+DEPS\s+([\w\s]*?))?'
                               r'\s*(?:\bLIBS\b|\bSOURCES\b|\))', file.text)
    if not found:
        return 1, []
    return file.line_of(found.start()), (found[1] or '').split()


def check(files):
    modules = order(files)
    uses = {m: modules if m == TOP else declared(files, m)[1] for m in modules}
    findings = check_declarations(files, modules)
    for file in files.values():
        if file.is_cpp and file.module:
            findings += check_includes(files, file, modules, uses.get(file.module))
    return findings


def check_declarations(files, modules):
    findings = []
    for at, module in enumerate(modules):
        line, deps = declared(files, module)
        for dep in deps if module != TOP else []:
            if dep not in modules[:at]:
                why = ('is below it in CMakeLists.txt: that would be a cycle' if dep in modules
                       else 'is no module')
                findings.append((f'src/{module}/CMakeLists.txt', line, 'modules',
                                 f'{module} names {dep} in DEPS, which {why}'))
    return findings


def check_includes(files, file, modules, uses):
    if uses is None:
        return [(file.path, 1, 'modules', f'{file.module} is not in CMakeLists.txt')]
    findings = []
    for include in INCLUDE.finditer(file.code):
        why = judge(files, file, include[1], include[2], modules, uses)
        if why:
            findings.append((file.path, file.line_of(include.start()), 'modules', why))
    return findings


def judge(files, file, quote, target, modules, uses):
    """What is wrong with this #include, or nothing."""
    if quote == '<':
        return target.startswith('milena/') and f'write "{target}", with quotes'
    if target.startswith(('src/', 'include/')):
        return f'"{target}" goes around the doors'
    door = re.match(r'milena/(\w+)/', target)
    if not door:
        if file.path.startswith('include/'):
            return f'a door includes the private header "{target}"'
        return room(files, file, target)
    if door[1] not in modules:
        return f'there is no module {door[1]}'
    if door[1] != file.module and door[1] not in uses:
        return (f'{file.module} includes "{target}", but {door[1]} is not in its DEPS '
                f'(src/{file.module}/CMakeLists.txt)')
    return None


def room(files, file, target):
    """A private header lies in its own module: beside the file or in the module's folder."""
    home = f'src/{file.module}/'
    beside = posixpath.normpath(posixpath.dirname(file.path) + '/' + target)
    if beside in files:
        return None if beside.startswith(home) else f'"{target}" goes around the doors'
    if home + target in files:
        return None
    elsewhere = [p for p in files if p.startswith('src/') and p.endswith('/' + target)
                 and not p.startswith(home)]
    return elsewhere and f'"{target}" is a room of another module ({elsewhere[0]})'
