// SPDX-License-Identifier: Apache-2.0
//
// Further calls of one case, each changed in one way that must not matter, or only so much: made
// over the same operands with the same care as the first, and compared by nobody here.
#include <algorithm>
#include <cmath>
#include <utility>

#include "contracts/operator.h"
#include "engine/runner.h"

namespace assay {
namespace {

constexpr int kSchedules = 4;
constexpr uint32_t kThreadCounts[] = {1, 2, 4};
// Where operands lie, in elements beyond a multiple of kPlaceAlignment bytes: on a vector boundary,
// beside one, and in the middle of the next smaller one.
constexpr int32_t kShifts[] = {0, 1, 3};
constexpr int32_t kPlaceAlignment = 64;
constexpr int kScaleSteps[] = {8, 15};
// What all runs of one case may write together: keeps ten thousand repeats of a large case in
// memory.
constexpr int64_t kMaxRunElements = int64_t{1} << 22;

bool Chooses(const AssayBackend& table, const char* key) {
  return table.declare != nullptr && table.declare(table.self, key) != nullptr;
}

// Axis of operand `slot` as stored that is dimension `dimension`, or -1.
int AxisOf(const Case& value, const OperandDef& operand, int dimension) {
  for (int axis = 0; axis < operand.axes.rank; ++axis) {
    if (operand.axes.dimension[static_cast<size_t>(axis)] != dimension) continue;
    const bool swapped =
        operand.transposed_by >= 0 && value.attributes[operand.transposed_by].choice == 1;
    const int rank = operand.axes.rank;
    return swapped && axis >= rank - 2 ? 2 * rank - 3 - axis : axis;
  }
  return -1;
}

// The dimension whose indices are computed apart from each other: what the rows of a batch are. It
// leads the output, and nothing is reduced, exchanged or scattered along it. -1: there is none.
int BatchDimension(const OperatorDef& op) {
  const OperandDef& output = op.operands.back();
  if (output.axes.rank == 0 || op.family == Family::kCollective || op.family == Family::kScatter) {
    return -1;
  }
  const int leading = output.axes.dimension[0];
  const bool named = leading < static_cast<int>(op.dimensions.size());
  return named && leading != op.reduced ? leading : -1;
}

// How far element `index` (row-major) of a tensor lies from element (0, ..., 0), in elements.
int64_t OffsetOf(const Tensor& tensor, int64_t index) {
  int64_t offset = 0;
  for (int axis = tensor.shape.size() - 1; axis >= 0; --axis) {
    offset += index % tensor.shape[axis] * tensor.strides[axis];
    index /= tensor.shape[axis];
  }
  return offset;
}

// A write to output element `index` by a call that was given only row `row` of the output.
GuardHit OutsideRow(const Tensor& output, int operand, int64_t row, int64_t index) {
  Dims shape = output.shape;
  shape[0] = 1;
  const Extent extent = ExtentOf(shape, output.strides);
  const int64_t at = OffsetOf(output, index) - row * output.strides[0];
  const int64_t size = SizeOf(output.dtype);
  GuardHit hit{operand, Side::kGap, 0, Access::kWrite};
  if (at > extent.highest) {
    hit.side = Side::kAfter;
    hit.distance_bytes = (at - extent.highest - 1) * size + 1;
  } else if (at < extent.lowest) {
    hit.side = Side::kBefore;
    hit.distance_bytes = (extent.lowest - at) * size;
  }
  return hit;
}

}  // namespace

void Runner::ResetCall() {
  call_.Describe(*value_, *values_->op);
  for (int i = 0; i <= output_; ++i) call_.Attach(i, arena_.At(i));
}

// REQUIRES the call to be what the variant says. Leaves the output as it was before.
void Runner::CallVariant(int backend, const AssayBackend& table, VariantKind kind,
                         int64_t parameter, Observation& observation, int64_t first) {
  Variant variant;
  variant.kind = kind;
  variant.parameter = parameter;
  variant.first = first;
  further_.dtype = observation.dtype;
  CallOnce(backend, table, further_);
  variant.status = further_.status;
  if (further_.status == RunStatus::kOk) {
    ReadOutput(further_);
    variant.bits = further_.bits;
    variant.real = further_.real;
    if (variant.kind == VariantKind::kAlone) {
      const int64_t rows = value_->operands[output_].shape[0];
      KeepRow(variant, values_->operands[output_].count / rows);
    }
  }
  observation.environment |= further_.environment;
  if (!observation.guard) observation.guard = further_.guard;
  if (observation.changed_input < 0) observation.changed_input = further_.changed_input;
  observation.variants.push_back(std::move(variant));
  arena_.Restore(output_);
}

// Only the row that was asked for is kept; all others must be what they were.
void Runner::KeepRow(Variant& variant, int64_t length) {
  const std::vector<uint64_t>& before = values_->operands[output_].bits;
  const int64_t end = variant.first + length;
  for (int64_t i = 0; i < static_cast<int64_t>(before.size()) && !further_.guard; ++i) {
    const auto at = static_cast<size_t>(i);
    if ((i >= variant.first && i < end) || variant.bits[at] == before[at]) continue;
    further_.guard = OutsideRow(value_->operands[output_], output_, variant.parameter, i);
  }
  const auto keep = [&](auto& column) {
    if (column.empty()) return;
    column.erase(column.begin() + end, column.end());
    column.erase(column.begin(), column.begin() + variant.first);
  };
  keep(variant.bits);
  keep(variant.real);
}

void Runner::RunAgain(int backend, const AssayBackend& table, Observation& observation) {
  const int64_t count = std::max<int64_t>(values_->operands[output_].count, 1);
  const int64_t wanted = value_->repeats > 0 ? value_->repeats : kDefaultRuns;
  const int64_t runs = std::min(wanted, std::max<int64_t>(kDefaultRuns, kMaxRunElements / count));
  for (int64_t run = 1; run < runs; ++run) {
    call_.set_run_number(static_cast<uint32_t>(run));
    CallVariant(backend, table, VariantKind::kRun, run, observation);
  }
}

void Runner::RunSchedules(int backend, const AssayBackend& table, Observation& observation) {
  for (uint64_t k = 1; k <= kSchedules; ++k) {
    const uint64_t seed = Mix(value_->schedule_seed + k);
    call_.set_schedule_seed(seed);
    const auto parameter = static_cast<int64_t>(seed);
    CallVariant(backend, table, VariantKind::kSchedule, parameter, observation);
  }
}

void Runner::RunThreads(int backend, const AssayBackend& table, Observation& observation) {
  for (const uint32_t threads : kThreadCounts) {
    call_.set_threads(threads);
    CallVariant(backend, table, VariantKind::kThreads, threads, observation);
  }
}

// The last row, and one that the case chooses.
void Runner::RunAlone(int backend, const AssayBackend& table, Observation& observation) {
  const OperatorDef& op = *values_->op;
  const int dimension = BatchDimension(op);
  const OperandValues& output = values_->operands[output_];
  if (dimension < 0 || output.count == 0) return;
  const int64_t rows = output.shape[0];
  const int64_t drawn =
      static_cast<int64_t>(Mix(value_->operands[0].fill.seed) % static_cast<uint64_t>(rows));
  if (rows < 2) return;  // a batch of one row is that row alone
  for (const int64_t row : {rows - 1, drawn}) {
    for (int i = 0; i <= output_; ++i) {
      const int axis = AxisOf(*value_, op.operands[static_cast<size_t>(i)], dimension);
      if (axis >= 0) call_.Narrow(i, axis, row);
    }
    const int64_t first = row * (output.count / rows);
    if (Supports(table)) {
      CallVariant(backend, table, VariantKind::kAlone, row, observation, first);
    }
    ResetCall();
    if (drawn == rows - 1) return;
  }
}

void Runner::RunMoved(int backend, const AssayBackend& table, Observation& observation) {
  for (const int32_t shift : kShifts) {
    for (int i = 0; i <= output_; ++i) {
      Tensor moved = value_->operands[i];
      moved.alignment = kPlaceAlignment;
      moved.misalignment = shift * SizeOf(moved.dtype);
      call_.Attach(i, arena_.Place(i, moved, values_->operands[i], slack_[i]));
    }
    CallVariant(backend, table, VariantKind::kAlignment, shift, observation);
  }
  for (int i = 0; i <= output_; ++i) {
    arena_.Place(i, value_->operands[i], values_->operands[i], slack_[i]);
  }
}

void Runner::RunScaled(int backend, const AssayBackend& table, Observation& observation) {
  if (value_->op != OpId::kScaledGradient) return;
  for (const int step : kScaleSteps) {
    const double scale = std::ldexp(ScalarAttribute(*value_, kGradientScale), step);
    if (!(std::fabs(scale) <= InfoOf(Format::kF32).largest)) continue;
    call_.set_attribute(kGradientScale, scale);
    CallVariant(backend, table, VariantKind::kScale, step, observation);
  }
}

void Runner::RunVariants(int backend, const AssayBackend& table, VariantKinds kinds,
                         Observation& observation) {
  using Make = void (Runner::*)(int, const AssayBackend&, Observation&);
  const auto make = [&](VariantKind kind, Make function) {
    if ((kinds & BitOf(kind)) == 0) return;
    (this->*function)(backend, table, observation);
    ResetCall();
  };
  if (observation.status != RunStatus::kOk) return;
  make(VariantKind::kRun, &Runner::RunAgain);
  if (Chooses(table, "schedules")) make(VariantKind::kSchedule, &Runner::RunSchedules);
  if (Chooses(table, "threads")) make(VariantKind::kThreads, &Runner::RunThreads);
  make(VariantKind::kAlone, &Runner::RunAlone);
  make(VariantKind::kAlignment, &Runner::RunMoved);
  make(VariantKind::kScale, &Runner::RunScaled);
}

}  // namespace assay
