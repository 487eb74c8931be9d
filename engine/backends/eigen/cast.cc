// SPDX-License-Identifier: Apache-2.0
//
// Conversions. Eigen converts element by element, so that one kind of map is enough.
#include "engine/backends/eigen/maps.h"

namespace assay::eigen {
namespace {

// Calls visit with a value of the element type.
template <class Visit>
void WithType(const AssayTensor& tensor, Visit visit) {
  constexpr uint8_t kUnsigned = 1;
  if (IsFloat(tensor, 64)) return visit(double{});
  if (IsFloat(tensor, 32)) return visit(float{});
  if (IsFloat(tensor, 16)) return visit(Eigen::half{});
  if (IsBfloat16(tensor)) return visit(Eigen::bfloat16{});
  if (tensor.dtype.bits == 64) return visit(int64_t{});
  if (tensor.dtype.bits == 32) return visit(int32_t{});
  if (tensor.dtype.code == kUnsigned) return visit(uint8_t{});
  visit(int8_t{});
}

}  // namespace

void RunCast(const AssayCall& call) {
  WithType(call.operands[0], [&](auto from) {
    WithType(call.operands[1], [&](auto to) {
      StridedMap<decltype(to)>(call.operands[1]) =
          StridedMap<const decltype(from)>(call.operands[0]).template cast<decltype(to)>();
    });
  });
}

}  // namespace assay::eigen
