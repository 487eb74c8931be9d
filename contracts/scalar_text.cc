// SPDX-License-Identifier: Apache-2.0
//
// Numbers of a case's line by std::to_chars and std::from_chars: no locale.
#include "contracts/scalar_text.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "contracts/number_text.h"

namespace assay {
namespace {

constexpr uint64_t kQuietNan = 0x7ff8000000000000;

template <class T>
std::string Shortest(T value) {
  std::array<char, 24> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), end.ptr);
}

template <class T>
bool ReadWhole(std::string_view word, T& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

std::string BitsText(uint64_t bits, int digits) {
  std::array<char, 16> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), bits, 16);
  const std::string text(buffer.data(), end.ptr);
  const size_t width = static_cast<size_t>(digits);
  return "0x" + std::string(text.size() < width ? width - text.size() : 0, '0') + text;
}

// Hexfloats of a line always have a fraction or an exponent, so that bits can go without a mark.
bool ReadBits(std::string_view word, uint64_t& bits) {
  if (word.find_first_of(".pP") != std::string_view::npos) return false;
  const std::optional<uint64_t> read = ParseBits(word);
  bits = read.value_or(0);
  return read.has_value();
}

}  // namespace

std::string DecimalText(int32_t value) { return Shortest(value); }
std::string DecimalText(int64_t value) { return Shortest(value); }
std::string DecimalText(uint64_t value) { return Shortest(value); }
bool ReadDecimalText(std::string_view word, int32_t& value) { return ReadWhole(word, value); }
bool ReadDecimalText(std::string_view word, int64_t& value) { return ReadWhole(word, value); }
bool ReadDecimalText(std::string_view word, uint64_t& value) { return ReadWhole(word, value); }

std::string NumberText(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  if (value != value && bits != kQuietNan) return BitsText(bits, 16);
  const bool integer = std::fabs(value) < 0x1p53 && value == std::trunc(value);
  if (!integer || value == 0) return PrintReal(value);
  return Shortest(static_cast<int64_t>(value));
}

bool ReadNumberText(std::string_view word, double& value) {
  uint64_t bits = 0;
  if (ReadBits(word, bits)) {
    value = std::bit_cast<double>(bits);
    return true;
  }
  const std::optional<double> real = ParseReal(word);
  value = real.value_or(0);
  return real.has_value();
}

std::string ElementText(DType type, uint64_t bits) {
  if (!IsFloat(type)) return Shortest(DecodeInteger(type, bits));
  const double value = Decode(type, bits);
  if (Encode(type, value) != bits) return BitsText(bits, 2 * SizeOf(type));
  return value != value ? "nan" : NumberText(value);
}

bool ReadElementText(DType type, std::string_view word, uint64_t& bits) {
  if (ReadBits(word, bits)) return true;
  if (!IsFloat(type)) {
    int64_t integer = 0;
    if (!ReadWhole(word, integer)) return false;
    bits = EncodeInteger(type, integer);
    return DecodeInteger(type, bits) == integer;
  }
  const std::optional<double> real = ParseReal(word);
  if (!real) return false;
  bits = Encode(type, *real);
  return !std::isfinite(*real) || std::isfinite(Decode(type, bits));
}

}  // namespace assay
