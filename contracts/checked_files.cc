// SPDX-License-Identifier: Apache-2.0
#include "contracts/checked_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "contracts/language/check.h"
#include "contracts/suite.h"

namespace assay {
namespace {

class Places {
 public:
  Places(const std::vector<SourceText>& sources, CheckedFiles& checked)
      : sources_(sources), checked_(checked) {}

  void Add(const ContractAst& contract) {
    for (const ClauseAst& clause : contract.clauses) {
      ClausePlace place{contract.id.text, clause.name.text, {}, At(contract, clause.name.at)};
      for (const Word& word : contract.operators) {
        const std::optional<OpId> op = ParseOp(word.text);
        if (op && Selects(clause.selector, word.text)) place.operators.push_back(*op);
      }
      checked_.clauses.push_back(std::move(place));
    }
    for (const Word& probe : contract.probes) {
      checked_.probes.push_back({contract.id.text, probe.text, At(contract, probe.at)});
    }
  }

 private:
  Diagnostic At(const ContractAst& contract, Span at) const {
    for (const SourceText& source : sources_) {
      if (source.path != contract.file) continue;
      DiagnosticSink sink(source.path, source.text);
      sink.Report(at, "");
      return sink.found().front();
    }
    return {};
  }

  const std::vector<SourceText>& sources_;
  CheckedFiles& checked_;
};

// The files' contracts and profiles, and of the built-in ones those that they do not define anew.
std::shared_ptr<const Suite> WithBuiltins(Suite suite) {
  const std::shared_ptr<const Suite> builtin = BuiltinSuite();
  for (const ContractAst& contract : builtin->contracts) {
    if (suite.FindContract(contract.id.text) == nullptr) suite.contracts.push_back(contract);
  }
  for (const ProfileAst& profile : builtin->profiles) {
    if (suite.FindProfile(profile.name.text) == nullptr) suite.profiles.push_back(profile);
  }
  return std::make_shared<const Suite>(std::move(suite));
}

}  // namespace

Result<std::string> ReadSourceText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Error{path, "cannot be read: it is a directory", "name a contract or profile file"};
  }
  if (!in) {
    return Error{path, "cannot be read", "name a contract or profile file"};
  }
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) return Error{path, "cannot be read to its end", ""};
  return text;
}

CheckedFiles ReadAndCheck(std::span<const std::string> paths) {
  std::vector<SourceText> sources;
  CheckedFiles checked;
  for (const std::string& path : paths) {
    Result<std::string> text = ReadSourceText(path);
    if (text.ok()) {
      sources.push_back({path, std::move(text).value()});
    } else {
      checked.diagnostics.push_back(
          {path, {1, 1, 1}, text.error().what, text.error().remedy, "", "", false});
    }
  }
  const bool all_read = checked.diagnostics.empty();
  Suite suite = AssembleSuite(sources, BuiltinSuite().get(), checked.diagnostics, all_read);
  checked.good = std::all_of(checked.diagnostics.begin(), checked.diagnostics.end(),
                             [](const Diagnostic& diagnostic) { return diagnostic.warning; });
  if (!checked.good) return checked;
  Places places(sources, checked);
  for (const ContractAst& contract : suite.contracts) places.Add(contract);
  checked.suite = WithBuiltins(std::move(suite));
  return checked;
}

std::vector<Diagnostic> CheckFiles(std::span<const std::string> paths) {
  return ReadAndCheck(paths).diagnostics;
}

}  // namespace assay
