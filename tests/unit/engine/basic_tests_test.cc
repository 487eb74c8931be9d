// SPDX-License-Identifier: Apache-2.0
//
// The tame tests themselves, on a kernel that is right and on kernels that do nothing, for every
// operator and type.
#include "engine/basic_tests.h"

#include <gtest/gtest.h>

#include <string>

#include "contracts/operator.h"
#include "engine/backends/reference/reference.h"

namespace assay {
namespace {

int32_t StoreNothing(void*, const AssayCall*, AssayText*) { return ASSAY_OK; }
int32_t Refuse(void*, const AssayCall*, AssayText*) { return ASSAY_UNSUPPORTED; }

class TameTests : public ::testing::TestWithParam<OpId> {};

TEST_P(TameTests, PassTheReferenceAndFailAKernelThatStoresNothing) {
  AssayBackend idle = *OpenReference();
  idle.run = &StoreNothing;
  for (const DType type : InputTypesOf(GetParam())) {
    const BasicCounts right = RunBasicTests(*OpenReference(), GetParam(), type);
    EXPECT_GE(right.passed, 18) << NameOf(type);
    EXPECT_EQ(right.failed, 0) << NameOf(type);
    const BasicCounts nothing = RunBasicTests(idle, GetParam(), type);
    EXPECT_EQ(nothing.passed, 0) << NameOf(type);
    EXPECT_EQ(nothing.failed, right.passed) << NameOf(type);
  }
}

TEST_P(TameTests, CountNothingThatTheKernelDoesNotTake) {
  AssayBackend refusing = *OpenReference();
  refusing.supports = &Refuse;
  EXPECT_EQ(RunBasicTests(refusing, GetParam(), InputTypesOf(GetParam())[0]), BasicCounts{});
}

std::vector<OpId> AllOperators() {
  std::vector<OpId> all;
  for (const OperatorDef& def : Operators()) all.push_back(def.id);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Operator, TameTests, ::testing::ValuesIn(AllOperators()),
                         [](const auto& info) { return std::string(DefOf(info.param).name); });

}  // namespace
}  // namespace assay
