// SPDX-License-Identifier: Apache-2.0
//
// `assay list contracts`: the contracts of a suite or, for a backend, its effective contract: every
// clause with the policies it stands on, and every relaxation with its reason.
#pragma once

#include <string>

namespace assay {

struct ContractListing {
  std::string suite;    // directory; "": built in
  std::string backend;  // spec; "": the contracts alone
  std::string assume;   // "", "ieee" or "blas"
  bool json = false;
};

// Prints and gives the exit code.
int ListContracts(const ContractListing& listing);

}  // namespace assay
