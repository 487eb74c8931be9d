// SPDX-License-Identifier: Apache-2.0
//
// The table is append-only: a slot's key is written before `used` passes it and never after, so
// that readers need no lock. Appending is rare and takes a file lock, which dies with its holder;
// a key half written by a process that died is behind `used` and gets overwritten.

#include "triage/hit_counters.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "triage/durable.h"

namespace assay {
namespace {

constexpr uint64_t kMagic = 0x3154'4948'5941'5353;

struct Slot {
  char key[HitCounters::kMaxKey + 1];
  std::atomic<uint64_t> count;
};
static_assert(sizeof(Slot) == 72 && std::atomic<uint64_t>::is_always_lock_free);

struct Table {
  std::atomic<uint64_t> magic;  // 0 until the rest is in place
  uint64_t capacity;
  std::atomic<uint64_t> used;
  uint64_t reserved[5];
  Slot slots[HitCounters::kCapacity];
};
static_assert(offsetof(Table, slots) == 64);

Table* TableOf(void* map) { return static_cast<Table*>(map); }

int UsedOf(const Table& table) {
  const uint64_t used = table.used.load(std::memory_order_acquire);
  return static_cast<int>(std::min<uint64_t>(used, HitCounters::kCapacity));
}

int Find(const Table& table, std::string_view key) {
  const int used = UsedOf(table);
  for (int i = 0; i < used; ++i) {
    const char* text = table.slots[i].key;
    if (std::memcmp(text, key.data(), key.size()) == 0 && text[key.size()] == '\0') return i;
  }
  return -1;
}

void Append(Table& table, std::string_view key) {
  const int at = UsedOf(table);
  Slot& slot = table.slots[at];
  std::memset(slot.key, 0, sizeof(slot.key));
  std::memcpy(slot.key, key.data(), key.size());
  slot.count.store(0, std::memory_order_relaxed);
  table.used.store(static_cast<uint64_t>(at) + 1, std::memory_order_release);
}

std::vector<std::pair<std::string, uint64_t>> Listed(const Table& table) {
  std::vector<std::pair<std::string, uint64_t>> all;
  for (int i = 0; i < UsedOf(table); ++i) {
    const Slot& slot = table.slots[i];
    const uint64_t count = slot.count.load(std::memory_order_relaxed);
    const size_t length = strnlen(slot.key, sizeof(slot.key));
    if (count > 0) all.emplace_back(std::string(slot.key, length), count);
  }
  std::sort(all.begin(), all.end());
  return all;
}

Error NoTable(const std::string& path) {
  return Error{path, "is no table of hit counters", "restore the file, or remove it to count anew"};
}

bool IsWhole(const Table& table) {
  const uint64_t used = table.used.load(std::memory_order_acquire);
  return table.magic.load(std::memory_order_acquire) == kMagic &&
         table.capacity == HitCounters::kCapacity && used >= 1 && used <= HitCounters::kCapacity;
}

// Under the file's lock: gives an empty file its size and its header. The space is allocated at
// once, since a full disk would otherwise show as a fatal signal at some later Add.
Status Prepare(int fd, const std::string& path) {
  struct stat info;
  if (fstat(fd, &info) != 0) return SystemError(path, "cannot be examined", errno);
  if (!S_ISREG(info.st_mode)) return NoTable(path);
  if (info.st_size == static_cast<off_t>(sizeof(Table))) return {};
  if (info.st_size != 0) return NoTable(path);
  const int reason = posix_fallocate(fd, 0, sizeof(Table));
  if (reason == 0) return {};
  return ftruncate(fd, 0) == 0 ? SystemError(path, "gets no space", reason)
                               : SystemError(path, "cannot be resized", errno);
}

// Under the file's lock. A zero magic with nothing else is a table whose maker died.
Status Initialize(Table& table, const std::string& path) {
  const uint64_t magic = table.magic.load(std::memory_order_acquire);
  if (magic == 0 && table.used.load() == 0) {
    table.capacity = HitCounters::kCapacity;
    Append(table, HitCounters::kOther);
    table.magic.store(kMagic, std::memory_order_release);
    return {};
  }
  return IsWhole(table) ? Status() : NoTable(path);
}

}  // namespace

Result<HitCounters> HitCounters::Map(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return SystemError(path, "cannot be opened", errno);
  while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
  }
  Status status = Prepare(fd, path);
  void* map = MAP_FAILED;
  if (status.ok()) {
    map = mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) status = SystemError(path, "cannot be mapped", errno);
  }
  if (status.ok()) status = Initialize(*TableOf(map), path);
  // Closing would not unlock: the mapping keeps the open file, and the lock with it.
  flock(fd, LOCK_UN);
  close(fd);
  if (status.ok()) return HitCounters(path, map);
  if (map != MAP_FAILED) munmap(map, sizeof(Table));
  return std::move(status).error();
}

Result<std::vector<std::pair<std::string, uint64_t>>> HitCounters::Read(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return std::vector<std::pair<std::string, uint64_t>>{};
  if (fd < 0) return SystemError(path, "cannot be opened", errno);
  struct stat info;
  const bool sized = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
                     info.st_size == static_cast<off_t>(sizeof(Table));
  void* map = sized ? mmap(nullptr, sizeof(Table), PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
  const int reason = errno;
  close(fd);
  if (!sized) return NoTable(path);
  if (map == MAP_FAILED) return SystemError(path, "cannot be mapped", reason);
  const bool right = IsWhole(*TableOf(map));
  auto all = Listed(*TableOf(map));
  munmap(map, sizeof(Table));
  if (!right) return NoTable(path);
  return all;
}

HitCounters::HitCounters(HitCounters&& other) noexcept
    : path_(std::move(other.path_)), map_(std::exchange(other.map_, nullptr)) {}

HitCounters& HitCounters::operator=(HitCounters&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(map_, other.map_);
  return *this;
}

HitCounters::~HitCounters() {
  if (map_ != nullptr) munmap(map_, sizeof(Table));
}

uint64_t HitCounters::Add(std::string_view raw_key) {
  ASSAY_CHECK(!raw_key.empty() && raw_key.size() <= kMaxKey, "a key that fits a slot");
  Table& table = *TableOf(map_);
  int at = Find(table, raw_key);
  if (at < 0) at = Insert(raw_key);
  return table.slots[at].count.fetch_add(1, std::memory_order_relaxed);
}

// The file is opened anew: a lock belongs to an open file, and one shared with a forked process or
// another thread would exclude neither. Without a lock the hit counts as "other".
int HitCounters::Insert(std::string_view raw_key) {
  Table& table = *TableOf(map_);
  const int fd = open(path_.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return 0;
  while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
  }
  int at = Find(table, raw_key);
  if (at < 0 && UsedOf(table) < kCapacity) {
    at = UsedOf(table);
    Append(table, raw_key);
  }
  close(fd);
  return std::max(at, 0);
}

uint64_t HitCounters::CountOf(std::string_view raw_key) const {
  if (raw_key.empty() || raw_key.size() > kMaxKey) return 0;
  const Table& table = *TableOf(map_);
  const int at = Find(table, raw_key);
  return at < 0 ? 0 : table.slots[at].count.load(std::memory_order_relaxed);
}

std::vector<std::pair<std::string, uint64_t>> HitCounters::All() const {
  return Listed(*TableOf(map_));
}

}  // namespace assay
