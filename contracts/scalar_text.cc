// SPDX-License-Identifier: Apache-2.0
//
// Numbers to text and back by std::to_chars and std::from_chars, since printf and strtod follow the
// locale.
#include "contracts/scalar_text.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "contracts/case.h"

namespace assay {
namespace {

constexpr uint64_t kQuietNan = 0x7ff8000000000000;

template <class T>
std::string Shortest(T value) {
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), end.ptr);
}

std::string HexFloat(double value) {
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(value),
                                 std::chars_format::hex);
  return (std::signbit(value) ? "-0x" : "0x") + std::string(buffer.data(), end.ptr);
}

// An integer or unsigned integer in decimal, whole word.
template <class T>
bool ReadDecimalWord(std::string_view word, T& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

// "0x" and hex digits without an exponent: a bit pattern.
bool ReadBits(std::string_view word, uint64_t& bits) {
  if (!word.starts_with("0x") || word.find_first_of(".pP") != std::string_view::npos) return false;
  word.remove_prefix(2);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), bits, 16);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

std::string DecimalText(int32_t value) { return Shortest(value); }
std::string DecimalText(int64_t value) { return Shortest(value); }
std::string DecimalText(uint64_t value) { return Shortest(value); }

std::string HexText(uint64_t bits, int digits) {
  std::array<char, 16> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), bits, 16);
  const std::string text(buffer.data(), end.ptr);
  const size_t width = static_cast<size_t>(digits);
  return "0x" + std::string(text.size() < width ? width - text.size() : 0, '0') + text;
}

std::string NumberText(double value) {
  const bool integer = std::fabs(value) < 0x1p53 && value == std::trunc(value);
  if (!integer || value == 0) return PrintReal(value);
  return Shortest(static_cast<int64_t>(value));
}

bool ReadDecimalText(std::string_view word, int64_t& value) { return ReadDecimalWord(word, value); }
bool ReadDecimalText(std::string_view word, int32_t& value) { return ReadDecimalWord(word, value); }
bool ReadDecimalText(std::string_view word, uint64_t& value) {
  return ReadDecimalWord(word, value);
}

bool ReadNumberText(std::string_view word, double& value) {
  uint64_t bits = 0;
  if (ReadBits(word, bits)) {
    value = std::bit_cast<double>(bits);
    return true;
  }
  const bool negative = word.starts_with('-');
  if (negative) word.remove_prefix(1);
  if (word == "nan" && !negative) {
    value = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  if (word == "inf") {
    value = negative ? -HUGE_VAL : HUGE_VAL;
    return true;
  }
  const bool hex = word.starts_with("0x");
  if (hex) word.remove_prefix(2);
  // from_chars takes a sign, "infinity" and "nan(...)" of its own; a number here starts with a
  // digit.
  if (word.empty() || (!hex && !(word[0] >= '0' && word[0] <= '9') && word[0] != '.')) return false;
  if (hex && (word[0] == '-' || word[0] == '+' || word[0] == 'i' || word[0] == 'n')) return false;
  const auto format = hex ? std::chars_format::hex : std::chars_format::general;
  double magnitude = 0;
  const auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), magnitude, format);
  if (error != std::errc() || end != word.data() + word.size()) return false;
  value = negative ? -magnitude : magnitude;
  return true;
}

std::string ElementText(DType type, uint64_t bits) {
  if (!IsFloat(type)) return Shortest(DecodeInteger(type, bits));
  const double value = Decode(type, bits);
  // NaNs other than the quiet one that Encode gives keep their sign and payload as bits.
  if (Encode(type, value) != bits || (value != value && std::signbit(value))) {
    return HexText(bits, 2 * SizeOf(type));
  }
  return value != value ? "nan" : NumberText(value);
}

bool ReadElementText(DType type, std::string_view word, uint64_t& bits) {
  if (ReadBits(word, bits)) return true;
  if (!IsFloat(type)) {
    int64_t integer = 0;
    if (!ReadDecimalWord(word, integer)) return false;
    bits = EncodeInteger(type, integer);
    return DecodeInteger(type, bits) == integer;
  }
  double real = 0;
  if (!ReadNumberText(word, real)) return false;
  bits = Encode(type, real);
  return !std::isfinite(real) || std::isfinite(Decode(type, bits));
}

std::string PrintReal(double value) {
  if (value != value) {
    const uint64_t bits = std::bit_cast<uint64_t>(value);
    return bits == kQuietNan ? "nan" : HexText(bits, 16);
  }
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (value == 0) return std::signbit(value) ? "-0" : "0";
  return HexFloat(value);
}

std::string PrintBits(DType type, uint64_t bits) {
  const int digits = 2 * SizeOf(type);
  const uint64_t stored = digits == 16 ? bits : bits & ((uint64_t{1} << (4 * digits)) - 1);
  const std::string pattern = "bits " + HexText(stored, digits);
  if (!IsFloat(type)) return Shortest(DecodeInteger(type, stored)) + " (" + pattern + ")";
  const double value = Decode(type, stored);
  if (value != value) return "nan (" + pattern + ")";
  if (std::isinf(value) || value == 0) return PrintReal(value) + " (" + pattern + ")";
  // The shortest decimal that names the value: among floats for the narrower types, which are
  // floats.
  const std::string decimal =
      type == DType::kF64 ? Shortest(value) : Shortest(static_cast<float>(value));
  return HexFloat(value) + " (" + decimal + ", " + pattern + ")";
}

}  // namespace assay
