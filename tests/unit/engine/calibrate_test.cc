// SPDX-License-Identifier: Apache-2.0
#include "engine/calibrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "engine/guarded_call.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

// A copy of the shipped suite with one text in one file replaced.
std::shared_ptr<const Suite> SuiteWith(const std::string& file, const std::string& from,
                                       const std::string& to) {
  const std::filesystem::path copy =
      std::filesystem::path(::testing::TempDir()) /
      ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::remove_all(copy);
  std::filesystem::copy("contracts/suite", copy);
  std::stringstream text;
  text << std::ifstream(copy / file).rdbuf();
  std::string changed = text.str();
  const size_t at = changed.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  changed.replace(at, from.size(), to);
  std::ofstream(copy / file) << changed;
  Result<std::shared_ptr<const Suite>> suite = LoadSuite(copy.string(), "contracts/profiles");
  EXPECT_TRUE(suite.ok()) << suite.error().Text();
  return suite.value();
}

class Calibration : public ::testing::Test {
 protected:
  void SetUp() override { InstallFaultHandlers(); }
};

class CalibrationOf : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { InstallFaultHandlers(); }
};

TEST_P(CalibrationOf, ShippedContractIsSound) {
  const Result<CalibrationReport> report = Calibrate(BuiltinSuite(), {{GetParam()}});
  ASSERT_TRUE(report.ok()) << report.error().Text();
  EXPECT_TRUE(report.value().sound()) << CalibrationText(report.value());
  for (const CalibrationRow& row : report.value().rows) {
    EXPECT_GE(row.cases, 20) << row.kernel;
    EXPECT_EQ(row.first_violation.empty(), row.state == PlantedState::kGood) << row.kernel;
  }
}

INSTANTIATE_TEST_SUITE_P(Contract, CalibrationOf,
                         ::testing::Values("C-PRC-01", "C-PRC-02", "C-EXC-01", "C-EXC-02"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST_F(Calibration, NamesTheKernelsThatAWeakToleranceNoLongerTellsApart) {
  const std::string bound = "gamma(rounds(), u(accumulator)) * abs_sum + underflow()";
  const auto suite = SuiteWith("C-PRC-01.kc", bound, "1e6 * (" + bound + ")");
  const Result<CalibrationReport> report = Calibrate(suite, {{"C-PRC-01"}});
  ASSERT_TRUE(report.ok()) << report.error().Text();
  EXPECT_FALSE(report.value().sound());
  const CalibrationClass& gemm = report.value().classes.front();
  EXPECT_EQ(gemm.family, Family::kGemm);
  EXPECT_FALSE(gemm.sound);
  const std::string text = CalibrationText(report.value());
  EXPECT_THAT(text,
              HasSubstr("C-PRC-01 gemm is unsound: bad kernel gemm_tf32_operands is no longer "
                        "told apart"));
  // Nine digits are lost there: a millionfold tolerance still sees it.
  EXPECT_THAT(text, ::testing::Not(HasSubstr("gemm_f64_as_f32 is no longer")));
}

TEST_F(Calibration, RefusesAProbeThatDoesNotExistAndSuggestsOne) {
  const auto suite = SuiteWith("C-PRC-01.kc", "saturation", "saturatoin");
  const Result<CalibrationReport> report = Calibrate(suite, {{"C-PRC-01"}});
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().Text(), HasSubstr("'saturatoin', which is no probe"));
  EXPECT_THAT(report.error().Text(), HasSubstr("saturation"));
}

TEST_F(Calibration, RefusesAContractThatTheSuiteDoesNotHave) {
  const Result<CalibrationReport> report = Calibrate(BuiltinSuite(), {{"C-PRC-1"}});
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().Text(), HasSubstr("C-PRC-01"));
}

TEST_F(Calibration, JsonSaysWhatTheTableSays) {
  CalibrationReport report;
  CalibrationRow row;
  row.contract = "C-PRC-01";
  row.kernel = "gemm_tf32_operands";
  row.state = PlantedState::kBad;
  row.basic = {18, 0};
  row.cases = 320;
  row.outcomes[static_cast<size_t>(Outcome::kViolating)] = 100;
  row.worst_ratio = HUGE_VAL;
  report.rows.push_back(row);
  report.classes.push_back({"C-PRC-01", Family::kGemm, false, {"a complaint"}});
  const auto json = nlohmann::json::parse(CalibrationJson(report));
  EXPECT_EQ(json["sound"], false);
  EXPECT_EQ(json["classes"][0]["complaints"][0], "a complaint");
  EXPECT_EQ(json["rows"][0]["state"], "bad");
  EXPECT_EQ(json["rows"][0]["tame_passed"], 18);
  EXPECT_EQ(json["rows"][0]["outcomes"]["violating"], 100);
  EXPECT_EQ(json["rows"][0]["worst_ratio"], "inf");
}

}  // namespace
}  // namespace assay
