// SPDX-License-Identifier: Apache-2.0
//
// The table of special answers, contracts/suite/special_values.txt: every row holds on the
// reference backend, and the oracle allows exactly what the row says.
#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "contracts/judge.h"
#include "contracts/scalar_text.h"
#include "engine/backend.h"
#include "engine/pipeline.h"

namespace assay {
namespace {

// One member of a set of answers.
struct Answer {
  std::string text;
  ClassSet classes = 0;          // nan, an infinity or a zero
  std::optional<double> number;  // an exact value
  bool same = false, any_value = false;
};

Answer ParseAnswer(const std::string& text) {
  Answer answer{text, 0, {}, text == "same", text == "v"};
  if (text == "nan") answer.classes = kClassNan;
  if (text == "+inf") answer.classes = kClassPosInf;
  if (text == "-inf") answer.classes = kClassNegInf;
  if (text == "+0") answer.classes = kClassPosZero;
  if (text == "-0") answer.classes = kClassNegZero;
  double number = 0;
  if (answer.classes == 0 && !answer.same && !answer.any_value) {
    EXPECT_TRUE(ReadNumberText(text, number)) << text;
    answer.number = number;
    if (number == 0) answer.classes = kClassPosZero;
  }
  return answer;
}

std::vector<Answer> ParseSet(std::string text) {
  std::vector<Answer> answers;
  if (text.starts_with('{')) text = text.substr(1, text.size() - 2);
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, '|');) answers.push_back(ParseAnswer(part));
  return answers;
}

struct Row {
  int line = 0;
  std::string text;
  std::vector<std::string> answers;
};

std::vector<Row> Rows() {
  std::ifstream in(ASSAY_SPECIAL_VALUES);
  std::vector<Row> rows;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const size_t arrow = line.find(" => ");
    EXPECT_NE(arrow, line.npos) << "line " << number;
    Row row{number, line.substr(0, arrow), {}};
    std::stringstream stream(line.substr(arrow + 4));
    for (std::string answer; stream >> answer;) row.answers.push_back(answer);
    rows.push_back(std::move(row));
  }
  return rows;
}

class SpecialValues : public ::testing::TestWithParam<Row> {
 protected:
  void SetUp() override {
    Result<CaseLine> line = ParseCase(GetParam().text);
    ASSERT_TRUE(line.ok()) << line.error().where << ": " << line.error().what;
    line_ = std::move(line).value();
    std::vector<std::unique_ptr<Backend>> backends;
    Result<std::unique_ptr<Backend>> reference = OpenBackend("reference");
    ASSERT_TRUE(reference.ok());
    backends.push_back(std::move(reference).value());
    SessionOptions options;
    options.suite = BuiltinSuite();
    options.settle = true;
    session_.emplace(std::move(options), std::move(backends));
    record_ = &session_->RunCase(line_.value);
    ASSERT_EQ(record_->outcomes.size(), 1u);
  }

  double Got(size_t i) const {
    const Observation& observation = record_->outcomes[0].observation;
    return observation.real.empty()
               ? static_cast<double>(DecodeInteger(observation.dtype, observation.bits[i]))
               : observation.real[i];
  }

  // Where an element's old bits come from: the in-out operand, or what is copied.
  uint64_t OldBits(size_t i) const {
    const bool inout = record_->values->op->operands.back().role == Role::kInout;
    const auto& operands = record_->values->operands;
    return (inout ? operands.back() : operands.front()).bits[i];
  }

  bool Fits(const Answer& answer, size_t i) const {
    if (answer.same) return record_->outcomes[0].observation.bits[i] == OldBits(i);
    if (answer.any_value) return ClassOf(Got(i)) == kClassFinite;
    if (answer.number) return Got(i) == *answer.number;
    return (ClassOf(Got(i)) & answer.classes) != 0;
  }

  CaseLine line_;
  std::optional<Session> session_;
  const Record* record_ = nullptr;
};

TEST_P(SpecialValues, HoldOnTheReference) {
  const Observation& observation = record_->outcomes[0].observation;
  if (GetParam().answers == std::vector<std::string>{"raise"}) {
    EXPECT_EQ(observation.status, RunStatus::kRaised);
    return;
  }
  ASSERT_EQ(observation.status, RunStatus::kOk);
  ASSERT_EQ(observation.bits.size(), GetParam().answers.size());
  for (size_t i = 0; i < GetParam().answers.size(); ++i) {
    bool fits = false;
    for (const Answer& answer : ParseSet(GetParam().answers[i])) fits |= Fits(answer, i);
    EXPECT_TRUE(fits) << "element " << i << " is " << Got(i) << ", due is "
                      << GetParam().answers[i];
  }
  for (const ClauseVerdict& clause : record_->outcomes[0].verdict.clauses) {
    EXPECT_NE(clause.outcome, Outcome::kViolating) << clause.contract << " " << clause.clause;
  }
}

TEST_P(SpecialValues, AreWhatTheOracleAllows) {
  if (record_->evidence->choice || record_->outcomes[0].observation.real.empty()) return;
  if (GetParam().answers == std::vector<std::string>{"raise"}) return;
  for (size_t i = 0; i < GetParam().answers.size(); ++i) {
    ClassSet wanted = 0;
    bool by_value = false;
    if (GetParam().answers[i] == "same") continue;  // bits, which no class tells
    for (const Answer& answer : ParseSet(GetParam().answers[i])) {
      wanted |= answer.classes;
      by_value |= answer.any_value || answer.number.has_value();
    }
    const ClassSet legal = record_->evidence->legal[i];
    if (by_value) {
      EXPECT_NE(legal & kClassByValue, 0) << "element " << i;
      continue;
    }
    // A zero may also be what the value rule makes of a truth of zero, whose sign is then free.
    const bool zero_by_value = (legal & kClassByValue) != 0 && record_->evidence->hi[i] == 0 &&
                               (wanted & ~kClassZero) == 0;
    if (zero_by_value) continue;
    EXPECT_EQ(legal & ~kClassByValue, wanted) << "element " << i << " of " << GetParam().text;
  }
}

INSTANTIATE_TEST_SUITE_P(Row, SpecialValues, ::testing::ValuesIn(Rows()),
                         [](const ::testing::TestParamInfo<Row>& info) {
                           return "Line" + std::to_string(info.param.line);
                         });

}  // namespace
}  // namespace assay
