// SPDX-License-Identifier: Apache-2.0
//
// The exact tier: a fixed-point number wide enough for every sum of products of doubles, subnormals
// included, and for that sum times a double plus another such product (Kulisch's long accumulator).
#pragma once

#include <array>
#include <cstdint>

#include "oracles/enclosure.h"

namespace assay {

// Digits of 32 bits in signed 64-bit places, so that carries are settled only when a value is read.
// Lowest bit 2^-3296 (a product of three subnormals is at least 2^-3222), highest beyond 2^3232
// (2^21 products of three doubles stay below 2^3093). At most 2^30 additions between two reads. Not
// thread-safe; about 1.6 kB.
class LongAccumulator {
 public:
  LongAccumulator() { digits_.fill(0); }

  void Clear();
  void Add(double x);                   // REQUIRES finite
  void AddProduct(double a, double b);  // exact a * b; REQUIRES finite
  void Multiply(double factor);         // exact; REQUIRES finite, at most once since Clear

  int Sign();  // -1, 0, 1
  // Nearest double, ties to even, +-Inf from the overflow threshold; +0 for zero.
  double Round();
  double RoundUp();  // least double >= value
  // Value as hi + lo +- radius and zero afterwards; radius 0 whenever two doubles hold it. hi is
  // infinite only where the value rounds to infinity.
  Enclosure Take();
  Enclosure Peek();  // the same, and the value stays

 private:
  static constexpr int kDigits = 208;
  static constexpr int kBias = 3296;  // weight of bit 0 is 2^-kBias

  void AddDigits(uint64_t low, uint64_t high, uint64_t top, int digit, int64_t sign);
  void AddWide(uint64_t low, uint64_t high, int position, bool negative);
  void Unsettle();
  void Settle();  // digits in [0, 2^32), sign in negative_

  std::array<int64_t, kDigits> digits_;
  int lowest_ = kDigits, highest_ = -1;  // digits that may be non-zero
  bool negative_ = false, settled_ = true;
};

}  // namespace assay
