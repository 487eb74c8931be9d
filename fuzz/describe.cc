// SPDX-License-Identifier: Apache-2.0
#include "fuzz/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>

#include "contracts/operator.h"

namespace assay {
namespace {

std::vector<int64_t> IndexTuple(const Dims& shape, int64_t linear) {
  std::vector<int64_t> index(static_cast<size_t>(shape.size()));
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    index[static_cast<size_t>(axis)] = linear % shape[axis];
    linear /= shape[axis];
  }
  return index;
}

std::string ClassText(ClassSet legal) {
  static constexpr std::pair<ClassSet, const char*> kNames[] = {
      {kClassNan, "NaN"},    {kClassPosInf, "+Inf"}, {kClassNegInf, "-Inf"},
      {kClassPosZero, "+0"}, {kClassNegZero, "-0"},  {kClassFinite, "a finite non-zero number"},
  };
  std::vector<std::string_view> names;
  for (const auto& [bit, name] : kNames) {
    if ((legal & bit) != 0) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, " or "));
}

std::string ExpectedText(const Evidence& evidence, DType type, int64_t element) {
  const size_t at = static_cast<size_t>(element);
  if (at >= evidence.legal.size()) return "";
  const ClassSet legal = evidence.legal[at];
  const ClassSet special = legal & static_cast<ClassSet>(~kClassByValue);
  if ((legal & kClassByValue) == 0) return ClassText(special);
  std::string text =
      PrintBits(type, Encode(type, RoundSum(FormatOf(type), evidence.hi[at], evidence.lo[at])));
  if (special != 0) text += " or " + ClassText(special);
  return text;
}

std::string OperandName(OpId op, int operand) {
  const std::span<const OperandDef> operands = DefOf(op).operands;
  const bool known = operand >= 0 && static_cast<size_t>(operand) < operands.size();
  return known ? std::string(operands[static_cast<size_t>(operand)].name) : "?";
}

std::string GuardText(OpId op, const GuardHit& hit) {
  if (hit.side == Side::kGap) {
    return fmt::format("{} between the elements of operand {}",
                       hit.access == Access::kRead ? "read" : "write",
                       OperandName(op, hit.operand));
  }
  return fmt::format("{} {} byte{} {} operand {}", hit.access == Access::kRead ? "read" : "write",
                     hit.distance_bytes, hit.distance_bytes == 1 ? "" : "s",
                     hit.side == Side::kBefore ? "before" : "after", OperandName(op, hit.operand));
}

constexpr const char* kNoBoundAtEnd = "none: the end of the call decides";

bool IsAccess(ErrorClass error) {
  return error >= ErrorClass::kReadBefore && error <= ErrorClass::kInputsChanged;
}

std::string DistanceText(const GuardHit& hit) {
  const char* access = hit.access == Access::kRead ? "read" : "write";
  if (hit.side == Side::kGap) return fmt::format("between its elements, {}", access);
  return fmt::format("{} byte{} {}, {}", hit.distance_bytes, hit.distance_bytes == 1 ? "" : "s",
                     hit.side == Side::kBefore ? "before its start" : "after its end", access);
}

// A clause without a number is decided by something else; a reader must see by what.
std::string BoundText(const Observation& seen, const ClauseVerdict& clause, bool element) {
  if (IsAccess(clause.error)) return "none: a memory access decides";
  if (seen.status != RunStatus::kOk) return kNoBoundAtEnd;
  if (!element) return "none: the call as a whole decides";
  if (std::isnan(clause.bound)) return "none: a class decides";
  return PrintBits(DType::kF64, std::bit_cast<uint64_t>(clause.bound));
}

std::string PlaceText(OpId op, const Observation& seen, const ClauseVerdict& clause,
                      const std::vector<int64_t>& index, bool element) {
  if (IsAccess(clause.error) && seen.guard) {
    return fmt::format("operand {}, {}", OperandName(op, seen.guard->operand),
                       DistanceText(*seen.guard));
  }
  if (clause.error == ErrorClass::kInputsChanged) {
    return fmt::format("operand {}", OperandName(op, seen.changed_input));
  }
  return element ? fmt::format("[{}]", fmt::join(index, ",")) : "none: the whole call";
}

WitnessText ElementWitness(const Record& record, const BackendOutcome& outcome,
                           const ClauseVerdict& clause) {
  WitnessText text;
  const Tensor& output = record.value->operands.back();
  const Observation& seen = outcome.observation;
  const size_t at = static_cast<size_t>(clause.witness);
  text.index = IndexTuple(output.shape, clause.witness);
  if (at < seen.bits.size()) text.got = PrintBits(output.dtype, seen.bits[at]);
  if (record.evidence != nullptr && IsFloat(output.dtype)) {
    text.expected = ExpectedText(*record.evidence, output.dtype, clause.witness);
  }
  return text;
}

void FillFrom(const BackendInfo& backend, FindingRecord& finding) {
  finding.backend_family = backend.family;
  finding.backend_spec = backend.spec;
  finding.backend_version = backend.version;
  finding.backend_pins = backend.pins;
}

void FillFrom(const Case& value, const NamedDims& dims, const Violation& violation,
              const BackendInfo& backend, FindingRecord& finding) {
  FillFrom(backend, finding);
  finding.raw_keys = {KeyOf(value, dims, violation, backend.family)};
  finding.contract = violation.clause.contract;
  finding.clause = violation.clause.clause;
  finding.op = DefOf(value.op).name;
  finding.error = NameOf(violation.clause.error);
  finding.verdict = NameOf(violation.clause.outcome);
  finding.ratio = violation.clause.ratio;
  const Facets facets = FacetsOf(value, dims, violation, backend.pins);
  finding.dtypes = facets.dtypes;
  finding.layouts = facets.layouts;
  finding.size_residues = facets.size_residues;
  finding.trigger = facets.trigger;
  finding.case_line = PrintCase({value, {backend.spec}});
}

}  // namespace

Violation DeathOf(int backend, ErrorClass error, std::string detail) {
  Violation death;
  death.backend = backend;
  death.clause.contract = "X-SAFE-01";
  death.clause.clause = "ends";
  death.clause.outcome = error == ErrorClass::kTimeout ? Outcome::kTimedOut : Outcome::kCrashed;
  death.clause.error = error;
  death.clause.bound = std::nan("");
  death.status_detail = std::move(detail);
  return death;
}

WitnessText WitnessOf(const Record& record, const BackendOutcome& outcome,
                      const ClauseVerdict& clause) {
  const Observation& seen = outcome.observation;
  WitnessText text;
  const bool element =
      !IsAccess(clause.error) && clause.witness >= 0 && !record.value->operands.empty();
  if (IsAccess(clause.error) && seen.guard) {
    text.got = GuardText(record.value->op, *seen.guard);
    text.expected = "no access outside the operands";
  } else if (clause.error == ErrorClass::kInputsChanged) {
    text.got = fmt::format("operand {} changed", OperandName(record.value->op, seen.changed_input));
    text.expected = "inputs as they were";
  } else if (element) {
    text = ElementWitness(record, outcome, clause);
  } else if (seen.status != RunStatus::kOk) {
    text.got = fmt::format("{}: {}", NameOf(seen.status), seen.detail);
  }
  text.bound = BoundText(seen, clause, element);
  text.place = PlaceText(record.value->op, seen, clause, text.index, element);
  return text;
}

FindingRecord DescribeViolation(const Record& record, const Violation& violation,
                                const BackendInfo& backend) {
  FindingRecord finding;
  FillFrom(*record.value, record.dims, violation, backend, finding);
  for (const BackendOutcome& outcome : record.outcomes) {
    if (outcome.backend != violation.backend) continue;
    WitnessText text = WitnessOf(record, outcome, violation.clause);
    finding.witness_index = std::move(text.index);
    finding.got = std::move(text.got);
    finding.expected = std::move(text.expected);
    finding.bound = std::move(text.bound);
  }
  return finding;
}

FindingRecord DescribeDeath(const Case& value, const NamedDims& dims, const Violation& death,
                            const BackendInfo& backend) {
  FindingRecord finding;
  FillFrom(value, dims, death, backend, finding);
  finding.got = death.status_detail;
  finding.expected = "a call that ends";
  finding.bound = kNoBoundAtEnd;
  return finding;
}

int64_t EqualRunsOf(const Observation& observation, const ClauseVerdict& clause) {
  const bool compares = clause.contract == "C-ORD-02" && clause.outcome != Outcome::kViolating;
  int64_t runs = 0;
  for (const Variant& variant : observation.variants) {
    if (variant.kind != VariantKind::kRun) continue;
    if (!compares || variant.bits != observation.bits) return 0;
    ++runs;
  }
  return runs == 0 ? 0 : runs + 1;
}

BackendInfo InfoOf(const Backend& backend) {
  return {backend.spec(), backend.family(),  backend.version(),
          backend.pins(), backend.profile(), ""};
}

}  // namespace assay
