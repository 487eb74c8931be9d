// SPDX-License-Identifier: Apache-2.0
//
// The syntax tree of contract and profile files. Expressions lie in one pool per contract and refer
// to each other by index, so that no tree is ever walked by a destructor. Types are filled by
// check.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contracts/evidence.h"
#include "contracts/language/diagnostic.h"
#include "contracts/measurement.h"

namespace assay {

enum class ExprOp : uint8_t {
  kError = 0,  // a hole after a diagnostic: fits everywhere
  kNumber,
  kName,
  kCall,
  kNegate,
  kNot,
  kAbs,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kPower,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kIn,   // args[0] in {args[1], ...}
  kBy,   // args[0] is a format; then label and value in turn, the last label "else"
  kHas,  // text: a capability that the profile declares
  kAnd,
  kOr,
};

// What a quantity is measured in. kValue: a magnitude of the operands or the output, such as
// abs_sum; kRatio: a pure number, such as a roundoff; kCount: a pure number that counts. Counts
// serve as ratios.
enum class ExprType : uint8_t { kUnknown = 0, kBool, kValue, kRatio, kCount, kFormat, kLabel };

struct Expr {
  ExprOp op = ExprOp::kError;
  Span at;
  std::string text;  // name of kName and kCall
  double number = 0;
  std::vector<int> args;
  ExprType type = ExprType::kUnknown;
  Rate rate = Rate::kCase;
};
using ExprPool = std::vector<Expr>;

struct Word {
  std::string text;
  Span at;
};

// "for softmax, gelu when level = tail": which operators (or clauses) and under which condition.
struct Selector {
  std::vector<Word> names;  // empty: all
  int when = -1;            // expression, or -1
};

struct PreconditionAst {
  Selector selector;
  int condition = -1;
};

enum class Relation : uint8_t {
  kImage = 0,      // out in image(output, truth, tolerance)
  kFinite,         // finite(out) where finite(truth)
  kNonZero,        // nonzero(out) where abs(truth) > tolerance + omega
  kClass,          // class(out) in legal
  kWritten,        // written(out)
  kIndexPolicy,    // policy(out_of_bounds) as declared
  kNanPolicy,      // policy(nan) as declared
  kGuards,         // untouched(guards)
  kOperands,       // untouched(operands)
  kChoice,         // choice(out) is legal: argmax and amax
  kRuns,           // runs agree as declared: each within its tolerance, BITWISE with equal bits
  kSchedules,      // schedules agree: each within its tolerance, all of one class
  kSameInBatch,    // invariant(batch) where declared: a row alone has the bits it has among others
  kSameOnThreads,  // invariant(threads) where declared
  kSameWhenMoved,  // invariant(alignment) where declared
  kSameOnRanks,    // invariant(ranks) where declared: all ranks hold the same bits
  kSameOnSchedules,  // invariant(schedules) where declared
  kScales,      // scales agree: as the stored intermediates allow, not finite where one overflows
  kSubnormals,  // subnormals(out) as declared: no error that only flushing explains
  kAlike,       // alike(out) where truths are: of elements with one truth all are zero, or none
  kDivisionPolicy,  // policy(integer_division) as declared: where there is no quotient
};
inline constexpr int kRelationCount = 21;

struct ClauseAst {
  Word name;
  Selector selector;
  std::vector<Word> unless;  // relaxations under which the clause is not applied
  std::vector<Relation> relations;
};

struct ToleranceAst {
  Selector selector;
  int bound = -1;
  Span at;
  std::string source;
};

struct ViolationAst {
  Word name;
  bool by_ratio = false;  // "when ratio > 1"; else "when not <relation>"
  Relation relation = Relation::kImage;
};

struct ContractAst {
  Word id;
  std::string title, file;
  Word primitive;
  std::vector<Word> operators, inputs;
  std::vector<PreconditionAst> preconditions;
  std::vector<ClauseAst> clauses;
  std::vector<ToleranceAst> tolerances;
  bool has_tolerance = false;      // the part is there, if only as "none"
  std::vector<Word> tolerance_as;  // other contracts whose rules serve this one
  Word reference;
  std::vector<Word> probes, force;
  // The protocol, and where its names stand: one word (list) per sweep, injection, enumeration.
  Measurement measurement;
  std::vector<Word> sweep_names, enumerate_names;
  std::vector<std::vector<Word>> inject_operands, enumerate_labels;
  std::vector<ViolationAst> violations;
  ExprPool pool;
};

// One line of a profile. Labels and numbers are checked against the key when it is parsed.
enum class DeclarationKey : uint8_t {
  kInherits = 0,
  kAccumulator,
  kUlpLimit,
  kUlpLimitExp,
  kKappa,
  kTiles,
  kSubnormals,
  kNan,
  kOutOfBounds,
  kLevel,
  kOverread,
  kRelaxation,
  kUlpLimitLog,
  kUlpLimitRsqrt,
  kDeterminism,
  kInvariance,
  kProbabilities,
  kIntegerOverflow,
  kCastOutside,
  kMaskedRow,
  kNanPlace,
  kRounding,
  kRange,
  kDivisionByZero,
  kDivisionOverflow,
  kErrorFloor,
  kArgumentLimit,
};
inline constexpr int kDeclarationKeyCount = 27;

struct DeclarationAst {
  DeclarationKey key = DeclarationKey::kInherits;
  Span at;
  std::vector<Word> selectors;  // operators and types; empty: all
  Word label;                   // format, policy, name
  double number = 0;
  bool truncates = false;
  int block = 0, guard = 0;
  std::string lets;  // of a relaxation: what it lets through
  std::string source;
};

struct ProfileAst {
  Word name;
  std::string file;
  std::vector<DeclarationAst> declarations;
};

// Where contracts, their parts and the items of parts begin: what a formatter cannot see.
enum class LayoutLevel : uint8_t { kTop = 0, kPart, kItem };
struct LayoutMark {
  Span at;
  LayoutLevel level = LayoutLevel::kTop;
};

struct SourceFile {
  std::string path;
  std::vector<ContractAst> contracts;
  std::vector<ProfileAst> profiles;
  std::vector<LayoutMark> layout;
};

}  // namespace assay
