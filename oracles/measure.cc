// SPDX-License-Identifier: Apache-2.0
//
// Which oracle measures which operator.
#include "oracles/measure.h"

#include "oracles/binary.h"
#include "oracles/cast.h"
#include "oracles/gather.h"
#include "oracles/quantize.h"
#include "oracles/select.h"
#include "oracles/softmax.h"
#include "oracles/sums.h"
#include "oracles/unary.h"

namespace assay {

struct Oracle::Impl {
  SumsOracle sums;
  SoftmaxOracle softmax;
  UnaryOracle unary;
  BinaryOracle binary;
  BallEvaluator balls;
};

Oracle::Oracle() : impl_(std::make_unique<Impl>()) {}
Oracle::~Oracle() = default;

void Oracle::Measure(const Values& values, Evidence& evidence) {
  switch (values.source->op) {
    case OpId::kGemm:
    case OpId::kDot:
    case OpId::kSum:
      return impl_->sums.Measure(values, evidence);
    case OpId::kSoftmax:
      return impl_->softmax.Measure(values, impl_->balls, evidence);
    case OpId::kGather:
      return MeasureGather(values, evidence);
    case OpId::kCast:
      return MeasureCast(values, evidence);
    case OpId::kQuantize:
    case OpId::kDequantize:
      return MeasureQuantize(values, impl_->balls, evidence);
    case OpId::kMax:
    case OpId::kMin:
    case OpId::kArgmax:
    case OpId::kAmax:
      return MeasureSelect(values, evidence);
    case OpId::kMaxPool:
      return MeasureMaxPool(values, evidence);
    case OpId::kAdd:
    case OpId::kMul:
    case OpId::kDiv:
    case OpId::kMinimum:
    case OpId::kMaximum:
    case OpId::kPow:
    case OpId::kRemainder:
    case OpId::kHypot:
      return impl_->binary.Measure(values, impl_->balls, evidence);
    default:
      return impl_->unary.Measure(values, impl_->balls, evidence);
  }
}

void Oracle::MeasureHighest(const Values& values, int precision_bits, Evidence& evidence) {
  switch (values.source->op) {
    case OpId::kGemm:
    case OpId::kDot:
    case OpId::kSum:
      return impl_->sums.MeasureHighest(values, evidence);
    case OpId::kSoftmax:
      return impl_->softmax.MeasureHighest(values, precision_bits, impl_->balls, evidence);
    case OpId::kGather:
      return MeasureGather(values, evidence);
    case OpId::kCast:
      return MeasureCast(values, evidence);
    case OpId::kQuantize:
    case OpId::kDequantize:
      return MeasureQuantize(values, impl_->balls, evidence);
    case OpId::kMax:
    case OpId::kMin:
    case OpId::kArgmax:
    case OpId::kAmax:
      return MeasureSelect(values, evidence);
    case OpId::kMaxPool:
      return MeasureMaxPool(values, evidence);
    case OpId::kAdd:
    case OpId::kMul:
    case OpId::kDiv:
    case OpId::kMinimum:
    case OpId::kMaximum:
    case OpId::kPow:
    case OpId::kRemainder:
    case OpId::kHypot:
      return impl_->binary.MeasureHighest(values, precision_bits, impl_->balls, evidence);
    default:
      return impl_->unary.MeasureHighest(values, precision_bits, impl_->balls, evidence);
  }
}

}  // namespace assay
