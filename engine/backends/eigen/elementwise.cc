// SPDX-License-Identifier: Apache-2.0
//
// Functions of one or two elements.
#include <unsupported/Eigen/SpecialFunctions>

#include "engine/backends/eigen/maps.h"

namespace assay::eigen {
namespace {

// Trigonometric, hyperbolic and other functions that few libraries vectorise.
template <class X, class Out>
bool MapOneOther(const AssayCall& call, const X& x, Out out) {
  switch (call.op) {
    case ASSAY_OP_SIN:
      out = x.sin();
      return true;
    case ASSAY_OP_COS:
      out = x.cos();
      return true;
    case ASSAY_OP_TAN:
      out = x.tan();
      return true;
    case ASSAY_OP_ASIN:
      out = x.asin();
      return true;
    case ASSAY_OP_ACOS:
      out = x.acos();
      return true;
    case ASSAY_OP_ATAN:
      out = x.atan();
      return true;
    case ASSAY_OP_SINH:
      out = x.sinh();
      return true;
    case ASSAY_OP_COSH:
      out = x.cosh();
      return true;
    case ASSAY_OP_ASINH:
      out = x.asinh();
      return true;
    case ASSAY_OP_ACOSH:
      out = x.acosh();
      return true;
    case ASSAY_OP_ATANH:
      out = x.atanh();
      return true;
    case ASSAY_OP_LOG2:
      out = x.log2();
      return true;
    case ASSAY_OP_LOG10:
      out = x.log10();
      return true;
    case ASSAY_OP_ERFC:
      out = x.erfc();
      return true;
    case ASSAY_OP_LGAMMA:
      out = x.lgamma();
      return true;
    case ASSAY_OP_ABS:
      out = x.abs();
      return true;
    default:
      return false;
  }
}

template <class T, class X, class Out>
bool MapOne(const AssayCall& call, const X& x, Out out) {
  switch (call.op) {
    case ASSAY_OP_EXP:
      out = x.exp();
      return true;
    case ASSAY_OP_LOG:
      out = x.log();
      return true;
    case ASSAY_OP_TANH:
      out = x.tanh();
      return true;
    case ASSAY_OP_SQRT:
      out = x.sqrt();
      return true;
    case ASSAY_OP_ERF:
      out = x.erf();
      return true;
    case ASSAY_OP_EXPM1:
      out = x.expm1();
      return true;
    case ASSAY_OP_LOG1P:
      out = x.log1p();
      return true;
    case ASSAY_OP_RSQRT:
      out = x.rsqrt();
      return true;
    case ASSAY_OP_SIGMOID:
      out = x.logistic();
      return true;
    case ASSAY_OP_RELU:
      out = x.max(T(0));
      return true;
    case ASSAY_OP_CLAMP:
      out = x.max(static_cast<T>(call.attributes[0])).min(static_cast<T>(call.attributes[1]));
      return true;
    default:
      return MapOneOther(call, x, out);
  }
}

template <class T, class X, class Out>
bool MapTwo(const AssayCall& call, const X& x, const X& y, Out out) {
  switch (call.op) {
    case ASSAY_OP_ADD:
      out = x + y;
      return true;
    case ASSAY_OP_MUL:
      out = x * y;
      return true;
    case ASSAY_OP_DIV:
      out = x / y;
      return true;
    case ASSAY_OP_MINIMUM:
      out = x.min(y);
      return true;
    case ASSAY_OP_MAXIMUM:
      out = x.max(y);
      return true;
    case ASSAY_OP_POW:
      out = x.pow(y);
      return true;
    default:
      return false;
  }
}

// alpha as the element type has it: what `alpha * x` means in Eigen.
template <class T, class X, class Y>
void ScaleAndAdd(const AssayCall& call, const X& x, Y y) {
  const T alpha = static_cast<T>(call.attributes[0]);
  if (call.op == ASSAY_OP_SCAL) {
    y *= alpha;
  } else {
    y += alpha * x;
  }
}

// All operands with unit strides, or none.
template <class Visit>
bool WithEither(const AssayCall& call, Visit visit) {
  bool contiguous = true;
  for (int i = 0; i < call.operand_count; ++i) {
    contiguous = contiguous && VectorOf(call.operands[i]).stride == 1;
  }
  return contiguous ? visit(std::true_type{}) : visit(std::false_type{});
}

template <class T, bool kContiguous>
auto MapOf(const AssayTensor& tensor) {
  if constexpr (kContiguous) {
    return ContiguousMap<T>(tensor);
  } else {
    return StridedMap<T>(tensor);
  }
}

}  // namespace

template <class T>
bool RunElementwise(const AssayCall& call) {
  return WithEither(call, [&](auto contiguous) {
    constexpr bool kUnit = decltype(contiguous)::value;
    const auto x = MapOf<const T, kUnit>(call.operands[0]);
    const auto out = MapOf<T, kUnit>(call.operands[call.operand_count - 1]);
    if (call.op == ASSAY_OP_SCAL || call.op == ASSAY_OP_AXPY) {
      ScaleAndAdd<T>(call, x, out);
      return true;
    }
    if (call.operand_count == 2) return MapOne<T>(call, x, out);
    return MapTwo<T>(call, x, MapOf<const T, kUnit>(call.operands[1]), out);
  });
}
template bool RunElementwise<double>(const AssayCall&);
template bool RunElementwise<float>(const AssayCall&);
template bool RunElementwise<Eigen::half>(const AssayCall&);
template bool RunElementwise<Eigen::bfloat16>(const AssayCall&);

}  // namespace assay::eigen
