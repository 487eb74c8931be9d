// SPDX-License-Identifier: Apache-2.0
//
// The measurement protocol of a contract as data: what its `measure` part asks beyond probes. The
// engine makes cases of it; this knows neither cases nor kernels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay {

// "sweep NAME over V, V": a numeric attribute or a dimension takes each of the values.
struct Sweep {
  std::string name;
  std::vector<double> values;
};

// "inject NAN, -0 into a, b at head, lanes, tail": one special value in one place at a time.
enum class Special : uint8_t { kNan = 0, kPlusInf, kMinusInf, kMinusZero };
// kHead: the first element; kLanes: each of the first eight, as the lanes of a vector; kTail: the
// last element.
enum class InjectAt : uint8_t { kHead = 0, kLanes, kTail };
struct Injection {
  std::vector<Special> values;
  std::vector<std::string> operands;  // names, or "inputs": all that are read
  std::vector<InjectAt> places;
};

// extents * extent + offset, extent being what the indices choose from.
struct IndexValue {
  int extents = 0;
  int64_t offset = 0;
  friend bool operator==(const IndexValue&, const IndexValue&) = default;
};
// "enumerate ATTRIBUTE in {labels}" or "enumerate index in {-1, 0, extent, extent + 10}".
struct Enumeration {
  std::string name;
  std::vector<std::string> labels;  // of an attribute
  std::vector<IndexValue> indices;  // of "index"
};

struct Measurement {
  std::vector<Sweep> sweeps;
  std::vector<Injection> injections;
  std::vector<Enumeration> enumerations;
  int repeats = 0;  // runs of one case where a clause compares runs; 0: as many as the engine takes
};

}  // namespace assay
