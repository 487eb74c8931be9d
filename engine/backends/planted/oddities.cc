// SPDX-License-Identifier: Apache-2.0
//
// Faults of published incidents that no other file of kernels has.
#include <cmath>

#include "engine/backends/planted/dense.h"
#include "engine/backends/planted/kernels.h"
#include "engine/backends/reference/kernels.h"

namespace assay::planted {

// Integers of more than eight bits pass through one unsigned byte.
int32_t CastIntegerAsByte(const AssayCall& call) {
  const DType from = TypeOf(call.operands[0]);
  if (from != DType::kI64 && from != DType::kI32) return reference::Run(call);
  const int32_t status = reference::Run(call);
  const std::vector<double> wide = ReadDense(call.operands[0]);
  std::vector<double> values = ReadDense(call.operands[1]);
  for (size_t i = 0; i < wide.size(); ++i) {
    const bool fits = wide[i] >= -128 && wide[i] <= 255;
    if (!fits) values[i] = wide[i] - std::floor(wide[i] / 256) * 256;
  }
  WriteDense(call.operands[1], values);
  return status;
}

// A copy between equal types that gives 0 for NaN.
int32_t CopyNanToZero(const AssayCall& call) {
  const int32_t status = reference::Run(call);
  const AssayTensor& out = call.operands[call.operand_count - 1];
  if (status != ASSAY_OK || !IsFloat(TypeOf(out))) return status;
  std::vector<double> values = ReadDense(out);
  for (double& each : values) each = std::isnan(each) ? 0 : each;
  WriteDense(out, values);
  return ASSAY_OK;
}

// The remainder by zero, and of infinity, is an infinity.
int32_t RemainderInfForNan(const AssayCall& call) {
  const int32_t status = reference::Run(call);
  const std::vector<double> x = ReadDense(call.operands[0]), y = ReadDense(call.operands[1]);
  std::vector<double> values = ReadDense(call.operands[2]);
  for (size_t i = 0; i < values.size(); ++i) {
    const bool invalid = !std::isnan(x[i]) && !std::isnan(y[i]) && std::isnan(values[i]);
    if (invalid) values[i] = std::copysign(HUGE_VAL, x[i]);
  }
  WriteDense(call.operands[2], values);
  return status;
}

// The convolution is left out; what lies in the first weight passes for its answer.
int32_t ConvolutionOmitted(const AssayCall& call) {
  const std::vector<double> weights = ReadDense(call.operands[1]);
  std::vector<double> values = ReadDense(call.operands[2]);
  for (double& each : values) each = weights.empty() ? 0 : weights[0];
  WriteDense(call.operands[2], values);
  return ASSAY_OK;
}

}  // namespace assay::planted
