// SPDX-License-Identifier: Apache-2.0
//
// Hits per raw key in a file mapped by every worker: kill -9 loses none, and no process needs to
// write anything at its end. Adding to a key that is there costs no system call and no lock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contracts/result.h"

namespace assay {

// File: a header of 64 bytes, then kCapacity slots of 64 bytes of key (zero-padded) and 8 bytes of
// count. Order of slots is order of first hit. Safe for any number of processes; one object is for
// one thread. Movable, not copyable: it owns the mapping.
class HitCounters {
 public:
  static constexpr int kCapacity = 4096;
  static constexpr size_t kMaxKey = 63;
  // Where hits of new keys go once the table is full.
  static constexpr std::string_view kOther = "other";

  // Creates the file when it is not there. Error: it cannot be written, or is no such table.
  static Result<HitCounters> Map(const std::string& path);
  // The counts as they are now, sorted by key, from a file that may be read-only. No file: none.
  static Result<std::vector<std::pair<std::string, uint64_t>>> Read(const std::string& path);

  HitCounters(HitCounters&& other) noexcept;
  HitCounters& operator=(HitCounters&& other) noexcept;
  ~HitCounters();

  // Adds one; returns the count before. REQUIRES 1 to kMaxKey characters, none of them zero.
  uint64_t Add(std::string_view raw_key);
  uint64_t CountOf(std::string_view raw_key) const;
  std::vector<std::pair<std::string, uint64_t>> All() const;  // sorted by key

 private:
  HitCounters(std::string path, void* map) : path_(std::move(path)), map_(map) {}
  int Insert(std::string_view raw_key);

  std::string path_;
  void* map_ = nullptr;
};

}  // namespace assay
