// SPDX-License-Identifier: Apache-2.0
#include "oracles/attention_classes.h"

#include <algorithm>
#include <cmath>

#include "oracles/row_facts.h"

namespace assay {
namespace {

// A probability this large is not 0 in any type it may be kept in.
constexpr double kSurelyPositive = 0x1p-13;

// The class of scale * sum + addend in extended arithmetic, as a double: NaN, an infinity, or 0 for
// any finite number.
double ScoreClass(const Query& query, int64_t key) {
  double sum = 0;
  for (int64_t d = 0; d < query.head; ++d) {
    const double a = query.q[d], b = query.k[key * query.head + d];
    if (!std::isfinite(a) || !std::isfinite(b)) sum += a * b;
  }
  // A finite sum keeps a finite scale finite; an infinite scale is dealt with before.
  if (!std::isfinite(sum)) sum *= query.scale;
  return FiniteOrZero(query.mask[key]) == query.mask[key] ? sum : sum + query.mask[key];
}

// Scaling an operand first may lose it, and then an infinite partner gives NaN.
bool MayLoseScaled(const Query& query, double x, const FormatInfo& info) {
  const double scaled = std::fabs(query.scale * x);
  return x != 0 && std::isfinite(x) && (scaled < info.smallest_normal || scaled > info.largest / 4);
}

bool AnySpecial(const double* x, int64_t count) {
  return std::any_of(x, x + count, [](double value) { return !std::isfinite(value); });
}

}  // namespace

void ClassifyScores(const Query& query, Format accumulator, ScoreClasses& classes) {
  classes.nan = std::isnan(query.scale);
  classes.may_be_nan = false;
  classes.absent.assign(static_cast<size_t>(query.visible), 0);
  bool some = false;
  const FormatInfo& info = InfoOf(accumulator);
  for (int64_t j = 0; j < query.visible; ++j) {
    const double score = ScoreClass(query, j);
    classes.nan |= std::isnan(score) || score == kInfinity;
    classes.absent[static_cast<size_t>(j)] = score == -kInfinity ? 1 : 0;
    some |= std::isfinite(score);
    const double* k = query.k + j * query.head;
    if (query.scale == 1 || score != -kInfinity) continue;
    for (int64_t d = 0; d < query.head; ++d) {
      classes.may_be_nan |=
          MayLoseScaled(query, query.q[d], info) || MayLoseScaled(query, k[d], info);
    }
  }
  classes.none = !some || std::isinf(query.scale);
  for (int64_t j = query.visible; j < query.keys; ++j) {
    classes.may_be_nan |= AnySpecial(query.k + j * query.head, query.head) ||
                          std::isnan(query.mask[j]) || query.mask[j] == kInfinity ||
                          (query.visible > 0 && AnySpecial(query.q, query.head));
  }
}

ClassSet ValueClasses(const Query& query, const ScoreClasses& classes, const double* p,
                      int64_t column) {
  bool positive = false, negative = false, may_be_nan = classes.may_be_nan;
  for (int64_t j = 0; j < query.keys; ++j) {
    const double v = query.v[j * query.head + column];
    if (std::isfinite(v)) continue;
    if (j >= query.visible) {
      may_be_nan = true;
      continue;
    }
    // A weight of zero times it is NaN, unless the key, or its whole tile, is left out as masked.
    if (classes.absent[static_cast<size_t>(j)] != 0) {
      may_be_nan = true;
      continue;
    }
    if (std::isnan(v)) return kClassNan;
    (v > 0 ? positive : negative) = true;
    may_be_nan |= !(p[j] > kSurelyPositive);
  }
  if (positive && negative) return kClassNan;
  ClassSet set = kClassByValue;
  if (positive || negative) set = InfinityOfSign(negative);
  return may_be_nan ? static_cast<ClassSet>(set | kClassNan) : set;
}

}  // namespace assay
