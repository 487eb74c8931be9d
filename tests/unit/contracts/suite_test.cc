// SPDX-License-Identifier: Apache-2.0
//
// The suite as shipped: what it holds, what its profiles promise, how directories are loaded.
#include "contracts/suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/unit/contracts/scene.h"

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// A directory of its own under the test's temporary one, gone afterwards.
class Directory {
 public:
  explicit Directory(const std::string& name)
      : path_(std::filesystem::path(testing::TempDir()) / ("assay_suite_test_" + name)) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

Declared Promise(std::string_view profile, OpId op, DType type, std::string_view assume = "") {
  Result<Declared> declared = DeclaredBy(*BuiltinSuite(), profile, op, type, assume);
  EXPECT_TRUE(declared.ok()) << (declared.ok() ? "" : declared.error().Text());
  return declared.ok() ? declared.value() : Declared{};
}

TEST(BuiltinSuite, HoldsTheTwelveContracts) {
  std::vector<std::string> ids;
  for (const ContractInfo& info : ContractsOf(*BuiltinSuite())) ids.push_back(info.id);
  EXPECT_THAT(ids,
              ElementsAre("C-CMP-01", "C-CMP-02", "C-CMP-03", "C-EXC-01", "C-EXC-02", "C-ORD-01",
                          "C-ORD-02", "C-ORD-03", "C-PRC-01", "C-PRC-02", "C-PRC-03", "C-PRC-04"));
}

TEST(BuiltinSuite, IsTheTextOfTheFiles) {
  for (const auto& [path, text] : EmbeddedSources()) {
    EXPECT_EQ(text, ReadFile(std::string(path))) << path;
  }
}

TEST(BuiltinSuite, HasAProfileForEveryBackend) {
  const std::vector<std::string> profiles = ProfilesOf(*BuiltinSuite());
  for (const char* name : {"reference",
                           "planted",
                           "simt",
                           "openblas",
                           "blis",
                           "netlib",
                           "atlas",
                           "gsl",
                           "cblas",
                           "onednn",
                           "onednn_before_vnni",
                           "eigen",
                           "mpi",
                           "opencl",
                           "clblast",
                           "xnnpack",
                           "libm",
                           "libmvec",
                           "sleef",
                           "libtorch",
                           "libxsmm",
                           "assumed",
                           "ieee",
                           "blas"}) {
    EXPECT_THAT(profiles, Contains(name));
  }
}

TEST(BuiltinSuite, SpeaksOfEveryOperator) {
  for (int i = 0; i < kOpCount; ++i) {
    const auto op = static_cast<OpId>(i);
    const auto bound = Bind(BuiltinSuite(), op, DType::kF32, DType::kF32, Declared{});
    EXPECT_GE(bound->clauses.size(), 3u) << DefOf(op).name;
  }
}

TEST(Profile, TellsOneOperatorAndTypeFromAnother) {
  EXPECT_EQ(Promise("reference", OpId::kGemm, DType::kBf16).accumulator->format, Format::kF32);
  EXPECT_EQ(Promise("reference", OpId::kGemm, DType::kF64).accumulator->format, Format::kF64);
  EXPECT_EQ(Promise("reference", OpId::kSqrt, DType::kF32).ulp_limit, 0.5);
  EXPECT_EQ(Promise("reference", OpId::kErf, DType::kF32).ulp_limit, 1);
  EXPECT_EQ(Promise("reference", OpId::kErf, DType::kF64).ulp_limit, 2);
  EXPECT_EQ(Promise("reference", OpId::kGemm, DType::kF32).ulp_limit, std::nullopt);
  EXPECT_EQ(Promise("reference", OpId::kGather, DType::kI32).out_of_bounds, IndexPolicy::kRaise);
  EXPECT_EQ(Promise("reference", OpId::kGemm, DType::kF32).out_of_bounds, std::nullopt);
  EXPECT_EQ(Promise("reference", OpId::kGelu, DType::kF32).level, GeluLevel::kTail);
}

TEST(Profile, InheritsWhatItDoesNotSay) {
  EXPECT_EQ(Promise("onednn", OpId::kExp, DType::kF32).ulp_limit, 3);
  EXPECT_EQ(Promise("onednn", OpId::kInt8Gemm, DType::kI8).integer_overflow, std::nullopt);
  EXPECT_EQ(Promise("onednn_before_vnni", OpId::kInt8Gemm, DType::kI8).integer_overflow,
            IntegerOverflow::kSaturatePairs);
  EXPECT_EQ(Promise("onednn_before_vnni", OpId::kExp, DType::kF32).ulp_limit, 3);
  EXPECT_EQ(Promise("xnnpack", OpId::kSoftmax, DType::kF32).overread_bytes, 16);
  EXPECT_EQ(Promise("onednn", OpId::kExp, DType::kF32).subnormals, std::nullopt);
  EXPECT_EQ(Promise("onednn", OpId::kExp, DType::kF32, "ieee").subnormals,
            SubnormalPolicy::kPreserve);
  EXPECT_EQ(Promise("onednn", OpId::kSqrt, DType::kF32, "ieee").ulp_limit, 3)
      << "an assumption fills gaps and overrides nothing";
  EXPECT_EQ(Promise("cblas", OpId::kGemm, DType::kF32), Promise("blas", OpId::kGemm, DType::kF32));
}

TEST(Profile, NamesTheSourceOfEveryDeclaration) {
  const auto infos = DeclarationsOf(*BuiltinSuite(), "eigen", OpId::kLog, DType::kF32);
  ASSERT_TRUE(infos.ok());
  const auto limit = std::find_if(infos.value().begin(), infos.value().end(),
                                  [](const DeclarationInfo& i) { return i.key == "ulp_limit"; });
  ASSERT_NE(limit, infos.value().end());
  EXPECT_EQ(limit->profile, "assumed");
  EXPECT_THAT(limit->source, HasSubstr("OpenCL 3.0 full profile"));
}

TEST(Profile, ThatDoesNotExistIsAnErrorWithARemedy) {
  const auto missing = DeclaredBy(*BuiltinSuite(), "openblass", OpId::kGemm, DType::kF32);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().Text(),
            "openblass: no profile has this name (did you mean 'openblas'?)");
  EXPECT_FALSE(DeclaredBy(*BuiltinSuite(), "openblas", OpId::kGemm, DType::kF32, "iee").ok());
}

TEST(LoadSuite, ReadsACopyWithAScaledTolerance) {
  Directory contracts("contracts"), profiles("profiles");
  for (const auto& [path, text] : EmbeddedSources()) {
    const std::filesystem::path file(path);
    std::string copy(text);
    if (file.filename() == "C-PRC-01.kc") {
      const std::string formula = "gamma(rounds(), u(accumulator)) * abs_sum";
      const size_t at = copy.find(formula);
      ASSERT_NE(at, std::string::npos);
      copy.insert(at, "1000000 * ");
    }
    const bool profile = file.parent_path().filename() == "profiles";
    (profile ? profiles : contracts).Write(file.filename().string(), copy);
  }
  const auto suite = LoadSuite(contracts.path(), profiles.path());
  ASSERT_TRUE(suite.ok()) << suite.error().Text();
  Scene scene(OpId::kGemm, DType::kF32, {1, 1, 4});
  scene.SetSums(1, 4);
  const double plain = scene.Tolerance("C-PRC-01");
  scene.suite = suite.value();
  EXPECT_NEAR(scene.Tolerance("C-PRC-01") / plain, 1e6, 1);
}

TEST(LoadSuite, SaysWhichDirectoryIsNone) {
  const auto missing = LoadSuite("no/such/directory", "contracts/profiles");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().where, "no/such/directory");
  Directory empty("empty");
  EXPECT_THAT(LoadSuite(empty.path(), "contracts/profiles").error().Text(),
              HasSubstr("no .kc file"));
}

TEST(LoadSuite, JoinsTheDiagnosticsOfAllFiles) {
  Directory contracts("broken");
  contracts.Write("a.kc", "contract C-AAA-01\n");
  contracts.Write("b.kc", "profile b\n  nam propagate from \"x\"\n");
  const auto suite = LoadSuite(contracts.path(), "contracts/profiles");
  ASSERT_FALSE(suite.ok());
  EXPECT_THAT(suite.error().Text(), HasSubstr("a.kc:1:18: error: the title is missing"));
  EXPECT_THAT(suite.error().Text(), HasSubstr("b.kc:2:3: error: nothing is declared by 'nam'"));
}

TEST(Atoms, AreTheBoundariesOfPreconditions) {
  const std::vector<Atom> atoms = AtomsOf(*BuiltinSuite());
  const auto has = [&](OpId op, std::string_view name, double value) {
    return std::any_of(atoms.begin(), atoms.end(), [&](const Atom& atom) {
      return atom.op == op && atom.name == name && atom.value == value;
    });
  };
  EXPECT_TRUE(has(OpId::kGather, "outside_count", 1));
  EXPECT_TRUE(has(OpId::kGemm, "max_abs_a", InfoOf(Format::kF32).largest / 2));
  EXPECT_TRUE(has(OpId::kGemm, "max_abs_sum", InfoOf(Format::kF64).largest / 2));
  EXPECT_FALSE(has(OpId::kDot, "max_abs_a", InfoOf(Format::kF32).largest / 2));
}

}  // namespace
}  // namespace assay
