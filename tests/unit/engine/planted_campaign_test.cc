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
  std::vector<std::string> specs = {"simt"};
  for (const PlantedKernel& kernel : PlantedTable()) {
    if (kernel.state == PlantedState::kGood) specs.push_back("planted:" + std::string(kernel.name));
  }
  return specs;
}

// What the spec takes: a planted kernel's own operators and types, everything for others.
MutationSpace SpaceOf(const std::string& spec) {
  MutationSpace space;
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
  space.atoms = AtomsOf(*BuiltinSuite());
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

class CleanKernel : public ::testing::TestWithParam<std::string> {};

TEST_P(CleanKernel, IsNotFlaggedUnderMutation) {
  InstallFaultHandlers();
  Result<std::unique_ptr<Backend>> backend = OpenBackend(GetParam());
  ASSERT_TRUE(backend.ok()) << backend.error().Text();
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(std::move(backend).value());
  SessionOptions options;
  options.suite = BuiltinSuite();
  Session session(std::move(options), std::move(backends));
  const MutationSpace space = SpaceOf(GetParam());
  int ran = 0, flagged = 0;
  Case value = FreshCase(space, 1);
  for (uint64_t seed = 0; seed < ASSAY_CAMPAIGN_CASES; ++seed) {
    if (seed % 16 == 0) value = FreshCase(space, seed);
    Mutate(value, space, seed);
    const Record& record = session.RunCase(value);
    ran += !record.outcomes.empty();
    if (Violates(record) && ++flagged <= 5) ADD_FAILURE() << Describe(record, GetParam());
  }
  EXPECT_EQ(flagged, 0);
  EXPECT_GT(ran, ASSAY_CAMPAIGN_CASES / 2);
}

INSTANTIATE_TEST_SUITE_P(Spec, CleanKernel, ::testing::ValuesIn(CleanSpecs()),
                         [](const auto& info) {
                           const size_t colon = info.param.find(':');
                           return colon == std::string::npos ? info.param
                                                             : info.param.substr(colon + 1);
                         });

}  // namespace
}  // namespace assay
