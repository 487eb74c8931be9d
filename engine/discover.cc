// SPDX-License-Identifier: Apache-2.0
//
// What is installed and loads, in one fixed order. A library that runs the same kernels under its
// own choice and under a name is listed once.
#include "engine/backend.h"
#include "engine/backends/cblas/cblas.h"

namespace assay {
namespace {

class Discovery {
 public:
  void Add(const std::string& spec) {
    Result<std::unique_ptr<Backend>> opened = OpenBackend(spec);
    if (!opened.ok()) {
      found_.push_back({spec, nullptr, opened.error().Text()});
      return;
    }
    found_.push_back({spec, std::move(opened).value(), ""});
  }

  // `spec` with its own choice of kernels, then with each of `targets` that the choice was not.
  void AddWithTargets(const std::string& spec, const std::string& key,
                      const std::vector<std::string_view>& targets) {
    Add(spec);
    if (found_.back().backend == nullptr) return;
    const std::string pins = found_.back().backend->pins();
    for (const std::string_view target : targets) {
      const std::string pin = key + "=" + std::string(target);
      if (pins.substr(0, pins.find(',')) != pin) Add(spec + "#" + pin);
    }
  }

  std::vector<Discovered> Take() { return std::move(found_); }

 private:
  std::vector<Discovered> found_;
};

}  // namespace

std::vector<Discovered> DiscoverBackends() {
  Discovery discovery;
  for (const char* spec :
       {"reference", "simt", "eigen:sse2", "eigen:avx2", "eigen:avx512", "libm", "libmvec:sse2",
        "libmvec:avx2", "libmvec:avx512", "sleef:scalar", "sleef:sse2", "sleef:avx2",
        "sleef:avx512", "sleef:avx2#accuracy=u35", "opencl", "opencl#gemm=naive", "clblast"}) {
    discovery.Add(spec);
  }
  discovery.AddWithTargets("onednn", "isa", {"sse41", "avx2", "avx512_core"});
  discovery.AddWithTargets("onednn_sgemm", "isa", {"sse41"});
  for (const char* spec : {"xnnpack", "mpi"}) discovery.Add(spec);
  discovery.AddWithTargets("libtorch", "isa", {"default", "avx2", "avx512"});
  discovery.AddWithTargets("libxsmm", "arch", {"snb", "hsw", "skx"});
  discovery.AddWithTargets("openblas", "core", OpenBlasCores());
  discovery.AddWithTargets("blis", "arch", BlisArchitectures());
  for (const char* spec : {"netlib", "atlas", "gsl"}) discovery.Add(spec);
  return discovery.Take();
}

}  // namespace assay
