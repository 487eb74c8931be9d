#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The detection benchmark: how many inputs each planted bug takes to show, and what of a campaign's
means is needed for it. Usage: detection.py ASSAY_DETECT [--smoke] [--seeds N] [--jobs N] [--out DIR].
Writes detection.json (every hunt) and detection.md (the tables) into DIR."""

import argparse
import collections
import json
import pathlib
import statistics
import subprocess
import sys
import typing

# Inputs a hunt may take. Controls end early: most of what they do not find at once they never find,
# and those hunts are what the benchmark's time goes to.
LIMITS = {"guided": 200_000, "unguided": 20_000, "uniform": 2_000, "raw_bytes": 10_000, "allclose": 1_000}
MEANING = {
    "guided": "libFuzzer over typed mutation with all feedback: what a campaign does",
    "unguided": "typed mutation without feedback or corpus",
    "uniform": "uniform sizes and values, dense operands, no special values",
    "raw_bytes": "libFuzzer's own mutations of encoded cases, same feedback",
    "allclose": "five normal inputs of one fixed shape per type, allclose",
}
GOAL = 200_000  # every bug within so many inputs, by the median of the seeds

# The same code as another kernel, built without instruments: shows what coverage is for, and is no
# bug of its own.
BLIND = {"planted_branch_blind": "planted_branch"}

# What the smoke run hunts, and the arms that have to find it.
SMOKE = {
    "gemm_tf32_operands": {"guided", "unguided"},
    "sum_zeros": {"guided", "unguided", "uniform", "raw_bytes", "allclose"},
    "gather_modulo": {"guided", "unguided"},
    "softmax_no_shift": {"guided", "unguided"},
    "unary_nan_dropped_in_body": {"guided", "unguided"},
}
SMOKE_LIMIT = 10_000


def hunt(program: str, kernels: list[str], limits: dict[str, int], seeds: int, jobs: int,
         log: typing.TextIO | None = None) -> list[dict]:
    """Each hunt goes to `log` as it ends, so that an interrupted benchmark keeps what it has."""
    command = [program, "--seeds", str(seeds), "--jobs", str(jobs)]
    for kernel in kernels:
        command += ["--kernel", kernel]
    for arm, limit in limits.items():
        command += ["--arm", f"{arm}={limit}"]
    rows = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as hunts:
        for line in hunts.stdout:
            rows.append(json.loads(line))
            if log is not None:
                log.write(line)
    if hunts.returncode != 0:
        sys.exit(f"detection: {program} ended with {hunts.returncode}")
    died = sorted({f"{row['kernel']} ({row['arm']})" for row in rows if row["died"]})
    if died:
        sys.exit(f"detection: these hunts ended their process: {', '.join(died)}")
    return sorted(rows, key=lambda row: (row["kernel"], row["arm"], row["seed"]))


def median_inputs(rows: list[dict]) -> float:
    """A hunt that found nothing took longer than any limit."""
    return statistics.median(row["inputs"] if row["found"] else float("inf") for row in rows)


def found_within(rows: list[dict], limit: int) -> bool:
    return median_inputs(rows) <= limit


def share(groups: list[list[dict]], limit: int) -> str:
    found = sum(found_within(rows, limit) for rows in groups)
    return f"{found} of {len(groups)} ({100 * found / len(groups):.1f} %)"


def count_text(value: float) -> str:
    return "not found" if value == float("inf") else f"{value:,.0f}"


def by_kernel(rows: list[dict]) -> dict[tuple[str, str], list[dict]]:
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["arm"], row["kernel"]].append(row)
    return groups


def summary_table(rows: list[dict]) -> str:
    groups = by_kernel([row for row in rows if row["kernel"] not in BLIND])
    text = ("| cases made by | inputs at most | bad kernels found | baselines found "
            "| median inputs | guided, same limit |\n|---|---|---|---|---|---|\n")
    for arm in dict.fromkeys(row["arm"] for row in rows):
        own = {kernel: group for (each, kernel), group in groups.items() if each == arm}
        limit = next(iter(own.values()))[0]["limit"]
        bad = [group for kernel, group in own.items() if group[0]["state"] == "bad"]
        lazy = [group for kernel, group in own.items() if group[0]["state"] == "baseline"]
        guided = [groups["guided", group[0]["kernel"]] for group in bad]
        medians = [median_inputs(group) for group in bad if found_within(group, limit)]
        middle = count_text(statistics.median(medians)) if medians else "-"
        text += (f"| {MEANING.get(arm, arm)} | {limit:,} | {share(bad, limit)} "
                 f"| {share(lazy, limit) if lazy else '-'} | {middle} | {share(guided, limit)} |\n")
    return text


def class_table(rows: list[dict]) -> str:
    """Bad kernels per first contract."""
    classes = collections.defaultdict(lambda: collections.defaultdict(list))
    for (arm, kernel), group in by_kernel(rows).items():
        if group[0]["state"] == "bad" and kernel not in BLIND:
            classes[group[0]["contracts"].split(" ")[0] or "any"][arm].append(group)
    arms = list(dict.fromkeys(row["arm"] for row in rows))
    text = "| contract | kernels | " + " | ".join(arms) + " |\n|---|---|" + "---|" * len(arms) + "\n"
    for contract, by_arm in sorted(classes.items()):
        cells = [str(sum(found_within(group, group[0]["limit"]) for group in by_arm[arm]))
                 for arm in arms]
        text += f"| {contract} | {len(by_arm[arms[0]])} | " + " | ".join(cells) + " |\n"
    return text


def kernel_table(rows: list[dict]) -> str:
    groups = by_kernel(rows)
    arms = list(dict.fromkeys(row["arm"] for row in rows))
    text = ("| planted bug | contract | " + " | ".join(arms) + " | seconds |\n|---|---|"
            + "---|" * (len(arms) + 1) + "\n")
    for kernel in dict.fromkeys(row["kernel"] for row in rows):
        own = [groups[arm, kernel] for arm in arms]
        seconds = statistics.median(row["seconds"] for row in own[0])
        text += (f"| {kernel} | {own[0][0]['contracts'] or 'any'} | "
                 + " | ".join(count_text(median_inputs(group)) for group in own)
                 + f" | {seconds:.2f} |\n")
    return text


def coverage_table(rows: list[dict]) -> str:
    """A fault behind branches, with the coverage of instrumented code and without it."""
    groups = by_kernel(rows)
    text = "| fault behind branches | built | inputs, seed by seed |\n|---|---|---|\n"
    for blind, seeing in BLIND.items():
        for kernel, built in ((seeing, "with instruments"), (blind, "without")):
            hunts = [count_text(row["inputs"] if row["found"] else float("inf"))
                     for row in groups.get(("guided", kernel), [])]
            text += f"| {seeing} | {built} | {'; '.join(hunts) or 'not hunted'} |\n"
    return text


def tables(rows: list[dict]) -> str:
    seeds = len({row["seed"] for row in rows})
    missed = [kernel for (arm, kernel), group in by_kernel(rows).items()
              if arm == "guided" and kernel not in BLIND and not found_within(group, GOAL)]
    return (f"# Planted bugs: inputs until they show\n\nSeeds: {seeds}, of which medians are taken. A bug counts as found "
            "when the median is within the limit, and shows when a contract that it breaks is\n"
            f"violated (allclose: when an answer is not close). Guided misses: {', '.join(missed) or 'none'}.\n\n"
            f"{summary_table(rows)}\n{coverage_table(rows)}\n## By contract\n\nBad kernels found, of those whose first contract it is.\n\n"
            f"{class_table(rows)}\n## By kernel\n\nMedian inputs; seconds of one core, guided.\n\n"
            f"{kernel_table(rows)}")


def smoke(program: str, jobs: int) -> None:
    limits = {arm: min(limit, SMOKE_LIMIT) for arm, limit in LIMITS.items()}
    rows = hunt(program, list(SMOKE), limits, 1, jobs)
    assert len(rows) == len(SMOKE) * len(limits), "one hunt per bug and arm"
    for row in rows:
        if row["arm"] in SMOKE[row["kernel"]]:
            assert row["found"], f"{row['arm']} misses {row['kernel']}"
        # Bad kernels are those that tame tests do not show.
        assert not (row["arm"] == "allclose" and row["state"] == "bad" and row["found"]), row
    for kernel in SMOKE:
        assert f"| {kernel} |" in tables(rows), kernel


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."))
    arguments = parser.parse_args()
    if arguments.smoke:
        return smoke(arguments.program, arguments.jobs)
    arguments.out.mkdir(parents=True, exist_ok=True)
    with open(arguments.out / "detection.json", "w", encoding="utf-8") as log:
        rows = hunt(arguments.program, [], LIMITS, arguments.seeds, arguments.jobs, log)
    (arguments.out / "detection.md").write_text(tables(rows))
    print(summary_table(rows))
    print(coverage_table(rows))


if __name__ == "__main__":
    main()
