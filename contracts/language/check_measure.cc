// SPDX-License-Identifier: Apache-2.0
//
// Names in a measurement protocol: attributes, dimensions and operands of the operators in scope,
// and values that those can take.
#include <cmath>
#include <string>
#include <vector>

#include "contracts/language/check.h"
#include "contracts/language/names.h"
#include "contracts/operator.h"

namespace assay {
namespace {

constexpr double kLargestExtent = 65536;

class MeasureChecker {
 public:
  MeasureChecker(const ContractAst& contract, DiagnosticSink& sink)
      : contract_(contract), sink_(sink) {
    for (const Word& word : contract.operators) {
      if (const std::optional<OpId> op = ParseOp(word.text)) ops_.push_back(&DefOf(*op));
    }
  }

  void Run() {
    if (ops_.empty()) return;  // reported already
    const Measurement& measurement = contract_.measurement;
    for (size_t i = 0; i < measurement.sweeps.size(); ++i) {
      CheckSweep(contract_.sweep_names[i], measurement.sweeps[i]);
    }
    for (const std::vector<Word>& operands : contract_.inject_operands) CheckOperands(operands);
    for (size_t i = 0; i < measurement.enumerations.size(); ++i) {
      CheckEnumeration(contract_.enumerate_names[i], contract_.enumerate_labels[i]);
    }
  }

 private:
  template <class Visit>  // visit(const AttributeDef&)
  void EachAttribute(const Visit& visit) const {
    for (const OperatorDef* def : ops_) {
      for (const AttributeDef& attribute : def->attributes) visit(attribute);
    }
  }

  void CheckSweep(const Word& name, const Sweep& sweep) {
    std::vector<std::string_view> known;
    std::vector<const AttributeDef*> meant;
    bool dimension = false;
    EachAttribute([&](const AttributeDef& attribute) {
      if (attribute.is_label()) return;
      known.push_back(attribute.name);
      if (attribute.name == name.text) meant.push_back(&attribute);
    });
    for (const OperatorDef* def : ops_) {
      known.insert(known.end(), def->dimensions.begin(), def->dimensions.end());
      dimension |= Contains(def->dimensions, name.text);
    }
    if (meant.empty() && !dimension) return Unknown(name, "attribute and no dimension", known);
    for (const double value : sweep.values) {
      const bool whole = value == std::floor(value);
      bool fits = meant.empty() ? whole && value >= 0 && value <= kLargestExtent : true;
      for (const AttributeDef* attribute : meant) {
        fits &= attribute->is_real() ||
                (whole && value >= attribute->lowest && value <= attribute->highest);
      }
      if (!fits) return Outside(name, meant);
    }
  }

  void Outside(const Word& name, const std::vector<const AttributeDef*>& meant) {
    const int lowest = meant.empty() ? 0 : meant[0]->lowest;
    const int highest = meant.empty() ? static_cast<int>(kLargestExtent) : meant[0]->highest;
    sink_.Report(name.at, "'" + name.text + "' does not take every value of this sweep",
                 "whole numbers from " + std::to_string(lowest) + " to " + std::to_string(highest));
  }

  void CheckOperands(const std::vector<Word>& words) {
    std::vector<std::string_view> known = {"inputs"};
    for (const OperatorDef* def : ops_) {
      for (const OperandDef& operand : def->operands) {
        if (operand.role != Role::kOutput) known.push_back(operand.name);
      }
    }
    for (const Word& word : words) {
      if (!Contains(known, word.text)) Unknown(word, "operand that is read", known);
    }
  }

  void CheckEnumeration(const Word& name, const std::vector<Word>& labels) {
    if (name.text == "index") return CheckIndex(name);
    std::vector<std::string_view> known, all;
    EachAttribute([&](const AttributeDef& attribute) {
      if (!attribute.is_label()) return;
      known.push_back(attribute.name);
      if (attribute.name != name.text) return;
      all.insert(all.end(), attribute.labels.begin(), attribute.labels.end());
    });
    if (all.empty()) return Unknown(name, "attribute with labels", known);
    for (const Word& label : labels) {
      if (!Contains(all, label.text)) Unknown(label, "label of this attribute", all);
    }
  }

  void CheckIndex(const Word& name) {
    for (const OperatorDef* def : ops_) {
      for (const OperandDef& operand : def->operands) {
        if (operand.kind == ElementKind::kIndex && operand.role == Role::kInput) return;
      }
    }
    sink_.Report(name.at, "no operator of the scope reads indices", "an attribute with labels");
  }

  void Unknown(const Word& word, const char* kind, std::vector<std::string_view> known) {
    std::vector<std::string_view> unique;
    for (const std::string_view each : known) {
      if (!Contains(unique, each)) unique.push_back(each);
    }
    sink_.Report(word.at, std::string("no ") + kind + " is called '" + word.text + "' here",
                 JoinNames(unique), NearestName(word.text, unique));
  }

  const ContractAst& contract_;
  DiagnosticSink& sink_;
  std::vector<const OperatorDef*> ops_;
};

}  // namespace

void CheckMeasurement(const ContractAst& contract, DiagnosticSink& sink) {
  MeasureChecker(contract, sink).Run();
}

}  // namespace assay
