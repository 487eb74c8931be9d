// SPDX-License-Identifier: Apache-2.0
//
// The oracle of the operators of one element: truth, quantities and legal classes of
// every element. Internal to oracles/.
#pragma once

#include <optional>

#include "contracts/dtype.h"
#include "contracts/evidence.h"
#include "contracts/values.h"
#include "oracles/number/ball.h"

namespace assay {

// Relative radius of the C library tier. glibc documents at most 9 ulp (2^-52) for these functions,
// for most of them 1; 2^-45 leaves a factor of 14. Of j0, which is less accurate near its zeros,
// relative to its amplitude there. Validated against balls (every f16 and bf16 input, and samples
// of f32), not proven.
inline constexpr double kLibmRadius = 0x1p-45;
// Added where a result may be below the normal doubles: far below every narrower format.
inline constexpr double kLibmFloor = 0x1p-1000;

Function FunctionOf(
    const Case& value);  // REQUIRES a unary operator that is no selection: relu, clamp, abs

// Where f(x) is a small number: exactly that.
std::optional<double> ExactUnary(Function function, double x);
// f(x) by double-double arithmetic with a proven radius, which is infinite for erf and the erf form
// of gelu, and too wide near the ends of the range of double. REQUIRES x finite, inside the domain.
Enclosure WideUnary(Function function, double x);
// f(x) by the C library in double precision. REQUIRES x finite, of at most 24 bits and of the range
// of f32, inside the domain.
Enclosure LibmUnary(Function function, double x);
// The square root with a proven radius, for every double. REQUIRES x >= 0, finite.
Enclosure SquareRoot(double x);
// The reciprocal square root with a proven radius, for every double. REQUIRES x > 0, finite.
Enclosure ReciprocalRoot(double x);
// |x T'(x) / T(x)|, T the factor of x in silu and mish, else sigmoid or softplus itself: |x| (1 -
// sigmoid(x)), |x| sigmoid(x) / softplus(x), and 4 |x| (w + 1) / ((w + 2) (w^2 + 2 w + 2)) with w =
// exp(x). By the C library, rounded outward by 2^-36. REQUIRES x finite.
double TailCondition(Function function, double x);
// The condition of gelu's tail factor by the C library, rounded outward by 2^-36. REQUIRES as
// above.
double LibmGeluCondition(Function function, double x);

// Legal classes of f(x): kClassByValue inside the domain, else what IEEE 754 and C Annex F fix.
ClassSet UnaryClasses(Function function, double x);
// f(x) for an infinite x of which UnaryClasses holds kClassByValue.
Enclosure LimitAtInfinity(Function function, double x);

class UnaryOracle {
 public:
  // The C library for inputs of 24 bits or fewer, else double-double arithmetic, else balls; square
  // roots without any of them.
  void Measure(const Values& values, BallEvaluator& balls, Evidence& evidence);
  void MeasureHighest(const Values& values, int precision_bits, BallEvaluator& balls,
                      Evidence& evidence);

 private:
  // What relu, clamp and abs give is exact: an element, its magnitude, or a bound.
  void MeasureExact(const Values& values, Evidence& evidence);
  enum class Way : uint8_t { kLibm, kWide, kBall };
  void MeasureWith(const Values& values, Way way, int precision_bits, BallEvaluator& balls,
                   Evidence& evidence);
  // Truth, and condition where `condition` is not null, of one element by Wide, or by balls.
  void MeasureByBound(Function function, double x, BallEvaluator& balls, int64_t at,
                      double* condition, Evidence& evidence);
};

}  // namespace assay
