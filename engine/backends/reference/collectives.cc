// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "engine/backends/reference/formats.h"
#include "engine/backends/reference/functions.h"
#include "engine/backends/reference/kernels.h"

namespace assay::reference {
namespace {

template <class Real>
Real Combine(double reduction, Real a, Real b) {
  if (reduction == 2) return Maximum(a, b);
  return reduction == 3 ? Minimum(a, b) : a + b;  // sum and mean
}

// Element i of part `part` over all ranks; all_reduce has no parts and takes element i.
template <class Format>
typename Format::Real OverRanks(const AssayCall& call, const View<Format>& buffers, int64_t part,
                                int64_t i) {
  using Real = typename Format::Real;
  const bool parts = call.op == ASSAY_OP_REDUCE_SCATTER;
  const auto at = [&](int64_t rank) {
    return parts ? buffers.Get(rank, part, i) : buffers.Get(rank, i);
  };
  Real result = at(0);
  for (int64_t rank = 1; rank < buffers.extent(0); ++rank) {
    result = Combine(call.attributes[0], result, at(rank));
  }
  const bool mean = call.attributes[0] == 1;
  return mean ? result / static_cast<Real>(buffers.extent(0)) : result;
}

template <class Format>
void ReduceRanks(const AssayCall& call) {
  const View<Format> buffers(call.operands[0]), out(call.operands[1]);
  const int64_t ranks = out.extent(0);
  for (int64_t rank = 0; rank < ranks; ++rank) {
    for (int64_t i = 0; i < out.extent(1); ++i) out.Put(OverRanks(call, buffers, rank, i), rank, i);
  }
}

template <class Word>
void GatherRanks(const AssayCall& call) {
  const View<Word> buffers(call.operands[0]), out(call.operands[1]);
  for (int64_t rank = 0; rank < out.extent(0); ++rank) {
    for (int64_t from = 0; from < out.extent(1); ++from) {
      for (int64_t i = 0; i < out.extent(2); ++i) out.Put(buffers.Get(from, i), rank, from, i);
    }
  }
}

}  // namespace

void Collective(const AssayCall& call) {
  const AssayTensor& buffers = call.operands[0];
  if (call.op == ASSAY_OP_ALL_GATHER) {
    return WithWord(buffers, [&](auto word) { GatherRanks<decltype(word)>(call); });
  }
  WithFormat(TypeOf(buffers), [&](auto format) { ReduceRanks<decltype(format)>(call); });
}

}  // namespace assay::reference
