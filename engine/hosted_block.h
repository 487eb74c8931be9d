// SPDX-License-Identifier: Apache-2.0
//
// What a hosted module's process shares with the one it serves. One byte through a pipe hands the
// block over, one byte hands it back; the end of the pipe says that a process is gone. Both are
// builds of the same source, so that layouts agree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "contracts/case.h"
#include "engine/arena.h"
#include "engine/fp_environment.h"
#include "engine/include/assay/backend.h"

namespace assay {

inline constexpr int kHostedBlockFd = 3;
inline constexpr int kHostedRequestFd = 4;
inline constexpr int kHostedReplyFd = 5;
// The byte after opening.
inline constexpr char kHostedOpen = 'o', kHostedRefused = 'r';
// And after a call: it returned; it touched a guard; its operands could not be mapped.
inline constexpr char kHostedReturned = 'r', kHostedTouched = 't', kHostedUnmapped = 'u';

struct HostedText {
  std::array<char, 512> data{};
  size_t size = 0;
};

struct HostedOperand {
  OperandMapping mapping;
  std::byte* data = nullptr;
  uint64_t byte_offset = 0;
  AssayDataType dtype{};
  int32_t ndim = 0;
  std::array<int64_t, kMaxRank> shape{};
  std::array<int64_t, kMaxRank> strides{};
};

struct HostedBlock {
  // Set by the module's process when it is open, with the reason when it is not in `text`.
  std::array<char, 64> family{}, version{}, pins{}, profile{};
  // The call.
  int32_t server = 0;  // process whose files hold the operands
  uint32_t op = 0;
  int32_t attribute_count = 0, operand_count = 0;
  std::array<double, kMaxAttributes> attributes{};
  std::array<HostedOperand, kMaxOperands> operands{};
  uint64_t schedule_seed = 0;
  uint32_t run_number = 0, threads = 0;
  FpControl control;  // before the call, then after it
  // What came of it.
  int32_t status = 0;
  HostedText text;
  volatile std::byte* touched = nullptr;
  bool touched_by_write = false;
};

}  // namespace assay
