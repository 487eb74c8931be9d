// SPDX-License-Identifier: Apache-2.0
//
// How single numbers are written inside a case's line, on top of contracts/number_text.h: integers
// in decimal because alpha=1 reads better than alpha=0x1p+0, and bit patterns where no number names
// the very bits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "contracts/dtype.h"

namespace assay {

std::string DecimalText(int32_t value);
std::string DecimalText(int64_t value);
std::string DecimalText(uint64_t value);
bool ReadDecimalText(std::string_view word, int32_t& value);
bool ReadDecimalText(std::string_view word, int64_t& value);
bool ReadDecimalText(std::string_view word, uint64_t& value);

// A double: integers below 2^53 in decimal, NaNs that are not the positive quiet one without
// payload as bits, everything else as PrintReal.
std::string NumberText(double value);
// Reads what NumberText prints and every number that ParseReal reads; 0x... without fraction and
// exponent is the bits of a double, not a hexfloat. False: not a number.
bool ReadNumberText(std::string_view word, double& value);

// A stored element: its number when that names the very bits, otherwise 0x and the bits.
std::string ElementText(DType type, uint64_t bits);
// False: no value of the type; a finite number beyond its range is none. Bits may be too wide for
// it.
bool ReadElementText(DType type, std::string_view word, uint64_t& bits);

}  // namespace assay
