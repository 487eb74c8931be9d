// SPDX-License-Identifier: Apache-2.0
//
// The kernels of dot2.h. One source, compiled for three instruction sets by function attributes and
// chosen at run time: no file-wide flags, so no inline function of another header can leak out with
// instructions that the machine lacks. Vectors are eight doubles everywhere, so every machine
// computes the same bits.
#include "oracles/dot2.h"

#include <algorithm>

#include "oracles/lanes.h"

namespace assay {
namespace {

constexpr int kUnroll = 4;  // vectors in flight of a single dot product

enum class Product { kNone, kExact, kFma, kSplit };

ASSAY_KERNEL VecTwoSum(const Vec& a, const Vec& b, Vec& sum, Vec& error) {
  const Vec total = a + b;
  const Vec b_part = total - a;
  error = (a - (total - b_part)) + (b - b_part);
  sum = total;
}

// Veltkamp's splitting and Dekker's product: the same exact error as an fma gives.
ASSAY_KERNEL Split(const Vec& x, Vec& high, Vec& low) {
  Vec factor;
  Fill(0x1p27 + 1, factor);
  const Vec scaled = factor * x;
  high = scaled - (scaled - x);
  low = x - high;
}

template <Product kProduct>
ASSAY_KERNEL VecTwoProduct(const Vec& a, const Vec& b, Vec& product, Vec& error) {
  product = a * b;
  if constexpr (kProduct == Product::kFma) {
#if defined(__clang__)
    error = __builtin_elementwise_fma(a, b, -product);
#else
    for (int lane = 0; lane < kLanes; ++lane) {
      error[lane] = __builtin_fma(a[lane], b[lane], -product[lane]);
    }
#endif
  } else {
    Vec ah, al, bh, bl;
    Split(a, ah, al);
    Split(b, bh, bl);
    error = al * bl - (((product - ah * bh) - al * bh) - ah * bl);
  }
}

// Running state of one vector of outputs.
struct State {
  Vec sum, error, error_size, magnitude, carried;
};

ASSAY_KERNEL Clear(State& state) {
  Fill(0, state.sum);
  state.error = state.error_size = state.magnitude = state.carried = state.sum;
}

ASSAY_KERNEL CarryMagnitude(State& state) {
  state.carried += state.magnitude;
  Fill(0, state.magnitude);
}

template <Product kProduct>
ASSAY_KERNEL Step(const Vec& a, const Vec& b, State& state) {
  Vec product, product_error, sum_error, size;
  if constexpr (kProduct == Product::kNone) {
    product = a;
  } else if constexpr (kProduct == Product::kExact) {
    product = a * b;
  } else {
    VecTwoProduct<kProduct>(a, b, product, product_error);
  }
  VecTwoSum(state.sum, product, state.sum, sum_error);
  Abs(product, size);
  state.magnitude += size;
  Abs(sum_error, size);
  if constexpr (kProduct == Product::kFma || kProduct == Product::kSplit) {
    Vec product_size;
    Abs(product_error, product_size);
    state.error += sum_error + product_error;
    state.error_size += size + product_size;
  } else {
    state.error += sum_error;
    state.error_size += size;
  }
}

// What a state becomes: eight outputs.
struct Finished {
  Vec hi, lo, radius, abs_sum, product_sum;
};

// Added to a radius that is a rounded product of `sizes`, none where they are zero: such products
// may underflow.
ASSAY_KERNEL UnderflowOf(const Vec& sizes, Vec& extra) {
  Vec floor, zero;
  Fill(0x1p-1060, floor);
  Fill(0, zero);
  Select((Mask)(sizes > zero), floor, zero, extra);
}

// Radius of the certificate for terms that pass at most `height` additions.
ASSAY_KERNEL Certify(const State& state, double height, Vec& radius) {
  Vec factor, extra;
  Fill(height * kUnit * (1 + 16 * height * kUnit), factor);
  UnderflowOf(state.error_size, extra);
  radius = state.error_size * factor + extra;
}

// True lanes: |x| within the range in which products are exact, or x is zero because `factor` is.
ASSAY_KERNEL InRange(const Vec& x, const Vec& factor, Mask& ok) {
  Vec size, least, most, zero;
  Abs(x, size);
  Fill(kSmallestExactProduct, least);
  Fill(0x1p1000, most);
  Fill(0, zero);
  ok = ((Mask)(size >= least) & (Mask)(size <= most)) | (Mask)(factor == zero);
}

template <Product kProduct>
ASSAY_KERNEL Scale(double alpha_value, double beta_value, const Vec& c, Finished& out, Mask& ok) {
  Vec alpha, beta, ph, pe, pl, qh, qe, sh, se, size, sizes;
  Mask fits;
  Fill(alpha_value, alpha);
  Fill(beta_value, beta);
  VecTwoProduct<kProduct>(alpha, out.hi, ph, pe);
  InRange(ph, out.hi, fits);
  ok &= fits;
  pl = alpha * out.lo;
  InRange(pl, out.lo, fits);
  ok &= fits;
  VecTwoProduct<kProduct>(beta, c, qh, qe);
  InRange(qh, c, fits);
  Mask no_c = (Mask)(beta == beta - beta);  // beta == 0: c is a vector of zeros
  ok &= fits | no_c;
  VecTwoSum(ph, qh, sh, se);
  const Vec rest = (pe + qe) + (se + pl);
  Abs(pe, sizes);
  Abs(qe, size);
  sizes += size;
  Abs(se, size);
  sizes += size;
  Abs(pl, size);
  sizes += size;
  VecTwoSum(sh, rest, out.hi, out.lo);
  Vec alpha_size, up, four_u;
  Abs(alpha, alpha_size);
  Fill(kOutward, up);
  Fill(4 * kUnit, four_u);
  Vec extra;
  UnderflowOf(out.radius + sizes, extra);
  out.radius = (out.radius * alpha_size + sizes * four_u) * up + extra;
  Abs(qh, size);
  out.abs_sum = (alpha_size * out.abs_sum + size);
}

template <Product kProduct>
ASSAY_KERNEL Finish(const State& state, double height, const Dot2Problem& problem, const Vec& c,
                    Finished& out) {
  VecTwoSum(state.sum, state.error, out.hi, out.lo);
  Certify(state, height, out.radius);
  out.abs_sum = state.carried + state.magnitude;
  Vec up, infinite, unit, decisive, size, most;
  Fill(kOutward, up);
  Fill(kInfinity, infinite);
  out.product_sum = out.abs_sum * up;
  Fill(0x1p1000, most);
  Mask ok = (Mask)(out.product_sum <= most);
  constexpr Product kScaling = kProduct == Product::kSplit ? Product::kSplit : Product::kFma;
  if (problem.alpha != 1 || problem.beta != 0) {
    Scale<kScaling>(problem.alpha, problem.beta, c, out, ok);
  }
  out.abs_sum *= up;
  Fill(0x1p-20 * problem.unit_out, unit);
  Abs(out.hi, size);
  Fill(0x1p-63, decisive);
  ok &= (Mask)(out.radius <= size * unit) | (Mask)(out.radius <= out.abs_sum * decisive);
  Select(ok, out.radius, infinite, out.radius);
}

ASSAY_KERNEL Write(const Finished& from, int64_t at, int64_t count, const Dot2Result& to) {
  const auto put = [&](const Vec& vec, double* column) __attribute__((always_inline)) {
    if (count == kLanes) {
      Store(vec, column + at);
      return;
    }
    double lanes[kLanes];
    Store(vec, lanes);
    for (int64_t i = 0; i < count; ++i) column[at + i] = lanes[i];
  };
  put(from.hi, to.hi);
  put(from.lo, to.lo);
  put(from.radius, to.radius);
  put(from.abs_sum, to.abs_sum);
  put(from.product_sum, to.product_sum);
}

ASSAY_KERNEL LoadC(const Dot2Problem& problem, int64_t at, int64_t count, Vec& c) {
  Fill(0, c);
  if (problem.beta == 0) return;
  if (count == kLanes) {
    Load(problem.c + at, c);
    return;
  }
  double lanes[kLanes] = {};
  for (int64_t i = 0; i < count; ++i) lanes[i] = problem.c[at + i];
  Load(lanes, c);
}

// kRows rows against one panel.
template <Product kProduct, int kRows>
ASSAY_KERNEL Block(const Dot2Problem& problem, int64_t row, int64_t panel,
                   const Dot2Result& result) {
  const double* b = problem.b + panel * problem.length * kLanes;
  const double* a = problem.a + row * problem.length;
  State state[kRows];
  for (int r = 0; r < kRows; ++r) Clear(state[r]);
  for (int64_t start = 0; start < problem.length; start += kChunk) {
    const int64_t end = std::min(start + kChunk, problem.length);
    for (int64_t k = start; k < end; ++k) {
      Vec right, left;
      Load(b + k * kLanes, right);
      for (int r = 0; r < kRows; ++r) {
        Fill(a[r * problem.length + k], left);
        Step<kProduct>(left, right, state[r]);
      }
    }
    for (int r = 0; r < kRows; ++r) CarryMagnitude(state[r]);
  }
  const int64_t column = panel * kLanes;
  const int64_t count = std::min<int64_t>(kLanes, problem.columns - column);
  for (int r = 0; r < kRows; ++r) {
    const int64_t at = (row + r) * problem.columns + column;
    Vec c;
    Finished out;
    LoadC(problem, at, count, c);
    Finish<kProduct>(state[r], double(problem.length + 2), problem, c, out);
    Write(out, at, count, result);
  }
}

// Adds lanes [half, 2 half) to [0, half); an error term per lane.
ASSAY_KERNEL Merge(const State& from, State& into) {
  Vec error, size;
  VecTwoSum(into.sum, from.sum, into.sum, error);
  Abs(error, size);
  into.error = (into.error + from.error) + error;
  into.error_size = (into.error_size + from.error_size) + size;
  into.carried += from.carried;
}

template <int kHalf>
ASSAY_KERNEL Fold(State& state) {
  const auto shift = [](const Vec& vec, Vec& to) __attribute__((always_inline)) {
    double lanes[kLanes];
    Store(vec, lanes);
    double moved[kLanes] = {};
    for (int i = 0; i < kHalf; ++i) moved[i] = lanes[i + kHalf];
    Load(moved, to);
  };
  State upper;
  shift(state.sum, upper.sum);
  shift(state.error, upper.error);
  shift(state.error_size, upper.error_size);
  shift(state.carried, upper.carried);
  Merge(upper, state);
}

template <Product kProduct>
ASSAY_KERNEL Strip(const double* a, const double* b, State* state) {
  for (int u = 0; u < kUnroll; ++u) {
    Vec left, right;
    Load(a + u * kLanes, left);
    if constexpr (kProduct != Product::kNone) {
      Load(b + u * kLanes, right);
    } else {
      right = left;
    }
    Step<kProduct>(left, right, state[u]);
  }
}

// One output from two contiguous vectors, 32 lanes over the length.
template <Product kProduct>
ASSAY_KERNEL Lane(const Dot2Problem& problem, int64_t row, int64_t column,
                  const Dot2Result& result) {
  constexpr int64_t kStrip = kLanes * kUnroll;
  const double* a = problem.a + row * problem.length;
  const double* b = kProduct == Product::kNone ? a : problem.b + column * problem.length;
  State state[kUnroll];
  for (int u = 0; u < kUnroll; ++u) Clear(state[u]);
  const int64_t whole = problem.length / kStrip;
  for (int64_t start = 0; start < whole; start += kChunk) {
    const int64_t end = std::min(start + kChunk, whole);
    for (int64_t i = start; i < end; ++i) Strip<kProduct>(a + i * kStrip, b + i * kStrip, state);
    for (int u = 0; u < kUnroll; ++u) CarryMagnitude(state[u]);
  }
  const int64_t rest = problem.length - whole * kStrip;
  if (rest > 0) {
    double left[kStrip] = {}, right[kStrip] = {};
    std::copy_n(a + whole * kStrip, rest, left);
    std::copy_n(b + whole * kStrip, rest, right);
    Strip<kProduct>(left, right, state);
    for (int u = 0; u < kUnroll; ++u) CarryMagnitude(state[u]);
  }
  for (int u = 1; u < kUnroll; ++u) Merge(state[u], state[0]);
  Fold<4>(state[0]);
  Fold<2>(state[0]);
  Fold<1>(state[0]);
  Vec c;
  Finished out;
  const int64_t at = row * problem.columns + column;
  LoadC(problem, at, /*count=*/1, c);
  // A term passes the additions of its lane and two for each of the six merges.
  Finish<kProduct>(state[0], double(whole + 16), problem, c, out);
  Write(out, at, /*count=*/1, result);
}

template <Product kProduct, int kRows>
ASSAY_KERNEL All(const Dot2Problem& problem, const Dot2Result& result) {
  if (!problem.panels) {
    for (int64_t row = 0; row < problem.rows; ++row) {
      for (int64_t column = 0; column < problem.columns; ++column) {
        Lane<kProduct>(problem, row, column, result);
      }
    }
    return;
  }
  if constexpr (kProduct != Product::kNone) {
    const int64_t panels = (problem.columns + kLanes - 1) / kLanes;
    for (int64_t panel = 0; panel < panels; ++panel) {
      int64_t row = 0;
      for (; row + kRows <= problem.rows; row += kRows) {
        Block<kProduct, kRows>(problem, row, panel, result);
      }
      for (; row < problem.rows; ++row) Block<kProduct, 1>(problem, row, panel, result);
    }
  }
}

template <Product kTwoProduct, int kRows>
ASSAY_KERNEL Run(const Dot2Problem& problem, const Dot2Result& result) {
  if (problem.b == nullptr) {
    All<Product::kNone, kRows>(problem, result);
  } else if (problem.exact_products) {
    All<Product::kExact, kRows>(problem, result);
  } else {
    All<kTwoProduct, kRows>(problem, result);
  }
}

using Kernel = void (*)(const Dot2Problem&, const Dot2Result&);

#if defined(__x86_64__)
ASSAY_AVX512 void RunAvx512(const Dot2Problem& problem, const Dot2Result& result) {
  Run<Product::kFma, 4>(problem, result);
}
ASSAY_AVX2 void RunAvx2(const Dot2Problem& problem, const Dot2Result& result) {
  Run<Product::kFma, 2>(problem, result);
}
void RunBase(const Dot2Problem& problem, const Dot2Result& result) {
  Run<Product::kSplit, 1>(problem, result);
}
const Kernel kKernels[] = {RunBase, RunAvx2, RunAvx512};
#else
// Every other target of 64 bits has a fused multiply-add.
void RunBase(const Dot2Problem& problem, const Dot2Result& result) {
  Run<Product::kFma, 2>(problem, result);
}
const Kernel kKernels[] = {RunBase, RunBase, RunBase};
#endif

}  // namespace

void RunDot2(const Dot2Problem& problem, const Dot2Result& result, LaneSet lanes) {
  kKernels[static_cast<int>(lanes)](problem, result);
}

}  // namespace assay
