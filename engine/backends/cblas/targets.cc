// SPDX-License-Identifier: Apache-2.0

#include "engine/backends/cblas/targets.h"

#include <cstdint>
#include <string>
#include <vector>

#include "engine/backends/cblas/cblas.h"

namespace assay {
namespace {

enum Feature : uint32_t {
  kSse3 = 1,
  kSsse3 = 2,
  kSse41 = 4,
  kSse42 = 8,
  kSse4a = 16,
  kAvx = 32,
  kFma4 = 64,
  kHaswellClass = 128,  // AVX2, FMA, BMI2
  kSkylakeClass = 256,  // AVX-512 F, CD, BW, DQ, VL
  kAvx512Bf16 = 512,
};

uint32_t CpuFeatures() {
  uint32_t have = 0;
  const auto add = [&](bool supported, Feature feature) { have |= supported ? feature : 0u; };
  add(__builtin_cpu_supports("sse3"), kSse3);
  add(__builtin_cpu_supports("ssse3"), kSsse3);
  add(__builtin_cpu_supports("sse4.1"), kSse41);
  add(__builtin_cpu_supports("sse4.2"), kSse42);
  add(__builtin_cpu_supports("sse4a"), kSse4a);
  add(__builtin_cpu_supports("avx"), kAvx);
  add(__builtin_cpu_supports("fma4"), kFma4);
  add(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
          __builtin_cpu_supports("bmi2"),
      kHaswellClass);
  add(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
          __builtin_cpu_supports("avx512vl"),
      kSkylakeClass);
  add(__builtin_cpu_supports("avx512bf16"), kAvx512Bf16);
  return have;
}

struct Target {
  std::string_view library;
  std::string_view name;
  uint32_t needs;
  const char* needs_text;
};

constexpr Target kTargets[] = {
    {"OpenBLAS", "Cooperlake", kSkylakeClass | kAvx512Bf16, "AVX-512 with BF16"},
    {"OpenBLAS", "SkylakeX", kSkylakeClass, "AVX-512"},
    {"OpenBLAS", "Haswell", kHaswellClass, "AVX2 and FMA"},
    {"OpenBLAS", "Zen", kHaswellClass, "AVX2 and FMA"},
    {"OpenBLAS", "Excavator", kHaswellClass | kFma4, "AVX2 and FMA4"},
    {"OpenBLAS", "Steamroller", kAvx | kFma4, "FMA4"},
    {"OpenBLAS", "Piledriver", kAvx | kFma4, "FMA4"},
    {"OpenBLAS", "Bulldozer", kAvx | kFma4, "FMA4"},
    {"OpenBLAS", "Sandybridge", kAvx, "AVX"},
    {"OpenBLAS", "Nehalem", kSse42, "SSE4.2"},
    {"OpenBLAS", "Bobcat", kSsse3 | kSse4a, "SSE4a"},
    {"OpenBLAS", "Barcelona", kSse3 | kSse4a, "SSE4a"},
    {"OpenBLAS", "Atom", kSsse3, "SSSE3"},
    {"OpenBLAS", "Dunnington", kSse41, "SSE4.1"},
    {"OpenBLAS", "Penryn", kSse41, "SSE4.1"},
    {"OpenBLAS", "Core2", kSsse3, "SSSE3"},
    {"OpenBLAS", "Prescott", kSse3, "SSE3"},
    {"BLIS", "skx", kSkylakeClass, "AVX-512"},
    {"BLIS", "zen3", kHaswellClass, "AVX2 and FMA"},
    {"BLIS", "zen2", kHaswellClass, "AVX2 and FMA"},
    {"BLIS", "zen", kHaswellClass, "AVX2 and FMA"},
    {"BLIS", "haswell", kHaswellClass, "AVX2 and FMA"},
    {"BLIS", "excavator", kHaswellClass | kFma4, "AVX2 and FMA4"},
    {"BLIS", "steamroller", kAvx | kFma4, "FMA4"},
    {"BLIS", "piledriver", kAvx | kFma4, "FMA4"},
    {"BLIS", "bulldozer", kAvx | kFma4, "FMA4"},
    {"BLIS", "sandybridge", kAvx, "AVX"},
    {"BLIS", "penryn", kSsse3, "SSSE3"},
    {"BLIS", "generic", 0, "nothing"},
};

std::string Runnable(std::string_view library, uint32_t have) {
  std::string names;
  for (const Target& each : kTargets) {
    if (each.library != library || (each.needs & ~have) != 0) continue;
    if (!names.empty()) names += ", ";
    names += each.name;
  }
  return names;
}

}  // namespace

Status CheckTarget(std::string_view library, std::string_view target) {
  const uint32_t have = CpuFeatures();
  const std::string remedy = "use one of " + Runnable(library, have) + ", or none";
  const std::string where = std::string(library) + " kernels \"" + std::string(target) + "\"";
  for (const Target& each : kTargets) {
    if (each.library != library || each.name != target) continue;
    if ((each.needs & ~have) == 0) return {};
    return Error{where, std::string("need ") + each.needs_text + ", which this CPU does not have",
                 remedy};
  }
  return Error{where, "are not known to run on x86-64", remedy};
}

const std::vector<std::string_view>& OpenBlasCores() {
  static const std::vector<std::string_view> cores = {"SkylakeX", "Haswell", "Sandybridge",
                                                      "Nehalem", "Prescott"};
  return cores;
}

const std::vector<std::string_view>& BlisArchitectures() {
  static const std::vector<std::string_view> architectures = {"skx", "zen3", "haswell", "generic"};
  return architectures;
}

}  // namespace assay
