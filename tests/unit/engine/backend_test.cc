// SPDX-License-Identifier: Apache-2.0
//
// Every backend through its table on small integers, which every summation order gets exactly
// right, and on the layouts that an adapter can get wrong. A library that is not installed is a
// skip with the reason.
#include "engine/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <set>

#include "contracts/values.h"
#include "engine/backend_spec.h"
#include "engine/backends/cblas/cblas.h"
#include "engine/shared_object.h"
#include "tests/unit/engine/placed_call.h"

namespace assay {
namespace {

// Loaded libraries read it once, so it comes before all tests.
const bool pinned = (PinLibraryEnvironment(), true);

using testing::HasSubstr;

// Skips where the library, or a CPU that runs it, is missing.
#define OPEN_OR_SKIP(name, spec)                                         \
  Result<std::unique_ptr<Backend>> name##_result = OpenBackend(spec);    \
  if (!name##_result.ok()) GTEST_SKIP() << name##_result.error().Text(); \
  const Backend& name = *name##_result.value()

std::string ErrorOf(std::string_view spec) {
  const Result<std::unique_ptr<Backend>> opened = OpenBackend(spec);
  return opened.ok() ? "opened" : opened.error().Text();
}

TEST(BackendSpec, RoundTripsItsCanonicalForms) {
  for (const std::string text :
       {"reference", "planted:gemm_good", "eigen:avx2", "onednn#isa=avx2", "openblas#core=Haswell",
        "cblas:/usr/lib/libopenblas.so.0#core=SkylakeX", "./mine.so", "/a/b.so#x=1,y=2"}) {
    const Result<BackendSpec> spec = ParseBackendSpec(text);
    ASSERT_TRUE(spec.ok()) << text;
    EXPECT_EQ(spec.value().Text(), text);
  }
}

TEST(BackendSpec, TellsAPathFromANameWithAnArgument) {
  EXPECT_EQ(ParseBackendSpec("./mine.so").value().name, "plugin");
  EXPECT_EQ(ParseBackendSpec("mine.so").value().name, "plugin");
  EXPECT_EQ(ParseBackendSpec("cblas:/a/libx.so").value().name, "cblas");
  EXPECT_EQ(ParseBackendSpec("cblas:/a/libx.so").value().argument, "/a/libx.so");
}

TEST(BackendSpec, RefusesBrokenTextsAndSaysWhatIsWrong) {
  for (const char* text : {"", "#core=x", "OpenBLAS", "openblas#", "openblas#core",
                           "openblas#core=", "openblas#=x", "openblas#core=a,", "cblas:", "a b"}) {
    const Result<BackendSpec> spec = ParseBackendSpec(text);
    ASSERT_FALSE(spec.ok()) << text;
    EXPECT_FALSE(spec.error().remedy.empty()) << text;
  }
}

TEST(OpenBackend, NamesWhatThereIsWhenTheNameIsUnknown) {
  EXPECT_THAT(ErrorOf("openblass"), HasSubstr("openblas"));
  EXPECT_THAT(ErrorOf("openblass"), HasSubstr("there is no such backend"));
}

TEST(OpenBackend, RefusesWhatARowDoesNotTake) {
  EXPECT_THAT(ErrorOf("reference:fast"), HasSubstr("behind a colon"));
  EXPECT_THAT(ErrorOf("reference#core=x"), HasSubstr("no option \"core\""));
  EXPECT_THAT(ErrorOf("cblas"), HasSubstr("lacks what follows the colon"));
  EXPECT_THAT(ErrorOf("eigen:mmx"), HasSubstr("sse2, avx2 or avx512"));
  EXPECT_THAT(ErrorOf("planted:no_such_kernel"), HasSubstr("no_such_kernel"));
}

TEST(OpenBackend, RefusesAFileThatIsNoLibrary) {
  const std::string path = testing::TempDir() + "assay_no_library.so";
  std::ofstream(path) << "text";
  EXPECT_THAT(ErrorOf("cblas:" + path), HasSubstr("cannot be loaded"));
  EXPECT_THAT(ErrorOf("cblas:/no/such/file.so"), HasSubstr("cannot be loaded"));
  EXPECT_THAT(ErrorOf("cblas:libblas.so.3"), HasSubstr("is not a path"));
  EXPECT_THAT(ErrorOf(path), HasSubstr("cannot be loaded"));
}

TEST(OpenBackend, RefusesALibraryWithoutCblasOrPlugInSymbol) {
  const std::string path = FindLibrary({"libm.so.6"});
  if (path.empty()) GTEST_SKIP() << "no libm.so.6 in the known folders";
  EXPECT_THAT(ErrorOf("cblas:" + path), HasSubstr("exports no cblas_sgemm"));
  EXPECT_THAT(ErrorOf(path), HasSubstr("exports no assay_backend_open"));
}

TEST(OpenBackend, RefusesCoresThatAreNoneOrNotOfThisLibrary) {
  EXPECT_THAT(ErrorOf("openblas#core=Pentium"), HasSubstr("Haswell"));
  EXPECT_THAT(ErrorOf("blis#arch=power9"), HasSubstr("generic"));
  const std::string netlib = FindLibrary({"blas/libblas.so.3"});
  if (netlib.empty()) GTEST_SKIP() << "netlib BLAS is not installed";
  EXPECT_THAT(ErrorOf("cblas:" + netlib + "#core=Prescott"), HasSubstr("is not OpenBLAS"));
}

TEST(OpenBackend, PinsLibrariesToOneThread) {
  ASSERT_TRUE(pinned);
  EXPECT_STREQ(std::getenv("OMP_NUM_THREADS"), "1");
  EXPECT_STREQ(std::getenv("OPENBLAS_NUM_THREADS"), "1");
  EXPECT_STREQ(std::getenv("BLIS_NUM_THREADS"), "1");
}

TEST(OpenBackend, LoadsOneOpenBlasUnderSeveralCoresWhichReportThemselves) {
  OPEN_OR_SKIP(native, "openblas");
  EXPECT_EQ(native.family(), "openblas");
  EXPECT_THAT(native.pins(), testing::StartsWith("core="));
  std::vector<std::unique_ptr<Backend>> open;
  std::vector<std::string> wanted;
  for (const std::string_view core : OpenBlasCores()) {
    Result<std::unique_ptr<Backend>> opened = OpenBackend("openblas#core=" + std::string(core));
    if (!opened.ok()) {
      EXPECT_THAT(opened.error().what, HasSubstr("this CPU does not have"));
      continue;
    }
    open.push_back(std::move(opened).value());
    wanted.push_back("core=" + std::string(core));
  }
  ASSERT_GE(open.size(), 2u);
  for (size_t i = 0; i < open.size(); ++i) EXPECT_EQ(open[i]->pins(), wanted[i]);
}

TEST(OpenBackend, LoadsOneBlisUnderSeveralConfigurationsWhichReportThemselves) {
  OPEN_OR_SKIP(native, "blis");
  EXPECT_EQ(native.family(), "blis");
  OPEN_OR_SKIP(generic, "blis#arch=generic");
  EXPECT_EQ(generic.pins(), "arch=generic");
  OPEN_OR_SKIP(zen3, "blis#arch=zen3");
  EXPECT_EQ(zen3.pins(), "arch=zen3");
  OPEN_OR_SKIP(again, "blis");
  EXPECT_EQ(again.pins(), native.pins());
}

TEST(OpenBackend, CapsTheInstructionSetOfOneDnn) {
  OPEN_OR_SKIP(capped, "onednn#isa=sse41");
  EXPECT_EQ(capped.family(), "onednn");
  EXPECT_EQ(capped.pins(), "isa=sse41");
  EXPECT_THAT(ErrorOf("onednn#isa=mmx"), HasSubstr("avx2"));
}

TEST(DiscoverBackends, ListsTheReferenceFirstAndGivesAReasonForWhatIsMissing) {
  const std::vector<Discovered> found = DiscoverBackends();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].spec, "reference");
  std::set<std::string> specs;
  for (const Discovered& each : found) {
    EXPECT_TRUE(specs.insert(each.spec).second) << each.spec;
    EXPECT_EQ(each.backend == nullptr, !each.reason.empty()) << each.spec;
    EXPECT_NE(each.spec.substr(0, 7), "planted");
  }
}

class EveryBackend : public testing::TestWithParam<const char*> {};

// [[1,2],[3,4]] times [[5,6,7],[8,9,10]], by hand.
const std::vector<double> kA = {1, 2, 3, 4};
const std::vector<double> kB = {5, 6, 7, 8, 9, 10};
const std::vector<double> kC = {1, 1, 1, 2, 2, 2};
const std::vector<double> kProduct = {21, 24, 27, 47, 54, 61};

struct GemmLayout {
  const char* name;
  int trans_a, trans_b;
  Dims a, b, c;  // strides of the stored operands
};
// a is 2x2, b is 2x3 (stored 3x2 when transposed), c is 2x3.
const GemmLayout kLayouts[] = {
    {"row-major", 0, 0, {2, 1}, {3, 1}, {3, 1}},
    {"column-major", 0, 0, {1, 2}, {1, 2}, {1, 2}},
    {"row-major with leading dimensions", 0, 0, {5, 1}, {7, 1}, {4, 1}},
    {"column-major with leading dimensions", 0, 0, {1, 3}, {1, 5}, {1, 4}},
    {"a transposed", 1, 0, {2, 1}, {3, 1}, {3, 1}},
    {"b transposed", 0, 1, {2, 1}, {2, 1}, {3, 1}},
    {"both transposed, column-major", 1, 1, {1, 3}, {1, 3}, {1, 2}},
    {"mixed orders", 0, 0, {1, 4}, {3, 1}, {1, 2}},
    {"mixed orders, transposed", 1, 1, {4, 1}, {1, 5}, {3, 1}},
};

// The same matrix stored transposed: shape and values, strides untouched.
std::vector<double> Transposed(const std::vector<double>& values, int rows, int columns) {
  std::vector<double> turned;
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) turned.push_back(values[static_cast<size_t>(i * columns + j)]);
  }
  return turned;
}

void ExpectGemm(const Backend& backend, DType type, const GemmLayout& layout, double alpha,
                double beta) {
  PlacedCall call(OpId::kGemm, type, {2, 3, 2});
  call.Attribute(kGemmAlpha, alpha).Attribute(kGemmBeta, beta);
  call.Choice(kGemmTransA, layout.trans_a).Choice(kGemmTransB, layout.trans_b);
  call.Layout(0, {2, 2}, layout.a);
  call.Layout(1, layout.trans_b != 0 ? Dims{3, 2} : Dims{2, 3}, layout.b);
  call.Layout(2, {2, 3}, layout.c);
  if (!call.Supports(backend.table())) return;
  // BLIS reads beside c, which has a test of its own below.
  if (backend.family() == "blis") call.SetSlack(64);
  call.Place(0, layout.trans_a != 0 ? Transposed(kA, 2, 2) : kA);
  call.Place(1, layout.trans_b != 0 ? Transposed(kB, 2, 3) : kB);
  call.Place(2, kC);
  ASSERT_EQ(call.Run(backend.table()), ASSAY_OK);
  std::vector<double> expected;
  for (size_t i = 0; i < 6; ++i) expected.push_back(alpha * kProduct[i] + beta * kC[i]);
  EXPECT_EQ(call.Output(), expected) << layout.name << ", " << NameOf(type) << ", beta " << beta;
  EXPECT_FALSE(call.arena().CheckCanaries(2).has_value()) << layout.name;
  EXPECT_TRUE(call.arena().Unchanged(0) && call.arena().Unchanged(1)) << layout.name;
  EXPECT_EQ(call.result().environment, 0);
}

TEST_P(EveryBackend, MultipliesExactlyInEveryLayoutItTakes) {
  OPEN_OR_SKIP(backend, GetParam());
  for (const DType type : {DType::kF32, DType::kF64, DType::kF16, DType::kBf16}) {
    for (const GemmLayout& layout : kLayouts) {
      ExpectGemm(backend, type, layout, 1, 0);
      ExpectGemm(backend, type, layout, 2, 0);
    }
  }
}

TEST_P(EveryBackend, TakesPlainGemmsOfF32) {
  OPEN_OR_SKIP(backend, GetParam());
  for (const GemmLayout& layout : kLayouts) {
    PlacedCall call(OpId::kGemm, DType::kF32, {2, 3, 2});
    call.Choice(kGemmTransA, layout.trans_a).Choice(kGemmTransB, layout.trans_b);
    call.Layout(0, {2, 2}, layout.a);
    call.Layout(1, layout.trans_b != 0 ? Dims{3, 2} : Dims{2, 3}, layout.b);
    call.Layout(2, {2, 3}, layout.c);
    std::string reason;
    const bool supported = call.Supports(backend.table(), &reason);
    // libxsmm 1.17 transposes one of the factors at most.
    if (backend.family() == "libxsmm" && reason.find("writes no kernel") != reason.npos) continue;
    EXPECT_TRUE(supported) << layout.name << ": " << reason;
  }
}

TEST_P(EveryBackend, AddsBetaTimesTheOldContent) {
  OPEN_OR_SKIP(backend, GetParam());
  for (const GemmLayout& layout : kLayouts) {
    ExpectGemm(backend, DType::kF32, layout, 2, 3);
    ExpectGemm(backend, DType::kF64, layout, 1, 1);
  }
}

TEST_P(EveryBackend, RefusesAMatrixWithoutAUnitStrideOrDoesItRight) {
  OPEN_OR_SKIP(backend, GetParam());
  const GemmLayout spread = {"no unit stride", 0, 0, {6, 2}, {9, 3}, {8, 2}};
  ExpectGemm(backend, DType::kF32, spread, 1, 0);
  const GemmLayout reversed = {"negative stride", 0, 0, {-2, 1}, {3, 1}, {3, 1}};
  ExpectGemm(backend, DType::kF32, reversed, 1, 0);
}

// (1,2,3) . (4,5,6) = 32; with one vector taken in the wrong order it would be 28.
TEST_P(EveryBackend, PairsVectorsInLogicalOrderWhateverTheirStrides) {
  OPEN_OR_SKIP(backend, GetParam());
  for (const DType type : {DType::kF32, DType::kF64}) {
    for (const int64_t x_stride : {1, 2, -1, -3}) {
      for (const int64_t y_stride : {1, -2}) {
        PlacedCall call(OpId::kDot, type, {3});
        call.Layout(0, {3}, {x_stride}).Layout(1, {3}, {y_stride});
        if (!call.Supports(backend.table())) continue;
        call.Place(0, {1, 2, 3}).Place(1, {4, 5, 6}).Place(2, {-1});
        ASSERT_EQ(call.Run(backend.table()), ASSAY_OK);
        EXPECT_EQ(call.Output(), std::vector<double>{32}) << x_stride << " " << y_stride;
        EXPECT_FALSE(call.result().guard.has_value());
      }
    }
  }
}

TEST_P(EveryBackend, SumsAndWritesTheOutputOnly) {
  OPEN_OR_SKIP(backend, GetParam());
  for (const DType type : {DType::kF32, DType::kF64}) {
    for (const int64_t stride : {1, 2}) {
      PlacedCall call(OpId::kSum, type, {5});
      call.Layout(0, {5}, {stride});
      if (!call.Supports(backend.table())) continue;
      call.Place(0, {1, 2, 4, 8, 16}).Place(1, {-1});
      ASSERT_EQ(call.Run(backend.table()), ASSAY_OK);
      EXPECT_EQ(call.Output(), std::vector<double>{31});
      EXPECT_FALSE(call.arena().CheckCanaries(1).has_value());
    }
  }
}

// sqrt is correctly rounded everywhere but in Eigen, which multiplies by a refined reciprocal root.
TEST_P(EveryBackend, TakesSquareRootsOfSquares) {
  OPEN_OR_SKIP(backend, GetParam());
  for (const DType type : {DType::kF32, DType::kF64, DType::kF16, DType::kBf16}) {
    PlacedCall call(OpId::kSqrt, type, {9});
    if (!call.Supports(backend.table())) continue;
    call.Place(0, {0, 1, 4, 9, 16, 25, 36, 49, 64}).Place(1, std::vector<double>(9, -1));
    ASSERT_EQ(call.Run(backend.table()), ASSAY_OK);
    const std::vector<double> out = call.Output();
    const uint64_t allowed = backend.family() == "eigen" ? 1 : 0;
    for (int i = 0; i < 9; ++i) {
      EXPECT_LE(UlpDistance(type, Encode(type, out[static_cast<size_t>(i)]), Encode(type, i)),
                allowed)
          << NameOf(type) << " of " << i * i;
    }
  }
}

// Four equal values share the probability: exactly 1/4 each, whatever the exponential of 0 is
// scaled by.
TEST_P(EveryBackend, SharesProbabilityAmongEquals) {
  OPEN_OR_SKIP(backend, GetParam());
  for (const DType type : {DType::kF32, DType::kF64, DType::kF16, DType::kBf16}) {
    PlacedCall call(OpId::kSoftmax, type, {2, 4});
    call.Layout(0, {2, 4}, {6, 1}).Layout(1, {2, 4}, {6, 1});
    if (!call.Supports(backend.table())) continue;
    call.Place(0, {3, 3, 3, 3, -7, -7, -7, -7}).Place(1, std::vector<double>(8, -1));
    ASSERT_EQ(call.Run(backend.table()), ASSAY_OK);
    EXPECT_EQ(call.Output(), std::vector<double>(8, 0.25)) << NameOf(type);
    EXPECT_FALSE(call.arena().CheckCanaries(1).has_value());
  }
}

// Small numbers drawn by a fixed seed, so that a failure comes back.
class Draw {
 public:
  explicit Draw(uint64_t seed) : state_(seed) {}
  int64_t operator()(int64_t lowest, int64_t highest) {
    return lowest +
           static_cast<int64_t>(Mix(++state_) % static_cast<uint64_t>(highest - lowest + 1));
  }

 private:
  uint64_t state_;
};

Dims DrawStrides(Draw& draw, const Dims& shape) {
  const int64_t pad = draw(0, 3);
  return draw(0, 1) == 0 ? Dims{shape[1] + pad, 1} : Dims{1, shape[0] + pad};
}

// Every product of small integers is exact whatever the order, so plain loops tell the only answer.
// Sizes reach over the tiles and tails of 16 lanes; scalars are powers of two, which ATLAS divides
// by.
TEST_P(EveryBackend, AgreesWithPlainLoopsOnIntegersOfAnyLayout) {
  OPEN_OR_SKIP(backend, GetParam());
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Draw draw(seed * 1000);
    const int64_t m = draw(1, 20), n = draw(1, 20), k = draw(1, 20);
    const int trans_a = static_cast<int>(draw(0, 1)), trans_b = static_cast<int>(draw(0, 1));
    const auto alpha = static_cast<double>(draw(1, 2)), beta = static_cast<double>(draw(0, 2));
    PlacedCall call(OpId::kGemm, draw(0, 1) == 0 ? DType::kF32 : DType::kF64, {m, n, k});
    call.Attribute(kGemmAlpha, alpha).Attribute(kGemmBeta, beta);
    call.Choice(kGemmTransA, trans_a).Choice(kGemmTransB, trans_b);
    const Dims shapes[] = {
        trans_a != 0 ? Dims{k, m} : Dims{m, k}, trans_b != 0 ? Dims{n, k} : Dims{k, n}, {m, n}};
    std::vector<double> values[3];
    for (int i = 0; i < 3; ++i) {
      call.Layout(i, shapes[i], DrawStrides(draw, shapes[i]));
      call.operand(i).offset = draw(0, 2);
      call.operand(i).placement = draw(0, 1) == 0 ? Placement::kTail : Placement::kHead;
      for (int64_t j = 0; j < ElementCount(shapes[i]); ++j) {
        values[i].push_back(static_cast<double>(draw(-4, 4)));
      }
    }
    if (!call.Supports(backend.table())) continue;
    if (backend.family() == "blis") call.SetSlack(64);
    for (int i = 0; i < 3; ++i) call.Place(i, values[i]);
    ASSERT_EQ(call.Run(backend.table()), ASSAY_OK);
    ASSERT_FALSE(call.result().guard.has_value()) << "seed " << seed;
    const std::vector<double> out = call.Output();
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p) {
          sum += values[0][static_cast<size_t>(trans_a != 0 ? p * m + i : i * k + p)] *
                 values[1][static_cast<size_t>(trans_b != 0 ? j * k + p : p * n + j)];
        }
        const auto at = static_cast<size_t>(i * n + j);
        ASSERT_EQ(out[at], alpha * sum + beta * values[2][at]) << "seed " << seed;
      }
    }
    for (int i = 0; i < 3; ++i) ASSERT_FALSE(call.arena().CheckCanaries(i).has_value()) << seed;
    ASSERT_TRUE(call.arena().Unchanged(0) && call.arena().Unchanged(1)) << "seed " << seed;
  }
}

std::string TestName(const testing::TestParamInfo<const char*>& info) {
  std::string name;
  for (const char c : std::string(info.param)) name += std::isalnum(c) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Installed, EveryBackend,
    testing::Values("reference", "simt", "eigen:sse2", "eigen:avx2", "eigen:avx512", "onednn",
                    "onednn#isa=avx2", "onednn_sgemm", "libtorch", "libxsmm", "libxsmm#arch=snb",
                    "openblas", "openblas#core=SkylakeX", "openblas#core=Haswell",
                    "openblas#core=Sandybridge", "openblas#core=Nehalem", "blis", "blis#arch=skx",
                    "blis#arch=zen3", "blis#arch=generic", "netlib", "atlas", "gsl"),
    TestName);

// Known fault of BLIS 0.9.0: the small-matrix kernel loads a full vector from a row of two floats.
TEST(BlisReadsBehindC, WithTwoByTwoAndBetaOne) {
  OPEN_OR_SKIP(blis, "blis#arch=zen3");
  if (blis.version() != "0.9.0") GTEST_SKIP() << "BLIS " << blis.version() << ", not 0.9.0";
  PlacedCall call(OpId::kGemm, DType::kF32, {2, 2, 1});
  call.Attribute(kGemmBeta, 1);
  call.Place(0, {1, 1}).Place(1, {1, 1}).Place(2, {0, 0, 0, 0});
  call.Run(blis.table());
  ASSERT_TRUE(call.result().guard.has_value());
  EXPECT_EQ(call.result().guard->operand, 2);
  EXPECT_EQ(call.result().guard->side, Side::kAfter);
  EXPECT_EQ(call.result().guard->distance_bytes, 1);
  EXPECT_EQ(call.result().guard->access, Access::kRead);
}

}  // namespace
}  // namespace assay
