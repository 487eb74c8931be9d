// SPDX-License-Identifier: Apache-2.0
//
// The tensors of the backend header are DLPack's, byte for byte: a kernel that takes a DLTensor can
// be handed one of ours.
#include <dlpack/dlpack.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "engine/call.h"
#include "engine/include/assay/backend.h"

namespace assay {
namespace {

static_assert(sizeof(AssayTensor) == sizeof(DLTensor));
static_assert(sizeof(AssayDevice) == sizeof(DLDevice));
static_assert(sizeof(AssayDataType) == sizeof(DLDataType));
static_assert(offsetof(AssayTensor, data) == offsetof(DLTensor, data));
static_assert(offsetof(AssayTensor, device) == offsetof(DLTensor, device));
static_assert(offsetof(AssayTensor, ndim) == offsetof(DLTensor, ndim));
static_assert(offsetof(AssayTensor, dtype) == offsetof(DLTensor, dtype));
static_assert(offsetof(AssayTensor, shape) == offsetof(DLTensor, shape));
static_assert(offsetof(AssayTensor, strides) == offsetof(DLTensor, strides));
static_assert(offsetof(AssayTensor, byte_offset) == offsetof(DLTensor, byte_offset));
static_assert(offsetof(AssayDataType, bits) == offsetof(DLDataType, bits));
static_assert(offsetof(AssayDataType, lanes) == offsetof(DLDataType, lanes));

TEST(DlpackLayout, TypesHaveTheCodesOfDlpack) {
  EXPECT_EQ(DataTypeOf(DType::kF32).code, kDLFloat);
  EXPECT_EQ(DataTypeOf(DType::kF16).code, kDLFloat);
  EXPECT_EQ(DataTypeOf(DType::kBf16).code, kDLBfloat);
  EXPECT_EQ(DataTypeOf(DType::kI64).code, kDLInt);
  EXPECT_EQ(DataTypeOf(DType::kU8).code, kDLUInt);
  EXPECT_EQ(DataTypeOf(DType::kU8).bits, 8);
  // kDLFloat8_e4m3fn and kDLFloat8_e5m2 of DLPack 1.1, which this header may be older than.
  EXPECT_EQ(DataTypeOf(DType::kF8e4m3).code, 10);
  EXPECT_EQ(DataTypeOf(DType::kF8e5m2).code, 12);
  EXPECT_EQ(DataTypeOf(DType::kF64).bits, 64);
  EXPECT_EQ(DataTypeOf(DType::kBf16).bits, 16);
}

}  // namespace
}  // namespace assay
