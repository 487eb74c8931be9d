// SPDX-License-Identifier: Apache-2.0
//
// The language as its users meet it: what broken files are told, word for word (broken/*.kc with
// the expected text beside each), and that no text at all can harm the parser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "contracts/suite.h"

namespace assay {
namespace {

using testing::HasSubstr;

constexpr char kBroken[] = "tests/unit/contracts/broken";

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string TextOf(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += diagnostic.Text() + "\n";
  return text;
}

std::vector<std::string> BrokenFiles() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(kBroken)) {
    if (entry.path().extension() == ".kc") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(Diagnostics, AreAsExpectedForEveryBrokenFile) {
  const std::vector<std::string> paths = BrokenFiles();
  EXPECT_GE(paths.size(), 40u);
  for (const std::string& path : paths) {
    const std::string expected = ReadFile(std::filesystem::path(path).replace_extension(".txt"));
    EXPECT_FALSE(expected.empty()) << path;
    EXPECT_EQ(TextOf(CheckFiles(std::span(&path, 1))), expected) << path;
  }
}

TEST(Diagnostics, AreNoneForTheShippedFiles) {
  std::vector<std::string> paths;
  for (const auto& [path, text] : EmbeddedSources()) paths.emplace_back(path);
  EXPECT_EQ(TextOf(CheckFiles(paths)), "");
}

TEST(Diagnostics, SayThatAFileCannotBeRead) {
  const std::string path = "no/such/file.kc";
  EXPECT_THAT(TextOf(CheckFiles(std::span(&path, 1))),
              HasSubstr("no/such/file.kc:1:1: error: cannot be read"));
}

TEST(Diagnostics, AreBoundedInNumber) {
  std::string garbage;
  for (int i = 0; i < 5000; ++i) garbage += "contract contract @@ (((\n";
  std::vector<Diagnostic> diagnostics;
  const SourceText source{"garbage.kc", garbage};
  AssembleSuite(std::span(&source, 1), nullptr, diagnostics);
  EXPECT_GE(diagnostics.size(), 1u);
  EXPECT_LE(diagnostics.size(), static_cast<size_t>(kMaxDiagnostics) + 10);
}

// Whatever text may parse can also be bound and never trips a check of ours.
void UseIfGood(const SourceText& source) {
  std::vector<Diagnostic> diagnostics;
  auto suite =
      std::make_shared<const Suite>(AssembleSuite(std::span(&source, 1), nullptr, diagnostics));
  for (const Diagnostic& diagnostic : diagnostics) {
    RC_ASSERT(diagnostic.at.line >= 1 && diagnostic.at.column >= 1);
    RC_ASSERT(!diagnostic.Text().empty());
  }
  if (!diagnostics.empty()) return;
  AtomsOf(*suite);
  for (int op = 0; op < kOpCount; ++op) {
    Bind(suite, static_cast<OpId>(op), DType::kF16, DType::kF32, Declared{});
  }
}

std::string AllText() {
  std::string all;
  for (const auto& [path, text] : EmbeddedSources()) all += std::string(text);
  return all;
}

TEST(Parser, IsTotalOnDamagedSuites) {
  const std::string original = AllText();
  std::vector<std::string> words;
  for (size_t i = 0; i < original.size();) {
    const size_t end = std::min(original.find_first_of(" \n(,)", i) + 1, original.size());
    words.push_back(original.substr(i, std::max<size_t>(end, i + 1) - i));
    i = std::max<size_t>(end, i + 1);
  }
  rc::check("damage by words and bytes", [&] {
    const size_t begin = *rc::gen::inRange<size_t>(0, words.size());
    const size_t length = *rc::gen::inRange<size_t>(1, 400);
    std::vector<std::string> piece(
        words.begin() + static_cast<ptrdiff_t>(begin),
        words.begin() + static_cast<ptrdiff_t>(std::min(begin + length, words.size())));
    const int edits = *rc::gen::inRange(0, 8);
    for (int i = 0; i < edits; ++i) {
      const size_t at = *rc::gen::inRange<size_t>(0, piece.size());
      switch (*rc::gen::inRange(0, 4)) {
        case 0:
          piece.erase(piece.begin() + static_cast<ptrdiff_t>(at));
          break;
        case 1:
          piece[at] = words[*rc::gen::inRange<size_t>(0, words.size())];
          break;
        case 2:
          piece.insert(piece.begin() + static_cast<ptrdiff_t>(at), piece[at]);
          break;
        default:
          piece[at] += static_cast<char>(*rc::gen::inRange(0, 256));
      }
      if (piece.empty()) piece.emplace_back();
    }
    SourceText source{"damaged.kc", ""};
    for (const std::string& word : piece) source.text += word;
    UseIfGood(source);
  });
}

TEST(Parser, IsTotalOnOneDamagedWordOfAWholeContract) {
  const auto sources = EmbeddedSources();
  rc::check("one change", [&] {
    const auto& [path, text] = sources[*rc::gen::inRange<size_t>(0, sources.size())];
    SourceText source{std::string(path), std::string(text)};
    const size_t at = *rc::gen::inRange<size_t>(0, source.text.size());
    const size_t cut = *rc::gen::inRange<size_t>(0, 12);
    const size_t from = *rc::gen::inRange<size_t>(0, source.text.size());
    source.text.replace(at, cut, source.text.substr(from, *rc::gen::inRange<size_t>(0, 12)));
    UseIfGood(source);
  });
}

TEST(Parser, IsTotalOnBytes) {
  rc::check("any bytes", [](const std::string& text) { UseIfGood({"bytes.kc", text}); });
}

TEST(Parser, SurvivesNestingOfEveryKind) {
  const std::string head = "contract C-TST-01 \"t\"\n  precondition ";
  for (const char* nest : {"(", "|", "-", "not ", "abs(", "max(1, ", "1 + (", "a in {", "2 ^ ("}) {
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += nest;
    UseIfGood({"deep.kc", head + deep + "\n"});
  }
}

}  // namespace
}  // namespace assay
