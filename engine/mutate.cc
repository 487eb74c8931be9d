// SPDX-License-Identifier: Apache-2.0
//
// Choosing and chaining the single changes of engine/mutate_steps.h, checking the outcome, and
// mixing two cases. A campaign's luck is in the weights here and in the tables of the steps: each
// outcome that some known bug needs must come up within some thousands of cases (tests count them).
#include "engine/mutate.h"

#include <algorithm>
#include <utility>

#include "engine/mutate_steps.h"
#include "engine/random.h"

namespace assay {
namespace {

struct StepRow {
  int weight;
  void (*step)(Draft&);
};
constexpr StepRow kSteps[] = {
    {20, ChangeDimension}, {4, ChangeAllDimensions}, {12, ChangeAttribute}, {4, ChangeToAtom},
    {6, ChangeTypes},      {1, ChangeSchedule},      {12, ChangeStrides},   {3, ChangeOffset},
    {3, ChangeAlignment},  {4, ChangePlacement},     {2, ResetLayouts},     {10, ChangeFills},
    {5, ChangeOneFill},    {3, ChangeSeed}};

// Steps on single elements; chosen so that in a long chain about 60% of cases have none set.
constexpr StepRow kFirstElements[] = {{6, AddSpecial}, {3, AddSpecialPartners}};
constexpr StepRow kMoreElements[] = {
    {4, AddSpecial}, {1, AddSpecialPartners}, {3, RemoveOverride}, {8, ClearOverrides}};
constexpr int kFirstElementPercent = 9;
constexpr int kMoreElementsPercent = 24;

constexpr int kAttempts = 8;

bool HasImages(const OperatorDef& def) {
  return def.family == Family::kConv || def.family == Family::kPool;
}

void OneStep(Draft& draft) {
  Random& random = draft.random;
  if (IndexOperandOf(draft.def) >= 0 && random.Percent(12)) return AddBadIndex(draft);
  if (draft.def.family == Family::kAttention && random.Percent(8)) return MaskPlaces(draft);
  if (draft.def.family == Family::kIntDivision && random.Percent(12)) return SetDivision(draft);
  if (HasImages(draft.def) && random.Percent(5)) return PutChannelsLast(draft);
  const bool some = HasOverrides(draft.value);
  if (random.Percent(some ? kMoreElementsPercent : kFirstElementPercent)) {
    const StepRow& row =
        some ? random.PickWeighted(kMoreElements) : random.PickWeighted(kFirstElements);
    return row.step(draft);
  }
  random.PickWeighted(kSteps).step(draft);
}

int DrawStepCount(Random& random) {
  if (random.Percent(60)) return 1;
  return random.Percent(65) ? 2 : static_cast<int>(random.Between(3, 4));
}

// A fresh case before it is checked.
Case DraftFresh(const MutationSpace& space, OpId op, Random& random) {
  const OperatorDef& def = DefOf(op);
  NamedDims dims;
  for (int i = 0; i < static_cast<int>(def.dimensions.size()); ++i) dims.push_back(1);
  Case value = MakeCase(op, InputTypesOf(op)[0], dims);
  Draft draft{value, def, dims, space, random};
  ChangeAllDimensions(draft);
  ChangeTypes(draft);
  ChangeFills(draft);
  for (int i = 0; i < value.attributes.size(); ++i) {
    if (random.Percent(60)) ChangeAttribute(draft);
  }
  for (int i = 0; i < value.operands.size(); ++i) {
    if (random.Percent(35)) ChangeStrides(draft);
    if (random.Percent(10)) ChangeOffset(draft);
    if (random.Percent(10)) ChangeAlignment(draft);
    if (random.Percent(25)) ChangePlacement(draft);
  }
  if (HasImages(def) && random.Percent(30)) PutChannelsLast(draft);
  if (random.Percent(10)) ChangeToAtom(draft);
  if (random.Percent(20)) ChangeSchedule(draft);
  const bool indexed = IndexOperandOf(def) >= 0;
  if (indexed && random.Percent(45)) AddBadIndex(draft);
  if (def.family == Family::kAttention && random.Percent(30)) MaskPlaces(draft);
  if (def.family == Family::kIntDivision && random.Percent(45)) SetDivision(draft);
  if (!indexed && random.Percent(38)) {
    random.PickWeighted(kFirstElements).step(draft);
    if (random.Percent(25)) AddSpecial(draft);
  }
  return value;
}

Case FreshOf(const MutationSpace& space, OpId op, Random& random) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Case value = DraftFresh(space, op, random);
    RoundScalars(value);
    if (CheckCase(value).ok()) return value;
  }
  const OperatorDef& def = DefOf(op);
  NamedDims dims;
  // From the size of the largest default window on, so that every operator has its output.
  for (size_t i = 0; i < def.dimensions.size(); ++i) dims.push_back(random.Between(2, 4));
  Case value = MakeCase(op, InputTypesOf(op)[0], dims);
  Draft draft{value, def, dims, space, random};
  ChangeTypes(draft);
  return value;
}

// Parts of an operand that make sense on another one of the same rank.
void TakeParts(Draft& draft, int i, Tensor from) {
  Random& random = draft.random;
  Tensor& to = draft.value.operands[i];
  const Role role = draft.operand(i).role;
  Retype(from, role, to.dtype);
  if (random.Percent(50)) {
    FollowLayout(to, from.shape, from.strides);
    to.offset = from.offset;
    to.placement = from.placement;
  }
  if (role == Role::kOutput) return;
  if (random.Percent(50) && FillSuits(from.fill.kind, to.dtype, role)) to.fill = from.fill;
  if (random.Percent(50)) {
    to.overrides = from.overrides;
    KeepOverridesInside(to);
  }
}

void MixSameOperator(Draft& draft, const Case& b, const NamedDims& b_dims) {
  Random& random = draft.random;
  if (random.Percent(40)) {
    for (int i = 0; i < draft.operand_count(); ++i) {
      Retype(draft.value.operands[i], draft.operand(i).role, b.operands[i].dtype);
    }
  }
  const bool covered = IndicesCoverAll(draft);
  for (int i = 0; i < b.attributes.size(); ++i) {
    if (random.Percent(50)) draft.value.attributes[i] = b.attributes[i];
  }
  SettleAttributes(draft);
  NamedDims dims = draft.dims;
  for (int i = 0; i < dims.size(); ++i) {
    if (random.Percent(50)) dims[i] = b_dims[i];
  }
  Reshape(draft, dims);
  for (int i = 0; i < draft.operand_count(); ++i) TakeParts(draft, i, b.operands[i]);
  // Indices that lay inside must not leave a smaller table.
  if (covered) CoverAllIndices(draft);
  if (random.Percent(50)) draft.value.schedule_seed = b.schedule_seed;
}

// Between operators only what lies in one operand can pass; destinations keep their own.
void MixOtherOperator(Draft& draft, const Case& b) {
  for (int i = 0; i < draft.operand_count(); ++i) {
    const int rank = draft.value.operands[i].shape.size();
    const ElementKind kind = draft.operand(i).kind;
    if (draft.operand(i).role == Role::kOutput || kind == ElementKind::kIndex) continue;
    if (draft.operand(i).name == "variance") continue;  // no other operand is positive
    const OperatorDef& other = DefOf(b.op);
    FixedVector<int, kMaxOperands> donors;
    for (int j = 0; j < b.operands.size(); ++j) {
      const bool index = other.operands[static_cast<size_t>(j)].kind == ElementKind::kIndex;
      if (b.operands[j].shape.size() == rank && !index) donors.push_back(j);
    }
    if (donors.empty()) continue;
    const int donor =
        donors[static_cast<int>(draft.random.Below(static_cast<uint64_t>(donors.size())))];
    TakeParts(draft, i, b.operands[donor]);
  }
}

}  // namespace

bool Mutate(Case& value, const MutationSpace& space, uint64_t seed) {
  Random random(seed);
  const Result<NamedDims> given = CheckCase(value);
  ASSAY_CHECK(given.ok(), "only checked cases are mutated");
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Case next = value;
    NamedDims dims = given.value();
    Draft draft{next, DefOf(value.op), dims, space, random};
    if (random.Percent(3)) {
      next = FreshOf(space, value.op, random);
    } else {
      for (int steps = DrawStepCount(random); steps > 0; --steps) OneStep(draft);
    }
    RoundScalars(next);
    if (next == value || !CheckCase(next).ok()) continue;
    value = next;
    return true;
  }
  return false;
}

bool Crossover(const Case& a, const Case& b, Case& out, const MutationSpace& space, uint64_t seed) {
  Random random(seed);
  const Result<NamedDims> a_dims = CheckCase(a);
  const Result<NamedDims> b_dims = CheckCase(b);
  ASSAY_CHECK(a_dims.ok() && b_dims.ok(), "only checked cases are mixed");
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Case next = a;
    NamedDims dims = a_dims.value();
    Draft draft{next, DefOf(a.op), dims, space, random};
    if (a.op == b.op) {
      MixSameOperator(draft, b, b_dims.value());
    } else {
      MixOtherOperator(draft, b);
    }
    RoundScalars(next);
    if (next == a || !CheckCase(next).ok()) continue;
    out = next;
    return true;
  }
  out = a;
  return false;
}

Case FreshCase(const MutationSpace& space, uint64_t seed) {
  ASSAY_CHECK(!space.ops.empty(), "a mutation space needs an operator");
  Random random(seed);
  return FreshOf(space, random.Pick(space.ops), random);
}

}  // namespace assay
