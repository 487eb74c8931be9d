// SPDX-License-Identifier: Apache-2.0
//
// scatter_add whose order, or whose winner, depends on the run.
#include <utility>

#include "contracts/values.h"
#include "engine/backends/planted/arithmetic.h"
#include "engine/backends/planted/dense.h"
#include "engine/backends/planted/kernels.h"

namespace assay::planted {
namespace {

// Order in which the updates arrive: by a key that depends on the run, as atomics do on the
// scheduler.
std::vector<int64_t> Arrival(int64_t count, uint64_t run, uint64_t seed) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) order[static_cast<size_t>(i)] = i;
  for (int64_t i = count - 1; i > 0; --i) {
    const uint64_t key = Mix(Mix(run + 1) ^ seed ^ static_cast<uint64_t>(i));
    std::swap(order[static_cast<size_t>(i)],
              order[static_cast<size_t>(key % static_cast<uint64_t>(i + 1))]);
  }
  return order;
}

enum class Contention { kAdd, kLastWins, kLosesOne };

template <class Acc>
int32_t Scatter(const AssayCall& call, const std::vector<int64_t>& order, Contention contention) {
  const std::vector<double> updates = ReadDense(call.operands[0]);
  const std::vector<double> indices = ReadDense(call.operands[1]);
  const std::vector<double> base = ReadDense(call.operands[2]);
  const int64_t rows = call.operands[2].shape[0], columns = call.operands[2].shape[1];
  for (const double index : indices) {
    if (!(index >= 0 && index < static_cast<double>(rows))) return ASSAY_RAISED;
  }
  std::vector<Acc> total(base.begin(), base.end());
  for (const int64_t i : order) {
    // Two adds read the same old value, and one of them is gone.
    const bool contended = i + 1 < static_cast<int64_t>(indices.size()) &&
                           indices[static_cast<size_t>(i)] == indices[static_cast<size_t>(i + 1)];
    if (contention == Contention::kLosesOne && contended) continue;
    const int64_t row = static_cast<int64_t>(indices[static_cast<size_t>(i)]);
    for (int64_t column = 0; column < columns; ++column) {
      const size_t at = static_cast<size_t>(row * columns + column);
      const Acc update = static_cast<Acc>(updates[static_cast<size_t>(i * columns + column)]);
      total[at] =
          (contention == Contention::kLastWins ? static_cast<Acc>(base[at]) : total[at]) + update;
    }
  }
  WriteDense(call.operands[2], std::vector<double>(total.begin(), total.end()));
  return ASSAY_OK;
}

int32_t RunScatter(const AssayCall& call, const std::vector<int64_t>& order,
                   Contention contention) {
  int32_t status = ASSAY_OK;
  WithAccumulator(TypeOf(call.operands[0]),
                  [&](auto zero) { status = Scatter<decltype(zero)>(call, order, contention); });
  return status;
}

}  // namespace

int32_t ScatterAtomics(const AssayCall& call) {
  return RunScatter(call, Arrival(call.operands[1].shape[0], call.run_number, call.schedule_seed),
                    Contention::kAdd);
}
int32_t ScatterLastWins(const AssayCall& call) {
  return RunScatter(call, Arrival(call.operands[1].shape[0], call.run_number, call.schedule_seed),
                    Contention::kLastWins);
}
// In one run of four a contended add is lost.
int32_t ScatterLosesUpdate(const AssayCall& call) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < call.operands[1].shape[0]; ++i) order.push_back(i);
  return RunScatter(call, order,
                    call.run_number % 4 == 3 ? Contention::kLosesOne : Contention::kAdd);
}
// Always from the last update to the first.
int32_t ScatterReversed(const AssayCall& call) {
  std::vector<int64_t> order;
  for (int64_t i = call.operands[1].shape[0] - 1; i >= 0; --i) order.push_back(i);
  return RunScatter(call, order, Contention::kAdd);
}

}  // namespace assay::planted
