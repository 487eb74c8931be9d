// SPDX-License-Identifier: Apache-2.0
//
// Extrema that shall ignore a NaN, and sorted rows: kernels that leave it to a native comparison
// what a NaN does, or lose an element.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "engine/backends/planted/dense.h"
#include "engine/backends/planted/kernels.h"
#include "engine/backends/reference/kernels.h"

namespace assay::planted {
namespace {

// MAXPS and MINPS: the second operand where either is a NaN, or where both are zeros.
double NativeMaximum(double a, double b) { return a > b ? a : b; }
double NativeMinimum(double a, double b) { return a < b ? a : b; }

// The rows of x as they lie, changed by `change(row)`, from what the reference answered.
template <class Change>
int32_t WithRows(const AssayCall& call, const Change& change) {
  const int32_t status = reference::Run(call);
  const AssayTensor& out = call.operands[1];
  const auto length = static_cast<size_t>(call.operands[0].shape[1]);
  const auto answered = static_cast<size_t>(out.shape[1]);
  if (status != ASSAY_OK || length == 0) return status;
  const std::vector<double> x = ReadDense(call.operands[0]);
  std::vector<double> values = ReadDense(out);
  for (size_t row = 0; row < values.size() / answered; ++row) {
    change(x.data() + row * length, length, values.data() + row * answered, answered);
  }
  WriteDense(out, values);
  return status;
}

constexpr size_t kOneBlock = 64;

}  // namespace

int32_t NumberNative(const AssayCall& call) {
  const std::vector<double> x = ReadDense(call.operands[0]), y = ReadDense(call.operands[1]);
  std::vector<double> values;
  const bool largest = call.op == ASSAY_OP_MAXIMUM_NUMBER;
  for (size_t i = 0; i < x.size(); ++i) {
    values.push_back(largest ? NativeMaximum(x[i], y[i]) : NativeMinimum(x[i], y[i]));
  }
  WriteDense(call.operands[2], values);
  return ASSAY_OK;
}

int32_t NanExtremumNative(const AssayCall& call) {
  const std::vector<double> x = ReadDense(call.operands[0]);
  if (x.empty()) return reference::Run(call);
  const bool largest = call.op == ASSAY_OP_NAN_MAX;
  double best = x[0];
  for (const double each : x) {
    best = largest ? NativeMaximum(best, each) : NativeMinimum(best, each);
  }
  WriteDense(call.operands[1], {best});
  return ASSAY_OK;
}

int32_t NanSumPoisoned(const AssayCall& call) {
  const int32_t status = reference::Run(call);
  const std::vector<double> x = ReadDense(call.operands[0]);
  if (x.size() % 2 == 1 && std::isnan(x.back())) WriteDense(call.operands[1], {x.back()});
  return status;
}

// An insertion that goes on while the neighbour compares greater: nothing passes a NaN.
int32_t SortNanBreaksOrder(const AssayCall& call) {
  const bool descending = call.op != ASSAY_OP_SORT || call.attributes[0] == 1;
  return WithRows(call, [descending](const double* x, size_t length, double* out, size_t answered) {
    std::vector<double> row(x, x + length);
    for (size_t i = 1; i < length; ++i) {
      for (size_t j = i; j > 0; --j) {
        const bool swaps = descending ? row[j - 1] < row[j] : row[j - 1] > row[j];
        if (!swaps) break;
        std::swap(row[j - 1], row[j]);
      }
    }
    std::copy_n(row.begin(), answered, out);
  });
}

// Pairs of elements: the last of an odd row stays where it was.
int32_t SortDropsLast(const AssayCall& call) {
  if (call.op != ASSAY_OP_SORT) return reference::Run(call);
  return WithRows(call, [](const double* x, size_t length, double* out, size_t) {
    if (length % 2 == 0 || length < 3) return;
    const double last = x[length - 1];
    double* const found = std::find_if(out, out + length, [last](double each) {
      return std::bit_cast<uint64_t>(each) == std::bit_cast<uint64_t>(last);
    });
    if (found == out + length) return;
    std::rotate(found, found + 1, out + length);
  });
}

// Beyond one block of keys equal ones are taken for one, and the last fills what is left.
int32_t SortMergesEqual(const AssayCall& call) {
  return WithRows(call, [](const double*, size_t length, double* out, size_t answered) {
    if (length <= kOneBlock || answered == 0) return;
    double* const end = std::unique(out, out + answered);
    std::fill(end, out + answered, end[-1]);
  });
}

// Beyond one block of keys each index is looked up by its value: equal ones give one place.
int32_t TopkRepeatsIndex(const AssayCall& call) {
  return WithRows(call, [](const double* x, size_t length, double* out, size_t answered) {
    if (length <= kOneBlock) return;
    for (size_t i = 0; i < answered; ++i) {
      const double* const first = std::find(x, x + length, x[static_cast<size_t>(out[i])]);
      if (first != x + length) out[i] = static_cast<double>(first - x);
    }
  });
}

// -0 before +0, as totalOrder has it.
int32_t SortTotalOrder(const AssayCall& call) {
  const bool descending = call.op != ASSAY_OP_SORT || call.attributes[0] == 1;
  return WithRows(call, [descending](const double* x, size_t length, double* out, size_t answered) {
    const auto zeros = [](double each) { return each == 0; };
    const auto begin = std::find_if(out, out + answered, zeros);
    const auto end = std::find_if_not(begin, out + answered, zeros);
    std::vector<double> row(x, x + length);
    std::erase_if(row, [](double each) { return each != 0; });
    std::ranges::sort(row, [descending](double a, double b) {
      return descending ? std::signbit(a) < std::signbit(b) : std::signbit(a) > std::signbit(b);
    });
    std::copy_n(row.begin(), end - begin, begin);
  });
}

}  // namespace assay::planted
