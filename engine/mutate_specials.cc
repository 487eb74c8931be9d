// SPDX-License-Identifier: Apache-2.0
//
// Single elements: special values at the places where vector bodies, tails and rows begin and end,
// and indices outside their table. Specials are added one or two at a time: a case full of NaN
// tells nothing about where one gets lost.
#include <algorithm>
#include <limits>

#include "engine/mutate_steps.h"

namespace assay {
namespace {

enum class Special {
  kNan,
  kOtherNan,
  kInf,
  kMinusInf,
  kZero,
  kMinusZero,
  kLargest,
  kMinusLargest,
  kSmallestNormal,
  kLargestSubnormal,
  kSmallestSubnormal,
  kOne,
  kRandomBits,
};
struct SpecialRow {
  int weight;
  Special special;
};
constexpr SpecialRow kSpecials[] = {{24, Special::kNan},
                                    {3, Special::kOtherNan},
                                    {12, Special::kInf},
                                    {8, Special::kMinusInf},
                                    {6, Special::kZero},
                                    {8, Special::kMinusZero},
                                    {6, Special::kLargest},
                                    {3, Special::kMinusLargest},
                                    {6, Special::kSmallestNormal},
                                    {6, Special::kLargestSubnormal},
                                    {8, Special::kSmallestSubnormal},
                                    {2, Special::kOne},
                                    {8, Special::kRandomBits}};

uint64_t WidthMask(DType type) {
  const int width = 8 * SizeOf(type);
  return width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}

uint64_t SpecialBits(Special special, DType type, Random& random) {
  const FormatInfo& info = InfoOf(FormatOf(type));
  const auto encoded = [type](double value) { return Encode(type, value); };
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const uint64_t infinity = encoded(kInf);
  switch (special) {
    case Special::kNan:
      return encoded(std::numeric_limits<double>::quiet_NaN());
    case Special::kOtherNan: {
      // Any sign and payload, signalling ones included. The least is lost when it is cut, the
      // greatest carries into the sign when half a unit is added to its bits.
      const uint64_t payloads[] = {1, infinity - 1, random.Next()};
      return (random.Pick(payloads) & WidthMask(type)) | infinity | 1;
    }
    case Special::kInf:
      return infinity;
    case Special::kMinusInf:
      return encoded(-kInf);
    case Special::kZero:
      return 0;
    case Special::kMinusZero:
      return encoded(-0.0);
    case Special::kLargest:
      return encoded(info.largest);
    case Special::kMinusLargest:
      return encoded(-info.largest);
    case Special::kSmallestNormal:
      return encoded(info.smallest_normal);
    case Special::kLargestSubnormal:
      return encoded(info.smallest_normal) - 1;
    case Special::kSmallestSubnormal:
      return encoded(random.Percent(70) ? info.smallest_subnormal : -info.smallest_subnormal);
    case Special::kOne:
      return encoded(1);
    case Special::kRandomBits:
      return random.Next() & WidthMask(type);
  }
  return 0;
}

// A coordinate: the ends, the middle, both sides of the last full vector, or anywhere.
int32_t DrawPlace(int64_t size, Random& random) {
  constexpr int64_t kLanes[] = {4, 8, 16};
  const int64_t last = size - 1;
  int64_t at = 0;
  switch (random.Below(7)) {
    case 0:
    case 1:
      break;
    case 2:
      at = last;
      break;
    case 3:
      at = size / 2;
      break;
    case 4: {
      const int64_t lanes = random.Pick(kLanes);
      at = size / lanes * lanes - random.Between(0, 1);
      break;
    }
    case 5:
      at = 1;
      break;
    default:
      at = random.Between(0, last);
  }
  return static_cast<int32_t>(std::clamp<int64_t>(at, 0, last));
}

Override DrawPosition(const Tensor& tensor, Random& random) {
  Override each;
  for (const int64_t size : tensor.shape) each.index.push_back(DrawPlace(size, random));
  return each;
}

// Replaces the oldest when there is no room, so that a long chain keeps moving.
void SetElement(Tensor& tensor, const Override& each) {
  for (Override& present : tensor.overrides) {
    if (present.index == each.index) {
      present.bits = each.bits;
      return;
    }
  }
  if (tensor.overrides.full()) tensor.overrides.erase(0);
  tensor.overrides.push_back(each);
}

bool Settable(const Draft& draft, int i) {
  return draft.operand(i).role != Role::kOutput && draft.operand(i).kind != ElementKind::kIndex &&
         ElementCount(draft.value.operands[i].shape) > 0;
}

// -1 when no operand has an element to set.
int DrawSettable(Draft& draft) {
  FixedVector<int, kMaxOperands> settable;
  for (int i = 0; i < draft.operand_count(); ++i) {
    if (Settable(draft, i)) settable.push_back(i);
  }
  if (settable.empty()) return -1;
  return settable[static_cast<int>(draft.random.Below(static_cast<uint64_t>(settable.size())))];
}

uint64_t DrawBits(DType type, Random& random) {
  if (!IsFloat(type)) return random.Next() & WidthMask(type);
  return SpecialBits(random.PickWeighted(kSpecials).special, type, random);
}

int64_t BadIndex(int64_t rows, Random& random) {
  constexpr int64_t kTwo31 = int64_t{1} << 31;
  const int64_t edges[] = {-1,
                           -rows,
                           -rows - 1,
                           rows,
                           rows + 10,
                           kTwo31 - 1,
                           kTwo31,
                           (int64_t{1} << 32) + rows / 2,
                           std::numeric_limits<int64_t>::min()};
  return random.Pick(edges);
}

}  // namespace

void SetFirstOperand(Draft& draft, double value) {
  if (!Settable(draft, 0)) return;
  Tensor& x = draft.value.operands[0];
  Override each = DrawPosition(x, draft.random);
  each.bits = Encode(x.dtype, value);
  SetElement(x, each);
}

bool HasOverrides(const Case& value) {
  return std::any_of(value.operands.begin(), value.operands.end(),
                     [](const Tensor& tensor) { return !tensor.overrides.empty(); });
}

void ClearOverrides(Draft& draft) {
  for (Tensor& tensor : draft.value.operands) tensor.overrides.clear();
}

void RemoveOverride(Draft& draft) {
  for (Tensor& tensor : draft.value.operands) {
    if (tensor.overrides.empty()) continue;
    tensor.overrides.erase(
        static_cast<int>(draft.random.Below(static_cast<uint64_t>(tensor.overrides.size()))));
    if (draft.random.Percent(50)) return;
  }
}

void AddSpecial(Draft& draft) {
  const int i = DrawSettable(draft);
  if (i < 0) return;
  Tensor& tensor = draft.value.operands[i];
  Override each = DrawPosition(tensor, draft.random);
  each.bits = DrawBits(tensor.dtype, draft.random);
  SetElement(tensor, each);
}

void AddSpecialPartners(Draft& draft) {
  const bool pair = draft.operand_count() >= 3 && Settable(draft, 0) && Settable(draft, 1);
  if (!pair) return AddSpecial(draft);
  Tensor& a = draft.value.operands[0];
  Tensor& b = draft.value.operands[1];
  Override left = DrawPosition(a, draft.random);
  Override right = DrawPosition(b, draft.random);
  // The same place of every dimension that both have.
  for (int i = 0; i < right.index.size(); ++i) {
    for (int j = 0; j < left.index.size(); ++j) {
      const bool shared = DimensionAt(draft.operand(1), draft.value, i) ==
                          DimensionAt(draft.operand(0), draft.value, j);
      if (shared) right.index[i] = left.index[j];
    }
  }
  left.bits = DrawBits(a.dtype, draft.random);
  right.bits = draft.random.Percent(50) ? 0 : DrawBits(b.dtype, draft.random);
  SetElement(a, left);
  SetElement(b, right);
}

void AddBadIndex(Draft& draft) {
  const int i = IndexOperandOf(draft.def);
  if (i < 0) return AddSpecial(draft);
  Tensor& indices = draft.value.operands[i];
  if (ElementCount(indices.shape) == 0) return;
  const int64_t bad = BadIndex(IndexedExtent(draft.value, draft.dims), draft.random);
  Override each = DrawPosition(indices, draft.random);
  each.bits = EncodeInteger(indices.dtype, bad);
  if (DecodeInteger(indices.dtype, each.bits) != bad) return;  // i32 cannot hold it
  // One bad index per call says most about what happens to it.
  if (draft.random.Percent(80)) indices.overrides.clear();
  SetElement(indices, each);
  if (draft.random.Percent(80)) CoverAllIndices(draft);
  Fill& table = draft.value.operands[0].fill;
  if (draft.random.Percent(70)) table = {FillKind::kDistinct, table.seed, 0, 0};
}

void SetDivision(Draft& draft) {
  Tensor& x = draft.value.operands[0];
  Tensor& y = draft.value.operands[1];
  if (ElementCount(x.shape) == 0) return;
  const IntegerLimits limits = LimitsOf(x.dtype);
  const int64_t dividends[] = {limits.lowest, limits.highest, 0, 7};
  const int64_t divisors[] = {0, 0, limits.lowest < 0 ? -1 : 1, limits.lowest, limits.highest, 1};
  Override each = DrawPosition(x, draft.random);
  each.bits = EncodeInteger(x.dtype, draft.random.Pick(dividends));
  // One of them per call says most about what happens to it.
  if (draft.random.Percent(70)) ClearOverrides(draft);
  SetElement(x, each);
  each.bits = EncodeInteger(y.dtype, draft.random.Pick(divisors));
  SetElement(y, each);
}

void MaskPlaces(Draft& draft) {
  if (draft.def.family != Family::kAttention) return AddSpecial(draft);
  Tensor& mask = draft.value.operands[3];
  if (ElementCount(mask.shape) == 0) return;
  const uint64_t hidden = Encode(mask.dtype, -std::numeric_limits<double>::infinity());
  Override each = DrawPosition(mask, draft.random);
  each.bits = hidden;
  if (mask.shape[1] <= kMaxOverrides && draft.random.Percent(30)) {  // a row that sees nothing
    mask.overrides.clear();
    for (int64_t key = 0; key < mask.shape[1]; ++key) {
      each.index[1] = static_cast<int32_t>(key);
      SetElement(mask, each);
    }
    return;
  }
  for (int64_t places = draft.random.Between(1, 4); places > 0; --places) {
    SetElement(mask, each);
    each = DrawPosition(mask, draft.random);
    each.bits = hidden;
  }
}

}  // namespace assay
