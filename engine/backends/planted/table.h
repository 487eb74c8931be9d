// SPDX-License-Identifier: Apache-2.0
//
// The planted kernels as a table: kernels with a known fault, kernels that only look faulty, and
// kernels that do nothing. They prove that a contract can tell right from wrong. A kernel is a pure
// function of its operands, the run number and the schedule seed; it writes nothing but its
// destination, unless that is its fault. Must not depend on the pipeline or the oracles.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "contracts/operator.h"
#include "engine/include/assay/backend.h"

namespace assay {

// What calibration expects of a kernel. kBaseline: fails the tame tests and the contract; kBad:
// passes the tame tests and violates; kGood: passes both.
enum class PlantedState : uint8_t { kBaseline = 0, kBad, kGood };
std::string_view NameOf(PlantedState state);

struct PlantedKernel {
  std::string_view name;  // "gemm_tf32_operands"; [a-z0-9_]
  std::string_view
      contracts;  // "C-PRC-01"; several one blank apart, of which each speaks of some of the ops
  Family family;
  PlantedState state;
  OpSet ops;                 // that the kernel takes
  uint32_t types;            // one bit per DType of the first operand that it takes
  std::string_view profile;  // what it declares
  int32_t (*run)(const AssayCall& call);
  std::string_view note;  // one sentence: what is wrong, and which public failure it mimics
};

// All of them, grouped by family, in a fixed order.
std::span<const PlantedKernel> PlantedTable();
// nullptr if there is none of that name.
const PlantedKernel* FindPlanted(std::string_view name);
bool Serves(const PlantedKernel& kernel, std::string_view contract);

}  // namespace assay
