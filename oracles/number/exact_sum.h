// SPDX-License-Identifier: Apache-2.0
//
// The referee of sums: the same interface as LongAccumulator, computed by MPFR in a precision that
// holds every such value, and checked to have rounded nothing.
#pragma once

#include <memory>

#include "oracles/enclosure.h"

namespace assay {

class ExactSum {
 public:
  ExactSum();
  ~ExactSum();

  void Clear();
  void Add(double x);
  void AddProduct(double a, double b);
  void Multiply(double factor);
  double RoundUp();  // least double >= value
  Enclosure Take();  // value as hi + lo +- radius; zero afterwards
  Enclosure Peek();  // the same, and the value stays

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay
