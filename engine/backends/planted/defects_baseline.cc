// SPDX-License-Identifier: Apache-2.0
//
// What a generated kernel stores that left its work out.
#include <cstring>

#include "engine/backends/planted/defects.h"
#include "engine/backends/planted/exchanged.h"
#include "engine/backends/reference/kernels.h"

namespace assay::planted {
namespace {

uint64_t BitsOfNumber(DType type, int64_t number) {
  return IsFloat(type) ? Encode(type, static_cast<double>(number)) : EncodeInteger(type, number);
}

int32_t StoreEverywhere(const AssayCall& call, int64_t number) {
  const AssayTensor& out = Destination(call);
  const uint64_t bits = BitsOfNumber(TypeOf(out), number);
  ForEachPlace(out, [bits](const Place& place) { place.SetBits(bits); });
  return ASSAY_OK;
}

}  // namespace

int32_t StoresZeros(const AssayCall& call) { return StoreEverywhere(call, 0); }
int32_t StoresOnes(const AssayCall& call) { return StoreEverywhere(call, 1); }
int32_t StoresNothing(const AssayCall&) { return ASSAY_OK; }

int32_t FirstRowOnly(const AssayCall& call) {
  const int32_t status = reference::Run(call);
  if (status != ASSAY_OK) return status;
  ForEachPlace(Destination(call), [](const Place& place) {
    if (place.rank > 0 && place.index[0] > 0) place.SetBits(0);
  });
  return ASSAY_OK;
}

int32_t AnswersWithNeighbour(const AssayCall& call) {
  const AssayTensor& from = call.operands[0];
  if (CountOf(from) == 0) return ASSAY_OK;
  uint64_t bits = 0;
  const std::byte* neighbour = PastEnd(from);
  std::memcpy(&bits, neighbour, static_cast<size_t>(SizeOf(TypeOf(from))));
  ForEachPlace(Destination(call), [bits](const Place& place) { place.SetBits(bits); });
  return ASSAY_OK;
}

}  // namespace assay::planted
