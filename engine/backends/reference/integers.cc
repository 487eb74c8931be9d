// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "contracts/int_division.h"
#include "engine/backends/reference/formats.h"
#include "engine/backends/reference/kernels.h"

namespace assay::reference {
namespace {

// Looks at all of the operands before it writes anything. The lowest number by -1 leaves 0.
template <class Word>
bool DivideAll(const AssayCall& call, const IntegerLimits& limits) {
  const View<Raw<Word>> x(call.operands[0]), y(call.operands[1]), out(call.operands[2]);
  const bool remainder = call.op == ASSAY_OP_INT_REMAINDER;
  for (int64_t i = 0; i < x.extent(0); ++i) {
    const Quotient quotient = QuotientOf(x.Get(i), y.Get(i), limits);
    if (quotient == Quotient::kByZero || (quotient == Quotient::kBeyond && !remainder))
      return false;
  }
  const bool floored = call.attributes[0] == 1;
  for (int64_t i = 0; i < x.extent(0); ++i) {
    const bool beyond = QuotientOf(x.Get(i), y.Get(i), limits) == Quotient::kBeyond;
    const Division division = beyond ? Division{0, 0} : Divide(x.Get(i), y.Get(i), floored);
    out.Put(static_cast<Word>(remainder ? division.remainder : division.quotient), i);
  }
  return true;
}

}  // namespace

bool IntDivision(const AssayCall& call) {
  const DType type = TypeOf(call.operands[0]);
  const IntegerLimits limits = LimitsOf(type);
  switch (type) {
    case DType::kI64:
      return DivideAll<int64_t>(call, limits);
    case DType::kI32:
      return DivideAll<int32_t>(call, limits);
    case DType::kI8:
      return DivideAll<int8_t>(call, limits);
    default:
      return DivideAll<uint8_t>(call, limits);
  }
}

}  // namespace assay::reference
