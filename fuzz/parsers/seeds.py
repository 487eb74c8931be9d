#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the parsers' fuzzers start from, taken from the tree so that it never lags behind it: seeds,
one input a file, and dictionaries of the words that the parsers compare with.
Usage: seeds.py ROOT OUT. Writes OUT/{contract,case}.seeds/, .list (the seeds and all inputs that
once showed a fault, separated by commas) and .dict."""

import hashlib
import pathlib
import re
import shutil
import sys

QUOTED_WORD = re.compile(r'(?<!#include )"([^"\\\s]{1,24})"')
WORD = re.compile(r"(?<![\w.])[A-Za-z_][\w-]*")
TEXT = re.compile(r'--.*|"[^"]*"')  # Comments and strings: no words of the language.
SYMBOLS = {
    "contract": "-- := : :: ; , -> <= >= < > = + - * / ^ | ( ) { } [ ] \" 0x1p-40 1e-3 2^-24".split(),
    "case": "= [ ] ( ) : , # @ / 0x1.8p+1 nan -inf 0x7ff8000000000001 -0 18446744073709551615".split(),
}
SOURCES = {
    "contract": ("contracts/language/*.cc", "contracts/language/*.h", "contracts/operators/*.cc"),
    "case": ("contracts/case_*.cc", "contracts/case_*.h", "contracts/dtype.cc",
             "contracts/scalar_text.cc", "contracts/number_text.cc", "contracts/operators/*.cc"),
}


def texts(root: pathlib.Path, *patterns: str) -> list[str]:
    paths = sorted(path for pattern in patterns for path in root.glob(pattern))
    return [path.read_text(encoding="utf-8") for path in paths]


def contract_texts(root: pathlib.Path) -> list[str]:
    return texts(root, "contracts/suite/*.kc", "contracts/profiles/*.kc")


def case_lines(root: pathlib.Path) -> list[str]:
    """A case is one line, and so is a seed; a row of the special values begins with a case."""
    rows = texts(root, "corpora/**/*.case", "contracts/suite/special_values.txt")
    lines = [line.split(" =>")[0].strip() for text in rows for line in text.splitlines()]
    return [line for line in lines if WORD.match(line)]


def words(root: pathlib.Path, kind: str, right: list[str]) -> list[str]:
    """Those in the parser's source and in texts without a mistake."""
    compared = {word for text in texts(root, *SOURCES[kind]) for word in QUOTED_WORD.findall(text)}
    written = {word for text in right for word in WORD.findall(TEXT.sub("", text))}
    return sorted(compared | written | set(SYMBOLS[kind]))


def write(out: pathlib.Path, kind: str, seeds: list[str], kept: list[pathlib.Path],
          dictionary: list[str]) -> None:
    folder = out / f"{kind}.seeds"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    inputs = set(kept)
    for seed in seeds:
        data = seed.encode()
        path = folder / hashlib.sha1(data).hexdigest()
        path.write_bytes(data)
        inputs.add(path)
    (out / f"{kind}.list").write_text(",".join(sorted(map(str, inputs))), encoding="utf-8")
    escaped = [word.replace("\\", "\\\\").replace('"', '\\"') for word in dictionary]
    (out / f"{kind}.dict").write_text("".join(f'"{word}"\n' for word in escaped), encoding="ascii")


def main() -> None:
    root, out = (pathlib.Path(argument) for argument in sys.argv[1:])
    contracts, cases = contract_texts(root), case_lines(root)
    broken = texts(root, "tests/unit/contracts/broken/*.kc")
    kept = list((root / "corpora/regress/parsers").iterdir())
    write(out, "contract", contracts + broken, kept, words(root, "contract", contracts))
    write(out, "case", cases, kept, words(root, "case", cases))


if __name__ == "__main__":
    main()
