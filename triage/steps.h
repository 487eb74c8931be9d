// SPDX-License-Identifier: Apache-2.0
//
// The single steps that minimizing is made of. Each function offers variants of a case, the boldest
// first, and stops at the first that is taken. A step may offer anything: whoever takes offers
// checks that the variant is valid, simpler and still fails. Private to the minimizer.
#pragma once

#include <cstdint>
#include <functional>

#include "contracts/case.h"
#include "contracts/operator.h"
#include "contracts/values.h"

namespace assay {

// True: taken, so stop offering.
using Offer = std::function<bool(const Case&)>;

// The case that steps start from, with its values made on demand.
class StepSource {
 public:
  explicit StepSource(const Case& value);
  const Case& value() const { return value_; }
  const OperatorDef& def() const { return def_; }
  const NamedDims& dims() const { return dims_; }
  const Values& values() const;
  Role role(int operand) const { return def_.operands[static_cast<size_t>(operand)].role; }

 private:
  const Case& value_;
  const OperatorDef& def_;
  NamedDims dims_;
  mutable Values values_;
  mutable bool has_values_ = false;
};

bool OfferSchedules(const StepSource& source, const Offer& offer);
bool OfferAttributes(const StepSource& source, const Offer& offer);
bool OfferShapes(const StepSource& source, const Offer& offer);
bool OfferLayouts(const StepSource& source, const Offer& offer);
bool OfferTypes(const StepSource& source, const Offer& offer);
bool OfferFills(const StepSource& source, const Offer& offer);
bool OfferOverrides(const StepSource& source, const Offer& offer);
bool OfferValues(const StepSource& source, const Offer& offer);

// The fill an operand has when nothing is said: what costs nothing to state.
uint64_t DefaultSeed(int operand);
// Index of element `linear` of `shape`, all coordinates given.
FixedVector<int32_t, kMaxRank> IndexOf(const Dims& shape, int64_t linear);
bool HasPlainStrides(const Tensor& tensor);  // row-major, unused strides too

// How plain a value is: 0, then small integers by magnitude (positive first), then other finite
// values by significant bits and exponent, -0, infinities, NaN (the canonical one first).
uint64_t ValueCost(DType type, uint64_t bits);
// Offers plainer patterns than `bits` of the type, of its own class first where the class is
// special.
bool OfferPlainerBits(DType type, uint64_t bits, const std::function<bool(uint64_t)>& offer);

}  // namespace assay
