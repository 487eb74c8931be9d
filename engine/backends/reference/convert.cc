// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "engine/backends/reference/formats.h"
#include "engine/backends/reference/kernels.h"

namespace assay::reference {
namespace {

// The bits of one element of a vector of any type.
class Elements {
 public:
  explicit Elements(const AssayTensor& tensor)
      : element0_(static_cast<char*>(tensor.data) + tensor.byte_offset),
        type_(TypeOf(tensor)),
        stride_bytes_(tensor.shape[0] > 1 ? tensor.strides[0] * SizeOf(type_) : 0),
        size_(static_cast<size_t>(SizeOf(type_))) {}

  DType type() const { return type_; }
  uint64_t Get(int64_t i) const {
    uint64_t bits = 0;
    std::memcpy(&bits, element0_ + i * stride_bytes_, size_);
    return bits;
  }
  void Put(uint64_t bits, int64_t i) const {
    std::memcpy(element0_ + i * stride_bytes_, &bits, size_);
  }

 private:
  char* element0_;
  DType type_;
  int64_t stride_bytes_;
  size_t size_;
};

int64_t LargestOf(DType type) {
  return std::numeric_limits<int64_t>::max() >> (64 - 8 * SizeOf(type));
}

// Toward zero; out of range the nearest bound, NaN 0.
int64_t Saturated(double value, DType type) {
  const int64_t largest = LargestOf(type);
  const double beyond = std::ldexp(1, 8 * SizeOf(type) - 1);
  if (std::isnan(value)) return 0;
  if (value >= beyond) return largest;
  return value <= -beyond ? -largest - 1 : static_cast<int64_t>(value);
}

// One rounding of the integer, which need not be a double: the sum of two that are.
uint64_t EncodeReal(DType type, int64_t value) {
  const double high = static_cast<double>(value >> 32) * 0x1p32;
  const double low = static_cast<double>(value & 0xffffffff);
  const double sum = high + low;
  return Encode(type, RoundSum(FormatOf(type), sum, low - (sum - high)));
}

uint64_t FromReal(double value, DType type) {
  return IsFloat(type) ? Encode(type, value) : EncodeInteger(type, Saturated(value, type));
}

uint64_t FromInteger(int64_t value, DType type, bool saturating) {
  if (IsFloat(type)) return EncodeReal(type, value);
  const int64_t largest = LargestOf(type);
  if (saturating && value > largest) value = largest;
  if (saturating && value < -largest - 1) value = -largest - 1;
  return static_cast<uint64_t>(value);  // Put keeps the low bits
}

}  // namespace

void Cast(const AssayCall& call) {
  const Elements x(call.operands[0]), out(call.operands[1]);
  const bool saturating = call.attributes[0] == 0;
  for (int64_t i = 0; i < call.operands[0].shape[0]; ++i) {
    const uint64_t bits = x.Get(i);
    out.Put(IsFloat(x.type()) ? FromReal(Decode(x.type(), bits), out.type())
                              : FromInteger(DecodeInteger(x.type(), bits), out.type(), saturating),
            i);
  }
}

void Quantize(const AssayCall& call) {
  const View<F32> x(call.operands[0]);
  const Elements out(call.operands[1]);
  const float scale = static_cast<float>(call.attributes[0]);
  for (int64_t i = 0; i < x.extent(0); ++i) {
    const double steps = std::nearbyint(x.Get(i) / scale);  // half to even
    out.Put(EncodeInteger(out.type(), Saturated(steps + call.attributes[1], out.type())), i);
  }
}

void Dequantize(const AssayCall& call) {
  const Elements x(call.operands[0]);
  const View<F32> out(call.operands[1]);
  const float scale = static_cast<float>(call.attributes[0]);
  for (int64_t i = 0; i < out.extent(0); ++i) {
    const int64_t steps =
        DecodeInteger(x.type(), x.Get(i)) - static_cast<int64_t>(call.attributes[1]);
    out.Put(static_cast<float>(steps) * scale, i);
  }
}

}  // namespace assay::reference
