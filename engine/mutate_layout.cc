// SPDX-License-Identifier: Apache-2.0
//
// Where elements lie: strides of every class a library distinguishes, offsets, alignment and which
// end abuts the guard. Outputs only get layouts whose elements stay apart.
#include <algorithm>
#include <utility>

#include "engine/mutate_steps.h"

namespace assay {
namespace {

enum class LayoutClass {
  kRowMajor,
  kColumnMajor,
  kPaddedRows,
  kPaddedColumns,
  kSpaced,
  kNegative,
  kZero,
  kWindows,
};

struct LayoutChoice {
  int weight;
  LayoutClass layout;
};
// Most cases keep layouts that every library takes; the rest reach few of them.
constexpr LayoutChoice kLayouts[] = {
    {34, LayoutClass::kRowMajor},   {18, LayoutClass::kColumnMajor},
    {18, LayoutClass::kPaddedRows}, {10, LayoutClass::kPaddedColumns},
    {6, LayoutClass::kSpaced},      {6, LayoutClass::kNegative},
    {5, LayoutClass::kZero},        {3, LayoutClass::kWindows}};

constexpr int64_t kGaps[] = {1, 1, 2, 3, 5, 8, 16, 67};
constexpr int64_t kOffsets[] = {0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 997};
constexpr int32_t kAlignments[] = {0, 0, 16, 32, 64, 128, 4096};

// Strides with the axes nested in the given order, the innermost `step` apart and `gap` elements
// between the runs of each further axis.
Dims NestedStrides(const Dims& shape, bool last_axis_inner, int64_t step, int64_t gap) {
  Dims strides;
  strides.resize(shape.size());
  int64_t next = step;
  for (int i = 0; i < shape.size(); ++i) {
    const int axis = last_axis_inner ? shape.size() - 1 - i : i;
    strides[axis] = next;
    next = next * std::max<int64_t>(shape[axis], 1) + gap;
  }
  return strides;
}

Dims MatricesTurned(const Dims& shape) {
  Dims turned = shape;
  std::swap(turned[shape.size() - 1], turned[shape.size() - 2]);
  Dims strides = RowMajorStrides(turned);
  std::swap(strides[shape.size() - 1], strides[shape.size() - 2]);
  return strides;
}

// Of [images, channels, rows, columns].
Dims ChannelsLastStrides(const Dims& shape) {
  const Dims order = {shape[0], shape[2], shape[3], shape[1]};
  const Dims nested = RowMajorStrides(order);
  return {nested[0], nested[3], nested[1], nested[2]};
}

void Negate(Dims& strides, Random& random) {
  const int first = static_cast<int>(random.Below(static_cast<uint64_t>(strides.size())));
  const bool all = random.Percent(30);
  for (int i = 0; i < strides.size(); ++i) {
    if (all || i == first) strides[i] = -strides[i];
  }
}

Dims DrawStrides(const Dims& shape, bool written, Random& random) {
  LayoutClass layout = random.PickWeighted(kLayouts).layout;
  const bool shares = layout == LayoutClass::kZero || layout == LayoutClass::kWindows;
  if (written && shares) layout = LayoutClass::kPaddedRows;
  Dims strides = RowMajorStrides(shape);
  switch (layout) {
    case LayoutClass::kRowMajor:
      return strides;
    case LayoutClass::kColumnMajor:
      // Of more than matrices, half of the time each matrix for itself.
      if (shape.size() > 2 && random.Percent(50)) return MatricesTurned(shape);
      return NestedStrides(shape, false, 1, 0);
    case LayoutClass::kPaddedRows:
      return NestedStrides(shape, true, 1, random.Pick(kGaps));
    case LayoutClass::kPaddedColumns:
      return NestedStrides(shape, false, 1, random.Pick(kGaps));
    case LayoutClass::kSpaced:
      return NestedStrides(shape, random.Percent(70), random.Between(2, 3), random.Between(0, 2));
    case LayoutClass::kNegative:
      Negate(strides, random);
      return strides;
    case LayoutClass::kZero:
      strides[static_cast<int>(random.Below(static_cast<uint64_t>(strides.size())))] = 0;
      return strides;
    case LayoutClass::kWindows:
      // Row i starts where element i of row 0 lies.
      for (int64_t& stride : strides) stride = 1;
      return strides;
  }
  return strides;
}

Tensor& DrawOperand(Draft& draft, int* index) {
  *index = static_cast<int>(draft.random.Below(static_cast<uint64_t>(draft.operand_count())));
  return draft.value.operands[*index];
}

}  // namespace

void ChangeStrides(Draft& draft) {
  int i = 0;
  Tensor& tensor = DrawOperand(draft, &i);
  if (tensor.shape.empty()) return;
  tensor.strides = DrawStrides(tensor.shape, draft.operand(i).role != Role::kInput, draft.random);
}

void ChangeOffset(Draft& draft) {
  int i = 0;
  Tensor& tensor = DrawOperand(draft, &i);
  tensor.offset = draft.random.Pick(kOffsets);
}

void ChangeAlignment(Draft& draft) {
  int i = 0;
  Tensor& tensor = DrawOperand(draft, &i);
  tensor.alignment = draft.random.Pick(kAlignments);
  tensor.misalignment = 0;
  if (tensor.alignment == 0 || draft.random.Percent(40)) return;
  const int32_t size = SizeOf(tensor.dtype);
  const int32_t most = std::min(tensor.alignment / size - 1, 3);
  if (most > 0) tensor.misalignment = size * static_cast<int32_t>(draft.random.Between(1, most));
}

void ChangePlacement(Draft& draft) {
  int i = 0;
  Tensor& tensor = DrawOperand(draft, &i);
  tensor.placement = tensor.placement == Placement::kTail ? Placement::kHead : Placement::kTail;
}

void PutChannelsLast(Draft& draft) {
  for (Tensor& tensor : draft.value.operands) tensor.strides = ChannelsLastStrides(tensor.shape);
}

void ResetLayouts(Draft& draft) {
  for (Tensor& tensor : draft.value.operands) {
    tensor.strides = RowMajorStrides(tensor.shape);
    tensor.offset = 0;
    tensor.alignment = 0;
    tensor.misalignment = 0;
  }
}

}  // namespace assay
