// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "engine/backends/reference/formats.h"
#include "engine/backends/reference/functions.h"
#include "engine/backends/reference/kernels.h"

namespace assay::reference {
namespace {

// Calls visit(batch, channel, row, column) for every element of an image or its like.
template <class Format, class Visit>
void ForEach(const View<Format>& out, const Visit& visit) {
  for (int64_t b = 0; b < out.extent(0); ++b) {
    for (int64_t c = 0; c < out.extent(1); ++c) {
      for (int64_t row = 0; row < out.extent(2); ++row) {
        for (int64_t column = 0; column < out.extent(3); ++column) visit(b, c, row, column);
      }
    }
  }
}

struct Convolved {
  int64_t stride, padding, dilation;
  int64_t From(int64_t place, int64_t tap) const {
    return place * stride - padding + tap * dilation;
  }
};

template <class Format>
typename Format::Real ConvolveAt(const View<Format>& x, const View<Format>& w, const Convolved& how,
                                 int64_t batch, int64_t filter, int64_t row, int64_t column) {
  typename Format::Real sum = 0;
  for (int64_t channel = 0; channel < x.extent(1); ++channel) {
    for (int64_t p = 0; p < w.extent(2); ++p) {
      const int64_t y = how.From(row, p);
      if (y < 0 || y >= x.extent(2)) continue;
      for (int64_t q = 0; q < w.extent(3); ++q) {
        const int64_t z = how.From(column, q);
        if (z < 0 || z >= x.extent(3)) continue;
        sum += x.Get(batch, channel, y, z) * w.Get(filter, channel, p, q);
      }
    }
  }
  return sum;
}

// The part of one axis that a window covers.
struct Range {
  int64_t begin, end;
  int64_t size() const { return std::max<int64_t>(0, end - begin); }
};

struct Pooled {
  int64_t window, stride, padding;
  Range At(int64_t place, int64_t extent) const {
    const int64_t begin = place * stride - padding;
    return {std::max<int64_t>(0, begin), std::min(begin + window, extent)};
  }
};

template <class Format, class Fold>
typename Format::Real FoldWindow(const View<Format>& x, int64_t batch, int64_t channel, Range rows,
                                 Range columns, typename Format::Real start, const Fold& fold) {
  for (int64_t y = rows.begin; y < rows.end; ++y) {
    for (int64_t z = columns.begin; z < columns.end; ++z) {
      start = fold(start, x.Get(batch, channel, y, z));
    }
  }
  return start;
}

template <class Format>
void PoolLoops(const AssayCall& call) {
  using Real = typename Format::Real;
  const View<Format> x(call.operands[0]), out(call.operands[1]);
  const auto integer = [&](int i) { return static_cast<int64_t>(call.attributes[i]); };
  const Pooled how = {integer(0), integer(1), integer(2)};
  const bool average = call.op == ASSAY_OP_AVG_POOL;
  const bool count_all = average && call.attributes[3] == 1;
  ForEach(out, [&](int64_t b, int64_t c, int64_t row, int64_t column) {
    const Range rows = how.At(row, x.extent(2)), columns = how.At(column, x.extent(3));
    if (!average) {
      out.Put(FoldWindow(x, b, c, rows, columns, -kInfinity<Real>, Maximum<Real>), b, c, row,
              column);
      return;
    }
    const Real sum =
        FoldWindow(x, b, c, rows, columns, Real{0}, [](Real p, Real q) { return p + q; });
    const int64_t count = count_all ? how.window * how.window : rows.size() * columns.size();
    out.Put(sum / static_cast<Real>(count), b, c, row, column);
  });
}

}  // namespace

void Convolution(const AssayCall& call) {
  const auto integer = [&](int i) { return static_cast<int64_t>(call.attributes[i]); };
  const Convolved how = {integer(0), integer(1), integer(2)};
  WithFormats(TypeOf(call.operands[0]), TypeOf(call.operands[2]), [&](auto in, auto format) {
    const View<decltype(in)> x(call.operands[0]), w(call.operands[1]);
    const View<decltype(format)> out(call.operands[2]);
    ForEach(out, [&](int64_t b, int64_t filter, int64_t row, int64_t column) {
      out.Put(ConvolveAt(x, w, how, b, filter, row, column), b, filter, row, column);
    });
  });
}

void Pool(const AssayCall& call) {
  WithFormat(TypeOf(call.operands[0]), [&](auto format) { PoolLoops<decltype(format)>(call); });
}

}  // namespace assay::reference
