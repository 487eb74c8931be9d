// SPDX-License-Identifier: Apache-2.0
//
// Collectives over ranks simulated in one process: a way to add, a wire, and buckets that are
// reduced one after the other. The buffers of the ranks are the rows of the operand.
#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/backends/planted/arithmetic.h"
#include "engine/backends/planted/dense.h"
#include "engine/backends/planted/kernels.h"

namespace assay::planted {
namespace {

enum Reduction { kSum = 0, kMean, kMax, kMin };
enum class Topology { kRing, kTree };

struct Wire {
  Topology topology = Topology::kRing;
  std::optional<Format> format = {};  // what a hop carries; none: the accumulator
  int64_t format_from_ranks = 0;      // narrow only from so many ranks on
  bool partial_bucket_early = false;  // the last, partial bucket is sent before it is reduced
  bool order_by_schedule = false;     // the ring starts where the overlap leaves it
  bool ranks_start_at_themselves = false;
};

template <class Acc>
class Simulation {
 public:
  Simulation(const AssayCall& call, const Wire& wire)
      : call_(call), wire_(wire), buffers_(ReadDense(call.operands[0])) {
    ranks_ = call.operands[0].shape[0];
    length_ = ranks_ == 0 ? 0 : static_cast<int64_t>(buffers_.size()) / ranks_;
    gathers_ = call.op == ASSAY_OP_ALL_GATHER;
    reduction_ = gathers_ ? kSum : static_cast<int>(call.attributes[0]);
    bucket_ = static_cast<int64_t>(call.attributes[gathers_ ? 0 : 1]);
  }

  void Run() {
    std::vector<double> out;
    const int64_t part = call_.op == ASSAY_OP_REDUCE_SCATTER && ranks_ > 0 ? length_ / ranks_ : 0;
    for (int64_t rank = 0; rank < ranks_; ++rank) {
      if (gathers_) {
        Gather(out);
      } else if (call_.op == ASSAY_OP_ALL_REDUCE) {
        for (int64_t i = 0; i < length_; ++i) out.push_back(Reduce(rank, i));
      } else {
        for (int64_t i = 0; i < part; ++i) out.push_back(Reduce(rank, rank * part + i));
      }
    }
    WriteDense(call_.operands[1], out);
  }

 private:
  Acc At(int64_t rank, int64_t i) const {
    return static_cast<Acc>(buffers_[static_cast<size_t>(rank * length_ + i)]);
  }
  bool InLastPartialBucket(int64_t i) const {
    return length_ > bucket_ && length_ % bucket_ != 0 && i >= length_ / bucket_ * bucket_;
  }

  void Gather(std::vector<double>& out) const {
    for (int64_t from = 0; from < ranks_; ++from) {
      for (int64_t i = 0; i < length_; ++i) {
        const bool early = wire_.partial_bucket_early && InLastPartialBucket(i) && from > 0;
        Acc value = early ? At(from - 1, i) : At(from, i);
        if (Narrow()) value = static_cast<Acc>(Round(*wire_.format, value));
        out.push_back(value);
      }
    }
  }

  bool Narrow() const { return wire_.format && ranks_ >= wire_.format_from_ranks; }

  Acc Combine(Acc a, Acc b) const {
    if (std::isnan(a) || std::isnan(b)) return a + b;
    if (reduction_ == kMax) return a >= b ? a : b;
    if (reduction_ == kMin) return a <= b ? a : b;
    const Acc sum = a + b;
    return Narrow() ? static_cast<Acc>(Round(*wire_.format, sum)) : sum;
  }

  Acc Tree(int64_t first, int64_t last, int64_t i) const {
    if (last - first == 1) return At(first, i);
    const int64_t middle = first + (last - first) / 2;
    return Combine(Tree(first, middle, i), Tree(middle, last, i));
  }

  Acc Reduce(int64_t rank, int64_t i) const {
    Acc total;
    if (wire_.topology == Topology::kTree) {
      total = Tree(0, ranks_, i);
    } else {
      int64_t start = wire_.order_by_schedule ? static_cast<int64_t>(call_.schedule_seed % 64) : 0;
      if (wire_.ranks_start_at_themselves) start = rank;
      // Read before the last rank has added its part.
      const int64_t hops =
          wire_.partial_bucket_early && InLastPartialBucket(i) ? ranks_ - 1 : ranks_;
      total = At(start % ranks_, i);
      for (int64_t hop = 1; hop < hops; ++hop)
        total = Combine(total, At((start + hop) % ranks_, i));
    }
    return reduction_ == kMean ? total / static_cast<Acc>(ranks_) : total;
  }

  const AssayCall& call_;
  const Wire& wire_;
  std::vector<double> buffers_;
  int64_t ranks_ = 0, length_ = 0, bucket_ = 1;
  int reduction_ = kSum;
  bool gathers_ = false;
};

int32_t RunWire(const AssayCall& call, const Wire& wire) {
  return WithAccumulator(TypeOf(call.operands[0]),
                         [&](auto zero) { Simulation<decltype(zero)>(call, wire).Run(); });
}

}  // namespace

int32_t CollectiveBf16Wire(const AssayCall& call) {
  return RunWire(call, {.format = Format::kBf16, .format_from_ranks = 8});
}
int32_t CollectivePartialBucket(const AssayCall& call) {
  return RunWire(call, {.partial_bucket_early = true});
}
int32_t CollectiveRing(const AssayCall& call) { return RunWire(call, {.order_by_schedule = true}); }
int32_t CollectiveTree(const AssayCall& call) {
  return RunWire(call, {.topology = Topology::kTree});
}
int32_t CollectiveRanksDiffer(const AssayCall& call) {
  return RunWire(call, {.ranks_start_at_themselves = true});
}

}  // namespace assay::planted
