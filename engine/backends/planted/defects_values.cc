// SPDX-License-Identifier: Apache-2.0
//
// Operands that are not taken as they are: without their special values, or in a narrower format.
#include <cmath>

#include "engine/backends/planted/defects.h"
#include "engine/backends/planted/exchanged.h"
#include "engine/backends/reference/kernels.h"

namespace assay::planted {
namespace {

// Runs the reference on operands whose reals are changed(value, place) for those that `chosen`
// says.
template <class Chosen, class Change>
int32_t WithChanged(const AssayCall& call, const Chosen& chosen, const Change& change) {
  ExchangedCall exchanged(call);
  for (int i = 0; i < call.operand_count; ++i) {
    if (!IsReal(call, i) || !chosen(i)) continue;
    ForEachPlace(exchanged.Copy(i), [&](const Place& place) {
      const double value = place.Real(), changed = change(value, place);
      // What stays keeps its bits, the payload of a NaN included.
      const bool same = changed == value && std::signbit(changed) == std::signbit(value);
      if (!same && !(std::isnan(value) && std::isnan(changed))) {
        place.SetBits(Encode(place.type, changed));
      }
    });
  }
  return exchanged.Run();
}

bool Any(int) { return true; }
bool FirstOnly(int operand) { return operand == 0; }

double Flushed(double value, DType type) {
  const bool subnormal = std::fabs(value) < InfoOf(FormatOf(type)).smallest_normal;
  return subnormal ? std::copysign(0.0, value) : value;
}

template <class Chosen>
void FlushOutputs(const AssayCall& call, const Chosen& chosen) {
  const AssayTensor& out = Destination(call);
  if (!IsFloat(TypeOf(out))) return;
  ForEachPlace(out, [&](const Place& place) {
    const double value = place.Real();
    if (chosen(place) && value != 0 && Flushed(value, place.type) == 0) {
      place.SetBits(Encode(place.type, Flushed(value, place.type)));
    }
  });
}

// Of the inputs alone: what is read and overwritten is an accumulator.
int32_t WithOperandsIn(Format format, const AssayCall& call) {
  const auto is_input = [&call](int i) {
    const OperandDef& def = DefOf(call).operands[static_cast<size_t>(i)];
    return def.role == Role::kInput || call.operand_count == 1;
  };
  return WithChanged(call, is_input,
                     [format](double value, const Place&) { return Round(format, value); });
}

}  // namespace

int32_t NanDropped(const AssayCall& call) {
  return WithChanged(call, Any,
                     [](double value, const Place&) { return std::isnan(value) ? 0 : value; });
}

int32_t NanDroppedInBody(const AssayCall& call) {
  return WithChanged(call, Any, [](double value, const Place& place) {
    return std::isnan(value) && place.in_body() ? 0 : value;
  });
}

int32_t InfSaturated(const AssayCall& call) {
  return WithChanged(call, Any, [](double value, const Place& place) {
    const double largest = InfoOf(FormatOf(place.type)).largest;
    return std::isinf(value) ? std::copysign(largest, value) : value;
  });
}

int32_t ZeroSignLost(const AssayCall& call) {
  return WithChanged(call, Any,
                     [](double value, const Place&) { return value == 0 ? 0.0 : value; });
}

int32_t FlushesLeftInputs(const AssayCall& call) {
  return WithChanged(call, FirstOnly,
                     [](double value, const Place& place) { return Flushed(value, place.type); });
}

int32_t FlushesInputsInBody(const AssayCall& call) {
  return WithChanged(call, Any, [](double value, const Place& place) {
    return place.in_body() ? Flushed(value, place.type) : value;
  });
}

int32_t FlushesOutputsInBody(const AssayCall& call) {
  const int32_t status = reference::Run(call);
  if (status == ASSAY_OK) FlushOutputs(call, [](const Place& place) { return place.in_body(); });
  return status;
}

int32_t FlushesAll(const AssayCall& call) {
  const int32_t status = WithChanged(
      call, Any, [](double value, const Place& place) { return Flushed(value, place.type); });
  if (status == ASSAY_OK) FlushOutputs(call, [](const Place&) { return true; });
  return status;
}

int32_t OperandsTf32(const AssayCall& call) { return WithOperandsIn(Format::kTf32, call); }
// Leaves alone what the rounding would take to infinity, and subnormals.
int32_t OperandsTf32InRange(const AssayCall& call) {
  const auto is_input = [&call](int i) {
    return DefOf(call).operands[static_cast<size_t>(i)].role == Role::kInput;
  };
  return WithChanged(call, is_input, [](double value, const Place& place) {
    const double rounded = Round(Format::kTf32, value);
    const double smallest = InfoOf(FormatOf(place.type)).smallest_normal;
    return std::isfinite(rounded) && std::fabs(value) >= smallest ? rounded : value;
  });
}

int32_t OperandsHf32(const AssayCall& call) { return WithOperandsIn(Format::kHf32, call); }
int32_t OperandsBf16(const AssayCall& call) { return WithOperandsIn(Format::kBf16, call); }

int32_t F64AsF32(const AssayCall& call) {
  ExchangedCall exchanged(call);
  for (int i = 0; i < call.operand_count; ++i) {
    if (TypeOf(call.operands[i]) == DType::kF64) exchanged.Convert(i, DType::kF32);
  }
  return exchanged.Run();
}

}  // namespace assay::planted
