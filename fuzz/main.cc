// SPDX-License-Identifier: Apache-2.0
//
// The entry point of the `assay` program. Must hold no logic of its own beyond choosing a command.
#include <cstdio>

int main() {
  std::fputs("usage: assay <command> [options]\n", stderr);
  return 2;  // Every refusal of the command line exits 2.
}
