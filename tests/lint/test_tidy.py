# SPDX-License-Identifier: Apache-2.0
"""Each house rule on a small tree made for it: one that keeps the rule and one that breaks it."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'scripts'))
import tidy  # noqa: E402
from tidy_rules import cpp_functions  # noqa: E402

LICENCE = '// SPDX-License-Identifier: Apache-2.0\n// What it is for.\n'
MODULES = ['base', 'env', 'telemetry', 'storage', 'raft', 'wire', 'cli']
DEPS = {'env': 'base', 'telemetry': 'base env', 'storage': 'base env', 'raft': 'base storage', 'wire': 'base env'}


def cmake(module, deps):
    return (f'# SPDX-License-Identifier: Apache-2.0\n# Module.\n'
            f'add_module(NAME {module}{" DEPS " + deps if deps else ""} LIBS x)\n')


class TidyTest(unittest.TestCase):
    def findings(self, extra, only_modules=False):
        """What tidy says about a clean tree with these files over it; each as 'path:line: rule'."""
        files = {'CMakeLists.txt': '# SPDX-License-Identifier: Apache-2.0\n# Table of contents.\n' + ''.join(
            f'add_subdirectory(src/{m})\n' for m in MODULES)}
        for module in MODULES[:-1]:
            files[f'src/{module}/CMakeLists.txt'] = cmake(module, DEPS.get(module, ''))
        files['src/storage/log.h'] = LICENCE
        files['src/storage/log.cc'] = LICENCE + '#include "log.h"\n'
        files.update(extra)
        with tempfile.TemporaryDirectory() as folder:
            for path, text in files.items():
                target = pathlib.Path(folder, path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text)
            return [f'{path}:{line}: {rule}' for path, line, rule, _ in tidy.check(folder, only_modules)]

    def storage(self, code):
        return self.findings({'src/storage/x.cc': LICENCE + code})

    def test_a_clean_tree_has_no_findings(self):
        self.assertEqual(self.findings({}), [])

    def test_main_prints_findings_and_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, 'CMakeLists.txt').write_text('project(x)\n')
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                self.assertEqual(tidy.main([folder]), 1)
            self.assertIn('CMakeLists.txt:1: opening: the first line is the licence', out.getvalue())

    # Modules.

    def test_a_declared_door_may_be_used_and_an_undeclared_one_not(self):
        door = {'include/milena/raft/core.h': LICENCE, 'include/milena/storage/door.h': LICENCE}
        good = {'src/raft/a.cc': LICENCE + '#include "milena/storage/door.h"\n#include "milena/raft/core.h"\n'}
        self.assertEqual(self.findings(door | good), [])
        bad = {'src/storage/a.cc': LICENCE + '#include "milena/storage/door.h"\n\n#include "milena/raft/core.h"\n'}
        self.assertEqual(self.findings(door | bad, only_modules=True), ['src/storage/a.cc:5: modules'])

    def test_doors_are_held_to_the_rule_too(self):
        bad = {'include/milena/storage/a.h': LICENCE + '#include "milena/wire/b.h"\n'}
        self.assertEqual(self.findings(bad, only_modules=True), ['include/milena/storage/a.h:3: modules'])

    def test_a_cycle_is_refused(self):
        bad = {'src/storage/CMakeLists.txt': cmake('storage', 'base raft')}
        self.assertEqual(self.findings(bad, only_modules=True), ['src/storage/CMakeLists.txt:3: modules'])

    def test_an_unknown_module_is_refused(self):
        bad = {'src/storage/CMakeLists.txt': cmake('storage', 'base bricks')}
        self.assertEqual(self.findings(bad, only_modules=True), ['src/storage/CMakeLists.txt:3: modules'])
        bad = {'src/bricks/a.cc': LICENCE}
        self.assertEqual(self.findings(bad, only_modules=True), ['src/bricks/a.cc:1: modules'])

    def test_rooms_of_another_module_are_private(self):
        for include in ('"log.h"', '"../storage/log.h"', '"src/storage/log.h"', '<milena/storage/log.h>'):
            bad = {'src/raft/a.cc': LICENCE + f'#include {include}\n'}
            self.assertEqual(self.findings(bad, only_modules=True), ['src/raft/a.cc:3: modules'], include)
        good = {'src/storage/deep/a.cc': LICENCE + '#include "../log.h"\n#include "log.h"\n'}
        self.assertEqual(self.findings(good, only_modules=True), [])

    def test_a_door_includes_no_room(self):
        bad = {'include/milena/storage/a.h': LICENCE + '#include "log.h"\n'}
        self.assertEqual(self.findings(bad, only_modules=True), ['include/milena/storage/a.h:3: modules'])

    def test_the_top_module_opens_every_door(self):
        good = {'src/cli/main.cc': LICENCE + '#include "milena/raft/core.h"\n'}
        self.assertEqual(self.findings(good, only_modules=True), [])

    # Words.

    def test_the_outside_world_is_reached_through_env(self):
        for code in ('int f = ::open("x", 0);', 'auto t = std::chrono::steady_clock::now();', 'std::mutex m;',
                     'std::atomic<int> n;', 'std::thread t;', 'std::random_device r;', 'boost::asio::ip::tcp t;',
                     'FILE* f = fopen("x", "r");', 'std::ofstream out;', '#include <mutex>', 'auto h = ::getenv("H");',
                     'std::this_thread::yield();', 'std::cout << 1;', '::send(1, nullptr, 0, 0);'):
            self.assertIn('src/storage/x.cc:3: doors', self.storage(code), code)

    def test_what_only_looks_like_the_outside_world_is_let_through(self):
        for code in ('// std::mutex\n', 'log.open(x);', 'auto s = "std::thread";', 'Segment::open(x);',
                     'file->write(x);', 'std::chrono::milliseconds m;', 'auto t = clock.now();'):
            self.assertEqual(self.storage(code), [], code)

    def test_env_and_what_stands_before_it_reach_the_world_themselves(self):
        self.assertEqual(self.findings({'src/env/x.cc': LICENCE + 'int f = ::open("x", 0);\nstd::mutex m;\n'}), [])
        self.assertEqual(self.findings({'src/cli/x.cc': LICENCE + 'std::ofstream out;\n'}), [])
        self.assertEqual(self.findings({'src/cli/x.cc': LICENCE + 'std::mutex m;\n'}), ['src/cli/x.cc:3: doors'])

    def test_libraries_stay_behind_their_doors(self):
        self.assertEqual(self.storage('#include <nlohmann/json.hpp>'), ['src/storage/x.cc:3: libraries'])
        self.assertEqual(self.storage('#include <spdlog/spdlog.h>'), ['src/storage/x.cc:3: libraries'])
        self.assertEqual(self.findings({'src/cli/x.cc': LICENCE + '#include <nlohmann/json.hpp>\n'}), [])

    def test_house_words(self):
        for code in ('throw 1;', 'assert(x);', 'auto s = std::format("x");', 'using namespace std;'):
            self.assertEqual(self.storage(code), ['src/storage/x.cc:3: words'], code)
        self.assertEqual(self.storage('static_assert(true);'), [])

    def test_coroutines_live_where_code_waits(self):
        self.assertEqual(self.storage('co_return;'), ['src/storage/x.cc:3: coroutines'])
        self.assertEqual(self.findings({'src/wire/x.cc': LICENCE + 'co_return;\n'}), [])

    def test_names_and_words_of_the_field(self):
        self.assertEqual(self.storage('int term = 1;'), ['src/storage/x.cc:3: names'])
        self.assertEqual(self.storage('int last_term_seen = 1;'), ['src/storage/x.cc:3: names'])
        self.assertEqual(self.storage('int determine = 1, SIGTERM_ = 2;'), [])
        self.assertEqual(self.storage('class LogHelper {};'), ['src/storage/x.cc:3: names'])

    def test_todo_needs_an_issue(self):
        self.assertEqual(self.storage('// TO' 'DO: later'), ['src/storage/x.cc:3: todo'])
        self.assertEqual(self.storage('// TO' 'DO(#12): later'), [])

    def test_paths_of_one_machine(self):
        for text in ('/ho' 'me/me/x', '..' '/shared/x', '.lib' 'rary/x'):
            self.assertEqual(self.storage(f'// see {text}'), ['src/storage/x.cc:3: machine'], text)

    # Openings and places.

    def test_files_open_with_licence_and_purpose(self):
        self.assertEqual(self.findings({'src/storage/x.cc': '// X.\n'}), ['src/storage/x.cc:1: opening'])
        self.assertEqual(self.findings({'src/storage/x.cc': LICENCE.split('\n')[0] + '\n#include "log.h"\n'}),
                         ['src/storage/x.cc:2: opening'])
        self.assertEqual(self.findings({'scripts/run': '#!/bin/bash\necho\n'}), ['scripts/run:2: opening'])

    def test_tests_have_a_namesake(self):
        self.assertEqual(self.findings({'tests/unit/storage/log_test.cc': LICENCE,
                                        'tests/unit/storage/log_property_test.cc': LICENCE}), [])
        self.assertEqual(self.findings({'tests/unit/storage/gone_test.cc': LICENCE}),
                         ['tests/unit/storage/gone_test.cc:1: places'])

    def test_headers_have_readers_and_the_root_has_no_others(self):
        self.assertEqual(self.findings({'src/storage/lonely.h': LICENCE}), ['src/storage/lonely.h:1: places'])
        self.assertEqual(self.findings({'NOTES.md': 'x\n'}), ['NOTES.md:1: places'])

    # Sizes.

    def test_long_lines_and_files(self):
        self.assertEqual(self.storage('// ' + 'x' * 97), [])
        self.assertEqual(self.storage('// ' + 'x' * 98), ['src/storage/x.cc:3: sizes'])
        self.assertEqual(self.storage('\n' * 598), [])
        self.assertEqual(self.storage('\n' * 599), ['src/storage/x.cc:601: sizes'])
        self.assertEqual(self.findings({'tests/unit/storage/log_test.cc': LICENCE + '\n' * 700}), [])

    def test_long_functions(self):
        self.assertEqual(self.storage('void f() {\n' + 'g();\n' * 68 + '}\n'), [])
        self.assertEqual(self.storage('void f() {\n' + 'g();\n' * 69 + '}\n'), ['src/storage/x.cc:3: sizes'])
        body = '    pass\n' * 70
        self.assertEqual(self.findings({'scripts/x.py': '# SPDX-License-Identifier: Apache-2.0\n"""X."""\n'
                                        f'def f():\n{body}'}), ['scripts/x.py:3: sizes'])

    def test_many_parameters(self):
        self.assertEqual(self.storage('void f(int a, M<int, int> b, int c, int d, int e) {}'), [])
        self.assertEqual(self.storage('void f(int a, int b, int c, int d, int e, int f) {}'),
                         ['src/storage/x.cc:3: sizes'])

    def test_full_folders(self):
        rooms = {f'src/raft/f{n}.cc': LICENCE for n in range(25)}
        self.assertEqual(self.findings(rooms), ['src/raft:1: sizes'])
        self.assertEqual(self.findings({path.replace('/raft/', '/wire/api/'): text
                                        for path, text in rooms.items()}), [])


class FunctionsTest(unittest.TestCase):
    def names(self, code):
        return [(f.name, f.line, f.lines, f.parameters) for f in cpp_functions.functions(code)]

    def test_finds_functions_methods_and_operators(self):
        code = '''namespace a {
struct S : B<int> {
    int get() const { return x; }
    S(int a, int b)
        : x{a}, y(b) {
        go();
    }
    bool operator()(int a) { return true; }
    int x = 0;
};
template <class T, class U>
auto f(T t) -> std::vector<int> {
    if (t) { g(); }
    auto h = [](int q) { return q; };
}
constexpr int kTable[] = {f(1), g(2)};
TEST(A, B) {
}
}'''
        self.assertEqual(self.names(code), [('get', 3, 1, 0), ('S', 4, 4, 2), ('operator_', 8, 1, 1),
                                            ('f', 11, 5, 1), ('TEST', 17, 2, 2)])

    def test_is_not_led_astray_by_macros_and_initialisers(self):
        code = '''#define M(a) \\
    do { x(a); } while (false)
enum class E : std::int8_t { one, two };
static const std::map<int, int> m{{1, f(2)}};
extern "C" int g(int a) {
    return a;
}
'''
        self.assertEqual(self.names(code), [('g', 5, 3, 1)])


if __name__ == '__main__':
    unittest.main()
