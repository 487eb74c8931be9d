// SPDX-License-Identifier: Apache-2.0
//
// What a backend promises: its declared numerical policy, read before anything is judged. Written
// in the contract language (contracts/profiles/*.kc); this is the resolved form for one operator
// and type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/dtype.h"
#include "contracts/operator.h"

namespace assay {

struct Accumulator {
  Format format = Format::kF32;
  bool truncates = false;  // rounding toward zero: twice the unit roundoff
  // Block-FMA units: `block` products and the running value aligned to the largest, cut to 24 +
  // guard bits, summed, truncated. 0: ordinary arithmetic.
  int block = 0;
  int guard = 0;
  friend bool operator==(const Accumulator&, const Accumulator&) = default;
};

enum class IndexPolicy : uint8_t {
  kRaise = 0,
  kClamp,
  kZero,
  kWrapNegative,
  kModulo,
  kFill,
  kDrop
};
inline constexpr int kIndexPolicyCount = 7;
std::string_view NameOf(IndexPolicy policy);

enum class SubnormalPolicy : uint8_t { kPreserve = 0, kFlushOut, kFlushIn, kFlushBoth };
enum class NanPolicy : uint8_t { kPropagate = 0, kMask, kRaise };
enum class GeluLevel : uint8_t { kAbsolute = 0, kTail };

// Everything declared for one (operator, dtype). An empty optional is an undeclared policy: a
// clause that needs it is under_specified.
struct Declared {
  std::optional<Accumulator> accumulator;
  std::optional<double> ulp_limit;      // of the operator's own function, in ulp of `accumulator`
  std::optional<double> ulp_limit_exp;  // of the exponential inside softmax
  std::optional<double> kappa;          // softmax: 1 for exp(x-m), 3 for exp2 with rounded log2 e
  std::optional<double> tiles;          // online forms: number of tiles; 0 for two and three passes
  std::optional<SubnormalPolicy> subnormals;
  std::optional<NanPolicy> nan;
  std::optional<IndexPolicy> out_of_bounds;
  std::optional<double> fill_value;  // with kFill
  std::optional<GeluLevel> level;
  int64_t overread_bytes = 0;            // documented reads past an operand's end
  std::vector<std::string> relaxations;  // names of the relaxations this backend documents
  friend bool operator==(const Declared&, const Declared&) = default;
};

}  // namespace assay
