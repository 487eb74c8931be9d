# SPDX-License-Identifier: Apache-2.0
"""Every published incident under corpora/incidents/: its case violates the contract that its file
names, under the signature that it names, and its good twin conforms.

Usage: incidents_test.py ASSAY"""
import pathlib
import re
import subprocess
import sys
import unittest

INCIDENTS = pathlib.Path(__file__).resolve().parents[2] / "corpora" / "incidents"
FIELDS = ("Published", "Emulated", "Class", "Signature", "Good twin")


def field(text, name):
    found = re.search(rf"^# {name}: *(.*(?:\n#  +.*)*)", text, re.M)
    return "" if found is None else " ".join(found.group(1).replace("\n#", " ").split())


class Incidents(unittest.TestCase):
    def repro(self, path, *more):
        run = subprocess.run([ASSAY, "repro", str(path), *more], capture_output=True, text=True,
                             timeout=120, check=False)
        return run.returncode, run.stdout, run.stderr

    def test_say_what_was_published_and_what_is_emulated(self):
        for path in sorted(INCIDENTS.glob("*.case")):
            with self.subTest(path.name):
                text = path.read_text()
                for name in FIELDS:
                    self.assertTrue(field(text, name), f"no '# {name}:'")

    def test_violate_the_contract_under_the_signature_that_they_name(self):
        paths = sorted(INCIDENTS.glob("*.case"))
        self.assertGreaterEqual(len(paths), 12)
        for path in paths:
            with self.subTest(path.name):
                text = path.read_text()
                code, out, error = self.repro(path)
                self.assertEqual(code, 1, out + error)
                if field(text, "Class") != "X-SAFE-01":  # a call that does not end has no clauses
                    self.assertRegex(out, rf"\n  {field(text, 'Class')}/\w+: violating")
                self.assertEqual(re.findall(r"^violated +(\S+)", out, re.M),
                                 [field(text, "Signature")])

    def test_good_twins_conform(self):
        for path in sorted(INCIDENTS.glob("*.case")):
            with self.subTest(path.name):
                text = path.read_text()
                code, out, error = self.repro(path, "--backend", field(text, "Good twin"))
                self.assertEqual(code, 0, out + error)
                self.assertRegex(out, rf"\n  {field(text, 'Class')}/\w+: conforming")


if __name__ == "__main__":
    ASSAY = sys.argv.pop(1)
    unittest.main()
