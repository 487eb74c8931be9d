// SPDX-License-Identifier: Apache-2.0
//
// Steps that change attributes, the schedule and sizes. A size shrinks by slicing, not by making
// the case anew: elements that remain keep their values wherever they can be said.

#include <algorithm>
#include <cmath>
#include <utility>

#include "triage/steps.h"

namespace assay {

StepSource::StepSource(const Case& value) : value_(value), def_(DefOf(value.op)) {
  Result<NamedDims> dims = def_.dims(value);
  ASSAY_CHECK(dims.ok(), "steps start from a checked case");
  dims_ = dims.value();
}

const Values& StepSource::values() const {
  if (!has_values_) MakeValues(value_, dims_, values_);
  has_values_ = true;
  return values_;
}

FixedVector<int32_t, kMaxRank> IndexOf(const Dims& shape, int64_t linear) {
  FixedVector<int32_t, kMaxRank> index;
  index.resize(shape.size());
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    index[axis] = static_cast<int32_t>(linear % shape[axis]);
    linear /= shape[axis];
  }
  return index;
}

namespace {

// ---- Slices ----

struct Range {
  int64_t first, length;
};

// The axis of each operand that has dimension `d`, or -1.
FixedVector<int, kMaxOperands> AxesOf(const StepSource& source, int d) {
  FixedVector<int, kMaxOperands> axes;
  for (int i = 0; i < source.value().operands.size(); ++i) {
    const OperandDef& operand = source.def().operands[static_cast<size_t>(i)];
    int axis = -1;
    for (int j = 0; j < operand.axes.rank; ++j) {
      if (DimensionAt(operand, source.value(), j) == d) axis = j;
    }
    axes.push_back(axis);
  }
  return axes;
}

// Sets by hand what the operand's elements in `range` of `axis` hold; false when they are too many.
bool Spell(const OperandValues& values, int axis, Range range, const Dims& shape, Tensor& out) {
  const int64_t count = ElementCount(shape);
  if (count > kMaxOverrides) return false;
  out.fill = {};
  out.overrides.clear();
  for (int64_t i = 0; i < count; ++i) {
    const auto index = IndexOf(shape, i);
    int64_t from = 0;
    for (int j = 0; j < shape.size(); ++j) {
      from = from * values.shape[j] + index[j] + (j == axis ? range.first : 0);
    }
    const uint64_t bits = values.bits[static_cast<size_t>(from)];
    if (bits != 0) out.overrides.push_back({index, bits});
  }
  return true;
}

void ShiftOverrides(int axis, Range range, Tensor& out) {
  FixedVector<Override, kMaxOverrides> kept;
  for (Override each : out.overrides) {
    each.index.resize(out.shape.size(), 0);
    each.index[axis] -= static_cast<int32_t>(range.first);
    if (each.index[axis] >= 0 && each.index[axis] < range.length) kept.push_back(each);
  }
  out.overrides = kept;
}

void DropOverridesOutside(Tensor& out) {
  FixedVector<Override, kMaxOverrides> kept;
  for (const Override& each : out.overrides) {
    bool inside = true;
    for (int axis = 0; axis < each.index.size(); ++axis) {
      inside = inside && each.index[axis] < out.shape[axis];
    }
    if (inside) kept.push_back(each);
  }
  out.overrides = kept;
}

// Gives an operand the shape that dimensions and attributes ask for, its leading elements kept.
void Refit(const Dims& shape, Tensor& out) {
  const bool plain = HasPlainStrides(out);
  out.shape = shape;
  if (plain) out.strides = RowMajorStrides(shape);
  if (ElementCount(shape) == 0) out.overrides.clear();
  DropOverridesOutside(out);
}

// A shorter table: indices outside stay as far outside, those inside stay inside.
void FollowRows(int64_t rows_before, Range range, Tensor& indices) {
  const auto moved = [&](int64_t index) {
    if (index < 0) return index;
    if (index >= rows_before) return index - rows_before + range.length;
    return std::clamp<int64_t>(index - range.first, 0, std::max<int64_t>(range.length - 1, 0));
  };
  if (indices.fill.kind == FillKind::kIndices || indices.fill.kind == FillKind::kConstant ||
      indices.fill.kind == FillKind::kIntegers) {
    indices.fill.lo = static_cast<double>(moved(static_cast<int64_t>(indices.fill.lo)));
    if (indices.fill.kind != FillKind::kConstant) {
      indices.fill.hi = static_cast<double>(moved(static_cast<int64_t>(indices.fill.hi)));
    }
  }
  for (Override& each : indices.overrides) {
    const int64_t index = DecodeInteger(indices.dtype, each.bits);
    each.bits = EncodeInteger(indices.dtype, moved(index));
  }
}

bool IsUniformFill(const Fill& fill) {
  return fill.kind == FillKind::kZero || fill.kind == FillKind::kConstant;
}

// Which dimension the indices choose from, or -1.
int IndexedDimension(const StepSource& source) {
  if (IndexOperandOf(source.def()) < 0) return -1;
  const bool columns = source.value().op == OpId::kIndexSelect &&
                       IntegerAttribute(source.value(), kIndexSelectAxis) == 1;
  return columns ? 1 : 0;
}

// `out` (a variant of the source whose dimension `d` is whole) cut to `range` of it. Extents that
// follow from the dimension are cut at their end.
void Slice(const StepSource& source, int d, Range range, Case& out) {
  const FixedVector<int, kMaxOperands> axes = AxesOf(source, d);
  Case shaped = out;
  NamedDims dims = source.dims();
  dims[d] = range.length;
  source.def().shape(dims, shaped);
  for (int i = 0; i < out.operands.size(); ++i) {
    Tensor& tensor = out.operands[i];
    const Dims& shape = shaped.operands[i].shape;
    if (tensor.shape == shape) continue;
    if (axes[i] < 0 || source.role(i) == Role::kOutput) {
      Refit(shape, tensor);
      continue;
    }
    const bool spell = range.first > 0 && range.length > 0 && !IsUniformFill(tensor.fill);
    const bool spelled = spell && Spell(source.values().operands[static_cast<size_t>(i)], axes[i],
                                        range, shape, tensor);
    if (!spelled) ShiftOverrides(axes[i], range, tensor);
    Refit(shape, tensor);
  }
  if (d == IndexedDimension(source)) {
    FollowRows(source.dims()[d], range, out.operands[IndexOperandOf(source.def())]);
  }
}

bool OfferSlice(const StepSource& source, int d, Range range, const Offer& offer) {
  if (range.first < 0 || range.length < 0 || range.length >= source.dims()[d] ||
      range.first + range.length > source.dims()[d]) {
    return false;
  }
  Case variant = source.value();
  Slice(source, d, range, variant);
  return offer(variant);
}

// Positions along dimension `d` of elements set by hand.
std::vector<int64_t> MarkedPositions(const StepSource& source, int d) {
  const FixedVector<int, kMaxOperands> axes = AxesOf(source, d);
  std::vector<int64_t> positions;
  for (int i = 0; i < axes.size(); ++i) {
    if (axes[i] < 0) continue;
    for (const Override& each : source.value().operands[i].overrides) {
      positions.push_back(axes[i] < each.index.size() ? each.index[axes[i]] : 0);
    }
  }
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

// Windows beyond this many of one length are not tried.
constexpr int64_t kMaxWindows = 64;

bool OfferWindows(const StepSource& source, int d, const Offer& offer) {
  const int64_t size = source.dims()[d];
  for (const int64_t length : {1, 2, 4, 8}) {
    for (const int64_t at : MarkedPositions(source, d)) {
      const int64_t first = std::max<int64_t>(0, std::min(at, size - length));
      if (OfferSlice(source, d, {first, length}, offer)) return true;
    }
    if (size > length * kMaxWindows) continue;
    for (int64_t first = 0; first + length <= size; first += length) {
      if (OfferSlice(source, d, {first, length}, offer)) return true;
    }
  }
  return false;
}

// Sizes worth trying below `size`: the smallest, the same remainders by vector widths, fractions.
std::vector<int64_t> SmallerSizes(int64_t size) {
  std::vector<int64_t> sizes = {0, 1, 2, 3};
  for (const int64_t tile : {4, 8, 16}) {
    sizes.push_back(size % tile);
    sizes.push_back(tile + size % tile);
    sizes.push_back(size - tile);
  }
  for (const int64_t part : {2, 4, 8}) sizes.push_back(size - (size + part - 1) / part);
  sizes.push_back(size - 2);
  sizes.push_back(size - 1);
  std::vector<int64_t> smaller;
  for (const int64_t each : sizes) {
    const bool known = std::find(smaller.begin(), smaller.end(), each) != smaller.end();
    if (each >= 0 && each < size && !known) smaller.push_back(each);
  }
  return smaller;
}

bool OfferSizesOf(const StepSource& source, int d, const Offer& offer) {
  const int64_t size = source.dims()[d];
  const std::vector<int64_t> smaller = SmallerSizes(size);
  for (const int64_t length : smaller) {
    if (OfferSlice(source, d, {0, length}, offer)) return true;
    if (length > 0 && OfferSlice(source, d, {size - length, length}, offer)) return true;
  }
  return OfferWindows(source, d, offer);
}

// Cuts several dimensions from the front at once; each step works on a case of its own, since a
// slice keeps values of the case it starts from.
bool OfferJointly(const StepSource& source, const NamedDims& lengths, const Offer& offer) {
  Case variant = source.value();
  // From the last on: a kernel shrinks before the image that it must fit.
  for (int d = lengths.size() - 1; d >= 0; --d) {
    if (lengths[d] >= source.dims()[d]) continue;
    const Case before = variant;
    if (!source.def().dims(before).ok()) return false;
    Slice(StepSource(before), d, {0, lengths[d]}, variant);
  }
  return offer(variant);
}

bool OfferJointSizes(const StepSource& source, const Offer& offer) {
  const NamedDims& dims = source.dims();
  NamedDims ones = dims, halves = dims;
  for (int d = 0; d < dims.size(); ++d) {
    ones[d] = std::min<int64_t>(dims[d], 1);
    halves[d] = dims[d] / 2;
  }
  return OfferJointly(source, ones, offer) || OfferJointly(source, halves, offer);
}

bool OfferPairs(const StepSource& source, const Offer& offer) {
  for (int d = 0; d < source.dims().size(); ++d) {
    for (int e = d + 1; e < source.dims().size(); ++e) {
      NamedDims less = source.dims();
      if (less[d] == 0 || less[e] == 0) continue;
      --less[d];
      --less[e];
      if (OfferJointly(source, less, offer)) return true;
    }
  }
  return false;
}

// ---- Attributes ----

// The same stored elements under the other reading: the last two axes change places.
void Turn(Tensor& tensor) {
  const bool plain = HasPlainStrides(tensor);
  const int last = tensor.shape.size() - 1;
  std::swap(tensor.shape[last - 1], tensor.shape[last]);
  std::swap(tensor.strides[last - 1], tensor.strides[last]);
  if (plain) tensor.strides = RowMajorStrides(tensor.shape);
  for (Override& each : tensor.overrides) {
    each.index.resize(tensor.shape.size(), 0);
    std::swap(each.index[last - 1], each.index[last]);
  }
}

void SetChoice(const OperatorDef& def, int attribute, int32_t choice, Case& value) {
  if (value.attributes[attribute].choice == choice) return;
  value.attributes[attribute].choice = choice;
  for (int i = 0; i < value.operands.size(); ++i) {
    if (def.operands[static_cast<size_t>(i)].transposed_by == attribute) Turn(value.operands[i]);
  }
}

// Sizes that follow from an attribute, such as those of a convolution's output.
void RefitAll(const StepSource& source, Case& value) {
  Case shaped = value;
  source.def().shape(source.dims(), shaped);
  for (int i = 0; i < value.operands.size(); ++i) {
    if (value.operands[i].shape != shaped.operands[i].shape) {
      Refit(shaped.operands[i].shape, value.operands[i]);
    }
  }
}

void SetDefault(const OperatorDef& def, int attribute, Case& value) {
  const AttributeDef& meaning = def.attributes[static_cast<size_t>(attribute)];
  if (meaning.is_label()) return SetChoice(def, attribute, 0, value);
  value.attributes[attribute].real = meaning.default_real;
}

// What lies between an attribute and its default, the boldest first.
bool OfferTowardDefault(const StepSource& source, int i, const Offer& offer) {
  const AttributeDef& attribute = source.def().attributes[static_cast<size_t>(i)];
  const Attribute given = source.value().attributes[i];
  if (attribute.is_label()) {
    for (int32_t choice = 1; choice < given.choice; ++choice) {
      Case variant = source.value();
      SetChoice(source.def(), i, choice, variant);
      if (offer(variant)) return true;
    }
    return false;
  }
  const auto offered = [&](double real) {
    Case variant = source.value();
    variant.attributes[i].real = real;
    if (!attribute.is_integer()) return offer(variant);
    // Shapes follow from attributes in range only: a stride of 0 divides.
    if (!(real >= attribute.lowest && real <= attribute.highest)) return false;
    RefitAll(source, variant);
    return offer(variant);
  };
  if (offered(1) || offered(0)) return true;
  if (!attribute.is_integer()) return false;
  const double step = given.real < 0 ? -1 : 1;
  return offered(2) || offered(-given.real) || offered(std::trunc(given.real / 2)) ||
         offered(given.real - step);
}

}  // namespace

bool OfferSchedules(const StepSource& source, const Offer& offer) {
  Case variant = source.value();
  for (const uint64_t seed : {0, 1, 2, 3}) {
    variant.schedule_seed = seed;
    if (offer(variant)) return true;
  }
  variant = source.value();
  const int32_t repeats = variant.repeats;
  for (const int32_t fewer : {0, 1, 2, repeats / 2, repeats - repeats / 4, repeats - 1}) {
    variant.repeats = std::max(fewer, 0);
    if (offer(variant)) return true;
  }
  return false;
}

bool OfferAttributes(const StepSource& source, const Offer& offer) {
  const int count = source.value().attributes.size();
  Case variant = source.value();
  for (int i = 0; i < count; ++i) SetDefault(source.def(), i, variant);
  RefitAll(source, variant);
  if (offer(variant)) return true;
  for (int i = 0; i < count; ++i) {
    variant = source.value();
    SetDefault(source.def(), i, variant);
    RefitAll(source, variant);
    if (offer(variant) || OfferTowardDefault(source, i, offer)) return true;
  }
  return false;
}

bool OfferShapes(const StepSource& source, const Offer& offer) {
  if (OfferJointSizes(source, offer)) return true;
  for (int d = 0; d < source.dims().size(); ++d) {
    if (OfferSizesOf(source, d, offer)) return true;
  }
  return OfferPairs(source, offer);
}

}  // namespace assay
