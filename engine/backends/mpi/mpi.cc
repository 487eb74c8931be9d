// SPDX-License-Identifier: Apache-2.0
//
// Collectives over ranks of Open MPI on this host as a backend module: packs the ranks' buffers,
// hands them over and unpacks what each rank ended with. The option "allreduce=NAME" chooses the
// algorithm. The ranks are started by the first call that they can do, since that takes a second.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "engine/backends/call_view.h"
#include "engine/backends/mpi/world.h"

namespace assay::mpi {
namespace {

struct Mpi {
  AssayBackend table{};
  std::string version, pins;
  std::unique_ptr<World> world;
};

Mpi& Self(void* self) { return *static_cast<Mpi*>(self); }

int64_t Elements(const AssayTensor& tensor) {
  int64_t count = 1;
  for (int i = 0; i < tensor.ndim; ++i) count *= tensor.shape[i];
  return count;
}

// The shape behind axis 0 is n, or parts by n.
Order OrderOf(const AssayCall& call) {
  const AssayTensor& buffers = call.operands[0];
  const bool gather = call.op == ASSAY_OP_ALL_GATHER;
  Order order{};
  order.collective = call.op == ASSAY_OP_ALL_REDUCE ? Collective::kAllReduce
                     : gather                       ? Collective::kAllGather
                                                    : Collective::kReduceScatter;
  order.reduction = gather ? Reduction::kSum : static_cast<Reduction>(call.attributes[0]);
  order.element_bytes = buffers.dtype.bits / 8;
  order.ranks = static_cast<int32_t>(buffers.shape[0]);
  order.n = buffers.shape[buffers.ndim - 1];
  order.bucket = static_cast<int64_t>(call.attributes[gather ? 0 : 1]);
  order.schedule_seed = call.schedule_seed;
  return order;
}

std::string_view Refusal(const AssayCall& call) {
  if (call.op != ASSAY_OP_ALL_REDUCE && call.op != ASSAY_OP_REDUCE_SCATTER &&
      call.op != ASSAY_OP_ALL_GATHER) {
    return "collectives only";
  }
  const AssayTensor& buffers = call.operands[0];
  if (call.op != ASSAY_OP_ALL_GATHER && !IsFloat(buffers, 32) && !IsFloat(buffers, 64)) {
    return "MPI reduces float and double; it has no 16-bit types";
  }
  if (buffers.shape[0] < 1 || buffers.shape[0] > kMaxRanks) return "1 to 8 ranks are started";
  for (int i = 0; i < call.operand_count; ++i) {
    const int64_t bytes = Elements(call.operands[i]) * (call.operands[i].dtype.bits / 8);
    if (bytes > static_cast<int64_t>(kAreaBytes)) return "buffers of more than 8 MiB in all";
  }
  const Order order = OrderOf(call);
  if (order.n > order.bucket * kMaxBuckets) return "more than 64 buckets";
  return {};
}

// Visits the elements of a tensor in row-major order, with their places in memory.
template <class Visit>
void ForEachElement(const AssayTensor& tensor, const Visit& visit) {
  const int64_t count = Elements(tensor);
  const int64_t bytes = tensor.dtype.bits / 8;
  std::array<int64_t, 8> index{};
  char* place = Element0<char>(tensor);
  for (int64_t i = 0; i < count; ++i) {
    visit(place, static_cast<size_t>(bytes));
    for (int axis = tensor.ndim - 1; axis >= 0; --axis) {
      const auto at = static_cast<size_t>(axis);
      place += tensor.strides[axis] * bytes;
      if (++index[at] < tensor.shape[axis]) break;
      place -= tensor.shape[axis] * tensor.strides[axis] * bytes;
      index[at] = 0;
    }
  }
}

void Pack(const AssayTensor& tensor, char* area) {
  ForEachElement(tensor, [&](const char* place, size_t bytes) {
    std::memcpy(area, place, bytes);
    area += bytes;
  });
}

void Unpack(const char* area, const AssayTensor& tensor) {
  ForEachElement(tensor, [&](char* place, size_t bytes) {
    std::memcpy(place, area, bytes);
    area += bytes;
  });
}

int32_t Supports(void* self, const AssayCall* call, AssayText* reason) {
  if (const std::string_view refusal = Refusal(*call); !refusal.empty()) {
    return Answer(refusal, reason);
  }
  // Without data somebody only asks what there is. Started here and not in Run, whose time is
  // limited.
  if (call->operands[0].data == nullptr) return ASSAY_OK;
  const Status started = Self(self).world->Start();
  return Answer(started.ok() ? "" : started.error().Text(), reason);
}

int32_t Run(void* self, const AssayCall* call, AssayText* text) {
  if (const int32_t status = Supports(self, call, text); status != ASSAY_OK) return status;
  World& world = *Self(self).world;
  Pack(call->operands[0], Inputs(world.page()));
  // What no rank writes must show, as it would in place.
  Pack(call->operands[1], Outputs(world.page()));
  const Status ran = world.Run(OrderOf(*call));
  if (!ran.ok()) {
    Say(text, ran.error().Text());
    return ASSAY_FAILED;
  }
  Unpack(Outputs(world.page()), call->operands[1]);
  return ASSAY_OK;
}

const char* Version(void* self) { return Self(self).version.c_str(); }
const char* Pins(void* self) { return Self(self).pins.c_str(); }
const char* Declare(void*, const char* key) {
  if (std::string_view(key) == "profile") return "mpi";
  if (std::string_view(key) == "schedules") return "buckets in turn, or all at once in any order";
  return nullptr;
}
void Close(void* self) { delete &Self(self); }

// The ranks' program lies beside this module.
std::string OwnFolder() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&OwnFolder), &info);
  const std::string path = info.dli_fname == nullptr ? "" : info.dli_fname;
  return path.substr(0, path.find_last_of('/'));
}

bool KnownAlgorithm(std::string_view name) {
  return std::find(std::begin(kAlgorithms), std::end(kAlgorithms), name) != std::end(kAlgorithms);
}

const AssayBackend* Open(std::string_view options, AssayText* error) {
  constexpr std::string_view kKey = "allreduce=";
  std::string algorithm;
  if (!options.empty()) {
    algorithm = options.substr(std::min(options.size(), kKey.size()));
    if (!options.starts_with(kKey) || !KnownAlgorithm(algorithm)) {
      std::string names;
      for (const std::string_view name : kAlgorithms) names += " " + std::string(name);
      Say(error, "use allreduce=NAME, one of" + names);
      return nullptr;
    }
  }
  auto backend = std::make_unique<Mpi>();
  backend->world = std::make_unique<World>(OwnFolder(), algorithm);
  Result<std::string> version = backend->world->Version();
  if (!version.ok()) {
    Say(error, version.error().Text());
    return nullptr;
  }
  backend->version = std::move(version).value();
  backend->pins = options;
  backend->table = {sizeof(AssayBackend),
                    ASSAY_ABI_VERSION,
                    backend.get(),
                    "openmpi",
                    Version,
                    Pins,
                    Supports,
                    Run,
                    Declare,
                    Close};
  return &backend.release()->table;
}

}  // namespace
}  // namespace assay::mpi

extern "C" __attribute__((visibility("default"))) const AssayBackend* assay_backend_open(
    const char* options, AssayText* error) {
  return assay::mpi::Open(options, error);
}
