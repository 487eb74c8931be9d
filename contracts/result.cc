// SPDX-License-Identifier: Apache-2.0
//
// The text of an Error. Must not depend on anything of ours but contracts/result.h.
#include "contracts/result.h"

namespace assay {

std::string Error::Text() const {
  std::string text;
  if (!where.empty()) text += where + ": ";
  text += what;
  if (!remedy.empty()) text += " (" + remedy + ")";
  return text;
}

}  // namespace assay
