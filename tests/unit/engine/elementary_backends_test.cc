// SPDX-License-Identifier: Apache-2.0
//
// The adapters of libraries of elementary functions: which function an operator is, vectors and
// tails, and published worst cases. A library that is not installed is skipped, and says so.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "engine/backend.h"
#include "engine/pipeline.h"
#include "tests/unit/engine/placed_call.h"

namespace assay {
namespace {

class ElementaryBackend : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<Backend>> opened = OpenBackend(GetParam());
    if (!opened.ok()) GTEST_SKIP() << opened.error().Text();
    backend_ = std::move(opened).value();
  }

  std::vector<double> Apply(OpId op, DType type, const std::vector<double>& x) {
    PlacedCall call(op, type, {static_cast<int64_t>(x.size())});
    call.Place(0, x).Place(1, std::vector<double>(x.size(), 9));
    EXPECT_EQ(call.Run(backend_->table()), ASSAY_OK) << DefOf(op).name;
    return call.Output();
  }

  std::unique_ptr<Backend> backend_;
};

// Values of functions at points where they are known exactly, or to all digits of f32: 2 ulp of f32
// leave room for every library's limit.
TEST_P(ElementaryBackend, AppliesTheFunctionOfTheOperatorInBodyAndTail) {
  struct Value {
    OpId op;
    double x, y;
  };
  constexpr Value kValues[] = {{OpId::kSin, 1, 0.841470984807897},
                               {OpId::kCos, 1, 0.54030230586814},
                               {OpId::kTan, 1, 1.5574077246549022},
                               {OpId::kAsin, 0.5, 0.5235987755982989},
                               {OpId::kAcos, 0.5, 1.0471975511965979},
                               {OpId::kAtan, 1, 0.7853981633974483},
                               {OpId::kSinh, 1, 1.1752011936438014},
                               {OpId::kCosh, 1, 1.543080634815244},
                               {OpId::kAsinh, 1, 0.881373587019543},
                               {OpId::kAcosh, 2, 1.3169578969248168},
                               {OpId::kAtanh, 0.5, 0.549306144334055},
                               {OpId::kExp2, 3, 8},
                               {OpId::kExp10, 2, 100},
                               {OpId::kLog2, 8, 3},
                               {OpId::kLog10, 1000, 3},
                               {OpId::kCbrt, -27, -3},
                               {OpId::kErfc, 1, 0.15729920705028513},
                               {OpId::kExp, 1, 2.718281828459045}};
  for (const Value& value : kValues) {
    for (const DType type : {DType::kF32, DType::kF64}) {
      for (const size_t count : {1u, 7u, 19u}) {
        const std::vector<double> out = Apply(value.op, type, std::vector<double>(count, value.x));
        for (const double y : out) {
          EXPECT_NEAR(y, value.y, std::fabs(value.y) * (type == DType::kF32 ? 0x1p-22 : 0x1p-50))
              << DefOf(value.op).name;
        }
      }
    }
  }
}

TEST_P(ElementaryBackend, TakesElementsInTheirOrder) {
  std::vector<double> x;
  for (int i = 0; i < 21; ++i) x.push_back(i - 10);
  const std::vector<double> out = Apply(OpId::kExp2, DType::kF64, x);
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(out[i], std::ldexp(1, static_cast<int>(x[i])), std::ldexp(4e-16, int(x[i])));
  }
}

INSTANTIATE_TEST_SUITE_P(Library, ElementaryBackend,
                         ::testing::Values("libm", "libmvec:sse2", "libmvec:avx2", "libmvec:avx512",
                                           "sleef:scalar", "sleef:sse2", "sleef:avx2",
                                           "sleef:avx512"),
                         [](const ::testing::TestParamInfo<std::string>& info) {
                           std::string name = info.param;
                           for (char& c : name) c = c == ':' ? '_' : c;
                           return name;
                         });

std::vector<std::string> WorstCases() {
  std::ifstream in(ASSAY_WORST_CASES);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  return lines;
}

const Record& RunText(Session& session, const std::string& text) {
  Result<CaseLine> line = ParseCase(text);
  EXPECT_TRUE(line.ok()) << text << ": " << line.error().what;
  return session.RunCase(line.value().value);
}

std::unique_ptr<Session> SessionOver(const std::string& spec) {
  std::vector<std::unique_ptr<Backend>> backends;
  Result<std::unique_ptr<Backend>> opened = OpenBackend(spec);
  if (!opened.ok()) return nullptr;
  backends.push_back(std::move(opened).value());
  SessionOptions options;
  options.suite = BuiltinSuite();
  return std::make_unique<Session>(std::move(options), std::move(backends));
}

bool Violates(const Record& record) {
  for (const ClauseVerdict& clause : record.outcomes[0].verdict.clauses) {
    if (clause.outcome == Outcome::kViolating) return true;
  }
  return false;
}

TEST(WorstCases, AreMetByTheReference) {
  const std::unique_ptr<Session> session = SessionOver("reference");
  EXPECT_GE(WorstCases().size(), 20u);
  for (const std::string& line : WorstCases()) {
    EXPECT_FALSE(Violates(RunText(*session, line))) << line;
  }
}

// Reported against SLEEF 3.5.1 and present in it.
TEST(WorstCases, ShowWhatWasReportedOfSleef) {
  const std::unique_ptr<Session> session = SessionOver("sleef:scalar");
  if (session == nullptr) GTEST_SKIP() << "SLEEF is not installed";
  int violated = 0;
  for (const std::string& line : WorstCases()) {
    const bool reported = line.starts_with("sinh x=f64") || line.starts_with("cosh x=") ||
                          line.starts_with("exp x=f64") || line.starts_with("pow x=f64");
    if (reported) violated += Violates(RunText(*session, line));
  }
  EXPECT_EQ(violated, 5);
  EXPECT_TRUE(
      Violates(RunText(*session, "cos x=f64[1]:fill(constant,0x1.44f93e5d8cbf5p+46) out=f64[1]")));
}

}  // namespace
}  // namespace assay
