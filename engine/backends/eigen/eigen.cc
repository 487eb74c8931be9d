// SPDX-License-Identifier: Apache-2.0
//
// Eigen's expressions as a backend module. Compiled once per instruction set, each a module of its
// own, since Eigen chooses its kernels at compile time. What an expression does at a call site is
// what is under test: nothing here corrects it. Assertions are off, as in a release build of a
// user.
#include <Eigen/Core>
#include <string>
#include <type_traits>
#include <unsupported/Eigen/SpecialFunctions>

#include "engine/backends/call_view.h"

namespace assay {
namespace {

using Eigen::Array;
using Eigen::Dynamic;
using Eigen::InnerStride;
using Eigen::Map;
using Eigen::Matrix;
using Eigen::OuterStride;
using Eigen::Unaligned;

template <class T, int kOrder>
using ConstMatrixMap = Map<const Matrix<T, Dynamic, Dynamic, kOrder>, Unaligned, OuterStride<>>;
template <class T>
using MatrixMap = Map<Matrix<T, Dynamic, Dynamic, Eigen::ColMajor>, Unaligned, OuterStride<>>;

// One operand of a product as Eigen sees it, column-major terms.
struct Factor {
  const void* data;
  int64_t leading;
  bool transposed;
};

// c is column-major: c := alpha lhs rhs + beta c.
template <class T, int kLeftOrder, int kRightOrder>
void Multiply(const Factor& lhs, const Factor& rhs, int64_t k, T alpha, T beta, MatrixMap<T> c) {
  const ConstMatrixMap<T, kLeftOrder> a(static_cast<const T*>(lhs.data), c.rows(), k,
                                        OuterStride<>(lhs.leading));
  const ConstMatrixMap<T, kRightOrder> b(static_cast<const T*>(rhs.data), k, c.cols(),
                                         OuterStride<>(rhs.leading));
  if (beta == T(0)) {
    c.noalias() = alpha * a * b;
    return;
  }
  if (beta != T(1)) c *= beta;
  c.noalias() += alpha * a * b;
}

// A row-major c is its transpose in column-major terms: the factors change places.
template <class T>
void RunGemm(const AssayCall& call) {
  GemmShape gemm;
  DeriveGemm(call, gemm);
  Factor lhs{Element0<const T>(call.operands[0]), gemm.lda, gemm.trans_a};
  Factor rhs{Element0<const T>(call.operands[1]), gemm.ldb, gemm.trans_b};
  if (gemm.row_major) {
    std::swap(lhs, rhs);
    std::swap(gemm.m, gemm.n);
  }
  const MatrixMap<T> c(Element0<T>(call.operands[2]), gemm.m, gemm.n, OuterStride<>(gemm.ldc));
  const T alpha = static_cast<T>(call.attributes[0]);
  const T beta = static_cast<T>(call.attributes[1]);
  constexpr int kCol = Eigen::ColMajor, kRow = Eigen::RowMajor;
  if (lhs.transposed && rhs.transposed) {
    Multiply<T, kRow, kRow>(lhs, rhs, gemm.k, alpha, beta, c);
  } else if (lhs.transposed) {
    Multiply<T, kRow, kCol>(lhs, rhs, gemm.k, alpha, beta, c);
  } else if (rhs.transposed) {
    Multiply<T, kCol, kRow>(lhs, rhs, gemm.k, alpha, beta, c);
  } else {
    Multiply<T, kCol, kCol>(lhs, rhs, gemm.k, alpha, beta, c);
  }
}

// Calls visit with a map of `size` elements: a contiguous one, which Eigen vectorises, or a strided
// one.
template <class T, class Visit>
void WithArray(T* data, int64_t size, int64_t stride, Visit visit) {
  using Plain = Array<std::remove_const_t<T>, Dynamic, 1>;
  using Kind = std::conditional_t<std::is_const_v<T>, const Plain, Plain>;
  if (stride == 1) {
    visit(Map<Kind>(data, size));
  } else {
    visit(Map<Kind, Unaligned, InnerStride<>>(data, size, InnerStride<>(stride)));
  }
}

template <class T, class Visit>
void WithVector(const AssayTensor& tensor, Visit visit) {
  const VectorView vector = VectorOf(tensor);
  WithArray(Element0<T>(tensor), vector.size, vector.stride, visit);
}

template <class T>
void RunDot(const AssayCall& call) {
  WithVector<const T>(call.operands[0], [&](auto x) {
    WithVector<const T>(call.operands[1], [&](auto y) {
      *Element0<T>(call.operands[2]) = x.matrix().dot(y.matrix());
    });
  });
}

template <class T>
void RunSum(const AssayCall& call) {
  WithVector<const T>(call.operands[0], [&](auto x) { *Element0<T>(call.operands[1]) = x.sum(); });
}

struct Rows {
  int64_t count, size, row_stride, stride;
};
Rows RowsOf(const AssayTensor& tensor) {
  return {tensor.shape[0], tensor.shape[1], tensor.shape[0] > 1 ? tensor.strides[0] : 0,
          tensor.shape[1] > 1 ? tensor.strides[1] : 1};
}

template <class T>
void RunSoftmax(const AssayCall& call) {
  const Rows x = RowsOf(call.operands[0]), out = RowsOf(call.operands[1]);
  if (x.size == 0) return;
  for (int64_t row = 0; row < x.count; ++row) {
    const T* from = Element0<const T>(call.operands[0]) + row * x.row_stride;
    T* to = Element0<T>(call.operands[1]) + row * out.row_stride;
    WithArray(from, x.size, x.stride, [&](auto input) {
      WithArray(to, out.size, out.stride, [&](auto output) {
        output = (input - input.maxCoeff()).exp();
        output /= output.sum();
      });
    });
  }
}

template <class T>
void RunUnary(const AssayCall& call) {
  WithVector<const T>(call.operands[0], [&](auto x) {
    WithVector<T>(call.operands[1], [&](auto out) {
      switch (call.op) {
        case ASSAY_OP_EXP:
          out = x.exp();
          break;
        case ASSAY_OP_LOG:
          out = x.log();
          break;
        case ASSAY_OP_TANH:
          out = x.tanh();
          break;
        case ASSAY_OP_SQRT:
          out = x.sqrt();
          break;
        default:
          out = x.erf();
      }
    });
  });
}

std::string_view CheckStrides(const AssayTensor& tensor) {
  for (int axis = 0; axis < tensor.ndim; ++axis) {
    if (tensor.shape[axis] > 1 && tensor.strides[axis] < 1) {
      return "Eigen's maps are for strides of 1 and more";
    }
  }
  return {};
}

std::string_view Refusal(const AssayCall& call) {
  for (int i = 0; i < call.operand_count; ++i) {
    if (!SameType(call.operands[i], call.operands[0])) return "operands of one type only";
    const std::string_view strides = CheckStrides(call.operands[i]);
    if (!strides.empty()) return strides;
  }
  const bool wide = IsFloat(call.operands[0], 64) || IsFloat(call.operands[0], 32);
  if (call.op >= ASSAY_OP_EXP && call.op <= ASSAY_OP_ERF) {
    const bool narrow = IsFloat(call.operands[0], 16) || IsBfloat16(call.operands[0]);
    return wide || narrow ? "" : "float operands only";
  }
  if (call.op > ASSAY_OP_SOFTMAX) return "Eigen has no such operation";
  if (!wide) return "operands of f64 or of f32 only";
  if (call.op != ASSAY_OP_GEMM) return {};
  if (call.attributes[0] == 0) return "in a product expression alpha = 0 still reads a and b";
  GemmShape gemm;
  return DeriveGemm(call, gemm);
}

template <class T>
void RunWide(const AssayCall& call) {
  switch (call.op) {
    case ASSAY_OP_GEMM:
      return RunGemm<T>(call);
    case ASSAY_OP_DOT:
      return RunDot<T>(call);
    case ASSAY_OP_SUM:
      return RunSum<T>(call);
    case ASSAY_OP_SOFTMAX:
      return RunSoftmax<T>(call);
    default:
      return RunUnary<T>(call);
  }
}

int32_t Supports(void*, const AssayCall* call, AssayText* reason) {
  return Answer(Refusal(*call), reason);
}

int32_t Run(void*, const AssayCall* call, AssayText* text) noexcept {
  const std::string_view refusal = Refusal(*call);
  if (!refusal.empty()) return Answer(refusal, text);
  const AssayTensor& first = call->operands[0];
  if (IsFloat(first, 64)) {
    RunWide<double>(*call);
  } else if (IsFloat(first, 32)) {
    RunWide<float>(*call);
  } else if (IsBfloat16(first)) {
    RunUnary<Eigen::bfloat16>(*call);
  } else {
    RunUnary<Eigen::half>(*call);
  }
  return ASSAY_OK;
}

constexpr const char* kPins =
#if defined(EIGEN_VECTORIZE_AVX512)
    "isa=avx512";
#elif defined(EIGEN_VECTORIZE_AVX2)
    "isa=avx2";
#else
    "isa=sse2";
#endif

#define ASSAY_TEXT_OF(x) #x
#define ASSAY_TEXT(x) ASSAY_TEXT_OF(x)
const char* Version(void*) {
  return ASSAY_TEXT(EIGEN_WORLD_VERSION) "." ASSAY_TEXT(EIGEN_MAJOR_VERSION) "." ASSAY_TEXT(
      EIGEN_MINOR_VERSION);
}
const char* Pins(void*) { return kPins; }
const char* Declare(void*, const char* key) {
  return std::string_view(key) == "profile" ? "eigen" : nullptr;
}
void Close(void*) {}

constexpr AssayBackend kTable = {sizeof(AssayBackend),
                                 ASSAY_ABI_VERSION,
                                 nullptr,
                                 "eigen",
                                 Version,
                                 Pins,
                                 Supports,
                                 Run,
                                 Declare,
                                 Close};

}  // namespace
}  // namespace assay

extern "C" __attribute__((visibility("default"))) const AssayBackend* assay_backend_open(
    const char*, AssayText*) {
  return &assay::kTable;
}
