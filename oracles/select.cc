// SPDX-License-Identifier: Apache-2.0
#include "oracles/select.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "contracts/operator.h"
#include "oracles/evidence_columns.h"

namespace assay {
namespace {

// Where the reference loop ends: a later element wins only if it compares greater.
int64_t ReferencePlace(std::span<const double> x, bool magnitude) {
  const auto key = [&](size_t i) { return magnitude ? std::fabs(x[i]) : x[i]; };
  size_t best = 0;
  for (size_t i = 1; i < x.size(); ++i) {
    if (key(i) > key(best)) best = i;
  }
  return static_cast<int64_t>(best);
}

// Place of the first largest among the numbers; -1 if all is NaN.
int64_t PlaceAmongNumbers(std::span<const double> x, bool magnitude) {
  int64_t best = -1;
  for (size_t i = 0; i < x.size(); ++i) {
    const double key = magnitude ? std::fabs(x[i]) : x[i];
    const double held = best < 0 ? 0 : magnitude ? std::fabs(x[best]) : x[best];
    if (!std::isnan(key) && (best < 0 || key > held)) best = static_cast<int64_t>(i);
  }
  return best;
}

int64_t FirstNan(std::span<const double> x) {
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) return static_cast<int64_t>(i);
  }
  return -1;
}

// The largest, or smallest, of what it has seen.
class Extremum {
 public:
  // `of_numbers`: a NaN counts only where there is nothing else.
  explicit Extremum(bool maximum, bool of_numbers = false)
      : maximum_(maximum), of_numbers_(of_numbers), best_(maximum ? -kInfinity : kInfinity) {}

  void See(double x) {
    nan_ |= std::isnan(x);
    number_ |= !std::isnan(x);
    zeros_ |= ClassOf(x) & kClassZero;
    if (maximum_ ? x > best_ : x < best_) best_ = x;
  }

  void Store(int64_t at, Evidence& evidence) const {
    if (nan_ && !(of_numbers_ && number_)) return StoreClasses(kClassNan, at, evidence);
    if (best_ == 0) return StoreClasses(zeros_, at, evidence);
    if (std::isinf(best_)) return StoreClasses(ClassOf(best_), at, evidence);
    StoreTruth({best_, 0, 0}, at, evidence);
  }

 private:
  bool maximum_, of_numbers_;
  bool nan_ = false, number_ = false;
  ClassSet zeros_ = 0;
  double best_;
};

void SetScalars(const OperandValues& x, double length, Evidence& evidence) {
  evidence.special |= x.any_nan || x.any_inf;
  evidence.tier = Tier::kTable;
  SetScalar(evidence, Quantity::kLength, length);
  SetScalar(evidence, Quantity::kAlpha, 1);
  SetScalar(evidence, Quantity::kBeta, 0);
  SetScalar(evidence, Quantity::kMaxAbsA, x.max_abs);
  SetScalar(evidence, Quantity::kMaxAbsB, 0);
  SetScalar(evidence, Quantity::kMaxAbsC, 0);
}

// Places of a window along one axis that lie in the operand.
struct Reach {
  int64_t begin, end;
};
Reach ReachOf(int64_t place, int64_t extent, const Case& value) {
  const int64_t start =
      place * IntegerAttribute(value, kPoolStride) - IntegerAttribute(value, kPoolPadding);
  return {std::max<int64_t>(0, start),
          std::min(extent, start + IntegerAttribute(value, kPoolWindow))};
}

}  // namespace

void MeasureSelect(const Values& values, Evidence& evidence) {
  const OperandValues& x = values.operands[0];
  const OpId op = values.source->op;
  ResetEvidence(1, evidence);
  SetScalars(x, static_cast<double>(x.count), evidence);
  if (op == OpId::kArgmax || op == OpId::kAmax) {
    evidence.choice = true;
    return StoreClasses(kClassZero | kClassFinite, 0, evidence);
  }
  const bool of_numbers = op == OpId::kNanMax || op == OpId::kNanMin;
  Extremum extremum(op == OpId::kMax || op == OpId::kNanMax, of_numbers);
  for (const double element : x.real) extremum.See(element);
  extremum.Store(0, evidence);
  evidence.special |= x.count == 0;
}

void MeasureMaxPool(const Values& values, Evidence& evidence) {
  const OperandValues& x = values.operands[0];
  const Dims& from = x.shape;
  const Dims& to = values.operands[1].shape;
  const Case& value = *values.source;
  ResetEvidence(ElementCount(to), evidence);
  int64_t at = 0;
  for (int64_t plane = 0; plane < to[0] * to[1]; ++plane) {
    for (int64_t i = 0; i < to[2]; ++i) {
      for (int64_t j = 0; j < to[3]; ++j) {
        const Reach rows = ReachOf(i, from[2], value), columns = ReachOf(j, from[3], value);
        Extremum extremum(/*maximum=*/true);
        for (int64_t row = rows.begin; row < rows.end; ++row) {
          for (int64_t column = columns.begin; column < columns.end; ++column) {
            extremum.See(x.real[static_cast<size_t>((plane * from[2] + row) * from[3] + column)]);
          }
        }
        extremum.Store(at++, evidence);
      }
    }
  }
  const auto window = static_cast<double>(IntegerAttribute(value, kPoolWindow));
  SetScalars(x, window * window, evidence);
}

bool LegalChoiceOf(const Values& values, int64_t, int64_t got, std::optional<NanPlace> place) {
  const std::span<const double> x(values.operands[0].real);
  if (x.empty()) return true;
  const bool magnitude = values.source->op == OpId::kAmax;
  const bool by_loop = got == ReferencePlace(x, magnitude);
  const int64_t nan = FirstNan(x);
  if (nan < 0) return by_loop;
  if (place == NanPlace::kFirstNan) return got == nan;
  if (place == NanPlace::kReference) return by_loop;
  // No rule is written: a NaN may be what is sought, or be passed over. What is neither a NaN nor
  // the largest number is wrong under every convention.
  const bool is_nan = got >= 0 && got < std::ssize(x) && std::isnan(x[static_cast<size_t>(got)]);
  return by_loop || is_nan || got == PlaceAmongNumbers(x, magnitude);
}

}  // namespace assay
