// SPDX-License-Identifier: Apache-2.0
//
// Numbers as text, independent of the locale. Depends only on the element types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "contracts/dtype.h"

namespace assay {

// Text of a value: hexfloat for finite ones ("0x1.8p+1", subnormals normalised: "0x1p-1074"), "0",
// "-0", "inf", "-inf", "nan". ParseReal(PrintReal(x)) == x, bit for bit except for a NaN's sign and
// payload.
std::string PrintReal(double value);

// The stored pattern with what it means: "0x1.8p+1 (3, bits 0x40400000)", "nan (bits 0x7fc00001)",
// "-91 (bits 0xa5)". The decimal is the shortest that reads back as the same pattern of f64 or, for
// the narrower float types, of f32. The pattern has all its leading zeros.
std::string PrintBits(DType type, uint64_t bits);

// Reads the whole text as one number: what PrintReal prints, any hexfloat with or without fraction
// and exponent, any decimal ("-1.5e3"), each rounded once to f64. Nothing for anything else:
// spaces, a leading '+', "infinity", numbers too large for f64 or that would round to zero.
std::optional<double> ParseReal(std::string_view text);

// Reads "0x" and 1 to 16 hexadecimal digits of either case.
std::optional<uint64_t> ParseBits(std::string_view text);

}  // namespace assay
