// SPDX-License-Identifier: Apache-2.0
#include "oracles/lane_scan.h"

#include <algorithm>

#include "oracles/enclosure.h"
#include "oracles/lanes.h"

namespace assay {

LaneSet MachineLanes() {
#if defined(__x86_64__)
  static const LaneSet lanes = [] {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma")) {
      return LaneSet::kAvx512;
    }
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? LaneSet::kAvx2
                                                                           : LaneSet::kBase;
  }();
  return lanes;
#else
  return LaneSet::kBase;
#endif
}

namespace {

enum class Wanted { kZero, kLeast, kLargest, kSum };

// Identity of the operation, one step of it, and the padding of a last strip that changes nothing.
template <Wanted kWanted>
ASSAY_KERNEL Step(const Vec& value, Vec& state) {
  Vec size, zero, infinite;
  Abs(value, size);
  Fill(0, zero);
  Fill(kInfinity, infinite);
  if constexpr (kWanted == Wanted::kZero) {
    state = (Vec)((Mask)state | (Mask)(value == zero));
  } else if constexpr (kWanted == Wanted::kLeast) {
    Select((Mask)(size > zero) & (Mask)(size < state), size, state, state);
  } else if constexpr (kWanted == Wanted::kLargest) {
    Select((Mask)(value > state), value, state, state);
  } else {
    state += size;
  }
}

// Whole strips of eight, lane by lane.
template <Wanted kWanted>
ASSAY_KERNEL Strips(const double* from, int64_t strips, double* to) {
  Vec value, state, carried;
  Fill(kWanted == Wanted::kLeast ? kInfinity : 0, state);
  Fill(0, carried);
  for (int64_t start = 0; start < strips; start += kChunk) {
    for (int64_t i = start; i < std::min(start + kChunk, strips); ++i) {
      Load(from + i * kLanes, value);
      Step<kWanted>(value, state);
    }
    if constexpr (kWanted == Wanted::kSum) {
      carried += state;
      Fill(0, state);
    }
  }
  if constexpr (kWanted == Wanted::kSum) state = carried;
  Store(state, to);
}

using Kernel = void (*)(const double*, int64_t, double*);

template <Wanted kWanted>
void Base(const double* from, int64_t strips, double* to) {
  Strips<kWanted>(from, strips, to);
}
#if defined(__x86_64__)
template <Wanted kWanted>
ASSAY_AVX2 void Avx2(const double* from, int64_t strips, double* to) {
  Strips<kWanted>(from, strips, to);
}
template <Wanted kWanted>
ASSAY_AVX512 void Avx512(const double* from, int64_t strips, double* to) {
  Strips<kWanted>(from, strips, to);
}
template <Wanted kWanted>
constexpr Kernel kKernels[] = {Base<kWanted>, Avx2<kWanted>, Avx512<kWanted>};
#else
template <Wanted kWanted>
constexpr Kernel kKernels[] = {Base<kWanted>, Base<kWanted>, Base<kWanted>};
#endif

template <Wanted kWanted>
void Run(const double* from, int64_t strips, double* to) {
  kKernels<kWanted>[static_cast<int>(MachineLanes())](from, strips, to);
}

}  // namespace

bool AnyZero(const double* values, int64_t count) {
  double lanes[kLanes];
  const int64_t strips = count / kLanes;
  Run<Wanted::kZero>(values, strips, lanes);
  bool any = std::any_of(lanes, lanes + kLanes, [](double lane) { return lane != 0; });
  for (int64_t i = strips * kLanes; i < count; ++i) any |= values[i] == 0;
  return any;
}

double LeastMagnitude(const double* values, int64_t count) {
  double lanes[kLanes];
  const int64_t strips = count / kLanes;
  Run<Wanted::kLeast>(values, strips, lanes);
  double least = *std::min_element(lanes, lanes + kLanes);
  for (int64_t i = strips * kLanes; i < count; ++i) {
    const double size = std::fabs(values[i]);
    if (size > 0 && size < least) least = size;
  }
  return least;
}

void LeastMagnitudes(const double* panel, int64_t length, double least[8]) {
  Run<Wanted::kLeast>(panel, length, least);
}

double Largest(const double* values, int64_t count) {
  double lanes[kLanes];
  const int64_t strips = count / kLanes;
  Run<Wanted::kLargest>(values, strips, lanes);
  double largest = *std::max_element(lanes, lanes + kLanes);
  for (int64_t i = strips * kLanes; i < count; ++i) largest = std::max(largest, values[i]);
  return largest;
}

double SumOfMagnitudes(const double* values, int64_t count) {
  double lanes[kLanes];
  const int64_t strips = count / kLanes;
  Run<Wanted::kSum>(values, strips, lanes);
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  for (int64_t i = strips * kLanes; i < count; ++i) sum += std::fabs(values[i]);
  return sum * kOutward;
}

void SumsOfMagnitudes(const double* panel, int64_t length, double sums[8]) {
  Run<Wanted::kSum>(panel, length, sums);
  for (int i = 0; i < kLanes; ++i) sums[i] *= kOutward;
}

}  // namespace assay
