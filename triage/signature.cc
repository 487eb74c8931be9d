// SPDX-License-Identifier: Apache-2.0
//
// From a violation to its key and facets: the choice of the worst clause, the words, the trigger.
// Pure functions; nothing is run.

#include "triage/signature.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "contracts/int_division.h"
#include "contracts/operator.h"
#include "contracts/values.h"
#include "triage/finding_record.h"

namespace assay {
namespace {

// ---- The worst clause ----

// How an error is ranked and which triggers it can have.
enum class Kind : uint8_t { kMemory, kEnding, kUnwritten, kSpecial, kPolicy, kValue, kAgreement };

Kind KindOf(ErrorClass error) {
  switch (error) {
    case ErrorClass::kReadBefore:
    case ErrorClass::kReadAfter:
    case ErrorClass::kReadGap:
    case ErrorClass::kWriteBefore:
    case ErrorClass::kWriteAfter:
    case ErrorClass::kWriteGap:
    case ErrorClass::kInputsChanged:
      return Kind::kMemory;
    case ErrorClass::kCrash:
    case ErrorClass::kTimeout:
    case ErrorClass::kFailure:
    case ErrorClass::kEnvironment:
      return Kind::kEnding;
    case ErrorClass::kUnwritten:
    case ErrorClass::kPrefillRead:
      return Kind::kUnwritten;
    case ErrorClass::kNanAppears:
    case ErrorClass::kNanLost:
    case ErrorClass::kInfAppears:
    case ErrorClass::kInfLost:
    case ErrorClass::kZeroSign:
      return Kind::kSpecial;
    case ErrorClass::kPolicy:
    case ErrorClass::kRaisedUndeclared:
      return Kind::kPolicy;
    case ErrorClass::kNone:
    case ErrorClass::kValue:
    case ErrorClass::kZeroed:
    case ErrorClass::kChoice:
      return Kind::kValue;
    case ErrorClass::kRunsDiffer:
    case ErrorClass::kSchedulesDiffer:
    case ErrorClass::kBatchDiffers:
    case ErrorClass::kThreadsDiffer:
    case ErrorClass::kAlignmentDiffers:
    case ErrorClass::kRanksDiffer:
    case ErrorClass::kScalesDiffer:
    case ErrorClass::kOverflowHidden:
      return Kind::kAgreement;
  }
  return Kind::kValue;
}

bool Accuses(const ClauseVerdict& clause) {
  return clause.outcome == Outcome::kViolating || clause.outcome == Outcome::kCrashed ||
         clause.outcome == Outcome::kTimedOut;
}

bool Worse(const ClauseVerdict& a, const ClauseVerdict& b) {
  const Kind kind_a = KindOf(a.error), kind_b = KindOf(b.error);
  if (kind_a != kind_b) return kind_a < kind_b;
  return a.ratio > b.ratio;
}

std::optional<ClauseVerdict> WorstClause(const BackendOutcome& outcome) {
  std::optional<ClauseVerdict> worst;
  for (const ClauseVerdict& clause : outcome.verdict.clauses) {
    if (Accuses(clause) && (!worst || Worse(clause, *worst))) worst = clause;
  }
  return worst;
}

// ---- The words ----

// kTriggerRoom: the longest trigger, "alpha_zero", with its underscore. Where the words together
// leave fewer than kMinFamily characters to the backend's family, first the operator loses its
// vowels (then at most 9 characters), then the clause is cut to kShortClause: with errors of at
// most 14 and operands of at most 8 characters that suffices.
constexpr size_t kMaxClass = 6, kMaxClause = 11, kShortClause = 7, kTriggerRoom = 11;
constexpr size_t kMinFamily = 9;

// Lower-case letters and digits of `text`, every other character as `other` or nothing.
std::string Sanitized(std::string_view text, std::string_view other) {
  std::string word;
  for (char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (upper) word += static_cast<char>(c - 'A' + 'a');
    if (kept) word += c;
    if (!upper && !kept) word += other;
  }
  return word.empty() ? "none" : word;
}

std::string Abbreviated(const std::string& word, size_t limit) {
  constexpr size_t kLetters = 4;
  if (word.size() <= limit) return word;
  uint64_t hash = word.size();
  for (char c : word) hash = Mix(hash ^ static_cast<unsigned char>(c));
  std::string short_word = word.substr(0, limit - kLetters);
  for (size_t i = 0; i < kLetters; ++i, hash /= 26) {
    short_word += static_cast<char>('a' + hash % 26);
  }
  return short_word;
}

// "scaled_gradient" -> "scldgrdnt": without vowels and underscores, but for first letters. No two
// operators become alike.
std::string WithoutVowels(std::string_view name) {
  std::string word;
  bool first = true;
  for (const char c : name) {
    const bool vowel = std::string_view("aeiou").find(c) != std::string_view::npos;
    if (c != '_' && (first || !vowel)) word += c;
    first = c == '_';
  }
  return word;
}

// "C-EXC-01" -> "exc01", "X-SAFE-01" -> "safe01".
std::string ClassWord(std::string_view contract) {
  if (contract.size() > 2 && contract[1] == '-') contract.remove_prefix(2);
  return Abbreviated(Sanitized(contract, ""), kMaxClass);
}

// ---- The trigger ----

// What is remarkable about some values.
struct Traits {
  bool nan = false, inf = false, subnormal = false, huge = false, tiny = false, tail = false;
};

void Note(DType type, double x, bool has_tail, Traits& traits) {
  const FormatInfo& format = InfoOf(FormatOf(type));
  const double magnitude = std::fabs(x);
  if (std::isnan(x)) traits.nan = true;
  if (std::isinf(x)) traits.inf = true;
  if (!std::isfinite(x) || x == 0) return;
  if (magnitude < format.smallest_normal) traits.subnormal = true;
  if (magnitude >= std::ldexp(1.0, (format.max_exponent + 1) / 2)) traits.huge = true;
  if (magnitude < std::ldexp(1.0, format.min_exponent / 2)) traits.tiny = true;
  if (has_tail && x < -2) traits.tail = true;
}

std::string_view WordOf(const Traits& traits) {
  if (traits.nan) return "nan";
  if (traits.inf) return "inf";
  if (traits.subnormal) return "subnormal";
  if (traits.huge) return "huge";
  if (traits.tiny) return "tiny";
  if (traits.tail) return "tail";
  return "";
}

// Elements of one operand: first, first + step, ... .
struct Slice {
  int operand;
  int64_t first, step, count;
};

// alpha and beta are where a BLAS has them; -1 where an operator has none.
int AlphaOf(const OperatorDef& def) {
  return !def.attributes.empty() && def.attributes[0].name == "alpha" ? kGemmAlpha : -1;
}

bool ReadsDestination(const Values& values) {
  return values.op->family != Family::kGemm || !(ScalarAttribute(*values.source, kGemmBeta) == 0);
}

void AddAll(const Values& values, FixedVector<Slice, kMaxOperands>& slices) {
  for (int i = 0; i < static_cast<int>(values.operands.size()); ++i) {
    const Role role = values.op->operands[i].role;
    if (role == Role::kOutput || (role == Role::kInout && !ReadsDestination(values))) continue;
    slices.push_back({i, 0, 1, values.operands[i].count});
  }
}

// Element `witness` of every input, where all operands have the destination's shape.
void AddSameElement(const Values& values, int64_t witness,
                    FixedVector<Slice, kMaxOperands>& slices) {
  for (int i = 0; i + 1 < static_cast<int>(values.operands.size()); ++i) {
    slices.push_back({i, witness, 1, 1});
  }
}

void AddRowAndColumn(const Values& values, int64_t witness,
                     FixedVector<Slice, kMaxOperands>& slices) {
  const int64_t m = values.dims[0], n = values.dims[1], k = values.dims[2];
  const int64_t row = witness / n, column = witness % n;
  const auto& attributes = values.source->attributes;
  const bool a_turned = attributes[kGemmTransA].choice == 1;
  const bool b_turned = attributes[kGemmTransB].choice == 1;
  slices.push_back({0, a_turned ? row : row * k, a_turned ? m : 1, k});
  slices.push_back({1, b_turned ? column * k : column, b_turned ? 1 : n, k});
  if (ReadsDestination(values)) slices.push_back({2, witness, 1, 1});
}

// The inputs that output element `witness` depends on, or all where it depends on all.
FixedVector<Slice, kMaxOperands> ConeOf(const Values& values, int64_t witness) {
  FixedVector<Slice, kMaxOperands> slices;
  const NamedDims& dims = values.dims;
  const Family family = values.op->family;
  const bool known = witness >= 0 && witness < values.operands.back().count;
  const bool by_element = family == Family::kUnary || family == Family::kBinary ||
                          family == Family::kCast || family == Family::kQuantize ||
                          family == Family::kIntDivision;
  if (known && by_element) {
    AddSameElement(values, witness, slices);
  } else if (known && family == Family::kSoftmax) {
    const int64_t row = values.op->id == OpId::kLogSumExp ? witness : witness / dims[1];
    slices.push_back({0, row * dims[1], 1, dims[1]});
  } else if (known && values.op->id == OpId::kGemm) {
    AddRowAndColumn(values, witness, slices);
  } else {
    AddAll(values, slices);
  }
  return slices;
}

// Functions whose answer left of -2 is far smaller than their argument.
bool HasTail(OpId op) { return op == OpId::kGelu || op == OpId::kSilu || op == OpId::kMish; }

std::string_view WordOfSlices(const Values& values,
                              const FixedVector<Slice, kMaxOperands>& slices) {
  Traits traits;
  for (const Slice& slice : slices) {
    const OperandValues& operand = values.operands[slice.operand];
    if (!IsFloat(operand.dtype)) continue;
    for (int64_t i = 0; i < slice.count; ++i) {
      Note(operand.dtype, operand.real[slice.first + i * slice.step], HasTail(values.op->id),
           traits);
    }
  }
  const DType type = IsFloat(values.operands[0].dtype) ? values.operands[0].dtype : DType::kF32;
  for (int i = 0; i < values.source->attributes.size(); ++i) {
    const AttributeDef& attribute = values.op->attributes[static_cast<size_t>(i)];
    // An epsilon is meant to be small.
    if (!attribute.is_real() || attribute.name == "epsilon") continue;
    Note(type, ScalarAttribute(*values.source, i), false, traits);
  }
  return WordOf(traits);
}

std::string_view ValueWord(const Values& values, int64_t witness) {
  const std::string_view word = WordOfSlices(values, ConeOf(values, witness));
  if (!word.empty()) return word;
  FixedVector<Slice, kMaxOperands> all;
  AddAll(values, all);
  return WordOfSlices(values, all);
}

bool AnyOutside(const Values& values) {
  const int operand = IndexOperandOf(*values.op);
  if (operand < 0) return false;
  const int64_t extent = IndexedExtent(*values.source, values.dims);
  for (int64_t index : values.operands[static_cast<size_t>(operand)].integer) {
    if (index < 0 || index >= extent) return true;
  }
  return false;
}

// Of integers that have no quotient.
std::string_view DivisionWord(const Values& values) {
  if (values.op->family != Family::kIntDivision) return "";
  std::string_view word;
  for (size_t i = 0; i < values.operands[0].integer.size(); ++i) {
    const OperandValues& x = values.operands[0];
    const Quotient quotient =
        QuotientOf(x.integer[i], values.operands[1].integer[i], LimitsOf(x.dtype));
    if (quotient == Quotient::kByZero) return "by_zero";
    if (quotient == Quotient::kBeyond) word = "beyond";
  }
  return word;
}

bool AnyStrided(const Case& value) {
  return std::any_of(value.operands.begin(), value.operands.end(),
                     [](const Tensor& tensor) { return !IsContiguous(tensor); });
}

// Of a complex alpha both parts.
bool IsAlphaZero(const Values& values) {
  const int alpha = AlphaOf(*values.op);
  if (alpha < 0 || ScalarAttribute(*values.source, alpha) != 0) return false;
  const bool complex = values.op->family == Family::kComplex;
  return !complex || ScalarAttribute(*values.source, alpha + 1) == 0;
}

// alpha = 0 comes before an empty sum: minimizing drops operands that must not matter.
std::string_view ShapeWord(const Values& values, Kind kind) {
  const bool gemm = values.op->family == Family::kGemm;
  if (IsAlphaZero(values)) return "alpha_zero";
  for (int64_t extent : values.dims) {
    if (extent == 0) return "empty";
  }
  if (gemm) {
    const OperandValues& c = values.operands.back();
    if (kind == Kind::kSpecial && ScalarAttribute(*values.source, kGemmBeta) == 0 &&
        (c.any_nan || c.any_inf)) {
      return "beta_zero";
    }
  }
  return AnyOutside(values) ? "outside" : DivisionWord(values);
}

std::string_view LayoutOf(const Tensor& tensor) {
  bool zero = false, negative = false;
  for (int axis = 0; axis < tensor.shape.size(); ++axis) {
    if (tensor.shape[axis] <= 1) continue;
    zero = zero || tensor.strides[axis] == 0;
    negative = negative || tensor.strides[axis] < 0;
  }
  if (zero) return "zero";
  if (negative) return "negative";
  if (IsContiguous(tensor)) return "contiguous";
  const bool matrix = tensor.shape.size() == 2 && tensor.shape[0] > 1 && tensor.shape[1] > 1;
  return matrix && tensor.strides[0] < tensor.strides[1] ? "transposed" : "strided";
}

// The factors of a gemm change places when a kernel computes the transpose: one fault, one word.
std::string_view OperandWord(const OperatorDef& def, int operand) {
  const bool factors = def.id == OpId::kGemm || def.id == OpId::kBatchedGemm;
  return factors && operand < 2 ? "factor" : def.operands[operand].name;
}

}  // namespace

std::vector<Violation> ViolationsOf(const Record& record) {
  std::vector<Violation> violations;
  for (const BackendOutcome& outcome : record.outcomes) {
    const std::optional<ClauseVerdict> worst = WorstClause(outcome);
    if (!worst) continue;
    Violation violation;
    violation.backend = outcome.backend;
    violation.clause = *worst;
    const Observation& observation = outcome.observation;
    if (KindOf(worst->error) == Kind::kMemory && observation.guard) {
      violation.guard = *observation.guard;
    }
    if (worst->error == ErrorClass::kInputsChanged) {
      violation.guard = {};
      violation.guard.operand = std::max(observation.changed_input, 0);
    }
    if (KindOf(worst->error) == Kind::kEnding) violation.status_detail = observation.detail;
    violations.push_back(std::move(violation));
  }
  return violations;
}

std::string_view TriggerOf(const Case& value, const NamedDims& dims, const Violation& violation) {
  const Kind kind = KindOf(violation.clause.error);
  if (kind == Kind::kMemory) return "";
  Values values;
  MakeValues(value, dims, values);
  std::string_view word = ShapeWord(values, kind);
  if (!word.empty()) return word;
  if (kind == Kind::kSpecial || kind == Kind::kValue) {
    word = ValueWord(values, violation.clause.witness);
    if (!word.empty()) return word;
  }
  return AnyStrided(value) ? "stride" : "plain";
}

std::string KeyOf(const Case& value, const NamedDims& dims, const Violation& violation,
                  std::string_view backend_family) {
  const OperatorDef& def = DefOf(value.op);
  const ErrorClass error = violation.clause.error;
  const bool memory = KindOf(error) == Kind::kMemory;
  const size_t reserved = kMinFamily + 1 + (memory ? 0 : kTriggerRoom);
  std::string key;
  for (const bool short_clause : {false, true}) {
    for (const bool short_operator : {false, true}) {
      key = ClassWord(violation.clause.contract) + '_' +
            Abbreviated(Sanitized(violation.clause.clause, "_"),
                        short_clause ? kShortClause : kMaxClause) +
            '_' + (short_operator ? WithoutVowels(def.name) : std::string(def.name)) + '_';
      key += NameOf(error);
      if (memory) key.append("_").append(OperandWord(def, violation.guard.operand));
      if (key.size() + reserved <= kMaxKeyLength) break;
    }
    if (key.size() + reserved <= kMaxKeyLength) break;
  }
  ASSAY_CHECK(key.size() + reserved <= kMaxKeyLength, "the limits of the words add up");
  const size_t family_room = kMaxKeyLength - key.size() - 1 - (memory ? 0 : kTriggerRoom);
  key.append("_").append(Abbreviated(Sanitized(backend_family, "_"), family_room));
  const std::string_view trigger = TriggerOf(value, dims, violation);
  if (!trigger.empty()) key.append("_").append(trigger);
  return key;
}

Facets FacetsOf(const Case& value, const NamedDims& dims, const Violation& violation,
                std::string_view pins) {
  Facets facets;
  for (const Tensor& tensor : value.operands) {
    facets.dtypes.emplace_back(NameOf(tensor.dtype));
    facets.layouts.emplace_back(LayoutOf(tensor));
  }
  for (int64_t extent : dims) facets.size_residues.push_back(static_cast<int>(extent % 16));
  facets.trigger = TriggerOf(value, dims, violation);
  facets.pins = pins;
  facets.ratio_decade = RatioDecade(violation.clause.ratio);
  return facets;
}

}  // namespace assay
