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

// An integer divided by zero, and the lowest integer by -1, whose quotient the type cannot hold.
enum class DivisionPolicy : uint8_t { kRaise = 0, kZero, kAllOnes, kWrap, kDividend };
inline constexpr int kDivisionPolicyCount = 5;
std::string_view NameOf(DivisionPolicy policy);

enum class SubnormalPolicy : uint8_t { kPreserve = 0, kFlushOut, kFlushIn, kFlushBoth };
enum class NanPolicy : uint8_t { kPropagate = 0, kMask, kRaise };
enum class GeluLevel : uint8_t { kAbsolute = 0, kTail };
// Runs of one call in one configuration: the same bits, answers within twice the bound, or no
// promise beyond accuracy. (CUB's "run to run" means the first.)
enum class Determinism : uint8_t { kBitwise = 0, kBounded, kNone };
// What may change around a row without changing its bits. A bit mask.
using Invariance = uint8_t;
inline constexpr Invariance kBatchInvariant = 1;      // the rows beside it
inline constexpr Invariance kThreadInvariant = 2;     // the number of threads
inline constexpr Invariance kAlignmentInvariant = 4;  // where the operands lie
inline constexpr Invariance kRankInvariant = 8;       // collectives: all ranks hold the same bits
inline constexpr Invariance kScheduleInvariant = 16;  // overlap, bucket and tuning choices
// An integer sum beyond 32 bits, or of two products beyond 16 (kSaturatePairs); a cast of a float
// that its integer type cannot hold.
enum class IntegerOverflow : uint8_t { kWrap = 0, kSaturate, kSaturatePairs };
enum class CastOutside : uint8_t { kIndefinite = 0, kSaturateNanZero };
// A row of attention or softmax in which everything is masked.
enum class MaskedRow : uint8_t { kNan = 0, kZero };
// Place of the maximum where a NaN is among the elements.
enum class NanPlace : uint8_t {
  kFirstNan = 0,
  kReference
};  // kReference: as the BLAS loop finds it
enum class QuantizeRounding : uint8_t { kHalfEven = 0, kHalfAway };

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
  std::optional<double> ulp_limit_log;    // of the logarithm inside log_softmax and log_sum_exp
  std::optional<double> ulp_limit_rsqrt;  // of the reciprocal square root inside the norms
  std::optional<double> error_floor;      // absolute error that is allowed beside the ulp limit
  std::optional<double> argument_limit;   // |argument| up to which the ulp limit is promised
  std::optional<Determinism> determinism;
  Invariance invariance = 0;            // what is declared, of what may be
  std::optional<Format> probabilities;  // attention: the type P is kept in
  std::optional<IntegerOverflow> integer_overflow;
  std::optional<CastOutside> cast_outside;
  std::optional<MaskedRow> masked_row;
  std::optional<NanPlace> nan_place;
  std::optional<QuantizeRounding> rounding;
  std::optional<DivisionPolicy> division_by_zero;   // int_div, int_remainder
  std::optional<DivisionPolicy> division_overflow;  // the lowest integer by -1
  bool full_range = false;               // nrm2, hypot: squares that overflow are handled
  int64_t overread_bytes = 0;            // documented reads past an operand's end
  std::vector<std::string> relaxations;  // names of the relaxations this backend documents
  friend bool operator==(const Declared&, const Declared&) = default;
};

}  // namespace assay
