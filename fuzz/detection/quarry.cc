// SPDX-License-Identifier: Apache-2.0
#include "fuzz/detection/quarry.h"

#include <algorithm>

#include "contracts/operator.h"
#include "contracts/suggest.h"
#include "engine/backends/planted/table.h"

namespace assay {
namespace {

MutationSpace SpaceOf(OpSet ops, uint32_t types, const std::vector<Atom>& atoms) {
  MutationSpace space;
  for (const OperatorDef& def : Operators()) {
    if ((ops & Bit(def.id)) == 0) continue;
    std::vector<DType> taken;
    for (const DType type : InputTypesOf(def.id)) {
      if ((types >> static_cast<unsigned>(type) & 1) != 0) taken.push_back(type);
    }
    if (taken.empty()) continue;
    space.ops.push_back(def.id);
    space.types.push_back(std::move(taken));
  }
  for (const Atom& atom : atoms) {
    if ((ops & Bit(atom.op)) != 0) space.atoms.push_back(atom);
  }
  return space;
}

}  // namespace

std::vector<Quarry> AllQuarries() {
  const std::vector<Atom> atoms = AtomsOf(*BuiltinSuite());
  std::vector<Quarry> quarries;
  for (const PlantedKernel& kernel : PlantedTable()) {
    if (kernel.state == PlantedState::kGood) continue;
    quarries.push_back({std::string(kernel.name), "planted:" + std::string(kernel.name),
                        std::string(kernel.contracts), std::string(NameOf(kernel.family)),
                        std::string(NameOf(kernel.state)),
                        SpaceOf(kernel.ops, kernel.types, atoms)});
  }
  const uint32_t f32 = 1u << static_cast<unsigned>(DType::kF32);
  for (const char* name : {"planted_branch", "planted_branch_blind"}) {
    quarries.push_back({name, name, "", "gemm", "bad", SpaceOf(Bit(OpId::kGemm), f32, atoms)});
  }
  return quarries;
}

Result<std::vector<Quarry>> ChooseQuarries(const std::vector<std::string>& names) {
  std::vector<Quarry> all = AllQuarries();
  if (names.empty()) return all;
  std::vector<Quarry> chosen;
  for (const std::string& name : names) {
    const auto at = std::ranges::find(all, name, &Quarry::name);
    if (at == all.end()) {
      std::vector<std::string_view> known;
      for (const Quarry& each : all) known.push_back(each.name);
      return Error{"--kernel", "there is no planted bug '" + name + "'", DidYouMean(name, known)};
    }
    chosen.push_back(*at);
  }
  return chosen;
}

}  // namespace assay
