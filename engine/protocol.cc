// SPDX-License-Identifier: Apache-2.0
#include "engine/protocol.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "contracts/dtype.h"
#include "contracts/operator.h"

namespace assay {
namespace {

constexpr uint64_t kSeedsPerProbe = 2;
constexpr int64_t kOrdinaryExtent = 9;  // one element behind a vector of eight
constexpr int64_t kLanes = 8;

class ProtocolBuilder {
 public:
  ProtocolBuilder(const Measurement& measurement, std::span<const Probe> probes, OpId op,
                  DType type)
      : measurement_(measurement), def_(DefOf(op)) {
    NamedDims dims;
    for (size_t i = 0; i < def_.dimensions.size(); ++i) dims.push_back(kOrdinaryExtent);
    bases_.push_back(MakeCase(op, type, dims));
    for (const Probe probe : probes) {
      if (!Applies(probe, def_.id)) continue;
      for (uint64_t seed = 0; seed < kSeedsPerProbe; ++seed) {
        bases_.push_back(MakeProbeCase(probe, op, type, seed));
      }
    }
  }

  std::vector<Case> Run() && {
    for (const Sweep& sweep : measurement_.sweeps) AddSweep(sweep);
    for (const Injection& injection : measurement_.injections) AddInjection(injection);
    for (const Enumeration& enumeration : measurement_.enumerations) AddEnumeration(enumeration);
    return std::move(cases_);
  }

 private:
  void Add(Case value) {
    RoundScalars(value);
    value.repeats = measurement_.repeats;
    if (CheckCase(value).ok()) cases_.push_back(std::move(value));
  }

  template <class Table>
  static int PositionOf(const Table& table, std::string_view name) {
    for (size_t i = 0; i < table.size(); ++i) {
      if (NameIn(table[i]) == name) return static_cast<int>(i);
    }
    return -1;
  }
  static std::string_view NameIn(const AttributeDef& attribute) { return attribute.name; }
  static std::string_view NameIn(std::string_view name) { return name; }

  void AddSweep(const Sweep& sweep) {
    const int attribute = PositionOf(def_.attributes, sweep.name);
    const int dimension = PositionOf(def_.dimensions, sweep.name);
    if (attribute < 0 && dimension < 0) return;
    for (const Case& base : bases_) {
      for (const double number : sweep.values) {
        if (attribute < 0) {
          AddResized(base, dimension, static_cast<int64_t>(number));
          continue;
        }
        Case value = base;
        value.attributes[attribute].real = number;
        Add(std::move(value));
      }
    }
  }

  // Dense operands of the new extents, with the base's fills: elements that were set by hand and
  // strides belong to the old ones.
  void AddResized(const Case& base, int dimension, int64_t extent) {
    Result<NamedDims> dims = def_.dims(base);
    if (!dims.ok()) return;
    dims.value()[dimension] = extent;
    Case value = MakeCase(base.op, base.operands[0].dtype, dims.value());
    value.attributes = base.attributes;
    for (int operand = 0; operand < value.operands.size(); ++operand) {
      value.operands[operand].dtype = base.operands[operand].dtype;
      value.operands[operand].fill = base.operands[operand].fill;
    }
    def_.shape(dims.value(), value);
    for (Tensor& tensor : value.operands) tensor.strides = RowMajorStrides(tensor.shape);
    Add(std::move(value));
  }

  void AddInjection(const Injection& injection) {
    for (const Case& base : bases_) {
      for (size_t i = 0; i < def_.operands.size(); ++i) {
        const OperandDef& operand = def_.operands[i];
        const bool named = std::ranges::any_of(injection.operands, [&](const std::string& name) {
          return name == operand.name || (name == "inputs" && operand.role == Role::kInput);
        });
        const int at = static_cast<int>(i);
        if (!named || !IsFloat(base.operands[at].dtype)) continue;
        for (const int64_t place : PlacesOf(injection, ElementCount(base.operands[at].shape))) {
          for (const Special special : injection.values) {
            Case value = base;
            Tensor& tensor = value.operands[at];
            if (Set(tensor, place, Encode(tensor.dtype, ValueOf(special)))) Add(std::move(value));
          }
        }
      }
    }
  }

  static std::vector<int64_t> PlacesOf(const Injection& injection, int64_t count) {
    std::vector<int64_t> places;
    const auto add = [&](int64_t place) {
      if (place < count && std::ranges::find(places, place) == places.end()) {
        places.push_back(place);
      }
    };
    if (count == 0) return places;
    for (const InjectAt at : injection.places) {
      if (at == InjectAt::kHead) add(0);
      if (at == InjectAt::kTail) add(count - 1);
      for (int64_t lane = 0; at == InjectAt::kLanes && lane < kLanes; ++lane) add(lane);
    }
    return places;
  }

  static double ValueOf(Special special) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    switch (special) {
      case Special::kNan:
        return std::numeric_limits<double>::quiet_NaN();
      case Special::kPlusInf:
        return kInf;
      case Special::kMinusInf:
        return -kInf;
      case Special::kMinusZero:
        return -0.0;
    }
    return 0;
  }

  // Sets the element at a dense row-major position. False if the tensor holds no more of them.
  static bool Set(Tensor& tensor, int64_t position, uint64_t bits) {
    Override element;
    element.bits = bits;
    for (int axis = 0; axis < tensor.shape.size(); ++axis) element.index.push_back(0);
    for (int axis = static_cast<int>(tensor.shape.size()) - 1; axis >= 0; --axis) {
      element.index[axis] = static_cast<int32_t>(position % tensor.shape[axis]);
      position /= tensor.shape[axis];
    }
    for (Override& present : tensor.overrides) {
      if (present.index != element.index) continue;
      present = element;
      return true;
    }
    if (tensor.overrides.full()) return false;
    tensor.overrides.push_back(element);
    return true;
  }

  void AddEnumeration(const Enumeration& enumeration) {
    if (enumeration.name == "index") return AddIndices(enumeration);
    const int attribute = PositionOf(def_.attributes, enumeration.name);
    if (attribute < 0) return;
    const auto& labels = def_.attributes[static_cast<size_t>(attribute)].labels;
    for (const Case& base : bases_) {
      for (const std::string& label : enumeration.labels) {
        const auto found = std::find(labels.begin(), labels.end(), label);
        if (found == labels.end()) continue;
        Case value = base;
        value.attributes[attribute].choice = static_cast<int32_t>(found - labels.begin());
        Add(std::move(value));
      }
    }
  }

  // One index at a time, in the first place of the operand that holds indices.
  void AddIndices(const Enumeration& enumeration) {
    for (const Case& base : bases_) {
      for (size_t i = 0; i < def_.operands.size(); ++i) {
        const int at = static_cast<int>(i);
        if (def_.operands[i].kind != ElementKind::kIndex || def_.operands[i].role != Role::kInput ||
            ElementCount(base.operands[at].shape) == 0) {
          continue;
        }
        for (const IndexValue& index : enumeration.indices) {
          Case value = base;
          Tensor& tensor = value.operands[at];
          tensor.overrides.clear();
          const int64_t number = index.extents * ExtentOf(base) + index.offset;
          if (EncodedWhole(tensor.dtype, number) &&
              Set(tensor, 0, EncodeInteger(tensor.dtype, number))) {
            Add(std::move(value));
          }
        }
      }
    }
  }

  static bool EncodedWhole(DType type, int64_t number) {
    return DecodeInteger(type, EncodeInteger(type, number)) == number;
  }

  // What indices choose from: rows, or what index_select's axis says.
  int64_t ExtentOf(const Case& value) const {
    const Result<NamedDims> dims = def_.dims(value);
    if (!dims.ok()) return 0;
    const bool columns =
        value.op == OpId::kIndexSelect && IntegerAttribute(value, kIndexSelectAxis) == 1;
    return dims.value()[columns ? 1 : 0];
  }

  const Measurement& measurement_;
  const OperatorDef& def_;
  std::vector<Case> bases_, cases_;
};

}  // namespace

std::vector<Case> ProtocolCases(const Measurement& measurement, std::span<const Probe> probes,
                                OpId op, DType type) {
  return ProtocolBuilder(measurement, probes, op, type).Run();
}

}  // namespace assay
