// SPDX-License-Identifier: Apache-2.0
//
// The ranks as the adapter sees them: processes of Open MPI's launcher, started once, that carry
// out one order at a time over shared memory. Knows nothing of tensors.
#pragma once

#include <sys/types.h>

#include <string>

#include "contracts/result.h"
#include "engine/backends/mpi/hand_off.h"

namespace assay::mpi {

// One thread at a time. A world that has lost a rank is started anew by the next Start.
class World {
 public:
  // `programs` is the folder of the ranks' program; `algorithm` one of Algorithms(), or empty for
  // the library's own choice.
  World(std::string programs, std::string algorithm);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // What the library says about itself; an Error where it or its launcher is absent.
  Result<std::string> Version() const;
  // Returns when all ranks wait for orders, at once if they already do.
  Status Start();
  // REQUIRES a successful Start. The inputs and outputs of `order` lie in the areas of page().
  Status Run(const Order& order);
  Page* page() const { return page_; }

 private:
  bool Ended();
  void Stop(bool in_order);

  std::string programs_, algorithm_;
  Page* page_ = nullptr;
  int memory_ = -1, log_ = -1;
  pid_t launcher_ = -1;
  std::string end_;  // how the launcher ended
};

// Names of all_reduce's algorithms in the library's "tuned" component, from its number 1 on.
inline constexpr std::string_view kAlgorithms[] = {"linear", "nonoverlapping", "doubling",
                                                   "ring",   "segmented_ring", "rabenseifner"};

}  // namespace assay::mpi
