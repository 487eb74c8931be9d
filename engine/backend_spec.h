// SPDX-License-Identifier: Apache-2.0
//
// The text that names a backend, taken apart: name[:argument][#key=value[,key=value]...], or the
// path of a plug-in. Only the form; what names and keys mean is in backend.cc.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contracts/result.h"

namespace assay {

struct BackendSpec {
  std::string name;      // "plugin" for a path
  std::string argument;  // after ':', or the path
  std::vector<std::pair<std::string, std::string>> options;

  // Value of an option, or empty.
  std::string_view Option(std::string_view key) const;
  // What follows '#', or empty.
  std::string OptionText() const;
  std::string Text() const;
};

// Errors: where = the text, what, remedy. A path has a '/' before any ':' or ends in ".so".
Result<BackendSpec> ParseBackendSpec(std::string_view text);

}  // namespace assay
