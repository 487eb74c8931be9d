#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves that each rule of tidy.py can fail, and that it leaves alone what it should."""

import pathlib
import tempfile
import unittest

import tidy

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
CMAKE = "# SPDX-License-Identifier: Apache-2.0\n"


def rules(path: str, body: str, exceptions=(), others=None) -> list[str]:
    """The rules broken by a tree of this one source, registered and with its license line."""
    folder, _, name = path.rpartition("/")
    tree = {f"{folder}/CMakeLists.txt": f"{CMAKE}x(SOURCES\n  {name})\n", path: SPDX + body}
    tree.update(others or {})
    return [finding.rule for finding in tidy.check_tree(tree, tuple(exceptions))]


class TidyTest(unittest.TestCase):
    def test_accepts_a_clean_file(self):
        self.assertEqual(rules("oracles/a.cc", "#include <vector>\nint F() { return 1; }\n"), [])

    def test_include_direction(self):
        header = {"engine/a.h": SPDX, "engine/CMakeLists.txt": CMAKE + "x(a.h a.cc)"}
        include = '#include "engine/a.h"\n'
        self.assertEqual(rules("oracles/b.cc", include, others=header), ["include-direction"])
        self.assertEqual(rules("contracts/b.cc", "#include <engine/a.h>\n", others=header),
                         ["include-direction"])
        for right in ("engine/a.cc", "triage/b.cc", "fuzz/b.cc", "tests/b.cc"):
            self.assertEqual(rules(right, include, others=header), [], right)

    def test_includes_are_written_from_the_root(self):
        self.assertEqual(rules("engine/a.cc", '#include "a.h"\n'), ["include-root"])
        self.assertEqual(rules("engine/a.cc", '#include "../contracts/a.h"\n'), ["include-root"])

    def test_fences(self):
        cases = [
            ("mpfr.h", "oracles/sum.cc", "oracles/number/real.cc"),
            ("flint/arb.h", "engine/a.cc", "oracles/number/ball.h"),
            ("acb.h", "triage/a.cc", "oracles/number/ball.cc"),
            ("fmpr.h", "oracles/a.cc", "oracles/number/ball.cc"),
            ("cblas.h", "engine/backends/load.cc", "engine/backends/cblas/load.cc"),
            ("dnnl.hpp", "engine/a.cc", "engine/backends/onednn/a.cc"),
            ("oneapi/dnnl/dnnl.h", "fuzz/a.cc", "engine/backends/onednn/a.cc"),
            ("Eigen/Core", "oracles/a.cc", "engine/backends/eigen/a.cc"),
            ("CL/cl.h", "triage/a.cc", "engine/backends/opencl/a.cc"),
            ("benchmark/benchmark.h", "fuzz/a.cc", "tests/bench/a.cc"),
            ("gtest/gtest.h", "contracts/a.cc", "tests/a.cc"),
            ("gmock/gmock.h", "contracts/a.cc", "tests/a.cc"),
            ("rapidcheck.h", "contracts/a.cc", "tests/a.cc"),
            ("rapidcheck/gtest.h", "contracts/a.cc", "tests/a.cc"),
            ("boost/pfr.hpp", "oracles/a.h", "oracles/a.cc"),
            ("boost/pfr.hpp", "contracts/a.h", "engine/a.h"),
        ]
        for header, wrong, right in cases:
            with self.subTest(header=header):
                self.assertEqual(rules(wrong, f"#include <{header}>\n"), ["fence"])
                self.assertEqual(rules(right, f"#include <{header}>\n"), [])

    def test_fuzzer_symbols(self):
        code = "int LLVMFuzzerTestOneInput();\n"
        self.assertEqual(rules("engine/a.cc", code), ["fence"])
        self.assertEqual(rules("fuzz/a.cc", code), [])
        self.assertEqual(rules("engine/a.cc", "// What LLVMFuzzerMutate does.\n"), [])

    def test_unregistered_sources(self):
        tree = {"engine/CMakeLists.txt": CMAKE + "x(a.cc sub/c.cc) # b.cc", "engine/a.cc": SPDX,
                "engine/b.cc": SPDX, "engine/sub/c.cc": SPDX, "engine/d.h": SPDX}
        self.assertEqual([(f.rule, f.path) for f in tidy.check_tree(tree, ())],
                         [("unregistered", "engine/b.cc"), ("unregistered", "engine/d.h")])

    def test_file_length(self):
        self.assertEqual(rules("engine/a.cc", "\n" * 499), [])
        self.assertEqual(rules("engine/a.cc", "\n" * 500), ["file-length"])

    def test_function_length(self):
        for head in ("int F(int a)", "namespace n {\nint F()", "TEST(A, B)",
                     "class C {\n C() : a_{1}, b_{2}", "class C {\n int F() const",
                     "template <class T>\nauto F(T t) -> int",
                     "bool operator==(const A& a, const A& b)"):
            tail = "\n}\n" if head.startswith(("namespace", "class")) else "\n"
            with self.subTest(head=head):
                longest = f"{head} {{{chr(10) * 69}}}{tail}"
                self.assertEqual(rules("engine/a.cc", longest), [])
                too_long = f"{head} {{{chr(10) * 70}}}{tail}"
                self.assertEqual(rules("engine/a.cc", too_long), ["function-length"])

    def test_function_length_leaves_types_tables_and_text_alone(self):
        for head, tail in (("struct S", "};"), ("namespace n", "}"),
                           ("constexpr int kTable[F(2)] =", "};"),
                           ('const char* t = R"(\nint F() ', '} )";')):
            self.assertEqual(rules("engine/a.cc", f"{head} {{{chr(10) * 90}{tail}\n"), [], head)

    def test_banned_calls(self):
        for call in ("std::random_device d;", "int x = rand();", "std::srand(1);",
                     "auto t = time(nullptr);"):
            self.assertEqual(rules("fuzz/a.cc", call), ["banned-call"], call)
        for call in ("operand();", "g.rand();", "// rand()\n", 'Say("rand()");'):
            self.assertEqual(rules("engine/a.cc", call), [], call)

    def test_clocks(self):
        for clock in ("std::chrono::system_clock::now();", "std::chrono::steady_clock::now();"):
            self.assertEqual(rules("engine/a.cc", clock), ["banned-call"])
            for right in ("fuzz/a.cc", "engine/isolate.cc", "tests/bench/a.cc"):
                self.assertEqual(rules(right, clock), [], right)

    def test_machine_paths(self):
        for top in ("work", "root", "home"):
            self.assertEqual(rules("engine/a.cc", f"// see /{top}/x\n"), ["machine-path"])
        self.assertEqual(rules("engine/a.cc", "// https://a.org/" + "home/x, a/" + "work/b\n"), [])

    def test_sibling_folder(self):
        self.assertEqual(rules("engine/a.cc", "// see ../" + "shared/x\n"), ["sibling"])

    def test_license_line(self):
        for path, text in (("cmake/a.cmake", "x()\n"), ("dev", "#!/usr/bin/env bash\n"),
                           ("tests/CMakeLists.txt", "x()\n")):
            found = tidy.check_tree({path: text}, ())
            self.assertEqual([finding.rule for finding in found], ["license-line"], path)

    def test_nameless_todo(self):
        self.assertEqual(rules("engine/a.cc", "// TO" + "DO: later\n"), ["nameless-todo"])
        self.assertEqual(rules("engine/a.cc", "// TO" + "DO(ada): when g++ 13 is the oldest\n"), [])

    def test_exceptions_excuse_one_rule_in_one_file(self):
        allowed = tidy.Allowed("banned-call", "engine/a.cc", "shows it")
        self.assertEqual(rules("engine/a.cc", "int x = rand();", [allowed]), [])
        self.assertEqual(rules("engine/b.cc", "int x = rand();", [allowed]),
                         ["banned-call", "stale-exception"])

    def test_an_exception_that_excuses_nothing_is_a_finding(self):
        allowed = tidy.Allowed("fence", "engine/a.cc", "gone")
        self.assertEqual(rules("engine/a.cc", "", [allowed]), ["stale-exception"])

    def test_reads_the_tree_without_build_output_and_binary_files(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("a/b.cc", "build/c.cc", "a/build/e.cc", ".git/d", ".ci/run",
                         ".clang-format"):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_bytes(b"x")
            (root / "binary").write_bytes(b"\xff\xfe")
            self.assertEqual(set(tidy.read_tree(root)),
                             {"a/b.cc", "a/build/e.cc", ".ci/run", ".clang-format"})


if __name__ == "__main__":
    unittest.main()
