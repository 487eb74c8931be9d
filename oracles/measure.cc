// SPDX-License-Identifier: Apache-2.0
//
// Which oracle measures which operator.
#include "oracles/measure.h"

#include "oracles/attention.h"
#include "oracles/binary.h"
#include "oracles/cast.h"
#include "oracles/complex.h"
#include "oracles/gather.h"
#include "oracles/int_division.h"
#include "oracles/linear.h"
#include "oracles/log_softmax.h"
#include "oracles/norms.h"
#include "oracles/number/ball.h"
#include "oracles/product.h"
#include "oracles/quantize.h"
#include "oracles/select.h"
#include "oracles/softmax.h"
#include "oracles/solve.h"
#include "oracles/sort.h"
#include "oracles/subnormals.h"
#include "oracles/unary.h"

namespace assay {

struct Oracle::Impl {
  LinearOracle linear;
  SolveOracle solve;
  ComplexOracle complex;
  SoftmaxOracle softmax;
  LogSoftmaxOracle log_softmax;
  NormsOracle norms;
  AttentionOracle attention;
  ProductOracle product;
  UnaryOracle unary;
  BinaryOracle binary;
  BallEvaluator balls;

  void Measure(const Values& values, Evidence& evidence);
  void MeasureHighest(const Values& values, int precision_bits, Evidence& evidence);
  // Operators whose fastest tier is exact. False: none of them.
  bool MeasureExact(const Values& values, Evidence& evidence);
};

Oracle::Oracle() : impl_(std::make_unique<Impl>()) {}
Oracle::~Oracle() = default;

void Oracle::Measure(const Values& values, Evidence& evidence) {
  impl_->Measure(values, evidence);
  CountSubnormals(values, evidence);
}

void Oracle::MeasureHighest(const Values& values, int precision_bits, Evidence& evidence) {
  impl_->MeasureHighest(values, precision_bits, evidence);
  CountSubnormals(values, evidence);
}

bool Oracle::Impl::MeasureExact(const Values& values, Evidence& evidence) {
  switch (values.op->family) {
    case Family::kGather:
      MeasureGather(values, evidence);
      return true;
    case Family::kCast:
      MeasureCast(values, evidence);
      return true;
    case Family::kQuantize:
      MeasureQuantize(values, balls, evidence);
      return true;
    case Family::kIntDivision:
      MeasureIntDivision(values, evidence);
      return true;
    case Family::kSort:
      MeasureSort(values, evidence);
      return true;
    case Family::kSelect:
      MeasureSelect(values, evidence);
      return true;
    case Family::kPool:
      if (values.op->id != OpId::kMaxPool) return false;
      MeasureMaxPool(values, evidence);
      return true;
    default:
      return false;
  }
}

void Oracle::Impl::Measure(const Values& values, Evidence& evidence) {
  if (MeasureExact(values, evidence)) return;
  switch (values.op->family) {
    case Family::kSoftmax:
      if (values.op->id == OpId::kSoftmax) return softmax.Measure(values, balls, evidence);
      return log_softmax.Measure(values, evidence);
    case Family::kAttention:
      return attention.Measure(values, evidence);
    case Family::kComplex:
      return complex.Measure(values, evidence);
    case Family::kSolve:
      return solve.Measure(values, evidence);
    case Family::kProduct:
      return product.Measure(values, evidence);
    case Family::kNorm:
      return norms.Measure(values, evidence);
    case Family::kBinary:
      return binary.Measure(values, balls, evidence);
    case Family::kUnary:
      return unary.Measure(values, balls, evidence);
    default:
      return linear.Measure(values, evidence);
  }
}

void Oracle::Impl::MeasureHighest(const Values& values, int precision_bits, Evidence& evidence) {
  if (MeasureExact(values, evidence)) return;
  switch (values.op->family) {
    case Family::kSoftmax:
      if (values.op->id == OpId::kSoftmax) {
        return softmax.MeasureHighest(values, precision_bits, balls, evidence);
      }
      return log_softmax.MeasureHighest(values, precision_bits, evidence);
    case Family::kAttention:
      return attention.MeasureHighest(values, precision_bits, evidence);
    case Family::kComplex:
      return complex.MeasureHighest(values, precision_bits, evidence);
    case Family::kSolve:
      return solve.MeasureHighest(values, precision_bits, evidence);
    case Family::kProduct:
      return product.MeasureHighest(values, precision_bits, evidence);
    case Family::kNorm:
      return norms.MeasureHighest(values, precision_bits, evidence);
    case Family::kBinary:
      return binary.MeasureHighest(values, precision_bits, balls, evidence);
    case Family::kUnary:
      return unary.MeasureHighest(values, precision_bits, balls, evidence);
    default:
      return linear.MeasureHighest(values, precision_bits, evidence);
  }
}

void ReleaseThreadCaches() { FreeNumberCaches(); }

}  // namespace assay
