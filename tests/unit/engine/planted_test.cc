// SPDX-License-Identifier: Apache-2.0
#include "engine/backends/planted/planted.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

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

TEST(PlantedTable, HasBaselineGoodAndTwoBadKernelsPerClassAndFamily) {
  std::set<std::pair<std::string, Family>> rows;
  const std::string_view contracts[] = {"C-PRC-01", "C-PRC-02", "C-EXC-01", "C-EXC-02"};
  for (const std::string_view contract : contracts) {
    for (int family = 0; family < kFamilyCount; ++family) {
      int counts[3] = {};
      for (const PlantedKernel& kernel : PlantedTable()) {
        if (kernel.family != static_cast<Family>(family) || !Serves(kernel, contract)) continue;
        ++counts[static_cast<int>(kernel.state)];
      }
      if (counts[0] + counts[1] + counts[2] == 0) continue;
      EXPECT_GE(counts[0], 1) << contract << NameOf(static_cast<Family>(family));
      EXPECT_GE(counts[1], 2) << contract << NameOf(static_cast<Family>(family));
      EXPECT_GE(counts[2], 1) << contract << NameOf(static_cast<Family>(family));
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
