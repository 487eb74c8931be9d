// SPDX-License-Identifier: Apache-2.0
//
// CLBlast as a backend module. The library compiles its kernels for the device when they are first
// needed, for seconds, which is longer than a call may take: a call that asks whether it is
// supported makes the library do the like of it once.
#include <clblast.h>
#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/backends/call_view.h"
#include "engine/backends/opencl/device.h"

namespace assay::opencl {
namespace {

using clblast::Layout;
using clblast::StatusCode;
using clblast::Transpose;

Transpose TransposeOf(bool transposed) { return transposed ? Transpose::kYes : Transpose::kNo; }

// The matrix of a gemv as BLAS names it.
struct GemvShape {
  bool row_major = true;
  int64_t leading = 1;
};
std::string_view DeriveGemv(const AssayCall& call, GemvShape& gemv) {
  std::optional<int64_t> leading = LeadingDimension(call.operands[0], 1);
  gemv.row_major = leading.has_value();
  if (!gemv.row_major) leading = LeadingDimension(call.operands[0], 0);
  if (!leading.has_value()) return "a has no axis of stride 1 with a leading dimension beside it";
  gemv.leading = *leading;
  return {};
}

bool IsVectorOp(uint32_t op) {
  return op == ASSAY_OP_AXPY || op == ASSAY_OP_SCAL || op == ASSAY_OP_DOT || op == ASSAY_OP_NRM2 ||
         op == ASSAY_OP_ASUM || op == ASSAY_OP_AMAX || op == ASSAY_OP_SUM;
}

std::string_view Refusal(const AssayCall& call) {
  if (call.op != ASSAY_OP_GEMM && call.op != ASSAY_OP_GEMV && !IsVectorOp(call.op)) {
    return "CLBlast has no such operation, or the adapter does not call it";
  }
  const AssayTensor* o = call.operands;
  if (!IsFloat(o[0], 32) && !IsFloat(o[0], 64)) return "operands of f32 or f64 only";
  for (int i = 0; i < call.operand_count; ++i) {
    const bool index = call.op == ASSAY_OP_AMAX && i == 1;
    if (!index && !SameType(o[i], o[0])) return "operands of one type only";
    for (int axis = 0; axis < o[i].ndim; ++axis) {
      if (o[i].shape[axis] == 0) return "CLBlast refuses empty operands";
    }
    const bool vector = o[i].ndim == 1;
    if (vector && VectorOf(o[i]).stride < 1) return "CLBlast takes positive increments only";
  }
  GemmShape gemm;
  GemvShape gemv;
  if (call.op == ASSAY_OP_GEMM) return DeriveGemm(call, gemm);
  return call.op == ASSAY_OP_GEMV ? DeriveGemv(call, gemv) : std::string_view();
}

// A call over operands in device memory.
template <class T>
class Blas {
 public:
  Blas(Device& device, const Operands& operands, const AssayCall& call)
      : queue_(&device.queue()), operands_(operands), call_(call) {}

  StatusCode Start() const {
    const auto alpha = [this] { return static_cast<T>(call_.attributes[0]); };
    switch (call_.op) {
      case ASSAY_OP_GEMM:
        return Gemm();
      case ASSAY_OP_GEMV:
        return Gemv();
      case ASSAY_OP_AXPY:
        return clblast::Axpy<T>(N(), alpha(), Memory(0), Offset(0), Inc(0), Memory(1), Offset(1),
                                Inc(1), queue_);
      case ASSAY_OP_SCAL:
        return clblast::Scal<T>(N(), alpha(), Memory(0), Offset(0), Inc(0), queue_);
      case ASSAY_OP_DOT:
        return clblast::Dot<T>(N(), Memory(2), 0, Memory(0), Offset(0), Inc(0), Memory(1),
                               Offset(1), Inc(1), queue_);
      case ASSAY_OP_NRM2:
        return clblast::Nrm2<T>(N(), Memory(1), 0, Memory(0), Offset(0), Inc(0), queue_);
      case ASSAY_OP_ASUM:
        return clblast::Asum<T>(N(), Memory(1), 0, Memory(0), Offset(0), Inc(0), queue_);
      case ASSAY_OP_SUM:
        return clblast::Sum<T>(N(), Memory(1), 0, Memory(0), Offset(0), Inc(0), queue_);
      default:
        return clblast::Amax<T>(N(), Memory(1), 0, Memory(0), Offset(0), Inc(0), queue_);
    }
  }

 private:
  size_t N() const { return static_cast<size_t>(call_.operands[0].shape[0]); }
  cl_mem Memory(int i) const { return operands_.memory(i); }
  size_t Offset(int i) const { return static_cast<size_t>(operands_.offset(i)); }
  size_t Inc(int i) const { return static_cast<size_t>(VectorOf(call_.operands[i]).stride); }

  StatusCode Gemm() const {
    GemmShape g;
    DeriveGemm(call_, g);
    return clblast::Gemm<T>(g.row_major ? Layout::kRowMajor : Layout::kColMajor,
                            TransposeOf(g.trans_a), TransposeOf(g.trans_b),
                            static_cast<size_t>(g.m), static_cast<size_t>(g.n),
                            static_cast<size_t>(g.k), static_cast<T>(call_.attributes[0]),
                            Memory(0), Offset(0), static_cast<size_t>(g.lda), Memory(1), Offset(1),
                            static_cast<size_t>(g.ldb), static_cast<T>(call_.attributes[1]),
                            Memory(2), Offset(2), static_cast<size_t>(g.ldc), queue_);
  }

  StatusCode Gemv() const {
    GemvShape g;
    DeriveGemv(call_, g);
    const int64_t* const shape = call_.operands[0].shape;
    return clblast::Gemv<T>(g.row_major ? Layout::kRowMajor : Layout::kColMajor,
                            TransposeOf(call_.attributes[2] != 0), static_cast<size_t>(shape[0]),
                            static_cast<size_t>(shape[1]), static_cast<T>(call_.attributes[0]),
                            Memory(0), Offset(0), static_cast<size_t>(g.leading), Memory(1),
                            Offset(1), Inc(1), static_cast<T>(call_.attributes[1]), Memory(2),
                            Offset(2), Inc(2), queue_);
  }

  cl_command_queue* const queue_;
  const Operands& operands_;
  const AssayCall& call_;
};

StatusCode StartBlas(Device& device, const Operands& operands, const AssayCall& call) {
  return IsFloat(call.operands[0], 64) ? Blas<double>(device, operands, call).Start()
                                       : Blas<float>(device, operands, call).Start();
}

// What CLBlast may choose a kernel by: the operation, transposes, order, strides of one, and how
// often 2 divides each extent.
using Flavor = std::tuple<uint32_t, bool, uint32_t, uint64_t>;
Flavor FlavorOf(const AssayCall& call) {
  constexpr int kMostTwos = 11;
  uint32_t layout = 0;
  uint64_t extents = 0;
  for (int i = 0; i < call.operand_count; ++i) {
    const AssayTensor& tensor = call.operands[i];
    for (int axis = 0; axis < tensor.ndim; ++axis) {
      layout = layout * 2 + (tensor.strides[axis] == 1 ? 1 : 0);
      const auto extent = static_cast<uint64_t>(tensor.shape[axis]);
      const int twos = std::min(std::countr_zero(extent), kMostTwos);
      extents = extents * 64 + static_cast<uint64_t>(twos) * 4 + (extent >= 64 ? 1 : 0) +
                (extent >= 256 ? 1 : 0);
    }
  }
  if (call.op == ASSAY_OP_GEMM || call.op == ASSAY_OP_GEMV) {
    layout = layout * 4 + (call.attributes[2] != 0 ? 2 : 0);
    if (call.op == ASSAY_OP_GEMM) layout += call.attributes[3] != 0 ? 1 : 0;
  }
  return {call.op, IsFloat(call.operands[0], 64), layout, extents};
}

struct ClBlast {
  AssayBackend table{};
  std::unique_ptr<Device> device;
  std::unique_ptr<Operands> operands;
  std::string version, pins;
  std::set<Flavor> compiled;
};

ClBlast& Self(void* self) { return *static_cast<ClBlast*>(self); }

// The same call over ones, in memory that is not looked at.
bool Rehearse(ClBlast& self, const AssayCall& call) {
  if (!self.compiled.insert(FlavorOf(call)).second) return true;
  std::vector<std::vector<double>> storage;
  std::vector<AssayTensor> tensors(call.operands, call.operands + call.operand_count);
  for (AssayTensor& tensor : tensors) {
    int64_t last = 0;
    for (int axis = 0; axis < tensor.ndim; ++axis) {
      last += (tensor.shape[axis] - 1) * std::max<int64_t>(tensor.strides[axis], 0);
    }
    storage.emplace_back(static_cast<size_t>(last) + 1, 0.0);
    tensor.data = storage.back().data();
    tensor.byte_offset = 0;
  }
  AssayCall like = call;
  like.operands = tensors.data();
  return self.operands->Upload(like) == CL_SUCCESS &&
         StartBlas(*self.device, *self.operands, like) == StatusCode::kSuccess &&
         clFinish(self.device->queue()) == CL_SUCCESS;
}

// CLBlast writes a 32-bit index; where it writes none, what was there stays.
cl_int DownloadIndex(ClBlast& self, const AssayTensor& out) {
  cl_uint index = 0;
  const cl_int status = clEnqueueReadBuffer(self.device->queue(), self.operands->memory(1), CL_TRUE,
                                            0, sizeof index, &index, 0, nullptr, nullptr);
  auto* const place = Element0<int64_t>(out);
  if (status == CL_SUCCESS && index != static_cast<cl_uint>(*place)) *place = index;
  return status;
}

int32_t Supports(void* self, const AssayCall* call, AssayText* reason) {
  std::string_view refusal = Refusal(*call);
  // Without data somebody only asks what there is.
  const bool imminent = call->operands[0].data != nullptr;
  if (refusal.empty() && imminent && !Rehearse(Self(self), *call)) {
    refusal = "the device refuses the kernel";
  }
  return Answer(refusal, reason);
}

int32_t Run(void* self, const AssayCall* call, AssayText* text) {
  ClBlast& backend = Self(self);
  if (const int32_t status = Supports(self, call, text); status != ASSAY_OK) return status;
  cl_int status = backend.operands->Upload(*call);
  if (status == CL_SUCCESS) {
    status = static_cast<cl_int>(StartBlas(*backend.device, *backend.operands, *call));
  }
  const int last = call->operand_count - 1;
  if (status == CL_SUCCESS) {
    status = call->op == ASSAY_OP_AMAX ? DownloadIndex(backend, call->operands[last])
                                       : backend.operands->Download(call->operands[last], last);
  }
  if (status == CL_SUCCESS) return ASSAY_OK;
  Say(text, "CLBlast or OpenCL returned " + std::to_string(status));
  return ASSAY_FAILED;
}

// The library has no function that says its version; its file's name does.
std::string LibraryVersion() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&clblast::ClearCache), &info);
  char* const real = info.dli_fname == nullptr ? nullptr : realpath(info.dli_fname, nullptr);
  const std::string path = real == nullptr ? "" : real;
  std::free(real);
  constexpr std::string_view kSuffix = ".so.";
  const size_t at = path.rfind(kSuffix);
  return at == std::string::npos ? "unknown" : path.substr(at + kSuffix.size());
}

const char* Version(void* self) { return Self(self).version.c_str(); }
const char* Pins(void* self) { return Self(self).pins.c_str(); }
const char* Declare(void* self, const char* key) {
  if (std::string_view(key) != "profile" || !Self(self).device->keeps_subnormals()) return nullptr;
  return "clblast";
}
void Close(void* self) { delete &Self(self); }

const AssayBackend* Open(std::string_view options, AssayText* error) {
  if (!options.empty()) {
    Say(error, "takes no options");
    return nullptr;
  }
  Result<std::unique_ptr<Device>> device =
      Device::Open(FolderOf(reinterpret_cast<const void*>(&Open)) + "/kernel_cache");
  if (!device.ok()) {
    Say(error, device.error().Text());
    return nullptr;
  }
  auto backend = std::make_unique<ClBlast>();
  backend->device = std::move(device).value();
  backend->operands = std::make_unique<Operands>(*backend->device);
  backend->version = LibraryVersion();
  backend->pins = "device=" + backend->device->name() + "," + backend->device->version();
  backend->table = {sizeof(AssayBackend),
                    ASSAY_ABI_VERSION,
                    backend.get(),
                    "clblast",
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
