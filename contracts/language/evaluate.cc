// SPDX-License-Identifier: Apache-2.0
//
// The evaluator: scalar instructions once, column instructions block by block, so that the columns
// of a large case stay in the cache. Plain double arithmetic of positive terms: its relative error
// stays far below the 2^-40 by which the judge widens every bound.
#include <algorithm>
#include <cmath>
#include <limits>

#include "contracts/invariant.h"
#include "contracts/language/program.h"
#include "contracts/language/rounding.h"

namespace assay {
namespace {

constexpr int kBlock = 256;
constexpr double kInf = std::numeric_limits<double>::infinity();

// x * expm1(theta), in logarithms once the product of a tiny x and a huge factor would lose its
// sense. A truth below the range of double counts as the smallest double.
double Swell(double x, double theta) {
  constexpr double kLargestTheta = 700;
  if (theta <= kLargestTheta) return x * std::expm1(theta);
  return std::exp(std::log(std::max(x, std::numeric_limits<double>::denorm_min())) + theta);
}

double Apply(Code code, double a, double b) {
  switch (code) {
    case Code::kAdd:
      return a + b;
    case Code::kSubtract:
      return a - b;
    case Code::kMultiply:
      return a * b;
    case Code::kDivide:
      return a / b;
    case Code::kPower:
      return std::pow(a, b);
    case Code::kNegate:
      return -a;
    case Code::kAbs:
      return std::fabs(a);
    case Code::kMax:
      return a >= b ? a : b;
    case Code::kMin:
      return a <= b ? a : b;
    case Code::kSqrt:
      return std::sqrt(a);
    case Code::kExpm1:
      return std::expm1(a);
    case Code::kExp:
      return std::exp(a);
    case Code::kLog:
      return std::log(a);
    case Code::kPowerOfTwo:
      return IsPowerOfTwo(a) ? 1 : 0;
    case Code::kSwell:
      return Swell(a, b);
    case Code::kGamma:
      return Gamma(a, b);
    case Code::kLess:
      return a < b ? 1 : 0;
    case Code::kLessEqual:
      return a <= b ? 1 : 0;
    case Code::kGreater:
      return a > b ? 1 : 0;
    case Code::kGreaterEqual:
      return a >= b ? 1 : 0;
    case Code::kEqual:
      return a == b ? 1 : 0;
    case Code::kNotEqual:
      return a != b ? 1 : 0;
    case Code::kAnd:
      return a != 0 && b != 0 ? 1 : 0;
    case Code::kOr:
      return a != 0 || b != 0 ? 1 : 0;
    case Code::kNot:
      return a != 0 ? 0 : 1;
    default:
      ASSAY_CHECK(false, "an instruction that is no arithmetic");
      return 0;
  }
}

// The binade of the truth, which is the lower one when hi is a power of two and the rest pulls
// below.
double UlpOfTruth(Format format, double hi, double lo) {
  if (lo != 0 && (lo < 0) == (hi > 0)) hi = std::nextafter(hi, 0.0);
  return UlpAt(format, hi);
}

class Evaluator {
 public:
  Evaluator(const Program& program, const Inputs& inputs, ProgramScratch& scratch)
      : program_(program), inputs_(inputs), evidence_(*inputs.evidence) {
    // One more than needed: an instruction with one argument names register 0 as its second.
    const auto registers = static_cast<size_t>(program.scalars) + 1;
    if (scratch.scalars.size() < registers) scratch.scalars.resize(registers);
    scalars_ = scratch.scalars.data();
    std::copy(program.constants.begin(), program.constants.end(), scalars_);
    for (const Instruction& instruction : program.by_case) {
      scalars_[instruction.target] = ByCase(instruction);
    }
    const size_t needed = static_cast<size_t>(program.columns) * kBlock;
    if (scratch.columns.size() < needed) scratch.columns.resize(needed);
    columns_ = scratch.columns.data();
  }

  double scalar_result() const { return scalars_[program_.result.index]; }

  void Columns(double* result) {
    if (program_.result.place == Operand::Place::kScalar) {
      std::fill(result, result + evidence_.count, scalar_result());
      return;
    }
    for (int64_t begin = 0; begin < evidence_.count; begin += kBlock) {
      const int size = static_cast<int>(std::min<int64_t>(kBlock, evidence_.count - begin));
      for (const Instruction& instruction : program_.by_element) Block(instruction, begin, size);
      const double* last = Column(program_.result, begin);
      std::copy(last, last + size, result + begin);
    }
  }

 private:
  double ByCase(const Instruction& instruction) const {
    switch (instruction.code) {
      case Code::kScalarQuantity:
        return evidence_.scalar[instruction.a.index];
      case Code::kAttribute:
        return inputs_.values->source->attributes[instruction.a.index].choice;
      case Code::kNumber:
        return NumberOf(instruction.a.index);
      case Code::kSpecial:
        return inputs_.special ? 1 : 0;
      case Code::kFiniteInputs:
        return AllFinite(*inputs_.values, evidence_) ? 1 : 0;
      case Code::kFlushedInput:
        return FlushedInput(scalars_[instruction.a.index]);
      case Code::kUndeclaredArgument:
        return UndeclaredArgument(scalars_[instruction.a.index]);
      default:
        return Apply(instruction.code, scalars_[instruction.a.index],
                     scalars_[instruction.b.index]);
    }
  }

  // Real attributes as the kernel receives them.
  double NumberOf(int attribute) const {
    const Case& source = *inputs_.values->source;
    if (inputs_.values->op->attributes[static_cast<size_t>(attribute)].is_integer()) {
      return static_cast<double>(IntegerAttribute(source, attribute));
    }
    return ScalarAttribute(source, attribute);
  }

  double FlushedInput(double x) const { return x > 0 && x < program_.flush_input ? kInf : 0; }
  double UndeclaredArgument(double x) const { return x > program_.argument_limit ? kInf : 0; }

  const double* Column(Operand operand, int64_t begin) const {
    if (operand.place == Operand::Place::kQuantity) {
      return evidence_.element[operand.index].data() + begin;
    }
    return columns_ + static_cast<size_t>(operand.index) * kBlock;
  }

  // One loop per shape of arguments; the operation is a template argument so that loops vectorize.
  template <class Operation>
  void Loop(const Instruction& instruction, int64_t begin, int size, Operation operation) const {
    double* target = columns_ + static_cast<size_t>(instruction.target) * kBlock;
    const bool a_scalar = instruction.a.place == Operand::Place::kScalar;
    const bool b_scalar = instruction.b.place == Operand::Place::kScalar;
    if (a_scalar && b_scalar) {
      std::fill(target, target + size,
                operation(scalars_[instruction.a.index], scalars_[instruction.b.index]));
    } else if (a_scalar) {
      const double a = scalars_[instruction.a.index];
      const double* b = Column(instruction.b, begin);
      for (int i = 0; i < size; ++i) target[i] = operation(a, b[i]);
    } else if (b_scalar) {
      const double* a = Column(instruction.a, begin);
      const double b = scalars_[instruction.b.index];
      for (int i = 0; i < size; ++i) target[i] = operation(a[i], b);
    } else {
      const double* a = Column(instruction.a, begin);
      const double* b = Column(instruction.b, begin);
      for (int i = 0; i < size; ++i) target[i] = operation(a[i], b[i]);
    }
  }

  void Block(const Instruction& instruction, int64_t begin, int size) const {
    double* target = columns_ + static_cast<size_t>(instruction.target) * kBlock;
    const auto per_element = [&](auto value_of) {
      for (int i = 0; i < size; ++i) target[i] = value_of(begin + i);
    };
    switch (instruction.code) {
      case Code::kAdd:
        return Loop(instruction, begin, size, [](double a, double b) { return a + b; });
      case Code::kMultiply:
        return Loop(instruction, begin, size, [](double a, double b) { return a * b; });
      case Code::kGamma:
        return Gammas(instruction, begin, size);
      case Code::kAbs:
        return Loop(instruction, begin, size, [](double a, double) { return std::fabs(a); });
      case Code::kTruth:
        return per_element([&](int64_t i) { return evidence_.hi[i]; });
      case Code::kUlp:
        return per_element([&](int64_t i) {
          return UlpOfTruth(program_.accumulator, evidence_.hi[i], evidence_.lo[i]);
        });
      case Code::kFlushedInput:
        return Loop(instruction, begin, size, [&](double a, double) { return FlushedInput(a); });
      case Code::kUndeclaredArgument:
        return Loop(instruction, begin, size,
                    [&](double a, double) { return UndeclaredArgument(a); });
      case Code::kRounds:
        return Rounds(target, begin, size);
      case Code::kUnderflow:
        return Underflow(target, begin, size);
      default: {
        const Code code = instruction.code;
        return Loop(instruction, begin, size,
                    [code](double a, double b) { return Apply(code, a, b); });
      }
    }
  }

  // Most elements of a case count as many products as the one before: what a count gives is kept.
  void Rounds(double* target, int64_t begin, int size) const {
    const RoundingRule rule(program_, evidence_, *inputs_.values);
    const double* nnz = Quantities(Quantity::kNonZeros, begin);
    double last = -1, rounds = 0;
    for (int i = 0; i < size; ++i) {
      if (nnz[i] != last) rounds = rule.At(rule.counted_share() * nnz[i]);
      last = nnz[i];
      target[i] = rounds;
    }
  }

  void Underflow(double* target, int64_t begin, int size) const {
    const RoundingRule rounding(program_, evidence_, *inputs_.values);
    const UnderflowRule rule(program_, evidence_, *inputs_.values);
    const double* nnz = Quantities(Quantity::kNonZeros, begin);
    const bool by_operands = rule.needs_operand_sum();
    const double* sums = by_operands ? Quantities(Quantity::kOperandSum, begin) : nullptr;
    double last = -1, underflow = 0;
    for (int i = 0; i < size; ++i) {
      if (by_operands || nnz[i] != last) {
        const double counted = rounding.counted_share() * nnz[i];
        const double sum = by_operands && counted > 0 ? sums[i] : 0;
        underflow = rule.At(counted, sum, rounding.At(counted));
      }
      last = nnz[i];
      target[i] = underflow;
    }
  }

  // A division, mostly of the same number as before.
  void Gammas(const Instruction& instruction, int64_t begin, int size) const {
    if (instruction.a.place == Operand::Place::kScalar ||
        instruction.b.place != Operand::Place::kScalar) {
      return Loop(instruction, begin, size, [](double m, double u) { return Gamma(m, u); });
    }
    double* target = columns_ + static_cast<size_t>(instruction.target) * kBlock;
    const double* m = Column(instruction.a, begin);
    const double u = scalars_[instruction.b.index];
    double last = 0, gamma = 0;
    for (int i = 0; i < size; ++i) {
      if (m[i] != last) gamma = Gamma(m[i], u);
      last = m[i];
      target[i] = gamma;
    }
  }

  const double* Quantities(Quantity quantity, int64_t begin) const {
    return evidence_.element[static_cast<int>(quantity)].data() + begin;
  }

  const Program& program_;
  const Inputs& inputs_;
  const Evidence& evidence_;
  double* scalars_ = nullptr;
  double* columns_ = nullptr;
};

}  // namespace

double RunByCase(const Program& program, const Inputs& inputs, ProgramScratch& scratch) {
  return Evaluator(program, inputs, scratch).scalar_result();
}

void RunByElement(const Program& program, const Inputs& inputs, ProgramScratch& scratch,
                  double* result) {
  Evaluator(program, inputs, scratch).Columns(result);
}

bool Measured(const Program& program, const Evidence& evidence) {
  return std::all_of(program.quantities.begin(), program.quantities.end(), [&](Quantity quantity) {
    return evidence.element[static_cast<int>(quantity)].size() >=
           static_cast<size_t>(evidence.count);
  });
}

bool AllFinite(const Values& values, const Evidence& evidence) {
  for (size_t i = 0; i < values.operands.size(); ++i) {
    if (values.roles[static_cast<int>(i)] == static_cast<uint8_t>(Role::kOutput)) continue;
    if (values.operands[i].any_nan || values.operands[i].any_inf) return false;
  }
  const auto finite = [&](Quantity quantity) {
    return std::isfinite(evidence.scalar[static_cast<int>(quantity)]);
  };
  switch (values.op->family) {
    case Family::kGemm:
    case Family::kVector:
    case Family::kUpdate:
    case Family::kTriangular:
    case Family::kSolve:
    case Family::kComplex:
      return finite(Quantity::kAlpha) && finite(Quantity::kBeta);
    case Family::kGradient:
      return finite(Quantity::kScale);
    default:
      return true;
  }
}

}  // namespace assay
