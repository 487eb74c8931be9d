// SPDX-License-Identifier: Apache-2.0
//
// Division of integers: where there is no quotient, kernels that answer in one way or another or
// trap; where there is one, kernels that go through a type which does not hold it.
#include <cmath>
#include <csignal>
#include <limits>
#include <optional>
#include <vector>

#include "contracts/int_division.h"
#include "engine/backends/planted/kernels.h"
#include "engine/backends/planted/operands.h"

namespace assay::planted {
namespace {

using Answer = std::optional<int64_t>;

// The quotient by `divide`, or what it leaves. Without a quotient `undefined(quotient, x)` answers,
// or gives nothing, and the call is rejected. The lowest number by -1 leaves 0.
template <class Divider, class Undefined>
int32_t DivideAll(const AssayCall& call, const Divider& divide, const Undefined& undefined) {
  const View x(call.operands[0]), y(call.operands[1]), out(call.operands[2]);
  const IntegerLimits limits = LimitsOf(x.type());
  const bool remainder = call.op == ASSAY_OP_INT_REMAINDER;
  std::vector<int64_t> answers;
  for (int64_t i = 0; i < out.extent(0); ++i) {
    const int64_t a = x.Integer(i), b = y.Integer(i);
    const Quotient kind = QuotientOf(a, b, limits);
    if (kind == Quotient::kBeyond && remainder) {
      answers.push_back(0);
    } else if (kind != Quotient::kThere) {
      const Answer answer = undefined(kind, a);
      if (!answer) return ASSAY_RAISED;
      answers.push_back(*answer);
    } else {
      const auto wrapped = [](int64_t each) { return static_cast<uint64_t>(each); };
      const int64_t quotient = divide(a, b);
      const uint64_t rest = wrapped(a) - wrapped(quotient) * wrapped(b);
      answers.push_back(remainder ? static_cast<int64_t>(rest) : quotient);
    }
  }
  for (int64_t i = 0; i < out.extent(0); ++i) {
    out.SetBits(i, 0, EncodeInteger(x.type(), answers[static_cast<size_t>(i)]));
  }
  return ASSAY_OK;
}

Answer Rejected(Quotient, int64_t) { return std::nullopt; }

auto Exact(const AssayCall& call) {
  const bool floored = call.attributes[0] == 1;
  return [floored](int64_t a, int64_t b) { return Divide(a, b, floored).quotient; };
}

// The quotient of Real arithmetic, brought to the whole number that the style asks for.
template <class Real>
int32_t DivideBy(const AssayCall& call) {
  const bool floored = call.attributes[0] == 1;
  const auto divide = [floored](int64_t a, int64_t b) {
    const Real ratio = static_cast<Real>(a) / static_cast<Real>(b);
    const double whole = floored ? std::floor(ratio) : std::trunc(ratio);
    const bool fits = whole >= -0x1p63 && whole < 0x1p63;
    return fits ? static_cast<int64_t>(whole) : std::numeric_limits<int64_t>::max();
  };
  return DivideAll(call, divide, Rejected);
}

}  // namespace

int32_t IntDivTraps(const AssayCall& call) {
  return DivideAll(call, Exact(call), [](Quotient, int64_t) -> Answer {
    std::raise(SIGFPE);
    return 0;
  });
}

int32_t IntDivZeroForZero(const AssayCall& call) {
  return DivideAll(call, Exact(call), [](Quotient quotient, int64_t) {
    return quotient == Quotient::kByZero ? Answer(0) : Answer();
  });
}

int32_t IntDivWraps(const AssayCall& call) {
  return DivideAll(call, Exact(call), [](Quotient quotient, int64_t a) {
    return quotient == Quotient::kBeyond ? Answer(a) : Answer();
  });
}

int32_t IntDivAllOnes(const AssayCall& call) {
  const bool remainder = call.op == ASSAY_OP_INT_REMAINDER;
  return DivideAll(call, Exact(call), [remainder](Quotient quotient, int64_t a) {
    return Answer(quotient == Quotient::kBeyond || remainder ? a : -1);
  });
}

int32_t IntDivByF32(const AssayCall& call) { return DivideBy<float>(call); }
int32_t IntDivByF64(const AssayCall& call) { return DivideBy<double>(call); }

// One bit of the quotient at a time, on magnitudes.
int32_t IntDivLong(const AssayCall& call) {
  const bool floored = call.attributes[0] == 1;
  const auto divide = [floored](int64_t a, int64_t b) {
    const auto magnitude = [](int64_t each) {
      return each < 0 ? 0 - static_cast<uint64_t>(each) : static_cast<uint64_t>(each);
    };
    const uint64_t divisor = magnitude(b);
    uint64_t quotient = 0, rest = 0;
    for (int bit = 63; bit >= 0; --bit) {
      rest = rest << 1 | (magnitude(a) >> bit & 1);
      if (rest < divisor) continue;
      rest -= divisor;
      quotient |= uint64_t{1} << bit;
    }
    const bool negative = (a < 0) != (b < 0);
    if (floored && negative && rest != 0) ++quotient;
    return static_cast<int64_t>(negative ? 0 - quotient : quotient);
  };
  return DivideAll(call, divide, Rejected);
}

}  // namespace assay::planted
