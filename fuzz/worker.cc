// SPDX-License-Identifier: Apache-2.0
#include "fuzz/worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "contracts/operator.h"
#include "contracts/values.h"
#include "engine/call.h"
#include "fuzz/cli.h"
#include "fuzz/describe.h"
#include "fuzz/output.h"

namespace assay {
namespace {

// One input in eight starts afresh, so that no operator is lost to those that give more feedback.
constexpr uint64_t kFreshOneIn = 8;

void MarkRun(void* context, int backend) {
  WorkerBlock& block = *static_cast<WorkerBlock*>(context);
  block.backend.store(backend, std::memory_order_relaxed);
  block.beat.store(block.beat.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

// The least of what a run's clauses came to: a run is no better than its worst clause.
Outcome LeastOutcome(const BackendOutcome& outcome) {
  static constexpr Outcome kFromWorst[] = {
      Outcome::kViolating, Outcome::kInconclusive, Outcome::kUnderSpecified,
      Outcome::kVacuous,   Outcome::kConforming,   Outcome::kRejected,
  };
  for (const Outcome candidate : kFromWorst) {
    for (const ClauseVerdict& clause : outcome.verdict.clauses) {
      if (clause.outcome == candidate) return candidate;
    }
  }
  return Outcome::kNotTested;
}

bool TakesType(const Backend& backend, OpId op, DType type) {
  NamedDims dims;
  dims.resize(static_cast<int>(DefOf(op).dimensions.size()), 2);
  const Case plain = MakeCase(op, type, dims);
  BackendCall call;
  call.Describe(plain, DefOf(op));
  char buffer[160];
  AssayText reason{buffer, sizeof buffer, 0};
  return backend.table()->supports(backend.table()->self, call.get(), &reason) == ASSAY_OK;
}

// Types that some library under test takes. The reference takes all, and alone decides only where
// nothing else takes any: cases that it runs by itself find nothing.
std::vector<DType> TypesFor(OpId op, const Session& session) {
  std::vector<DType> types;
  for (const DType type : InputTypesOf(op)) {
    for (const auto& backend : session.backends()) {
      if (backend->family() == "reference" || !TakesType(*backend, op, type)) continue;
      types.push_back(type);
      break;
    }
  }
  return types;
}

bool AnyLibrary(const Session& session) {
  return std::any_of(session.backends().begin(), session.backends().end(),
                     [](const auto& backend) { return backend->family() != "reference"; });
}

Result<MutationSpace> SpaceOf(const CampaignConfig& config, const Session& session,
                              const Suite& suite) {
  const Result<std::vector<OpId>> ops = ParseOps(config.ops);
  if (!ops.ok()) return ops.error();
  MutationSpace space;
  for (const OpId op : ops.value()) {
    std::vector<DType> types = TypesFor(op, session);
    // What the reference alone takes finds nothing, unless it is what was asked for; a campaign
    // that was given no operators names all of them.
    const bool chosen = static_cast<int>(config.ops.size()) < kOpCount;
    if (types.empty() && !chosen && AnyLibrary(session)) continue;
    space.ops.push_back(op);
    space.types.push_back(std::move(types));
  }
  if (space.ops.empty()) {
    return Error{"--backend", "none of the backends takes any operator", "name others, or --op"};
  }
  for (const Atom& atom : AtomsOf(suite)) {
    if (std::find(space.ops.begin(), space.ops.end(), atom.op) != space.ops.end()) {
      space.atoms.push_back(atom);
    }
  }
  return space;
}

}  // namespace

Worker::Worker(const WorkerTask& task, WorkerBlock& block, CampaignDir dir, HitCounters hits,
               OpenedSession session, MutationSpace space)
    : task_(task),
      block_(block),
      dir_(std::move(dir)),
      hits_(std::move(hits)),
      session_(std::move(session)),
      space_(std::move(space)),
      feedback_(ClauseNames(*session_.suite)) {
  session_.session->set_run_marker(MarkRun, &block_);
  for (uint32_t i = 0; i < block_.mute_count; ++i) {
    const MuteEntry& entry = block_.mutes[i];
    if (entry.muted == 0) continue;
    if (entry.operand == kWholeCall) {
      session_.session->Exclude(entry.backend, entry.op);
    } else {
      session_.session->Mute(entry.backend, entry.op, entry.operand, entry.side);
    }
  }
}

Result<std::unique_ptr<Worker>> Worker::Create(const WorkerTask& task, WorkerBlock& block) {
  Result<CampaignDir> dir = CampaignDir::Open(task.campaign);
  if (!dir.ok()) return dir.error();
  const Result<CampaignConfig> config = ReadConfig(dir.value());
  if (!config.ok()) return config.error();
  Result<HitCounters> hits = HitCounters::Map(dir.value().Sub("counters.bin"));
  if (!hits.ok()) return hits.error();
  SessionRequest request{config.value().suite, config.value().assume, {}, false};
  for (const BackendInfo& info : config.value().backends) request.specs.push_back(info.spec);
  Result<OpenedSession> session = OpenSession(request);
  if (!session.ok()) return session.error();
  Result<MutationSpace> space =
      SpaceOf(config.value(), *session.value().session, *session.value().suite);
  if (!space.ok()) return space.error();
  return std::unique_ptr<Worker>(new Worker(task, block, std::move(dir).value(),
                                            std::move(hits).value(), std::move(session).value(),
                                            std::move(space).value()));
}

// Only between cases: libFuzzer has stored the last one by then. Nothing is left to flush.
void Worker::End(WorkerEnd reason) {
  block_.ended.store(static_cast<uint32_t>(reason));
  _exit(kExitOk);
}

int Worker::TestOneInput(std::span<const uint8_t> bytes, std::span<uint8_t> counters) {
  if (end_ != WorkerEnd::kNone) End(end_);
  if (block_.stop != 0) End(WorkerEnd::kStopped);
  if (block_.counts.cases >= block_.budget) End(WorkerEnd::kQuantumDone);
  counters[static_cast<size_t>(FeatureAt(FeatureBlock::kAny, 0))] = 1;
  if (bytes.size() <= 1) return -1;  // libFuzzer's own probes
  const Reject reject = Decode(bytes, case_, dims_);
  if (reject != Reject::kNone) {
    Bump(block_.counts.rejects[static_cast<size_t>(reject)]);
    return -1;
  }
  std::copy(bytes.begin(), bytes.end(), block_.in_flight.begin());
  block_.in_flight_size.store(static_cast<uint32_t>(bytes.size()), std::memory_order_release);
  Bump(block_.counts.cases);
  const Record& record = session_.session->RunChecked(case_, dims_);
  if (record.reject != Reject::kNone) {
    Bump(block_.counts.rejects[static_cast<size_t>(record.reject)]);
    return -1;
  }
  CountOutcomes(record);
  feedback_.Note(case_, record, counters);
  for (const Violation& violation : ViolationsOf(record)) NoteViolation(record, violation);
  for (const BackendOutcome& outcome : record.outcomes) NoteFault(record, outcome);
  return 0;
}

void Worker::CountOutcomes(const Record& record) {
  WorkerCounts& counts = block_.counts;
  for (const BackendOutcome& outcome : record.outcomes) {
    Bump(counts.runs[static_cast<size_t>(LeastOutcome(outcome))]);
    for (const ClauseVerdict& clause : outcome.verdict.clauses) {
      const int index = feedback_.ClauseIndex(clause);
      if (index < 0) continue;
      Bump(counts.clauses[static_cast<size_t>(index)][static_cast<size_t>(clause.outcome)]);
    }
  }
  Bump(counts.runs[static_cast<size_t>(Outcome::kUnsupported)],
       static_cast<uint64_t>(record.unsupported));
  if (record.divergent) Bump(counts.divergent);
}

void Worker::NoteViolation(const Record& record, const Violation& violation) {
  const BackendInfo& info = session_.infos[static_cast<size_t>(violation.backend)];
  const std::string key = KeyOf(case_, dims_, violation, info.family);
  Bump(block_.counts.violations);
  // The record first, the count after it: a death in between must not leave a counted key that
  // nobody recorded.
  if (!recorded_.contains(key)) {
    if (hits_.CountOf(key) == 0) {
      FindingRecord finding = DescribeViolation(record, violation, info);
      finding.first_seen = fmt::format("worker {}, quantum {}, case {}", task_.worker,
                                       task_.quantum, block_.counts.cases.load());
      const Result<bool> added = dir_.AddPending(key, finding);
      if (!added.ok()) {
        Print(stderr, "{}\n", added.error().Text());
        End(WorkerEnd::kCannotRecord);
      }
    }
    recorded_.insert(key);
  }
  hits_.Add(key);
}

void Worker::NoteFault(const Record& record, const BackendOutcome& outcome) {
  const Observation& seen = outcome.observation;
  if (seen.status != RunStatus::kGuardHit || !seen.guard) return;
  MuteEntry* entry =
      FindMute(block_, outcome.backend, record.value->op, seen.guard->operand, seen.guard->side);
  if (entry != nullptr && ++entry->hits >= kMuteAfter && entry->muted == 0) {
    entry->muted = 1;
    session_.session->Mute(outcome.backend, entry->op, entry->operand, entry->side);
  }
  if (session_.session->faults(outcome.backend) >= kMaxFaultsPerBackend) {
    end_ = WorkerEnd::kTooManyFaults;
  }
}

size_t Worker::Mutate(std::span<uint8_t> buffer, size_t size, uint64_t seed) {
  block_.mutator_ran = 1;
  const uint64_t draw = Mix(seed);
  Case value;
  NamedDims dims;
  const bool known = Decode(buffer.first(size), value, dims) == Reject::kNone;
  if (!known || draw % kFreshOneIn == 0 || !assay::Mutate(value, space_, draw)) {
    value = FreshCase(space_, draw);
  }
  const size_t written = Encode(value, buffer);
  return written == 0 ? size : written;
}

size_t Worker::CrossOver(std::span<const uint8_t> a, std::span<const uint8_t> b,
                         std::span<uint8_t> out, uint64_t seed) {
  Case first, second, mixed;
  NamedDims dims;
  if (Decode(a, first, dims) != Reject::kNone || Decode(b, second, dims) != Reject::kNone) return 0;
  if (!Crossover(first, second, mixed, space_, Mix(seed))) return 0;
  return Encode(mixed, out);
}

}  // namespace assay
