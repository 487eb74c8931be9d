// SPDX-License-Identifier: Apache-2.0
//
// Single arguments at which functions are hard: where a result over- or underflows, vanishes or
// leaves 1, and for the trigonometric ones multiples of pi / 2 that a number comes uncommonly close
// to, by continued fractions (Kahan; Muller et al., Handbook of Floating-Point Arithmetic, chapter
// on range reduction).
#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/mutate_steps.h"

namespace assay {
namespace {

__extension__ using Fraction = unsigned __int128;  // in units of 2^-128

// 2 / pi, 64 bits a word, from 2^-1 down.
constexpr uint64_t kTwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

// The fraction of 2^exponent * 2 / pi, cut to 128 bits. REQUIRES -128 < exponent <= 1024.
Fraction FractionOfTwoOverPi(int exponent) {
  if (exponent < 0) {
    return (Fraction{kTwoOverPi[0]} << 64 | kTwoOverPi[1]) >> -exponent;
  }
  const int word = exponent / 64, shift = exponent % 64;
  const Fraction high = Fraction{kTwoOverPi[word]} << 64 | kTwoOverPi[word + 1];
  if (shift == 0) return high;
  return high << shift | kTwoOverPi[word + 2] >> (64 - shift);
}

// A significand below 2^precision whose product with 2^exponent is close to a multiple of pi / 2:
// a denominator of one of the last convergents, or a small multiple of it.
uint64_t HardSignificand(int exponent, int precision, Random& random) {
  const uint64_t end = uint64_t{1} << precision;
  Fraction rest = FractionOfTwoOverPi(exponent);
  Fraction divisor = (-rest) % rest;  // 2^128 modulo the fraction
  Fraction quotient = (-rest) / rest + 1;
  Fraction previous = 1, denominator = quotient;
  uint64_t last[4] = {1, 1, 1, 1};
  while (denominator < end) {
    std::copy(last + 1, std::end(last), last);
    last[3] = static_cast<uint64_t>(denominator);
    if (divisor == 0) break;
    quotient = rest / divisor;
    const Fraction remainder = rest % divisor;
    rest = divisor;
    divisor = remainder;
    const Fraction next = quotient < end ? quotient * denominator + previous : Fraction{end};
    previous = denominator;
    denominator = next;
  }
  const uint64_t chosen = last[3 - random.Below(random.Percent(60) ? 1 : 4)];
  const uint64_t most = std::min<uint64_t>((end - 1) / chosen, 1000);
  return chosen * (random.Percent(50) ? 1 : 1 + random.Below(most));
}

double MultipleOfHalfPi(const FormatInfo& info, Random& random) {
  // Half of them where a reduction in a few parts still serves.
  const int top = random.Percent(50) ? std::min(info.max_exponent, 48) : info.max_exponent;
  const int exponent = static_cast<int>(random.Between(0, top)) - info.precision + 1;
  const double x =
      std::ldexp(static_cast<double>(HardSignificand(exponent, info.precision, random)), exponent);
  return random.Percent(50) ? x : -x;
}

enum class Types { kAll, kF64, kF32, kF16 };  // kF32: bf16 too, which has its range
bool Has(Types types, DType type) {
  if (types == Types::kAll) return true;
  if (types == Types::kF64) return type == DType::kF64;
  return (types == Types::kF16) == (type == DType::kF16) && type != DType::kF64;
}

// Ends of the range, zeros, poles and the places where usual formulas change. Rounded: what is
// drawn lies around them.
struct Point {
  OpId op;
  Types types;
  double x;
};
constexpr Point kPoints[] = {
    {OpId::kExp, Types::kF32, 88.7228391},
    {OpId::kExp, Types::kF32, -87.3365448},
    {OpId::kExp, Types::kF32, -103.9720771},
    {OpId::kExp, Types::kF64, 709.782712893384},
    {OpId::kExp, Types::kF64, -708.3964185322641},
    {OpId::kExp, Types::kF64, -745.1332191019411},
    {OpId::kExp, Types::kF16, 11.0898665},
    {OpId::kExpm1, Types::kF32, 88.7228391},
    {OpId::kExpm1, Types::kF64, 709.782712893384},
    {OpId::kExp2, Types::kF32, 128},
    {OpId::kExp2, Types::kF32, -126},
    {OpId::kExp2, Types::kF32, -149},
    {OpId::kExp2, Types::kF64, 1024},
    {OpId::kExp2, Types::kF64, -1022},
    {OpId::kExp2, Types::kF64, -1074},
    {OpId::kExp2, Types::kF16, 16},
    {OpId::kExp10, Types::kF32, 38.5318394},
    {OpId::kExp10, Types::kF32, -37.9297795},
    {OpId::kExp10, Types::kF32, -45.1544993},
    {OpId::kExp10, Types::kF64, 308.2547155599167},
    {OpId::kExp10, Types::kF64, -307.6526555685888},
    {OpId::kExp10, Types::kF64, -323.6072453387798},
    {OpId::kExp10, Types::kF16, 4.8164799},
    {OpId::kSinh, Types::kF32, 89.4159862},
    {OpId::kSinh, Types::kF32, -88.7228391},
    {OpId::kSinh, Types::kF64, 710.4758600739439},
    {OpId::kSinh, Types::kF64, -709.782712893384},
    {OpId::kCosh, Types::kF32, 89.4159862},
    {OpId::kCosh, Types::kF32, -88.7228391},
    {OpId::kCosh, Types::kF64, 710.4758600739439},
    {OpId::kCosh, Types::kF64, -709.782712893384},
    {OpId::kLog, Types::kAll, 1},
    {OpId::kLog2, Types::kAll, 1},
    {OpId::kLog10, Types::kAll, 1},
    {OpId::kLog1p, Types::kAll, -1},
    {OpId::kLog, Types::kF32, 0x1p-126},
    {OpId::kLog2, Types::kF32, 0x1p-126},
    {OpId::kLog10, Types::kF32, 0x1p-126},
    {OpId::kLog, Types::kF64, 0x1p-1022},
    {OpId::kLog2, Types::kF64, 0x1p-1022},
    {OpId::kLog10, Types::kF64, 0x1p-1022},
    {OpId::kAsin, Types::kAll, 1},
    {OpId::kAsin, Types::kAll, -0.5},
    {OpId::kAcos, Types::kAll, 1},
    {OpId::kAcos, Types::kAll, -1},
    {OpId::kAcos, Types::kAll, 0.5},
    {OpId::kAtan, Types::kAll, 1},
    {OpId::kAtan, Types::kAll, 0.4375},
    {OpId::kAtanh, Types::kAll, 1},
    {OpId::kAtanh, Types::kAll, -1},
    {OpId::kAtanh, Types::kAll, 0.5},
    {OpId::kAcosh, Types::kAll, 1},
    {OpId::kAcosh, Types::kAll, 2},
    {OpId::kAcosh, Types::kF32, 0x1p+64},
    {OpId::kAcosh, Types::kF64, 0x1p+512},
    {OpId::kAsinh, Types::kAll, 0.5},
    {OpId::kAsinh, Types::kAll, -2},
    {OpId::kAsinh, Types::kF32, 0x1p+64},
    {OpId::kAsinh, Types::kF64, -0x1p+512},
    {OpId::kTanh, Types::kAll, 0.55},
    {OpId::kTanh, Types::kF32, 9.01},
    {OpId::kTanh, Types::kF64, 19.06},
    {OpId::kErf, Types::kAll, 0.84375},
    {OpId::kErf, Types::kAll, 1.25},
    {OpId::kErfc, Types::kAll, 1.25},
    {OpId::kErfc, Types::kF32, 9.1944},
    {OpId::kErfc, Types::kF32, 10.0546},
    {OpId::kErfc, Types::kF64, 26.5432},
    {OpId::kErfc, Types::kF64, 27.2263},
    {OpId::kTgamma, Types::kAll, -1},
    {OpId::kTgamma, Types::kAll, -2},
    {OpId::kTgamma, Types::kAll, -3},
    {OpId::kTgamma, Types::kAll, 2},
    {OpId::kTgamma, Types::kF32, 35.0401001},
    {OpId::kTgamma, Types::kF32, -41.5},
    {OpId::kTgamma, Types::kF32, 0x1p-128},
    {OpId::kTgamma, Types::kF64, 171.6243769563027},
    {OpId::kTgamma, Types::kF64, -170.5},
    {OpId::kTgamma, Types::kF64, -183.5},
    {OpId::kTgamma, Types::kF64, 0x1p-1024},
    {OpId::kLgamma, Types::kAll, 1},
    {OpId::kLgamma, Types::kAll, 2},
    // Zeros below 0, two between each pair of poles.
    {OpId::kLgamma, Types::kAll, -2.4570247382208006},
    {OpId::kLgamma, Types::kAll, -2.7476826467274127},
    {OpId::kLgamma, Types::kAll, -3.1435808883499798},
    {OpId::kLgamma, Types::kAll, -3.9552942848585979},
    {OpId::kLgamma, Types::kAll, -4.0393618397404437},
    {OpId::kLgamma, Types::kF32, 4.0850034e+36},
    {OpId::kLgamma, Types::kF64, 2.5563481638716906e305},
    {OpId::kJ0, Types::kAll, 2.404825557695773},
    {OpId::kJ0, Types::kAll, 5.520078110286311},
    {OpId::kJ0, Types::kAll, -8.653727912911013},
    {OpId::kJ0, Types::kAll, 11.79153443901428},
    {OpId::kJ0, Types::kAll, 1.0173368e+4},
    {OpId::kCbrt, Types::kAll, 1},
    {OpId::kCbrt, Types::kF32, 0x1p-126},
    {OpId::kCbrt, Types::kF64, -0x1p-1022},
    {OpId::kSigmoid, Types::kF32, -88.7228391},
    {OpId::kSigmoid, Types::kF64, -709.782712893384},
    {OpId::kSoftplus, Types::kF32, -103.9720771},
    {OpId::kSoftplus, Types::kF32, 88.7228391},
    {OpId::kSoftplus, Types::kF64, -745.1332191019411},
    {OpId::kSoftplus, Types::kF64, 709.782712893384},
    {OpId::kSoftsign, Types::kF32, 0x1p+126},
    {OpId::kSoftsign, Types::kF64, -0x1p+1022},
    {OpId::kAbs, Types::kF32, 0x1p+64},
    {OpId::kAbs, Types::kF64, -0x1p+512},
};

bool IsTrigonometric(OpId op) { return op == OpId::kSin || op == OpId::kCos || op == OpId::kTan; }

// One of the operator's points in this type; null: there is none.
const Point* DrawPoint(OpId op, DType type, Random& random) {
  const auto fits = [&](const Point& point) { return point.op == op && Has(point.types, type); };
  const auto count = std::count_if(std::begin(kPoints), std::end(kPoints), fits);
  if (count == 0) return nullptr;
  uint64_t wanted = random.Below(static_cast<uint64_t>(count));
  for (const Point& point : kPoints) {
    if (fits(point) && wanted-- == 0) return &point;
  }
  return nullptr;
}

// How far from a point, relative to it: a few units of its last place, or anything up to a quarter.
double DrawDistance(const FormatInfo& info, Random& random) {
  const double step = std::ldexp(1, -info.precision);
  if (random.Percent(40)) return step * static_cast<double>(random.Between(0, 8));
  return std::ldexp(1, -static_cast<int>(random.Between(2, info.precision)));
}

double DrawNear(const Point& point, DType type, Random& random) {
  const double distance = DrawDistance(InfoOf(FormatOf(type)), random);
  return point.x * (random.Percent(50) ? 1 + distance : 1 - distance);
}

}  // namespace

std::optional<double> DrawHardArgument(OpId op, DType type, Random& random) {
  if (IsTrigonometric(op)) return MultipleOfHalfPi(InfoOf(FormatOf(type)), random);
  const Point* point = DrawPoint(op, type, random);
  if (point == nullptr) return std::nullopt;
  return DrawNear(*point, type, random);
}

bool FillHard(Draft& draft) {
  Random& random = draft.random;
  const OpId op = draft.value.op;
  Tensor& x = draft.value.operands[0];
  const std::optional<double> argument = DrawHardArgument(op, x.dtype, random);
  if (!argument) return false;
  if (random.Percent(25) && !IsTrigonometric(op)) {
    const double reach = std::fabs(*argument) * DrawDistance(InfoOf(FormatOf(x.dtype)), random);
    x.fill = {FillKind::kUniform, DrawSeed(random), *argument - reach, *argument + reach};
    return true;
  }
  if (random.Percent(40)) {
    x.fill = {FillKind::kConstant, 0, *argument, 0};
    return true;
  }
  // A few among ordinary ones: a vector's way may hang on its largest element.
  for (int64_t count = random.Between(1, 6); count > 0; --count) {
    SetFirstOperand(draft, *DrawHardArgument(op, x.dtype, random));
  }
  return true;
}

void FillHardPower(Draft& draft) {
  Random& random = draft.random;
  Tensor &x = draft.value.operands[0], &y = draft.value.operands[1];
  const FormatInfo& info = InfoOf(FormatOf(x.dtype));
  constexpr double kBases[] = {2, 10, 0.5, 3, 1.5, 1 + 0x1p-9, 1000};
  const double base = random.Pick(kBases);
  const double ends[] = {info.max_exponent + 1.0, info.min_exponent + 0.0,
                         info.min_exponent - info.precision + 0.0};
  const double distance = DrawDistance(info, random);
  const double exponent =
      random.Pick(ends) / std::log2(base) * (random.Percent(50) ? 1 + distance : 1 - distance);
  x.fill = {FillKind::kConstant, 0, base, 0};
  y.fill = {FillKind::kConstant, 0, exponent, 0};
}

}  // namespace assay
