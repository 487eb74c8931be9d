// SPDX-License-Identifier: Apache-2.0
//
// Where functions and conversions are delicate, as ranges of their arguments: pieces of the usual
// approximations meet there, results overflow, underflow or cancel.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/mutate_steps.h"

namespace assay {
namespace {

// Stored types a range is meant for: thresholds lie where the type's exponent range puts them.
using TypeMask = uint32_t;
constexpr TypeMask MaskOf(DType type) { return TypeMask{1} << static_cast<int>(type); }
constexpr TypeMask kAnyType = ~TypeMask{0};
constexpr TypeMask kF64Only = MaskOf(DType::kF64);
constexpr TypeMask kF16Only = MaskOf(DType::kF16);
constexpr TypeMask kF32Like = MaskOf(DType::kF32) | MaskOf(DType::kBf16);
constexpr TypeMask kNotF16 = kF64Only | kF32Like;

struct Range {
  OpId op;
  TypeMask types;
  double lo, hi;
};
// Where a function's usual approximations change pieces, overflow, underflow or cancel.
constexpr Range kRanges[] = {{OpId::kExp, kAnyType, -1, 1},
                             {OpId::kExp, kAnyType, -0x1p-27, 0x1p-27},
                             {OpId::kExp, kAnyType, -20, 20},
                             {OpId::kExp, kF32Like, 88, 89.5},
                             {OpId::kExp, kF32Like, -104.5, -86},
                             {OpId::kExp, kF64Only, 709, 711},
                             {OpId::kExp, kF64Only, -746, -707},
                             {OpId::kExp, kF16Only, 10, 12},
                             {OpId::kExp, kF16Only, -18, -9},
                             {OpId::kExp, kAnyType, 100, 65000},
                             {OpId::kExp, kAnyType, -65000, -100},
                             {OpId::kLog, kAnyType, 0.5, 2},
                             {OpId::kLog, kAnyType, 0x1.ff8p-1, 0x1.004p+0},
                             {OpId::kLog, kAnyType, 0, 1},
                             {OpId::kLog, kAnyType, 1, 1000},
                             {OpId::kLog, kF32Like, 0x1p-133, 0x1p-123},
                             {OpId::kLog, kF64Only, 0, 0x1p-1020},
                             {OpId::kLog, kF16Only, 0, 0x1p-13},
                             {OpId::kLog, kAnyType, -1, 0},
                             {OpId::kLog, kNotF16, 0x1p+100, 0x1p+127},
                             {OpId::kTanh, kAnyType, -0x1p-13, 0x1p-13},
                             {OpId::kTanh, kAnyType, -0.75, 0.75},
                             {OpId::kTanh, kAnyType, -5, 5},
                             {OpId::kTanh, kAnyType, 8, 10},
                             {OpId::kTanh, kAnyType, -20, -8},
                             {OpId::kTanh, kAnyType, 100, 65000},
                             {OpId::kSqrt, kAnyType, 0, 1},
                             {OpId::kSqrt, kAnyType, 1, 4},
                             {OpId::kSqrt, kAnyType, 0, 65000},
                             {OpId::kSqrt, kF32Like, 0x1p-133, 0x1p-123},
                             {OpId::kSqrt, kF64Only, 0, 0x1p-1020},
                             {OpId::kSqrt, kF16Only, 0, 0x1p-13},
                             {OpId::kSqrt, kAnyType, -1, 0},
                             {OpId::kSqrt, kNotF16, 0x1p+100, 0x1.8p+127},
                             {OpId::kErf, kAnyType, -0x1p-17, 0x1p-17},
                             {OpId::kErf, kAnyType, -1, 1},
                             {OpId::kErf, kAnyType, -4, 4},
                             {OpId::kErf, kAnyType, -10, -3},
                             {OpId::kErf, kAnyType, 3, 6},
                             {OpId::kErf, kAnyType, 10, 65000},
                             {OpId::kGelu, kAnyType, -1, 1},
                             {OpId::kGelu, kAnyType, -10, -3},
                             {OpId::kGelu, kAnyType, -5, 5},
                             {OpId::kGelu, kAnyType, -14, -8},
                             {OpId::kGelu, kF64Only, -40, -14},
                             {OpId::kGelu, kAnyType, -0x1p-17, 0x1p-17},
                             {OpId::kGelu, kAnyType, 5, 65000},
                             {OpId::kExpm1, kAnyType, -0x1p-11, 0x1p-11},
                             {OpId::kExpm1, kAnyType, -1, 1},
                             {OpId::kExpm1, kAnyType, -40, -8},
                             {OpId::kExpm1, kF32Like, 88, 89.5},
                             {OpId::kExpm1, kF64Only, 709, 711},
                             {OpId::kExpm1, kF16Only, 10, 12},
                             {OpId::kLog1p, kAnyType, -0x1p-11, 0x1p-11},
                             {OpId::kLog1p, kAnyType, -0.5, 1},
                             {OpId::kLog1p, kAnyType, -1, -0.5},
                             {OpId::kLog1p, kAnyType, -2, -1},
                             {OpId::kLog1p, kAnyType, 1, 65000},
                             {OpId::kLog1p, kNotF16, 0x1p+100, 0x1p+127},
                             {OpId::kRsqrt, kAnyType, 0, 1},
                             {OpId::kRsqrt, kAnyType, 1, 4},
                             {OpId::kRsqrt, kAnyType, 100, 65000},
                             {OpId::kRsqrt, kF32Like, 0x1p-133, 0x1p-123},
                             {OpId::kRsqrt, kF16Only, 0, 0x1p-13},
                             {OpId::kRsqrt, kF64Only, 0, 0x1p-1020},
                             {OpId::kRsqrt, kAnyType, -1, 0},
                             {OpId::kRsqrt, kNotF16, 0x1p+100, 0x1.8p+127},
                             {OpId::kSigmoid, kAnyType, -1, 1},
                             {OpId::kSigmoid, kAnyType, -20, 20},
                             {OpId::kSigmoid, kF32Like, -104.5, -86},
                             {OpId::kSigmoid, kF64Only, -746, -707},
                             {OpId::kSigmoid, kF16Only, -18, -9},
                             {OpId::kSigmoid, kAnyType, 8, 40},
                             {OpId::kSilu, kAnyType, -1, 1},
                             {OpId::kSilu, kAnyType, -20, 20},
                             {OpId::kSilu, kF32Like, -104.5, -86},
                             {OpId::kSilu, kF64Only, -750, -707},
                             {OpId::kSilu, kF16Only, -22, -9},
                             {OpId::kSilu, kAnyType, 20, 65000},
                             {OpId::kMish, kAnyType, -1, 1},
                             {OpId::kMish, kAnyType, -20, 20},
                             {OpId::kMish, kF32Like, -104.5, -40},
                             {OpId::kMish, kF32Like, 40, 90},
                             {OpId::kMish, kF64Only, -750, -350},
                             {OpId::kMish, kF16Only, -22, -9},
                             {OpId::kMish, kAnyType, 20, 65000},
                             {OpId::kRelu, kAnyType, -1, 1},
                             {OpId::kRelu, kAnyType, -0x1p-13, 0x1p-13},
                             {OpId::kRelu, kAnyType, -65000, 65000},
                             {OpId::kClamp, kAnyType, -2, 2},
                             {OpId::kClamp, kAnyType, -10, 10},
                             {OpId::kClamp, kAnyType, -0x1p-13, 0x1p-13},
                             {OpId::kSin, kAnyType, -0x1p-12, 0x1p-12},
                             {OpId::kSin, kAnyType, -4, 4},
                             {OpId::kSin, kAnyType, -100, 100},
                             {OpId::kSin, kNotF16, 100000, 10000000},
                             {OpId::kSin, kNotF16, 0x1p+40, 0x1p+47},
                             {OpId::kSin, kNotF16, 0x1p+100, 0x1p+127},
                             {OpId::kSin, kF64Only, 0x1p+500, 0x1p+1023},
                             {OpId::kCos, kAnyType, -0x1p-12, 0x1p-12},
                             {OpId::kCos, kAnyType, -4, 4},
                             {OpId::kCos, kAnyType, -100, 100},
                             {OpId::kCos, kNotF16, 100000, 10000000},
                             {OpId::kCos, kNotF16, 0x1p+40, 0x1p+47},
                             {OpId::kCos, kNotF16, 0x1p+100, 0x1p+127},
                             {OpId::kCos, kF64Only, 0x1p+500, 0x1p+1023},
                             {OpId::kTan, kAnyType, -0x1p-12, 0x1p-12},
                             {OpId::kTan, kAnyType, -2, 2},
                             {OpId::kTan, kAnyType, -100, 100},
                             {OpId::kTan, kNotF16, 100000, 10000000},
                             {OpId::kTan, kNotF16, 0x1p+40, 0x1p+47},
                             {OpId::kTan, kNotF16, 0x1p+100, 0x1p+127},
                             {OpId::kTan, kF64Only, 0x1p+500, 0x1p+1023},
                             {OpId::kAsin, kAnyType, -1, 1},
                             {OpId::kAsin, kAnyType, -0x1p-12, 0x1p-12},
                             {OpId::kAsin, kAnyType, 0.999, 1},
                             {OpId::kAsin, kAnyType, 0.5, 1.5},
                             {OpId::kAcos, kAnyType, -1, 1},
                             {OpId::kAcos, kAnyType, 0.999, 1},
                             {OpId::kAcos, kAnyType, -1, -0.999},
                             {OpId::kAcos, kAnyType, -1.5, -0.5},
                             {OpId::kAtan, kAnyType, -0x1p-12, 0x1p-12},
                             {OpId::kAtan, kAnyType, -3, 3},
                             {OpId::kAtan, kAnyType, 100, 65000},
                             {OpId::kAtan, kNotF16, 0x1p+100, 0x1p+127},
                             {OpId::kSinh, kAnyType, -0x1p-12, 0x1p-12},
                             {OpId::kSinh, kAnyType, -2, 2},
                             {OpId::kSinh, kAnyType, -11, 11},
                             {OpId::kSinh, kF32Like, 87, 90},
                             {OpId::kSinh, kF64Only, -711, -708},
                             {OpId::kCosh, kAnyType, -0x1p-12, 0x1p-12},
                             {OpId::kCosh, kAnyType, -2, 2},
                             {OpId::kCosh, kAnyType, -11, 11},
                             {OpId::kCosh, kF32Like, -90, -87},
                             {OpId::kCosh, kF64Only, 708, 711},
                             {OpId::kAsinh, kAnyType, -0x1p-12, 0x1p-12},
                             {OpId::kAsinh, kAnyType, -3, 3},
                             {OpId::kAsinh, kAnyType, 100, 65000},
                             {OpId::kAsinh, kNotF16, 0x1p+60, 0x1p+127},
                             {OpId::kAsinh, kF64Only, -0x1p+1023, -0x1p+500},
                             {OpId::kAcosh, kAnyType, 1, 1.01},
                             {OpId::kAcosh, kAnyType, 1, 3},
                             {OpId::kAcosh, kAnyType, 0, 1},
                             {OpId::kAcosh, kAnyType, 100, 65000},
                             {OpId::kAcosh, kNotF16, 0x1p+60, 0x1p+127},
                             {OpId::kAcosh, kF64Only, 0x1p+500, 0x1p+1023},
                             {OpId::kAtanh, kAnyType, -0x1p-12, 0x1p-12},
                             {OpId::kAtanh, kAnyType, -0.5, 0.5},
                             {OpId::kAtanh, kAnyType, 0.9, 1},
                             {OpId::kAtanh, kAnyType, -1.5, -0.5},
                             {OpId::kExp2, kAnyType, -1, 1},
                             {OpId::kExp2, kAnyType, -14, 15},
                             {OpId::kExp2, kF32Like, 126, 129},
                             {OpId::kExp2, kF32Like, -151, -125},
                             {OpId::kExp2, kF64Only, 1022, 1025},
                             {OpId::kExp2, kF64Only, -1076, -1020},
                             {OpId::kExp2, kAnyType, -65000, 65000},
                             {OpId::kExp10, kAnyType, -1, 1},
                             {OpId::kExp10, kAnyType, -4, 4},
                             {OpId::kExp10, kF32Like, 38, 39},
                             {OpId::kExp10, kF32Like, -46, -37},
                             {OpId::kExp10, kF64Only, 307, 309},
                             {OpId::kExp10, kF64Only, -325, -307},
                             {OpId::kExp10, kAnyType, -65000, 65000},
                             {OpId::kLog2, kAnyType, 0.5, 2},
                             {OpId::kLog2, kAnyType, 0x1.ff8p-1, 0x1.004p+0},
                             {OpId::kLog2, kAnyType, 1, 1000},
                             {OpId::kLog2, kF32Like, 0x1p-133, 0x1p-123},
                             {OpId::kLog2, kF64Only, 0, 0x1p-1020},
                             {OpId::kLog2, kNotF16, 0x1p+100, 0x1p+127},
                             {OpId::kLog2, kAnyType, -1, 0},
                             {OpId::kLog10, kAnyType, 0.5, 2},
                             {OpId::kLog10, kAnyType, 0x1.ff8p-1, 0x1.004p+0},
                             {OpId::kLog10, kAnyType, 1, 1000},
                             {OpId::kLog10, kF32Like, 0x1p-133, 0x1p-123},
                             {OpId::kLog10, kF64Only, 0, 0x1p-1020},
                             {OpId::kLog10, kNotF16, 0x1p+100, 0x1p+127},
                             {OpId::kLog10, kAnyType, -1, 0},
                             {OpId::kCbrt, kAnyType, -1, 1},
                             {OpId::kCbrt, kAnyType, -1000, 1000},
                             {OpId::kCbrt, kF32Like, 0x1p-133, 0x1p-123},
                             {OpId::kCbrt, kF64Only, -0x1p-1020, 0},
                             {OpId::kCbrt, kNotF16, 0x1p+100, 0x1p+127},
                             {OpId::kErfc, kAnyType, -1, 1},
                             {OpId::kErfc, kAnyType, -6, -1},
                             {OpId::kErfc, kAnyType, 1, 4},
                             {OpId::kErfc, kAnyType, 4, 10.5},
                             {OpId::kErfc, kF64Only, 10, 28},
                             {OpId::kErfc, kAnyType, 28, 65000},
                             {OpId::kTgamma, kAnyType, 0, 3},
                             {OpId::kTgamma, kAnyType, 3, 12},
                             {OpId::kTgamma, kAnyType, -5, 0},
                             {OpId::kTgamma, kNotF16, 10, 36},
                             {OpId::kTgamma, kNotF16, -45, -5},
                             {OpId::kTgamma, kF64Only, 30, 172},
                             {OpId::kTgamma, kF64Only, -185, -30},
                             {OpId::kTgamma, kAnyType, -0x1p-12, 0x1p-12},
                             {OpId::kLgamma, kAnyType, 0.5, 3},
                             {OpId::kLgamma, kAnyType, 3, 100},
                             {OpId::kLgamma, kAnyType, -5, 0},
                             {OpId::kLgamma, kAnyType, -50, -5},
                             {OpId::kLgamma, kAnyType, -0x1p-12, 0x1p-12},
                             {OpId::kLgamma, kNotF16, 0x1p+60, 0x1p+127},
                             {OpId::kJ0, kAnyType, -3, 3},
                             {OpId::kJ0, kAnyType, 3, 40},
                             {OpId::kJ0, kAnyType, 40, 4000},
                             {OpId::kJ0, kNotF16, 0x1p+20, 0x1p+60},
                             {OpId::kSoftplus, kAnyType, -1, 1},
                             {OpId::kSoftplus, kAnyType, -20, 20},
                             {OpId::kSoftplus, kF32Like, -104.5, -80},
                             {OpId::kSoftplus, kF32Like, 80, 100},
                             {OpId::kSoftplus, kF64Only, -746, -700},
                             {OpId::kSoftplus, kF64Only, 700, 720},
                             {OpId::kSoftplus, kF16Only, -18, -9},
                             {OpId::kSoftplus, kAnyType, 20, 65000},
                             {OpId::kSoftsign, kAnyType, -1, 1},
                             {OpId::kSoftsign, kAnyType, -65000, 65000},
                             {OpId::kSoftsign, kNotF16, 0x1p+100, 0x1p+127},
                             {OpId::kSoftsign, kF64Only, -0x1p+1023, -0x1p+1000},
                             {OpId::kAbs, kAnyType, -1, 1},
                             {OpId::kAbs, kAnyType, -0x1p-13, 0x1p-13},
                             {OpId::kAbs, kNotF16, -0x1p+127, 0x1p+127}};

}  // namespace

Fill DrawFunctionRange(OpId op, DType type, Random& random) {
  const auto fits = [&](const Range& range) {
    return range.op == op && (range.types & MaskOf(type)) != 0;
  };
  // Of all magnitudes and both signs: where a tail by itself is 0, others say that something ran.
  constexpr double kTop = 15;
  if (random.Percent(8)) return {FillKind::kExponents, DrawSeed(random), -4, kTop};
  uint64_t wanted = random.Below(
      static_cast<uint64_t>(std::count_if(std::begin(kRanges), std::end(kRanges), fits)));
  for (const Range& range : kRanges) {
    if (!fits(range) || wanted-- != 0) continue;
    return {FillKind::kUniform, DrawSeed(random), range.lo, range.hi};
  }
  return {};
}

Fill DrawConversionRange(DType from, DType to, Random& random) {
  const uint64_t seed = DrawSeed(random);
  if (!IsFloat(from)) {
    const double top = std::min(static_cast<double>(LimitsOf(from).highest), kMaxFillInteger);
    const double bottom = std::max(static_cast<double>(LimitsOf(from).lowest), -kMaxFillInteger);
    // Around the end of what the target holds exactly, inside what the source holds.
    const double edge = IsFloat(to) ? std::ldexp(1, InfoOf(FormatOf(to)).precision)
                                    : static_cast<double>(LimitsOf(to).highest);
    const double middle = std::clamp(edge, bottom, top);
    if (random.Percent(40)) return {FillKind::kIntegers, seed, bottom, top};
    return {FillKind::kIntegers, seed, std::max(middle - 200, bottom), std::min(middle + 200, top)};
  }
  const double largest = InfoOf(FormatOf(from)).largest;
  const auto between = [&](double lo, double hi) {
    return Fill{FillKind::kUniform, seed, std::clamp(lo, -largest, largest),
                std::clamp(hi, -largest, largest)};
  };
  const double sign = random.Percent(50) ? 1 : -1;
  const auto signed_range = [&](double lo, double hi) {
    return sign > 0 ? between(lo, hi) : between(-hi, -lo);
  };
  if (!IsFloat(to)) {
    const auto top = static_cast<double>(LimitsOf(to).highest);
    switch (random.Below(3)) {
      case 0:
        return between(-3, 3);  // halves
      case 1:
        return between(-std::min(top, 300.0), std::min(top, 300.0));
      default:
        return signed_range(top * (1 - 0x1p-20) - 2, top * (1 + 0x1p-20) + 2);
    }
  }
  const FormatInfo& target = InfoOf(FormatOf(to));
  switch (random.Below(4)) {
    case 0:  // ties and neighbours
      return signed_range(1, 2);
    case 1:  // from the largest number to where it overflows, and beyond
      return signed_range(target.largest * 0.875, target.largest * 1.125);
    case 2:  // subnormal results and those that vanish
      return signed_range(0, target.smallest_normal * 1.5);
    default:
      return signed_range(0, target.smallest_subnormal * 2);
  }
}

}  // namespace assay
