// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a contract file that is checked beside the built-in suite; what is in order is bound
// to every operator and listed. Findings are crashes, hangs and leaks.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "contracts/effective.h"
#include "contracts/invariant.h"
#include "contracts/suite.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace assay;
  const SourceText source{"fuzz.kc", std::string(reinterpret_cast<const char*>(data), size)};
  std::vector<Diagnostic> diagnostics;
  const auto suite = std::make_shared<const Suite>(
      AssembleSuite(std::span(&source, 1), BuiltinSuite().get(), diagnostics, /*warn=*/true));
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!diagnostic.warning) return 0;
  }
  AtomsOf(*suite);
  for (const OperatorDef& def : Operators()) {
    const DType input = InputTypesOf(def.id).front();
    Bind(suite, def.id, input, OutputTypesOf(def.id, input).front(), Declared{});
  }
  ASSAY_CHECK(EffectiveContract(*suite, "", "").ok(), "no profile is needed to list a suite");
  return 0;
}
