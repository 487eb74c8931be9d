// SPDX-License-Identifier: Apache-2.0
#include "oracles/sums_finish.h"

#include <algorithm>
#include <cmath>

#include "oracles/evidence_columns.h"
#include "oracles/scatter.h"
#include "oracles/sums_pack.h"

namespace assay {
namespace {

constexpr ClassSet kNotFinite = kClassNan | kClassInf;

// The quotient of one element; magnitudes follow.
void DivideElement(double divisor, int64_t at, Evidence& evidence) {
  if (divisor == 1) return;
  double& abs_sum = MeasuredColumn(evidence, Quantity::kAbsSum)[at];
  abs_sum = Outward(abs_sum / std::fabs(divisor));
  const double hi = evidence.hi[at];
  if (!(evidence.legal[at] & kClassByValue)) {
    // The sum lies beyond every double, which its quotient need not.
    const bool overflowed = std::isinf(hi) && !evidence.special;
    if (overflowed && std::fabs(divisor) > 1) evidence.legal[at] |= kClassFinite;
    return;
  }
  const Enclosure quotient = Divide({hi, evidence.lo[at], evidence.radius[at]}, divisor);
  StoreTruth(quotient, at, evidence);
  if (std::isinf(quotient.hi)) StoreClasses(ClassOf(quotient.hi), at, evidence);
}

void DivideAll(double divisor, int64_t count, Evidence& evidence) {
  for (int64_t at = 0; at < count; ++at) DivideElement(divisor, at, evidence);
}

void FinishMean(const Values& values, Evidence& evidence) {
  const int64_t n = values.dims[0];
  if (n > 0) return DivideAll(static_cast<double>(n), evidence.count, evidence);
  evidence.special = true;
  StoreClasses(kClassNan, 0, evidence);  // 0 / 0
}

// NaN and Inf together: 754's sumAbs gives the infinity, a loop of additions the NaN.
void FinishAbsoluteSum(const Values& values, Evidence& evidence) {
  const OperandValues& x = values.operands[0];
  if (x.any_nan && x.any_inf) StoreClasses(kClassNan | kClassPosInf, 0, evidence);
}

void FinishPool(const Values& values, Evidence& evidence) {
  const Dims& out = values.operands[1].shape;
  const int64_t window = IntegerAttribute(*values.source, kPoolWindow);
  const bool valid_only = values.source->attributes[kPoolCount].choice == 0;
  for (int64_t at = 0; at < evidence.count; ++at) {
    const int64_t place = at % (out[2] * out[3]);
    const int64_t valid = WindowAt(values, place / out[3], place % out[3]).count();
    DivideElement(static_cast<double>(valid_only ? valid : window * window), at, evidence);
  }
}

// Everything known of the first `count` outputs holds for the next ones too.
void Repeat(int64_t count, Evidence& evidence) {
  const auto repeat = [&](auto& column) {
    for (int64_t at = count; at < evidence.count; ++at) column[at] = column[at - count];
  };
  repeat(evidence.hi);
  repeat(evidence.lo);
  repeat(evidence.radius);
  repeat(evidence.legal);
  for (std::vector<double>& column : evidence.element) {
    if (!column.empty()) repeat(column);
  }
}

void FinishCollective(const Values& values, Evidence& evidence) {
  const bool all_reduce = values.source->op == OpId::kAllReduce;
  const int64_t ranks = values.dims[0];
  const int64_t count = all_reduce ? values.dims[1] : evidence.count;
  if (evidence.count == 0) return;
  const bool mean = values.source->attributes[kCollectiveReduction].choice == 1;
  if (mean) DivideAll(static_cast<double>(ranks), count, evidence);
  if (all_reduce) Repeat(count, evidence);
}

// What the store of one row of the gradient did.
struct StoredRow {
  int64_t overflows = 0, subnormals = 0;
  bool ambiguous = false;  // some product would be stored differently had it not passed f32
};

// The triangle that syr does not touch: what it holds, bit for bit.
void FinishUpdate(const Values& values, Evidence& evidence) {
  if (values.source->op != OpId::kSyr) return;
  const OperandValues& a = values.operands.back();
  const int64_t n = values.dims[0];
  for (int64_t at = 0; at < evidence.count; ++at) {
    if (!IsKept(*values.source, at / n, at % n)) continue;
    const double held = a.real[at];
    const ClassSet kept = ClassOf(held);
    StoreClasses(kept == kClassFinite ? kClassByValue : kept, at, evidence);
    if (kept == kClassFinite) StoreTruth({held, 0, 0}, at, evidence);
    for (const Quantity none : {Quantity::kAbsSum, Quantity::kNonZeros, Quantity::kOperandSum}) {
      MeasuredColumn(evidence, none)[at] = 0;
    }
  }
}

// Of the elements of a triangular matrix that are read.
double LargestRead(const Values& values) {
  const OperandValues& a = values.operands[0];
  const Triangle triangle = TriangleOf(*values.source);
  const int64_t n = a.shape[0];
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const double size = std::fabs(triangle.At(a.real.data(), n, i, j));
      if (std::isfinite(size)) largest = std::max(largest, size);
    }
  }
  return largest;
}

class GradientFinisher {
 public:
  GradientFinisher(const Values& values, Evidence& evidence)
      : values_(values),
        evidence_(evidence),
        store_(GradientStore(*values.source)),
        scale_(ScalarAttribute(*values.source, kGradientScale)),
        terms_(values.dims[0]),
        rows_(values.dims[1]),
        columns_(values.dims[2] + 1) {}

  void Run() {
    double* rescaling = MeasuredColumn(evidence_, Quantity::kRescaling);
    double overflows = 0, subnormals = 0;
    for (int64_t row = 0; row < rows_; ++row) {
      const StoredRow stored = Look(row);
      overflows += static_cast<double>(stored.overflows);
      subnormals += static_cast<double>(stored.subnormals);
      for (int64_t column = 0; column < columns_; ++column) {
        const int64_t at = row * columns_ + column;
        Unscale(at);
        if (stored.overflows > 0) StoreClasses(kNotFinite, at, evidence_);
        if (stored.ambiguous) Widen(row, column, at);
        rescaling[at] = Reach(column) * InfoOf(store_).smallest_subnormal;
      }
    }
    evidence_.special |= overflows > 0;
    SetScalar(evidence_, Quantity::kScale, scale_);
    SetScalar(evidence_, Quantity::kOverflowCount, overflows);
    SetScalar(evidence_, Quantity::kSubnormalCount, subnormals);
  }

 private:
  double Dy(int64_t term, int64_t row) const {
    return values_.operands[0].real[term * rows_ + row];
  }
  double X(int64_t term, int64_t column) const {
    if (column == columns_ - 1) return 1;
    return values_.operands[1].real[term * (columns_ - 1) + column];
  }

  StoredRow Look(int64_t row) const {
    StoredRow result;
    const double normal = InfoOf(store_).smallest_normal;
    for (int64_t term = 0; term < terms_; ++term) {
      const double dy = Dy(term, row), product = std::fabs(scale_ * dy);
      if (!std::isfinite(dy) || !std::isfinite(scale_)) continue;
      const StoredGradient stored = StoreGradient(store_, scale_, dy);
      result.overflows += std::isinf(stored.value) ? 1 : 0;
      result.subnormals += product > 0 && product < normal ? 1 : 0;
      result.ambiguous |= stored.value != stored.exact;
    }
    return result;
  }

  // The sum was packed for a positive scale.
  void Unscale(int64_t at) {
    const double divisor = std::fabs(scale_);
    if (std::isfinite(divisor) && divisor != 0) {
      DivideElement(divisor, at, evidence_);
      // Multiplying by 1 / scale, which overflows.
      if (divisor <= 1 / InfoOf(Format::kF32).largest) evidence_.legal[at] |= kNotFinite;
      return;
    }
    evidence_.special = true;
    const bool vanishes = std::isinf(divisor) && terms_ == 0;  // 0 / Inf, or 0 * (1 / Inf)
    StoreClasses(vanishes ? kClassZero : kClassNan, at, evidence_);
  }

  // Either store is right: the enclosure holds the gradients of both.
  void Widen(int64_t row, int64_t column, int64_t at) {
    double apart = 0;
    for (int64_t term = 0; term < terms_; ++term) {
      const StoredGradient stored = StoreGradient(store_, scale_, Dy(term, row));
      if (stored.value == stored.exact || !std::isfinite(stored.value)) continue;
      apart += std::fabs(stored.value - stored.exact) * std::fabs(X(term, column));
    }
    evidence_.radius[at] += Outward(apart / std::fabs(scale_));
  }

  // sum |x| of a column, ones in the last.
  double Reach(int64_t column) const {
    double sum = 0;
    for (int64_t term = 0; term < terms_; ++term) {
      const double size = std::fabs(X(term, column));
      if (std::isfinite(size)) sum += size;
    }
    return Outward(sum);
  }

  const Values& values_;
  Evidence& evidence_;
  Format store_;
  double scale_;
  int64_t terms_, rows_, columns_;
};

double LengthOf(const Values& values) {
  const NamedDims& dims = values.dims;
  switch (values.source->op) {
    case OpId::kGemm:
    case OpId::kFusedLinear:
      return static_cast<double>(dims[2]);
    case OpId::kBatchedGemm:
      return static_cast<double>(dims[3]);
    case OpId::kGemv:
      return static_cast<double>(dims[1]);
    case OpId::kConv2d:
      return static_cast<double>(dims[1] * dims[5] * dims[6]);
    case OpId::kAvgPool: {
      const int64_t window = IntegerAttribute(*values.source, kPoolWindow);
      return static_cast<double>(window * window);
    }
    case OpId::kScal:
    case OpId::kAxpy:
    case OpId::kGer:
    case OpId::kSyr:
      return 1;
    case OpId::kTrmm:
      return static_cast<double>(values.operands[0].shape[0]);
    case OpId::kScatterAdd:
      return static_cast<double>(dims[2] + 1);
    default:
      return static_cast<double>(dims[0]);
  }
}

}  // namespace

Enclosure Divide(const Enclosure& x, double divisor) {
  if (divisor == 1) return x;
  const double high = x.hi / divisor;
  if (!std::isfinite(high)) return {high, 0, 0};
  double radius = x.radius == 0 ? 0 : Outward(x.radius / std::fabs(divisor)) + kTiniest;
  // high is within half a unit of the quotient: the residual is a double, unless it underflows.
  double residual, dropped;
  TwoSum(std::fma(-high, divisor, x.hi), x.lo, residual, dropped);
  const double low = residual / divisor;
  const bool exact = dropped == 0 && std::fma(-low, divisor, residual) == 0;
  if (!exact) radius += Outward(std::fabs(low) * (4 * kUnit)) + kTiniest;
  // Tiny quotients: residuals and their quotients may lose all that lies below 2^-1074.
  if (x.hi != 0 && std::fabs(high) < 0x1p-900) radius += 0x1p-1070;
  Enclosure quotient{0, 0, radius};
  TwoSum(high, low, quotient.hi, quotient.lo);
  return quotient;
}

void SetSumScalars(const Values& values, Evidence& evidence) {
  const OpId op = values.source->op;
  double alpha = 1, beta = 0, a = values.operands[0].max_abs, b = 0, c = 0;
  switch (op) {
    case OpId::kGemm:
    case OpId::kGemv:
    case OpId::kBatchedGemm:
      alpha = ScalarAttribute(*values.source, kGemmAlpha);
      beta = ScalarAttribute(*values.source, kGemmBeta);
      b = values.operands[1].max_abs;
      c = values.operands[2].max_abs;
      break;
    case OpId::kFusedLinear:
      c = values.operands[2].max_abs;
      b = values.operands[1].max_abs;
      break;
    case OpId::kDot:
    case OpId::kConv2d:
    case OpId::kScaledGradient:
    case OpId::kInt8Gemm:
      b = values.operands[1].max_abs;
      break;
    case OpId::kScal:
      alpha = ScalarAttribute(*values.source, 0);
      break;
    case OpId::kAxpy:
      alpha = ScalarAttribute(*values.source, 0);
      beta = 1;
      c = values.operands[1].max_abs;
      break;
    case OpId::kGer:
    case OpId::kSyr:
      alpha = ScalarAttribute(*values.source, kUpdateAlpha);
      beta = 1;
      b = op == OpId::kSyr ? a : values.operands[1].max_abs;
      c = values.operands.back().max_abs;
      break;
    case OpId::kTrmv:
    case OpId::kTrmm:
      alpha = TriangleOf(*values.source).alpha;
      a = LargestRead(values);
      b = values.operands[1].max_abs;
      break;
    case OpId::kScatterAdd:
      c = values.operands[2].max_abs;
      break;
    default:
      break;
  }
  SetScalar(evidence, Quantity::kLength, LengthOf(values));
  SetScalar(evidence, Quantity::kAlpha, alpha);
  SetScalar(evidence, Quantity::kBeta, beta);
  SetScalar(evidence, Quantity::kMaxAbsA, a);
  SetScalar(evidence, Quantity::kMaxAbsB, b);
  SetScalar(evidence, Quantity::kMaxAbsC, c);
}

void FinishSums(const Values& values, Evidence& evidence) {
  switch (values.source->op) {
    case OpId::kMean:
      return FinishMean(values, evidence);
    case OpId::kAsum:
      return FinishAbsoluteSum(values, evidence);
    case OpId::kNanSum:
      evidence.special |= values.operands[0].any_nan;
      return;
    case OpId::kAvgPool:
      return FinishPool(values, evidence);
    case OpId::kAllReduce:
    case OpId::kReduceScatter:
      SetScalar(evidence, Quantity::kRanks, static_cast<double>(values.dims[0]));
      return FinishCollective(values, evidence);
    case OpId::kScatterAdd:
      return FreeRowsOfPolicies(values, evidence);
    case OpId::kSyr:
      return FinishUpdate(values, evidence);
    case OpId::kScaledGradient:
      return GradientFinisher(values, evidence).Run();
    default:
      return;
  }
}

}  // namespace assay
