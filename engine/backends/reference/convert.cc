// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

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

// Toward zero; out of range the nearest bound, NaN 0.
int64_t Saturated(double value, DType type) {
  const IntegerLimits limits = LimitsOf(type);
  if (std::isnan(value)) return 0;
  // The bound of i64 is no double; the next one, 2^63, is out of range as well.
  if (value >= static_cast<double>(limits.highest)) return limits.highest;
  return value <= static_cast<double>(limits.lowest) ? limits.lowest : static_cast<int64_t>(value);
}

// The integer as the sum of two doubles, the second within half an ulp of the first.
struct TwoDoubles {
  explicit TwoDoubles(int64_t value) {
    const double upper = static_cast<double>(value >> 32) * 0x1p32;
    const double lower = static_cast<double>(value & 0xffffffff);
    high = upper + lower;
    low = lower - (high - upper);
  }
  double high, low;
};

// "saturating" is a word of the 8-bit floats; the wider ones overflow as IEEE 754 says.
uint64_t Encoded(double high, double low, DType type, bool saturating) {
  const FormatInfo& format = InfoOf(FormatOf(type));
  const double rounded = RoundSum(FormatOf(type), high, low);
  const bool overflows = !std::isnan(high) && !(std::fabs(rounded) <= format.largest);
  if (saturating && SizeOf(type) == 1 && overflows) {
    return Encode(type, std::copysign(format.largest, high));
  }
  return Encode(type, rounded);
}

uint64_t FromReal(double value, DType type, bool saturating) {
  if (IsFloat(type)) return Encoded(value, 0, type, saturating);
  return EncodeInteger(type, Saturated(value, type));
}

uint64_t FromInteger(int64_t value, DType type, bool saturating) {
  if (IsFloat(type)) {
    const TwoDoubles sum(value);
    return Encoded(sum.high, sum.low, type, saturating);
  }
  const IntegerLimits limits = LimitsOf(type);
  if (saturating) value = std::clamp(value, limits.lowest, limits.highest);
  return static_cast<uint64_t>(value);  // Put keeps the low bits
}

}  // namespace

void Cast(const AssayCall& call) {
  const Elements x(call.operands[0]), out(call.operands[1]);
  const bool saturating = call.attributes[0] == 0;
  for (int64_t i = 0; i < call.operands[0].shape[0]; ++i) {
    const uint64_t bits = x.Get(i);
    out.Put(IsFloat(x.type()) ? FromReal(Decode(x.type(), bits), out.type(), saturating)
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
