// SPDX-License-Identifier: Apache-2.0
#include "engine/backends/planted/planted.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "contracts/judge.h"
#include "contracts/operator.h"
#include "engine/backends/planted/table.h"
#include "engine/basic_tests.h"
#include "engine/include/assay/backend.h"

namespace assay {
namespace {

BasicCounts BasicTestsOf(const PlantedKernel& kernel) {
  std::string error;
  const AssayBackend* table = OpenPlanted(kernel.name, error);
  EXPECT_NE(table, nullptr) << error;
  BasicCounts all;
  for (int op = 0; op < kOpCount; ++op) {
    if ((kernel.ops >> op & 1) == 0) continue;
    for (const DType type : InputTypesOf(static_cast<OpId>(op))) {
      if ((kernel.types >> static_cast<int>(type) & 1) == 0) continue;
      const BasicCounts counts = RunBasicTests(*table, static_cast<OpId>(op), type);
      EXPECT_GT(counts.passed + counts.failed, 0) << kernel.name;
      all.passed += counts.passed;
      all.failed += counts.failed;
    }
  }
  table->close(table->self);
  return all;
}

class PlantedBasics : public ::testing::TestWithParam<std::string> {};

TEST_P(PlantedBasics, PassBadAndGoodKernelsAndFailBaselines) {
  const PlantedKernel& kernel = *FindPlanted(GetParam());
  const BasicCounts counts = BasicTestsOf(kernel);
  if (kernel.state == PlantedState::kBaseline) {
    EXPECT_GT(counts.failed, counts.passed);
  } else {
    EXPECT_EQ(counts.failed, 0) << counts.passed << " passed";
  }
}

INSTANTIATE_TEST_SUITE_P(Kernel, PlantedBasics, ::testing::ValuesIn(PlantedKernels()),
                         [](const auto& info) { return info.param; });

TEST(PlantedTable, HasBaselineGoodAndTwoBadKernelsPerContractAndFamilyOfItsScope) {
  for (const ContractInfo& contract : ContractsOf(*BuiltinSuite())) {
    OpSet scope = 0;
    std::set<Family> families;
    for (const OpId op : contract.operators) {
      scope |= Bit(op);
      families.insert(DefOf(op).family);
    }
    for (const Family family : families) {
      int counts[3] = {};
      for (const PlantedKernel& kernel : PlantedTable()) {
        const bool serves = kernel.family == family && Serves(kernel, contract.id);
        if (serves && (kernel.ops & scope) != 0) ++counts[static_cast<int>(kernel.state)];
      }
      EXPECT_GE(counts[0], 1) << contract.id << " " << NameOf(family);
      EXPECT_GE(counts[1], 2) << contract.id << " " << NameOf(family);
      EXPECT_GE(counts[2], 1) << contract.id << " " << NameOf(family);
    }
  }
}

TEST(PlantedTable, NamesAreUniqueAndOpen) {
  std::set<std::string> seen;
  for (const std::string& name : PlantedKernels()) {
    EXPECT_TRUE(seen.insert(name).second) << name;
    std::string error;
    const AssayBackend* table = OpenPlanted(name, error);
    ASSERT_NE(table, nullptr) << error;
    EXPECT_STREQ(table->family, "planted");
    table->close(table->self);
  }
}

TEST(PlantedTable, SuggestsTheNearestNameForAMisspeltOne) {
  std::string error;
  EXPECT_EQ(OpenPlanted("gemm_zeroes", error), nullptr);
  EXPECT_NE(error.find("gemm_zeros"), std::string::npos) << error;
}

}  // namespace
}  // namespace assay
