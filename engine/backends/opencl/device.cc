// SPDX-License-Identifier: Apache-2.0
#include "engine/backends/opencl/device.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

namespace assay::opencl {
namespace {

constexpr size_t kPadBytes = 64;
constexpr char kInstall[] = "install an OpenCL driver, such as pocl-opencl-icd";

std::string TextOf(cl_platform_id platform, cl_platform_info what) {
  char text[256] = "";
  clGetPlatformInfo(platform, what, sizeof text, text, nullptr);
  return text;
}

std::string NameOf(cl_device_id device) {
  char text[256] = "";
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, nullptr);
  return text;
}

cl_device_fp_config Config(cl_device_id device, cl_device_info which) {
  cl_device_fp_config config = 0;
  clGetDeviceInfo(device, which, sizeof config, &config, nullptr);
  return config;
}

// Bytes of an operand from its lowest element, and elements from there to element 0.
struct Span {
  size_t bytes = 0;
  int64_t offset = 0;
};

Span SpanOf(const AssayTensor& tensor) {
  int64_t low = 0, high = 0;
  for (int i = 0; i < tensor.ndim; ++i) {
    if (tensor.shape[i] == 0) return {};
    const int64_t reach = (tensor.shape[i] - 1) * tensor.strides[i];
    (reach < 0 ? low : high) += reach;
  }
  return {static_cast<size_t>(high - low + 1) * (tensor.dtype.bits / 8), -low};
}

char* Lowest(const AssayTensor& tensor, const Span& span) {
  return static_cast<char*>(tensor.data) + tensor.byte_offset -
         span.offset * (tensor.dtype.bits / 8);
}

}  // namespace

Result<std::unique_ptr<Device>> Device::Open(const std::string& cache) {
  // Read when the driver is loaded. Its handler for divisions by zero would outlive our calls.
  setenv("POCL_DEVICES", "basic", /*overwrite=*/0);
  setenv("POCL_CACHE_DIR", cache.c_str(), /*overwrite=*/0);
  setenv("POCL_SIGFPE_HANDLER", "0", /*overwrite=*/0);
  cl_platform_id platforms[8];
  cl_uint count = 0;
  if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS || count == 0) {
    return Error{"OpenCL", "no platform is installed", kInstall};
  }
  std::unique_ptr<Device> device(new Device);
  for (cl_uint i = 0; i < std::min(count, cl_uint{8}) && device->id_ == nullptr; ++i) {
    cl_device_id id = nullptr;
    cl_uint found = 0;
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &id, &found) != CL_SUCCESS) continue;
    if (found == 0 || Config(id, CL_DEVICE_DOUBLE_FP_CONFIG) == 0) continue;
    device->id_ = id;
    // PoCL goes on with how it was built, behind two blanks.
    const std::string version = TextOf(platforms[i], CL_PLATFORM_VERSION);
    device->version_ = version.substr(0, version.find("  "));
  }
  if (device->id_ == nullptr) {
    return Error{"OpenCL", "no platform has a device with double precision", kInstall};
  }
  device->name_ = NameOf(device->id_);
  device->keeps_subnormals_ =
      (Config(device->id_, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_DENORM) != 0 &&
      (Config(device->id_, CL_DEVICE_DOUBLE_FP_CONFIG) & CL_FP_DENORM) != 0;
  cl_int status = CL_SUCCESS;
  device->context_ = clCreateContext(nullptr, 1, &device->id_, nullptr, nullptr, &status);
  if (status == CL_SUCCESS) {
    device->queue_ = clCreateCommandQueue(device->context_, device->id_, 0, &status);
  }
  if (status == CL_SUCCESS) return device;
  return Error{"OpenCL", "the device makes no queue: error " + std::to_string(status), ""};
}

Device::~Device() {
  if (queue_ != nullptr) clReleaseCommandQueue(queue_);
  if (context_ != nullptr) clReleaseContext(context_);
}

Operands::~Operands() {
  for (const Slot& slot : slots_) {
    if (slot.memory != nullptr) clReleaseMemObject(slot.memory);
  }
}

cl_int Operands::Upload(const AssayCall& call) {
  for (int i = 0; i < call.operand_count; ++i) {
    const AssayTensor& tensor = call.operands[i];
    const Span span = SpanOf(tensor);
    Slot& slot = slots_[static_cast<size_t>(i)];
    const size_t bytes = span.bytes + kPadBytes;
    if (bytes > slot.capacity) {
      if (slot.memory != nullptr) clReleaseMemObject(slot.memory);
      slot = {};
      cl_int status = CL_SUCCESS;
      slot.memory =
          clCreateBuffer(device_.context(), CL_MEM_READ_WRITE, 2 * bytes, nullptr, &status);
      if (status != CL_SUCCESS) return status;
      slot.capacity = 2 * bytes;
    }
    slot.offset = span.offset;
    staged_.assign(bytes, static_cast<char>(0xFF));
    if (span.bytes > 0) std::memcpy(staged_.data(), Lowest(tensor, span), span.bytes);
    const cl_int status = clEnqueueWriteBuffer(device_.queue(), slot.memory, CL_TRUE, 0, bytes,
                                               staged_.data(), 0, nullptr, nullptr);
    if (status != CL_SUCCESS) return status;
  }
  return CL_SUCCESS;
}

cl_int Operands::Download(const AssayTensor& tensor, int operand) {
  const Span span = SpanOf(tensor);
  if (span.bytes == 0) return clFinish(device_.queue());
  return clEnqueueReadBuffer(device_.queue(), memory(operand), CL_TRUE, 0, span.bytes,
                             Lowest(tensor, span), 0, nullptr, nullptr);
}

std::string FolderOf(const void* address) {
  Dl_info info{};
  dladdr(address, &info);
  const std::string path = info.dli_fname == nullptr ? "" : info.dli_fname;
  return path.substr(0, path.find_last_of('/'));
}

}  // namespace assay::opencl
