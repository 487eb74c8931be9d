// SPDX-License-Identifier: Apache-2.0
//
// Steps toward plain values: fills toward zero, one and elements set by hand; fewer of those; each
// toward 0, 1 and small integers, or toward the plainest member of its class.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "triage/steps.h"

namespace assay {
namespace {

// Operands with more elements get no element singled out by every position.
constexpr int64_t kMaxOutliers = 64;
// Larger integers are not counted down by one: a predicate that takes every such step would eat the
// whole budget of runs.
constexpr int64_t kLargestCountedDown = 1024;

bool HasValues(const StepSource& source, int operand) {
  return source.role(operand) != Role::kOutput;
}

// ---- Fills ----

bool OfferUniform(const StepSource& source, int operand, const Offer& offer) {
  Case variant = source.value();
  Tensor& tensor = variant.operands[operand];
  const auto offered = [&](const Fill& fill) {
    tensor.fill = fill;
    return offer(variant);
  };
  if (offered({})) return true;
  for (const double x : {1.0, 2.0, -1.0}) {
    if (offered({FillKind::kConstant, 0, x, 0})) return true;
  }
  const OperandValues& values = source.values().operands[static_cast<size_t>(operand)];
  if (!IsFloat(tensor.dtype) || values.count == 0) return false;
  // What the operand holds: any element, then the extremes of magnitude.
  const auto by_magnitude = [](double a, double b) { return std::fabs(a) < std::fabs(b); };
  const auto [least, most] =
      std::minmax_element(values.real.begin(), values.real.end(), by_magnitude);
  const double subnormal = InfoOf(FormatOf(tensor.dtype)).smallest_normal / 2;
  for (const double x : {values.real.front(), values.real.back(), *least, *most,
                         values.any_subnormal ? subnormal : 1.0}) {
    if (std::isfinite(x) && offered({FillKind::kConstant, 0, x, 0})) return true;
  }
  return false;
}

// Elements worth singling out: all of a few, else the ends and the extremes.
std::vector<int64_t> Outliers(const OperandValues& values) {
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < std::min(values.count, kMaxOutliers); ++i) positions.push_back(i);
  if (values.count <= kMaxOutliers) return positions;
  positions = {0, values.count - 1};
  if (values.real.empty()) return positions;
  const auto [least, most] = std::minmax_element(values.real.begin(), values.real.end());
  positions.push_back(most - values.real.begin());
  positions.push_back(least - values.real.begin());
  return positions;
}

// Zero, but for all elements or one of them, set by hand.
bool OfferSpelled(const StepSource& source, int operand, const Offer& offer) {
  const OperandValues& values = source.values().operands[static_cast<size_t>(operand)];
  Case variant = source.value();
  Tensor& tensor = variant.operands[operand];
  const Tensor& before = source.value().operands[operand];
  if (before.fill.kind == FillKind::kZero || values.count == 0) return false;
  if (values.count <= kMaxOverrides) {
    tensor.fill = {};
    tensor.overrides.clear();
    for (int64_t i = 0; i < values.count; ++i) {
      const uint64_t bits = values.bits[static_cast<size_t>(i)];
      if (bits != 0) tensor.overrides.push_back({IndexOf(tensor.shape, i), bits});
    }
    if (offer(variant)) return true;
  }
  if (before.overrides.full()) return false;
  for (const Fill& fill : {Fill{}, Fill{FillKind::kConstant, 0, 1, 0}}) {
    for (const int64_t i : Outliers(values)) {
      tensor = before;
      tensor.fill = fill;
      tensor.overrides.push_back({IndexOf(tensor.shape, i), values.bits[static_cast<size_t>(i)]});
      if (offer(variant)) return true;
    }
  }
  return false;
}

bool OfferPlainerDouble(double x, const std::function<bool(double)>& offer) {
  return OfferPlainerBits(DType::kF64, std::bit_cast<uint64_t>(x),
                          [&](uint64_t bits) { return offer(std::bit_cast<double>(bits)); });
}

bool OfferGenerators(const StepSource& source, int operand, const Offer& offer) {
  Case variant = source.value();
  const Tensor& before = source.value().operands[operand];
  Tensor& tensor = variant.operands[operand];
  const auto offered = [&](const Fill& fill) {
    tensor.fill = fill;
    return offer(variant);
  };
  const uint64_t seed = DefaultSeed(operand);
  const bool indices = before.fill.kind == FillKind::kIndices;
  for (const auto& [least, most] :
       {std::pair(0.0, 2.0), {1.0, 2.0}, {-2.0, 2.0}, {0.0, 100.0}, {-100.0, 100.0}}) {
    if (!indices && offered({FillKind::kIntegers, seed, least, most})) return true;
  }
  Fill fill = before.fill;
  fill.seed = seed;
  if (offered(fill)) return true;
  const auto with_lo = [&](double lo) {
    Fill changed = before.fill;
    changed.lo = lo;
    return offered(changed);
  };
  const auto with_hi = [&](double hi) {
    Fill changed = before.fill;
    changed.hi = hi;
    return offered(changed);
  };
  return OfferPlainerDouble(before.fill.lo, with_lo) || OfferPlainerDouble(before.fill.hi, with_hi);
}

// ---- Overrides ----

bool OfferFewer(const StepSource& source, int operand, const Offer& offer) {
  Case variant = source.value();
  Tensor& tensor = variant.operands[operand];
  const Tensor& before = source.value().operands[operand];
  if (before.overrides.empty()) return false;
  tensor.overrides.clear();
  if (offer(variant)) return true;
  for (int i = 0; i < before.overrides.size(); ++i) {
    tensor.overrides = {};
    tensor.overrides.push_back(before.overrides[i]);
    if (offer(variant)) return true;
  }
  for (int i = before.overrides.size() - 1; i >= 0; --i) {
    tensor.overrides = before.overrides;
    tensor.overrides.erase(i);
    if (offer(variant)) return true;
  }
  return false;
}

bool IsTaken(const Tensor& tensor, int except) {
  for (int i = 0; i < tensor.overrides.size(); ++i) {
    if (i != except && tensor.overrides[i].index == tensor.overrides[except].index) return true;
  }
  return false;
}

// Toward the first element, one coordinate at a time.
bool OfferNearer(const StepSource& source, int operand, const Offer& offer) {
  const Tensor& before = source.value().operands[operand];
  for (int i = 0; i < before.overrides.size(); ++i) {
    for (int axis = 0; axis < before.overrides[i].index.size(); ++axis) {
      const int32_t at = before.overrides[i].index[axis];
      for (const int32_t nearer : {0, 1, at / 2, at - 1}) {
        Case variant = source.value();
        Tensor& tensor = variant.operands[operand];
        tensor.overrides[i].index[axis] = nearer;
        if (nearer >= 0 && nearer < at && !IsTaken(tensor, i) && offer(variant)) return true;
      }
    }
  }
  return false;
}

// ---- Single values ----

bool OfferSpecialBits(DType type, double x, const std::function<bool(uint64_t)>& offer) {
  if (std::isnan(x)) return offer(Encode(type, std::numeric_limits<double>::quiet_NaN()));
  if (std::isinf(x)) return offer(Encode(type, std::numeric_limits<double>::infinity()));
  const FormatInfo& format = InfoOf(FormatOf(type));
  if (std::fabs(x) >= format.smallest_normal || x == 0) return false;
  const double plainest = format.smallest_normal / 2;
  return offer(Encode(type, plainest)) || offer(Encode(type, -plainest)) ||
         offer(Encode(type, format.smallest_subnormal));
}

// The leading `digits` bits of the significand.
double Leading(double x, int digits) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::trunc(std::ldexp(fraction, digits)), exponent - digits);
}

bool OfferRealBits(DType type, double x, const std::function<bool(uint64_t)>& offer) {
  const auto offered = [&](double plainer) {
    return std::isfinite(plainer) && offer(Encode(type, plainer));
  };
  for (const double whole :
       {std::trunc(x), std::nearbyint(x), std::copysign(std::ceil(std::fabs(x)), x)}) {
    if (offered(std::fabs(whole)) || offered(whole)) return true;
  }
  if (offered(std::fabs(x))) return true;
  if (std::fabs(x) < 0x1p41 && x == std::trunc(x)) {
    for (const double part : {2, 4, 8, 16}) {
      if (offered(x - std::trunc(x / part))) return true;
    }
    const double one = std::copysign(1, x);
    const bool near = std::fabs(x) <= kLargestCountedDown;
    if (near && (offered(x - one) || offered(x - 2 * one))) return true;
  }
  for (const int digits : {1, 2, 3, 4, 6, 8, 11, 16, 24, 32}) {
    if (offered(Leading(x, digits))) return true;
  }
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  const int toward_one = exponent > 0 ? exponent - 1 : exponent + 1;
  return offered(std::ldexp(fraction, exponent / 2)) || offered(std::ldexp(fraction, toward_one)) ||
         offered(std::ldexp(fraction, exponent - exponent / 4)) ||
         offered(std::ldexp(std::copysign(0.5, x), exponent + 1));
}

bool OfferIntegerBits(DType type, int64_t x, const std::function<bool(uint64_t)>& offer) {
  const auto offered = [&](int64_t plainer) { return offer(EncodeInteger(type, plainer)); };
  const int64_t step = x < 0 ? -1 : 1;
  return offered(-1) || offered(2) || (x < 0 && x > -kMaxCaseElements && offered(-x)) ||
         offered(x / 2) || offered(x - x / 4) || offered(x - x / 8) || offered(x - x / 16) ||
         (x != 0 && std::abs(x) <= kLargestCountedDown && offered(x - step));
}

// Real attributes; their plainest values are the business of OfferAttributes.
bool OfferReals(const StepSource& source, const Offer& offer) {
  for (int i = 0; i < source.value().attributes.size(); ++i) {
    if (!source.def().attributes[static_cast<size_t>(i)].is_real()) continue;
    Case variant = source.value();
    double& real = variant.attributes[i].real;
    const bool taken = OfferPlainerDouble(real, [&](double plainer) {
      real = plainer;
      return offer(variant);
    });
    if (taken) return true;
  }
  return false;
}

}  // namespace

bool OfferPlainerBits(DType type, uint64_t bits, const std::function<bool(uint64_t)>& offer) {
  const uint64_t cost = ValueCost(type, bits);
  const auto plainer = [&](uint64_t other) {
    return ValueCost(type, other) < cost && offer(other);
  };
  if (!IsFloat(type)) {
    return plainer(0) || plainer(EncodeInteger(type, 1)) ||
           OfferIntegerBits(type, DecodeInteger(type, bits), plainer);
  }
  const double x = Decode(type, bits);
  for (const double small : {0.0, 1.0, -1.0, 2.0, 3.0, 5.0, 7.0}) {
    if (plainer(Encode(type, small))) return true;
  }
  if (OfferSpecialBits(type, x, plainer)) return true;
  return std::isfinite(x) && x != 0 && OfferRealBits(type, x, plainer);
}

bool OfferFills(const StepSource& source, const Offer& offer) {
  const int count = source.value().operands.size();
  for (const Fill& fill : {Fill{}, Fill{FillKind::kConstant, 0, 1, 0}}) {
    Case variant = source.value();
    for (int i = 0; i < count; ++i) {
      if (HasValues(source, i)) variant.operands[i].fill = fill;
    }
    if (offer(variant)) return true;
  }
  for (int i = 0; i < count; ++i) {
    if (HasValues(source, i)) {
      if (OfferUniform(source, i, offer) || OfferSpelled(source, i, offer) ||
          OfferGenerators(source, i, offer)) {
        return true;
      }
      continue;
    }
    Case variant = source.value();
    variant.operands[i].fill.seed = DefaultSeed(i);
    if (offer(variant)) return true;
  }
  return false;
}

bool OfferOverrides(const StepSource& source, const Offer& offer) {
  for (int i = 0; i < source.value().operands.size(); ++i) {
    if (OfferFewer(source, i, offer) || OfferNearer(source, i, offer)) return true;
  }
  return false;
}

bool OfferValues(const StepSource& source, const Offer& offer) {
  if (OfferReals(source, offer)) return true;
  for (int i = 0; i < source.value().operands.size(); ++i) {
    const Tensor& before = source.value().operands[i];
    Case variant = source.value();
    Tensor& tensor = variant.operands[i];
    if (before.fill.kind == FillKind::kConstant) {
      const uint64_t bits = std::bit_cast<uint64_t>(before.fill.lo);
      const bool taken = OfferPlainerBits(DType::kF64, bits, [&](uint64_t plainer) {
        tensor.fill.lo = std::bit_cast<double>(plainer);
        return offer(variant);
      });
      if (taken) return true;
      tensor = before;
    }
    for (int j = 0; j < before.overrides.size(); ++j) {
      tensor = before;
      const uint64_t bits = before.overrides[j].bits;
      const bool taken = OfferPlainerBits(tensor.dtype, bits, [&](uint64_t plainer) {
        // Equal values go together, as they may have to stay equal; then alone.
        for (Override& each : tensor.overrides) {
          if (each.bits == bits) each.bits = plainer;
        }
        if (offer(variant)) return true;
        tensor.overrides = before.overrides;
        tensor.overrides[j].bits = plainer;
        if (offer(variant)) return true;
        tensor.overrides = before.overrides;
        return false;
      });
      if (taken) return true;
    }
  }
  return false;
}

}  // namespace assay
