// SPDX-License-Identifier: Apache-2.0
//
// Guarded memory against small kernels that touch what they must not, and against legal ones that
// only come near. Expected places follow from the layout asked for, never from what the arena
// reports.
#include "engine/arena.h"

#include <gtest/gtest.h>
#include <immintrin.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <setjmp.h>
#include <signal.h>

#include <cfenv>
#include <cstring>
#include <numeric>

#include "contracts/operator.h"
#include "engine/guarded_call.h"

namespace assay {
namespace {

Tensor Vector(DType type, int64_t count, int64_t stride = 1) {
  Tensor tensor;
  tensor.dtype = type;
  tensor.shape = {count};
  tensor.strides = {stride};
  return tensor;
}

Tensor Matrix(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride) {
  Tensor tensor;
  tensor.shape = {rows, columns};
  tensor.strides = {row_stride, column_stride};
  return tensor;
}

// Elements hold 1, 2, 3, ... as bit patterns.
OperandValues Counting(const Tensor& tensor) {
  OperandValues values;
  values.dtype = tensor.dtype;
  values.shape = tensor.shape;
  values.count = ElementCount(tensor.shape);
  values.bits.resize(static_cast<size_t>(values.count));
  std::iota(values.bits.begin(), values.bits.end(), uint64_t{1});
  return values;
}

const Placed& PlaceCounting(Arena& arena, int slot, const Tensor& tensor, int64_t slack = 0) {
  return arena.Place(slot, tensor, Counting(tensor), slack);
}

template <class Function>
CallResult Call(const Arena& arena, Function function) {
  InstallFaultHandlers();
  return GuardedCall([](void* f) { (*static_cast<Function*>(f))(); }, &function, arena);
}

char ReadByte(const std::byte* at) { return *reinterpret_cast<const volatile char*>(at); }
void WriteByte(std::byte* at) { *reinterpret_cast<volatile char*>(at) = 0x11; }

uint64_t Address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

void ExpectHit(const std::optional<GuardHit>& hit, int operand, Side side, int64_t distance,
               Access access) {
  ASSERT_TRUE(hit.has_value());
  EXPECT_EQ(hit->operand, operand);
  EXPECT_EQ(hit->side, side);
  EXPECT_EQ(hit->distance_bytes, distance);
  EXPECT_EQ(hit->access, access);
}

TEST(Arena, GivesBackWhatItStoredWhateverTheStrides) {
  Arena arena;
  for (const Tensor& tensor : {Matrix(3, 5, 5, 1), Matrix(3, 5, 1, 3), Matrix(3, 5, 7, 1),
                               Matrix(3, 5, -7, 1), Matrix(3, 5, 2, -9), Matrix(1, 1, 0, 0)}) {
    const OperandValues values = Counting(tensor);
    arena.Place(0, tensor, values);
    std::vector<uint64_t> read(values.bits.size());
    arena.Load(0, read);
    EXPECT_EQ(read, values.bits);
  }
}

TEST(Arena, StoresElementsAtTheirStrides) {
  Arena arena;
  const Placed& placed = PlaceCounting(arena, 0, Matrix(2, 3, -4, 1));
  const auto* element0 = reinterpret_cast<const uint32_t*>(placed.element0);
  EXPECT_EQ(element0[0], 1u);
  EXPECT_EQ(element0[2], 3u);
  EXPECT_EQ(element0[-4], 4u);
  EXPECT_EQ(element0[-4 + 2], 6u);
  EXPECT_EQ(placed.element0 - placed.lowest, 16);
  EXPECT_EQ(placed.span_bytes, (4 + 3) * 4);
}

TEST(Arena, PutsTheNamedEndAtTheGuard) {
  Arena arena;
  Tensor tensor = Vector(DType::kF32, 5);
  const Placed tail = PlaceCounting(arena, 0, tensor);
  ExpectHit(Call(arena, [&] { ReadByte(tail.lowest + 20); }).guard, 0, Side::kAfter, 1,
            Access::kRead);
  tensor.placement = Placement::kHead;
  const Placed head = PlaceCounting(arena, 0, tensor);
  ExpectHit(Call(arena, [&] { ReadByte(head.lowest - 1); }).guard, 0, Side::kBefore, 1,
            Access::kRead);
}

TEST(Arena, LeavesAtMostOneAlignmentBetweenOperandAndGuard) {
  Arena arena;
  Tensor tensor = Vector(DType::kF32, 5);
  tensor.alignment = 64;
  tensor.misalignment = 12;
  const Placed placed = PlaceCounting(arena, 1, tensor);
  EXPECT_EQ(Address(placed.lowest) % 64, 12u);
  ExpectHit(Call(arena, [&] { WriteByte(placed.lowest + 84); }).guard, 1, Side::kAfter, 65,
            Access::kWrite);
}

TEST(Arena, KeepsTheOffsetRegionBelowTheLowestElement) {
  Arena arena;
  Tensor tensor = Vector(DType::kF64, 4, -2);
  tensor.offset = 3;
  tensor.placement = Placement::kHead;
  const Placed placed = PlaceCounting(arena, 0, tensor);
  EXPECT_EQ(placed.lowest - placed.allocation, 24);
  EXPECT_EQ(placed.element0 - placed.lowest, 48);
  ExpectHit(Call(arena, [&] { ReadByte(placed.allocation - 1); }).guard, 0, Side::kBefore, 25,
            Access::kRead);
}

TEST(Arena, LocatesAFaultFarBehindTheEnd) {
  Arena arena;
  const Placed placed = PlaceCounting(arena, 2, Vector(DType::kF32, 8));
  ExpectHit(Call(arena, [&] { ReadByte(placed.lowest + 32 + 1'000'000); }).guard, 2, Side::kAfter,
            1'000'001, Access::kRead);
  EXPECT_FALSE(arena.Locate(&arena, Access::kRead).has_value());
}

TEST(Arena, GivesSlackAtTheGuardedEnd) {
  Arena arena;
  const Placed placed = PlaceCounting(arena, 0, Vector(DType::kF32, 5), 16);
  EXPECT_FALSE(Call(arena, [&] { ReadByte(placed.lowest + 20 + 15); }).guard.has_value());
  ExpectHit(Call(arena, [&] { ReadByte(placed.lowest + 20 + 16); }).guard, 0, Side::kAfter, 17,
            Access::kRead);
}

TEST(Arena, FaultsOnAnEmptyOperandAtOnce) {
  Arena arena;
  const Placed placed = PlaceCounting(arena, 0, Vector(DType::kF32, 0));
  EXPECT_EQ(placed.span_bytes, 0);
  ExpectHit(Call(arena, [&] { ReadByte(placed.element0); }).guard, 0, Side::kAfter, 1,
            Access::kRead);
}

TEST(Arena, SeesAWriteBehindTheEndThatHitsNoGuard) {
  Arena arena;
  Tensor tensor = Vector(DType::kF32, 5);
  tensor.placement = Placement::kHead;
  const Placed placed = PlaceCounting(arena, 0, tensor);
  EXPECT_FALSE(arena.CheckCanaries(0).has_value());
  WriteByte(placed.lowest + 20 + 6);
  ExpectHit(arena.CheckCanaries(0), 0, Side::kAfter, 7, Access::kWrite);
}

TEST(Arena, SeesAWriteBeforeTheBeginThatHitsNoGuard) {
  Arena arena;
  const Placed placed = PlaceCounting(arena, 0, Vector(DType::kBf16, 5));
  WriteByte(placed.lowest - 30);
  ExpectHit(arena.CheckCanaries(0), 0, Side::kBefore, 30, Access::kWrite);
}

TEST(Arena, SeesAWriteIntoAGapAndNamesTheNearerElement) {
  Arena arena;
  const Placed placed = PlaceCounting(arena, 0, Matrix(2, 3, 8, 1));
  WriteByte(placed.lowest + 12 + 19);
  ExpectHit(arena.CheckCanaries(0), 0, Side::kGap, 1, Access::kWrite);
}

TEST(Arena, SeesAddingZeroToTheElementBehindTheEnd) {
  Arena arena;
  Tensor tensor = Vector(DType::kF32, 5);
  tensor.placement = Placement::kHead;
  const Placed placed = PlaceCounting(arena, 0, tensor);
  volatile float* x = reinterpret_cast<float*>(placed.lowest);
  x[5] = x[5] + 0.0f;
  // Only the quiet bit changes: bit 22, in the third byte of the element.
  ExpectHit(arena.CheckCanaries(0), 0, Side::kAfter, 3, Access::kWrite);
}

TEST(Arena, HoldsNanOfEveryFloatTypeBehindTheEnd) {
  Arena arena;
  for (const DType type : {DType::kF64, DType::kF32, DType::kF16, DType::kBf16}) {
    Tensor tensor = Vector(type, 3);
    tensor.placement = Placement::kHead;
    const Placed placed = PlaceCounting(arena, 0, tensor);
    uint64_t bits = 0;
    std::memcpy(&bits, placed.lowest + placed.span_bytes, static_cast<size_t>(SizeOf(type)));
    EXPECT_EQ(ClassOf(Decode(type, bits)), kClassNan) << NameOf(type);
  }
}

TEST(Arena, TellsAChangedElementFromADamagedGap) {
  Arena arena;
  const Placed placed = PlaceCounting(arena, 0, Matrix(2, 3, 8, 1));
  EXPECT_TRUE(arena.Unchanged(0));
  WriteByte(placed.lowest + 12);
  EXPECT_TRUE(arena.Unchanged(0));
  WriteByte(placed.lowest + 32);
  EXPECT_FALSE(arena.Unchanged(0));
  arena.Restore(0);
  EXPECT_TRUE(arena.Unchanged(0));
  EXPECT_FALSE(arena.CheckCanaries(0).has_value());
}

TEST(Arena, PrefillsElementsAndNothingElse) {
  Arena arena;
  const Tensor tensor = Matrix(2, 3, 8, 2);
  PlaceCounting(arena, 0, tensor);
  arena.Prefill(0, 0xDEADBEEF);
  std::vector<uint64_t> read(6);
  arena.Load(0, read);
  EXPECT_EQ(read, std::vector<uint64_t>(6, 0xDEADBEEF));
  EXPECT_FALSE(arena.CheckCanaries(0).has_value());
  arena.Restore(0);
  EXPECT_TRUE(arena.Unchanged(0));
}

TEST(Arena, ForgetsEarlierOperands) {
  Arena arena;
  Tensor large = Vector(DType::kF32, 5000);
  PlaceCounting(arena, 0, large);
  const Placed placed = PlaceCounting(arena, 0, Vector(DType::kF32, 4));
  EXPECT_EQ(ReadByte(placed.lowest - 4000), 0);
}

// Brute force over bytes: a byte of the span is an element's or a gap's, by definition of strides.
RC_GTEST_PROP(Arena, ProtectsExactlyTheBytesThatAreNoElement, ()) {
  static Arena arena;
  Tensor tensor;
  tensor.dtype = *rc::gen::element(DType::kF64, DType::kF32, DType::kF16, DType::kI8);
  const int rank = *rc::gen::inRange(1, kMaxRank + 1);
  for (int i = 0; i < rank; ++i) {
    tensor.shape.push_back(*rc::gen::inRange<int64_t>(1, 4));
    tensor.strides.push_back(*rc::gen::inRange<int64_t>(-9, 10));
  }
  tensor.offset = *rc::gen::inRange<int64_t>(0, 3);
  tensor.placement = *rc::gen::element(Placement::kTail, Placement::kHead);
  const Placed placed = PlaceCounting(arena, 0, tensor);
  const int size = SizeOf(tensor.dtype);
  std::vector<bool> own(static_cast<size_t>(placed.span_bytes), false);
  const int64_t lowest = placed.element0 - placed.lowest;
  for (int64_t i = 0; i < ElementCount(tensor.shape); ++i) {
    int64_t rest = i, at = lowest;
    for (int axis = rank - 1; axis >= 0; --axis) {
      at += rest % tensor.shape[axis] * tensor.strides[axis] * size;
      rest /= tensor.shape[axis];
    }
    for (int b = 0; b < size; ++b) own[static_cast<size_t>(at + b)] = true;
  }
  for (size_t b = 0; b < own.size(); ++b) {
    placed.lowest[b] ^= std::byte{1};
    RC_ASSERT(arena.Unchanged(0) == !own[b]);
    RC_ASSERT(arena.CheckCanaries(0).has_value() == !own[b]);
    arena.Restore(0);
  }
}

TEST(GuardedCall, ReturnsFromACleanCallWithNothingToReport) {
  Arena arena;
  int calls = 0;
  const CallResult result = Call(arena, [&] { ++calls; });
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(result.guard.has_value());
  EXPECT_EQ(result.environment, 0);
}

TEST(GuardedCall, TellsAWriteFromARead) {
  Arena arena;
  const Placed placed = PlaceCounting(arena, 0, Vector(DType::kF32, 4));
  ExpectHit(Call(arena, [&] { WriteByte(placed.lowest + 16); }).guard, 0, Side::kAfter, 1,
            Access::kWrite);
  ExpectHit(Call(arena, [&] { ReadByte(placed.lowest + 16); }).guard, 0, Side::kAfter, 1,
            Access::kRead);
}

TEST(GuardedCall, CatchesManyFaultsInARow) {
  Arena arena;
  const Placed placed = PlaceCounting(arena, 0, Vector(DType::kF32, 4));
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(Call(arena, [&] { ReadByte(placed.lowest + 16 + i); }).guard.has_value());
  }
}

// The last float of a 16-byte load lies in the guard, as in a tail loop without a mask.
TEST(GuardedCall, CatchesAVectorLoadThatReachesOverTheEnd) {
  Arena arena;
  const Placed placed = PlaceCounting(arena, 0, Vector(DType::kF32, 7));
  const auto load = [&] {
    const __m128 loaded = _mm_loadu_ps(reinterpret_cast<float*>(placed.lowest) + 4);
    asm volatile("" : : "x"(loaded));  // Keeps the load, and keeps it 16 bytes wide.
  };
  ExpectHit(Call(arena, load).guard, 0, Side::kAfter, 1, Access::kRead);
}

[[gnu::target("avx512f")]] void MaskedTail512(const float* x, int count) {
  const __m512 loaded = _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << count) - 1), x);
  asm volatile("" : : "v"(loaded));
}

[[gnu::target("avx")]] void MaskedTail256(const float* x) {
  const __m256i mask = _mm256_setr_epi32(-1, -1, -1, 0, 0, 0, 0, 0);
  const __m256 loaded = _mm256_maskload_ps(x, mask);
  asm volatile("" : : "x"(loaded));
}

TEST(GuardedCall, LetsMaskedLoadsPassThatTouchTheGuardOnlyInMaskedLanes) {
  if (!__builtin_cpu_supports("avx")) GTEST_SKIP() << "needs AVX";
  Arena arena;
  const Placed placed = PlaceCounting(arena, 0, Vector(DType::kF32, 3));
  const auto* x = reinterpret_cast<const float*>(placed.lowest);
  EXPECT_FALSE(Call(arena, [&] { MaskedTail256(x); }).guard.has_value());
  if (!__builtin_cpu_supports("avx512f")) return;
  EXPECT_FALSE(Call(arena, [&] { MaskedTail512(x, 3); }).guard.has_value());
  EXPECT_TRUE(Call(arena, [&] { MaskedTail512(x, 4); }).guard.has_value());
}

TEST(GuardedCall, ReportsAndUndoesAChangedRoundingMode) {
  Arena arena;
  const unsigned before = _mm_getcsr();
  const CallResult result = Call(arena, [] { _mm_setcsr(_mm_getcsr() | _MM_ROUND_UP); });
  EXPECT_EQ(result.environment, kRoundingModeChanged);
  EXPECT_EQ(_mm_getcsr() & ~0x3Fu, before & ~0x3Fu);
}

TEST(GuardedCall, ReportsFlushToZeroAndDenormalsAreZero) {
  Arena arena;
  constexpr unsigned kDenormalsAreZero = 0x40, kFlushToZero = 0x8000;
  for (const unsigned bit : {kDenormalsAreZero, kFlushToZero}) {
    EXPECT_EQ(Call(arena, [&] { _mm_setcsr(_mm_getcsr() | bit); }).environment,
              kFlushToZeroChanged);
    EXPECT_EQ(_mm_getcsr() & bit, 0u);
  }
}

TEST(GuardedCall, ReportsTheX87RoundingModeBesideTheVectorOne) {
  Arena arena;
  EXPECT_EQ(Call(arena, [] { fesetround(FE_DOWNWARD); }).environment,
            kRoundingModeChanged | kX87ControlChanged);
  EXPECT_EQ(fegetround(), FE_TONEAREST);
}

TEST(GuardedCall, DoesNotBlameStickyFlags) {
  Arena arena;
  volatile double zero = 0;
  EXPECT_EQ(Call(arena, [&] { zero = 1 / zero; }).environment, 0);
}

TEST(GuardedCall, PutsTheControlWordsBackAfterAnAbandonedCall) {
  Arena arena;
  const Placed placed = PlaceCounting(arena, 0, Vector(DType::kF32, 4));
  const CallResult result = Call(arena, [&] {
    fesetround(FE_UPWARD);
    ReadByte(placed.lowest + 16);
  });
  EXPECT_TRUE(result.guard.has_value());
  EXPECT_EQ(result.environment, 0);
  EXPECT_EQ(fegetround(), FE_TONEAREST);
}

sigjmp_buf outer_jump;
void OuterHandler(int) { siglongjmp(outer_jump, 1); }

// In a process of its own, since the handlers are installed once.
TEST(GuardedCallDeathTest, LeavesOtherFaultsToTheHandlerBefore) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fault_elsewhere = [] {
    signal(SIGSEGV, OuterHandler);
    Arena arena;
    if (sigsetjmp(outer_jump, 1) != 0) _exit(7);
    Call(arena, [] { *reinterpret_cast<volatile char*>(8) = 1; });
  };
  EXPECT_EXIT(fault_elsewhere(), testing::ExitedWithCode(7), "");
}

TEST(GuardedCallDeathTest, DiesOfOtherFaultsWithoutAHandlerBefore) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fault_elsewhere = [] {
    signal(SIGSEGV, SIG_DFL);
    Arena arena;
    Call(arena, [] { *reinterpret_cast<volatile char*>(8) = 1; });
  };
  EXPECT_EXIT(fault_elsewhere(), testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace assay
