// SPDX-License-Identifier: Apache-2.0
//
// Builds the dense values of a case's operands. Runs once per case: after a few cases no call here
// allocates. Must not depend on any other folder.
#include "contracts/values.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "contracts/fill.h"
#include "contracts/format_bits.h"

namespace assay {
namespace {

// Calls visit(leading, position) for each row of the last axis in row-major order; `leading` holds
// the other coordinates and `position` is the row-major position of the row's first element.
template <class Visitor>
void ForEachRow(const Dims& shape, int64_t count, Visitor visit) {
  const int leading_rank = std::max(0, shape.size() - 1);
  const int64_t length = shape.empty() ? 1 : shape.back();
  Dims leading;
  leading.resize(leading_rank, 0);
  for (int64_t position = 0; position < count; position += length) {
    visit(std::span<const int64_t>(leading.data(), static_cast<size_t>(leading_rank)), position);
    for (int axis = leading_rank - 1; axis >= 0 && ++leading[axis] == shape[axis]; --axis) {
      leading[axis] = 0;
    }
  }
}

void FillRows(const Tensor& tensor, OperandValues& out) {
  const std::span<const int64_t> shape(tensor.shape.data(),
                                       static_cast<size_t>(tensor.shape.size()));
  const int64_t length = shape.empty() ? 1 : shape.back();
  RowFiller filler(tensor.fill, tensor.dtype, shape);
  ForEachRow(tensor.shape, out.count, [&](std::span<const int64_t> leading, int64_t position) {
    filler.Start(leading);
    filler.Write(0, {out.bits.data() + position, static_cast<size_t>(length)});
  });
}

void ApplyOverrides(const Tensor& tensor, OperandValues& out) {
  if (out.count == 0) return;
  for (const Override& each : tensor.overrides) {
    int64_t position = 0;
    for (int axis = 0; axis < tensor.shape.size(); ++axis) {
      const int64_t at = axis < each.index.size() ? each.index[axis] : 0;
      position = position * tensor.shape[axis] + at;
    }
    ASSAY_CHECK(position >= 0 && position < out.count, "an override lies outside a checked case");
    out.bits[static_cast<size_t>(position)] = each.bits;
  }
}

// Stores every element where its strides say and reads all of them back.
void ShareAddresses(const Tensor& tensor, OperandValues& out, std::vector<uint64_t>& memory) {
  const Extent extent = ExtentOf(tensor.shape, tensor.strides);
  if (memory.size() < static_cast<size_t>(extent.size())) {
    memory.resize(static_cast<size_t>(extent.size()));
  }
  const auto for_each_element = [&](auto visit) {
    const int64_t length = tensor.shape.back();
    const int64_t step = tensor.strides.back();
    ForEachRow(tensor.shape, out.count, [&](std::span<const int64_t> leading, int64_t position) {
      int64_t address = -extent.lowest;
      for (size_t i = 0; i < leading.size(); ++i) {
        address += leading[i] * tensor.strides[static_cast<int>(i)];
      }
      for (int64_t j = 0; j < length; ++j) {
        visit(memory[static_cast<size_t>(address + j * step)],
              out.bits[static_cast<size_t>(position + j)]);
      }
    });
  };
  for_each_element([](uint64_t& cell, uint64_t& element) { cell = element; });
  for_each_element([](uint64_t& cell, uint64_t& element) { element = cell; });
}

// Facts about the doubles, gathered without branches as integers: |x| orders like its pattern.
struct FloatFacts {
  uint64_t largest = 0;  // pattern of the largest finite magnitude
  bool any_nan = false, any_inf = false, any_subnormal = false;
};

template <class F>
FloatFacts DecodeReals(const OperandValues& in, double* real) {
  FloatFacts facts;
  for (size_t i = 0; i < in.bits.size(); ++i) {
    real[i] = F::Unpack(in.bits[i]);
    const uint64_t magnitude = format_bits::BitsOf(real[i]) & ~format_bits::kSign64;
    const bool finite = magnitude < format_bits::kInfinity64;
    facts.any_nan |= magnitude > format_bits::kInfinity64;
    facts.any_inf |= magnitude == format_bits::kInfinity64;
    facts.any_subnormal |= magnitude - 1 < format_bits::BitsOf(F::kSmallestNormal) - 1;
    facts.largest = std::max(facts.largest, finite ? magnitude : 0);
  }
  return facts;
}

void DecodeFloats(OperandValues& out) {
  out.integer.clear();
  out.real.resize(out.bits.size());
  const FloatFacts facts = format_bits::VisitFloat(
      out.dtype, [&](auto f) { return DecodeReals<decltype(f)>(out, out.real.data()); });
  out.any_nan = facts.any_nan;
  out.any_inf = facts.any_inf;
  out.any_subnormal = facts.any_subnormal;
  out.max_abs = format_bits::FromBits(facts.largest);
}

void DecodeIntegers(OperandValues& out) {
  out.real.clear();
  out.integer.resize(out.bits.size());
  out.any_nan = out.any_inf = out.any_subnormal = false;
  out.max_abs = 0;
  for (size_t i = 0; i < out.bits.size(); ++i) {
    out.integer[i] = DecodeInteger(out.dtype, out.bits[i]);
    out.max_abs = std::max(out.max_abs, std::fabs(static_cast<double>(out.integer[i])));
  }
}

void MakeOperand(const Tensor& tensor, OperandValues& out, std::vector<uint64_t>& memory) {
  out.dtype = tensor.dtype;
  out.shape = tensor.shape;
  out.count = ElementCount(tensor.shape);
  out.bits.resize(static_cast<size_t>(out.count));
  FillRows(tensor, out);
  ApplyOverrides(tensor, out);
  if (Overlaps(tensor.shape, tensor.strides)) ShareAddresses(tensor, out, memory);
  if (IsFloat(tensor.dtype)) {
    DecodeFloats(out);
  } else {
    DecodeIntegers(out);
  }
}

// Like operands.resize(count), but the buffers of operands that go are kept for those that come.
void ResizeOperands(int count, Values& values) {
  const auto wanted = static_cast<size_t>(count);
  while (values.operands.size() > wanted) {
    values.spare.push_back(std::move(values.operands.back()));
    values.operands.pop_back();
  }
  while (values.operands.size() < wanted) {
    if (values.spare.empty()) {
      values.operands.emplace_back();
    } else {
      values.operands.push_back(std::move(values.spare.back()));
      values.spare.pop_back();
    }
  }
}

}  // namespace

void MakeValues(const Case& value, const NamedDims& dims, Values& values) {
  values.source = &value;
  values.op = &DefOf(value.op);
  values.dims = dims;
  values.roles.clear();
  for (const OperandDef& operand : values.op->operands) {
    values.roles.push_back(static_cast<uint8_t>(operand.role));
  }
  ResizeOperands(value.operands.size(), values);
  for (int i = 0; i < value.operands.size(); ++i) {
    MakeOperand(value.operands[i], values.operands[static_cast<size_t>(i)], values.memory);
  }
}

}  // namespace assay
