// SPDX-License-Identifier: Apache-2.0
//
// The ways of making cases that the detection benchmark compares: a campaign's own, and controls
// that each lack something. A name of an arm is one of
//   guided            libFuzzer over typed mutation, with all feedback: what a campaign does
//   guided-BLOCK      the same without one block of features (fuzz/feedback.h), for example
//                     guided-ratio
//   unguided          typed mutation in short chains from fresh cases, no feedback, no corpus
//   uniform           sizes, attributes and values drawn uniformly, dense operands, nothing special
//   raw_bytes         libFuzzer's own mutations of encoded cases, with all feedback
//   allclose          five normal inputs of one fixed shape per type, compared with the reference
//                     by allclose: what benchmarks of generated kernels do
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/detection/hunter.h"

namespace assay {

std::vector<std::string> ArmNames();

// Hunts until the hunter ends the process. REQUIRES a name of ArmNames().
[[noreturn]] void RunArm(std::string_view arm, Hunter& hunter, uint64_t seed);

// The arms under libFuzzer (fuzz/detection/target.cc). `hidden`: position of the block of features
// that is kept from it, or -1.
[[noreturn]] void RunGuided(Hunter& hunter, uint64_t seed, int hidden, bool raw_bytes);

}  // namespace assay
