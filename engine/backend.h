// SPDX-License-Identifier: Apache-2.0
//
// Backends as the engine sees them: a C table (engine/include/assay/backend.h), the spec it was
// opened from and what it reports about itself. Specs are texts (engine/backend_spec.h):
//   reference | simt | planted:KERNEL | planted_branch | planted_branch_blind
//   eigen[:ISA] | libmvec[:ISA] | sleef[:ISA][#accuracy=u35] | libm
//   onednn[#isa=CAP] | onednn_sgemm[#isa=CAP] | xnnpack | libxsmm[#arch=NAME]
//   libtorch[#isa=default|avx2|avx512] | opencl[#gemm=naive] | clblast | mpi[#allreduce=NAME]
//   openblas[#core=NAME] | blis[#arch=NAME] | netlib | atlas | gsl   known places of these
//   libraries cblas:PATH[#core=NAME][#arch=NAME]   any CBLAS PATH   of a plug-in
//   (assay_backend_open)
// A spec named by the user and absent is an Error; discovery reports it as unsupported with the
// reason.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/case.h"
#include "contracts/result.h"
#include "engine/include/assay/backend.h"

namespace assay {

class Backend {
 public:
  Backend(std::string spec, const AssayBackend* table);
  ~Backend();
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  const std::string& spec() const { return spec_; }      // canonical, reopens the same thing
  const std::string& family() const { return family_; }  // "openblas"
  const std::string& version() const { return version_; }
  const std::string& pins() const { return pins_; }
  const std::string& profile() const { return profile_; }
  const AssayBackend* table() const { return table_; }

 private:
  std::string spec_, family_, version_, pins_, profile_;
  const AssayBackend* table_;
};

Result<std::unique_ptr<Backend>> OpenBackend(std::string_view spec);

// What is installed and loads, in a fixed order: reference first, CBLAS libraries with their core
// types last. Planted kernels are not among them.
struct Discovered {
  std::string spec;
  std::unique_ptr<Backend> backend;  // null: unsupported
  std::string reason;                // why, when null
};
std::vector<Discovered> DiscoverBackends();
// Specs of all planted kernels, for calibration and tests.
std::vector<std::string> PlantedSpecs();

// Environment that must be set before any library is loaded: thread counts of OpenMP runtimes and
// BLAS libraries 1, kernel choices of the user's shell removed, since specs say them. Call first
// thing in main(): what is set after libgomp is loaded has no effect.
void PinLibraryEnvironment();

}  // namespace assay
