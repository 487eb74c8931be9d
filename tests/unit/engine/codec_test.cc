// SPDX-License-Identifier: Apache-2.0
//
// The binary form: its bytes for one case written out, every reason to reject, canonicity under
// random damage, and the largest case there can be. Counts allocations through a replaced operator
// new.
#include "engine/codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "engine/random.h"

namespace {
std::atomic<int> allocations = 0;
}

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace assay {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes Encoded(const Case& value) {
  Bytes bytes(kMaxEncodedSize);
  bytes.resize(Encode(value, bytes));
  return bytes;
}

Reject RejectOf(const Bytes& bytes) {
  Case value;
  NamedDims dims;
  return Decode(bytes, value, dims);
}

Case Small() { return MakeCase(OpId::kSum, DType::kF32, {3}); }

// Small() byte by byte: magic, version; sum; schedule; repeats; x; out.
Bytes SmallBytes() {
  return {0xa5, 0x5a, 2, 2, 0, 0, 1, 1, 0x70, 2,    6, 0, 0, 0,    0,  0, 0,
          0xf0, 0xbf, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 1, 1, 0, 0x40, 16, 2};
}

// The case with the longest form: every field present and as long as a check lets it be.
Case Longest() {
  Case value = MakeCase(OpId::kGemm, DType::kF64, {2, 2, 2});
  value.schedule_seed = ~uint64_t{0};
  for (Tensor& tensor : value.operands) {
    tensor.strides = {100000, -100001};
    tensor.offset = 10000;
    tensor.alignment = 4096;
    tensor.misalignment = 4088;
    tensor.fill = {FillKind::kUniform, ~uint64_t{0}, -1, 1};
    for (int i = 0; i < kMaxOverrides; ++i) tensor.overrides.push_back({{1, 1}, ~uint64_t{0}});
  }
  return value;
}

TEST(Encode, WritesTheDocumentedBytes) { EXPECT_EQ(Encoded(Small()), SmallBytes()); }

TEST(Decode, ReadsBackWhatWasWritten) {
  for (const Case& value : {Small(), Longest(), MakeCase(OpId::kGather, DType::kI8, {5, 3, 0})}) {
    Case back;
    NamedDims dims;
    ASSERT_EQ(Decode(Encoded(value), back, dims), Reject::kNone);
    EXPECT_EQ(back, value);
    EXPECT_EQ(dims, CheckCase(value).value());
  }
}

TEST(Decode, OverwritesWhatTheCaseHeldBefore) {
  Case value = Longest();
  NamedDims dims;
  ASSERT_EQ(Decode(Encoded(Small()), value, dims), Reject::kNone);
  EXPECT_EQ(value, Small());
}

TEST(Encode, FitsEveryCaseAndSaysWhenTheBufferIsTooSmall) {
  const Bytes longest = Encoded(Longest());
  EXPECT_GT(longest.size(), 300u);
  // Per operand: 4 fixed bytes; sizes of at most 2^18 and unused strides of at most 2^31 on every
  // axis there can be; offset, alignment, misalignment; two parameters and a seed; overrides. Then
  // magic, version, operator, seed, repeats, and attributes.
  constexpr size_t kOverride = 1 + kMaxRank * 5 + 10;
  constexpr size_t kOperand =
      4 + kMaxRank * (3 + 5) + 3 + 2 + 2 + 8 + 8 + 10 + 1 + kMaxOverrides * kOverride;
  static_assert(4 + 10 + 3 + kMaxAttributes * 8 + kMaxOperands * kOperand <= kMaxEncodedSize);
  EXPECT_LE(longest.size(), 4 + 10 + 3 + kMaxAttributes * 8 + kMaxOperands * kOperand);
  for (size_t size = 0; size < longest.size(); ++size) {
    Bytes buffer(size);
    ASSERT_EQ(Encode(Longest(), buffer), 0u) << size;
  }
}

TEST(Decode, GivesTheReason) {
  const auto with = [](size_t at, uint8_t byte) {
    Bytes bytes = SmallBytes();
    bytes[at] = byte;
    return bytes;
  };
  EXPECT_EQ(RejectOf({}), Reject::kNotACase);
  EXPECT_EQ(RejectOf({0xa5}), Reject::kNotACase);
  EXPECT_EQ(RejectOf({0xa5, 0x5a}), Reject::kTruncated);
  EXPECT_EQ(RejectOf(with(0, 'g')), Reject::kNotACase);
  EXPECT_EQ(RejectOf(with(2, 1)), Reject::kVersion);
  EXPECT_EQ(RejectOf(with(3, kOpCount)), Reject::kUnknownOperator);
  EXPECT_EQ(RejectOf(with(6, kDTypeCount)), Reject::kBadField);
  EXPECT_EQ(RejectOf(with(7, kMaxRank + 1)), Reject::kBadField);
  EXPECT_EQ(RejectOf(with(9, kFillKindCount)), Reject::kBadField);
  EXPECT_EQ(RejectOf(with(10, 5)), Reject::kBadField);      // zigzag for a size of -3
  EXPECT_EQ(RejectOf(with(27, 0)), Reject::kNotCanonical);  // a seed of 0 is left out
  Bytes longer = SmallBytes();
  longer.push_back(0);
  EXPECT_EQ(RejectOf(longer), Reject::kTrailing);
  EXPECT_EQ(NameOf(Reject::kNotCanonical), "not_canonical");
}

TEST(Decode, TellsBadShapesFromLargeOnes) {
  Case disagree = MakeCase(OpId::kDot, DType::kF32, {3});
  disagree.operands[1].shape[0] = 4;
  EXPECT_EQ(RejectOf(Encoded(disagree)), Reject::kBadShape);
  EXPECT_EQ(RejectOf(Encoded(MakeCase(OpId::kSum, DType::kF32, {kMaxCaseElements + 1}))),
            Reject::kTooLarge);
  EXPECT_EQ(RejectOf(Encoded(MakeCase(OpId::kGemm, DType::kF32, {200, 200, 200}))),
            Reject::kTooLarge);
  Case step = MakeCase(OpId::kConv2d, DType::kF32, {1, 1, 4, 4, 1, 2, 2});
  step.attributes[kConvStride].real = 0;
  EXPECT_EQ(RejectOf(Encoded(step)), Reject::kBadField);
  Case huge = Small();
  huge.operands[0].shape[0] = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(RejectOf(Encoded(huge)), Reject::kBadField);
  Case far = Small();
  far.operands[0].offset = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(RejectOf(Encoded(far)), Reject::kBadField);
  Case wide = Small();
  wide.operands[0].strides[0] = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(RejectOf(Encoded(wide)), Reject::kTooLarge);
}

TEST(Decode, RefusesNumbersThatCouldBeShorterOrDoNotFit) {
  Bytes padded = SmallBytes();
  padded[4] = 0x80;  // schedule seed 0 in two bytes
  padded.insert(padded.begin() + 5, 0);
  EXPECT_EQ(RejectOf(padded), Reject::kNotCanonical);
  Bytes eleven = SmallBytes();
  eleven.erase(eleven.begin() + 4);
  eleven.insert(eleven.begin() + 4, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2});
  EXPECT_EQ(RejectOf(eleven), Reject::kNotCanonical);
  eleven[13] = 1;  // 2^64 - 1
  EXPECT_EQ(RejectOf(eleven), Reject::kNone);
}

TEST(Decode, RefusesAFlagWhoseFieldIsTheDefault) {
  Bytes bytes = SmallBytes();
  bytes[8] |= 1;                        // strides follow,
  bytes.insert(bytes.begin() + 11, 2);  // but 1 is row-major
  EXPECT_EQ(RejectOf(bytes), Reject::kNotCanonical);
  bytes[11] = 4;
  EXPECT_EQ(RejectOf(bytes), Reject::kNone);
}

TEST(Decode, RefusesEveryProperPrefix) {
  for (const Case& value : {Small(), Longest()}) {
    const Bytes whole = Encoded(value);
    for (size_t size = 0; size < whole.size(); ++size) {
      const Reject reject = RejectOf(Bytes(whole.begin(), whole.begin() + static_cast<int>(size)));
      ASSERT_EQ(reject, size < 2 ? Reject::kNotACase : Reject::kTruncated) << size;
    }
  }
}

TEST(Decode, RefusesALineOfText) {
  const std::string line = PrintCase({Small(), {}});
  EXPECT_EQ(RejectOf(Bytes(line.begin(), line.end())), Reject::kNotACase);
}

TEST(Decode, AcceptsOnlyTheFormThatEncodeWrites) {
  const Bytes seeds[] = {Encoded(Small()), Encoded(Longest()),
                         Encoded(MakeCase(OpId::kGemm, DType::kF16, {2, 3, 4})),
                         Encoded(MakeCase(OpId::kGather, DType::kI64, {5, 2, 3}))};
  Random random(1);
  int accepted = 0;
  for (int i = 0; i < 200000; ++i) {
    Bytes bytes = random.Pick(seeds);
    for (uint64_t edits = 1 + random.Below(3); edits > 0; --edits) {
      bytes[3 + random.Below(bytes.size() - 3)] = static_cast<uint8_t>(random.Next());
    }
    Case value;
    NamedDims dims;
    if (Decode(bytes, value, dims) != Reject::kNone) continue;
    ++accepted;
    ASSERT_TRUE(CheckCase(value).ok());
    ASSERT_EQ(Encoded(value), bytes);
  }
  EXPECT_GT(accepted, 10000);
}

TEST(Decode, IsTotalOnRandomBytes) {
  Random random(2);
  for (int i = 0; i < 20000; ++i) {
    Bytes bytes(random.Below(200));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.Next());
    if (bytes.size() > 3 && i % 2 == 0) {
      bytes[0] = 0xa5, bytes[1] = 0x5a, bytes[2] = 1;
      bytes[3] = static_cast<uint8_t>(random.Below(kOpCount));
    }
    EXPECT_LT(static_cast<int>(RejectOf(bytes)), kRejectCount);
  }
}

TEST(Decode, AllocatesNothingForACase) {
  const Bytes bytes = Encoded(Longest());
  Case value;
  NamedDims dims;
  const int before = allocations;
  const Reject reject = Decode(bytes, value, dims);
  const int after = allocations;
  EXPECT_EQ(reject, Reject::kNone);
  EXPECT_EQ(after - before, 0);
}

}  // namespace
}  // namespace assay
