#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks of the source tree that no compiler makes: include direction, third-party fences, size,
banned calls, registration in CMake, machine paths. Usage: tidy.py ROOT. Prints one line per finding
and exits 1 if there is any. tests/tidy_test.py proves that each rule can fail."""

import os
import pathlib
import re
import sys
from typing import Iterator, NamedTuple

# Each may include itself and what is left of it.
LAYERS = ("contracts", "oracles", "engine", "triage", "fuzz", "tests")
MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 70

CXX_SUFFIXES = {".h", ".c", ".cc", ".cu"}
TEXT_LIMIT_BYTES = 1 << 20  # Data beyond it is not read by people.


class Allowed(NamedTuple):
    """One deliberate exception. One that excuses nothing is itself a finding."""

    rule: str
    path: str
    reason: str


EXCEPTIONS: tuple[Allowed, ...] = ()


class Finding(NamedTuple):
    rule: str
    path: str
    line: int
    text: str


class Fence(NamedTuple):
    what: str
    header: re.Pattern
    where: re.Pattern
    where_text: str


def _fence(what: str, header: str, where: str, where_text: str) -> Fence:
    return Fence(what, re.compile(header), re.compile(where), where_text)


FENCES = (
    _fence("multiple precision",
           r"(mpfr|gmp|gmpxx|mpf2mpfr|arb|acb|arf|acf|mag|fmpr|flint|fmp[zq])(_\w+)?\.h$"
           r"|(flint|arb)/",
           r"oracles/number/|tests/", "oracles/number/ or tests/"),
    _fence("vendor",
           r"(f77)?(cblas|openblas_config|lapacke|blis|mkl\w*|mpi)(-\w+)?\.h$|blis/|(oneapi/)?dnnl"
           r"|(xnnpack|pthreadpool)\.h$"
           r"|(unsupported/)?Eigen/|gsl/|CL/|cuda|cublas|hip/|rocblas|libxsmm|(ATen|c10|torch)/",
           r"engine/backends/[^/]+/", "engine/backends/<name>/"),
    _fence("test framework", r"(benchmark|gtest|gmock|rapidcheck)(/|\.h$)", r"tests/", "tests/"),
    _fence("Boost", r"boost/", r"(?!(contracts|oracles)/.*\.h$)",
           "no header of contracts/ or oracles/"),
)

CLOCK_FOLDERS = re.compile(r"fuzz/|engine/(isolate|phase_clock)[^/]*|tests/bench/")
BANNED_EVERYWHERE = (
    (re.compile(r"\brandom_device\b"),
     "a random device makes a run unrepeatable; derive from the seed"),
    (re.compile(r"(?<![\w.>])s?rand\s*\("), "rand has hidden state; derive from the seed"),
    (re.compile(r"(?<![\w.>])time\s*\(\s*(nullptr|NULL|0)\s*\)"),
     "the time of day makes a run unrepeatable"),
)
CLOCK = re.compile(
    r"\b(system_clock|steady_clock|high_resolution_clock|clock_gettime|gettimeofday)\b")

MACHINE_PATH = re.compile(r"(?<![\w.\-/}])/(?:work|root|home)/")
SIBLING = re.compile(r"\.\./" + "shared" + r"\b")
NAMELESS_TODO = re.compile(r"\bTODO\b(?!\([A-Za-z])")
LITERAL_OR_COMMENT = re.compile(
    r'R"(?P<d>[^()\\\s]{0,16})\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\''
    r"|//(?:\\\n|[^\n])*|/\*.*?\*/", re.DOTALL)
LICENSE_LINE = "SPDX-License-Identifier: Apache-2.0"
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def without_literals(code: str) -> str:
    """The C++ code with comments and literals blanked, every line still at its place."""

    def blank(match: re.Match) -> str:
        text = match.group(0)
        stand_in = '""' if text[0] in 'R"' else "0" if text[0] == "'" else " "
        return stand_in + "\n" * text.count("\n")

    return LITERAL_OR_COMMENT.sub(blank, code)


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def is_cxx(path: str) -> bool:
    return path.split("/")[0] in LAYERS and pathlib.PurePosixPath(path).suffix in CXX_SUFFIXES


def is_source(path: str) -> bool:
    name = pathlib.PurePosixPath(path)
    return (is_cxx(path) or name.suffix in {".py", ".cmake", ".sh"} or name.name == "CMakeLists.txt"
            or path in {"dev", ".ci/run"})


def check_includes(path: str, text: str, tree: dict[str, str]) -> Iterator[Finding]:
    if not is_cxx(path):
        return
    own_rank = LAYERS.index(path.split("/")[0])
    for match in INCLUDE.finditer(text):
        quote, header = match.groups()
        line = line_of(text, match.start(1))
        top = header.split("/")[0]
        if top in LAYERS and header in tree and LAYERS.index(top) > own_rank:
            yield Finding("include-direction", path, line,
                          f"{LAYERS[own_rank]}/ may not include {header}")
        if quote == '"' and header not in tree:
            yield Finding("include-root", path, line, f'"{header}" is no file seen from the root')
        for fence in FENCES:
            if fence.header.match(header) and not fence.where.match(path):
                yield Finding("fence", path, line,
                              f"{fence.what} header {header}: only in {fence.where_text}")


def check_fuzzer_symbols(path: str, text: str, _: dict[str, str]) -> Iterator[Finding]:
    if not is_cxx(path) or path.startswith("fuzz/"):
        return
    code = without_literals(text)
    for match in re.finditer(r"\bLLVMFuzzer\w*", code):
        yield Finding("fence", path, line_of(code, match.start()),
                      f"{match.group(0)}: only in fuzz/")


def check_banned_calls(path: str, text: str, _: dict[str, str]) -> Iterator[Finding]:
    if not is_cxx(path):
        return
    code = without_literals(text)
    for pattern, reason in BANNED_EVERYWHERE:
        for match in pattern.finditer(code):
            yield Finding("banned-call", path, line_of(code, match.start()), reason)
    if not CLOCK_FOLDERS.match(path):
        for match in CLOCK.finditer(code):
            yield Finding("banned-call", path, line_of(code, match.start()),
                          f"{match.group(0)}: clocks only in fuzz/, engine/isolate*, engine/phase_clock*, tests/bench/")


def check_registered(path: str, _: str, tree: dict[str, str]) -> Iterator[Finding]:
    if not is_cxx(path):
        return
    if path.endswith(".h") and re.match(r"tests/|fuzz/|engine/backends/", path):
        return  # Private to their programs and modules, which compile them.
    for folder in pathlib.PurePosixPath(path).parents:
        listing = tree.get(str(folder / "CMakeLists.txt"))
        if listing is not None:
            names = re.sub(r"#.*", "", listing).replace("${CMAKE_CURRENT_SOURCE_DIR}/", "")
            if str(pathlib.PurePosixPath(path).relative_to(folder)) in re.split(r'[\s()"]+', names):
                return
    yield Finding("unregistered", path, 1, "no CMakeLists.txt above it lists this file")


def check_file_length(path: str, text: str, _: dict[str, str]) -> Iterator[Finding]:
    lines = len(text.splitlines())
    if is_source(path) and lines > MAX_FILE_LINES:
        yield Finding("file-length", path, lines, f"{lines} lines, at most {MAX_FILE_LINES}")


DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
NO_FUNCTION = re.compile(r"\s*(inline\s+)?(namespace|class|struct|enum|union|extern)\b[^()]*$")


def brace_kind(head: str) -> str:
    """What a brace opens, from the text between the last statement and it."""
    if "(" not in head:
        return "scope"
    if re.search(r"[\w>]$", head):
        return "initializer"  # Such as `a_{1}` in a constructor's list: no space before the brace.
    if re.search(r"=\s*$", head) or NO_FUNCTION.match(head):
        return "scope"
    return "function"


def functions(code: str) -> Iterator[tuple[int, int]]:
    """First and last line of each outermost function body, by braces: a brace opens a function if
    the text since the last statement has a parameter list and is no type, namespace or value."""
    code = DIRECTIVE.sub(lambda m: "\n" * m.group(0).count("\n"), code)
    stack: list[tuple[str, int]] = []
    head_start = 0
    for match in re.finditer(r"[{};]", code):
        if match.group(0) == "{":
            kind = brace_kind(code[head_start:match.start()])
            stack.append((kind, match.start()))
            if kind == "initializer":
                continue  # The head of the constructor goes on behind it.
        elif match.group(0) == "}" and stack:
            kind, start = stack.pop()
            if kind == "initializer":
                continue
            if kind == "function" and all(outer != "function" for outer, _ in stack):
                yield line_of(code, start), line_of(code, match.start())
        head_start = match.end()


def check_function_length(path: str, text: str, _: dict[str, str]) -> Iterator[Finding]:
    if not is_cxx(path):
        return
    for first, last in functions(without_literals(text)):
        if last - first + 1 > MAX_FUNCTION_LINES:
            yield Finding("function-length", path, first,
                          f"a function of {last - first + 1} lines, at most {MAX_FUNCTION_LINES}")


def check_text(path: str, text: str, _: dict[str, str]) -> Iterator[Finding]:
    for rule, pattern, message in (
            ("machine-path", MACHINE_PATH, "an absolute path of one machine"),
            ("sibling", SIBLING, "names a folder outside the repository"),
            ("nameless-todo", NAMELESS_TODO, "needs a name in parentheses and a condition")):
        for match in pattern.finditer(text):
            yield Finding(rule, path, line_of(text, match.start()), message)


def check_license_line(path: str, text: str, _: dict[str, str]) -> Iterator[Finding]:
    first_two = text.splitlines()[:2]
    if is_source(path) and not any(LICENSE_LINE in line for line in first_two):
        yield Finding("license-line", path, 1, "the SPDX line is missing")


RULES = (check_includes, check_fuzzer_symbols, check_banned_calls, check_registered,
         check_file_length, check_function_length, check_text, check_license_line)


def read_tree(root: pathlib.Path) -> dict[str, str]:
    """Path from the root -> text, for every file people read. What git ignores or keeps for itself
    and hidden folders other than .ci are not part of the tree."""
    tree = {}
    for folder, folders, names in os.walk(root):
        if pathlib.Path(folder) == root:
            folders[:] = [name for name in folders if name not in {"build", "campaigns"}]
        folders[:] = sorted(name for name in folders if name == ".ci" or name[0] not in "._")
        for name in sorted(set(names) - {".git", "compile_commands.json"}):
            file = pathlib.Path(folder) / name
            if file.is_file() and file.stat().st_size <= TEXT_LIMIT_BYTES:
                try:
                    tree[file.relative_to(root).as_posix()] = file.read_text(encoding="utf-8")
                except UnicodeDecodeError:
                    pass  # A binary corpus entry.
    return tree


def check_tree(tree: dict[str, str], exceptions: tuple[Allowed, ...]) -> list[Finding]:
    found = [finding for path, text in sorted(tree.items()) for rule in RULES
             for finding in rule(path, text, tree)]
    excused = {(allowed.rule, allowed.path) for allowed in exceptions}
    seen = {(finding.rule, finding.path) for finding in found}
    kept = [finding for finding in found if (finding.rule, finding.path) not in excused]
    return kept + [Finding("stale-exception", path, 1, f"excused from {rule}, which it obeys")
                   for rule, path in sorted(excused - seen)]


def main() -> int:
    if len(sys.argv) != 2 or not os.path.isfile(os.path.join(sys.argv[1], "CMakeLists.txt")):
        print("usage: tidy.py ROOT, the folder with the root CMakeLists.txt", file=sys.stderr)
        return 2
    findings = check_tree(read_tree(pathlib.Path(sys.argv[1])), EXCEPTIONS)
    for finding in findings:
        print(f"{finding.path}:{finding.line}: {finding.rule}: {finding.text}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
