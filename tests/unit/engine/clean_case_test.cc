// SPDX-License-Identifier: Apache-2.0
//
// Cases on which correct kernels were once flagged, each with the reason why their answer is right;
// and the one case line behind the branches of the instrumented kernel, with its neighbours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "contracts/case.h"
#include "contracts/judge.h"
#include "engine/backend.h"
#include "engine/guarded_call.h"
#include "engine/pipeline.h"

namespace assay {
namespace {

// Contracts that the backend violates on the case, blank-separated; "unsupported" if it did not
// run.
std::string ViolatedBy(const std::string& spec, const std::string& line) {
  InstallFaultHandlers();
  Result<std::unique_ptr<Backend>> backend = OpenBackend(spec);
  if (!backend.ok()) return backend.error().Text();
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(std::move(backend).value());
  SessionOptions options;
  options.suite = BuiltinSuite();
  options.settle = true;
  Session session(std::move(options), std::move(backends));
  const Result<CaseLine> parsed = ParseCase(line);
  if (!parsed.ok()) return parsed.error().Text();
  const Record& record = session.RunCase(parsed.value().value);
  if (record.outcomes.empty()) return "unsupported";
  std::string violated;
  for (const ClauseVerdict& clause : record.outcomes[0].verdict.clauses) {
    if (clause.outcome == Outcome::kViolating) violated += std::string(clause.contract) + " ";
  }
  return violated;
}

struct CleanCase {
  const char* name;
  const char* line;
};

const CleanCase kCleanCases[] = {
    // 1.2 is no f32: the kernel is called with its rounding, and so is the oracle.
    {"ScalarsAreRoundedToF32",
     "gemm alpha=0 beta=0x1.3333333333333p+0 a=f32[13,1] b=f32[1,33] c=f32[13,33]:fill(wide_odd)"},
    // One exact product: beta c is rounded, and rounded again when the product is added to it.
    {"ScaledCIsRoundedTwice",
     "gemm alpha=-1 beta=-0x1.55a3d2p+0 a=bf16[61,4]:fill(sparse,1,seed=46778) "
     "b=bf16[4,10]:fill(normal,0,1,seed=50310) c=f32[61,10]:fill(uniform,-1,1,seed=9010)"},
    // Every product underflows to 0, and inf * 0 is NaN.
    {"InfiniteAlphaMeetsAVanishedSum",
     "gemm alpha=inf a=f64[4,1]:fill(exponents,-600,-590) b=f64[1,4]:fill(exponents,-600,-590) "
     "c=f64[4,4]"},
    // The sum overflows to one infinity and meets the other in beta c.
    {"OverflowMeetsAnInfiniteC",
     "gemm alpha=2 beta=inf a=bf16[7,19]:fill(exponents,-126,127,seed=63194) "
     "b=bf16[19,15]:fill(powers_of_two,seed=4598) c=bf16[7,15]:fill(poison,seed=15289)"},
    {"OverflowMeetsAnInfiniteElement",
     "dot x=f32[6]:fill(exponents,60,63,seed=18971) "
     "y=f32[6]:fill(exponents,-126,127,seed=27700):set(0=-inf) out=f32[]"},
    {"OverflowOfBetaCMeetsAnInfiniteSum",
     "gemm beta=0x1.93e5939a08ceap+99 a=f32[1,2]:fill(subnormal,seed=37362) "
     "b=f32[2,1]:fill(constant,1):set(0,0=-inf) c=f32[1,1]:fill(poison,seed=52145)"},
    // A table of all bytes holds the poison too: it takes two different poisons to tell.
    {"CopiedBytesMayEqualThePoison",
     "gather table=i8[7,6]:fill(distinct,seed=64817) indices=i32[37]:fill(indices,0,6,seed=15927) "
     "out=i8[37,6]:fill(poison,seed=28254)"},
    // erfc is subnormal there, and its rounding is multiplied by x / 2.
    // Folded into b, a tiny alpha costs each product half a smallest subnormal of its own.
    {"TinyAlphaFoldedIntoAnOperand",
     "gemm alpha=0x1p-144 a=f32[1,32]:fill(constant,0x1p-3) b=f32[32,1]:fill(constant,0x1p-3) "
     "c=f32[1,1]:fill(zero)"},
    {"TinyAlphaFoldedIntoAnOperandOfDoubles",
     "gemm alpha=0x1p-1069 a=f64[1,32]:fill(constant,0x1p-3) b=f64[32,1]:fill(constant,0x1p-3) "
     "c=f64[1,1]:fill(zero)"},
    // 0 + (-0) is +0, and so is -0 left alone.
    {"EmptySumAddedToNegativeZero",
     "gemm beta=1 a=f32[1,0]:fill(zero) b=f32[0,1]:fill(zero) c=f32[1,1]:fill(zero):set(0,0=-0)"},
    {"EmptySumTimesNegativeAlpha",
     "gemm alpha=-1 trans_b=t a=f32[1,0]:fill(zero) b=f32[1,0]:fill(zero) c=f32[1,1]:fill(zero)"},
    // A BLAS is handed floats: the nearest to 1.2, not 1.2.
    {"ScalarsAreOfTheInterfaceType",
     "gemm beta=1.2 a=f32[13,0]:fill(zero) b=f32[0,2]:fill(zero) c=f32[13,2]:fill(normal,0,1)"},
    {"GeluTailOfSubnormalErfc", "gelu x=f64[36]:fill(uniform,-40,-14,seed=7086) out=f64[36]"},
};

class CleanCaseOf : public ::testing::TestWithParam<CleanCase> {};

TEST_P(CleanCaseOf, IsNotHeldAgainstACorrectKernel) {
  EXPECT_EQ(ViolatedBy("reference", GetParam().line), "");
  for (const char* kernel :
       {"gemm_blocked", "gemm_pairwise", "dot_pairwise", "unary_accurate", "gather_raises"}) {
    const std::string violated = ViolatedBy(std::string("planted:") + kernel, GetParam().line);
    EXPECT_TRUE(violated.empty() || violated == "unsupported") << kernel << ": " << violated;
  }
}

INSTANTIATE_TEST_SUITE_P(Line, CleanCaseOf, ::testing::ValuesIn(kCleanCases),
                         [](const auto& info) { return std::string(info.param.name); });

// Residues of m, n and k by 16, of the leading dimensions by 8 and 16, and the transposes.
std::string BranchLine(int m, int n, int k, int lead_a, int lead_b, bool trans_a) {
  const std::string shape_a = trans_a ? std::to_string(k) + "," + std::to_string(m)
                                      : std::to_string(m) + "," + std::to_string(k);
  return std::string("gemm ") + (trans_a ? "trans_a=t " : "") + "a=f32[" + shape_a + "]:strides(" +
         std::to_string(lead_a) + ",1) b=f32[" + std::to_string(k) + "," + std::to_string(n) +
         "]:strides(" + std::to_string(lead_b) + ",1) c=f32[" + std::to_string(m) + "," +
         std::to_string(n) + "]";
}

TEST(PlantedBranch, IsWrongOnlyWhereAllResiduesFit) {
  // The clause whose subject it is comes first; those that borrow its bound complain as well.
  EXPECT_THAT(ViolatedBy("planted_branch", BranchLine(11, 5, 13, 14, 9, true)),
              ::testing::StartsWith("C-PRC-01 "));
  EXPECT_EQ(ViolatedBy("planted_branch", BranchLine(10, 5, 13, 14, 9, true)), "");
  EXPECT_EQ(ViolatedBy("planted_branch", BranchLine(11, 6, 13, 14, 9, true)), "");
  EXPECT_EQ(ViolatedBy("planted_branch", BranchLine(11, 5, 12, 14, 9, true)), "");
  EXPECT_EQ(ViolatedBy("planted_branch", BranchLine(11, 5, 13, 15, 9, true)), "");
  EXPECT_EQ(ViolatedBy("planted_branch", BranchLine(11, 5, 13, 14, 10, true)), "");
  EXPECT_EQ(ViolatedBy("planted_branch", BranchLine(11, 5, 13, 14, 9, false)), "");
}

}  // namespace
}  // namespace assay
