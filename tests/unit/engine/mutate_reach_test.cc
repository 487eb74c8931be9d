// SPDX-License-Identifier: Apache-2.0
//
// Whether mutation reaches what known bugs need: a table of outcomes, each of which must come up
// within a number of cases, counted over chains as a campaign makes them. Numbers are about a tenth
// of what is seen, so that a lost outcome shows and a changed weight does not.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "engine/mutate.h"
#include "engine/mutate_steps.h"

namespace assay {
namespace {

struct Outcome {
  std::string name;
  std::function<bool(const Case&, const NamedDims&)> seen;
  int at_least = 1;
};

constexpr int kCases = 40000;

// Every outcome over kCases cases of `ops`, in chains of 50.
void ExpectReached(std::vector<OpId> ops, const std::vector<Outcome>& outcomes,
                   std::vector<Atom> atoms = {}) {
  const MutationSpace space{ops, {}, atoms};
  std::vector<int> counts(outcomes.size(), 0);
  for (uint64_t chain = 0; chain < kCases / 50; ++chain) {
    Case value = FreshCase(space, chain);
    for (uint64_t i = 0; i < 50; ++i) {
      const NamedDims dims = CheckCase(value).value();
      for (size_t j = 0; j < outcomes.size(); ++j) counts[j] += outcomes[j].seen(value, dims);
      Mutate(value, space, chain * 50 + i);
    }
  }
  for (size_t j = 0; j < outcomes.size(); ++j) {
    EXPECT_GE(counts[j], outcomes[j].at_least) << outcomes[j].name;
  }
}

bool HasElement(const Tensor& tensor, const std::function<bool(double, uint64_t)>& is) {
  for (const Override& each : tensor.overrides) {
    if (is(Decode(tensor.dtype, each.bits), each.bits)) return true;
  }
  return false;
}

bool HasNan(const Tensor& tensor) {
  return HasElement(tensor, [](double x, uint64_t) { return std::isnan(x); });
}

bool IsRowMajor(const Tensor& t) {
  return t.shape[0] > 1 && t.shape[1] > 1 && t.strides == RowMajorStrides(t.shape);
}

TEST(Reach, EveryDimensionOfAGemmTakesEdgesTilesAndPrimes) {
  std::vector<Outcome> outcomes;
  for (int d = 0; d < 3; ++d) {
    for (const int64_t size : {0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 15, 16, 17, 31, 32, 33, 63, 64, 65}) {
      outcomes.push_back({"dimension " + std::to_string(d) + " = " + std::to_string(size),
                          [=](const Case&, const NamedDims& dims) { return dims[d] == size; }, 10});
    }
    outcomes.push_back({"dimension " + std::to_string(d) + " above 65",
                        [=](const Case&, const NamedDims& dims) { return dims[d] > 65; }, 20});
  }
  outcomes.push_back(
      {"k of 512 or more", [](const Case&, const NamedDims& d) { return d[2] >= 512; }, 50});
  outcomes.push_back({"only k empty",
                      [](const Case&, const NamedDims& d) { return d[2] == 0 && d[0] * d[1] > 0; },
                      500});
  ExpectReached({OpId::kGemm}, outcomes);
}

std::vector<Outcome> LayoutsOfOperand(int i) {
  const std::string name = "operand " + std::to_string(i) + " ";
  std::vector<Outcome> outcomes;
  const auto add = [&](const std::string& what, int least, std::function<bool(const Tensor&)> is) {
    outcomes.push_back(
        {name + what, [=](const Case& c, const NamedDims&) { return is(c.operands[i]); }, least});
  };
  const auto matrix = [](const Tensor& t) { return t.shape[0] > 1 && t.shape[1] > 1; };
  add("row-major", 1000, IsRowMajor);
  add("column-major", 300,
      [=](const Tensor& t) { return matrix(t) && t.strides == Dims{1, t.shape[0]}; });
  add("padded rows", 300,
      [=](const Tensor& t) { return matrix(t) && t.strides[1] == 1 && t.strides[0] > t.shape[1]; });
  add("padded columns", 100,
      [=](const Tensor& t) { return matrix(t) && t.strides[0] == 1 && t.strides[1] > t.shape[0]; });
  add("spaced", 100,
      [=](const Tensor& t) { return matrix(t) && t.strides[1] > 1 && t.strides[0] > 1; });
  add("rows backwards", 50, [=](const Tensor& t) { return matrix(t) && t.strides[0] < 0; });
  add("columns backwards", 50, [=](const Tensor& t) { return matrix(t) && t.strides[1] < 0; });
  if (i < 2) {
    add("one row repeated", 20, [=](const Tensor& t) { return matrix(t) && t.strides[0] == 0; });
    add("one column repeated", 20, [=](const Tensor& t) { return matrix(t) && t.strides[1] == 0; });
    add("windows", 20, [=](const Tensor& t) { return matrix(t) && t.strides == Dims{1, 1}; });
  }
  for (const int64_t offset : {1, 2, 3, 4, 5, 6, 7, 997}) {
    add("offset " + std::to_string(offset), 10,
        [=](const Tensor& t) { return t.offset == offset; });
  }
  add("aligned to 64", 20, [](const Tensor& t) { return t.alignment == 64 && !t.misalignment; });
  add("one element off", 20, [](const Tensor& t) { return t.misalignment == SizeOf(t.dtype); });
  add("at the head", 500, [](const Tensor& t) { return t.placement == Placement::kHead; });
  return outcomes;
}

TEST(Reach, EveryOperandOfAGemmTakesEveryLayout) {
  for (int i = 0; i < 3; ++i) ExpectReached({OpId::kGemm}, LayoutsOfOperand(i));
}

// Where pixels have several channels and follow each other, in all operands at once.
TEST(Reach, ImagesLieWithTheirChannelsSideBySide) {
  const auto channels_last = [](const Case& value, const NamedDims&) {
    for (const Tensor& image : value.operands) {
      if (image.shape[1] < 2 || image.shape[3] < 2) return false;
      if (image.strides[1] != 1 || image.strides[3] != image.shape[1]) return false;
    }
    return true;
  };
  ExpectReached({OpId::kConv2d}, {{"convolution of NHWC", channels_last, 100}});
  ExpectReached({OpId::kMaxPool}, {{"pooling of NHWC", channels_last, 100}});
}

TEST(Reach, AttributesOfAGemmTakeEveryClass) {
  std::vector<Outcome> outcomes;
  for (const int which : {kGemmAlpha, kGemmBeta}) {
    const std::string name = which == kGemmAlpha ? "alpha " : "beta ";
    for (const double value : {0.0, -0.0, 1.0, -1.0, 2.0, 1.2, 0.5, 1e-30, 1e30,
                               std::numeric_limits<double>::infinity()}) {
      outcomes.push_back({name + std::to_string(value),
                          [=](const Case& c, const NamedDims&) {
                            const Attribute& given = c.attributes[which];
                            return given == Attribute{value, 0} ||
                                   given == Attribute{static_cast<float>(value), 0};
                          },
                          100});
    }
    outcomes.push_back(
        {name + "NaN",
         [=](const Case& c, const NamedDims&) { return std::isnan(c.attributes[which].real); },
         100});
  }
  for (int both = 0; both < 4; ++both) {
    outcomes.push_back({"transposes " + std::to_string(both),
                        [=](const Case& c, const NamedDims&) {
                          return c.attributes[kGemmTransA].choice == (both & 1) &&
                                 c.attributes[kGemmTransB].choice == both >> 1;
                        },
                        2000});
  }
  ExpectReached({OpId::kGemm}, outcomes);
}

TEST(Reach, EverySpecialValueGetsIntoEveryOperandOfAGemmAtHeadBodyAndTail) {
  std::vector<Outcome> outcomes;
  for (int i = 0; i < 3; ++i) {
    const auto add = [&](const std::string& what, std::function<bool(double, uint64_t)> is) {
      outcomes.push_back(
          {what + " in operand " + std::to_string(i),
           [=](const Case& c, const NamedDims&) { return HasElement(c.operands[i], is); }, 40});
    };
    add("NaN", [](double x, uint64_t) { return std::isnan(x); });
    add("NaN with payload", [](double x, uint64_t bits) { return std::isnan(x) && bits & 1; });
    add("Inf", [](double x, uint64_t) { return std::isinf(x) && x > 0; });
    add("-Inf", [](double x, uint64_t) { return std::isinf(x) && x < 0; });
    add("+0", [](double x, uint64_t) { return x == 0 && !std::signbit(x); });
    add("-0", [](double x, uint64_t) { return x == 0 && std::signbit(x); });
    for (const bool largest : {true, false}) {
      outcomes.push_back({(largest ? "largest in " : "smallest subnormal in ") + std::to_string(i),
                          [=](const Case& c, const NamedDims&) {
                            const FormatInfo& info = InfoOf(FormatOf(c.operands[i].dtype));
                            const double value = largest ? info.largest : info.smallest_subnormal;
                            return HasElement(c.operands[i],
                                              [=](double x, uint64_t) { return x == value; });
                          },
                          40});
    }
    const auto at = [&](const std::string& what, std::function<bool(int32_t, int64_t)> is) {
      outcomes.push_back({"NaN at the " + what + " of operand " + std::to_string(i),
                          [=](const Case& c, const NamedDims&) {
                            const Tensor& t = c.operands[i];
                            if (t.shape[1] < 9 || !HasNan(t)) return false;
                            for (const Override& each : t.overrides) {
                              const double x = Decode(t.dtype, each.bits);
                              if (std::isnan(x) && is(each.index[1], t.shape[1])) return true;
                            }
                            return false;
                          },
                          10});
    };
    at("head", [](int32_t j, int64_t) { return j == 0; });
    at("body", [](int32_t j, int64_t n) { return j > 0 && j < n - 1; });
    at("tail", [](int32_t j, int64_t n) { return j == n - 1; });
  }
  outcomes.push_back({"zero times infinity",
                      [](const Case& c, const NamedDims&) {
                        const auto is_zero = [](double x, uint64_t) { return x == 0; };
                        const auto is_inf = [](double x, uint64_t) { return std::isinf(x); };
                        return HasElement(c.operands[0], is_inf) &&
                               HasElement(c.operands[1], is_zero);
                      },
                      20});
  outcomes.push_back({"alpha 0 and NaN in a",
                      [](const Case& c, const NamedDims& d) {
                        return c.attributes[kGemmAlpha].real == 0 && d[0] * d[1] * d[2] > 0 &&
                               HasNan(c.operands[0]);
                      },
                      100});
  outcomes.push_back({"beta 0, empty sum and a destination",
                      [](const Case& c, const NamedDims& d) {
                        return c.attributes[kGemmBeta].real == 0 && d[2] == 0 && d[0] * d[1] > 0;
                      },
                      100});
  ExpectReached({OpId::kGemm}, outcomes);
}

// Shapes and scalars of known faults that need several things at once.
TEST(Reach, GemmMeetsTheCombinationsOfKnownFaults) {
  const auto dense = [](const Tensor& t) { return IsContiguous(t) && t.dtype == DType::kF32; };
  const auto all_dense = [=](const Case& c) {
    return dense(c.operands[0]) && dense(c.operands[1]) && dense(c.operands[2]);
  };
  ExpectReached({OpId::kGemm}, {{"small tail with an outer product and beta 1",
                                 [=](const Case& c, const NamedDims& d) {
                                   return all_dense(c) && d[0] <= 3 && d[1] <= 3 &&
                                          d[0] * d[1] > 1 && d[2] == 1 &&
                                          c.attributes[kGemmBeta].real == 1;
                                 },
                                 5},
                                {"dense f32, alpha 0 and NaN in a",
                                 [=](const Case& c, const NamedDims& d) {
                                   return all_dense(c) && c.attributes[kGemmAlpha].real == 0 &&
                                          d[1] * d[2] > 0 && HasNan(c.operands[0]);
                                 },
                                 10},
                                {"dense f32, k 0, beta 0 and something in c",
                                 [=](const Case& c, const NamedDims& d) {
                                   return all_dense(c) && d[2] == 0 && d[0] * d[1] > 0 &&
                                          c.attributes[kGemmBeta].real == 0 &&
                                          c.operands[2].fill.kind != FillKind::kZero;
                                 },
                                 20},
                                {"one column of a much wider matrix",
                                 [](const Case& c, const NamedDims& d) {
                                   return d[1] == 1 && d[2] > 1 && c.operands[1].strides[0] > 1;
                                 },
                                 100},
                                {"leftover row, long k with a tail",
                                 [](const Case&, const NamedDims& d) {
                                   return d[0] % 6 == 1 && d[1] > 8 && d[2] > 8 && d[2] % 8 != 0;
                                 },
                                 50}});
}

TEST(Reach, InputsTakeEveryFillAndProductsTheirPartners) {
  std::vector<Outcome> outcomes;
  for (int kind = 0; kind < kFillKindCount; ++kind) {
    const FillKind fill = static_cast<FillKind>(kind);
    if (fill == FillKind::kIndices || fill == FillKind::kPoison) continue;
    for (int i = 0; i < 2; ++i) {
      outcomes.push_back(
          {"fill " + std::to_string(kind) + " in operand " + std::to_string(i),
           [=](const Case& c, const NamedDims&) { return c.operands[i].fill.kind == fill; }, 50});
    }
  }
  const auto pair = [&](const std::string& name, FillKind one, FillKind other) {
    outcomes.push_back({name,
                        [=](const Case& c, const NamedDims&) {
                          const FillKind a = c.operands[0].fill.kind, b = c.operands[1].fill.kind;
                          return (a == one && b == other) || (a == other && b == one);
                        },
                        100});
  };
  pair("wide odd times powers of two", FillKind::kWideOdd, FillKind::kPowersOfTwo);
  pair("subnormal times powers of two", FillKind::kSubnormal, FillKind::kPowersOfTwo);
  pair("mantissa times one", FillKind::kMantissa, FillKind::kConstant);
  pair("sparse times normal", FillKind::kSparse, FillKind::kNormal);
  outcomes.push_back({"poison below beta",
                      [](const Case& c, const NamedDims&) {
                        return c.op == OpId::kGemm &&
                               c.operands[2].fill.kind == FillKind::kPoison &&
                               c.attributes[kGemmBeta].real == 0;
                      },
                      100});
  outcomes.push_back({"f16 beyond its range on the way",
                      [](const Case& c, const NamedDims&) {
                        return c.operands[0].dtype == DType::kF16 &&
                               c.operands[0].fill.kind == FillKind::kCancelling &&
                               c.operands[0].fill.lo >= 30000;
                      },
                      30});
  ExpectReached({OpId::kGemm, OpId::kDot}, outcomes);
}

TEST(Reach, GatherMeetsEveryEdgeOfItsIndices) {
  constexpr int64_t kTwo31 = int64_t{1} << 31;
  std::vector<Outcome> outcomes;
  const auto add = [&](const std::string& name, std::function<int64_t(int64_t)> index, int least) {
    outcomes.push_back({name,
                        [=](const Case& c, const NamedDims& dims) {
                          const Tensor& indices = c.operands[1];
                          if (indices.overrides.size() != 1 || dims[0] < 2) return false;
                          return DecodeInteger(indices.dtype, indices.overrides[0].bits) ==
                                 index(dims[0]);
                        },
                        least});
  };
  add("-1", [](int64_t) { return int64_t{-1}; }, 50);
  add("-n", [](int64_t n) { return -n; }, 50);
  add("-n-1", [](int64_t n) { return -n - 1; }, 50);
  add("n", [](int64_t n) { return n; }, 50);
  add("n+10", [](int64_t n) { return n + 10; }, 50);
  add("2^31-1", [](int64_t) { return kTwo31 - 1; }, 50);
  add("2^31", [](int64_t) { return kTwo31; }, 50);
  add("2^32+n/2", [](int64_t n) { return 2 * kTwo31 + n / 2; }, 20);
  add("smallest", [](int64_t) { return std::numeric_limits<int64_t>::min(); }, 50);
  outcomes.push_back({"all inside",
                      [](const Case& c, const NamedDims& d) {
                        const Tensor& indices = c.operands[1];
                        return indices.overrides.empty() && d[0] * d[1] * d[2] > 0 &&
                               indices.fill.lo >= 0 && indices.fill.hi < static_cast<double>(d[0]);
                      },
                      4000});
  outcomes.push_back(
      {"empty table", [](const Case&, const NamedDims& d) { return d[0] == 0; }, 50});
  outcomes.push_back(
      {"i32 indices",
       [](const Case& c, const NamedDims&) { return c.operands[1].dtype == DType::kI32; }, 4000});
  for (const DType type : InputTypesOf(OpId::kGather)) {
    outcomes.push_back(
        {"table type " + std::string(NameOf(type)),
         [=](const Case& c, const NamedDims&) { return c.operands[0].dtype == type; }, 500});
  }
  ExpectReached({OpId::kGather}, outcomes);
}

TEST(Reach, FunctionsMeetTheirDelicateInputs) {
  const auto subnormal = [](const Case& c, const NamedDims&) {
    return c.operands[0].fill.kind == FillKind::kSubnormal && c.operands[0].dtype == DType::kF32;
  };
  const auto range = [](double lo, double hi) {
    return [=](const Case& c, const NamedDims&) {
      const Fill& fill = c.operands[0].fill;
      return fill.kind == FillKind::kUniform && fill.lo == lo && fill.hi == hi;
    };
  };
  const auto nan = [](const Case& c, const NamedDims&) { return HasNan(c.operands[0]); };
  ExpectReached(
      {OpId::kLog},
      {{"subnormal log", subnormal, 100},
       {"around 1", range(0x1.ff8p-1, 0x1.004p+0), 100},
       {"long enough for a vector",
        [=](const Case& c, const NamedDims& d) { return d[0] >= 16 && subnormal(c, d); }, 20}});
  ExpectReached({OpId::kExp}, {{"NaN", nan, 200},
                               {"overflow", range(88, 89.5), 50},
                               {"underflow", range(-104.5, -86), 50}});
  ExpectReached(
      {OpId::kGelu},
      {{"tail", range(-10, -3), 200},
       {"tanh form",
        [](const Case& c, const NamedDims&) { return c.attributes[kGeluForm].choice == 1; },
        2000}});
  ExpectReached(
      {OpId::kSoftmax},
      {{"far rows",
        [](const Case& c, const NamedDims&) {
          const Fill& fill = c.operands[0].fill;
          return fill.kind == FillKind::kOffset && fill.lo >= 1000;
        },
        100},
       {"no columns", [](const Case&, const NamedDims& d) { return d[0] > 0 && d[1] == 0; }, 50}});
  ExpectReached({OpId::kSum},
                {{"nothing to sum", [](const Case&, const NamedDims& d) { return d[0] == 0; }, 50},
                 {"long", [](const Case&, const NamedDims& d) { return d[0] > 1000; }, 50}});
}

TEST(Reach, BoundariesOfTheContractsAndTheirNeighboursAreTried) {
  const std::vector<Atom> atoms = {
      {OpId::kGemm, "k", 40}, {OpId::kGemm, "alpha", 3}, {OpId::kDot, "n", 77}};
  std::vector<Outcome> outcomes;
  for (const int64_t k : {39, 40, 41}) {
    outcomes.push_back({"k = " + std::to_string(k),
                        [=](const Case&, const NamedDims& dims) { return dims[2] == k; }, 20});
  }
  for (const double alpha : {3.0, std::nextafter(3.0, 4), std::nextafter(3.0, 2)}) {
    outcomes.push_back(
        {"alpha near 3",
         [=](const Case& c, const NamedDims&) { return c.attributes[kGemmAlpha].real == alpha; },
         20});
  }
  ExpectReached({OpId::kGemm}, outcomes, atoms);
}

}  // namespace
}  // namespace assay
