# SPDX-License-Identifier: Apache-2.0
"""Every known fault under corpora/regress/ shows on the versions that its file names: a violation
under one of its signatures, a divergence as bits that differ and no violation, a control as neither.
A library that is absent or of another version is skipped and counted.

Usage: regress_test.py ASSAY"""
import json
import pathlib
import re
import subprocess
import sys
import tomllib
import unittest

FILE = pathlib.Path(__file__).resolve().parents[2] / "corpora" / "regress" / "public_faults.toml"


class KnownFaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        listed = subprocess.run([ASSAY, "list", "backends", "--json"], capture_output=True,
                                text=True, timeout=120, check=True)
        cls.versions = {}
        for backend in json.loads(listed.stdout):
            if backend.get("version"):
                cls.versions.setdefault(backend["family"], set()).add(backend["version"])
        cls.faults = tomllib.loads(FILE.read_text())["fault"]

    def installed(self, fault):
        return any(version.startswith(wanted) for wanted in fault["versions"]
                   for version in self.versions.get(fault["library"], ()))

    def check(self, fault, case):
        run = subprocess.run([ASSAY, "repro", case], capture_output=True, text=True, timeout=120,
                             check=False)
        kind = fault.get("kind", "violation")
        violated = re.findall(r"^violated +(\S+)", run.stdout, re.M)
        if kind == "violation":
            self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
            self.assertTrue(set(violated) & set(fault["signatures"]), (violated, run.stdout))
            return
        self.assertIn(run.returncode, (0, 3), run.stdout + run.stderr)
        self.assertEqual(violated, [])
        self.assertEqual("backends differ in bits" in run.stdout, kind == "divergence", run.stdout)

    def test_show_on_the_versions_that_have_them(self):
        skipped = 0
        for fault in self.faults:
            if not self.installed(fault):
                skipped += 1
                continue
            for case in fault["cases"]:
                with self.subTest(case):
                    self.check(fault, case)
        print(f"{len(self.faults) - skipped} faults checked, {skipped} not installed here")

    def test_each_case_is_for_the_library_of_its_fault(self):
        for fault in self.faults:
            for case in fault["cases"]:
                families = re.findall(r"backend=([^\s#:]+)", case)
                self.assertIn(fault["library"], families, case)


if __name__ == "__main__":
    ASSAY = sys.argv.pop(1)
    unittest.main()
