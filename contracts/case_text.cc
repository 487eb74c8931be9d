// SPDX-License-Identifier: Apache-2.0
//
// Printing: a case as one line, in the order of the operator's table.
#include <string>
#include <string_view>

#include "contracts/case.h"
#include "contracts/case_words.h"
#include "contracts/operator.h"
#include "contracts/scalar_text.h"

namespace assay {
namespace {

template <class Items>
std::string Joined(const Items& items) {
  std::string text;
  for (const auto item : items) {
    if (!text.empty()) text += ',';
    text += DecimalText(item);
  }
  return text;
}

std::string FillText(const Fill& fill, CaseStyle style) {
  const FillWord& word = kFillWords[static_cast<size_t>(fill.kind)];
  const bool hi = word.parameters > 1 || fill.hi != 0;
  std::string text = "fill(" + std::string(word.name);
  if (hi || word.parameters > 0 || fill.lo != 0) text += "," + NumberText(fill.lo);
  if (hi) text += "," + NumberText(fill.hi);
  if (fill.seed != 0 || style == CaseStyle::kFull) text += ",seed=" + DecimalText(fill.seed);
  return text + ")";
}

std::string TensorText(const Tensor& tensor, const Fill& unstated, CaseStyle style) {
  const bool full = style == CaseStyle::kFull;
  std::string text = std::string(NameOf(tensor.dtype)) + "[" + Joined(tensor.shape) + "]";
  if (full || tensor.strides != RowMajorStrides(tensor.shape)) {
    text += ":strides(" + Joined(tensor.strides) + ")";
  }
  if (full || tensor.offset != 0) text += ":offset(" + DecimalText(tensor.offset) + ")";
  if (full || tensor.alignment != 0 || tensor.misalignment != 0) {
    text += ":align(" + DecimalText(tensor.alignment);
    if (full || tensor.misalignment != 0) text += "," + DecimalText(tensor.misalignment);
    text += ")";
  }
  if (full || tensor.placement != Placement::kTail) {
    text += ":place(" + std::string(kPlacements[static_cast<size_t>(tensor.placement)]) + ")";
  }
  if (full || tensor.fill != unstated) text += ":" + FillText(tensor.fill, style);
  for (const Override& each : tensor.overrides) {
    text += ":set(" + Joined(each.index) + "=" + ElementText(tensor.dtype, each.bits) + ")";
  }
  return text;
}

bool IsShellSafe(char c) {
  return c > ' ' && c <= '~' && std::string_view("$`\\!\"%").find(c) == std::string_view::npos;
}

// A path may hold anything: bytes that would end the word or mean something to a shell are written
// as %xx.
std::string Escaped(std::string_view spec) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : spec) {
    if (IsShellSafe(c)) {
      text += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    text += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

std::string AttributeText(const AttributeDef& def, const Attribute& value) {
  const std::string name(def.name);
  if (def.labels.empty()) return name + "=" + NumberText(value.real);
  return name + "=" + std::string(def.labels[static_cast<size_t>(value.choice)]);
}

}  // namespace

std::string PrintCase(const CaseLine& line, CaseStyle style) {
  const Case& value = line.value;
  const OperatorDef& def = DefOf(value.op);
  const bool full = style == CaseStyle::kFull;
  std::string text(def.name);
  for (int i = 0; i < value.attributes.size(); ++i) {
    const AttributeDef& attribute = def.attributes[static_cast<size_t>(i)];
    if (full || !(value.attributes[i] == Attribute{attribute.default_real, 0})) {
      text += " " + AttributeText(attribute, value.attributes[i]);
    }
  }
  for (int i = 0; i < value.operands.size(); ++i) {
    const OperandDef& operand = def.operands[static_cast<size_t>(i)];
    const Fill unstated = UnstatedFill(operand, value.operands[i].dtype, i);
    text += " " + std::string(operand.name) + "=" + TensorText(value.operands[i], unstated, style);
  }
  if (full || value.schedule_seed != 0) text += " schedule=" + DecimalText(value.schedule_seed);
  if (full || value.repeats != 0) text += " repeats=" + DecimalText(value.repeats);
  for (const std::string& backend : line.backends) text += " backend=" + Escaped(backend);
  return text;
}

}  // namespace assay
