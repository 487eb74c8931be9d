// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "engine/backends/reference/formats.h"
#include "engine/backends/reference/kernels.h"

namespace assay::reference {
namespace {

// Places of a row's elements in the order that is asked for.
template <class Format>
std::vector<int64_t> OrderOf(const View<Format>& x, int64_t row, bool descending, bool nan_first) {
  std::vector<int64_t> places(static_cast<size_t>(x.extent(1)));
  std::iota(places.begin(), places.end(), 0);
  std::sort(places.begin(), places.end(), [&](int64_t a, int64_t b) {
    const auto left = x.Get(row, a), right = x.Get(row, b);
    if (std::isnan(left) != std::isnan(right)) return std::isnan(left) == nan_first;
    if (left < right || left > right) return (left < right) != descending;
    return a < b;
  });
  return places;
}

}  // namespace

void Sort(const AssayCall& call) {
  const bool whole = call.op == ASSAY_OP_SORT;
  const bool descending = !whole || call.attributes[0] == 1;
  const bool nan_first = call.attributes[1] == 1;
  const bool indices = call.op == ASSAY_OP_TOPK_INDICES;
  WithFormat(TypeOf(call.operands[0]), [&](auto format) {
    using Word = typename decltype(format)::Word;
    const View<decltype(format)> x(call.operands[0]);
    const View<Raw<Word>> from(call.operands[0]);  // elements are moved, not calculated with
    for (int64_t row = 0; row < x.extent(0); ++row) {
      const std::vector<int64_t> places = OrderOf(x, row, descending, nan_first);
      const int64_t count = call.operands[1].shape[1];
      for (int64_t i = 0; i < count; ++i) {
        const int64_t place = places[static_cast<size_t>(i)];
        if (indices) {
          View<Raw<int64_t>>(call.operands[1]).Put(place, row, i);
        } else {
          View<Raw<Word>>(call.operands[1]).Put(from.Get(row, place), row, i);
        }
      }
    }
  });
}

}  // namespace assay::reference
