// SPDX-License-Identifier: Apache-2.0
//
// Kernels that differ from the reference in bits and in nothing that a contract forbids.
#include "engine/backends/planted/defects.h"
#include "engine/backends/planted/exchanged.h"
#include "engine/backends/reference/kernels.h"

namespace assay::planted {
namespace {

// Walks the axis backwards.
void Reverse(AssayTensor& tensor, int axis) {
  const int64_t extent = tensor.shape[axis];
  if (extent < 2) return;
  const int64_t bytes = (extent - 1) * tensor.strides[axis] * SizeOf(TypeOf(tensor));
  tensor.byte_offset += static_cast<uint64_t>(bytes);
  tensor.strides[axis] = -tensor.strides[axis];
}

// The axis of the operand, as stored, that holds the dimension; -1: none.
int AxisOf(const AssayCall& call, const OperandDef& operand, int dimension) {
  const int rank = operand.axes.rank;
  for (int axis = 0; axis < rank; ++axis) {
    if (operand.axes.dimension[static_cast<size_t>(axis)] != dimension) continue;
    const bool swapped = operand.transposed_by >= 0 &&
                         call.attributes[operand.transposed_by] != 0 && axis >= rank - 2;
    return swapped ? 2 * rank - 3 - axis : axis;
  }
  return -1;
}

// Whether a reversed summation is another one of the same terms for each output.
bool MayReverse(const AssayCall& call) {
  const bool causal = call.op == ASSAY_OP_ATTENTION && call.attributes[1] != 0;
  return !causal && call.op != ASSAY_OP_CUMSUM && call.op != ASSAY_OP_ARGMAX &&
         call.op != ASSAY_OP_AMAX;
}

}  // namespace

int32_t Plain(const AssayCall& call) { return reference::Run(call); }

int32_t Wide(const AssayCall& call) {
  ExchangedCall exchanged(call);
  for (int i = 0; i < call.operand_count; ++i) {
    if (IsFloat(TypeOf(call.operands[i]))) exchanged.Convert(i, DType::kF64);
  }
  return exchanged.Run();
}

int32_t Reversed(const AssayCall& call) {
  if (!MayReverse(call)) return reference::Run(call);
  const OperatorDef& def = DefOf(call);
  ExchangedCall exchanged(call);
  // The ranks of a result are whom it is for, not what was added.
  const int operands = def.family == Family::kCollective ? 1 : call.operand_count;
  for (int i = 0; i < operands; ++i) {
    const int axis = AxisOf(call, def.operands[static_cast<size_t>(i)], def.reduced);
    if (axis >= 0) Reverse(exchanged.operand(i), axis);
  }
  return exchanged.Run();
}

}  // namespace assay::planted
