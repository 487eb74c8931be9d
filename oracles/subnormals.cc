// SPDX-License-Identifier: Apache-2.0
#include "oracles/subnormals.h"

#include <algorithm>
#include <cmath>

#include "oracles/evidence_columns.h"

namespace assay {

void CountSubnormals(const Values& values, Evidence& evidence) {
  double& total = evidence.scalar[static_cast<int>(Quantity::kSubnormalCount)];
  if (std::isnan(total)) total = 0;
  const DType input = values.operands[0].dtype, output = values.operands.back().dtype;
  if (!IsFloat(input) || !IsFloat(output)) return;
  const Format accumulator = input == DType::kF64 ? Format::kF64 : Format::kF32;
  const double normal =
      std::max(InfoOf(accumulator).smallest_normal, InfoOf(FormatOf(output)).smallest_normal);
  const auto tiny = [normal](double value) { return value != 0 && std::fabs(value) < normal; };
  int64_t count = 0;
  for (size_t i = 0; i < values.operands.size(); ++i) {
    const OperandValues& operand = values.operands[i];
    if (values.op->operands[i].role == Role::kOutput || !IsFloat(operand.dtype)) continue;
    // Tiny numbers are subnormal in their own type, unless another one decides.
    const bool own = normal <= InfoOf(FormatOf(operand.dtype)).smallest_normal;
    if (own && !operand.any_subnormal) continue;
    count += std::count_if(operand.real.begin(), operand.real.end(), tiny);
  }
  for (int64_t at = 0; at < evidence.count; ++at) count += tiny(evidence.hi[at]) ? 1 : 0;
  total += static_cast<double>(count);
}

}  // namespace assay
