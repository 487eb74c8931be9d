// SPDX-License-Identifier: Apache-2.0
//
// Predicates whose minimum is known by construction, and the laws of the order.

#include "triage/minimize.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "contracts/operator.h"
#include "contracts/values.h"
#include "triage/steps.h"

namespace assay {
namespace {

NamedDims DimsOf(const Case& value) { return DefOf(value.op).dims(value).value(); }

Values ValuesOf(const Case& value) {
  Values values;
  MakeValues(value, DimsOf(value), values);
  return values;
}

std::string Text(const Case& value) { return PrintCase({value, {}}); }

Case Parsed(const std::string& text) {
  const Result<CaseLine> line = ParseCase(text);
  EXPECT_TRUE(line.ok()) << text << ": " << (line.ok() ? "" : line.error().Text());
  return line.value().value;
}

// Minimizes, and checks what must hold for any predicate.
std::string Minimum(const std::string& start, const StillFails& still_fails) {
  const Case from = Parsed(start);
  EXPECT_TRUE(still_fails(from)) << "the start must fail";
  const MinimizeResult result = Minimize(from, still_fails);
  EXPECT_FALSE(result.exhausted) << result.runs;
  EXPECT_LE(result.runs, 1000);
  EXPECT_TRUE(still_fails(result.value));
  EXPECT_TRUE(IsLocallyMinimal(result.value, still_fails)) << Text(result.value);
  const MinimizeResult again = Minimize(result.value, still_fails);
  EXPECT_EQ(Text(again.value), Text(result.value));
  EXPECT_EQ(again.accepted, 0);
  EXPECT_EQ(Text(Parsed(Text(result.value))), Text(result.value));
  return Text(result.value);
}

constexpr const char* kLargeGemm =
    "gemm alpha=-0x1.8p-1 beta=2 trans_a=t a=f32[24,17]:strides(19,1):offset(3):fill(normal,0,1,"
    "seed=77):set(3,2=nan) b=f32[24,33]:align(64,8):place(head):fill(uniform,-1,1,seed=5) "
    "c=f32[17,33]:strides(40,1) schedule=9";

TEST(Minimize, ReachesTheEmptyCaseWhenEverythingFails) {
  EXPECT_EQ(Minimum(kLargeGemm, [](const Case&) { return true; }),
            "gemm a=f32[0,0]:fill(zero) b=f32[0,0]:fill(zero) c=f32[0,0]:fill(zero)");
}

TEST(Minimize, KeepsTheParityAndTheBoundThatMatter) {
  const auto fails = [](const Case& value) {
    const NamedDims dims = DimsOf(value);
    return dims[0] >= 3 && dims[1] >= 1 && dims[2] % 2 == 1;
  };
  const std::string start = "gemm a=f32[20,15] b=f32[15,9] c=f32[20,9]";
  EXPECT_EQ(Minimum(start, fails),
            "gemm a=f32[3,1]:fill(zero) b=f32[1,1]:fill(zero) c=f32[3,1]:fill(zero)");
}

TEST(Minimize, KeepsTheRemainderByATile) {
  const auto fails = [](const Case& value) { return DimsOf(value)[0] % 16 == 13; };
  EXPECT_EQ(Minimum("exp x=f32[1005] out=f32[1005]", fails),
            "exp x=f32[13]:fill(zero) out=f32[13]");
}

TEST(Minimize, ShrinksDimensionsThatAreTiedTogether) {
  const auto fails = [](const Case& value) {
    const NamedDims dims = DimsOf(value);
    return dims[0] == dims[1] && dims[0] >= 2 && dims[2] >= 1;
  };
  const std::string start = "gemm a=f32[9,4] b=f32[4,9] c=f32[9,9]";
  EXPECT_EQ(Minimum(start, fails),
            "gemm a=f32[2,1]:fill(zero) b=f32[1,2]:fill(zero) c=f32[2,2]:fill(zero)");
}

TEST(Minimize, SlicesAroundTheNanInsteadOfLosingIt) {
  const auto nan_in_a = [](const Case& value) { return ValuesOf(value).operands[0].any_nan; };
  EXPECT_EQ(Minimum(kLargeGemm, nan_in_a),
            "gemm a=f32[1,1]:fill(zero):set(0,0=nan) b=f32[1,0]:fill(zero) c=f32[1,0]:fill(zero)");
}

TEST(Minimize, DropsElementsFromTheFrontWhereTheEndMatters) {
  const auto nan_last = [](const Case& value) {
    const Values values = ValuesOf(value);
    const auto& x = values.operands[0].real;
    return x.size() >= 2 && std::isnan(x.back());
  };
  EXPECT_EQ(Minimum("sum x=f32[40]:fill(zero):set(39=nan) out=f32[]", nan_last),
            "sum x=f32[2]:fill(zero):set(1=nan) out=f32[]");
}

TEST(Minimize, KeepsAlphaZeroAndMakesEverythingElsePlain) {
  const auto fails = [](const Case& value) {
    const NamedDims dims = DimsOf(value);
    return value.attributes[kGemmAlpha].real == 0 && dims[0] * dims[1] * dims[2] > 0 &&
           ValuesOf(value).operands[0].any_nan;
  };
  EXPECT_EQ(Minimum("gemm alpha=0 beta=-3 trans_b=t a=f64[7,5]:set(6,4=nan) "
                    "b=f64[6,5]:strides(1,8) c=f64[7,6]",
                    fails),
            "gemm alpha=0 a=f32[1,1]:fill(zero):set(0,0=nan) b=f32[1,1]:fill(zero) "
            "c=f32[1,1]:fill(zero)");
}

TEST(Minimize, FindsThePlainestLayoutThatIsNotDense) {
  const auto fails = [](const Case& value) { return !IsContiguous(value.operands[0]); };
  EXPECT_EQ(Minimum("sum x=f32[40]:strides(-7):offset(5):place(head) out=f32[]", fails),
            "sum x=f32[2]:strides(2):fill(zero) out=f32[]");
}

TEST(Minimize, KeepsAMisalignmentThatMatters) {
  const auto fails = [](const Case& value) { return value.operands[0].misalignment >= 12; };
  EXPECT_EQ(Minimum("sum x=f32[40]:align(256,100) out=f32[]", fails),
            "sum x=f32[0]:align(16,12):fill(zero) out=f32[]");
}

bool AnyAbove(const Case& value, double bound) {
  const Values values = ValuesOf(value);
  for (double x : values.operands[0].real) {
    if (x > bound) return true;
  }
  return false;
}

TEST(Minimize, FindsTheSmallestIntegerAboveABound) {
  const auto fails = [](const Case& value) { return AnyAbove(value, 100); };
  EXPECT_EQ(Minimum("sum x=f32[30]:fill(normal,0,1000,seed=4) out=f32[]", fails),
            "sum x=f32[1]:fill(zero):set(0=101) out=f32[]");
  EXPECT_EQ(Minimum("sum x=f64[30]:set(17=0x1.23456789p+66) out=f64[]", fails),
            "sum x=f32[1]:fill(zero):set(0=101) out=f32[]");
}

TEST(Minimize, FindsTheCanonicalSubnormal) {
  const auto fails = [](const Case& value) {
    return ValuesOf(value).operands[0].any_subnormal && DimsOf(value)[0] >= 16;
  };
  EXPECT_EQ(Minimum("log x=f32[37]:fill(subnormal,seed=12) out=f32[37]", fails),
            "log x=f32[16]:fill(zero):set(0=0x1p-127) out=f32[16]");
}

TEST(Minimize, MakesTwoEqualValuesPlainTogether) {
  const auto fails = [](const Case& value) {
    const Values values = ValuesOf(value);
    const auto& x = values.operands[0].real;
    return x.size() >= 2 && x[0] == x[1] && x[0] != 0;
  };
  EXPECT_EQ(Minimum("sum x=f32[5]:set(0=0x1.91p+5):set(1=0x1.91p+5) out=f32[]", fails),
            "sum x=f32[2]:fill(zero):set(0=1):set(1=1) out=f32[]");
}

TEST(Minimize, KeepsTheTypeOnlyWhereItMatters) {
  const auto narrow = [](const Case& value) { return SizeOf(value.operands[0].dtype) == 2; };
  EXPECT_EQ(Minimum("dot x=bf16[9] y=bf16[9] out=f32[]", narrow),
            "dot x=f16[0]:fill(zero) y=f16[0]:fill(zero) out=f16[]");
  EXPECT_EQ(Minimum("dot x=f64[9] y=f64[9] out=f64[]", [](const Case&) { return true; }),
            "dot x=f32[0]:fill(zero) y=f32[0]:fill(zero) out=f32[]");
}

TEST(Minimize, KeepsAnIndexOutsideWhenTheTableShrinks) {
  const auto outside = [](const Case& value) {
    const Values values = ValuesOf(value);
    for (int64_t index : values.operands[1].integer) {
      if (index >= values.dims[0] && values.dims[0] >= 1 && values.dims[1] >= 1) return true;
    }
    return false;
  };
  EXPECT_EQ(Minimum("gather table=f32[50,7] indices=i64[9]:fill(indices,0,49,seed=3):set(4=60) "
                    "out=f32[9,7]",
                    outside),
            "gather table=f32[1,1]:fill(zero) indices=i64[1]:fill(zero):set(0=1) out=f32[1,1]");
}

TEST(Minimize, CallsThePredicateAtMostAsOftenAsAllowedAndNeverTwiceWithOneCase) {
  std::set<std::string> seen;
  int64_t calls = 0;
  const auto fails = [&](const Case& value) {
    ++calls;
    EXPECT_TRUE(seen.insert(PrintCase({value, {}}, CaseStyle::kFull)).second);
    return AnyAbove(value, 100);
  };
  const Case start = Parsed("sum x=f32[1000]:fill(normal,0,1000,seed=4) out=f32[]");
  const MinimizeResult cut = Minimize(start, fails, 17);
  EXPECT_TRUE(cut.exhausted);
  EXPECT_EQ(cut.runs, 17);
  EXPECT_EQ(calls, 17);
  seen.clear();
  const MinimizeResult whole = Minimize(start, fails);
  EXPECT_FALSE(whole.exhausted);
  EXPECT_EQ(whole.runs, calls - 17);
}

TEST(Minimize, RunsNothingWithoutABudget) {
  const Case start = Parsed("sum x=f32[3] out=f32[]");
  const MinimizeResult result = Minimize(start, [](const Case&) { return true; }, 0);
  EXPECT_EQ(result.runs, 0);
  EXPECT_EQ(result.value, start);
}

// ---- Laws ----

Case AnyCase() {
  const auto op = static_cast<OpId>(*rc::gen::inRange(0, kOpCount));
  NamedDims dims;
  for (size_t i = 0; i < DefOf(op).dimensions.size(); ++i) {
    dims.push_back(*rc::gen::inRange<int64_t>(0, 7));
  }
  const std::span<const DType> types = InputTypesOf(op);
  Case value = MakeCase(op, types[*rc::gen::inRange<size_t>(0, types.size())], dims);
  for (int i = 0; i < value.attributes.size(); ++i) {
    if (!DefOf(op).attributes[static_cast<size_t>(i)].labels.empty()) continue;
    value.attributes[i].real = *rc::gen::element(0.0, 1.0, -0.0, 0.37, 1e30);
  }
  for (int i = 0; i < value.operands.size(); ++i) {
    Tensor& tensor = value.operands[i];
    tensor.offset = *rc::gen::inRange<int64_t>(0, 4);
    for (int64_t& stride : tensor.strides) stride *= *rc::gen::element<int64_t>(1, 1, 1, 2, -3);
    const int64_t count = ElementCount(tensor.shape);
    if (DefOf(op).operands[static_cast<size_t>(i)].role == Role::kOutput || count == 0) continue;
    const int overrides = *rc::gen::inRange(0, 3);
    for (int j = 0; j < overrides; ++j) {
      const int64_t at = *rc::gen::inRange<int64_t>(0, count);
      const double x = *rc::gen::element(1.0, -0.0, 1e-3, 300.0, std::nan(""), 1e-41);
      const uint64_t bits =
          IsFloat(tensor.dtype) ? Encode(tensor.dtype, x) : EncodeInteger(tensor.dtype, at - 1);
      tensor.overrides.push_back({IndexOf(tensor.shape, at), bits});
    }
  }
  RC_PRE(CheckCase(value).ok());
  return value;
}

// Fails by a hash of what the case holds: as irregular as a predicate can be, yet a function.
bool FailsAtRandom(const Case& value, uint64_t seed) {
  uint64_t hash = Mix(seed);
  for (char c : PrintCase({value, {}}, CaseStyle::kFull)) {
    hash = Mix(hash ^ static_cast<unsigned char>(c));
  }
  return hash % 3 == 0;
}

TEST(Minimize, IsIdempotentAndLocallyMinimalForIrregularPredicates) {
  EXPECT_TRUE(rc::check([] {
    const Case start = AnyCase();
    const uint64_t seed = *rc::gen::arbitrary<uint64_t>();
    const auto fails = [&](const Case& value) {
      return value == start || FailsAtRandom(value, seed);
    };
    const MinimizeResult result = Minimize(start, fails, 1'000'000);
    RC_ASSERT(!result.exhausted);
    RC_ASSERT(fails(result.value));
    RC_ASSERT(IsLocallyMinimal(result.value, fails));
    RC_ASSERT(Minimize(result.value, fails, 1'000'000).value == result.value);
    RC_ASSERT(Minimize(start, fails, 1'000'000).value == result.value);
    RC_ASSERT(result.accepted == 0 || SimplerThan(result.value, start));
  }));
}

TEST(SimplerThan, IsAStrictWeakOrder) {
  EXPECT_TRUE(rc::check([] {
    const Case a = AnyCase(), b = AnyCase(), c = AnyCase();
    RC_ASSERT(!SimplerThan(a, a));
    if (SimplerThan(a, b)) RC_ASSERT(!SimplerThan(b, a));
    if (SimplerThan(a, b) && SimplerThan(b, c)) RC_ASSERT(SimplerThan(a, c));
    const bool a_like_b = !SimplerThan(a, b) && !SimplerThan(b, a);
    const bool b_like_c = !SimplerThan(b, c) && !SimplerThan(c, b);
    if (a_like_b && b_like_c) RC_ASSERT(!SimplerThan(a, c) && !SimplerThan(c, a));
  }));
}

TEST(SimplerThan, HasNoInfiniteDescentAlongTheSteps) {
  EXPECT_TRUE(rc::check([] {
    // Takes every step offered, whichever it is: the longest chains there are.
    const Case start = AnyCase();
    const uint64_t seed = *rc::gen::arbitrary<uint64_t>();
    uint64_t draw = 0;
    const auto fails = [&](const Case&) { return Mix(seed ^ ++draw) % 2 == 0; };
    const MinimizeResult result = Minimize(start, fails, 100'000);
    RC_ASSERT(!result.exhausted);
  }));
}

TEST(SimplerThan, PutsSizesBeforeLayoutAndLayoutBeforeValues) {
  const Case small = Parsed("sum x=f32[2]:strides(-3):fill(normal,0,1) out=f32[]");
  const Case dense = Parsed("sum x=f32[3]:fill(normal,0,1) out=f32[]");
  const Case plain = Parsed("sum x=f32[3]:strides(2):fill(zero) out=f32[]");
  EXPECT_TRUE(SimplerThan(small, dense));
  EXPECT_TRUE(SimplerThan(dense, plain));
}

TEST(ValueCost, OrdersZeroSmallIntegersOtherNumbersAndSpecials) {
  const double ordered[] = {0,
                            1,
                            -1,
                            2,
                            -2,
                            3,
                            1000,
                            0.5,
                            0x1p-127,
                            1.5,
                            0.1,
                            -0.0,
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            std::nan("")};
  for (size_t i = 1; i < std::size(ordered); ++i) {
    EXPECT_LT(ValueCost(DType::kF32, Encode(DType::kF32, ordered[i - 1])),
              ValueCost(DType::kF32, Encode(DType::kF32, ordered[i])))
        << ordered[i];
  }
  EXPECT_LT(ValueCost(DType::kF32, 0x7fc00000), ValueCost(DType::kF32, 0x7fc00001));
  EXPECT_LT(ValueCost(DType::kI64, 0), ValueCost(DType::kI64, static_cast<uint64_t>(-1)));
  EXPECT_LT(ValueCost(DType::kI64, static_cast<uint64_t>(-1)), ValueCost(DType::kI64, 2));
  EXPECT_LT(ValueCost(DType::kI64, 5), ValueCost(DType::kI64, uint64_t{1} << 63));
}

}  // namespace
}  // namespace assay
