// SPDX-License-Identifier: Apache-2.0
//
// What the OpenCL adapters share: a device with a queue, and copies of a call's operands in its
// memory. Depends on OpenCL and the C table alone.
#pragma once

#include <CL/cl.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "contracts/result.h"
#include "engine/include/assay/backend.h"

namespace assay::opencl {

class Device {
 public:
  // The first device of the first platform with double precision. PoCL is asked for its device
  // without threads, and keeps compiled kernels under `cache` unless the environment says where.
  static Result<std::unique_ptr<Device>> Open(const std::string& cache);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  cl_context context() const { return context_; }
  cl_device_id id() const { return id_; }
  cl_command_queue& queue() { return queue_; }
  // Of the platform, as it says: "OpenCL 3.0 PoCL 3.1+debian".
  const std::string& version() const { return version_; }
  const std::string& name() const { return name_; }
  // Both precisions keep subnormals, as the device says.
  bool keeps_subnormals() const { return keeps_subnormals_; }

 private:
  Device() = default;
  cl_device_id id_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  std::string version_, name_;
  bool keeps_subnormals_ = false;
};

// Copies of the bytes from an operand's lowest to its highest element, gaps included: what a kernel
// writes between elements comes back. Behind them lie bytes that are NaN, so that a read past the
// end shows in the answer. Memory is kept from call to call.
class Operands {
 public:
  explicit Operands(Device& device) : device_(device) {}
  ~Operands();
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;

  // CL_SUCCESS, or the first error.
  cl_int Upload(const AssayCall& call);
  cl_int Download(const AssayTensor& tensor, int operand);
  // Of operand i of the last upload: its memory, and the elements in it before element 0.
  cl_mem memory(int i) const { return slots_[static_cast<size_t>(i)].memory; }
  int64_t offset(int i) const { return slots_[static_cast<size_t>(i)].offset; }

 private:
  struct Slot {
    cl_mem memory = nullptr;
    size_t capacity = 0;
    int64_t offset = 0;
  };
  Device& device_;
  std::array<Slot, 8> slots_;
  std::vector<char> staged_;
};

// Folder of the module that holds `address`.
std::string FolderOf(const void* address);

}  // namespace assay::opencl
