// SPDX-License-Identifier: Apache-2.0
//
// The arms that need no libFuzzer, and the names of all.
#include "fuzz/detection/arms.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "contracts/operator.h"
#include "contracts/values.h"
#include "engine/basic_tests.h"
#include "engine/random.h"
#include "fuzz/feedback.h"

namespace assay {
namespace {

constexpr auto kBlockNames = std::to_array<std::string_view>({
#define ASSAY_BLOCK_NAME(name, size) #name,
    ASSAY_FEATURE_BLOCKS(ASSAY_BLOCK_NAME)
#undef ASSAY_BLOCK_NAME
});

std::string ArmWithout(std::string_view block) {
  std::string name = "guided-";
  for (const char c : block.substr(1)) name += static_cast<char>(std::tolower(c));
  return name;
}

[[noreturn]] void RunUnguided(Hunter& hunter, uint64_t seed) {
  constexpr uint64_t kChain = 16;  // changes of one case before the next fresh one
  const MutationSpace& space = hunter.quarry().space;
  Case value;
  for (uint64_t i = 0;; ++i) {
    hunter.CountInput();
    const uint64_t draw = Mix(Mix(seed) + i);
    if (i % kChain == 0) {
      value = FreshCase(space, draw);
    } else {
      Mutate(value, space, draw);
    }
    const Result<NamedDims> dims = CheckCase(value);
    ASSAY_CHECK(dims.ok(), "mutation gives checked cases");
    hunter.Try(value, dims.value());
  }
}

void DrawAttributes(Case& value, const OperatorDef& def, Random& random) {
  for (int i = 0; i < value.attributes.size(); ++i) {
    const AttributeDef& attribute = def.attributes[static_cast<size_t>(i)];
    Attribute& given = value.attributes[i];
    if (attribute.is_real()) {
      // What is no factor, an epsilon or a step, stays positive.
      const bool factor = attribute.name == "alpha" || attribute.name == "beta";
      given.real = factor ? 4 * random.Unit() - 2 : 0x1p-10 + random.Unit();
    } else if (attribute.is_integer()) {
      given.real = static_cast<double>(random.Between(
          attribute.lowest, std::min<int64_t>(attribute.lowest + 3, attribute.highest)));
    } else {
      given.choice = static_cast<int32_t>(random.Below(attribute.labels.size()));
    }
  }
}

Case DrawUniform(const MutationSpace& space, Random& random) {
  constexpr int64_t kLargest = 32;
  const size_t at = random.Below(space.ops.size());
  const OperatorDef& def = DefOf(space.ops[at]);
  NamedDims dims;
  const int64_t largest = def.dimensions.size() > 3 ? kLargest / 4 : kLargest;
  for (size_t i = 0; i < def.dimensions.size(); ++i) dims.push_back(random.Between(1, largest));
  Case value = MakeCase(def.id, random.Pick(space.types[at]), dims);
  DrawAttributes(value, def, random);
  def.shape(dims, value);
  for (int i = 0; i < value.operands.size(); ++i) {
    Tensor& tensor = value.operands[i];
    tensor.strides = RowMajorStrides(tensor.shape);
    tensor.fill.seed = random.Below(1 << 16);
    if (i > 0) tensor.dtype = random.Pick(AllowedTypes(value, def, i));
    const bool reads = def.operands[static_cast<size_t>(i)].role == Role::kInout;
    if (reads) tensor.fill = {FillKind::kUniform, tensor.fill.seed, -1, 1};
  }
  RoundScalars(value);
  return value;
}

[[noreturn]] void RunUniform(Hunter& hunter, uint64_t seed) {
  Random random(Mix(seed));
  for (;;) {
    const Case value = DrawUniform(hunter.quarry().space, random);
    const Result<NamedDims> dims = CheckCase(value);
    if (!dims.ok()) continue;  // a window that does not fit
    hunter.CountInput();
    hunter.Try(value, dims.value());
  }
}

[[noreturn]] void RunAllclose(Hunter& hunter, uint64_t seed) {
  const MutationSpace& space = hunter.quarry().space;
  for (size_t i = 0; i < space.ops.size(); ++i) {
    for (const DType type : space.types[i]) {
      for (uint64_t input = 0; input < 5; ++input) {
        hunter.CountInput();
        const bool close =
            PassesFixedShape(hunter.table(), space.ops[i], type, Mix(seed) % 1000 + input);
        if (!close) hunter.End("allclose");
      }
    }
  }
  hunter.End("");
}

}  // namespace

std::vector<std::string> ArmNames() {
  std::vector<std::string> names = {"guided", "unguided", "uniform", "raw_bytes", "allclose"};
  for (const std::string_view block : kBlockNames) {
    if (block != "kAny") names.push_back(ArmWithout(block));
  }
  return names;
}

void RunArm(std::string_view arm, Hunter& hunter, uint64_t seed) {
  if (arm == "guided") RunGuided(hunter, seed, -1, false);
  if (arm == "raw_bytes") RunGuided(hunter, seed, -1, true);
  if (arm == "unguided") RunUnguided(hunter, seed);
  if (arm == "uniform") RunUniform(hunter, seed);
  if (arm == "allclose") RunAllclose(hunter, seed);
  for (size_t block = 0; block < kBlockNames.size(); ++block) {
    if (arm == ArmWithout(kBlockNames[block])) {
      RunGuided(hunter, seed, static_cast<int>(block), false);
    }
  }
  InvariantBroken(__FILE__, __LINE__, "arm", "an arm that there is");
}

}  // namespace assay
