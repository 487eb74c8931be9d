// SPDX-License-Identifier: Apache-2.0
//
// Bytes to Case and back. Total: every input decodes to a checked case or gives a reason. The form
// is canonical: Encode(Decode(b)) == b for every accepted b. The same bytes are the fuzzer's input,
// so decoding is the first thing in the hot loop and allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "contracts/case.h"
#include "contracts/operator.h"

namespace assay {

enum class Reject : uint8_t {
  kNone = 0,
  kNotACase,
  kVersion,
  kTruncated,
  kTrailing,
  kUnknownOperator,
  kBadField,
  kNotCanonical,
  kBadShape,
  kTooLarge,
};
inline constexpr int kRejectCount = 10;
std::string_view NameOf(Reject reject);

// On kNone, `value` is checked and `dims` are its dimensions; nothing was allocated. Otherwise both
// are unspecified. A case's text line is no binary case (kNotACase).
Reject Decode(std::span<const uint8_t> bytes, Case& value, NamedDims& dims);
// Bytes written, or 0 when they do not fit in `out`. kMaxEncodedSize always suffices.
inline constexpr size_t kMaxEncodedSize = 4096;
size_t Encode(const Case& value, std::span<uint8_t> out);

}  // namespace assay
