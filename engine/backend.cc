// SPDX-License-Identifier: Apache-2.0
//
// From a spec to an open backend: one row per name. What is installed, and in which order it is
// listed, is in discover.cc.
#include "engine/backend.h"

#include <cstdlib>
#include <cstring>
#include <span>

#include "contracts/invariant.h"
#include "engine/backend_spec.h"
#include "engine/backends/cblas/cblas.h"
#include "engine/backends/libtorch/rules.h"
#include "engine/backends/planted/planted.h"
#include "engine/backends/reference/reference.h"
#include "engine/backends/simt/simt.h"
#include "engine/hosted.h"
#include "engine/module.h"
#include "engine/shared_object.h"

namespace assay {
namespace {

using Opened = Result<const AssayBackend*>;

// One name of a backend: what may follow it, and how it is opened.
struct Row {
  std::string_view name;
  std::string_view usage;
  bool takes_argument;
  std::string_view option_keys;  // separated by blanks
  Opened (*open)(const BackendSpec& spec);
};

// File names of the known CBLAS libraries, the serial builds first.
struct KnownCblas {
  std::string_view name;
  std::vector<std::string_view> files;
  std::string_view package;  // of Debian
};

const KnownCblas* FindKnownCblas(std::string_view name) {
  static const std::vector<KnownCblas> known = {
      {"openblas", {"openblas-serial/libopenblas.so.0"}, "libopenblas0-serial"},
      {"blis",
       {"blis-serial/libblis.so.4", "blis-openmp/libblis.so.4", "blis-pthread/libblis.so.4"},
       "libblis4-openmp"},
      {"netlib", {"blas/libblas.so.3"}, "libblas3"},
      {"atlas", {"atlas/libblas.so.3"}, "libatlas3-base"},
      {"gsl", {"libgslcblas.so.0"}, "libgslcblas0"},
  };
  for (const KnownCblas& each : known) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

Opened OpenReferenceRow(const BackendSpec&) { return OpenReference(); }
Opened OpenSimtRow(const BackendSpec&) { return OpenSimt(); }

Opened OpenPlantedRow(const BackendSpec& spec) {
  std::string what;
  const AssayBackend* table = OpenPlanted(spec.argument, what);
  if (table != nullptr) return table;
  return Error{spec.Text(), what, "`assay list backends` names the planted kernels"};
}

Opened OpenCblasRow(const BackendSpec& spec) {
  return OpenCblas(
      {spec.argument, std::string(spec.Option("core")), std::string(spec.Option("arch")), ""});
}

Opened OpenKnownCblasRow(const BackendSpec& spec) {
  const KnownCblas* known = FindKnownCblas(spec.name);
  const std::string path = FindLibrary(known->files);
  if (path.empty()) {
    return Error{spec.Text(), "the library is not installed",
                 "install " + std::string(known->package) + ", or give a path with cblas:PATH"};
  }
  return OpenCblas({path, std::string(spec.Option("core")), std::string(spec.Option("arch")),
                    std::string(known->name)});
}

// Whether this CPU runs "avx2" or "avx512", as compilers and dispatchers mean them; every x86-64
// runs anything else. Asked before kernels are loaded, since they may fault on their first
// instruction.
bool CpuRuns(std::string_view isa) {
  if (isa != "avx2" && isa != "avx512") return true;
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (isa == "avx2") return avx2;
  return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

// "eigen:avx2" is the module eigen_avx2; without an ISA, the baseline: `isas` begins with it.
Opened OpenOfIsa(const BackendSpec& spec, const std::vector<std::string>& isas) {
  const std::string isa = spec.argument.empty() ? isas[0] : spec.argument;
  if (std::find(isas.begin(), isas.end(), isa) == isas.end()) {
    std::string all = isas[0];
    for (size_t i = 1; i < isas.size(); ++i) {
      all += (i + 1 < isas.size() ? ", " : " or ") + isas[i];
    }
    return Error{spec.Text(), "there is no such build of " + spec.name, "use " + all};
  }
  if (!CpuRuns(isa)) {
    return Error{spec.Text(), "this CPU lacks " + isa, "use " + spec.name + ":" + isas[0]};
  }
  return OpenModule(spec.name + "_" + isa, spec.OptionText());
}
Opened OpenVectorRow(const BackendSpec& spec) {
  return OpenOfIsa(spec, {"sse2", "avx2", "avx512"});
}
Opened OpenSleefRow(const BackendSpec& spec) {
  return OpenOfIsa(spec, {"scalar", "sse2", "avx2", "avx512"});
}
// The library reads the choice of kernels once per process, and has one of its own.
Opened OpenLibtorchRow(const BackendSpec& spec) {
  const std::string isa(spec.Option("isa"));
  if (!isa.empty() && isa != "default" && isa != "avx2" && isa != "avx512") {
    return Error{spec.Text(), "libtorch has no such kernels", "use default, avx2 or avx512"};
  }
  if (!CpuRuns(isa)) return Error{spec.Text(), "this CPU lacks " + isa, "use isa=default"};
  ScopedEnvironment::Settings environment;
  if (!isa.empty()) environment.emplace_back("ATEN_CPU_CAPABILITY", isa);
  return OpenHosted({"libtorch", "", std::move(environment), libtorch::RefusalOf});
}
Opened OpenOneDnnRow(const BackendSpec& spec) {
  const std::string options = spec.OptionText();
  if (spec.name == "onednn") return OpenModule("onednn", options);
  return OpenModule("onednn", options.empty() ? "sgemm" : "sgemm," + options);
}
// A target that the CPU lacks is lowered by the library itself to one that it has.
Opened OpenLibxsmmRow(const BackendSpec& spec) {
  const std::string arch(spec.Option("arch"));
  if (arch.empty()) return OpenModule("libxsmm", "");
  if (arch != "snb" && arch != "hsw" && arch != "skx" && arch != "clx" && arch != "cpx") {
    return Error{spec.Text(), "libxsmm has no such target", "use snb, hsw, skx, clx or cpx"};
  }
  ScopedEnvironment::Settings environment;
  environment.emplace_back("LIBXSMM_TARGET", arch);
  return OpenModule("libxsmm", "", environment);
}
Opened OpenModuleRow(const BackendSpec& spec) { return OpenModule(spec.name, spec.OptionText()); }
Opened OpenPluginRow(const BackendSpec& spec) {
  return OpenPlugin(spec.argument, spec.OptionText());
}

constexpr Row kRows[] = {
    {"reference", "reference", false, "", OpenReferenceRow},
    {"planted", "planted:KERNEL", true, "", OpenPlantedRow},
    {"planted_branch", "planted_branch", false, "", OpenModuleRow},
    {"planted_branch_blind", "planted_branch_blind", false, "", OpenModuleRow},
    {"simt", "simt", false, "", OpenSimtRow},
    {"mpi", "mpi or mpi#allreduce=NAME", false, "allreduce", OpenModuleRow},
    {"eigen", "eigen or eigen:ISA with ISA sse2, avx2 or avx512", true, "", OpenVectorRow},
    {"libm", "libm", false, "", OpenModuleRow},
    {"libmvec", "libmvec or libmvec:ISA with ISA sse2, avx2 or avx512", true, "", OpenVectorRow},
    {"sleef", "sleef or sleef:ISA#accuracy=u35 with ISA scalar, sse2, avx2 or avx512", true,
     "accuracy", OpenSleefRow},
    {"opencl", "opencl or opencl#gemm=naive", false, "gemm", OpenModuleRow},
    {"clblast", "clblast", false, "", OpenModuleRow},
    {"onednn", "onednn or onednn#isa=CAP", false, "isa", OpenOneDnnRow},
    {"onednn_sgemm", "onednn_sgemm or onednn_sgemm#isa=CAP", false, "isa", OpenOneDnnRow},
    {"xnnpack", "xnnpack", false, "", OpenModuleRow},
    {"libtorch", "libtorch or libtorch#isa=NAME with NAME default, avx2 or avx512", false, "isa",
     OpenLibtorchRow},
    {"libxsmm", "libxsmm or libxsmm#arch=NAME with NAME snb, hsw, skx, clx or cpx", false, "arch",
     OpenLibxsmmRow},
    {"cblas", "cblas:PATH, with #core=NAME for OpenBLAS and #arch=NAME for BLIS", true, "core arch",
     OpenCblasRow},
    {"openblas", "openblas or openblas#core=NAME", false, "core", OpenKnownCblasRow},
    {"blis", "blis or blis#arch=NAME", false, "arch", OpenKnownCblasRow},
    {"netlib", "netlib", false, "", OpenKnownCblasRow},
    {"atlas", "atlas", false, "", OpenKnownCblasRow},
    {"gsl", "gsl", false, "", OpenKnownCblasRow},
};
constexpr Row kPluginRow = {"plugin", "PATH or PATH#key=value", true, "", OpenPluginRow};

const Row* FindRow(std::string_view name) {
  if (name == kPluginRow.name) return &kPluginRow;
  for (const Row& row : kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::string AllNames() {
  std::string names;
  for (const Row& row : kRows) {
    if (!names.empty()) names += ", ";
    names += row.name;
  }
  return names;
}

bool HasKey(std::string_view keys, std::string_view key) {
  while (!keys.empty()) {
    const std::string_view first = keys.substr(0, keys.find(' '));
    if (first == key) return true;
    keys.remove_prefix(std::min(keys.size(), first.size() + 1));
  }
  return false;
}

// What a row does not take. A plug-in's options are its own business.
Status CheckForm(const Row& row, const BackendSpec& spec) {
  const std::string remedy = "write " + std::string(row.usage);
  if (!row.takes_argument && !spec.argument.empty()) {
    return Error{spec.Text(), "takes nothing behind a colon", remedy};
  }
  const bool needs_argument = row.name == "planted" || row.name == "cblas";
  if (needs_argument && spec.argument.empty()) {
    return Error{spec.Text(), "lacks what follows the colon", remedy};
  }
  if (&row == &kPluginRow) return {};
  for (const auto& [key, value] : spec.options) {
    if (!HasKey(row.option_keys, key)) {
      return Error{spec.Text(), "has no option \"" + key + "\"", remedy};
    }
  }
  return {};
}

// Functions that a table must have, and the version it must be of.
Status CheckTable(const std::string& spec, const AssayBackend* table) {
  const bool sized = table->struct_size >= sizeof(AssayBackend);
  if (!sized || table->abi_version != ASSAY_ABI_VERSION) {
    return Error{spec, "was built for another version of assay/backend.h",
                 "build it again with the header of this program"};
  }
  const bool whole = table->family != nullptr && table->version != nullptr &&
                     table->pins != nullptr && table->supports != nullptr &&
                     table->run != nullptr && table->declare != nullptr && table->close != nullptr;
  if (whole) return {};
  return Error{spec, "has a table with a null function", "set every member of AssayBackend"};
}

}  // namespace

Backend::Backend(std::string spec, const AssayBackend* table)
    : spec_(std::move(spec)),
      family_(table->family),
      version_(table->version(table->self)),
      pins_(table->pins(table->self)),
      table_(table) {
  const char* profile = table->declare(table->self, "profile");
  if (profile != nullptr) profile_ = profile;
}

Backend::~Backend() { table_->close(table_->self); }

Result<std::unique_ptr<Backend>> OpenBackend(std::string_view text) {
  Result<BackendSpec> spec = ParseBackendSpec(text);
  if (!spec.ok()) return spec.error();
  const Row* row = FindRow(spec.value().name);
  if (row == nullptr) {
    return Error{"backend \"" + std::string(text) + "\"", "there is no such backend",
                 "use one of " + AllNames() + ", or the path of a plug-in"};
  }
  if (Status status = CheckForm(*row, spec.value()); !status.ok()) return status.error();
  Opened table = row->open(spec.value());
  if (!table.ok()) return table.error();
  const std::string canonical = spec.value().Text();
  if (Status status = CheckTable(canonical, table.value()); !status.ok()) return status.error();
  return std::make_unique<Backend>(canonical, table.value());
}

std::vector<std::string> PlantedSpecs() {
  std::vector<std::string> specs;
  for (const std::string& kernel : PlantedKernels()) specs.push_back("planted:" + kernel);
  specs.push_back("planted_branch");
  return specs;
}

void PinLibraryEnvironment() {
  // A fault in a thread of a library cannot be returned from, and thread counts change results.
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS",
                           "BLIS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"}) {
    setenv(name, "1", /*overwrite=*/1);
  }
  setenv("OMP_DYNAMIC", "FALSE", /*overwrite=*/1);
  // What a user's shell says about kernels would contradict the pins of a spec.
  for (const char* name : {"OPENBLAS_CORETYPE", "BLIS_ARCH_TYPE", "DNNL_MAX_CPU_ISA",
                           "ONEDNN_MAX_CPU_ISA", "ATEN_CPU_CAPABILITY", "LIBXSMM_TARGET"}) {
    unsetenv(name);
  }
}

}  // namespace assay
