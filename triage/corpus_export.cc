// SPDX-License-Identifier: Apache-2.0
//
// Gathers lines in a fixed order, each once, and writes lines and index together.

#include "triage/corpus_export.h"

#include <dirent.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "contracts/operator.h"
#include "engine/codec.h"

namespace assay {
namespace {

constexpr std::string_view kHeader =
    "# Assay cases, one a line; what each came from is in the .index.jsonl beside this file.\n";
constexpr std::string_view kSeed = "seed";

class Export {
 public:
  explicit Export(const CampaignDir& campaign) : campaign_(campaign), lines_(kHeader) {}

  Status AddFindings() {
    const Result<std::vector<FindingRecord>> findings = campaign_.Findings();
    if (!findings.ok()) return findings.error();
    for (const FindingRecord& finding : findings.value()) {
      const std::string folder = "findings/" + finding.signature;
      Status added = AddText(finding, finding.case_line, folder + "/case");
      if (!added.ok()) return added;
      added = AddText(finding, finding.minimized_line, folder + "/minimized");
      if (!added.ok()) return added;
    }
    return {};
  }

  Status AddCorpus() {
    Result<std::vector<std::string>> names = EntryNames();
    if (!names.ok()) return std::move(names).error();
    for (const std::string& name : names.value()) {
      // A longer entry is no case, and costs no more than this to find out.
      const Result<std::string> bytes = ReadFile(campaign_.Sub("corpus/" + name), kMaxEncodedSize);
      Case value;
      NamedDims dims;
      const bool decoded =
          bytes.ok() && Decode(std::span(reinterpret_cast<const uint8_t*>(bytes.value().data()),
                                         bytes.value().size()),
                               value, dims) == Reject::kNone;
      if (!decoded) {
        ++counts_.rejected;
      } else if (AddLine(value, PrintCase({value, {}}), kSeed, "corpus/" + name)) {
        ++counts_.seeds;
      }
    }
    return {};
  }

  Result<ExportCounts> Write(const std::string& path) const {
    // Before the index: it must not appear beside what cannot be written.
    if (Status fit = CheckReplaceable(path); !fit.ok()) return std::move(fit).error();
    Status written = WriteDurably(path + ".index.jsonl", index_);
    if (written.ok()) written = WriteDurably(path, lines_);
    if (!written.ok()) return std::move(written).error();
    return counts_;
  }

 private:
  Status AddText(const FindingRecord& finding, const std::string& text, const std::string& source) {
    const Result<CaseLine> line = ParseCase(text);
    if (!line.ok()) {
      return Error{campaign_.Sub(source) + ": " + line.error().where, line.error().what,
                   line.error().remedy};
    }
    if (AddLine(line.value().value, text, finding.signature, source)) ++counts_.findings;
    return {};
  }

  bool AddLine(const Case& value, const std::string& text, std::string_view signature,
               const std::string& source) {
    if (!seen_.insert(text).second) {
      ++counts_.duplicates;
      return false;
    }
    nlohmann::ordered_json dtypes = nlohmann::ordered_json::array();
    for (const Tensor& tensor : value.operands) dtypes.push_back(NameOf(tensor.dtype));
    const nlohmann::ordered_json entry{{"line", ++number_},
                                       {"signature", signature},
                                       {"operator", DefOf(value.op).name},
                                       {"dtypes", dtypes},
                                       {"source", source}};
    index_ += entry.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    lines_ += text + "\n";
    return true;
  }

  Result<std::vector<std::string>> EntryNames() const {
    const std::string directory = campaign_.Sub("corpus");
    DIR* stream = opendir(directory.c_str());
    if (stream == nullptr) return SystemError(directory, "cannot be opened", errno);
    std::vector<std::string> names;
    while (const dirent* entry = readdir(stream)) {
      if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
    }
    closedir(stream);
    std::sort(names.begin(), names.end());
    return names;
  }

  const CampaignDir& campaign_;
  std::string lines_, index_;
  int64_t number_ = 1;  // the header's
  std::set<std::string> seen_;
  ExportCounts counts_;
};

}  // namespace

Result<ExportCounts> ExportCorpus(const CampaignDir& campaign, const std::string& path) {
  Export exported(campaign);
  if (Status added = exported.AddFindings(); !added.ok()) return std::move(added).error();
  if (Status added = exported.AddCorpus(); !added.ok()) return std::move(added).error();
  return exported.Write(path);
}

Result<std::vector<CorpusLine>> ParseCorpus(const std::string& name, std::string_view text) {
  std::vector<CorpusLine> lines;
  for (int64_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const size_t first = line.find_first_not_of(" \t");
    if (first == line.npos || line[first] == '#') continue;
    Result<CaseLine> parsed = ParseCase(line);
    if (!parsed.ok()) {
      const Error& error = parsed.error();
      return Error{fmt::format("{}:{}: {}", name, number, error.where), error.what, error.remedy};
    }
    lines.push_back({number, std::move(parsed).value()});
  }
  return lines;
}

}  // namespace assay
