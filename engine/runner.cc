// SPDX-License-Identifier: Apache-2.0

#include "engine/runner.h"

#include <bit>
#include <cstring>

#include "contracts/operator.h"
#include "engine/guarded_call.h"

namespace assay {
namespace {

// Readable bytes given in place of a guard where a side is muted: one page, more than any tail loop
// reads ahead, less than what would hide a wrong leading dimension from the value check.
constexpr int64_t kMutedSlackBytes = 4096;

struct Invocation {
  const AssayBackend* table;
  const AssayCall* call;
  AssayText text;
  int32_t status;
};

void Invoke(void* argument) {
  auto* invocation = static_cast<Invocation*>(argument);
  invocation->status =
      invocation->table->run(invocation->table->self, invocation->call, &invocation->text);
}

RunStatus StatusOf(int32_t status) {
  switch (status) {
    case ASSAY_OK:
      return RunStatus::kOk;
    case ASSAY_RAISED:
      return RunStatus::kRaised;
    case ASSAY_UNSUPPORTED:
      return RunStatus::kUnsupported;
    default:
      return RunStatus::kFailed;
  }
}

bool IsNanBits(DType type, uint64_t bits) {
  if (!IsFloat(type)) return false;
  const double value = Decode(type, bits);
  return value != value;
}

}  // namespace

void Runner::SetBackendCount(int count) {
  faults_.assign(count, 0);
  muted_.assign(static_cast<size_t>(count) * kOpCount * kMaxOperands, 0);
}

void Runner::Prepare(const Case& value, const Values& values) {
  value_ = &value;
  values_ = &values;
  output_ = value.operands.size() - 1;
  call_.Describe(value, *values.op);
  for (int i = 0; i < value.operands.size(); ++i) {
    slack_[i] = 0;
    call_.Attach(i, arena_.Place(i, value.operands[i], values.operands[i], 0));
  }
}

bool Runner::Supports(const AssayBackend& table) {
  char buffer[160];
  AssayText reason{buffer, sizeof buffer, 0};
  return table.supports(table.self, call_.get(), &reason) == ASSAY_OK;
}

bool Runner::IsMuted(int backend, int operand) const {
  const size_t op = static_cast<size_t>(value_->op);
  return muted_[(static_cast<size_t>(backend) * kOpCount + op) * kMaxOperands + operand] != 0;
}

void Runner::Mute(int backend, OpId op, int operand) {
  uint8_t& flag =
      muted_[(static_cast<size_t>(backend) * kOpCount + static_cast<size_t>(op)) * kMaxOperands +
             operand];
  if (flag == 0) ++muted_count_;
  flag = 1;
}

void Runner::PlaceWithSlack(int backend, int64_t overread_bytes) {
  for (int i = 0; i <= output_; ++i) {
    const int64_t wanted = IsMuted(backend, i) ? kMutedSlackBytes : overread_bytes;
    if (wanted == slack_[i]) continue;
    slack_[i] = wanted;
    call_.Attach(i, arena_.Place(i, value_->operands[i], values_->operands[i], wanted));
  }
}

void Runner::Run(int backend, const AssayBackend& table, int64_t overread_bytes, bool settle,
                 Observation& observation) {
  PlaceWithSlack(backend, overread_bytes);
  observation.dtype = value_->operands[output_].dtype;
  observation.unwritten = -1;
  observation.unwritten_count = 0;
  observation.prefill_dependent = -1;
  observation.prefills = 1;
  observation.variants.clear();
  CallOnce(backend, table, observation);
  if (observation.status == RunStatus::kOk) {
    ReadOutput(observation);
    CheckKept(observation);
    if (OutputContentIsFree() && (settle || AnyPrefillLeft(observation))) {
      SettlePrefill(backend, table, observation);
    }
  }
  arena_.Restore(output_);
}

// A pure output, or the in-out c of a gemm whose beta is zero: what lies there must not matter.
bool Runner::OutputContentIsFree() const {
  if (values_->op->operands[output_].role == Role::kOutput) return true;
  return values_->op->family == Family::kGemm && ScalarAttribute(*value_, kGemmBeta) == 0;
}

void Runner::CallOnce(int backend, const AssayBackend& table, Observation& observation) {
  char buffer[256];
  Invocation invocation{&table, call_.get(), {buffer, sizeof buffer, 0}, ASSAY_FAILED};
  if (marker_ != nullptr) marker_(marker_context_, backend);
  const CallResult result = GuardedCall(&Invoke, &invocation, arena_);
  if (marker_ != nullptr) marker_(marker_context_, -1);
  observation.environment = result.environment;
  observation.guard = result.guard;
  if (result.guard.has_value()) {
    ++faults_[backend];
    observation.status = RunStatus::kGuardHit;
    observation.detail.clear();
  } else {
    observation.status = StatusOf(invocation.status);
    const size_t size = std::min(invocation.text.size, sizeof buffer);
    observation.detail.assign(buffer, observation.status == RunStatus::kOk ? 0 : size);
  }
  LookAround(observation);
}

void Runner::LookAround(Observation& observation) {
  observation.changed_input = -1;
  for (int i = 0; i <= output_; ++i) {
    const std::optional<GuardHit> hit = arena_.CheckCanaries(i);
    if (hit.has_value() && !observation.guard.has_value()) observation.guard = hit;
    const bool changed = i < output_ && !arena_.Unchanged(i);
    if (changed && observation.changed_input < 0) observation.changed_input = i;
    if (hit.has_value() || changed) {
      if (i < output_) arena_.Restore(i);
    }
  }
}

// What the operation leaves alone of its own destination is an input that must not change.
void Runner::CheckKept(Observation& observation) const {
  if (value_->op != OpId::kSyr) return;
  const OperandValues& output = values_->operands[output_];
  const int64_t n = output.shape[1];
  for (int64_t i = 0; i < output.count; ++i) {
    const bool kept = IsKept(*value_, i / n, i % n);
    if (kept && observation.bits[i] != output.bits[i] && observation.changed_input < 0) {
      observation.changed_input = output_;
    }
  }
}

void Runner::ReadOutput(Observation& observation) {
  const int64_t count = values_->operands[output_].count;
  const DType type = observation.dtype;
  observation.bits.resize(static_cast<size_t>(count));
  arena_.Load(output_, observation.bits);
  observation.real.resize(IsFloat(type) ? static_cast<size_t>(count) : 0);
  if (!IsFloat(type)) return;
  if (type == DType::kF32) {
    for (int64_t i = 0; i < count; ++i) {
      observation.real[i] = std::bit_cast<float>(static_cast<uint32_t>(observation.bits[i]));
    }
  } else {
    for (int64_t i = 0; i < count; ++i) observation.real[i] = Decode(type, observation.bits[i]);
  }
}

bool Runner::AnyPrefillLeft(const Observation& observation) const {
  const std::vector<uint64_t>& prefill = values_->operands[output_].bits;
  for (size_t i = 0; i < prefill.size(); ++i) {
    if (observation.bits[i] == prefill[i]) return true;
  }
  return false;
}

// Runs again over another content and compares: what follows the content was not written, or was
// read.
void Runner::SettlePrefill(int backend, const AssayBackend& table, Observation& observation) {
  const OperandValues& first = values_->operands[output_];
  const uint64_t before = first.count > 0 ? first.bits[0] : 0;
  Fill other{FillKind::kPoison, IsNanBits(first.dtype, before) ? 1u : 0u, 0, 0};
  // Integers have no NaN to tell the two patterns by.
  if (FillBits(other, first.dtype, {}, {}) == before) other.seed ^= 1;
  const uint64_t pattern = FillBits(other, first.dtype, {}, {});
  arena_.Restore(output_);
  arena_.Prefill(output_, pattern);
  Observation again;
  again.dtype = observation.dtype;
  CallOnce(backend, table, again);
  if (again.status != RunStatus::kOk) {
    observation.status = again.status;
    observation.detail = again.detail;
    observation.guard = again.guard;
    return;
  }
  second_.resize(observation.bits.size());
  arena_.Load(output_, second_);
  observation.prefills = 2;
  for (size_t i = 0; i < second_.size(); ++i) {
    const uint64_t got = observation.bits[i];
    if (got == first.bits[i] && second_[i] == pattern) {
      if (observation.unwritten < 0) observation.unwritten = static_cast<int64_t>(i);
      ++observation.unwritten_count;
    } else if (got != second_[i] && observation.prefill_dependent < 0 &&
               !(IsNanBits(first.dtype, got) && IsNanBits(first.dtype, second_[i]))) {
      observation.prefill_dependent = static_cast<int64_t>(i);
    }
  }
  if (observation.prefill_dependent >= 0) ForgiveIndeterminacy(backend, table, observation);
}

// An answer that changes from call to call over the same content does not follow the content.
void Runner::ForgiveIndeterminacy(int backend, const AssayBackend& table,
                                  Observation& observation) {
  arena_.Restore(output_);
  further_.dtype = observation.dtype;
  CallOnce(backend, table, further_);
  if (further_.status != RunStatus::kOk) return;
  arena_.Load(output_, second_);
  const DType type = observation.dtype;
  for (size_t i = 0; i < second_.size(); ++i) {
    const uint64_t got = observation.bits[i];
    if (got == second_[i] || (IsNanBits(type, got) && IsNanBits(type, second_[i]))) continue;
    observation.prefill_dependent = -1;
    return;
  }
}

}  // namespace assay
