#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program as a user runs it: what it refuses, that a campaign repeats, survives what its
libraries do to it and the death of all its processes. Usage: campaign_test.py ASSAY HOSTILE GROUP."""

import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ASSAY = pathlib.Path(sys.argv[1]).resolve()
HOSTILE = pathlib.Path(sys.argv[2]).resolve()
LIMIT_SECONDS = 200


def assay(*arguments, limit=LIMIT_SECONDS):
    return subprocess.run([str(ASSAY), *map(str, arguments)], capture_output=True, text=True,
                          timeout=limit, stdin=subprocess.DEVNULL)


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="assay-e2e-")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def fuzz(self, name, *arguments):
        run = assay("fuzz", "--out", self.scratch / name, *arguments)
        self.assertIn(run.returncode, (0, 1), run.stderr)
        return self.scratch / name

    def state(self, campaign):
        return json.loads((campaign / "state.json").read_text())

    def cases(self, campaign):
        return sum(worker["cases"] for worker in self.state(campaign)["workers"])


class CommandLine(Scratch):
    def refused(self, *arguments, naming):
        run = assay(*arguments)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertEqual(run.stdout, "")
        for text in naming:
            self.assertIn(text, run.stderr)

    def test_misspelt_words_are_answered_with_the_nearest(self):
        self.refused("fuz", naming=["'fuz'", "'fuzz'"])
        self.refused("fuzz", "--tiem", "3s", naming=["--tiem", "--time"])
        self.refused("fuzz", "--op", "gemn", naming=["--op", "'gemn'", "'gemm'"])
        self.refused("list", "op", naming=["'op'", "'ops'"])

    def test_an_unknown_backend_is_refused_before_anything_is_written(self):
        out = self.scratch / "out"
        self.refused("fuzz", "--backend", "referense", "--out", out, naming=["referense"])
        self.refused("fuzz", "--backend", "cblas:/bin/sh", "--out", out, naming=["/bin/sh"])
        self.assertFalse(out.exists())

    def test_an_output_that_is_a_file_or_not_empty_is_refused(self):
        file = self.scratch / "file"
        file.write_text("kept")
        self.refused("fuzz", "--out", file, naming=["--out", str(file), "is a file"])
        self.refused("fuzz", "--out", self.scratch, naming=["is not empty", "--resume"])
        self.assertEqual(file.read_text(), "kept")

    def test_what_a_campaign_is_made_of_cannot_change_on_resume(self):
        self.refused("fuzz", "--resume", self.scratch, "--seed", "3", naming=["--resume"])
        self.refused("fuzz", "--resume", self.scratch, naming=["is no campaign"])

    def test_a_case_line_that_is_cut_in_the_middle_is_refused_with_its_place(self):
        self.refused("repro", "gemm alpha=", naming=["case line", "column"])

    def test_a_contract_with_a_fault_is_refused_with_its_place(self):
        contract = self.scratch / "bad.kc"
        contract.write_text('contract C-PRC-01 "x"\n  scoop operators gemm\n')
        self.refused("check", contract, naming=[f"{contract}:2:"])

    def test_a_number_out_of_range_is_refused_before_backends_are_opened(self):
        for option, value in (("--cases", "0"), ("--cases", "99999999999999999999"),
                              ("--seed", "-1"), ("--seed", "18446744073709551616")):
            self.refused("fuzz", option, value, "--out", self.scratch / "out",
                         naming=[option, value, "at least", "at most"])
            self.assertNotIn("opening", assay("fuzz", option, value).stderr)

    def test_the_greatest_seed_is_kept(self):
        seed = str(2**64 - 1)
        out = self.fuzz("seed", "--op", "sum", "--backend", "reference", "--cases", "10",
                        "--workers", "1", "--seed", seed)
        self.assertIn(seed, (out / "campaign.toml").read_text())
        self.assertEqual(assay("fuzz", "--resume", out, "--cases", "20").returncode, 0)

    def test_damaged_counters_are_refused(self):
        out = self.fuzz("damaged", "--op", "sum", "--backend", "reference", "--cases", "10",
                        "--workers", "1")
        for content in (b"", b"garbage", b"\xff" * (out / "counters.bin").stat().st_size):
            (out / "counters.bin").write_bytes(content)
            self.refused("report", out, naming=["counters.bin", "remove it"])
            self.refused("fuzz", "--resume", out, "--cases", "20", naming=["counters.bin"])

    def test_an_export_replaces_no_special_file(self):
        out = self.fuzz("export", "--op", "sum", "--backend", "reference", "--cases", "10",
                        "--workers", "1")
        pipe = self.scratch / "pipe"
        os.mkfifo(pipe)
        self.refused("corpus", "export", out, "--out", pipe, naming=["no regular file"])
        self.assertTrue(pipe.is_fifo())
        self.assertFalse((self.scratch / "pipe.index.jsonl").exists())

    def test_output_that_is_lost_is_told(self):
        out = self.fuzz("lost", "--op", "sum", "--backend", "reference", "--cases", "10",
                        "--workers", "1")
        for arguments in (("list", "ops"), ("report", out), ("report", out, "--json"), ("--help",)):
            for target in (">/dev/full", ">&-"):
                run = subprocess.run(["sh", "-c", f'"$@" {target}', "sh", ASSAY, *arguments],
                                     stderr=subprocess.PIPE, text=True)
                self.assertEqual(run.returncode, 4, (arguments, target))
                self.assertIn("standard output: cannot be written", run.stderr)

    def test_a_closed_standard_error_changes_no_exit_code(self):
        for target in ("2>&-", "2>/dev/full"):
            run = subprocess.run(["sh", "-c", f'"$@" {target}', "sh", ASSAY, "list", "bogus"])
            self.assertEqual(run.returncode, 2)

    def test_a_file_that_is_not_there_is_named(self):
        self.refused("repro", "/nonexistent", naming=["/nonexistent", "no such file"])

    def test_a_contract_that_cannot_be_read_is_refused_with_the_reason(self):
        self.refused("check", self.scratch, naming=["directory"])
        huge = self.scratch / "huge.kc"
        with open(huge, "wb") as file:
            file.truncate(2 << 20)
        self.refused("check", huge, naming=[str(huge)])
        self.assertNotIn("holds nothing", assay("check", huge).stderr)

    def test_lists_are_json_when_asked_for(self):
        operators = json.loads(assay("list", "ops", "--json").stdout)
        self.assertIn("gemm", [operator["name"] for operator in operators])
        backends = json.loads(assay("list", "backends", "--json").stdout)
        self.assertIn("reference", [backend["spec"] for backend in backends])


def fingerprint(campaign):
    """What must repeat: findings with cases and counts, and the corpus."""
    findings = {record["signature"]: (record["case"], record["minimized_case"], record["count"])
                for record in json.loads(assay("report", campaign, "--json").stdout)}
    texts = {str(path.relative_to(campaign)): path.read_text()
             for name in ("case", "minimized") for path in campaign.glob(f"findings/*/{name}")}
    corpus = {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
              for path in (campaign / "corpus").iterdir()}
    return findings, texts, corpus


def processes_naming(path):
    found = []
    for cmdline in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(path).encode() in cmdline.read_bytes():
                found.append(cmdline.parent.name)
        except OSError:
            pass
    return found


class Campaign(Scratch):
    BACKENDS = ("--backend", "reference", "--backend", "planted:gemm_hf32_operands",
                "--backend", "planted:gemm_reads_past_c")

    def test_two_campaigns_with_one_worker_are_equal(self):
        arguments = ("--op", "gemm", *self.BACKENDS, "--workers", "1", "--seed", "7", "--cases",
                     "3000", "--quantum", "1000")
        first, second = (self.fuzz(name, *arguments) for name in ("a", "b"))
        self.assertEqual(self.cases(first), 3000)
        self.assertEqual(fingerprint(first), fingerprint(second))
        self.assertTrue(fingerprint(first)[0], "a planted fault is found")
        self.assertGreater(len(fingerprint(first)[2]), 20, "feedback makes a corpus")

    def test_minimized_cases_reproduce_and_are_minimal(self):
        campaign = self.fuzz("a", "--op", "gemm", *self.BACKENDS, "--cases", "2000")
        records = json.loads(assay("report", campaign, "--json").stdout)
        for record in records:
            self.assertTrue(record["witness"]["bound"], record)
            trigger, guard = record["facets"]["trigger"], record["clause"] == "guards"
            self.assertEqual(trigger == "", guard, record)
            self.assertTrue(record["signature"].endswith(trigger), record)
        for minimized in campaign.glob("findings/*/minimized"):
            run = assay("repro", minimized)
            self.assertEqual(run.returncode, 1, run.stderr)
            lines = [text.split(None, 1) for text in run.stdout.splitlines()]
            at = next(i for i, text in enumerate(run.stdout.splitlines()) if ": violating" in text)
            self.assertEqual([words[0] for words in lines[at + 1:at + 6]],
                             ["witness", "got", "expected", "bound", "ratio"], run.stdout)
            self.assertTrue(all(len(words) == 2 for words in lines[at + 1:at + 6]), run.stdout)
            line = minimized.read_text().strip()
            self.assertEqual(assay("repro", line, "--backend", "reference").returncode, 0)
            self.assertEqual(assay("minimize", minimized).stdout.strip(), line)

    def test_a_violated_class_and_a_guard_say_what_decides(self):
        for line, witness, bound in (
                ("dot x=f32[1]:fill(zero) y=f32[1]:set(0=nan) out=f32[] "
                 "backend=planted:dot_zero_skip", "[]", "none: a class decides"),
                ("gemm beta=1 a=f32[1,0] b=f32[0,1] c=f32[1,1]:fill(zero) "
                 "backend=planted:gemm_reads_past_c", "operand c, 9 bytes after its end, read",
                 "none: a memory access decides")):
            run = assay("repro", line)
            self.assertIn(f"    witness   {witness}\n", run.stdout)
            self.assertIn(f"    bound     {bound}\n", run.stdout)

    def test_garbage_in_the_corpus_is_counted_and_harms_nothing(self):
        campaign = self.fuzz("a", "--op", "sum", "--backend", "reference", "--cases", "300")
        before = sum(self.state(campaign)["rejects"])
        garbage = campaign / "corpus" / os.fsdecode(b"garb%age \xff")
        garbage.write_bytes(bytes(range(256)) * 4096)
        os.mkfifo(campaign / "corpus" / "pipe")
        run = assay("fuzz", "--resume", campaign, "--cases", "300")
        self.assertEqual(self.cases(campaign), 300)
        self.assertIn("--cases 300 is the campaign's total", run.stderr)
        self.assertIn(f"{before + 2} not_a_case", run.stdout)
        for cases in (700, 701):
            run = assay("fuzz", "--resume", campaign, "--cases", cases)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(self.cases(campaign), cases)
            self.assertEqual(sum(self.state(campaign)["rejects"]), before + 2)
        self.assertEqual(len(garbage.read_bytes()), 1 << 20)

    def test_an_interrupt_says_how_to_go_on(self):
        out = self.scratch / "a"
        run = subprocess.Popen([ASSAY, "fuzz", "--backend", "reference", "--out", out],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while "fuzzing" not in run.stderr.readline():
            pass
        run.send_signal(signal.SIGINT)
        _, errors = run.communicate(timeout=LIMIT_SECONDS)
        self.assertEqual(run.returncode, 130, errors)
        self.assertIn(f"--resume {out}", errors)
        self.assertEqual(processes_naming(out), [])

    def stop(self, out, *arguments, again_after):
        log = (self.scratch / "log").open("w+")
        self.addCleanup(log.close)
        run = subprocess.Popen([ASSAY, "fuzz", "--out", out, "--workers", "1", "--quantum",
                                "100000000", *arguments], stdout=log, stderr=log)
        deadline = time.monotonic() + LIMIT_SECONDS
        while not any((out / "work").glob("new-*/*")) and "hang" not in str(arguments):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        time.sleep(again_after)
        run.send_signal(signal.SIGTERM)
        time.sleep(again_after)
        run.send_signal(signal.SIGTERM)
        self.assertEqual(run.wait(timeout=LIMIT_SECONDS), 130)
        log.seek(0)
        return log.read()

    def test_cases_of_a_quantum_that_is_stopped_stay_counted(self):
        out = self.scratch / "a"
        text = self.stop(out, "--op", "sum", "--backend", "reference", again_after=0)
        self.assertGreater(self.cases(out), 0)
        self.assertIn(f"done: {self.cases(out):,} cases", text)
        last = [line for line in text.splitlines() if line][-1]
        self.assertTrue(last.startswith("assay: interrupted"), text)
        self.assertEqual(self.state(out)["workers"][0]["quanta"], 1)

    def test_a_second_interrupt_cuts_a_call_that_does_not_end(self):
        out = self.scratch / "a"
        self.stop(out, "--op", "sum", "--backend", f"{HOSTILE}#mode=hang", "--hang-limit", "100s",
                  again_after=1.5)
        self.assertGreater(self.cases(out), 0)
        self.assertEqual(processes_naming(out), [])

    def test_a_resumed_campaign_begins_with_the_findings_it_has(self):
        campaign = self.fuzz("a", "--op", "gemm", *self.BACKENDS, "--cases", "1000")
        count = len(list((campaign / "findings").iterdir()))
        self.assertGreater(count, 0)
        run = assay("fuzz", "--resume", campaign, "--cases", "1001")
        first = next(line for line in run.stderr.splitlines() if "] fuzzing" in line)
        self.assertIn(f" {count} findings", first)

    def test_a_campaign_goes_on_after_the_death_of_all_its_processes(self):
        out = self.scratch / "a"
        run = subprocess.Popen([ASSAY, "fuzz", "--op", "gemm", *self.BACKENDS, "--out", out,
                                "--quantum", "500"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + LIMIT_SECONDS
        while not any((out / "findings").glob("*/record.json")):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        while processes_naming(out):   # The kernel ends the workers; nobody else is left to.
            self.assertLess(time.monotonic(), deadline, "an orphan lives on")
        before = {record["signature"]: record["count"]
                  for record in json.loads(assay("report", out, "--json").stdout)}
        resumed = assay("fuzz", "--resume", out, "--time", "3s")
        self.assertEqual(resumed.returncode, 1, resumed.stderr)
        after = json.loads(assay("report", out, "--json").stdout)
        counts = {record["signature"]: record["count"] for record in after}
        for signature, count in before.items():
            self.assertGreaterEqual(counts[signature], count)
        raw_keys = [key for record in after for key in record["raw_keys"]]
        self.assertEqual(len(raw_keys), len(set(raw_keys)), "nothing is there twice")
        self.assertEqual(processes_naming(out), [])


class Hostile(Scratch):
    def survive(self, mode, error, *more):
        campaign = self.fuzz(mode, "--op", "sum", "--backend", "reference", "--backend",
                             f"{HOSTILE}#mode={mode}", "--workers", "1", "--cases", "2000", *more)
        self.assertEqual(self.cases(campaign), 2000)
        records = json.loads(assay("report", campaign, "--json").stdout)
        self.assertEqual({record["backend"]["name"] for record in records}, {"hostile"})
        self.assertIn(error, [record["error"] for record in records])
        for record in records:
            if record["error"] == error:
                self.assertEqual(record["class"], "X-SAFE-01")
                self.assertEqual(record["confirmed"], record["confirm_runs"])
        return records

    def test_a_segmentation_fault_is_a_finding(self):
        self.survive("crash", "crash")

    def test_a_process_that_is_ended_is_a_finding(self):
        self.survive("exit", "crash")
        self.survive("abort", "crash")

    def test_a_stack_overflow_is_a_finding(self):
        self.survive("overflow", "crash")

    def test_a_call_that_does_not_end_is_a_finding(self):
        self.survive("hang", "timeout", "--hang-limit", "200ms")


class Guidance(Scratch):
    def test_coverage_leads_to_the_fault_behind_a_chain_of_branches(self):
        # The unit test of the module draws as many cases without feedback and meets nothing.
        campaign = self.fuzz("branch", "--backend", "planted_branch", "--op", "gemm", "--workers",
                             "1", "--cases", "800000", "--seed", "2")
        keys = [folder.name for folder in (campaign / "findings").iterdir()]
        self.assertTrue(any("planted_branch" in key for key in keys), keys)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
