# SPDX-License-Identifier: Apache-2.0
"""Kernels that differ from the reference in bits and break no rule: for each contract class at least
one, fuzzed with guidance. None may be flagged.

Usage: decoys_test.py ASSAY [CASES]     CASES per decoy; 200000 is the full form"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

# What each does differently stands in its row of engine/backends/planted/.
DECOYS = {
    "C-PRC-01": [("gemm_blocked", "gemm"), ("gemm_block_fma", "gemm"), ("dot_declared_tf32", "dot"),
                 ("sum_compensated", "sum")],
    "C-PRC-02": [("softmax_online", "softmax"), ("norm_welford", "layer_norm"),
                 ("tanh_by_expm1", "tanh")],
    "C-PRC-03": [("gemm_declared_flush", "gemm"), ("binary_declared_flush", "mul")],
    "C-PRC-04": [("gradient_reversed", "scaled_gradient"), ("quantize_by_reciprocal", "quantize")],
    "C-ORD-01": [("gemm_schedule_reordered", "gemm"), ("softmax_schedule_reordered", "softmax")],
    "C-ORD-02": [("scatter_atomics_as_declared", "scatter_add"),
                 ("sum_run_reordered_declared", "sum")],
    "C-ORD-03": [("collective_ring", "all_reduce"), ("collective_tree", "reduce_scatter")],
    "C-CMP-01": [("linear_bias_first", "fused_linear"), ("linear_wide", "fused_linear")],
    "C-CMP-02": [("conv_schedule_reordered", "conv2d")],
    "C-CMP-03": [("attention_online", "attention"), ("conv_reversed", "conv2d")],
    "C-EXC-01": [("sum_negative_zero", "sum"), ("gelu_nan_at_minus_infinity", "gelu")],
    "C-EXC-02": [("gather_wraps_as_declared", "gather"), ("gather_raises", "gather")],
}


class Decoys(unittest.TestCase):
    def test_are_not_flagged(self):
        for contract, decoys in DECOYS.items():
            for name, operator in decoys:
                with self.subTest(contract=contract, decoy=name), \
                     tempfile.TemporaryDirectory() as folder:
                    out = pathlib.Path(folder) / "campaign"
                    run = subprocess.run(
                        [ASSAY, "fuzz", "--op", operator, "--backend", f"planted:{name}", "--cases",
                         str(CASES), "--workers", "2", "--seed", "11", "--out", str(out)],
                        capture_output=True, text=True, timeout=3600, check=False)
                    self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
                    print(f"{contract} {name}: {CASES} cases, not flagged", flush=True)


if __name__ == "__main__":
    ASSAY = sys.argv.pop(1)
    CASES = int(sys.argv.pop(1)) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 5000
    unittest.main()
