// SPDX-License-Identifier: Apache-2.0
//
// An operand as a tensor of the library: a view of its memory, nothing copied. Inside the module
// only.
#pragma once

#include <ATen/core/Tensor.h>

#include "engine/backends/call_view.h"

namespace assay::libtorch {

// REQUIRES a type that the rules take.
at::Tensor TensorOf(const AssayTensor& operand);
inline at::Tensor Operand(const AssayCall& call, int i) { return TensorOf(call.operands[i]); }
inline at::Tensor Destination(const AssayCall& call) {
  return Operand(call, call.operand_count - 1);
}

// Each runs the call if it is one of its operations, and says whether it was. Errors of the library
// are thrown through them.
bool RunPointwise(const AssayCall& call);  // functions of one or two elements, conversions
bool RunReduction(const AssayCall& call);  // sums, norms, extrema, scans, softmax, norms of rows
bool RunProduct(const AssayCall& call);    // products, attention, windows
bool RunIndexed(const AssayCall& call);    // gathers, scatters

}  // namespace assay::libtorch
