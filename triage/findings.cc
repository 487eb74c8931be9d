// SPDX-License-Identifier: Apache-2.0
//
// The moves between pending, findings and unconfirmed, and what makes them whole after a death.

#include "triage/findings.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "contracts/case.h"
#include "triage/minimize.h"

namespace assay {
namespace {

constexpr int64_t kMaxRecordBytes = 1 << 20;
constexpr const char* kFolders[] = {"corpus", "pending", "unconfirmed", "findings"};

Status CheckKey(const std::string& key) {
  if (IsKey(key)) return {};
  return Error{"key '" + key.substr(0, 2 * kMaxFolderKey) + "'", "is no key of a finding",
               "a key has 1 to 60 characters out of a-z, 0-9 and _"};
}

// Folders in the way of `where` are named by the Error; what is in a record is the file's fault.
Result<FindingRecord> ReadRecord(const std::string& folder) {
  const std::string path = folder + "/record.json";
  Result<std::string> text = ReadFile(path, kMaxRecordBytes);
  if (!text.ok()) return std::move(text).error();
  Result<FindingRecord> record = FindingFromJson(text.value());
  if (record.ok()) return record;
  const Error& error = record.error();
  const std::string place = error.where.empty() ? path : path + ": " + error.where;
  return Error{place, error.what, "restore the file, or move its folder out of the campaign"};
}

Result<std::vector<FindingRecord>> ReadRecords(const std::string& directory) {
  Result<std::vector<std::string>> names = ListFolders(directory);
  if (!names.ok()) return std::move(names).error();
  std::vector<FindingRecord> records;
  for (const std::string& name : names.value()) {
    Result<FindingRecord> record = ReadRecord(directory + "/" + name);
    // A folder may go between the listing and the reading: it was moved, and is no trouble.
    if (!record.ok() && access((directory + "/" + name).c_str(), F_OK) != 0) continue;
    if (!record.ok()) return std::move(record).error();
    records.push_back(std::move(record).value());
  }
  return records;
}

bool Lists(const FindingRecord& record, const std::string& raw_key) {
  return std::find(record.raw_keys.begin(), record.raw_keys.end(), raw_key) !=
         record.raw_keys.end();
}

void AddRawKey(FindingRecord& record, const std::string& raw_key) {
  if (Lists(record, raw_key)) return;
  record.raw_keys.push_back(raw_key);
  std::sort(record.raw_keys.begin(), record.raw_keys.end());
}

bool SimplerLine(const std::string& a, const std::string& b) {
  const Result<CaseLine> first = ParseCase(a), second = ParseCase(b);
  if (!first.ok() || !second.ok()) return first.ok();
  if (SimplerThan(first.value().value, second.value().value)) return true;
  if (SimplerThan(second.value().value, first.value().value)) return false;
  return a < b;
}

// Two raw keys with one cause: the case of the smaller raw key, and the simpler minimized case with
// all that was seen on it. Commutes, so that it does not matter which was confirmed first.
FindingRecord Merge(const FindingRecord& present, const FindingRecord& own) {
  FindingRecord merged = SimplerLine(own.minimized_line, present.minimized_line) ? own : present;
  const FindingRecord& first = own.raw_keys < present.raw_keys ? own : present;
  merged.case_line = first.case_line;
  merged.first_seen = first.first_seen;
  merged.raw_keys = present.raw_keys;
  AddRawKey(merged, own.raw_keys.at(0));
  return merged;
}

// What a resume must not fail on: the campaign can still be read.
bool CannotWrite(const std::string& path) { return access(path.c_str(), W_OK) != 0; }

bool IsDirectory(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

Result<bool> WriteRecordFolder(const std::string& path, const FindingRecord& record,
                               bool minimized) {
  const std::string case_text = record.case_line + "\n";
  const std::string minimized_text = record.minimized_line + "\n";
  const std::string json = ToJson(record, true) + "\n";
  std::vector<NamedContent> files = {{"case", case_text}};
  if (minimized) files.push_back({"minimized", minimized_text});
  files.push_back({"record.json", json});
  return WriteFolderDurably(path, files);
}

Status FillCounts(const std::string& path, std::vector<FindingRecord>& records) {
  auto counts = HitCounters::Read(path);
  if (!counts.ok()) return std::move(counts).error();
  for (FindingRecord& record : records) {
    record.count = 0;
    for (const auto& [key, count] : counts.value()) {
      if (Lists(record, key)) record.count += static_cast<int64_t>(count);
    }
  }
  return {};
}

}  // namespace

bool IsKey(std::string_view text) {
  return !text.empty() && text.size() <= kMaxFolderKey &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == text.npos;
}

std::string CampaignDir::Sub(std::string_view name) const {
  return fmt::format("{}/{}", path_, name);
}

Result<CampaignDir> CampaignDir::Create(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error && !IsDirectory(path)) {
    const int reason = error.value() == EEXIST ? ENOTDIR : error.value();
    return SystemError(path, "cannot be made a directory", reason);
  }
  const bool empty = std::filesystem::is_empty(path, error);
  if (error) return SystemError(path, "cannot be read", error.value());
  if (!empty) {
    return Error{path, "is not empty", "name a new directory, or go on with this one by --resume"};
  }
  const CampaignDir campaign(path);
  // findings/ comes last: a directory that has it is a whole campaign.
  for (const char* name : kFolders) {
    if (Status made = MakeDirectory(campaign.Sub(name)); !made.ok()) return std::move(made).error();
  }
  Result<HitCounters> counters = HitCounters::Map(campaign.Sub("counters.bin"));
  if (!counters.ok()) return std::move(counters).error();
  return campaign;
}

Result<CampaignDir> CampaignDir::Open(const std::string& path) {
  const CampaignDir campaign(path);
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return SystemError(path, "cannot be opened", errno);
  if (!IsDirectory(campaign.Sub("findings"))) {
    return Error{path, "is no campaign directory", "name what `assay fuzz --out` was given"};
  }
  if (CannotWrite(path)) return campaign;
  if (Status recovered = campaign.Recover(); !recovered.ok()) return std::move(recovered).error();
  return campaign;
}

// Idempotent, and harmless beside processes that live: temporaries in use are locked, and finishing
// a move that its owner is about to finish is what the owner would do.
Status CampaignDir::Recover() const {
  for (const char* name : kFolders) {
    if (Status made = MakeDirectory(Sub(name)); !made.ok()) return made;
    if (Status cleaned = RemoveStaleTemporaries(Sub(name)); !cleaned.ok()) return cleaned;
  }
  if (Status cleaned = RemoveStaleTemporaries(path_); !cleaned.ok()) return cleaned;
  Result<std::vector<std::string>> keys = ListFolders(Sub("findings"));
  if (!keys.ok()) return std::move(keys).error();
  for (const std::string& key : keys.value()) {
    const std::string folder = Sub("findings/" + key);
    if (Status cleaned = RemoveStaleTemporaries(folder); !cleaned.ok()) return cleaned;
    Result<FindingRecord> record = ReadRecord(folder);
    if (!record.ok()) return std::move(record).error();
    for (const std::string& raw_key : record.value().raw_keys) {
      if (!IsKey(raw_key)) continue;
      Status removed = RemoveFolderDurably(Sub("pending/" + raw_key));
      if (!removed.ok()) return removed;
    }
  }
  return {};
}

Result<bool> CampaignDir::AddPending(const std::string& raw_key,
                                     const FindingRecord& record) const {
  if (Status checked = CheckKey(raw_key); !checked.ok()) return std::move(checked).error();
  const std::string folder = Sub("pending/" + raw_key);
  if (IsDirectory(folder)) return false;
  Result<std::vector<FindingRecord>> findings = ReadRecords(Sub("findings"));
  if (!findings.ok()) return std::move(findings).error();
  for (const FindingRecord& finding : findings.value()) {
    if (Lists(finding, raw_key)) return false;
  }
  FindingRecord own = record;
  own.raw_keys = {raw_key};
  return WriteRecordFolder(folder, own, false);
}

Result<std::vector<FindingRecord>> CampaignDir::Pending() const {
  return ReadRecords(Sub("pending"));
}

Status CampaignDir::Place(const std::string& raw_key, const FindingRecord& confirmed) const {
  const std::string folder = Sub("findings/" + confirmed.signature);
  FindingRecord own = confirmed;
  own.raw_keys = {raw_key};
  if (!IsDirectory(folder)) {
    Result<bool> placed = WriteRecordFolder(folder, own, true);
    return placed.ok() ? Status() : Status(std::move(placed).error());
  }
  Result<FindingRecord> present = ReadRecord(folder);
  if (!present.ok()) return std::move(present).error();
  if (Lists(present.value(), raw_key)) return {};
  const FindingRecord merged = Merge(present.value(), own);
  // The record comes last: until it lists the raw key, the move is done again after a death.
  const std::pair<const char*, std::string> files[] = {
      {"/case", merged.case_line + "\n"},
      {"/minimized", merged.minimized_line + "\n"},
      {"/record.json", ToJson(merged, true) + "\n"}};
  for (const auto& [name, content] : files) {
    if (Status written = WriteDurably(folder + name, content); !written.ok()) return written;
  }
  return {};
}

Status CampaignDir::Promote(const std::string& raw_key, const FindingRecord& confirmed) const {
  if (Status checked = CheckKey(raw_key); !checked.ok()) return checked;
  if (Status checked = CheckKey(confirmed.signature); !checked.ok()) return checked;
  Result<DirectoryLock> lock = DirectoryLock::Take(Sub("findings"));
  if (!lock.ok()) return std::move(lock).error();
  if (Status placed = Place(raw_key, confirmed); !placed.ok()) return placed;
  return RemoveFolderDurably(Sub("pending/" + raw_key));
}

Status CampaignDir::Demote(const std::string& raw_key, const FindingRecord& unconfirmed) const {
  if (Status checked = CheckKey(raw_key); !checked.ok()) return checked;
  Result<DirectoryLock> lock = DirectoryLock::Take(Sub("findings"));
  if (!lock.ok()) return std::move(lock).error();
  FindingRecord own = unconfirmed;
  own.raw_keys = {raw_key};
  const std::string folder = Sub("unconfirmed/" + raw_key);
  if (Status removed = RemoveFolderDurably(folder); !removed.ok()) return removed;
  Result<bool> written = WriteRecordFolder(folder, own, false);
  if (!written.ok()) return std::move(written).error();
  return RemoveFolderDurably(Sub("pending/" + raw_key));
}

Result<std::vector<FindingRecord>> CampaignDir::Findings() const {
  Result<std::vector<FindingRecord>> records = ReadRecords(Sub("findings"));
  if (!records.ok()) return records;
  Status counted = FillCounts(Sub("counters.bin"), records.value());
  if (!counted.ok()) return std::move(counted).error();
  return records;
}

Result<std::vector<FindingRecord>> CampaignDir::Unconfirmed() const {
  Result<std::vector<FindingRecord>> records = ReadRecords(Sub("unconfirmed"));
  if (!records.ok()) return records;
  Status counted = FillCounts(Sub("counters.bin"), records.value());
  if (!counted.ok()) return std::move(counted).error();
  return records;
}

Status CampaignDir::Event(const std::string& json_line) const {
  ASSAY_CHECK(json_line.find('\n') == std::string::npos, "an event is one line");
  const std::string path = Sub("events.jsonl");
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) return SystemError(path, "cannot be opened", errno);
  // One write, so that lines of several processes do not mix.
  const std::string line = json_line + "\n";
  const ssize_t written = write(fd, line.data(), line.size());
  const int reason = written < 0 ? errno : ENOSPC;
  close(fd);
  if (written == static_cast<ssize_t>(line.size())) return {};
  return SystemError(path, "cannot be written", reason);
}

}  // namespace assay
