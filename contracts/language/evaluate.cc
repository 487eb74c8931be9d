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

namespace assay {
namespace {

constexpr int kBlock = 256;
constexpr double kInf = std::numeric_limits<double>::infinity();

bool IsPowerOfTwo(double value) {
  int exponent;
  return std::fabs(std::frexp(value, &exponent)) == 0.5;
}

double Gamma(double m, double u) {
  const double mu = m * u;
  return mu < 1 ? mu / (1 - mu) : kInf;
}

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

// Rounding counts of a sum of products (Higham, 2nd ed., 3.1): what is added to the number of
// non-zero products, and what stands when there is none.
struct RoundingRule {
  double added = 0;
  double when_empty = 0;
  double largest_product_roundings = kInf;  // block units: one per block of the whole length
  double per_product = 1;
};

RoundingRule RoundingRuleOf(const Program& program, const Evidence& evidence) {
  RoundingRule rule;
  if (program.family == Family::kSum) {
    rule.added = -1;
    return rule;
  }
  const double alpha = evidence.scalar[static_cast<int>(Quantity::kAlpha)];
  const double beta = evidence.scalar[static_cast<int>(Quantity::kBeta)];
  const bool gemm = program.family == Family::kGemm;
  const bool general_alpha = gemm && !IsPowerOfTwo(alpha);
  const bool with_c = gemm && beta != 0;
  rule.when_empty = with_c && !IsPowerOfTwo(beta) ? 1 : 0;
  rule.added = (general_alpha ? 1 : program.exact_products ? -1 : 0) + (with_c ? 1 : 0);
  // With exact products only beta * c is rounded before the additions, and the table does not count
  // it: K = 1, a b + fl(beta c) has two roundings.
  if (program.exact_products && !general_alpha) rule.added += rule.when_empty;
  if (program.block > 0) {
    // ceil(K/b) ((b+1) 2^-(23+g) + 2^-23) S, in units of u = 2^-23.
    const double length = evidence.scalar[static_cast<int>(Quantity::kLength)];
    rule.per_product = std::ldexp(program.block + 1, -program.guard) + 1;
    rule.largest_product_roundings = std::ceil(length / program.block) * rule.per_product;
    rule.added = (general_alpha ? 1 : 0) + (with_c ? 1 : 0);
  }
  return rule;
}

double RoundsOf(const RoundingRule& rule, double nnz) {
  const double products = std::min(nnz * rule.per_product, rule.largest_product_roundings);
  const double rounds = products + rule.added;
  return nnz > 0 ? rounds : rule.when_empty;
}

// 1, or 0 with alpha = 0: the products do not reach the result.
double CountedShare(const Program& program, const Evidence& evidence) {
  const bool ignored =
      program.family == Family::kGemm && evidence.scalar[static_cast<int>(Quantity::kAlpha)] == 0;
  return ignored ? 0 : 1;
}

// Underflow (Hauser, ACM TOPLAS 18, 1996). Multiplication by 0 or +-1 cannot underflow, additions
// are exact in gradual underflow.
class UnderflowRule {
 public:
  UnderflowRule(const Program& program, const Evidence& evidence) : program_(program) {
    const FormatInfo& acc = InfoOf(program.accumulator);
    const bool flush = program.flush > 0;
    // Half of f64's smallest subnormal is no double: rounded up.
    const double half =
        std::max(acc.smallest_subnormal / 2, std::numeric_limits<double>::denorm_min());
    const bool truncates = program.u > acc.unit_roundoff;
    unit_ = flush ? acc.smallest_normal : truncates ? acc.smallest_subnormal : half;
    sum_ = program.family == Family::kSum;
    if (program.family == Family::kGemm) {
      alpha_ = std::fabs(evidence.scalar[static_cast<int>(Quantity::kAlpha)]);
      const double beta = std::fabs(evidence.scalar[static_cast<int>(Quantity::kBeta)]);
      folded_ = alpha_ != 0 && alpha_ != 1;
      if (folded_) extra_ += 1;
      if (beta != 0 && (beta != 1 || flush)) extra_ += 1;
      if (program.flush_input > 0) inputs_ = program.flush_input * FlushedPartners(evidence, beta);
    }
    // Folded, alpha b is rounded before it meets a: that rounding is not scaled by a small alpha.
    per_product_ = (flush ? 2 : 1) * (folded_ ? std::max(alpha_, 1.0) : alpha_);
  }

  double At(double nnz, double operand_sum, double rounds) const {
    double term = 0;
    if (sum_) {
      term = program_.flush > 0 ? 2 * nnz * unit_ : 0;
    } else {
      const double folded = folded_ && nnz > 0 ? operand_sum : 0;
      term = unit_ * (nnz * per_product_ + folded + extra_) * (1 + Gamma(rounds, program_.u));
      // Each product with a subnormal factor may vanish: it is at most lambda times its partner.
      if (program_.flush_input > 0) term += 2 * program_.flush_input * alpha_ * operand_sum;
    }
    return term + inputs_;
  }

 private:
  // What a flushed element of c, beta or alpha is multiplied by: each loses at most lambda itself.
  double FlushedPartners(const Evidence& evidence, double beta) const {
    const double lambda = InfoOf(program_.accumulator).smallest_normal;
    const auto scalar = [&](Quantity quantity) {
      return std::fabs(evidence.scalar[static_cast<int>(quantity)]);
    };
    double partners = beta;
    if (beta != 0 && beta < lambda) partners += scalar(Quantity::kMaxAbsC);
    if (alpha_ != 0 && alpha_ < lambda) partners += scalar(Quantity::kMaxAbsProductSum);
    return partners;
  }

  const Program& program_;
  double unit_ = 0, alpha_ = 1, extra_ = 0, per_product_ = 1, inputs_ = 0;
  bool sum_ = false, folded_ = false;
};

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
        return Loop(instruction, begin, size, [](double m, double u) { return Gamma(m, u); });
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

  void Rounds(double* target, int64_t begin, int size) const {
    const RoundingRule rule = RoundingRuleOf(program_, evidence_);
    const double* nnz = Quantities(Quantity::kNonZeros, begin);
    const double share = CountedShare(program_, evidence_);
    for (int i = 0; i < size; ++i) target[i] = RoundsOf(rule, share * nnz[i]);
  }

  void Underflow(double* target, int64_t begin, int size) const {
    const RoundingRule rounding = RoundingRuleOf(program_, evidence_);
    const UnderflowRule rule(program_, evidence_);
    const double* nnz = Quantities(Quantity::kNonZeros, begin);
    const bool products = program_.family != Family::kSum;
    const double* sums = products ? Quantities(Quantity::kOperandSum, begin) : nullptr;
    const double share = CountedShare(program_, evidence_);
    for (int i = 0; i < size; ++i) {
      const double counted = share * nnz[i];
      const double sum = products && counted > 0 ? sums[i] : 0;
      target[i] = rule.At(counted, sum, RoundsOf(rounding, counted));
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
  if (values.op->family != Family::kGemm) return true;
  return std::isfinite(evidence.scalar[static_cast<int>(Quantity::kAlpha)]) &&
         std::isfinite(evidence.scalar[static_cast<int>(Quantity::kBeta)]);
}

}  // namespace assay
