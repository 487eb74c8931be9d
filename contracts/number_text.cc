// SPDX-License-Identifier: Apache-2.0
//
// Numbers as text. Uses only <charconv>, never the locale or iostreams.
#include "contracts/number_text.h"

#include <array>
#include <bit>
#include <charconv>
#include <limits>
#include <system_error>

#include "contracts/format_bits.h"

namespace assay {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

// `digits` hexadecimal digits of `bits`, leading zeros kept.
std::string Hex(uint64_t bits, int digits) {
  std::string text(static_cast<size_t>(digits), '0');
  for (int i = digits - 1; i >= 0; --i, bits >>= 4)
    text[static_cast<size_t>(i)] = kHexDigits[bits & 15];
  return text;
}

template <class Number>
std::string Shortest(Number value) {
  std::array<char, 64> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), result.ptr);
}

std::string PrintMagnitude(uint64_t magnitude) {
  int exponent = static_cast<int>(magnitude >> 52) - 1023;
  uint64_t fraction = magnitude & format_bits::kFraction64;
  if (exponent == -1023) {
    const int shift = std::countl_zero(fraction) - 11;
    fraction = (fraction << shift) & format_bits::kFraction64;
    exponent = -1022 - shift;
  }
  std::string text = "0x1";
  if (fraction != 0) {
    text += '.' + Hex(fraction, 13);
    text.resize(text.find_last_not_of('0') + 1);
  }
  return text + (exponent < 0 ? "p" : "p+") + Shortest(exponent);
}

bool StartsNumber(std::string_view text) {
  return !text.empty() && ((text[0] >= '0' && text[0] <= '9') || text[0] == '.');
}

bool TakeHexPrefix(std::string_view& text) {
  if (text.size() < 3 || text[0] != '0' || (text[1] | 0x20) != 'x') return false;
  text.remove_prefix(2);
  return true;
}

template <class Number, class Form>
std::optional<Number> ReadAll(std::string_view text, Form form) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value, form);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

// A finite number without sign.
std::optional<double> ParseUnsigned(std::string_view text) {
  const bool hex = TakeHexPrefix(text);
  const char first = text.empty() ? '\0' : static_cast<char>(text[0] | 0x20);
  // from_chars would also read a sign, "inf" and "nan" here.
  if (!StartsNumber(text) && !(hex && first >= 'a' && first <= 'f')) return std::nullopt;
  return ReadAll<double>(text, hex ? std::chars_format::hex : std::chars_format::general);
}

}  // namespace

std::string PrintReal(double value) {
  const uint64_t magnitude = format_bits::BitsOf(value) & ~format_bits::kSign64;
  if (magnitude > format_bits::kInfinity64) return "nan";
  const std::string sign = magnitude == format_bits::BitsOf(value) ? "" : "-";
  if (magnitude == format_bits::kInfinity64) return sign + "inf";
  return sign + (magnitude == 0 ? "0" : PrintMagnitude(magnitude));
}

std::string PrintBits(DType type, uint64_t bits) {
  const int size = SizeOf(type);
  const std::string pattern = "bits 0x" + Hex(bits, 2 * size) + ")";
  if (!IsFloat(type)) return Shortest(DecodeInteger(type, bits)) + " (" + pattern;
  const double value = Decode(type, bits);
  const ClassSet value_class = ClassOf(value);
  if (value_class != kClassFinite) return PrintReal(value) + " (" + pattern;
  const std::string decimal =
      type == DType::kF64 ? Shortest(value) : Shortest(static_cast<float>(value));
  return PrintReal(value) + " (" + decimal + ", " + pattern;
}

std::optional<double> ParseReal(std::string_view text) {
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  const std::optional<double> magnitude =
      text == "inf" ? std::optional(format_bits::kInfinity) : ParseUnsigned(text);
  if (!magnitude) return std::nullopt;
  return negative ? -*magnitude : *magnitude;
}

std::optional<uint64_t> ParseBits(std::string_view text) {
  if (!TakeHexPrefix(text)) return std::nullopt;
  return ReadAll<uint64_t>(text, 16);
}

}  // namespace assay
