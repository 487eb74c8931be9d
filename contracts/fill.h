// SPDX-License-Identifier: Apache-2.0
//
// The generators behind FillKind, one row of the last axis at a time. Internal to contracts/;
// everyone else calls MakeValues or FillBits (contracts/values.h). Uses only +, -, *, / on doubles,
// never a libm function, so that a case means the same bits on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "contracts/dtype.h"
#include "contracts/tensor.h"

namespace assay {

// Total: any parameters, any type, any shape give some pattern of the type. A kind that yields
// reals gives an integer type the nearest integer the type holds. Holds no buffer; not thread-safe.
class RowFiller {
 public:
  RowFiller(const Fill& fill, DType type, std::span<const int64_t> shape);

  // Chooses the row by all coordinates but the last. A scalar is one row of one element.
  void Start(std::span<const int64_t> leading);

  // Patterns of the elements first, first + 1, ... of the row.
  void Write(int64_t first, std::span<uint64_t> bits) const;

 private:
  // What Write leaves in `bits` before the last step: a double, an int64_t or the pattern itself.
  enum class Stage { kReal, kInteger, kPattern };
  Stage WriteStage(int64_t first, std::span<uint64_t> bits) const;

  void PrepareOperand();
  void PlaceNonZeros();
  void PrepareDistinct();
  void PrepareShuffle();

  uint64_t Hash(int64_t column) const;
  double Uniform(int64_t column) const;
  double Normal(int64_t column) const;
  int64_t Integer(int64_t column) const;
  double Sparse(int64_t column) const;
  double WithExponent(int64_t column) const;
  double Subnormal(int64_t column) const;
  double Cancelling(int64_t column) const;
  uint64_t Distinct(int64_t column) const;
  int64_t Shuffled(int64_t column) const;

  const Fill fill_;
  const DType type_;
  const FormatInfo& format_;  // f64 for integer types
  const Format format_id_;
  std::span<const int64_t> shape_;
  int64_t length_ = 1;  // of a row

  // Of the operand.
  uint64_t seed_key_ = 0;
  double top_ = 0;  // kUniform: the largest value below hi; kCancelling: magnitude
  int64_t lowest_ = 0, highest_ = 0;  // kIntegers, kIndices, kExponents: ends of the range
  uint64_t magnitudes_ = 1, first_magnitude_ = 0, stride_ = 0, start_ = 0;  // kDistinct

  // Of the row.
  uint64_t key_ = 0;
  int64_t coordinate_sum_ = 0;
  int64_t row_ = 0;                  // row-major number of the row
  std::array<int64_t, 4> places_{};  // kSparse
  int place_count_ = 0;
  std::array<uint64_t, 6> shuffle_{};  // kCancelling
  uint64_t pair_key_ = 0;
};

}  // namespace assay
