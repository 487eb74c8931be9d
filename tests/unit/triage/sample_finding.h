// SPDX-License-Identifier: Apache-2.0
//
// A finding with every member set.
#pragma once

#include <limits>

#include "triage/finding_record.h"

namespace assay {

inline FindingRecord SampleFinding() {
  FindingRecord record;
  record.signature = "exc01_special_gemm_nan_appears_openblas_alpha_zero";
  record.raw_keys = {"exc01_special_gemm_nan_appears_openblas_alpha_zero"};
  record.contract = "C-EXC-01";
  record.clause = "special";
  record.op = "gemm";
  record.error = "nan_appears";
  record.verdict = "violating";
  record.dtypes = {"f32", "f32", "f32"};
  record.layouts = {"contiguous", "contiguous", "contiguous"};
  record.size_residues = {1, 1, 1};
  record.trigger = "alpha_zero";
  record.backend_family = "openblas";
  record.backend_spec = "cblas:/opt/lib/libopenblas.so.0#core=SkylakeX";
  record.backend_version = "0.3.21";
  record.backend_pins = "core=SkylakeX";
  record.ratio = std::numeric_limits<double>::infinity();
  record.witness_index = {0, 0};
  record.got = "nan (bits 0x7fc00000)";
  record.expected = "0";
  record.bound = "none";
  record.case_line = "gemm alpha=0 a=f32[2,3]:set(0,1=nan) b=f32[3,2] c=f32[2,2]";
  record.minimized_line = "gemm alpha=0 a=f32[1,1]:set(0,0=nan) b=f32[1,1] c=f32[1,1]";
  record.first_seen = "worker 0, quantum 3, case 1234";
  record.count = 42;
  record.confirmed = 3;
  record.confirm_runs = 3;
  record.minimize_runs = 118;
  return record;
}

}  // namespace assay
