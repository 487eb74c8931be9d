// SPDX-License-Identifier: Apache-2.0
//
// The commands of the program, one file each (cmd_<name>.cc).
#pragma once

#include "fuzz/cli.h"

namespace assay {

Command AddList(CLI::App& app);
Command AddCheck(CLI::App& app);
Command AddCalibrate(CLI::App& app);
Command AddFuzz(CLI::App& app);
Command AddRepro(CLI::App& app);
Command AddMinimize(CLI::App& app);
Command AddReport(CLI::App& app);
Command AddCorpus(CLI::App& app);

}  // namespace assay
