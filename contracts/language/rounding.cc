// SPDX-License-Identifier: Apache-2.0
#include "contracts/language/rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

double Scalar(const Evidence& evidence, Quantity quantity) {
  return evidence.scalar[static_cast<int>(quantity)];
}

bool IsScaled(const Values& values) { return ScalesProducts(values.op->family); }

// What a sum is divided by; 1 where it is not, 0 where that differs from element to element.
double DivisorOf(const Evidence& evidence, const Values& values) {
  switch (values.source->op) {
    case OpId::kMean:
      return Scalar(evidence, Quantity::kLength);
    case OpId::kAvgPool:
      return 0;
    case OpId::kAllReduce:
    case OpId::kReduceScatter: {
      const bool mean = values.source->attributes[kCollectiveReduction].choice == 1;
      return mean ? Scalar(evidence, Quantity::kRanks) : 1;
    }
    default:
      return 1;
  }
}

bool ChoosesExtremum(const Values& values) {
  const OpId op = values.source->op;
  if (op != OpId::kAllReduce && op != OpId::kReduceScatter) return false;
  return values.source->attributes[kCollectiveReduction].choice >= 2;
}

// Sums of addends: no product is rounded.
bool IsPlainSum(const Values& values) {
  switch (values.op->family) {
    case Family::kSum:
    case Family::kScatter:
    case Family::kPool:
    case Family::kCollective:
      return true;
    default:
      return false;
  }
}

}  // namespace

RoundingRule::RoundingRule(const Program& program, const Evidence& evidence, const Values& values)
    : largest_product_roundings_(kInf) {
  if (IsPlainSum(values)) {
    // 1/n and the product by it; dividing rounds once, dividing every addend no more than this.
    added_ = IsPowerOfTwo(DivisorOf(evidence, values)) ? -1 : 1;
    return;
  }
  const bool general_alpha = !IsPowerOfTwo(Scalar(evidence, Quantity::kAlpha));
  switch (values.source->op) {
    case OpId::kScal:
      added_ = general_alpha ? 0 : -1;
      break;
    case OpId::kAxpy:
      added_ = general_alpha ? 1 : 0;
      break;
    case OpId::kScaledGradient:
      added_ = IsPowerOfTwo(Scalar(evidence, Quantity::kScale)) ? 0 : 2;
      break;
    case OpId::kInt8Gemm:
      per_product_ = 0;
      break;
    default:
      OfProducts(program, evidence);
      break;
  }
  if (IsScaled(values) && Scalar(evidence, Quantity::kAlpha) == 0) counted_share_ = 0;
}

void RoundingRule::OfProducts(const Program& program, const Evidence& evidence) {
  const double beta = Scalar(evidence, Quantity::kBeta);
  const bool scaled = ScalesProducts(program.family);
  const bool general_alpha = scaled && !IsPowerOfTwo(Scalar(evidence, Quantity::kAlpha));
  const bool with_c = scaled && beta != 0;
  when_empty_ = with_c && !IsPowerOfTwo(beta) ? 1 : 0;
  added_ = (general_alpha ? 1 : program.exact_products ? -1 : 0) + (with_c ? 1 : 0);
  // With exact products only beta * c is rounded before the additions, and the table does not count
  // it: K = 1, a b + fl(beta c) has two roundings.
  if (program.exact_products && !general_alpha) added_ += when_empty_;
  if (program.block == 0) return;
  // ceil(K/b) ((b+1) 2^-(23+g) + 2^-23) S, in units of u = 2^-23.
  per_product_ = std::ldexp(program.block + 1, -program.guard) + 1;
  largest_product_roundings_ =
      std::ceil(Scalar(evidence, Quantity::kLength) / program.block) * per_product_;
  const bool bias = program.family == Family::kLinear;
  added_ = (general_alpha ? 1 : 0) + (with_c || bias ? 1 : 0);
}

UnderflowRule::UnderflowRule(const Program& program, const Evidence& evidence, const Values& values)
    : u_(program.u) {
  const FormatInfo& acc = InfoOf(program.accumulator);
  const bool flush = program.flush > 0;
  // Half of f64's smallest subnormal is no double: rounded up.
  const double half =
      std::max(acc.smallest_subnormal / 2, std::numeric_limits<double>::denorm_min());
  const bool truncates = program.u > acc.unit_roundoff;
  unit_ = flush ? acc.smallest_normal : truncates ? acc.smallest_subnormal : half;
  per_product_ = flush ? 2 : 1;
  if (IsPlainSum(values)) {
    // Additions are exact unless they flush; every addend may be divided, and the sum.
    const bool divided = DivisorOf(evidence, values) != 1;
    per_product_ = (flush ? 2 : 0) + (divided ? 1 : 0);
    extra_ = divided || (flush && ChoosesExtremum(values)) ? 1 : 0;
    sum_ = true;
    return;
  }
  // Each product with a subnormal factor may vanish: it is at most lambda times its partner.
  per_partner_ = 2 * program.flush_input;
  switch (values.source->op) {
    case OpId::kScal:
    case OpId::kAxpy:
      OfVectors(program, evidence, values.source->op == OpId::kAxpy);
      return;
    case OpId::kInt8Gemm:
      unit_ = 0;
      return;
    case OpId::kFusedLinear:  // the bias: added with a flush, and flushed itself
      extra_ = flush ? 1 : 0;
      inputs_ = program.flush_input;
      return;
    case OpId::kScaledGradient:
      alpha_ = 1 / std::fabs(Scalar(evidence, Quantity::kScale));
      break;
    default:
      if (!IsScaled(values)) return;
      alpha_ = std::fabs(Scalar(evidence, Quantity::kAlpha));
      break;
  }
  OfScaled(program, evidence);
}

void UnderflowRule::OfScaled(const Program& program, const Evidence& evidence) {
  const bool flush = program.flush > 0;
  const double beta = std::fabs(Scalar(evidence, Quantity::kBeta));
  folded_ = alpha_ != 0 && alpha_ != 1;
  // Multiplication by 0 or +-1 cannot underflow.
  if (folded_) extra_ += 1;
  if (beta != 0 && (beta != 1 || flush)) extra_ += 1;
  if (program.flush_input > 0)
    inputs_ = program.flush_input * FlushedPartners(program, evidence, beta);
  // A subnormal gradient loses as much before it is scaled.
  const double unscaled = program.family == Family::kGradient ? 1 : 0;
  per_partner_ = program.flush_input * (2 * alpha_ + unscaled);
  // Folded, alpha b is rounded before it meets a: that rounding is not scaled by a small alpha.
  per_product_ *= folded_ ? std::max(alpha_, 1.0) : alpha_;
}

void UnderflowRule::OfVectors(const Program& program, const Evidence& evidence, bool adds) {
  const bool flush = program.flush > 0;
  const double alpha = std::fabs(Scalar(evidence, Quantity::kAlpha));
  if (alpha == 1 && !flush) per_product_ = 0;
  if (adds && alpha == 0) return;  // y is not touched
  if (adds && flush) extra_ = 1;
  if (program.flush_input == 0) return;
  const double lambda = InfoOf(program.accumulator).smallest_normal;
  double partners = alpha + (adds ? 1 : 0);
  if (alpha < lambda) partners += Scalar(evidence, Quantity::kMaxAbsA);
  inputs_ = program.flush_input * partners;
}

double UnderflowRule::FlushedPartners(const Program& program, const Evidence& evidence,
                                      double beta) const {
  const double lambda = InfoOf(program.accumulator).smallest_normal;
  double partners = beta;
  if (beta != 0 && beta < lambda) partners += Scalar(evidence, Quantity::kMaxAbsC);
  if (alpha_ != 0 && alpha_ < lambda) partners += Scalar(evidence, Quantity::kMaxAbsProductSum);
  return partners;
}

}  // namespace assay
