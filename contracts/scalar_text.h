// SPDX-License-Identifier: Apache-2.0
//
// The text of single numbers inside a case's line, both ways. Independent of the locale, which a
// library under test may have set. PrintReal and PrintBits (contracts/case.h) are implemented here
// too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "contracts/dtype.h"

namespace assay {

std::string DecimalText(int32_t value);
std::string DecimalText(int64_t value);
std::string DecimalText(uint64_t value);
// "0x" and at least `digits` hex digits.
std::string HexText(uint64_t bits, int digits);

// A double: integers below 2^53 in decimal, everything else as PrintReal.
std::string NumberText(double value);
// Reads what NumberText and PrintReal print, any decimal or hex float, and 0x... without exponent
// as the bits of a double. False: not a number.
bool ReadNumberText(std::string_view word, double& value);
bool ReadDecimalText(std::string_view word, int64_t& value);
bool ReadDecimalText(std::string_view word, int32_t& value);
bool ReadDecimalText(std::string_view word, uint64_t& value);

// A stored element: its number when that names the very bits, otherwise 0x and the bits.
std::string ElementText(DType type, uint64_t bits);
// False: no value of the type; finite numbers beyond its range are none. Bits may be too wide.
bool ReadElementText(DType type, std::string_view word, uint64_t& bits);

}  // namespace assay
