// SPDX-License-Identifier: Apache-2.0
#include "oracles/select.h"

#include <cmath>
#include <span>

namespace assay {
namespace {

// Where the reference loop ends: a later element wins only if it compares greater.
int64_t ReferencePlace(std::span<const double> x, bool magnitude) {
  const auto key = [&](size_t i) { return magnitude ? std::fabs(x[i]) : x[i]; };
  size_t best = 0;
  for (size_t i = 1; i < x.size(); ++i) {
    if (key(i) > key(best)) best = i;
  }
  return static_cast<int64_t>(best);
}

int64_t FirstNan(std::span<const double> x) {
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) return static_cast<int64_t>(i);
  }
  return -1;
}

}  // namespace

bool LegalChoiceOf(const Values& values, int64_t, int64_t got, std::optional<NanPlace> place) {
  const std::span<const double> x(values.operands[0].real);
  if (x.empty()) return true;
  const bool by_loop = got == ReferencePlace(x, values.source->op == OpId::kAmax);
  const int64_t nan = FirstNan(x);
  if (nan < 0) return by_loop;
  if (place == NanPlace::kFirstNan) return got == nan;
  if (place == NanPlace::kReference) return by_loop;
  return by_loop || got == nan;
}

}  // namespace assay
