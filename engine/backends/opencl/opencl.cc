// SPDX-License-Identifier: Apache-2.0
//
// Kernels of our own as an OpenCL program: a backend module. The option "gemm=naive" takes the
// kernel without tiles. A kernel is compiled, and run once, where a call asks whether it is
// supported, since compiling takes longer than a call may.
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "engine/backends/call_view.h"
#include "engine/backends/opencl/device.h"
#include "engine/backends/opencl/kernels.h"

namespace assay::opencl {
namespace {

constexpr size_t kGroup = 64, kTile = 8;  // GROUP and TILE of the kernels

enum class Shape { kGemm, kReduce, kDot, kRows, kUnary, kBinary };
struct Entry {
  uint32_t op;
  Shape shape;
  const char* kernel;
};
constexpr Entry kEntries[] = {
    {ASSAY_OP_GEMM, Shape::kGemm, "gemm_tiled"},
    {ASSAY_OP_DOT, Shape::kDot, "dot_of"},
    {ASSAY_OP_SUM, Shape::kReduce, "sum"},
    {ASSAY_OP_MEAN, Shape::kReduce, "mean"},
    {ASSAY_OP_ASUM, Shape::kReduce, "asum"},
    {ASSAY_OP_PROD, Shape::kReduce, "prod"},
    {ASSAY_OP_MAX, Shape::kReduce, "max_of"},
    {ASSAY_OP_MIN, Shape::kReduce, "min_of"},
    {ASSAY_OP_SOFTMAX, Shape::kRows, "softmax"},
    {ASSAY_OP_LOG_SOFTMAX, Shape::kRows, "log_softmax"},
    {ASSAY_OP_EXP, Shape::kUnary, "exp_of"},
    {ASSAY_OP_LOG, Shape::kUnary, "log_of"},
    {ASSAY_OP_TANH, Shape::kUnary, "tanh_of"},
    {ASSAY_OP_SQRT, Shape::kUnary, "sqrt_of"},
    {ASSAY_OP_ERF, Shape::kUnary, "erf_of"},
    {ASSAY_OP_EXPM1, Shape::kUnary, "expm1_of"},
    {ASSAY_OP_LOG1P, Shape::kUnary, "log1p_of"},
    {ASSAY_OP_RSQRT, Shape::kUnary, "rsqrt_of"},
    {ASSAY_OP_RELU, Shape::kUnary, "relu_of"},
    {ASSAY_OP_ADD, Shape::kBinary, "add"},
    {ASSAY_OP_MUL, Shape::kBinary, "mul"},
    {ASSAY_OP_DIV, Shape::kBinary, "div_of"},
    {ASSAY_OP_MINIMUM, Shape::kBinary, "minimum"},
    {ASSAY_OP_MAXIMUM, Shape::kBinary, "maximum"},
    {ASSAY_OP_POW, Shape::kBinary, "pow_of"},
    {ASSAY_OP_HYPOT, Shape::kBinary, "hypot_of"},
};

const Entry* Find(uint32_t op) {
  for (const Entry& entry : kEntries) {
    if (entry.op == op) return &entry;
  }
  return nullptr;
}

// Sets a kernel's arguments one after the other and starts it.
class Launch {
 public:
  Launch(Device& device, const Operands& operands, cl_kernel kernel)
      : device_(device), operands_(operands), kernel_(kernel) {}

  template <class T>
  Launch& Value(const T& value) {
    if (status_ == CL_SUCCESS) status_ = clSetKernelArg(kernel_, next_++, sizeof value, &value);
    return *this;
  }
  // `strides` per axis, in elements.
  template <class... Strides>
  Launch& Operand(int i, Strides... strides) {
    Value(operands_.memory(i)).Value(cl_long{operands_.offset(i)});
    (Value(cl_long{strides}), ...);
    return *this;
  }
  cl_int Start(size_t rows, size_t columns, size_t group_rows, size_t group_columns) {
    if (status_ != CL_SUCCESS) return status_;
    const size_t global[2] = {rows, columns}, local[2] = {group_rows, group_columns};
    const cl_uint dimensions = group_columns == 1 ? 1 : 2;
    return clEnqueueNDRangeKernel(device_.queue(), kernel_, dimensions, nullptr, global, local, 0,
                                  nullptr, nullptr);
  }

 private:
  Device& device_;
  const Operands& operands_;
  cl_kernel kernel_;
  cl_uint next_ = 0;
  cl_int status_ = CL_SUCCESS;
};

size_t RoundUp(int64_t extent, size_t group) {
  return (static_cast<size_t>(extent) + group - 1) / group * group;
}

template <class Real>
cl_int StartGemm(Launch launch, const AssayCall& call) {
  const AssayTensor *a = &call.operands[0], *b = &call.operands[1], *c = &call.operands[2];
  const int ta = call.attributes[2] != 0 ? 1 : 0, tb = call.attributes[3] != 0 ? 1 : 0;
  const int64_t m = c->shape[0], n = c->shape[1];
  if (m == 0 || n == 0) return CL_SUCCESS;
  launch.Value(cl_long{m}).Value(cl_long{n}).Value(cl_long{a->shape[1 - ta]});
  launch.Value(static_cast<Real>(call.attributes[0])).Value(static_cast<Real>(call.attributes[1]));
  launch.Operand(0, a->strides[ta], a->strides[1 - ta]);
  launch.Operand(1, b->strides[tb], b->strides[1 - tb]);
  launch.Operand(2, c->strides[0], c->strides[1]);
  return launch.Start(RoundUp(m, kTile), RoundUp(n, kTile), kTile, kTile);
}

cl_int Start(Launch launch, Shape shape, const AssayCall& call) {
  const AssayTensor* o = call.operands;
  if (shape == Shape::kGemm) {
    return IsFloat(o[0], 64) ? StartGemm<cl_double>(launch, call)
                             : StartGemm<cl_float>(launch, call);
  }
  if (shape == Shape::kRows) {
    if (o[0].shape[0] == 0 || o[0].shape[1] == 0) return CL_SUCCESS;
    launch.Value(cl_long{o[0].shape[1]}).Operand(0, o[0].strides[0], o[0].strides[1]);
    launch.Operand(1, o[1].strides[0], o[1].strides[1]);
    return launch.Start(static_cast<size_t>(o[0].shape[0]) * kGroup, 1, kGroup, 1);
  }
  const int64_t n = o[0].shape[0];
  launch.Value(cl_long{n}).Operand(0, o[0].strides[0]);
  if (shape == Shape::kReduce) return launch.Operand(1).Start(kGroup, 1, kGroup, 1);
  if (shape == Shape::kDot) {
    return launch.Operand(1, o[1].strides[0]).Operand(2).Start(kGroup, 1, kGroup, 1);
  }
  if (n == 0) return CL_SUCCESS;
  launch.Operand(1, o[1].strides[0]);
  if (shape == Shape::kBinary) launch.Operand(2, o[2].strides[0]);
  return launch.Start(RoundUp(n, kGroup), 1, kGroup, 1);
}

struct OpenCl {
  AssayBackend table{};
  std::unique_ptr<Device> device;
  std::unique_ptr<Operands> operands;
  std::string pins;
  bool naive = false;
  std::array<cl_program, 2> programs{};  // float, double
  std::map<std::pair<uint32_t, bool>, cl_kernel> kernels;

  ~OpenCl() {
    for (const auto& [key, kernel] : kernels) clReleaseKernel(kernel);
    for (cl_program program : programs) {
      if (program != nullptr) clReleaseProgram(program);
    }
  }
};

OpenCl& Self(void* self) { return *static_cast<OpenCl*>(self); }

// The program of one precision, built when first asked for; null on failure.
cl_program ProgramOf(OpenCl& self, bool wide) {
  cl_program& program = self.programs[wide ? 1 : 0];
  if (program != nullptr) return program;
  const char* source = kKernelSource;
  cl_int status = CL_SUCCESS;
  program = clCreateProgramWithSource(self.device->context(), 1, &source, nullptr, &status);
  if (status != CL_SUCCESS) return nullptr;
  // Without the option single-precision quotients and roots may be 2.5 and 3 ulp off.
  const char* const options = wide ? "-cl-std=CL1.2 -DREAL=double" : "-cl-std=CL1.2 -DREAL=float";
  if (clBuildProgram(program, 0, nullptr, options, nullptr, nullptr) == CL_SUCCESS) return program;
  clReleaseProgram(program);
  return program = nullptr;
}

// One element, so that the kernel is compiled for its group; results are nobody's.
cl_int WarmUp(OpenCl& self, const Entry& entry, cl_kernel kernel, const AssayCall& call) {
  int64_t shape[2] = {1, 1}, strides[2] = {1, 1};
  double storage[3] = {1, 1, 1};
  std::array<AssayTensor, 3> tensors{};
  for (int i = 0; i < call.operand_count; ++i) {
    AssayTensor& tensor = tensors[static_cast<size_t>(i)];
    tensor = call.operands[i];
    tensor.data = &storage[i];
    tensor.byte_offset = 0;
    tensor.shape = shape;
    tensor.strides = strides;
  }
  AssayCall tiny = call;
  tiny.operands = tensors.data();
  if (const cl_int status = self.operands->Upload(tiny); status != CL_SUCCESS) return status;
  const cl_int status = Start(Launch(*self.device, *self.operands, kernel), entry.shape, tiny);
  return status == CL_SUCCESS ? clFinish(self.device->queue()) : status;
}

// Compiled and run once when first asked for; null on failure.
cl_kernel KernelOf(OpenCl& self, const Entry& entry, const AssayCall& call) {
  const bool wide = IsFloat(call.operands[0], 64);
  const auto [found, added] = self.kernels.try_emplace({entry.op, wide}, nullptr);
  if (!added) return found->second;
  cl_program program = ProgramOf(self, wide);
  if (program == nullptr) return nullptr;
  const bool naive = entry.shape == Shape::kGemm && self.naive;
  cl_kernel kernel = clCreateKernel(program, naive ? "gemm_naive" : entry.kernel, nullptr);
  if (kernel != nullptr && WarmUp(self, entry, kernel, call) != CL_SUCCESS) {
    clReleaseKernel(kernel);
    kernel = nullptr;
  }
  return found->second = kernel;
}

std::string_view Refusal(OpenCl& self, const AssayCall& call) {
  const Entry* entry = Find(call.op);
  if (entry == nullptr) return "there is no such kernel";
  for (int i = 0; i < call.operand_count; ++i) {
    if (!IsFloat(call.operands[i], 32) && !IsFloat(call.operands[i], 64)) {
      return "operands of f32 or f64 only: the device need not have others";
    }
    if (!SameType(call.operands[i], call.operands[0])) return "operands of one type only";
  }
  const bool extremum = call.op == ASSAY_OP_MAX || call.op == ASSAY_OP_MIN;
  if (extremum && call.operands[0].shape[0] == 0) return "nothing is the largest of no elements";
  // Without data somebody only asks what there is.
  if (call.operands[0].data == nullptr) return {};
  return KernelOf(self, *entry, call) == nullptr ? "the device does not build the kernel" : "";
}

int32_t Supports(void* self, const AssayCall* call, AssayText* reason) {
  return Answer(Refusal(Self(self), *call), reason);
}

int32_t Run(void* self, const AssayCall* call, AssayText* text) {
  OpenCl& backend = Self(self);
  if (const int32_t status = Supports(self, call, text); status != ASSAY_OK) return status;
  const Entry& entry = *Find(call->op);
  cl_int status = backend.operands->Upload(*call);
  if (status == CL_SUCCESS) {
    cl_kernel kernel = KernelOf(backend, entry, *call);
    status = Start(Launch(*backend.device, *backend.operands, kernel), entry.shape, *call);
  }
  const int last = call->operand_count - 1;
  if (status == CL_SUCCESS) status = backend.operands->Download(call->operands[last], last);
  if (status == CL_SUCCESS) return ASSAY_OK;
  Say(text, "OpenCL returned error " + std::to_string(status));
  return ASSAY_FAILED;
}

const char* Version(void* self) { return Self(self).device->version().c_str(); }
const char* Pins(void* self) { return Self(self).pins.c_str(); }
// A device that flushes is none that the profile speaks of.
const char* Declare(void* self, const char* key) {
  if (std::string_view(key) != "profile" || !Self(self).device->keeps_subnormals()) return nullptr;
  return "opencl";
}
void Close(void* self) { delete &Self(self); }

const AssayBackend* Open(std::string_view options, AssayText* error) {
  if (!options.empty() && options != "gemm=naive" && options != "gemm=tiled") {
    Say(error, "use gemm=naive or gemm=tiled");
    return nullptr;
  }
  Result<std::unique_ptr<Device>> device =
      Device::Open(FolderOf(reinterpret_cast<const void*>(&Open)) + "/kernel_cache");
  if (!device.ok()) {
    Say(error, device.error().Text());
    return nullptr;
  }
  auto backend = std::make_unique<OpenCl>();
  backend->device = std::move(device).value();
  backend->operands = std::make_unique<Operands>(*backend->device);
  backend->naive = options == "gemm=naive";
  backend->pins =
      std::string(options) + (options.empty() ? "" : ",") + "device=" + backend->device->name();
  backend->table = {sizeof(AssayBackend),
                    ASSAY_ABI_VERSION,
                    backend.get(),
                    "opencl",
                    Version,
                    Pins,
                    Supports,
                    Run,
                    Declare,
                    Close};
  return &backend.release()->table;
}

}  // namespace
}  // namespace assay::opencl

extern "C" __attribute__((visibility("default"))) const AssayBackend* assay_backend_open(
    const char* options, AssayText* error) {
  return assay::opencl::Open(options, error);
}
