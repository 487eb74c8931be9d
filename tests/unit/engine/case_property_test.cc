// SPDX-License-Identifier: Apache-2.0
//
// Properties of the text of a case, over cases the mutators make: it comes back in both styles,
// with any backend names, and the parser is total on damaged lines.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "engine/mutate.h"

namespace assay {
namespace {

MutationSpace Everything() {
  MutationSpace space;
  for (const OperatorDef& def : Operators()) space.ops.push_back(def.id);
  return space;
}

CaseLine AnyLine() {
  const MutationSpace space = Everything();
  CaseLine line{FreshCase(space, *rc::gen::arbitrary<uint64_t>()), {}};
  for (const uint64_t seed : *rc::gen::arbitrary<std::vector<uint64_t>>()) {
    Mutate(line.value, space, seed);
  }
  line.backends = *rc::gen::container<std::vector<std::string>>(
      rc::gen::nonEmpty(rc::gen::string<std::string>()));
  return line;
}

RC_GTEST_PROP(CaseText, ComesBackInBothStyles, ()) {
  const CaseLine line = AnyLine();
  for (const CaseStyle style : {CaseStyle::kShort, CaseStyle::kFull}) {
    const std::string text = PrintCase(line, style);
    RC_ASSERT(text.find_first_of("$`\\!\"\n") == std::string::npos);
    const Result<CaseLine> back = ParseCase(text);
    RC_ASSERT(back.ok());
    RC_ASSERT(back.value() == line);
  }
}

RC_GTEST_PROP(CaseText, ParsesToACheckedCaseOrAnErrorWithAPlaceWhateverHappensToTheLine, ()) {
  std::string text = PrintCase(AnyLine(), *rc::gen::element(CaseStyle::kShort, CaseStyle::kFull));
  const int edits = *rc::gen::inRange(1, 6);
  for (int i = 0; i < edits; ++i) {
    const size_t at = *rc::gen::inRange<size_t>(0, text.size());
    const size_t length = *rc::gen::inRange<size_t>(0, 8);
    text.replace(at, length, *rc::gen::string<std::string>());
  }
  const Result<CaseLine> line = ParseCase(text);
  if (line.ok()) {
    RC_ASSERT(CheckCase(line.value().value).ok());
    const Result<CaseLine> again = ParseCase(PrintCase(line.value()));
    RC_ASSERT(again.ok());
    RC_ASSERT(again.value() == line.value());
  } else {
    RC_ASSERT(line.error().where.starts_with("column "));
    RC_ASSERT(!line.error().what.empty());
  }
}

}  // namespace
}  // namespace assay
