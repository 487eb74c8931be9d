// SPDX-License-Identifier: Apache-2.0
//
// One rank: a process that carries out orders with calls of MPI until its owner ends. Without an
// argument it prints the library's version. Depends on MPI and the hand-off alone.
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "engine/backends/mpi/hand_off.h"

namespace assay::mpi {
namespace {

constexpr int64_t kOwnerCheckMs = 200;

MPI_Datatype TypeOf(const Order& order) {
  if (order.collective == Collective::kAllGather) return MPI_BYTE;
  return order.element_bytes == 8 ? MPI_DOUBLE : MPI_FLOAT;
}

MPI_Op OpOf(Reduction reduction) {
  if (reduction == Reduction::kMax) return MPI_MAX;
  return reduction == Reduction::kMin ? MPI_MIN : MPI_SUM;
}

// What one rank passes to MPI for one bucket. Parts of a buffer that is cut into buckets do not lie
// side by side, as MPI wants them: they go through memory of the rank's own.
struct Bucket {
  int64_t begin = 0, width = 0;
  std::vector<char> packed;
};

class Rank {
 public:
  Rank(const Order& order, Page* page, int rank, MPI_Comm ranks)
      : order_(order), inputs_(Inputs(page)), outputs_(Outputs(page)), rank_(rank), comm_(ranks) {}

  // MPI_SUCCESS, or the first error.
  int Run() {
    Cut();
    int error = MPI_SUCCESS;
    const auto note = [&](int code) {
      if (error == MPI_SUCCESS) error = code;
    };
    if (order_.schedule_seed == 0) {
      for (Bucket& bucket : buckets_) note(Call(bucket, nullptr));
    } else {
      Shuffle();
      std::vector<MPI_Request> requests(buckets_.size(), MPI_REQUEST_NULL);
      for (size_t i = 0; i < buckets_.size(); ++i) note(Call(buckets_[i], &requests[i]));
      note(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    }
    Unpack();
    if (order_.reduction == Reduction::kMean && order_.collective != Collective::kAllGather) {
      order_.element_bytes == 8 ? Divide<double>() : Divide<float>();
    }
    return error;
  }

 private:
  char* Input(int64_t row, int64_t column) const {
    return inputs_ + (row * order_.n + column) * order_.element_bytes;
  }
  char* Output(int64_t row, int64_t column) const {
    return outputs_ + (row * order_.n + column) * order_.element_bytes;
  }

  // An empty buffer is one empty bucket: MPI is called all the same.
  void Cut() {
    for (int64_t begin = 0; begin == 0 || begin < order_.n; begin += order_.bucket) {
      buckets_.push_back({begin, std::min(order_.bucket, order_.n - begin), {}});
      if (order_.collective == Collective::kAllReduce) continue;
      Bucket& bucket = buckets_.back();
      const auto bytes = static_cast<size_t>(bucket.width) * order_.element_bytes;
      bucket.packed.resize(bytes * static_cast<size_t>(order_.ranks));
      const int64_t first = static_cast<int64_t>(rank_) * order_.ranks;
      for (int64_t part = 0; part < order_.ranks; ++part) {
        const char* const from = order_.collective == Collective::kReduceScatter
                                     ? Input(first + part, bucket.begin)
                                     : Output(first + part, bucket.begin);
        std::memcpy(bucket.packed.data() + static_cast<size_t>(part) * bytes, from, bytes);
      }
    }
  }

  // The same order on all ranks, as MPI requires of calls that overlap.
  void Shuffle() {
    uint64_t state = order_.schedule_seed;
    for (size_t left = buckets_.size(); left > 1; --left) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      std::swap(buckets_[left - 1], buckets_[(state >> 33) % left]);
    }
  }

  int Call(Bucket& bucket, MPI_Request* request) {
    const auto count = static_cast<int>(bucket.width);
    const MPI_Datatype type = TypeOf(order_);
    const MPI_Op op = OpOf(order_.reduction);
    switch (order_.collective) {
      case Collective::kAllReduce: {
        void* const from = Input(rank_, bucket.begin);
        void* const to = Output(rank_, bucket.begin);
        return request == nullptr ? MPI_Allreduce(from, to, count, type, op, comm_)
                                  : MPI_Iallreduce(from, to, count, type, op, comm_, request);
      }
      case Collective::kReduceScatter: {
        void* const from = bucket.packed.data();
        void* const to = Output(rank_, bucket.begin);
        return request == nullptr
                   ? MPI_Reduce_scatter_block(from, to, count, type, op, comm_)
                   : MPI_Ireduce_scatter_block(from, to, count, type, op, comm_, request);
      }
      default: {
        void* const from = Input(rank_, bucket.begin);
        void* const to = bucket.packed.data();
        const int bytes = count * static_cast<int>(order_.element_bytes);
        return request == nullptr
                   ? MPI_Allgather(from, bytes, type, to, bytes, type, comm_)
                   : MPI_Iallgather(from, bytes, type, to, bytes, type, comm_, request);
      }
    }
  }

  void Unpack() {
    if (order_.collective != Collective::kAllGather) return;
    for (const Bucket& bucket : buckets_) {
      const auto bytes = static_cast<size_t>(bucket.width) * order_.element_bytes;
      for (int64_t from = 0; from < order_.ranks; ++from) {
        std::memcpy(Output(static_cast<int64_t>(rank_) * order_.ranks + from, bucket.begin),
                    bucket.packed.data() + static_cast<size_t>(from) * bytes, bytes);
      }
    }
  }

  // MPI has no mean: as in common use, the sum is divided by every rank for itself.
  template <class Real>
  void Divide() {
    auto* const mine = reinterpret_cast<Real*>(Output(rank_, 0));
    for (int64_t i = 0; i < order_.n; ++i) mine[i] /= static_cast<Real>(order_.ranks);
  }

  const Order order_;
  char* const inputs_;
  char* const outputs_;
  const int rank_;
  const MPI_Comm comm_;
  std::vector<Bucket> buckets_;
};

// comms[r] holds the first r ranks.
void Serve(Page* page, int rank, const std::vector<MPI_Comm>& comms) {
  uint32_t carried_out = page->go[rank];
  page->ready.fetch_add(1);
  Wake(page->ready);
  for (;;) {
    if (page->go[rank] == carried_out) Sleep(page->go[rank], carried_out, kOwnerCheckMs);
    if (page->quit != 0) return;
    if (page->go[rank] == carried_out) {
      if (kill(page->owner, 0) != 0) _exit(0);
      continue;
    }
    ++carried_out;
    const Order order = page->order;
    const int error = Rank(order, page, rank, comms[static_cast<size_t>(order.ranks)]).Run();
    if (error != MPI_SUCCESS) page->error = error;
    if (page->done.fetch_add(1) + 1 == static_cast<uint32_t>(order.ranks)) Wake(page->done);
  }
}

int Main(int count, char** arguments) {
  if (count < 2) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int size = 0;
    MPI_Get_library_version(version, &size);
    std::puts(version);
    return 0;
  }
  const int fd = open(arguments[1], O_RDWR | O_CLOEXEC);
  void* const shared = mmap(nullptr, kSharedBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd < 0 || shared == MAP_FAILED) return 1;
  int rank = 0, size = 0;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<MPI_Comm> comms(static_cast<size_t>(size) + 1, MPI_COMM_NULL);
  for (int ranks = 1; ranks <= size; ++ranks) {
    MPI_Comm& comm = comms[static_cast<size_t>(ranks)];
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
    if (comm != MPI_COMM_NULL) MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  Serve(static_cast<Page*>(shared), rank, comms);
  MPI_Finalize();
  return 0;
}

}  // namespace
}  // namespace assay::mpi

int main(int count, char** arguments) { return assay::mpi::Main(count, arguments); }
