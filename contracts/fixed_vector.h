// SPDX-License-Identifier: Apache-2.0
//
// A vector with inline storage and a fixed capacity, so that a Case is one flat copyable value and
// decoding allocates nothing. Only for trivially copyable elements.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <type_traits>

#include "contracts/invariant.h"

namespace assay {

template <class T, int kCapacity>
class FixedVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  FixedVector() = default;
  FixedVector(std::initializer_list<T> items) {
    for (const T& item : items) push_back(item);
  }

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == kCapacity; }
  static constexpr int capacity() { return kCapacity; }
  void clear() { size_ = 0; }
  void resize(int size, T fill = T{}) {
    ASSAY_CHECK(size >= 0 && size <= kCapacity, "FixedVector::resize beyond capacity");
    for (int i = size_; i < size; ++i) items_[i] = fill;
    size_ = size;
  }
  void push_back(const T& item) {
    ASSAY_CHECK(size_ < kCapacity, "FixedVector::push_back beyond capacity");
    items_[size_++] = item;
  }
  void pop_back() { --size_; }
  void erase(int at) {
    std::copy(items_.begin() + at + 1, items_.begin() + size_, items_.begin() + at);
    --size_;
  }

  T& operator[](int i) { return items_[i]; }
  const T& operator[](int i) const { return items_[i]; }
  T& back() { return items_[size_ - 1]; }
  const T& back() const { return items_[size_ - 1]; }
  T* begin() { return items_.data(); }
  T* end() { return items_.data() + size_; }
  const T* begin() const { return items_.data(); }
  const T* end() const { return items_.data() + size_; }
  const T* data() const { return items_.data(); }

  friend bool operator==(const FixedVector& a, const FixedVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::array<T, kCapacity> items_{};
  int size_ = 0;
};

}  // namespace assay
