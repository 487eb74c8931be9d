// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the line of a case. What parses must print and parse back to itself. Findings are
// crashes, hangs and leaks.
#include <cstdint>
#include <string_view>

#include "contracts/case.h"
#include "contracts/invariant.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const assay::Result<assay::CaseLine> line =
      assay::ParseCase(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!line.ok()) return 0;
  for (const assay::CaseStyle style : {assay::CaseStyle::kShort, assay::CaseStyle::kFull}) {
    const assay::Result<assay::CaseLine> again =
        assay::ParseCase(assay::PrintCase(line.value(), style));
    ASSAY_CHECK(again.ok(), "what was printed parses");
    ASSAY_CHECK(again.value() == line.value(), "a case survives being printed");
  }
  return 0;
}
