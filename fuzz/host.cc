// SPDX-License-Identifier: Apache-2.0
//
// `assay-host`: the process of a backend module that is not loaded beside the others. Started by
// the engine, never by hand.
#include "engine/hosted.h"

int main(int argc, char** argv) { return assay::RunHost(argc, argv); }
