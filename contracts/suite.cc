// SPDX-License-Identifier: Apache-2.0
//
// Loading suites: from directories, from the program itself, and for `assay check` from single
// files.
#include "contracts/suite.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "contracts/invariant.h"
#include "contracts/language/check.h"
#include "contracts/language/cursor.h"
#include "contracts/language/names.h"
#include "contracts/warnings.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// What the checks of one file need from all of them.
struct ParsedFile {
  DiagnosticSink sink;
  SourceFile source;
};

template <class Declaration, class NameOfDeclaration>
void RefuseDuplicates(std::vector<ParsedFile>& files, std::vector<Declaration> SourceFile::* list,
                      NameOfDeclaration name_of, const char* kind) {
  std::vector<std::pair<const Word*, const std::string*>> seen;
  for (ParsedFile& file : files) {
    for (const Declaration& declaration : file.source.*list) {
      const Word& name = name_of(declaration);
      if (name.text.empty()) continue;
      const auto first = std::find_if(seen.begin(), seen.end(), [&](const auto& other) {
        return other.first->text == name.text;
      });
      if (first != seen.end()) {
        file.sink.Report(name.at, std::string("a second ") + kind + " '" + name.text + "'",
                         "a name of its own; the first is in " + *first->second + ":" +
                             std::to_string(first->first->at.line));
      }
      seen.emplace_back(&name, &file.source.path);
    }
  }
}

// Names of all contracts or profiles that can be referred to.
std::vector<std::string_view> Known(const Suite& suite, const Suite* beside, bool contracts) {
  std::vector<std::string_view> names;
  for (const Suite* each : {&suite, beside}) {
    if (each == nullptr) continue;
    if (contracts) {
      for (const ContractAst& contract : each->contracts) names.push_back(contract.id.text);
    } else {
      for (const ProfileAst& profile : each->profiles) names.push_back(profile.name.text);
    }
  }
  return names;
}

void CheckReference(const Word& word, std::span<const std::string_view> known, const char* kind,
                    DiagnosticSink& sink) {
  if (word.text.empty() || Contains(known, word.text)) return;
  sink.Report(word.at, std::string("unknown ") + kind + " '" + word.text + "'",
              std::string("a ") + kind + " of these files or of the built-in suite",
              NearestName(word.text, known));
}

void CheckReferences(const Suite& suite, const Suite* beside, std::vector<ParsedFile>& files) {
  const std::vector<std::string_view> contracts = Known(suite, beside, true);
  const std::vector<std::string_view> profiles = Known(suite, beside, false);
  for (ParsedFile& file : files) {
    for (const ContractAst& contract : file.source.contracts) {
      for (const Word& id : contract.tolerance_as) {
        CheckReference(id, contracts, "contract", file.sink);
      }
    }
    for (const ProfileAst& profile : file.source.profiles) {
      for (const DeclarationAst& declaration : profile.declarations) {
        if (declaration.key != DeclarationKey::kInherits) continue;
        CheckReference(declaration.label, profiles, "profile", file.sink);
      }
    }
  }
}

// By place; complaints about one place in the order they were found.
void AppendInOrder(const std::vector<Diagnostic>& found, std::vector<Diagnostic>& all) {
  std::vector<size_t> order(found.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tuple(found[a].at.line, found[a].at.column, a) <
           std::tuple(found[b].at.line, found[b].at.column, b);
  });
  for (size_t i : order) all.push_back(found[i]);
}

std::string Joined(std::span<const Diagnostic> diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!text.empty()) text += '\n';
    text += diagnostic.Text();
  }
  return text;
}

Result<std::vector<SourceText>> ReadDirectory(const std::string& directory) {
  std::error_code error;
  std::vector<std::string> paths;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".kc") paths.push_back(it->path().string());
  }
  if (error) return Error{directory, "cannot be listed: " + error.message(), "name a directory"};
  if (paths.empty()) return Error{directory, "holds no .kc file", "name a directory that does"};
  std::sort(paths.begin(), paths.end());
  std::vector<SourceText> sources;
  for (const std::string& path : paths) {
    Result<std::string> text = ReadSourceText(path);
    if (!text.ok()) return std::move(text).error();
    sources.push_back({path, std::move(text).value()});
  }
  return sources;
}

}  // namespace

const ContractAst* Suite::FindContract(std::string_view id) const {
  const auto found = std::find_if(contracts.begin(), contracts.end(),
                                  [&](const ContractAst& c) { return c.id.text == id; });
  return found == contracts.end() ? nullptr : &*found;
}

const ProfileAst* Suite::FindProfile(std::string_view name) const {
  const auto found = std::find_if(profiles.begin(), profiles.end(),
                                  [&](const ProfileAst& p) { return p.name.text == name; });
  return found == profiles.end() ? nullptr : &*found;
}

Suite AssembleSuite(std::span<const SourceText> sources, const Suite* beside,
                    std::vector<Diagnostic>& diagnostics, bool warn) {
  std::vector<ParsedFile> files;
  Suite suite;
  for (const SourceText& source : sources) {
    DiagnosticSink sink(source.path, source.text);
    SourceFile parsed = ParseSource(source.path, source.text, sink);
    for (ContractAst& contract : parsed.contracts) CheckContract(contract, sink);
    suite.contracts.insert(suite.contracts.end(), parsed.contracts.begin(), parsed.contracts.end());
    suite.profiles.insert(suite.profiles.end(), parsed.profiles.begin(), parsed.profiles.end());
    files.push_back({std::move(sink), std::move(parsed)});
  }
  RefuseDuplicates(
      files, &SourceFile::contracts, [](const ContractAst& c) -> const Word& { return c.id; },
      "contract");
  RefuseDuplicates(
      files, &SourceFile::profiles, [](const ProfileAst& p) -> const Word& { return p.name; },
      "profile");
  CheckReferences(suite, beside, files);
  const bool good = std::all_of(files.begin(), files.end(),
                                [](const ParsedFile& file) { return file.sink.found().empty(); });
  for (ParsedFile& file : files) {
    if (warn && good) WarnOfUnused(suite, beside, file.source, file.sink);
  }
  for (const ParsedFile& file : files) {
    AppendInOrder(file.sink.found(), diagnostics);
  }
  return suite;
}

Result<std::shared_ptr<const Suite>> LoadSuite(const std::string& contracts_dir,
                                               const std::string& profiles_dir) {
  std::vector<SourceText> sources;
  for (const std::string& directory : {contracts_dir, profiles_dir}) {
    if (directory.empty()) continue;
    Result<std::vector<SourceText>> read = ReadDirectory(directory);
    if (!read.ok()) return std::move(read).error();
    for (SourceText& source : read.value()) sources.push_back(std::move(source));
  }
  for (const auto& [path, text] : EmbeddedSources()) {
    const bool profile = path.find("profiles/") != path.npos;
    if (profile && profiles_dir.empty()) sources.push_back({std::string(path), std::string(text)});
  }
  std::vector<Diagnostic> diagnostics;
  Suite suite = AssembleSuite(sources, nullptr, diagnostics);
  if (!diagnostics.empty()) {
    return Error{"", Joined(diagnostics), ""};
  }
  return std::make_shared<const Suite>(std::move(suite));
}

std::shared_ptr<const Suite> BuiltinSuite() {
  static const std::shared_ptr<const Suite> suite = [] {
    std::vector<SourceText> sources;
    for (const auto& [path, text] : EmbeddedSources()) {
      sources.push_back({std::string(path), std::string(text)});
    }
    std::vector<Diagnostic> diagnostics;
    auto built = std::make_shared<const Suite>(AssembleSuite(sources, nullptr, diagnostics));
    const std::string text = Joined(diagnostics);
    ASSAY_CHECK(diagnostics.empty(), text.c_str());
    return built;
  }();
  return suite;
}

std::vector<ContractInfo> ContractsOf(const Suite& suite) {
  std::vector<ContractInfo> infos;
  for (const ContractAst& contract : suite.contracts) {
    ContractInfo info{contract.id.text,    contract.title, contract.file, {}, {}, {},
                      contract.measurement};
    for (const ClauseAst& clause : contract.clauses) info.clauses.push_back(clause.name.text);
    for (const Word& op : contract.operators) {
      if (const std::optional<OpId> id = ParseOp(op.text)) info.operators.push_back(*id);
    }
    for (const Word& probe : contract.probes) info.probes.push_back(probe.text);
    infos.push_back(std::move(info));
  }
  return infos;
}

}  // namespace assay
