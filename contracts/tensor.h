// SPDX-License-Identifier: Apache-2.0
//
// How one operand of a case lies in memory and which values it holds: a plain description, no
// storage. Units: strides and offset count elements, alignment and slack count bytes.
#pragma once

#include <cstdint>

#include "contracts/dtype.h"
#include "contracts/fixed_vector.h"

namespace assay {

inline constexpr int kMaxRank = 4;
inline constexpr int kMaxOverrides = 8;

using Dims = FixedVector<int64_t, kMaxRank>;

// How the elements get their values. Every generator is a pure function of (seed, index tuple), so
// that shrinking one dimension leaves the other elements as they were; the kinds marked (row) work
// along the last axis and depend on its length, too. Reals are rounded to the stored type, for an
// integer type to the nearest integer it holds. Values of the enum are part of the binary codec:
// append only. lo and hi are the parameters; what they mean is beside each.
enum class FillKind : uint8_t {
  kZero = 0,
  kConstant,     // lo
  kUniform,      // real, uniform in [lo, hi); never rounded up to hi
  kNormal,       // mean lo, standard deviation hi; approximately normal, within 6 hi of the mean
  kIntegers,     // integers, uniform in [lo, hi]
  kWideOdd,      // odd integers in (2^12, 2^13), random sign: exact in f32, not in narrower types
  kPowersOfTwo,  // +-1, +-2, +-4: the exact partner of kWideOdd
  kSparse,       // (row) lo non-zeros (1..4) at random places, N(0,1); else +0
  kExponents,    // random sign and mantissa, exponent uniform in what of [lo, hi] the type holds
  kSubnormal,    // random subnormals of the stored type, both signs
  kMantissa,     // 1 + 2^-j, j = 1 + (sum of the coordinates mod 23)
  kCancelling,   // (row) shuffled pairs x, -x(1 +- 1 ulp), |x| in [lo/2, lo]; an odd one out is +0
  kSwamping,     // (row) first element 2^lo, the others hi
  kOffset,       // lo + N(0, hi): mean far above spread
  kDistinct,  // (row) non-zero, exactly representable, pairwise distinct as far as the type goes:
              // 61440 elements of f16, 65024 of bf16, 254 of i8. Rows of a table
  kIndices,   // integer types only: uniform in [lo, hi]
  kPoison,    // pure outputs: a pattern of the type that no kernel writes by accident. Even seed:
              // a quiet NaN, odd seed: a large finite number; integers: two numbers
};
inline constexpr int kFillKindCount = 17;

struct Fill {
  FillKind kind = FillKind::kZero;
  uint64_t seed = 0;
  double lo = 0;
  double hi = 0;
  friend bool operator==(const Fill&, const Fill&) = default;
};

// One element set by hand: its index tuple (missing trailing coordinates are 0) and its bits.
struct Override {
  FixedVector<int32_t, kMaxRank> index;
  uint64_t bits = 0;
  friend bool operator==(const Override&, const Override&) = default;
};

// Which end of the operand abuts the inaccessible page.
enum class Placement : uint8_t { kTail = 0, kHead };

struct Tensor {
  DType dtype = DType::kF32;
  Dims shape;    // may hold zeros; rank 0 is a scalar
  Dims strides;  // elements, same rank as shape; may be 0 or negative; [i] used iff shape[i] > 1
  int64_t offset =
      0;  // elements of canary between the start of the allocation and the lowest element
  int32_t alignment = 0;  // bytes; 0: the element size. Address of the lowest element is a multiple
  int32_t misalignment =
      0;  // bytes added to that multiple, a multiple of the element size, < alignment
  Placement placement = Placement::kTail;
  Fill fill;
  FixedVector<Override, kMaxOverrides> overrides;
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

int64_t ElementCount(const Dims& shape);  // product; 1 for rank 0
Dims RowMajorStrides(const Dims& shape);
bool IsContiguous(const Tensor& tensor);  // row-major, dense

// Span of the elements relative to element (0,...,0): lowest and highest offset touched, in
// elements, both inclusive; {0, -1} when the tensor is empty. Error-free: REQUIRES a checked
// tensor.
struct Extent {
  int64_t lowest, highest;
  int64_t size() const { return highest - lowest + 1; }
};
Extent ExtentOf(const Dims& shape, const Dims& strides);
// True when two different index tuples share an address (zero strides, overlapping windows). Exact
// for rank <= 2 and for the usual nested layouts, conservative (true) otherwise.
bool Overlaps(const Dims& shape, const Dims& strides);

}  // namespace assay
