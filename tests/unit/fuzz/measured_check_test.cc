// SPDX-License-Identifier: Apache-2.0
//
// What `assay check` finds by asking the engine, on contracts whose answers follow from their text.
#include "fuzz/measured_check.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace assay {
namespace {

std::vector<Diagnostic> FoundIn(const std::string& id, const std::string& condition,
                                const std::string& probes) {
  const std::string path = testing::TempDir() + "assay_measured_check.kc";
  std::ofstream(path, std::ios::trunc)
      << "contract " << id << " \"t\"\n  primitive domain_violation\n"
      << "  scope operators sum\n        inputs f32\n  precondition " << condition
      << "\n  postcondition values: out in image(output, truth, tolerance)\n"
      << "  tolerance u(accumulator) * abs_sum from \"t\"\n  reference exact\n  measure probe "
      << probes << "; pass ratio <= 1\n  violation off when ratio > 1\n";
  const CheckedFiles files = ReadAndCheck(std::span(&path, 1));
  EXPECT_TRUE(files.good);
  return files.good ? MeasuredDiagnostics(files) : std::vector<Diagnostic>();
}

TEST(MeasuredCheck, FindsNothingWhereInputsMeetTheConditionAndAKernelViolates) {
  EXPECT_TRUE(FoundIn("C-PRC-01", "finite(inputs)", "sparse_rows").empty());
}

TEST(MeasuredCheck, WarnsOfAPreconditionThatNoCaseMeets) {
  const auto found = FoundIn("C-PRC-01", "max_abs_a < 0 * one", "sparse_rows");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].warning);
  EXPECT_EQ(found[0].message, "vacuous: no generated case meets 'values' and its precondition");
  EXPECT_EQ(found[0].at.line, 6);
}

TEST(MeasuredCheck, WarnsOfAClauseThatNoPlantedKernelViolates) {
  const auto found = FoundIn("C-NEW-01", "finite(inputs)", "sparse_rows");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].warning);
  EXPECT_EQ(found[0].message, "no calibration kernel can violate 'values'");
}

TEST(MeasuredCheck, RefusesAProbeThatDoesNotExist) {
  const auto found = FoundIn("C-PRC-01", "finite(inputs)", "sparse_rows, sparse_row");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].warning);
  EXPECT_EQ(found[0].message, "unknown probe 'sparse_row'");
  EXPECT_EQ(found[0].suggestion, "sparse_rows");
}

}  // namespace
}  // namespace assay
