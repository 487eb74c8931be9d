// SPDX-License-Identifier: Apache-2.0
//
// Makes the driver compile the kernels of both modules into its cache, as part of the build:
// CLBlast needs most of a minute for that, which would otherwise come out of the first campaign.
// Argument: the folder of the modules. A module that does not load is passed over.
#include <dlfcn.h>

#include <cstdio>
#include <string>
#include <vector>

#include "engine/include/assay/backend.h"

namespace assay {
namespace {

// Operands of one call, all of one type: rows of extents.
struct Shape {
  uint32_t op;
  std::vector<std::vector<int64_t>> operands;
  std::vector<double> attributes;
};

// Whatever a library may choose a kernel by: few and many elements, multiples of powers of two,
// transposes.
std::vector<Shape> Shapes() {
  std::vector<Shape> shapes;
  for (const double ta : {0., 1.}) {
    for (const double tb : {0., 1.}) {
      shapes.push_back({ASSAY_OP_GEMM, {{8, 8}, {8, 8}, {8, 8}}, {1, 1, ta, tb}});
    }
    for (const int64_t n : {3, 64, 256}) {
      shapes.push_back({ASSAY_OP_GEMV, {{n, n}, {n}, {n}}, {1, 1, ta}});
    }
  }
  for (const uint32_t op : {ASSAY_OP_SOFTMAX, ASSAY_OP_LOG_SOFTMAX}) {
    shapes.push_back({op, {{2, 3}, {2, 3}}, {}});
  }
  for (const int64_t n : {3, 64, 1024, 4096}) {
    shapes.push_back({ASSAY_OP_SCAL, {{n}}, {2}});
    shapes.push_back({ASSAY_OP_AXPY, {{n}, {n}}, {2}});
    shapes.push_back({ASSAY_OP_DOT, {{n}, {n}, {}}, {}});
    for (const uint32_t op : {ASSAY_OP_SUM, ASSAY_OP_MEAN, ASSAY_OP_ASUM, ASSAY_OP_PROD,
                              ASSAY_OP_NRM2, ASSAY_OP_MAX, ASSAY_OP_MIN, ASSAY_OP_AMAX}) {
      shapes.push_back({op, {{n}, {}}, {}});
    }
  }
  for (uint32_t op = ASSAY_OP_EXP; op <= ASSAY_OP_CAST; ++op) {
    const bool two = op >= ASSAY_OP_ADD && op <= ASSAY_OP_HYPOT;
    std::vector<std::vector<int64_t>> operands(two ? 3 : 2, {3});
    if (op < ASSAY_OP_GELU || op > ASSAY_OP_BATCH_NORM) shapes.push_back({op, operands, {0, 0}});
  }
  return shapes;
}

// Contiguous operands over one memory; what is asked is only whether the call is supported.
void Ask(const AssayBackend& backend, Shape shape, uint8_t bits) {
  constexpr size_t kBytes = size_t{1} << 20;
  static std::vector<double> memory(kBytes / sizeof(double), 1.0);
  std::vector<std::vector<int64_t>> strides = shape.operands;
  std::vector<AssayTensor> tensors;
  for (size_t i = 0; i < shape.operands.size(); ++i) {
    std::vector<int64_t>& extents = shape.operands[i];
    int64_t stride = 1;
    for (size_t axis = extents.size(); axis-- > 0; stride *= extents[axis]) {
      strides[i][axis] = stride;
    }
    tensors.push_back({memory.data(),
                       {1, 0},
                       static_cast<int32_t>(extents.size()),
                       {2, bits, 1},
                       extents.data(),
                       strides[i].data(),
                       0});
  }
  if (shape.op == ASSAY_OP_AMAX) tensors[1].dtype = {0, 64, 1};
  const AssayCall call{sizeof(AssayCall),
                       shape.op,
                       shape.attributes.data(),
                       static_cast<int32_t>(shape.attributes.size()),
                       static_cast<int32_t>(tensors.size()),
                       tensors.data(),
                       0,
                       0,
                       0};
  backend.supports(backend.self, &call, nullptr);
}

void Compile(const std::string& module, const char* options) {
  void* const library = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::printf("%s\n", dlerror());
    return;
  }
  const auto open = reinterpret_cast<AssayOpenFunction>(dlsym(library, ASSAY_OPEN_SYMBOL));
  char buffer[256];
  AssayText text{buffer, sizeof buffer, 0};
  const AssayBackend* const backend = open(options, &text);
  if (backend == nullptr) {
    std::printf("%s: %.*s\n", module.c_str(), static_cast<int>(text.size), buffer);
    return;
  }
  for (const Shape& shape : Shapes()) {
    for (const uint8_t bits : {32, 64}) Ask(*backend, shape, bits);
  }
  backend->close(backend->self);
}

}  // namespace
}  // namespace assay

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const std::string folder = arguments[1];
  assay::Compile(folder + "/opencl.so", "gemm=tiled");
  assay::Compile(folder + "/opencl.so", "gemm=naive");
  assay::Compile(folder + "/clblast.so", "");
  return 0;
}
