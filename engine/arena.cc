// SPDX-License-Identifier: Apache-2.0

#include "engine/arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "contracts/dtype.h"
#include "contracts/invariant.h"
#include "contracts/operator.h"
#include "engine/strided.h"

namespace assay {
namespace {

// Address space only: nothing is ever mapped there, so a wrong index that jumps far still lands in
// the guard of the operand it was meant for.
constexpr int64_t kGuardBytes = int64_t{16} << 20;
// Canary bytes written and checked beyond each end, offset and slack apart: what a vector tail
// writes too much is at most one register per unrolled step.
constexpr int64_t kWindowBytes = 256;
// The largest case at the largest alignment with slack at both ends.
constexpr int64_t kBodyBytes = kMaxCaseElements * 8 + (int64_t{1} << 16);

constexpr int64_t kMappingBytes = kGuardBytes + kBodyBytes + kGuardBytes;
// Where mappings are asked for: between what a program and its libraries are loaded to, so that a
// process that maps the same memory finds the place free; beyond the shadow of AddressSanitizer.
constexpr uintptr_t kFirstAddress = 0x200000000000;

// Canaries are signalling NaN of the operand's type: arithmetic on one returns a quiet NaN, so even
// `c[n] += 0` beyond the end changes its bits, and whatever is read there shows in the result. For
// integers the pattern is an index far outside any table. Repeats every 8 bytes from address 0.
uint64_t CanaryWord(DType type) {
  switch (type) {
    case DType::kF64:
      return 0x7FF5A5A5A5A5A5A5u;
    case DType::kF32:
    case DType::kI32:
      return 0x7FA5A5A57FA5A5A5u;
    case DType::kF16:
      return 0x7DA57DA57DA57DA5u;
    case DType::kBf16:
      return 0x7FA57FA57FA57FA5u;
    // NaN that nobody writes: negative, or of another payload than ours.
    case DType::kF8e4m3:
      return 0xFFFFFFFFFFFFFFFFu;
    case DType::kF8e5m2:
      return 0x7D7D7D7D7D7D7D7Du;
    default:
      return 0xA5A5A5A5A5A5A5A5u;
  }
}

uintptr_t AddressOf(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

std::byte CanaryByte(uint64_t word, const std::byte* at) {
  return static_cast<std::byte>(word >> (8 * (AddressOf(at) & 7)));
}

// Calls visit<Word>(address, word of the pattern) over [begin, end): 8 bytes at a time, with words
// of 4 and single bytes where the ends are not aligned (gaps of a few elements are the usual case).
template <class Byte, class Visit>
void ForEachWord(uint64_t pattern, Byte* begin, Byte* end, Visit visit) {
  const auto part = [pattern](Byte* at) { return pattern >> (8 * (AddressOf(at) & 7)); };
  while (begin < end && (AddressOf(begin) & 3) != 0) {
    visit(begin, static_cast<uint8_t>(part(begin)));
    begin += 1;
  }
  if (end - begin >= 4 && (AddressOf(begin) & 7) != 0) {
    visit(begin, static_cast<uint32_t>(part(begin)));
    begin += 4;
  }
  for (; end - begin >= 8; begin += 8) visit(begin, pattern);
  if (end - begin >= 4) {
    visit(begin, static_cast<uint32_t>(part(begin)));
    begin += 4;
  }
  for (; begin < end; begin += 1) visit(begin, static_cast<uint8_t>(part(begin)));
}

void FillCanary(uint64_t pattern, std::byte* begin, std::byte* end) {
  ForEachWord(pattern, begin, end,
              [](std::byte* at, auto word) { std::memcpy(at, &word, sizeof word); });
}

bool CanaryIntact(uint64_t pattern, const std::byte* begin, const std::byte* end) {
  uint64_t difference = 0;
  ForEachWord(pattern, begin, end, [&](const std::byte* at, auto word) {
    auto got = word;
    std::memcpy(&got, at, sizeof got);
    difference |= got ^ word;
  });
  return difference == 0;
}

// Every mapping of this process.
struct Registry {
  std::mutex mutex;
  uint64_t made = 0;
  std::vector<OperandMapping> mappings;
};
Registry& Mappings() {
  static Registry registry;
  return registry;
}

// Guards with a part of `file` between them.
OperandMapping Map(int file, int64_t file_offset) {
  Registry& registry = Mappings();
  const std::lock_guard lock(registry.mutex);
  const uint64_t serial = ++registry.made;
  void* wanted = reinterpret_cast<void*>(kFirstAddress + serial * kMappingBytes);
  void* mapping =
      mmap(wanted, kMappingBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSAY_CHECK(mapping != MAP_FAILED, "no address space for operands");
  std::byte* body = static_cast<std::byte*>(mapping) + kGuardBytes;
  const void* mapped = mmap(body, kBodyBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                            static_cast<off_t>(file_offset));
  ASSAY_CHECK(mapped != MAP_FAILED, "operand memory cannot be made accessible");
  return registry.mappings.emplace_back(
      OperandMapping{serial, body, kBodyBytes, kGuardBytes, file, file_offset});
}

void Unmap(const std::byte* body) {
  Registry& registry = Mappings();
  const std::lock_guard lock(registry.mutex);
  std::erase_if(registry.mappings,
                [body](const OperandMapping& each) { return each.body == body; });
  munmap(const_cast<std::byte*>(body) - kGuardBytes, kMappingBytes);
}

}  // namespace

std::optional<OperandMapping> FindOperandMapping(const void* address) {
  Registry& registry = Mappings();
  const std::lock_guard lock(registry.mutex);
  for (const OperandMapping& each : registry.mappings) {
    const auto* at = static_cast<const std::byte*>(address);
    if (at >= each.body && at <= each.body + each.body_bytes) return each;
  }
  return std::nullopt;
}

struct Arena::Slot {
  std::byte* mapping = nullptr;  // guard, body, guard
  std::byte* body = nullptr;
  std::byte* body_end = nullptr;
  Placed placed;
  std::byte* end = nullptr;  // of the highest element
  // [window, window_end) is what Place wrote: canaries, elements, gaps.
  std::byte* window = nullptr;
  std::byte* window_end = nullptr;
  uint64_t canary = 0;
  StridedLayout layout;
  std::vector<ByteRun> gaps;
  std::vector<std::byte> image;  // the span as stored last, gaps included

  bool IsPlaced() const { return placed.lowest != nullptr; }
  void Layout(const Tensor& tensor, int64_t slack_bytes);
  void ForgetOutside(std::byte* new_window, std::byte* new_window_end);
  void FillWindow();
  void FillGaps();
  void TakeImage();
};

// Chooses addresses. The end named by the placement lies as near to its guard as alignment and
// slack let it; the lowest element has the wanted address modulo the alignment.
void Arena::Slot::Layout(const Tensor& tensor, int64_t slack_bytes) {
  layout = LayoutOf(tensor);
  canary = CanaryWord(tensor.dtype);
  const Extent extent = ExtentOf(tensor.shape, tensor.strides);
  const int64_t span = extent.size() * layout.size;
  const int64_t offset = tensor.offset * layout.size;
  const auto alignment =
      static_cast<uintptr_t>(tensor.alignment == 0 ? layout.size : tensor.alignment);
  const auto remainder = static_cast<uintptr_t>(tensor.misalignment);
  std::byte* lowest;
  if (tensor.placement == Placement::kTail) {
    lowest = body_end - slack_bytes - span;
    lowest -= (AddressOf(lowest) - remainder) & (alignment - 1);
  } else {
    lowest = body + slack_bytes + offset;
    lowest += (remainder - AddressOf(lowest)) & (alignment - 1);
  }
  ASSAY_CHECK(lowest - offset >= body && lowest + span <= body_end,
              "operand too large for its slot");
  end = lowest + span;
  const int64_t reach = std::max(kWindowBytes, slack_bytes + static_cast<int64_t>(alignment));
  std::byte* new_window = std::max(body, lowest - offset - reach);
  std::byte* new_window_end = std::min(body_end, end + reach);
  ForgetOutside(new_window, new_window_end);
  window = new_window;
  window_end = new_window_end;
  placed = {lowest - offset, lowest - extent.lowest * layout.size, lowest, span};
}

// What an earlier operand left outside the new window becomes zero again, so that a stray read
// returns the same bytes whichever cases ran before.
void Arena::Slot::ForgetOutside(std::byte* new_window, std::byte* new_window_end) {
  if (window == nullptr) return;
  const auto clear = [](std::byte* begin, std::byte* limit) {
    if (begin < limit) std::memset(begin, 0, static_cast<size_t>(limit - begin));
  };
  clear(window, std::min(window_end, new_window));
  clear(std::max(window, new_window_end), window_end);
}

void Arena::Slot::FillWindow() {
  FillCanary(canary, window, placed.lowest);
  FillCanary(canary, end, window_end);
}

void Arena::Slot::FillGaps() {
  for (const ByteRun& gap : gaps) {
    FillCanary(canary, placed.lowest + gap.begin, placed.lowest + gap.end);
  }
}

void Arena::Slot::TakeImage() {
  image.resize(static_cast<size_t>(placed.span_bytes));
  if (!image.empty()) std::memcpy(image.data(), placed.lowest, image.size());
}

Arena::Arena() : file_(memfd_create("assay-operands", MFD_CLOEXEC)) {
  const bool sized = file_ >= 0 && ftruncate(file_, kMaxOperands * kBodyBytes) == 0;
  ASSAY_CHECK(sized, "no memory for operands");
  for (int i = 0; i < kMaxOperands; ++i) {
    Slot* slot = slots_[i] = new Slot;
    slot->body = Map(file_, i * kBodyBytes).body;
    slot->body_end = slot->body + kBodyBytes;
    slot->mapping = slot->body - kGuardBytes;
  }
}

Arena::~Arena() {
  for (Slot* slot : slots_) {
    Unmap(slot->body);
    delete slot;
  }
  close(file_);
}

const Placed& Arena::Place(int slot, const Tensor& tensor, const OperandValues& values,
                           int64_t slack_bytes) {
  Slot& s = *slots_[slot];
  s.Layout(tensor, slack_bytes);
  FindGaps(s.layout, s.gaps);
  s.FillWindow();
  Store(slot, values);
  return s.placed;
}

void Arena::Store(int slot, const OperandValues& values) {
  Slot& s = *slots_[slot];
  ASSAY_CHECK(s.IsPlaced(), "Store before Place");
  s.FillGaps();
  Scatter(s.layout, values.bits, s.placed.element0);
  s.TakeImage();
}

void Arena::Prefill(int slot, uint64_t pattern_bits) {
  Slot& s = *slots_[slot];
  ASSAY_CHECK(s.IsPlaced(), "Prefill before Place");
  ScatterOne(s.layout, pattern_bits, s.placed.element0);
}

void Arena::Load(int slot, std::span<uint64_t> bits) const {
  const Slot& s = *slots_[slot];
  ASSAY_CHECK(s.IsPlaced(), "Load before Place");
  Gather(s.layout, s.placed.element0, bits);
}

std::optional<GuardHit> Arena::CheckCanaries(int slot) const {
  const Slot& s = *slots_[slot];
  if (!CanaryIntact(s.canary, s.end, s.window_end)) {
    const std::byte* at = s.end;
    while (*at == CanaryByte(s.canary, at)) ++at;
    return GuardHit{slot, Side::kAfter, at - s.end + 1, Access::kWrite};
  }
  if (!CanaryIntact(s.canary, s.window, s.placed.lowest)) {
    const std::byte* at = s.placed.lowest - 1;
    while (*at == CanaryByte(s.canary, at)) --at;
    return GuardHit{slot, Side::kBefore, s.placed.lowest - at, Access::kWrite};
  }
  for (const ByteRun& gap : s.gaps) {
    const std::byte* begin = s.placed.lowest + gap.begin;
    const std::byte* end = s.placed.lowest + gap.end;
    if (CanaryIntact(s.canary, begin, end)) continue;
    const std::byte* at = begin;
    while (*at == CanaryByte(s.canary, at)) ++at;
    return GuardHit{slot, Side::kGap, std::min(at - begin + 1, end - at), Access::kWrite};
  }
  return std::nullopt;
}

bool Arena::Unchanged(int slot) const {
  const Slot& s = *slots_[slot];
  int64_t begin = 0;
  const auto same = [&](int64_t end) {
    return end == begin || std::memcmp(s.placed.lowest + begin, s.image.data() + begin,
                                       static_cast<size_t>(end - begin)) == 0;
  };
  for (const ByteRun& gap : s.gaps) {
    if (!same(gap.begin)) return false;
    begin = gap.end;
  }
  return same(s.placed.span_bytes);
}

void Arena::Restore(int slot) {
  Slot& s = *slots_[slot];
  ASSAY_CHECK(s.IsPlaced(), "Restore before Place");
  s.FillWindow();
  if (!s.image.empty()) std::memcpy(s.placed.lowest, s.image.data(), s.image.size());
}

const Placed& Arena::At(int slot) const { return slots_[slot]->placed; }

std::optional<GuardHit> Arena::Locate(const void* address, Access access) const {
  const auto* at = static_cast<const std::byte*>(address);
  for (int i = 0; i < kMaxOperands; ++i) {
    const Slot& s = *slots_[i];
    if (at < s.mapping || at >= s.body_end + kGuardBytes) continue;
    if (!s.IsPlaced()) return std::nullopt;
    if (at >= s.end) return GuardHit{i, Side::kAfter, at - s.end + 1, access};
    if (at < s.placed.lowest) return GuardHit{i, Side::kBefore, s.placed.lowest - at, access};
    return GuardHit{i, Side::kGap, 0, access};
  }
  return std::nullopt;
}

}  // namespace assay
