// SPDX-License-Identifier: Apache-2.0
//
// Evidence and observations built by hand, so that the judge is tested against numbers that a test
// states and not against an oracle of ours.
#pragma once

#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "contracts/judge.h"

namespace assay {

// Emulations that a test provides. Without one, no model applies.
class FakeForce : public ForceSource {
 public:
  bool Emulate(DefectModel model, int64_t index, double* out) override {
    ++calls;
    return emulate && emulate(model, index, out);
  }
  uint32_t MatchingPolicies(const Observation&) override { return policies; }
  bool LegalChoice(int64_t, int64_t got, std::span<const int64_t>,
                   std::optional<NanPlace>) override {
    return got == choice;
  }

  std::function<bool(DefectModel, int64_t, double*)> emulate;
  uint32_t policies = 0;
  int64_t choice = 0;  // the one right index
  int calls = 0;
};

// One case with everything that a judgement needs. Starts as ordinary inputs, truths and answers 0,
// a declared accumulator of the input's type and IEEE policies.
class Scene {
 public:
  Scene(OpId op, DType type, const NamedDims& dims) : Scene(op, type, dims, type) {}
  Scene(OpId op, DType type, const NamedDims& dims, DType output)
      : value(MakeCase(op, type, dims)), output_type(output) {
    value.operands.back().dtype = output;
    MakeValues(value, dims, values);
    const int64_t count = values.operands.back().count;
    const auto size = static_cast<size_t>(count);
    evidence.count = count;
    evidence.hi.assign(size, 0);
    evidence.lo.assign(size, 0);
    evidence.radius.assign(size, 0);
    evidence.legal.assign(size, kClassByValue);
    evidence.scalar.fill(std::numeric_limits<double>::quiet_NaN());
    Set(Quantity::kAlpha, 1);
    Set(Quantity::kBeta, 0);
    for (Quantity q : {Quantity::kMaxAbsA, Quantity::kMaxAbsB, Quantity::kMaxAbsC,
                       Quantity::kMaxAbsSum, Quantity::kMaxAbsProductSum}) {
      Set(q, 1);
    }
    Set(Quantity::kOutsideCount, 0);
    observation.dtype = output;
    observation.prefills = 1;
    observation.real.assign(size, 0);
    declared.accumulator = Accumulator{IsFloat(type) ? FormatOf(type) : Format::kF64, false, 0, 0};
    declared.subnormals = SubnormalPolicy::kPreserve;
    declared.nan = NanPolicy::kPropagate;
  }
  Scene(const Scene&) = delete;  // values points into value

  void Set(Quantity quantity, double number) {
    evidence.scalar[static_cast<int>(quantity)] = number;
  }
  // One number for every element.
  void SetEach(Quantity quantity, double number) {
    evidence.element[static_cast<int>(quantity)].assign(static_cast<size_t>(evidence.count),
                                                        number);
  }
  void SetTruth(int64_t i, double hi, double lo = 0, double radius = 0) {
    evidence.hi[i] = hi;
    evidence.lo[i] = lo;
    evidence.radius[i] = radius;
  }
  void SetGot(int64_t i, double got) { observation.real[i] = got; }
  // What a sum of products needs for its tolerance.
  void SetSums(double abs_sum, double nnz, double operand_sum = 0) {
    SetEach(Quantity::kAbsSum, abs_sum);
    SetEach(Quantity::kNonZeros, nnz);
    SetEach(Quantity::kOperandSum, operand_sum);
    Set(Quantity::kLength, nnz);
  }

  std::shared_ptr<const BoundContracts> Bound() const {
    return Bind(suite, value.op, value.operands[0].dtype, output_type, declared);
  }
  const Verdict& Judged(int force_budget = 4) {
    bound_ = Bound();  // clauses name texts of the suite, which it holds
    verdict.clear();
    Judge(*bound_, values, evidence, observation, force, force_budget, scratch, verdict);
    return verdict;
  }
  // The verdict of one clause; a default one (not_tested, no names) if the clause did not apply.
  ClauseVerdict Of(std::string_view contract, std::string_view clause, int force_budget = 4) {
    for (const ClauseVerdict& each : Judged(force_budget).clauses) {
      if (each.contract == contract && each.clause == clause) return each;
    }
    return {};
  }
  double Tolerance(std::string_view contract, int64_t i = 0) const {
    const std::vector<double> bounds = ToleranceOf(*Bound(), contract, values, evidence);
    return bounds.empty() ? std::numeric_limits<double>::quiet_NaN() : bounds[i];
  }

  std::shared_ptr<const Suite> suite = BuiltinSuite();
  Case value;
  Values values;
  DType output_type;
  Evidence evidence;
  Observation observation;
  Declared declared;
  FakeForce force;
  JudgeScratch scratch;
  Verdict verdict;

 private:
  std::shared_ptr<const BoundContracts> bound_;
};

}  // namespace assay
