// SPDX-License-Identifier: Apache-2.0

#include "engine/strided.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace assay {
namespace {

struct Axis {
  int64_t extent = 1;
  int64_t stride = 0;
};

// Calls visit(offset of the row's first element, its position in the row-major list, axis) for each
// row along the last axis.
template <class Visit>
void ForEachRow(const StridedLayout& layout, Visit visit) {
  std::array<Axis, kMaxRank> axes;
  const int pad = kMaxRank - layout.shape.size();
  for (int i = 0; i < layout.shape.size(); ++i) {
    axes[pad + i] = {layout.shape[i], layout.shape[i] > 1 ? layout.strides[i] : 0};
  }
  static_assert(kMaxRank == 4, "one loop per axis but the last");
  int64_t position = 0;
  for (int64_t i = 0; i < axes[0].extent; ++i) {
    for (int64_t j = 0; j < axes[1].extent; ++j) {
      const int64_t plane = i * axes[0].stride + j * axes[1].stride;
      for (int64_t k = 0; k < axes[2].extent; ++k) {
        visit(plane + k * axes[2].stride, position, axes[3]);
        position += axes[3].extent;
      }
    }
  }
}

template <class Word>
void ScatterWords(const StridedLayout& layout, std::span<const uint64_t> bits,
                  std::byte* element0) {
  Word* words = reinterpret_cast<Word*>(element0);
  if (layout.row_major) {
    for (size_t i = 0; i < bits.size(); ++i) words[i] = static_cast<Word>(bits[i]);
    return;
  }
  ForEachRow(layout, [&](int64_t offset, int64_t position, const Axis& axis) {
    const uint64_t* from = bits.data() + position;
    for (int64_t i = 0; i < axis.extent; ++i) {
      words[offset + i * axis.stride] = static_cast<Word>(from[i]);
    }
  });
}

template <class Word>
void GatherWords(const StridedLayout& layout, const std::byte* element0, std::span<uint64_t> bits) {
  const Word* words = reinterpret_cast<const Word*>(element0);
  if (layout.row_major) {
    for (size_t i = 0; i < bits.size(); ++i) bits[i] = words[i];
    return;
  }
  ForEachRow(layout, [&](int64_t offset, int64_t position, const Axis& axis) {
    uint64_t* to = bits.data() + position;
    for (int64_t i = 0; i < axis.extent; ++i) to[i] = words[offset + i * axis.stride];
  });
}

template <class Word>
void ScatterOneWord(const StridedLayout& layout, uint64_t bits, std::byte* element0) {
  Word* words = reinterpret_cast<Word*>(element0);
  ForEachRow(layout, [&](int64_t offset, int64_t, const Axis& axis) {
    for (int64_t i = 0; i < axis.extent; ++i) {
      words[offset + i * axis.stride] = static_cast<Word>(bits);
    }
  });
}

// The layout as blocks of `block` elements that lie at all sums of multiples of the axes' strides,
// seen from the lowest element: signs and the order of the axes do not matter for gaps.
struct Blocks {
  int64_t block = 1;
  int64_t span = 0;    // elements from the first to the last, both included
  bool nested = true;  // each axis steps over the whole of the axes below it
  int axis_count = 0;
  std::array<Axis, kMaxRank> axes;  // outermost first
};

Blocks BlocksOf(const StridedLayout& layout) {
  Blocks blocks;
  std::array<Axis, kMaxRank> axes;
  int count = 0;
  for (int i = 0; i < layout.shape.size(); ++i) {
    if (layout.shape[i] == 0) return blocks;
    if (layout.shape[i] > 1 && layout.strides[i] != 0) {
      axes[count++] = {layout.shape[i], std::llabs(layout.strides[i])};
    }
  }
  std::sort(axes.begin(), axes.begin() + count,
            [](const Axis& a, const Axis& b) { return a.stride < b.stride; });
  int first = 0;
  while (first < count && axes[first].stride == blocks.block) blocks.block *= axes[first++].extent;
  blocks.span = blocks.block;
  for (int i = first; i < count; ++i) {
    blocks.nested = blocks.nested && axes[i].stride >= blocks.span;
    blocks.span += (axes[i].extent - 1) * axes[i].stride;
  }
  blocks.axis_count = count - first;
  std::reverse_copy(axes.begin() + first, axes.begin() + count, blocks.axes.begin());
  return blocks;
}

// Calls visit(offset of the block), ascending if the blocks are nested.
template <class Visit>
void ForEachBlock(const Blocks& blocks, Visit visit) {
  std::array<int64_t, kMaxRank> index{};
  int64_t offset = 0;
  for (;;) {
    visit(offset);
    int axis = blocks.axis_count - 1;
    for (; axis >= 0; --axis) {
      offset += blocks.axes[axis].stride;
      if (++index[axis] < blocks.axes[axis].extent) break;
      offset -= blocks.axes[axis].extent * blocks.axes[axis].stride;
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

void FindGapsByMask(const Blocks& blocks, int size, std::vector<ByteRun>& gaps) {
  std::vector<char> covered(static_cast<size_t>(blocks.span), 0);
  ForEachBlock(blocks, [&](int64_t offset) {
    std::memset(covered.data() + offset, 1, static_cast<size_t>(blocks.block));
  });
  for (int64_t i = 0; i < blocks.span; ++i) {
    if (covered[i] != 0) continue;
    const int64_t begin = i;
    while (covered[i] == 0) ++i;  // The highest element is covered: this stops inside.
    gaps.push_back({begin * size, i * size});
  }
}

}  // namespace

StridedLayout LayoutOf(const Tensor& tensor) {
  StridedLayout layout{SizeOf(tensor.dtype), tensor.shape, tensor.strides, true};
  int64_t expected = 1;
  for (int i = tensor.shape.size() - 1; i >= 0; --i) {
    if (tensor.shape[i] > 1 && tensor.strides[i] != expected) layout.row_major = false;
    expected *= tensor.shape[i];
  }
  return layout;
}

void Scatter(const StridedLayout& layout, std::span<const uint64_t> bits, std::byte* element0) {
  switch (layout.size) {
    case 1:
      return ScatterWords<uint8_t>(layout, bits, element0);
    case 2:
      return ScatterWords<uint16_t>(layout, bits, element0);
    case 4:
      return ScatterWords<uint32_t>(layout, bits, element0);
    default:
      return ScatterWords<uint64_t>(layout, bits, element0);
  }
}

void Gather(const StridedLayout& layout, const std::byte* element0, std::span<uint64_t> bits) {
  switch (layout.size) {
    case 1:
      return GatherWords<uint8_t>(layout, element0, bits);
    case 2:
      return GatherWords<uint16_t>(layout, element0, bits);
    case 4:
      return GatherWords<uint32_t>(layout, element0, bits);
    default:
      return GatherWords<uint64_t>(layout, element0, bits);
  }
}

void ScatterOne(const StridedLayout& layout, uint64_t bits, std::byte* element0) {
  switch (layout.size) {
    case 1:
      return ScatterOneWord<uint8_t>(layout, bits, element0);
    case 2:
      return ScatterOneWord<uint16_t>(layout, bits, element0);
    case 4:
      return ScatterOneWord<uint32_t>(layout, bits, element0);
    default:
      return ScatterOneWord<uint64_t>(layout, bits, element0);
  }
}

void FindGaps(const StridedLayout& layout, std::vector<ByteRun>& gaps) {
  gaps.clear();
  if (layout.row_major) return;
  const Blocks blocks = BlocksOf(layout);
  if (blocks.span == blocks.block) return;  // Dense in some order, or empty.
  if (!blocks.nested) return FindGapsByMask(blocks, layout.size, gaps);
  int64_t cursor = 0;
  ForEachBlock(blocks, [&](int64_t offset) {
    if (offset > cursor) gaps.push_back({cursor * layout.size, offset * layout.size});
    cursor = offset + blocks.block;
  });
}

}  // namespace assay
