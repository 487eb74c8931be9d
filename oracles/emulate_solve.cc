// SPDX-License-Identifier: Apache-2.0
#include "oracles/emulate_solve.h"

#include <vector>

#include "oracles/solve.h"

namespace assay {
namespace {

// Substitution up to the element: operands and steps go through a rounding each.
template <class Operand, class Step>
double SolveFor(const SolveSystem& system, int64_t index, Operand operand, Step step) {
  std::vector<double> x(static_cast<size_t>(system.order));
  const int64_t side = system.SideOf(index);
  for (int64_t row = 0; row < system.order; ++row) {
    double sum = step(system.alpha * operand(system.B(row, side)));
    for (int64_t k = 0; k < row; ++k) {
      sum = step(sum - operand(system.L(row, k)) * x[static_cast<size_t>(k)]);
    }
    x[static_cast<size_t>(row)] = step(sum / operand(system.L(row, row)));
    if (system.At(row, side) == index) return x[static_cast<size_t>(row)];
  }
  return 0;
}

}  // namespace

bool EmulateSolve(const Values& values, DefectModel model, int64_t index, double* out) {
  const SolveSystem system(values);
  const Format output = FormatOf(values.operands.back().dtype);
  const auto in = [](Format format) {
    return [format](double value) { return Round(format, value); };
  };
  const auto exact = [](double value) { return value; };
  switch (model) {
    case DefectModel::kF16Accumulator:
      *out = Round(output, SolveFor(system, index, exact, in(Format::kF16)));
      return true;
    case DefectModel::kBf16Accumulator:
      *out = Round(output, SolveFor(system, index, exact, in(Format::kBf16)));
      return true;
    case DefectModel::kTf32Operands:
      *out = Round(output, SolveFor(system, index, in(Format::kTf32), exact));
      return true;
    case DefectModel::kHf32Operands:
      *out = Round(output, SolveFor(system, index, in(Format::kHf32), exact));
      return true;
    case DefectModel::kBf16Operands:
      *out = Round(output, SolveFor(system, index, in(Format::kBf16), exact));
      return true;
    default:
      return false;
  }
}

}  // namespace assay
