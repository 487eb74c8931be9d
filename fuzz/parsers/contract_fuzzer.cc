// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a contract file: parser and formatter. What parses must format, and formatting must
// be a fixed point. Findings are crashes, hangs and leaks.
#include <cstdint>
#include <string_view>

#include "contracts/invariant.h"
#include "contracts/language/format.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const assay::Result<std::string> once = assay::FormatSource("fuzz.kc", text);
  if (!once.ok()) return 0;
  const assay::Result<std::string> twice = assay::FormatSource("fuzz.kc", once.value());
  ASSAY_CHECK(twice.ok(), "what was formatted parses");
  ASSAY_CHECK(twice.value() == once.value(), "formatting again changes nothing");
  return 0;
}
