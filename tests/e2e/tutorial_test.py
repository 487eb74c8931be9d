# SPDX-License-Identifier: Apache-2.0
"""The tutorial of contracts/LANGUAGE.md, done as a reader would: its contract is saved as a file, checked,
and judges a faulty kernel and the reference.

Usage: tutorial_test.py ASSAY"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

LANGUAGE = pathlib.Path(__file__).resolve().parents[2] / "contracts" / "LANGUAGE.md"
LINE = "relu x=f32[9]:fill(constant,3) out=f32[9]"


class Tutorial(unittest.TestCase):
    def setUp(self):
        text = LANGUAGE.read_text()
        found = re.search(r"## Tutorial.*?```kc\n(.*?)```", text, re.S)
        self.assertIsNotNone(found, "the tutorial shows a contract")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.id = re.search(r"contract (\S+)", found.group(1)).group(1)
        self.file = self.folder / f"{self.id}.kc"
        self.file.write_text(found.group(1))

    def run_assay(self, *arguments):
        run = subprocess.run([ASSAY, *arguments], capture_output=True, text=True, timeout=120,
                             check=False)
        return run.returncode, run.stdout, run.stderr

    def test_checks(self):
        code, out, error = self.run_assay("check", str(self.file))
        self.assertEqual(code, 0, out + error)

    def test_judges_a_faulty_kernel(self):
        code, out, error = self.run_assay("repro", LINE, "--suite", str(self.folder), "--backend",
                                          "planted:unary_tail_unmasked")
        self.assertEqual(code, 1, out + error)
        self.assertIn(f"{self.id}/exactly: violating", out)

    def test_lets_the_reference_conform(self):
        code, out, error = self.run_assay("repro", LINE, "--suite", str(self.folder), "--backend",
                                          "reference")
        self.assertEqual(code, 0, out + error)
        self.assertIn(f"{self.id}/exactly: conforming", out)


if __name__ == "__main__":
    ASSAY = sys.argv.pop(1)
    unittest.main()
