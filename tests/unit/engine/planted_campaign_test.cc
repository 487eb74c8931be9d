// SPDX-License-Identifier: Apache-2.0
//
// Good kernels under mutation: whatever the mutators come up with, no contract may flag them.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "contracts/judge.h"
#include "engine/backend.h"
#include "engine/backends/planted/table.h"
#include "engine/guarded_call.h"
#include "engine/mutate.h"
#include "engine/pipeline.h"

namespace assay {
namespace {

#ifndef ASSAY_CAMPAIGN_CASES
#define ASSAY_CAMPAIGN_CASES 3000
#endif

std::vector<std::string> CleanSpecs() {
  std::vector<std::string> specs = {"reference", "simt"};
  for (const PlantedKernel& kernel : PlantedTable()) {
    if (kernel.state == PlantedState::kGood) specs.push_back("planted:" + std::string(kernel.name));
  }
  return specs;
}

// What the spec takes: a planted kernel's own operators and types, everything for others.
MutationSpace SpaceOf(const std::string& spec) {
  MutationSpace space;
  space.atoms = AtomsOf(*BuiltinSuite());
  if (spec == "reference") {
    for (const OperatorDef& def : Operators()) space.ops.push_back(def.id);
    return space;
  }
  const PlantedKernel* kernel =
      spec == "simt" ? FindPlanted("gemm_blocked") : FindPlanted(spec.substr(spec.find(':') + 1));
  for (const OperatorDef& def : Operators()) {
    if ((kernel->ops >> static_cast<unsigned>(def.id) & 1) == 0) continue;
    space.ops.push_back(def.id);
    std::vector<DType> types;
    for (const DType type : InputTypesOf(def.id)) {
      if ((kernel->types >> static_cast<unsigned>(type) & 1) != 0) types.push_back(type);
    }
    if (spec == "simt") types = {DType::kF32, DType::kF64};
    space.types.push_back(types);
  }
  return space;
}

std::string Describe(const Record& record, const std::string& spec) {
  std::string text = PrintCase({*record.value, {spec}});
  for (const ClauseVerdict& clause : record.outcomes[0].verdict.clauses) {
    if (clause.outcome != Outcome::kViolating) continue;
    text += "\n  " + std::string(clause.contract) + "." + std::string(clause.clause) + " " +
            std::string(NameOf(clause.error)) + " ratio " + std::to_string(clause.ratio) +
            " at element " + std::to_string(clause.witness);
  }
  return text;
}

bool Violates(const Record& record) {
  for (const BackendOutcome& outcome : record.outcomes) {
    for (const ClauseVerdict& clause : outcome.verdict.clauses) {
      if (clause.outcome == Outcome::kViolating) return true;
    }
  }
  return false;
}

struct Tally {
  int ran = 0, flagged = 0;
  std::string flagged_cases;  // the first few
};

// Mutation without any feedback.
Tally RunUnguided(const std::string& spec, const MutationSpace& space, uint64_t cases) {
  InstallFaultHandlers();
  Result<std::unique_ptr<Backend>> backend = OpenBackend(spec);
  Tally tally;
  if (!backend.ok()) {
    ADD_FAILURE() << backend.error().Text();
    return tally;
  }
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(std::move(backend).value());
  SessionOptions options;
  options.suite = BuiltinSuite();
  Session session(std::move(options), std::move(backends));
  Case value = FreshCase(space, 1);
  for (uint64_t seed = 0; seed < cases; ++seed) {
    if (seed % 16 == 0) value = FreshCase(space, seed);
    Mutate(value, space, seed);
    const Record& record = session.RunCase(value);
    tally.ran += !record.outcomes.empty();
    if (!Violates(record)) continue;
    if (++tally.flagged <= 5) tally.flagged_cases += Describe(record, spec) + "\n";
  }
  return tally;
}

class CleanKernel : public ::testing::TestWithParam<std::string> {};

TEST_P(CleanKernel, IsNotFlaggedUnderMutation) {
  const Tally tally = RunUnguided(GetParam(), SpaceOf(GetParam()), ASSAY_CAMPAIGN_CASES);
  EXPECT_EQ(tally.flagged, 0) << tally.flagged_cases;
  EXPECT_GT(tally.ran, ASSAY_CAMPAIGN_CASES / 2);
}

INSTANTIATE_TEST_SUITE_P(Spec, CleanKernel, ::testing::ValuesIn(CleanSpecs()),
                         [](const auto& info) {
                           const size_t colon = info.param.find(':');
                           return colon == std::string::npos ? info.param
                                                             : info.param.substr(colon + 1);
                         });

// The counterpart of the campaign that coverage leads to this fault: as many cases without feedback
// as a guided campaign needs never meet it.
TEST(PlantedBranch, IsNotMetByMutationWithoutFeedback) {
  MutationSpace space;
  space.ops = {OpId::kGemm};
  space.types = {{DType::kF32}};
  const Tally tally = RunUnguided("planted_branch", space, 5 * ASSAY_CAMPAIGN_CASES);
  EXPECT_EQ(tally.flagged, 0) << tally.flagged_cases;
  EXPECT_GT(tally.ran, 4 * ASSAY_CAMPAIGN_CASES);
}

}  // namespace
}  // namespace assay
