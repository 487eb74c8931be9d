// SPDX-License-Identifier: Apache-2.0
//
// The canonical layout of contract and profile files. Lines, comments and single blank lines stay;
// indentation and the spaces between words are decided here. Meaning is layout and words, and both
// are kept: the result parses to the same tree, and formatting it again changes nothing.
#pragma once

#include <string>
#include <string_view>

#include "contracts/result.h"

namespace assay {

// An Error carries the diagnostics of a text that does not parse: nothing is guessed at.
Result<std::string> FormatSource(const std::string& path, std::string_view text);

}  // namespace assay
