// SPDX-License-Identifier: Apache-2.0
//
// Sweeps, injections and enumerations as cases: the values that a protocol names stand in the
// cases, one at a time.
#include "engine/protocol.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "contracts/operator.h"
#include "contracts/values.h"

namespace assay {
namespace {

std::vector<Case> CasesOf(const Measurement& measurement, OpId op, DType type = DType::kF32) {
  std::vector<Case> cases = ProtocolCases(measurement, {}, op, type);
  for (const Case& value : cases) EXPECT_TRUE(CheckCase(value).ok()) << PrintCase({value, {}});
  return cases;
}

TEST(Protocol, SweepsAnAttribute) {
  Measurement measurement;
  measurement.sweeps = {{"scale", {1, 256, 32768}}};
  const std::vector<Case> cases = CasesOf(measurement, OpId::kScaledGradient, DType::kF32);
  ASSERT_EQ(cases.size(), 3u);
  EXPECT_EQ(cases[0].attributes[kGradientScale].real, 1);
  EXPECT_EQ(cases[2].attributes[kGradientScale].real, 32768);
}

TEST(Protocol, SweepsADimensionOfEveryOperandThatHasIt) {
  Measurement measurement;
  measurement.sweeps = {{"k", {0, 1, 17}}};
  const std::vector<Case> cases = CasesOf(measurement, OpId::kGemm);
  ASSERT_EQ(cases.size(), 3u);
  EXPECT_EQ(cases[2].operands[0].shape[1], 17);
  EXPECT_EQ(cases[2].operands[1].shape[0], 17);
  EXPECT_EQ(ElementCount(cases[0].operands[0].shape), 0);
}

TEST(Protocol, InjectsOneSpecialValueInOnePlaceAtATime) {
  Measurement measurement;
  measurement.injections = {
      {{Special::kNan, Special::kMinusZero}, {"inputs"}, {InjectAt::kHead, InjectAt::kTail}}};
  const std::vector<Case> cases = CasesOf(measurement, OpId::kDot);
  ASSERT_EQ(cases.size(), 8u);  // two values, two operands, two places
  for (const Case& value : cases) {
    Values values;
    MakeValues(value, CheckCase(value).value(), values);
    int special = 0;
    for (const OperandValues& operand : {values.operands[0], values.operands[1]}) {
      for (size_t i = 0; i < operand.real.size(); ++i) {
        const double real = operand.real[i];
        if (!std::isnan(real) && !(real == 0 && std::signbit(real))) continue;
        ++special;
        EXPECT_TRUE(i == 0 || i + 1 == operand.real.size());
      }
    }
    EXPECT_EQ(special, 1);
  }
}

TEST(Protocol, InjectsIntoEachLaneOfAVector) {
  Measurement measurement;
  measurement.injections = {{{Special::kPlusInf}, {"x"}, {InjectAt::kLanes}}};
  std::set<int32_t> places;
  for (const Case& value : CasesOf(measurement, OpId::kSum)) {
    ASSERT_EQ(value.operands[0].overrides.size(), 1u);
    places.insert(value.operands[0].overrides[0].index[0]);
  }
  EXPECT_EQ(places, (std::set<int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Protocol, EnumeratesLabels) {
  Measurement measurement;
  measurement.enumerations = {{"form", {"tanh", "erf"}, {}}};
  const std::vector<Case> cases = CasesOf(measurement, OpId::kGelu);
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0].attributes[kGeluForm].choice, 1);
  EXPECT_EQ(cases[1].attributes[kGeluForm].choice, 0);
}

TEST(Protocol, EnumeratesIndicesFromTheExtentOneAtATime) {
  Measurement measurement;
  measurement.enumerations = {{"index", {}, {{0, -1}, {1, 0}, {-1, -1}, {1, 10}}}};
  const std::vector<Case> cases = CasesOf(measurement, OpId::kGather);
  ASSERT_EQ(cases.size(), 4u);
  const int64_t rows = cases[0].operands[0].shape[0];
  const int64_t wanted[] = {-1, rows, -rows - 1, rows + 10};
  for (size_t i = 0; i < cases.size(); ++i) {
    Values values;
    MakeValues(cases[i], CheckCase(cases[i]).value(), values);
    int outside = 0;
    for (const int64_t index : values.operands[1].integer) outside += index < 0 || index >= rows;
    EXPECT_EQ(values.operands[1].integer[0], wanted[i]);
    EXPECT_EQ(outside, 1);
  }
}

TEST(Protocol, AppliesItsLinesToTheCasesOfProbesToo) {
  Measurement measurement;
  measurement.repeats = 7;
  measurement.sweeps = {{"alpha", {2, 3}}};
  const Probe probes[] = {Probe::kSparseRows, Probe::kShiftedRows};  // the second is for softmax
  const std::vector<Case> cases = ProtocolCases(measurement, probes, OpId::kGemm, DType::kF32);
  ASSERT_EQ(cases.size(), 6u);
  for (const Case& value : cases) EXPECT_EQ(value.repeats, 7);
  EXPECT_EQ(cases[2].operands[0].fill,
            MakeProbeCase(Probe::kSparseRows, OpId::kGemm, DType::kF32, 0).operands[0].fill);
}

TEST(Protocol, SaysNothingOfOperatorsThatItsLinesDoNotConcern) {
  Measurement measurement;
  measurement.sweeps = {{"scale", {1}}};
  measurement.enumerations = {{"form", {"erf"}, {}}};
  EXPECT_TRUE(CasesOf(measurement, OpId::kExp).empty());
}

}  // namespace
}  // namespace assay
