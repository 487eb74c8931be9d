// SPDX-License-Identifier: Apache-2.0
//
// The tutorial of the language does what it says: its text is taken out of the page, read as a
// file, and judges a wrong and a right relu.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "contracts/suite.h"
#include "tests/unit/contracts/scene.h"

namespace assay {
namespace {

std::string TextOfTutorial() {
  std::ifstream in("contracts/LANGUAGE.md", std::ios::binary);
  const std::string page{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::string fence = "```kc\n";
  const size_t begin = page.find(fence);
  if (begin == page.npos) return "";
  return page.substr(begin + fence.size(), page.find("```", begin + 3) - begin - fence.size());
}

class Tutorial : public testing::Test {
 protected:
  void SetUp() override {
    const SourceText source{"C-MY-01.kc", TextOfTutorial()};
    std::vector<Diagnostic> diagnostics;
    scene_.suite =
        std::make_shared<const Suite>(AssembleSuite(std::span(&source, 1), nullptr, diagnostics));
    for (const Diagnostic& diagnostic : diagnostics) ADD_FAILURE() << diagnostic.Text();
    const auto& real = scene_.values.operands[0].real;
    for (size_t i = 0; i < real.size(); ++i) {
      scene_.SetTruth(static_cast<int64_t>(i), std::max(real[i], 0.0));
      negative_ |= real[i] < 0;
    }
  }

  Scene scene_{OpId::kRelu, DType::kF32, {9}};
  bool negative_ = false;
};

TEST_F(Tutorial, FindsTheReferenceConforming) {
  scene_.force.emulate = [](DefectModel, int64_t, double* out) {
    *out = 0;
    return true;
  };
  const auto& real = scene_.values.operands[0].real;
  for (size_t i = 0; i < real.size(); ++i) {
    scene_.SetGot(static_cast<int64_t>(i), std::max(real[i], 0.0));
  }
  EXPECT_EQ(scene_.Of("C-MYR-01", "exactly").outcome, Outcome::kConforming);
}

TEST_F(Tutorial, FindsAKernelViolatingThatLetsNegativeArgumentsThrough) {
  ASSERT_TRUE(negative_);
  const auto& real = scene_.values.operands[0].real;
  for (size_t i = 0; i < real.size(); ++i) scene_.SetGot(static_cast<int64_t>(i), real[i]);
  EXPECT_EQ(scene_.Of("C-MYR-01", "exactly").outcome, Outcome::kViolating);
}

}  // namespace
}  // namespace assay
