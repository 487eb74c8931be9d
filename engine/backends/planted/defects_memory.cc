// SPDX-License-Identifier: Apache-2.0
//
// Touching what is no operand's, indices taken for what they are not, and shapes that only
// benchmarks have.
#include <algorithm>
#include <cstring>

#include "engine/backends/planted/defects.h"
#include "engine/backends/planted/exchanged.h"
#include "engine/backends/reference/kernels.h"

namespace assay::planted {
namespace {

// Touches memory in a way that the compiler may not leave out.
void ReadByte(const std::byte* at) {
  static_cast<void>(*static_cast<const volatile std::byte*>(at));
}

bool IsOdd(const AssayTensor& tensor) { return CountOf(tensor) % 2 == 1; }

// The operand that an index chooses from, and along which axis.
int64_t IndexedExtent(const AssayCall& call) {
  if (call.op == ASSAY_OP_SCATTER_ADD) return call.operands[2].shape[0];
  const bool columns = call.op == ASSAY_OP_INDEX_SELECT && call.attributes[0] == 1;
  return call.operands[0].shape[columns ? 1 : 0];
}

// Runs the reference, which rejects what is outside, on indices mapped by `map`.
template <class Map>
int32_t WithIndices(const AssayCall& call, const Map& map) {
  constexpr int kIndices = 1;
  const int64_t extent = IndexedExtent(call);
  ExchangedCall exchanged(call);
  ForEachPlace(exchanged.Copy(kIndices), [&](const Place& place) {
    const int64_t index = DecodeInteger(place.type, place.Bits());
    place.SetBits(EncodeInteger(place.type, map(index, extent)));
  });
  return exchanged.Run();
}

// Runs the reference on inputs whose elements are read where from(place) says, as a place of the
// same operand in row-major order.
template <class From>
int32_t WithElementsFrom(const AssayCall& call, const From& from) {
  ExchangedCall exchanged(call);
  for (int i = 0; i < call.operand_count - 1; ++i) {
    AssayTensor& copy = exchanged.Copy(i);
    ForEachPlace(copy, [&](const Place& place) {
      const int64_t source = from(place, copy);
      // Sources lie before what is read from them, so that one buffer does.
      const auto* element0 = static_cast<const std::byte*>(copy.data);
      const int64_t size = SizeOf(place.type);
      if (source != place.position) {
        std::memcpy(place.at, element0 + source * size, static_cast<size_t>(size));
      }
    });
  }
  return exchanged.Run();
}

bool LiesInItsSpan(const AssayTensor& tensor) {
  int64_t reach = 0;
  for (int axis = 0; axis < tensor.ndim; ++axis) {
    if (tensor.shape[axis] > 1 && tensor.strides[axis] <= 0) return false;
    if (tensor.shape[axis] > 1) reach += (tensor.shape[axis] - 1) * tensor.strides[axis];
  }
  return reach + 1 >= CountOf(tensor);
}

// Reads elements of the first operand that `lost` picks as zero.
template <class Lost>
int32_t WithoutSome(const AssayCall& call, const Lost& lost) {
  ExchangedCall exchanged(call);
  ForEachPlace(exchanged.Copy(0), [&](const Place& place) {
    if (lost(place)) place.SetBits(0);
  });
  return exchanged.Run();
}

}  // namespace

int32_t ReadsPastEnd(const AssayCall& call) {
  if (IsOdd(call.operands[0])) ReadByte(PastEnd(call.operands[0]));
  return reference::Run(call);
}

int32_t ReadsBefore(const AssayCall& call) {
  if (IsOdd(call.operands[0])) ReadByte(BeforeStart(call.operands[0]));
  return reference::Run(call);
}

int32_t WritesPastEnd(const AssayCall& call) {
  const AssayTensor& out = Destination(call);
  const int32_t status = reference::Run(call);
  constexpr int64_t kStored = 4;
  if (status == ASSAY_OK && CountOf(out) % kStored != 0) {
    std::memset(PastEnd(out), 0, static_cast<size_t>(SizeOf(TypeOf(out))));
  }
  return status;
}

int32_t WritesInput(const AssayCall& call) {
  const AssayTensor& input = call.operands[0];
  const int32_t status = reference::Run(call);
  if (CountOf(input) > 0) {
    std::byte* element0 = static_cast<std::byte*>(input.data) + input.byte_offset;
    *element0 ^= std::byte{1};
  }
  return status;
}

int32_t IndexClampedAbove(const AssayCall& call) {
  return WithIndices(call,
                     [](int64_t index, int64_t extent) { return std::min(index, extent - 1); });
}

int32_t IndexNarrowed(const AssayCall& call) {
  return WithIndices(call, [](int64_t index, int64_t) {
    return static_cast<int64_t>(static_cast<int32_t>(static_cast<uint32_t>(index)));
  });
}

int32_t IndexModulo(const AssayCall& call) {
  return WithIndices(call, [](int64_t index, int64_t extent) {
    return extent == 0 ? index : (index % extent + extent) % extent;
  });
}

int32_t IndexWrapsNegative(const AssayCall& call) {
  return WithIndices(call, [](int64_t index, int64_t extent) {
    return index < 0 && index >= -extent ? index + extent : index;
  });
}

int32_t TailUnmasked(const AssayCall& call) {
  return WithoutSome(call, [](const Place& place) { return !place.in_body(); });
}

int32_t StridesIgnored(const AssayCall& call) {
  ExchangedCall exchanged(call);
  for (int i = 0; i < call.operand_count - 1; ++i) {
    AssayTensor& tensor = exchanged.operand(i);
    if (!LiesInItsSpan(tensor)) continue;
    int64_t stride = 1;
    for (int axis = tensor.ndim - 1; axis >= 0; --axis) {
      tensor.strides[axis] = stride;
      stride *= tensor.shape[axis];
    }
  }
  return exchanged.Run();
}

int32_t OffsetsIn16Bits(const AssayCall& call) {
  return WithElementsFrom(call, [](const Place& place, const AssayTensor&) {
    return static_cast<int64_t>(static_cast<uint16_t>(place.position));
  });
}

int32_t LoopsIn8Bits(const AssayCall& call) {
  return WithElementsFrom(call, [](const Place& place, const AssayTensor& tensor) {
    int64_t source = 0;
    for (int axis = 0; axis < place.rank; ++axis) {
      const auto index = static_cast<uint8_t>(place.index[static_cast<size_t>(axis)]);
      source = source * tensor.shape[axis] + index;
    }
    return source;
  });
}

int32_t RowAloneWrong(const AssayCall& call) {
  const AssayTensor& out = Destination(call);
  if (out.ndim < 2 || out.shape[0] != 1) return reference::Run(call);
  return WithoutSome(
      call, [](const Place& place) { return place.last_index() == place.last_extent - 1; });
}

}  // namespace assay::planted
