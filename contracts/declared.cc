// SPDX-License-Identifier: Apache-2.0
//
// Profiles resolved: the declarations of a backend for one operator and type. Within a profile the
// last declaration that fits wins; what a profile does not say, the profiles it inherits say, and
// last the named default that the user assumes.
#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "contracts/language/names.h"
#include "contracts/suite.h"

namespace assay {
namespace {

constexpr int kMaxInheritance = 8;  // a chain longer than this is a circle

bool Fits(const DeclarationAst& declaration, std::string_view op, std::string_view type) {
  if (declaration.selectors.empty()) return true;
  bool any_op = false, any_type = false, op_fits = false, type_fits = false;
  for (const Word& word : declaration.selectors) {
    const bool is_type = Contains(TypeNames(), word.text);
    const bool is_op = Contains(OperatorNames(), word.text);
    any_type |= is_type;
    any_op |= is_op;
    type_fits |= is_type && word.text == type;
    op_fits |= is_op && word.text == op;
  }
  return (!any_op || op_fits) && (!any_type || type_fits);
}

int LabelIndex(const DeclarationAst& declaration) {
  const std::span<const std::string_view> labels = LabelsOf(declaration.key);
  return static_cast<int>(std::find(labels.begin(), labels.end(), declaration.label.text) -
                          labels.begin());
}

// The declarations that are one number; false for all others.
bool ApplyNumber(const DeclarationAst& declaration, Declared& declared) {
  struct Number {
    DeclarationKey key;
    std::optional<double> Declared::* member;
  };
  static constexpr Number kNumbers[] = {
      {DeclarationKey::kUlpLimit, &Declared::ulp_limit},
      {DeclarationKey::kUlpLimitExp, &Declared::ulp_limit_exp},
      {DeclarationKey::kUlpLimitLog, &Declared::ulp_limit_log},
      {DeclarationKey::kUlpLimitRsqrt, &Declared::ulp_limit_rsqrt},
      {DeclarationKey::kErrorFloor, &Declared::error_floor},
      {DeclarationKey::kArgumentLimit, &Declared::argument_limit},
      {DeclarationKey::kKappa, &Declared::kappa},
      {DeclarationKey::kTiles, &Declared::tiles},
  };
  for (const Number& number : kNumbers) {
    if (number.key != declaration.key) continue;
    declared.*number.member = declaration.number;
    return true;
  }
  return false;
}

void Apply(const DeclarationAst& declaration, Declared& declared) {
  if (ApplyNumber(declaration, declared)) return;
  switch (declaration.key) {
    case DeclarationKey::kInherits:
      break;
    case DeclarationKey::kAccumulator:
      declared.accumulator =
          Accumulator{*ParseFormat(declaration.label.text), declaration.truncates,
                      declaration.block, declaration.guard};
      break;
    case DeclarationKey::kSubnormals:
      declared.subnormals = static_cast<SubnormalPolicy>(LabelIndex(declaration));
      break;
    case DeclarationKey::kNan:
      declared.nan = static_cast<NanPolicy>(LabelIndex(declaration));
      break;
    case DeclarationKey::kOutOfBounds:
      declared.out_of_bounds = static_cast<IndexPolicy>(LabelIndex(declaration));
      if (declared.out_of_bounds == IndexPolicy::kFill) declared.fill_value = declaration.number;
      break;
    case DeclarationKey::kLevel:
      declared.level = static_cast<GeluLevel>(LabelIndex(declaration));
      break;
    case DeclarationKey::kOverread:
      declared.overread_bytes = static_cast<int64_t>(declaration.number);
      break;
    case DeclarationKey::kDeterminism:
      declared.determinism = static_cast<Determinism>(LabelIndex(declaration));
      break;
    case DeclarationKey::kInvariance:
      declared.invariance |= static_cast<Invariance>(1 << LabelIndex(declaration));
      break;
    case DeclarationKey::kProbabilities:
      declared.probabilities = *ParseFormat(declaration.label.text);
      break;
    case DeclarationKey::kIntegerOverflow:
      declared.integer_overflow = static_cast<IntegerOverflow>(LabelIndex(declaration));
      break;
    case DeclarationKey::kCastOutside:
      declared.cast_outside = static_cast<CastOutside>(LabelIndex(declaration));
      break;
    case DeclarationKey::kMaskedRow:
      declared.masked_row = static_cast<MaskedRow>(LabelIndex(declaration));
      break;
    case DeclarationKey::kNanPlace:
      declared.nan_place = static_cast<NanPlace>(LabelIndex(declaration));
      break;
    case DeclarationKey::kRounding:
      declared.rounding = static_cast<QuantizeRounding>(LabelIndex(declaration));
      break;
    case DeclarationKey::kDivisionByZero:
      declared.division_by_zero = static_cast<DivisionPolicy>(LabelIndex(declaration));
      break;
    case DeclarationKey::kDivisionOverflow:
      declared.division_overflow = static_cast<DivisionPolicy>(LabelIndex(declaration));
      break;
    case DeclarationKey::kRange:
      declared.full_range = true;
      break;
    case DeclarationKey::kRelaxation:
      declared.relaxations.push_back(declaration.label.text);
      break;
    default:
      break;
  }
}

std::string NumberText(double number) {
  char text[32];
  const std::to_chars_result end = std::to_chars(std::begin(text), std::end(text), number);
  return {text, end.ptr};
}

std::string ValueText(const DeclarationAst& declaration) {
  const std::string number = NumberText(declaration.number);
  if (declaration.label.text.empty()) {
    return declaration.key == DeclarationKey::kOverread ? number + " bytes" : number;
  }
  std::string text = declaration.label.text;
  if (declaration.key == DeclarationKey::kOutOfBounds && text == "FILL") text += "(" + number + ")";
  if (declaration.truncates) text += " rz";
  if (declaration.block > 0) {
    text += " block=" + std::to_string(declaration.block) +
            " guard=" + std::to_string(declaration.guard);
  }
  return text;
}

// The profile and what it inherits, furthest first, so that nearer declarations overwrite.
void Chain(const Suite& suite, const ProfileAst& profile, std::vector<const ProfileAst*>& chain) {
  if (static_cast<int>(chain.size()) >= kMaxInheritance) return;
  for (const DeclarationAst& declaration : profile.declarations) {
    if (declaration.key != DeclarationKey::kInherits) continue;
    const ProfileAst* parent = suite.FindProfile(declaration.label.text);
    const bool known = std::find(chain.begin(), chain.end(), parent) != chain.end();
    if (parent != nullptr && parent != &profile && !known) {
      chain.push_back(parent);
      Chain(suite, *parent, chain);
    }
  }
}

Result<const ProfileAst*> Find(const Suite& suite, std::string_view name) {
  if (const ProfileAst* profile = suite.FindProfile(name)) return profile;
  std::vector<std::string_view> known;
  for (const ProfileAst& profile : suite.profiles) known.push_back(profile.name.text);
  const std::string nearest = NearestName(name, known);
  return Error{
      std::string(name), "no profile has this name",
      nearest.empty() ? "there are " + JoinNames(known) : "did you mean '" + nearest + "'?"};
}

// All profiles that count, the least binding first.
Result<std::vector<const ProfileAst*>> ProfilesFor(const Suite& suite, std::string_view name,
                                                   std::string_view assume) {
  std::vector<const ProfileAst*> chain;
  if (!name.empty()) {  // a backend without a profile has promised nothing; a default may stand in
    Result<const ProfileAst*> profile = Find(suite, name);
    if (!profile.ok()) return std::move(profile).error();
    chain = {profile.value()};
    Chain(suite, *profile.value(), chain);
  }
  if (!assume.empty()) {
    Result<const ProfileAst*> fallback = Find(suite, assume);
    if (!fallback.ok()) return std::move(fallback).error();
    chain.push_back(fallback.value());
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace

Result<Declared> DeclaredBy(const Suite& suite, std::string_view profile, OpId op, DType type,
                            std::string_view assume) {
  Result<std::vector<const ProfileAst*>> profiles = ProfilesFor(suite, profile, assume);
  if (!profiles.ok()) return std::move(profiles).error();
  Declared declared;
  for (const ProfileAst* each : profiles.value()) {
    for (const DeclarationAst& declaration : each->declarations) {
      if (Fits(declaration, DefOf(op).name, NameOf(type))) Apply(declaration, declared);
    }
  }
  return declared;
}

Result<std::vector<DeclarationInfo>> DeclarationsOf(const Suite& suite, std::string_view profile,
                                                    OpId op, DType type, std::string_view assume) {
  Result<std::vector<const ProfileAst*>> profiles = ProfilesFor(suite, profile, assume);
  if (!profiles.ok()) return std::move(profiles).error();
  std::vector<DeclarationInfo> infos;
  for (const ProfileAst* each : profiles.value()) {
    for (const DeclarationAst& declaration : each->declarations) {
      if (declaration.key == DeclarationKey::kInherits ||
          !Fits(declaration, DefOf(op).name, NameOf(type))) {
        continue;
      }
      const std::string key(NameOf(declaration.key));
      if (declaration.key != DeclarationKey::kRelaxation &&
          declaration.key != DeclarationKey::kInvariance) {
        std::erase_if(infos, [&](const DeclarationInfo& info) { return info.key == key; });
      }
      infos.push_back(
          {key, each->name.text, declaration.source, ValueText(declaration), declaration.lets});
    }
  }
  return infos;
}

std::vector<std::string> ProfilesOf(const Suite& suite) {
  std::vector<std::string> names;
  for (const ProfileAst& profile : suite.profiles) names.push_back(profile.name.text);
  return names;
}

}  // namespace assay
