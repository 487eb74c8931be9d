// SPDX-License-Identifier: Apache-2.0
//
// A call with some operands exchanged for dense copies of them, run by the reference loops: what
// the defects that fit any operator are made of. Depends on the operator table and the reference.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "contracts/dtype.h"
#include "contracts/operator.h"
#include "contracts/tensor.h"
#include "engine/backends/planted/operands.h"
#include "engine/include/assay/backend.h"

namespace assay::planted {

int64_t CountOf(const AssayTensor& tensor);
// Addresses right behind the highest and before the lowest element. REQUIRES an element.
std::byte* PastEnd(const AssayTensor& tensor);
std::byte* BeforeStart(const AssayTensor& tensor);

// Where an element of an operand lies, and how it is stored.
struct Place {
  std::byte* at;
  DType type;
  int rank;
  std::array<int64_t, kMaxRank> index;
  int64_t position;  // in row-major order
  int64_t last_extent;

  int64_t last_index() const { return rank == 0 ? 0 : index[static_cast<size_t>(rank - 1)]; }
  // Whether a loop over vectors of eight along the last axis reaches the element.
  bool in_body() const { return last_index() < last_extent / 8 * 8; }
  uint64_t Bits() const;
  void SetBits(uint64_t bits) const;
  double Real() const { return Decode(type, Bits()); }  // REQUIRES IsFloat(type)
};

// Calls visit(const Place&) for every element in row-major order.
template <class Visit>
void ForEachPlace(const AssayTensor& tensor, const Visit& visit);

// The operator of a call, and its operands by role.
const OperatorDef& DefOf(const AssayCall& call);
bool IsRead(const AssayCall& call, int operand);  // input or in and out, and not an index
bool IsReal(const AssayCall& call, int operand);  // read, and of a float type
const AssayTensor& Destination(const AssayCall& call);

class ExchangedCall {
 public:
  explicit ExchangedCall(const AssayCall& call);
  ExchangedCall(const ExchangedCall&) = delete;
  ExchangedCall& operator=(const ExchangedCall&) = delete;

  // The operand as the reference will see it; shape and strides may be changed in place.
  AssayTensor& operand(int i) { return tensors_[static_cast<size_t>(i)]; }
  // Exchanges the operand for a dense copy, which stays until the object goes.
  AssayTensor& Copy(int i);
  // The same in another float type. REQUIRES one of its own.
  AssayTensor& Convert(int i, DType type);
  // Runs the reference and then stores an exchanged destination where it belongs, with one rounding
  // if its type was converted. Returns the status of the run.
  int32_t Run();

 private:
  void Allocate(int i, DType type);

  const AssayCall* original_;
  AssayCall call_;
  std::array<AssayTensor, kMaxOperands> tensors_{};
  std::array<std::array<int64_t, kMaxRank>, kMaxOperands> shapes_{}, strides_{};
  std::array<std::vector<std::byte>, kMaxOperands> memory_;
};

template <class Visit>
void ForEachPlace(const AssayTensor& tensor, const Visit& visit) {
  Place place{};
  place.type = TypeOf(tensor);
  place.rank = tensor.ndim;
  place.last_extent = tensor.ndim == 0 ? 1 : tensor.shape[tensor.ndim - 1];
  std::byte* const element0 = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  const int64_t count = CountOf(tensor);
  for (place.position = 0; place.position < count; ++place.position) {
    int64_t rest = place.position, offset = 0;
    for (int axis = tensor.ndim - 1; axis >= 0; --axis) {
      const int64_t index = rest % tensor.shape[axis];
      place.index[static_cast<size_t>(axis)] = index;
      if (tensor.shape[axis] > 1) offset += index * tensor.strides[axis];
      rest /= tensor.shape[axis];
    }
    place.at = element0 + offset * SizeOf(place.type);
    visit(place);
  }
}

}  // namespace assay::planted
