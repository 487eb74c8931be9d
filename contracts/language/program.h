// SPDX-License-Identifier: Apache-2.0
//
// Expressions compiled for one operator, its types and one backend's declarations: a flat list of
// register instructions. What is known when contracts are bound is a constant; what belongs to the
// case is computed once per case; the rest runs over columns, a block of elements at a time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/evidence.h"
#include "contracts/language/ast.h"
#include "contracts/language/names.h"
#include "contracts/operator.h"
#include "contracts/profile.h"
#include "contracts/values.h"

namespace assay {

// Where an instruction finds an argument.
struct Operand {
  enum class Place : uint8_t { kScalar, kColumn, kQuantity };
  Place place = Place::kScalar;
  uint16_t index = 0;  // scalar register, scratch column, or Quantity
};

enum class Code : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kPower,
  kNegate,
  kAbs,
  kMax,
  kMin,
  kSqrt,
  kExpm1,
  kExp,
  kLog,
  kPowerOfTwo,
  kSwell,
  kGamma,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kAnd,
  kOr,
  kNot,
  kScalarQuantity,  // a case-rate quantity of the evidence; index in `a`
  kAttribute,       // the choice of an attribute; index in `a`
  kNumber,          // the value of a numeric attribute; index in `a`
  kSpecial,
  kFiniteInputs,
  kTruth,  // the truth, signed
  kRounds,
  kUnderflow,
  kUlp,
  kFlushedInput,
  kUndeclaredArgument,
};

struct Instruction {
  Code code;
  uint16_t target;
  Operand a, b;
};

// Everything that is fixed when contracts are bound.
struct Binding {
  OpId op = OpId::kGemm;
  DType input = DType::kF32, output = DType::kF32;
  Declared declared;
};

struct Program {
  std::vector<double> constants;  // first scalar registers
  int scalars = 0;                // scalar registers, constants included
  int columns = 0;                // scratch columns
  std::vector<Instruction> by_case, by_element;
  Operand result;
  std::vector<Quantity> quantities;  // element columns that must have been measured
  // Facts of the binding that instructions refer to.
  Format accumulator = Format::kF64, input_format = Format::kF64;
  double u = 0;               // of the accumulator, truncation included
  double flush = 0;           // lambda where results may be flushed, else 0
  double flush_input = 0;     // lambda where inputs may be flushed, else 0
  double argument_limit = 0;  // the largest |argument| that accuracy is declared for
  bool exact_products = false;
  Family family = Family::kGemm;
  int block = 0, guard = 0;
  // Set when the expression cannot be evaluated: a policy it needs is not declared. Fixed text.
  std::string_view missing;
  // The subnormal policy is not declared and the expression depends on it: compile a second program
  // with `subnormals` = flush_both for the widest reading.
  bool assumes_preserve = false;
  // Programs that compute the same have the same number, process-wide; 0: not known. What one gave
  // for some evidence the others need not compute again.
  uint32_t identity = 0;
};

// The identity of programs like this one; the same for all that differ in nothing else. From any
// thread.
uint32_t IdentityOf(const Program& program);

// REQUIRES a checked expression. `subnormals` stands in for an undeclared policy.
Program Compile(const ContractAst& contract, int root, const Binding& binding,
                SubnormalPolicy subnormals);

// What a program reads.
struct Inputs {
  const Evidence* evidence = nullptr;
  const Values* values = nullptr;
  bool special = false;
};
struct ProgramScratch {
  std::vector<double> scalars;
  std::vector<double> columns;
};

// Value of a case-rate program; conditions give 0 or 1.
double RunByCase(const Program& program, const Inputs& inputs, ProgramScratch& scratch);
// One value per element. REQUIRES program.quantities measured for inputs.evidence->count elements.
void RunByElement(const Program& program, const Inputs& inputs, ProgramScratch& scratch,
                  double* result);
bool Measured(const Program& program, const Evidence& evidence);

// NaN or Inf in an operand that is read or in alpha or beta, whether or not it matters.
bool AllFinite(const Values& values, const Evidence& evidence);

}  // namespace assay
