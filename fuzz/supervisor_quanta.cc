// SPDX-License-Identifier: Apache-2.0
//
// What the supervisor does between quanta: takes over counts and corpus, turns deaths into
// findings, lets a child confirm them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "contracts/operator.h"
#include "engine/codec.h"
#include "fuzz/describe.h"
#include "fuzz/supervisor.h"

namespace assay {
namespace {

using nlohmann::json;

// More deaths without a cause than this, and the campaign itself is at fault.
constexpr int kMaxUnexplained = 16;

struct InFlight {
  Case value;
  NamedDims dims;
};

std::optional<InFlight> CaseInFlight(const WorkerBlock& block) {
  InFlight flight;
  const size_t size = std::min<size_t>(block.in_flight_size, block.in_flight.size());
  const Reject reject = Decode({block.in_flight.data(), size}, flight.value, flight.dims);
  if (reject != Reject::kNone) return std::nullopt;
  return flight;
}

std::string_view NameOf(QuantumEnd::Kind kind) {
  switch (kind) {
    case QuantumEnd::Kind::kByItself:
      return "ended";
    case QuantumEnd::Kind::kCrashed:
      return "crashed";
    case QuantumEnd::Kind::kTimedOut:
      return "timed_out";
    case QuantumEnd::Kind::kUnexplained:
      return "unexplained";
    case QuantumEnd::Kind::kOwnBug:
      return "own_bug";
  }
  ASSAY_CHECK(false, "a quantum ends in one of the ways there are");
}

std::string LastLine(const std::string& log) {
  const size_t end = log.find_last_not_of("\n ");
  if (end == std::string::npos) return "";
  const size_t begin = log.rfind('\n', end);
  return log.substr(begin == std::string::npos ? 0 : begin + 1, end - begin);
}

// Whatever lies there: too large, unreadable and no file at all are no case.
Reject LookAtEntry(const std::filesystem::path& path, std::error_code& error) {
  if (!std::filesystem::is_regular_file(path, error)) return Reject::kNotACase;
  const Result<std::string> bytes = ReadFile(path, static_cast<int64_t>(kMaxEncodedSize));
  if (!bytes.ok()) return Reject::kNotACase;
  Case value;
  NamedDims dims;
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.value().data());
  return Decode({data, bytes.value().size()}, value, dims);
}

// libFuzzer names corpus entries by the SHA-1 of what is in them, and everything else otherwise.
bool IsEntryName(const std::string& name) {
  return name.size() == 40 && name.find_first_not_of("0123456789abcdef") == name.npos;
}

}  // namespace

Status Supervisor::FinishQuantum(WorkerProcess& worker, const QuantumEnd& end) {
  WorkerState& standing = state_.workers[static_cast<size_t>(worker.index())];
  if (end.reason == WorkerEnd::kCannotStart || end.reason == WorkerEnd::kCannotRecord) {
    return Error{fmt::format("worker {}", worker.index()), LastLine(worker.log()), ""};
  }
  if (const Status noted = NoteDeath(worker, end); !noted.ok()) return noted;
  AddCounts(worker.block().counts, clause_names_, state_);
  MergeMutes(worker.block(), state_);
  if (const Status harvested = Harvest(worker.index()); !harvested.ok()) return harvested;
  Event(json{{"event", NameOf(end.kind)},
             {"worker", worker.index()},
             {"quantum", standing.quanta},
             {"cases", worker.block().counts.cases.load()},
             {"how", end.how}}
            .dump());
  standing.cases += static_cast<int64_t>(worker.block().counts.cases);
  ++standing.quanta;
  return WriteState(dir_, state_);
}

// What was counted stays counted; the next quantum begins with a seed of its own, as always.
Status Supervisor::CutQuantum(WorkerProcess& worker) {
  worker.Kill();
  return FinishQuantum(worker, {QuantumEnd::Kind::kByItself, WorkerEnd::kStopped,
                                "stopped in the middle of a case"});
}

Status Supervisor::NoteDeath(WorkerProcess& worker, const QuantumEnd& end) {
  if (end.kind == QuantumEnd::Kind::kByItself) {
    if (end.reason == WorkerEnd::kTooManyFaults) ++result_.deaths;
    return {};
  }
  ++result_.deaths;
  if (end.kind == QuantumEnd::Kind::kOwnBug) {
    result_.own_bug = LastLine(worker.log());
    return {};
  }
  const std::optional<InFlight> flight = CaseInFlight(worker.block());
  if (end.kind == QuantumEnd::Kind::kUnexplained || !flight) return NoteUnexplained(worker, end);
  const bool late = end.kind == QuantumEnd::Kind::kTimedOut;
  const Violation death =
      DeathOf(worker.block().backend, late ? ErrorClass::kTimeout : ErrorClass::kCrash, end.how);
  const BackendInfo& backend = config_.backends[static_cast<size_t>(death.backend)];
  MuteEntry* entry =
      FindMute(worker.block(), death.backend, flight->value.op, kWholeCall, Side::kGap);
  if (entry != nullptr && ++entry->hits >= kExcludeAfter) entry->muted = 1;
  FindingRecord finding = DescribeDeath(flight->value, flight->dims, death, backend);
  finding.first_seen = fmt::format("worker {}, quantum {}, case {}", worker.index(),
                                   state_.workers[static_cast<size_t>(worker.index())].quanta,
                                   worker.block().counts.cases.load());
  ++state_.runs[static_cast<size_t>(late ? Outcome::kTimedOut : Outcome::kCrashed)];
  ++state_.violations;
  const std::string key = finding.raw_keys[0];
  if (hits_.CountOf(key) == 0) {
    const Result<bool> added = dir_.AddPending(key, finding);
    if (!added.ok()) return added.error();
  }
  hits_.Add(key);
  return {};
}

// A library may have damaged what only our own code touches later; which one cannot be told here.
Status Supervisor::NoteUnexplained(WorkerProcess& worker, const QuantumEnd& end) {
  const std::optional<InFlight> flight = CaseInFlight(worker.block());
  const std::string line = flight ? PrintCase({flight->value, {}}) : "no case yet";
  Event(json{{"event", "unexplained_death"}, {"how", end.how}, {"case", line}}.dump());
  status_.Say(fmt::format("assay: worker {} died outside of any call ({}), at: {}", worker.index(),
                          end.how, line));
  if (++unexplained_ <= kMaxUnexplained) return {};
  return Error{fmt::format("worker {}", worker.index()),
               fmt::format("{} deaths outside of any call; the last: {}; {}", unexplained_, end.how,
                           LastLine(worker.log())),
               "leave out one backend after the other with --backend to find the cause"};
}

// In the order of names, so that what a quantum with several workers starts from is settled. A file
// that a killed worker left half written is no case and stays behind.
Status Supervisor::Harvest(int worker) {
  const std::string output = WorkerProcess::OutputOf(dir_, worker);
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(output, error)) {
    if (IsEntryName(entry.path().filename().string())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    Result<std::string> bytes = ReadFile(file, static_cast<int64_t>(kMaxEncodedSize));
    Case value;
    NamedDims dims;
    if (!bytes.ok()) continue;
    const auto* data = reinterpret_cast<const uint8_t*>(bytes.value().data());
    if (Decode({data, bytes.value().size()}, value, dims) != Reject::kNone) continue;
    const std::string target = dir_.Sub("corpus/" + file.filename().string());
    if (std::filesystem::exists(target, error)) continue;
    std::filesystem::rename(file, target, error);
    if (error) return Error{target, error.message(), ""};
    ++corpus_;
  }
  return {};
}

// Paths, in the order of names. Entries that are no case are counted, left out and left alone; each
// is looked at once. A name with a comma was not written by us and does not fit libFuzzer's list.
Result<std::vector<std::string>> Supervisor::SeedEntries() {
  std::vector<std::string> paths;
  std::error_code error, ignored;
  bool news = false;
  for (const auto& entry : std::filesystem::directory_iterator(dir_.Sub("corpus"), error)) {
    const std::string name = entry.path().filename().string();
    if (name[0] == '.') continue;  // a temporary
    const auto [at, fresh] = entries_.try_emplace(name, Reject::kNone);
    if (fresh) {
      at->second = name.find(',') == std::string::npos ? LookAtEntry(entry.path(), ignored)
                                                       : Reject::kNotACase;
    }
    if (at->second == Reject::kNone) {
      paths.push_back(entry.path());
    } else {
      news = NoteRejectedEntry(name, at->second, state_) || news;
    }
  }
  if (error) return Error{dir_.Sub("corpus"), error.message(), ""};
  std::sort(paths.begin(), paths.end());
  if (!news) return paths;
  const Status written = WriteState(dir_, state_);
  if (!written.ok()) return written.error();
  return paths;
}

void Supervisor::Event(const std::string& json_line) {
  // Events are for people; a campaign that cannot write them fails where its findings do.
  (void)dir_.Event(json_line);
}

Status Supervisor::PollTriage(bool start) {
  if (triage_ > 0) {
    const std::optional<ChildEnd> end = PollChild(triage_);
    if (!end) return {};
    triage_ = -1;
    if (end->signal != 0 || end->exit_code != 0) {
      return Error{"confirming findings", end->Text(), ""};
    }
  }
  LookAtFindings(false);
  if (!start || stopping_ || pending_ == 0) return {};
  const Result<pid_t> child = SpawnChild(OwnProgram(), {"assay", "__triage", dir_.path()}, {});
  if (!child.ok()) return child.error();
  triage_ = child.value();
  return {};
}

// Two rounds at most: the child that runs may have listed what is pending before the last came.
Status Supervisor::FinishTriage() {
  stopping_ = false;
  looked_ms_ = -1;
  LookAtFindings(true);
  while (triage_ > 0 || pending_ > 0) {
    if (const Status polled = PollTriage(true); !polled.ok()) return polled;
    if (const Status read = ReadSignals(); !read.ok()) return read;
    if (result_.interrupted) return {};
    status_.Show(Now("confirming"));
    Wait();
    LookAtFindings(false);
  }
  return {};
}

}  // namespace assay
