// SPDX-License-Identifier: Apache-2.0
//
// The table of probes, and what their recipes share.
#include "engine/probe.h"

#include <algorithm>
#include <array>

#include "contracts/invariant.h"
#include "contracts/values.h"
#include "engine/probe_recipes.h"

namespace assay {
namespace {

constexpr std::string_view kNames[] = {
#define ASSAY_PROBE_NAME(id, name, meaning) name,
    ASSAY_PROBES(ASSAY_PROBE_NAME)
#undef ASSAY_PROBE_NAME
};
constexpr size_t kCount = std::size(kNames);

constexpr uint32_t Bit(Family family) { return 1u << static_cast<unsigned>(family); }
constexpr uint32_t kProducts = Bit(Family::kGemm) | Bit(Family::kDot);
constexpr uint32_t kSums = kProducts | Bit(Family::kSum);
constexpr uint32_t kReals = kSums | Bit(Family::kSoftmax) | Bit(Family::kUnary);
constexpr uint32_t kAll = kReals | Bit(Family::kGather);

struct Row {
  uint32_t families;
  Case (*make)(probe::Recipe& recipe);
};
// In the order of the enumeration.
constexpr std::array<Row, kCount> kRows = {{
    {kSums, probe::SparseRows},
    {kSums, probe::WideTimesPowerOfTwo},
    {kProducts, probe::UnrepresentableProducts},
    {kSums, probe::MantissaSweep},
    {kSums, probe::Swamping},
    {kSums, probe::Saturation},
    {kSums | Bit(Family::kSoftmax), probe::EqualRows},
    {kSums, probe::CancellingPartials},
    {Bit(Family::kSoftmax), probe::ShiftedRows},
    {Bit(Family::kSoftmax), probe::WideRows},
    {Bit(Family::kUnary), probe::FarTails},
    {Bit(Family::kUnary) | Bit(Family::kSoftmax), probe::NearZero},
    {kReals, probe::Subnormals},
    {Bit(Family::kUnary), probe::Thresholds},
    {kReals, probe::NanPerLane},
    {kReals, probe::Infinities},
    {kReals, probe::SignedZeros},
    {Bit(Family::kGemm), probe::ZeroScalars},
    {kSums, probe::EmptySums},
    {kAll, probe::TwoPrefills},
    {Bit(Family::kGather), probe::IndexBefore},
    {Bit(Family::kGather), probe::IndexAfter},
    {Bit(Family::kGather), probe::IndexFar},
    {Bit(Family::kGather), probe::IndexNarrowed},
    {kAll, probe::GuardBefore},
    {kAll, probe::GuardAfter},
    {kAll, probe::Gaps},
}};

const Row& RowOf(Probe probe) { return kRows[static_cast<size_t>(probe)]; }

}  // namespace

std::optional<Probe> ParseProbe(std::string_view name) {
  const auto* found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<Probe>(found - std::begin(kNames));
}

std::string_view NameOf(Probe probe) { return kNames[static_cast<size_t>(probe)]; }
std::span<const std::string_view> ProbeNames() { return kNames; }

bool Applies(Probe probe, Family family) { return (RowOf(probe).families & Bit(family)) != 0; }

Case MakeProbeCase(Probe probe, OpId op, DType type, uint64_t seed) {
  ASSAY_CHECK(Applies(probe, DefOf(op).family), "a probe of this operator");
  const uint64_t stream = Mix(static_cast<uint64_t>(probe) * 64 + static_cast<uint64_t>(op));
  probe::Recipe recipe = {op, type, seed, Random(Mix(stream ^ static_cast<uint64_t>(type)) ^ seed)};
  Case value = RowOf(probe).make(recipe);
  ASSAY_CHECK(CheckCase(value).ok(), "a probe's case is a case");
  return value;
}

namespace probe {

Case WithLength(Recipe& recipe, int64_t length) {
  Random& random = recipe.random;
  switch (recipe.family()) {
    case Family::kGemm: {
      Case value =
          MakeCase(recipe.op, recipe.type, {random.Between(1, 4), random.Between(1, 4), length});
      // b stored [n,k], so that the rows of both factors run along k.
      value.attributes[kGemmTransB].choice = 1;
      DefOf(recipe.op).shape({value.operands[2].shape[0], value.operands[2].shape[1], length},
                             value);
      for (Tensor& tensor : value.operands) tensor.strides = RowMajorStrides(tensor.shape);
      value.operands[2].fill = {};
      return value;
    }
    case Family::kSoftmax:
      return MakeCase(recipe.op, recipe.type, {random.Between(1, 3), length});
    case Family::kGather:
      return MakeCase(recipe.op, recipe.type, {length, random.Between(1, 5), random.Between(1, 6)});
    default:
      return MakeCase(recipe.op, recipe.type, {length});
  }
}

void SetFactors(Recipe& recipe, Case& value, Fill x, Fill y) {
  const bool has_second = recipe.family() == Family::kGemm || recipe.family() == Family::kDot;
  if (has_second && recipe.random.Percent(50)) std::swap(x, y);
  value.operands[0].fill = x;
  if (has_second) value.operands[1].fill = y;
}

void SetElement(Tensor& tensor, int64_t row, int64_t column, uint64_t bits) {
  Override each;
  if (tensor.shape.size() == 2) each.index.push_back(static_cast<int32_t>(row));
  each.index.push_back(static_cast<int32_t>(column));
  each.bits = bits;
  for (Override& present : tensor.overrides) {
    if (present.index == each.index) {
      present = each;
      return;
    }
  }
  ASSAY_CHECK(!tensor.overrides.full(), "room for one more set element");
  tensor.overrides.push_back(each);
}

int64_t DrawPlace(int64_t size, Random& random) {
  constexpr int64_t kLanes[] = {4, 8};
  int64_t at = 0;
  switch (random.Below(5)) {
    case 0:
      break;
    case 1:
      at = size - 1;
      break;
    case 2: {
      const int64_t lanes = random.Pick(kLanes);
      at = size / lanes * lanes - random.Between(0, 1);
      break;
    }
    default:
      at = random.Between(0, size - 1);
  }
  return std::clamp<int64_t>(at, 0, size - 1);
}

}  // namespace probe
}  // namespace assay
