// SPDX-License-Identifier: Apache-2.0
//
// RunCase, straight down. The candidates run before the oracle computes, so that no truth lies in
// memory a kernel could read, and the FP environment is the default one again when the oracle
// starts.

#include "engine/pipeline.h"

#include <algorithm>
#include <utility>

#include "contracts/operator.h"
#include "contracts/values.h"
#include "engine/call.h"
#include "engine/phase_clock.h"
#include "engine/runner.h"
#include "oracles/measure.h"

namespace assay {
namespace {

// Precision the truth is recomputed at before a violation counts: well above twice f64.
constexpr int kRefereeBits = 320;

// Contracts bound to what a backend declares, per operator and types of first input and output;
// built on demand. Backends that declare the same share one binding, and so the bounds computed
// from it.
class Bindings {
 public:
  const BoundContracts& Get(const std::shared_ptr<const Suite>& suite, const Declared& declared,
                            OpId op, DType input, DType output) {
    std::vector<Entry>& entries =
        bound_[static_cast<size_t>(op)][static_cast<size_t>(input)][static_cast<size_t>(output)];
    for (const Entry& entry : entries) {
      if (entry.declared == declared) return *entry.contracts;
    }
    entries.push_back({declared, Bind(suite, op, input, output, declared)});
    return *entries.back().contracts;
  }

 private:
  struct Entry {
    Declared declared;
    std::shared_ptr<const BoundContracts> contracts;
  };
  std::vector<Entry> bound_[kOpCount][kDTypeCount][kDTypeCount];
};

// Cases whose answer is compared under two prefills although nothing asks for it: one in sixteen,
// by content, so that a kernel that returns what it finds cannot count on being asked once.
bool DrawnForSettling(const Case& value) {
  uint64_t hash = value.schedule_seed ^ static_cast<uint64_t>(value.op);
  for (const Tensor& tensor : value.operands) {
    hash = Mix(hash ^ tensor.fill.seed);
    for (int64_t extent : tensor.shape) hash = Mix(hash ^ static_cast<uint64_t>(extent));
  }
  return hash % 16 == 0;
}

// Only what the C library's functions measured, for inputs of at most 24 bits, is validated and not
// proven: it may acquit and no more. What all others decide stands.
bool TruthIsProven(const Case& value) {
  if (value.operands[0].dtype == DType::kF64) return true;
  switch (DefOf(value.op).family) {
    case Family::kUnary:
    case Family::kLinear:
      return false;
    default:
      return value.op != OpId::kSoftmax && value.op != OpId::kPow;
  }
}

bool NeedsReferee(const Verdict& verdict, const Case& value) {
  return std::any_of(verdict.clauses.begin(), verdict.clauses.end(), [&](const ClauseVerdict& c) {
    return c.outcome == Outcome::kInconclusive ||
           (c.outcome == Outcome::kViolating && c.witness >= 0 && !TruthIsProven(value));
  });
}

bool AnyVacuous(const Verdict& verdict) {
  return std::any_of(verdict.clauses.begin(), verdict.clauses.end(),
                     [](const ClauseVerdict& c) { return c.outcome == Outcome::kVacuous; });
}

bool SameAnswer(const Observation& a, const Observation& b) {
  if (a.status != b.status) return false;
  if (a.status != RunStatus::kOk) return true;
  for (size_t i = 0; i < a.bits.size(); ++i) {
    if (a.bits[i] == b.bits[i]) continue;
    const bool both_nan = !a.real.empty() && a.real[i] != a.real[i] && b.real[i] != b.real[i];
    if (!both_nan) return false;
  }
  return true;
}

}  // namespace

struct Session::Impl {
  SessionOptions options;
  std::vector<std::unique_ptr<Backend>> backends;
  std::vector<std::array<std::optional<Declared>, kOpCount * kDTypeCount>> declared;
  Bindings bindings;
  // Looked up once per backend, operator and types.
  std::vector<std::array<const BoundContracts*, kOpCount * kDTypeCount * kDTypeCount>> bound;
  std::vector<std::array<bool, kOpCount>> excluded;
  Runner runner;
  Values values;
  Evidence evidence;
  Oracle oracle;
  JudgeScratch scratch;
  Record record;
  std::vector<BackendOutcome> spare;  // keeps the buffers of outcomes that are not in use
  PhaseTimes* times = nullptr;

  BackendOutcome& AddOutcome(int backend) {
    if (spare.empty()) spare.emplace_back();
    record.outcomes.push_back(std::move(spare.back()));
    spare.pop_back();
    record.outcomes.back().backend = backend;
    record.outcomes.back().verdict.clear();
    return record.outcomes.back();
  }

  void Reset() {
    for (BackendOutcome& outcome : record.outcomes) spare.push_back(std::move(outcome));
    record.outcomes.clear();
    record.value = nullptr;
    record.reject = Reject::kNone;
    record.unsupported = 0;
    record.divergent = false;
    record.evidence = nullptr;
    record.values = nullptr;
  }

  const Declared& DeclaredOf(int backend, OpId op, DType type) {
    auto& slot =
        declared[backend][static_cast<size_t>(op) * kDTypeCount + static_cast<size_t>(type)];
    if (!slot) {
      Result<Declared> result =
          DeclaredBy(*options.suite, backends[backend]->profile(), op, type, options.assume);
      // A backend with a profile that does not exist has declared nothing: under_specified, and
      // said.
      slot = result.ok() ? std::move(result).value() : Declared{};
    }
    return *slot;
  }

  void RunAll(const Case& value, int only_backend) {
    PhaseTimer timer(times != nullptr ? &times->kernel_ns : nullptr);
    const bool thorough = IsThorough(value);
    const DType input = value.operands[0].dtype;
    runner.Prepare(value, values);
    for (int b = 0; b < static_cast<int>(backends.size()); ++b) {
      if (only_backend >= 0 && b != only_backend) continue;
      if (excluded[b][static_cast<size_t>(value.op)]) continue;
      if (!runner.Supports(*backends[b]->table())) {
        ++record.unsupported;
        continue;
      }
      BackendOutcome& outcome = AddOutcome(b);
      const int64_t overread = DeclaredOf(b, value.op, input).overread_bytes;
      runner.Run(b, *backends[b]->table(), overread, thorough, outcome.observation);
      if (!thorough) continue;
      const VariantKinds kinds = VariantsFor(ContractsFor(b, value));
      if (kinds != 0) runner.RunVariants(b, *backends[b]->table(), kinds, outcome.observation);
    }
  }

  // Cases that are asked everything: both prefills, every defect model, every further call.
  bool IsThorough(const Case& value) const {
    return options.settle || value.repeats > 0 || DrawnForSettling(value);
  }

  void MeasureAll() {
    PhaseTimer timer(times != nullptr ? &times->oracle_ns : nullptr);
    oracle.Measure(values, evidence);
    record.evidence = &evidence;
  }

  // Every model on every element would cost more than kernel and oracle together. The zero model is
  // free and settles almost every case; where it has no force, and for the cases drawn for
  // settling, all models are asked.
  void JudgeOne(const Case& value, BackendOutcome& outcome, Emulator& emulator) {
    const bool thorough = IsThorough(value);
    JudgeWith(thorough ? options.force_budget : 0, value, outcome, emulator);
    if (!thorough && AnyVacuous(outcome.verdict)) {
      JudgeWith(options.force_budget, value, outcome, emulator);
    }
  }

  const BoundContracts& ContractsFor(int backend, const Case& value) {
    const DType input = value.operands[0].dtype;
    const DType output = value.operands.back().dtype;
    const BoundContracts*& contracts =
        bound[backend][(static_cast<size_t>(value.op) * kDTypeCount + static_cast<size_t>(input)) *
                           kDTypeCount +
                       static_cast<size_t>(output)];
    if (contracts == nullptr) {
      const Declared& promise = DeclaredOf(backend, value.op, input);
      contracts = &bindings.Get(options.suite, promise, value.op, input, output);
    }
    return *contracts;
  }

  void JudgeWith(int force_budget, const Case& value, BackendOutcome& outcome, Emulator& emulator) {
    outcome.verdict.clear();
    Judge(ContractsFor(outcome.backend, value), values, evidence, outcome.observation, emulator,
          force_budget, scratch, outcome.verdict);
  }

  void JudgeAll(const Case& value) {
    PhaseTimer timer(times != nullptr ? &times->check_ns : nullptr);
    Emulator emulator(values);
    bool refereed = false;
    for (BackendOutcome& outcome : record.outcomes) JudgeOne(value, outcome, emulator);
    for (BackendOutcome& outcome : record.outcomes) {
      if (!NeedsReferee(outcome.verdict, value)) continue;
      if (!refereed) oracle.MeasureHighest(values, kRefereeBits, evidence);
      refereed = true;
      JudgeOne(value, outcome, emulator);
    }
  }

  void Compare() {
    for (const BackendOutcome& outcome : record.outcomes) {
      if (!SameAnswer(record.outcomes.front().observation, outcome.observation)) {
        record.divergent = true;
      }
    }
  }
};

Session::Session(SessionOptions options, std::vector<std::unique_ptr<Backend>> backends)
    : impl_(std::make_unique<Impl>()) {
  ASSAY_CHECK(options.suite != nullptr, "a session needs a suite");
  impl_->options = std::move(options);
  impl_->backends = std::move(backends);
  impl_->declared.resize(impl_->backends.size());
  impl_->bound.resize(impl_->backends.size());
  impl_->excluded.resize(impl_->backends.size());
  impl_->runner.SetBackendCount(static_cast<int>(impl_->backends.size()));
}

Session::~Session() = default;

const std::vector<std::unique_ptr<Backend>>& Session::backends() const { return impl_->backends; }

const Record& Session::RunCase(const Case& value, int only_backend) {
  Result<NamedDims> dims = CheckCase(value);
  if (dims.ok()) return RunChecked(value, dims.value(), only_backend);
  impl_->Reset();
  impl_->record.reject = Reject::kBadShape;
  return impl_->record;
}

const Record& Session::RunChecked(const Case& value, const NamedDims& dims, int only_backend) {
  Impl& impl = *impl_;
  impl.Reset();
  impl.record.value = &value;
  impl.record.dims = dims;
  MakeValues(value, impl.record.dims, impl.values);
  impl.record.values = &impl.values;
  impl.RunAll(value, only_backend);
  if (impl.record.outcomes.empty()) return impl.record;
  impl.MeasureAll();
  impl.JudgeAll(value);
  impl.Compare();
  return impl.record;
}

void Session::Mute(int backend, OpId op, int operand, Side) {
  impl_->runner.Mute(backend, op, operand);
}

void Session::Exclude(int backend, OpId op) {
  impl_->excluded[backend][static_cast<size_t>(op)] = true;
}

int Session::muted() const { return impl_->runner.muted(); }
int Session::faults(int backend) const { return impl_->runner.faults(backend); }

void Session::set_run_marker(void (*marker)(void* context, int backend), void* context) {
  impl_->runner.set_run_marker(marker, context);
}

void Session::set_phase_times(PhaseTimes* times) { impl_->times = times; }

void EndSessionThread() { ReleaseThreadCaches(); }

}  // namespace assay
