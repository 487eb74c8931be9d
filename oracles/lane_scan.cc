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

// Strips of eight, lane by lane, four in flight: the operations have latencies to hide.
template <Wanted kWanted>
ASSAY_KERNEL Strips(const double* from, int64_t strips, Vec& to) {
  constexpr int kFlights = 4;
  Vec value, state[kFlights], carried;
  Fill(0, carried);
  for (Vec& flight : state) Fill(kWanted == Wanted::kLeast ? kInfinity : 0, flight);
  for (int64_t start = 0; start < strips; start += kChunk) {
    const int64_t end = std::min(start + kChunk, strips);
    int64_t i = start;
    for (; i + kFlights <= end; i += kFlights) {
      for (int flight = 0; flight < kFlights; ++flight) {
        Load(from + (i + flight) * kLanes, value);
        Step<kWanted>(value, state[flight]);
      }
    }
    for (; i < end; ++i) {
      Load(from + i * kLanes, value);
      Step<kWanted>(value, state[0]);
    }
    if constexpr (kWanted == Wanted::kSum) {
      carried += (state[0] + state[1]) + (state[2] + state[3]);
      for (Vec& flight : state) Fill(0, flight);
    }
  }
  if constexpr (kWanted == Wanted::kZero) {
    to = (Vec)((Mask)state[0] | (Mask)state[1] | (Mask)state[2] | (Mask)state[3]);
  } else if constexpr (kWanted == Wanted::kSum) {
    to = carried;
  } else {
    for (int flight = 1; flight < kFlights; ++flight) Step<kWanted>(state[flight], state[0]);
    to = state[0];
  }
}

// One number of each row of `length`.
template <Wanted kWanted>
ASSAY_KERNEL Rows(const double* from, int64_t rows, int64_t length, double* to) {
  const int64_t strips = length / kLanes;
  const int64_t rest = length - strips * kLanes;
  for (int64_t row = 0; row < rows; ++row) {
    const double* begin = from + row * length;
    Vec state, last;
    Strips<kWanted>(begin, strips, state);
    if (rest > 0) {
      // Padding that changes nothing: skipped as a zero, or, where zeros are looked for, none.
      double padded[kLanes];
      std::fill_n(padded, kLanes, kWanted == Wanted::kZero ? 1.0 : 0.0);
      std::copy_n(begin + strips * kLanes, rest, padded);
      Load(padded, last);
      Step<kWanted>(last, state);
    }
    double lanes[kLanes];
    Store(state, lanes);
    if constexpr (kWanted == Wanted::kSum) {
      to[row] = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
                ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
    } else if constexpr (kWanted == Wanted::kLeast) {
      to[row] = *std::min_element(lanes, lanes + kLanes);
    } else if constexpr (kWanted == Wanted::kLargest) {
      to[row] = *std::max_element(lanes, lanes + kLanes);
    } else {
      to[row] = std::any_of(lanes, lanes + kLanes, [](double lane) { return lane != 0; }) ? 1 : 0;
    }
  }
}

// Eight numbers of each panel [length][8].
template <Wanted kWanted>
ASSAY_KERNEL Panels(const double* from, int64_t panels, int64_t length, double* to) {
  for (int64_t panel = 0; panel < panels; ++panel) {
    Vec state;
    Strips<kWanted>(from + panel * length * kLanes, length, state);
    Store(state, to + panel * kLanes);
  }
}

template <Wanted kWanted>
ASSAY_KERNEL Scan(const double* from, int64_t groups, int64_t length, bool panels, double* to) {
  if (panels) {
    Panels<kWanted>(from, groups, length, to);
  } else {
    Rows<kWanted>(from, groups, length, to);
  }
}

using Kernel = void (*)(const double*, int64_t, int64_t, bool, double*);

template <Wanted kWanted>
void Base(const double* from, int64_t groups, int64_t length, bool panels, double* to) {
  Scan<kWanted>(from, groups, length, panels, to);
}
#if defined(__x86_64__)
template <Wanted kWanted>
ASSAY_AVX2 void Avx2(const double* from, int64_t groups, int64_t length, bool panels, double* to) {
  Scan<kWanted>(from, groups, length, panels, to);
}
template <Wanted kWanted>
ASSAY_AVX512 void Avx512(const double* from, int64_t groups, int64_t length, bool panels,
                         double* to) {
  Scan<kWanted>(from, groups, length, panels, to);
}
template <Wanted kWanted>
constexpr Kernel kKernels[] = {Base<kWanted>, Avx2<kWanted>, Avx512<kWanted>};
#else
template <Wanted kWanted>
constexpr Kernel kKernels[] = {Base<kWanted>, Base<kWanted>, Base<kWanted>};
#endif

template <Wanted kWanted>
void Run(const double* from, int64_t groups, int64_t length, bool panels, double* to) {
  kKernels<kWanted>[static_cast<int>(MachineLanes())](from, groups, length, panels, to);
}

}  // namespace

bool AnyZero(const double* values, int64_t count) {
  double any = 0;
  Run<Wanted::kZero>(values, 1, count, /*panels=*/false, &any);
  return any != 0;
}

double Largest(const double* values, int64_t count) {
  double largest = 0;
  Run<Wanted::kLargest>(values, 1, count, /*panels=*/false, &largest);
  return largest;
}

void LeastMagnitudes(const double* from, int64_t groups, int64_t length, bool panels,
                     double* least) {
  Run<Wanted::kLeast>(from, groups, length, panels, least);
}

void SumsOfMagnitudes(const double* from, int64_t groups, int64_t length, bool panels,
                      double* sums) {
  Run<Wanted::kSum>(from, groups, length, panels, sums);
  const int64_t count = panels ? groups * kLanes : groups;
  for (int64_t i = 0; i < count; ++i) sums[i] *= kOutward;
}

}  // namespace assay
