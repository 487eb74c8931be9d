// SPDX-License-Identifier: Apache-2.0
#include "oracles/complex.h"

#include <algorithm>
#include <cmath>

#include "oracles/binary.h"
#include "oracles/complex_classes.h"
#include "oracles/enclosure.h"
#include "oracles/evidence_columns.h"

namespace assay {
namespace {

using Complex = std::complex<double>;

// Sums in balls keep this much of the sum of magnitudes, far more than the double-double that is
// stored.
constexpr int kBits = 256;

Complex At(const OperandValues& operand, int64_t index) {
  return {operand.real[2 * index], operand.real[2 * index + 1]};
}

Complex Scalar(const Values& values, int attribute) {
  return {ScalarAttribute(*values.source, attribute),
          ScalarAttribute(*values.source, attribute + 1)};
}

void GatherMatrixVector(const Values& values, int64_t index, ComplexTerms& terms) {
  const OperandValues& a = values.operands[0];
  const int64_t columns = a.shape[1];
  const int trans = values.source->attributes[kComplexTrans].choice;
  const int64_t length = values.operands[1].count / 2;
  terms.scaled = true;
  terms.alpha = Scalar(values, kComplexAlpha);
  terms.beta = Scalar(values, kComplexBeta);
  if (terms.beta != 0.0) terms.c = At(values.operands[2], index);
  if (terms.alpha == 0.0) return;
  for (int64_t k = 0; k < length; ++k) {
    const Complex element = At(a, trans == 0 ? index * columns + k : k * columns + index);
    terms.a.push_back(trans == 2 ? std::conj(element) : element);
    terms.b.push_back(At(values.operands[1], k));
  }
}

double Size(const Complex& z) { return std::fabs(z.real()) + std::fabs(z.imag()); }
bool IsFinite(const Complex& z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

double UpperBound(const Ball& ball) {
  const Enclosure enclosure = ball.ToEnclosure();
  return Outward(std::fabs(enclosure.hi) + std::fabs(enclosure.lo) + enclosure.radius);
}

bool AllFiniteTerms(const ComplexTerms& terms) {
  const auto finite = [](const Complex& z) { return IsFinite(z); };
  return std::all_of(terms.a.begin(), terms.a.end(), finite) &&
         std::all_of(terms.b.begin(), terms.b.end(), finite) && IsFinite(terms.alpha) &&
         IsFinite(terms.beta) && IsFinite(terms.c);
}

// One part of a sum of products, and of their magnitudes.
struct Part {
  Ball truth, size;
};

Part Scaled(const Part& real, const Part& imaginary, double by_real, double by_imaginary) {
  return {Ball(by_real) * real.truth + Ball(by_imaginary) * imaginary.truth,
          Ball(std::fabs(by_real)) * real.size + Ball(std::fabs(by_imaginary)) * imaginary.size};
}

}  // namespace

void GatherComplexTerms(const Values& values, int64_t index, ComplexTerms& terms) {
  terms.Reset();
  const OperandValues& first = values.operands[0];
  switch (values.source->op) {
    case OpId::kComplexScal:
      terms.a_is_scalar = true;
      terms.a.push_back(Scalar(values, kComplexAlpha));
      terms.b.push_back(At(first, index));
      return;
    case OpId::kComplexDot: {
      const bool conjugates = values.source->attributes[kComplexConjugate].choice == 1;
      for (int64_t k = 0; k < first.count / 2; ++k) {
        terms.a.push_back(conjugates ? std::conj(At(first, k)) : At(first, k));
        terms.b.push_back(At(values.operands[1], k));
      }
      return;
    }
    default:
      return GatherMatrixVector(values, index, terms);
  }
}

void ComplexOracle::MeasureAnswer(int64_t index, Evidence& evidence) {
  const size_t count = terms_.a.size();
  left_.resize(2 * count);
  right_.resize(2 * count);
  Part parts[2];
  double nnz = 0, sum_a = 0, sum_b = 0, most = 0;
  for (int part = 0; part < 2; ++part) {
    for (size_t k = 0; k < count; ++k) {
      const Complex a = terms_.a[k], b = terms_.b[k];
      left_[2 * k] = a.real();
      left_[2 * k + 1] = part == 0 ? -a.imag() : a.imag();
      right_[2 * k] = part == 0 ? b.real() : b.imag();
      right_[2 * k + 1] = part == 0 ? b.imag() : b.real();
    }
    SumOfProducts(left_.data(), right_.data(), static_cast<int64_t>(2 * count), parts[part].truth);
    for (double& value : left_) value = std::fabs(value);
    for (double& value : right_) value = std::fabs(value);
    SumOfProducts(left_.data(), right_.data(), static_cast<int64_t>(2 * count), parts[part].size);
  }
  for (size_t k = 0; k < count; ++k) {
    const double a = Size(terms_.a[k]), b = Size(terms_.b[k]);
    nnz += a != 0 && b != 0;
    sum_a += a;
    sum_b += b;
    most = std::max({most, a, b});
  }
  const double alpha = Size(terms_.alpha);
  for (int part = 0; part < 2; ++part) {
    const double real = terms_.alpha.real(), imaginary = terms_.alpha.imag();
    const Part scaled = part == 0 ? Scaled(parts[0], parts[1], real, -imaginary)
                                  : Scaled(parts[1], parts[0], real, imaginary);
    const double c = part == 0 ? terms_.c.real() : terms_.c.imag();
    const double other = part == 0 ? -terms_.c.imag() : terms_.c.real();
    const Ball added = Ball(terms_.beta.real()) * Ball(c) + Ball(terms_.beta.imag()) * Ball(other);
    const Ball size = Ball(std::fabs(terms_.beta.real())) * Ball(std::fabs(c)) +
                      Ball(std::fabs(terms_.beta.imag())) * Ball(std::fabs(other));
    const int64_t at = 2 * index + part;
    StoreTruth((scaled.truth + added).ToEnclosure(), at, evidence);
    CloseOverflow(at, evidence);
    const double abs_sum = UpperBound(scaled.size + size);
    MeasuredColumn(evidence, Quantity::kAbsSum)[at] = abs_sum;
    MeasuredColumn(evidence, Quantity::kNonZeros)[at] = nnz;
    MeasuredColumn(evidence, Quantity::kOperandSum)[at] = Outward(std::max(sum_a, sum_b));
    max_abs_sum_ = std::max(max_abs_sum_, abs_sum);
    max_product_ = std::max({max_product_, UpperBound(parts[part].size), Outward(2 * alpha * most),
                             Outward(2 * Size(terms_.beta) * most)});
  }
}

// Beside a special value, too, finite products may overflow, which makes an infinity of another
// kind: the coarsest bound on what they come to.
void ComplexOracle::NoteFiniteParts() {
  const auto size = [](const Complex& z) {
    const double parts[] = {std::fabs(z.real()), std::fabs(z.imag())};
    return (std::isfinite(parts[0]) ? parts[0] : 0) + (std::isfinite(parts[1]) ? parts[1] : 0);
  };
  double sum = 0, most = 0;
  for (size_t k = 0; k < terms_.a.size(); ++k) {
    const double a = size(terms_.a[k]), b = size(terms_.b[k]);
    sum += a * b;
    most = std::max({most, a, b});
  }
  const double alpha = size(terms_.alpha), added = size(terms_.beta) * size(terms_.c);
  max_abs_sum_ = std::max(max_abs_sum_, Outward(alpha * sum + added));
  max_product_ = std::max({max_product_, Outward(sum), Outward(2 * alpha * most)});
}

// sqrt(re^2 + im^2). An infinite part makes an infinity, whatever the other is (IEEE
// 754-2019, 9.2.1; C23, Annex G).
void ComplexOracle::MeasureAbs(const Values& values, Evidence& evidence) {
  for (int64_t index = 0; index < evidence.count; ++index) {
    const Complex z = At(values.operands[0], index);
    if (!IsFinite(z)) {
      const bool infinite = std::isinf(z.real()) || std::isinf(z.imag());
      const OperandValues& x = values.operands[0];
      const bool signalling =
          IsSignalling(x.dtype, x.bits[2 * index]) || IsSignalling(x.dtype, x.bits[2 * index + 1]);
      const ClassSet magnitude = signalling ? kClassPosInf | kClassNan : kClassPosInf;
      StoreClasses(infinite ? magnitude : kClassNan, index, evidence);
    } else {
      const Ball re(z.real()), im(z.imag());
      StoreTruth(Sqrt(re * re + im * im).ToEnclosure(), index, evidence);
      CloseOverflow(index, evidence);
    }
    MeasuredColumn(evidence, Quantity::kAbsSum)[index] = std::fabs(evidence.hi[index]);
  }
}

void ComplexOracle::MeasureFrom(const Values& values, int bits, Evidence& evidence) {
  const BallPrecision precision(bits);
  ResetEvidence(values.operands.back().count, evidence);
  max_abs_sum_ = max_product_ = 0;
  evidence.tier = Tier::kBall;
  for (const OperandValues& operand : values.operands) {
    const bool read =
        &operand != &values.operands.back() || values.op->operands.back().role == Role::kInout;
    evidence.special |= read && (operand.any_nan || operand.any_inf);
  }
  for (const Quantity each : {Quantity::kAbsSum, Quantity::kNonZeros, Quantity::kOperandSum}) {
    std::fill_n(MeasuredColumn(evidence, each), evidence.count, 0.0);
  }
  Complex alpha = 1, beta = 0;
  if (values.source->op == OpId::kComplexAbs) {
    MeasureAbs(values, evidence);
  } else {
    for (int64_t index = 0; index < evidence.count / 2; ++index) {
      GatherComplexTerms(values, index, terms_);
      if (AllFiniteTerms(terms_)) {
        MeasureAnswer(index, evidence);
        if (terms_.a.empty()) StoreScaledAddend(terms_, index, evidence);
      } else {
        StoreSpecialAnswer(terms_, index, evidence);
        NoteFiniteParts();
      }
    }
  }
  if (values.source->op == OpId::kComplexScal || values.source->op == OpId::kComplexGemv) {
    alpha = Scalar(values, kComplexAlpha);
    evidence.special |= !IsFinite(alpha);
  }
  if (values.source->op == OpId::kComplexGemv) {
    beta = Scalar(values, kComplexBeta);
    evidence.special |= !IsFinite(beta) || alpha == 0.0;
  }
  const bool abs = values.source->op == OpId::kComplexAbs;
  SetScalar(evidence, Quantity::kLength, abs ? 2 : static_cast<double>(terms_.a.size()));
  SetScalar(evidence, Quantity::kAlpha, Size(alpha));
  SetScalar(evidence, Quantity::kBeta, Size(beta));
  SetScalar(evidence, Quantity::kMaxAbsA, values.operands[0].max_abs);
  SetScalar(evidence, Quantity::kMaxAbsB,
            values.operands.size() > 2 ? values.operands[1].max_abs : 0);
  SetScalar(evidence, Quantity::kMaxAbsC, 0);
  SetScalar(evidence, Quantity::kMaxAbsSum, max_abs_sum_);
  SetScalar(evidence, Quantity::kMaxAbsProductSum, max_product_);
}

void ComplexOracle::Measure(const Values& values, Evidence& evidence) {
  MeasureFrom(values, kBits, evidence);
}

void ComplexOracle::MeasureHighest(const Values& values, int precision_bits, Evidence& evidence) {
  MeasureFrom(values, std::max(4 * kBits, precision_bits), evidence);
}

}  // namespace assay
