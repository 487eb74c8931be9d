// SPDX-License-Identifier: Apache-2.0
//
// The generators of operand values. Must not depend on any other folder or on libm.
#include "contracts/fill.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "contracts/format_bits.h"
#include "contracts/values.h"

namespace assay {
namespace {

using format_bits::BitsOf;
using format_bits::FromBits;
using format_bits::PowerOfTwo;

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio, odd: SplitMix64's step

// Separate the streams that one row key feeds.
constexpr uint64_t kPlaceStream = 0x5a;
constexpr uint64_t kShuffleStream = 0xa5;
constexpr uint64_t kPairStream = 0x69;

// floor(h * count / 2^64): uniform on [0, count), count 0 standing for 2^64.
uint64_t Below(uint64_t hash, uint64_t count) {
  if (count == 0) return hash;
  return static_cast<uint64_t>((static_cast<unsigned __int128>(hash) * count) >> 64);
}

double UnitInterval(uint64_t hash) { return static_cast<double>(hash >> 11) * 0x1p-53; }
// By the lowest bit of the hash, without a branch that nothing could predict.
double WithRandomSign(double magnitude, uint64_t hash) {
  return FromBits(BitsOf(magnitude) | (hash << 63));
}

// Both halves of a product folded together: weaker than Mix and half its cost, enough to draw
// several words from one well-mixed hash.
uint64_t Fold(uint64_t hash, uint64_t key) {
  const unsigned __int128 product = static_cast<unsigned __int128>(hash ^ key) * kGolden;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Approximately N(0, 1): the sum of twelve uniforms less its mean (Irwin-Hall), of 16 bits each
// plus one fraction below them, so that every bit of a mantissa is random. Within +-6, where a true
// normal leaves 2e-9 of its mass.
double ApproximatelyNormal(uint64_t hash) {
  constexpr uint64_t kEven = 0x0000ffff0000ffff;
  uint64_t lanes = 0;  // two sums of six, 32 bits apart
  for (const uint64_t key : {0x2545f4914f6cdd1du, 0xd1342543de82ef95u, 0xaf251af3b0f025b5u}) {
    const uint64_t words = Fold(hash, key);
    lanes += (words & kEven) + ((words >> 16) & kEven);
  }
  const auto sum = static_cast<int64_t>((lanes & 0xffffffff) + (lanes >> 32));
  constexpr double kMean = 12 * 32767.5 + 0.5;
  return ((static_cast<double>(sum) - kMean) + UnitInterval(hash)) * 0x1p-16;
}

int64_t SaturatedInteger(double value) {
  if (!(value > -0x1p63)) return value <= -0x1p63 ? std::numeric_limits<int64_t>::min() : 0;
  if (value >= 0x1p63) return std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(value);
}

// Ties away from zero: no rounding function of libm, whose result could depend on the mode.
int64_t NearestInteger(double value) {
  const int64_t whole = SaturatedInteger(value);
  if (!(std::fabs(value) < 0x1p53)) return whole;  // an integer already, or none at all
  const double rest = value - static_cast<double>(whole);
  return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole;
}

uint64_t EncodeSaturated(DType type, int64_t value) {
  const IntegerLimits limits = LimitsOf(type);
  return EncodeInteger(type, std::clamp(value, limits.lowest, limits.highest));
}

// A pattern nobody writes by accident. Two seeds of different parity differ in class, so a kernel
// that reads its output shows in the second run whatever it does with the first.
uint64_t PoisonPattern(DType type, bool odd) {
  switch (type) {
    case DType::kF64:
      return odd ? 0x7fda5ba5a5ba5a5b : 0x7ffda55a5aa5a55a;
    case DType::kF32:
      return odd ? 0x7e5ba5a5 : 0x7fe5a55a;
    case DType::kF16:
      return odd ? 0x7a5b : 0x7ea5;
    case DType::kBf16:
      return odd ? 0x7e5b : 0x7fe5;
    case DType::kF8e4m3:
      return odd ? 0x75 : 0xff;
    case DType::kF8e5m2:
      return odd ? 0x75 : 0xfd;
    case DType::kI8:
    case DType::kI32:
    case DType::kI64:
    case DType::kU8:
      break;
  }
  return (odd ? 0x5a5a5a5a5a5a5a5a : 0xa5a5a5a5a5a5a5a5) >> (64 - 8 * SizeOf(type));
}

template <class Element>
void ForEach(int64_t first, std::span<uint64_t> bits, Element element) {
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = element(first + static_cast<int64_t>(i));
}

}  // namespace

uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

RowFiller::RowFiller(const Fill& fill, DType type, std::span<const int64_t> shape)
    : fill_(fill),
      type_(type),
      format_(InfoOf(IsFloat(type) ? FormatOf(type) : Format::kF64)),
      format_id_(IsFloat(type) ? FormatOf(type) : Format::kF64),
      shape_(shape),
      length_(shape.empty() ? 1 : shape.back()),
      seed_key_(Mix(fill.seed + kGolden)) {
  PrepareOperand();
}

void RowFiller::PrepareOperand() {
  switch (fill_.kind) {
    case FillKind::kUniform:
      top_ = NextDown(format_id_, fill_.hi);
      break;
    case FillKind::kIntegers:
    case FillKind::kIndices:
      lowest_ = SaturatedInteger(fill_.lo);
      highest_ = std::max(lowest_, SaturatedInteger(fill_.hi));
      break;
    case FillKind::kExponents:
    case FillKind::kSwamping: {
      const int64_t least = format_.min_exponent - format_.precision + 1;
      lowest_ = std::clamp<int64_t>(SaturatedInteger(fill_.lo), least, format_.max_exponent);
      highest_ = std::clamp<int64_t>(SaturatedInteger(fill_.hi), lowest_, format_.max_exponent);
      break;
    }
    case FillKind::kCancelling:
      top_ = std::min(format_bits::Magnitude(fill_.lo), format_.largest / 2);
      break;
    case FillKind::kDistinct:
      PrepareDistinct();
      break;
    default:
      break;
  }
}

// Distinct elements are steps of an odd stride around a circle of magnitudes, both signs of each.
// The circle is all normal numbers of a type of 16 or 8 bits (it needs them all), sixteen binades
// around 1 of a wider one, and all magnitudes of an integer type (half of i64's).
void RowFiller::PrepareDistinct() {
  const uint64_t per_binade = uint64_t{1} << (format_.precision - 1);
  switch (type_) {
    case DType::kF16:
    case DType::kBf16:
    case DType::kF8e5m2:
      first_magnitude_ = per_binade;
      magnitudes_ = per_binade * static_cast<uint64_t>(2 * format_.max_exponent);
      break;
    case DType::kF8e4m3:
      first_magnitude_ = per_binade;
      magnitudes_ = 14 * per_binade;  // all but the topmost binade, which NaN shares
      break;
    case DType::kF32:
    case DType::kF64:
      first_magnitude_ = Encode(type_, 0x1p-8);
      magnitudes_ = 16 * per_binade;
      break;
    case DType::kI8:
    case DType::kU8:
    case DType::kI32:
      first_magnitude_ = 1;
      magnitudes_ = (uint64_t{1} << (8 * SizeOf(type_) - 1)) - 1;
      break;
    case DType::kI64:
      first_magnitude_ = 1;
      magnitudes_ = uint64_t{1} << 62;
      break;
  }
  // Near 2^64 / golden ratio and coprime to every circle. Reduced first, so that step * stride
  // either fits 64 bits or wraps at a multiple of a circle that is a power of two.
  constexpr uint64_t kStride = 0x9e3779b97f4a7c19;
  static_assert(std::gcd(kStride, uint64_t{2} * 3 * 5 * 7 * 127 * 2147483647) == 1);
  stride_ = kStride % magnitudes_;
  start_ = Mix(seed_key_) % magnitudes_;
}

void RowFiller::Start(std::span<const int64_t> leading) {
  key_ = seed_key_;
  coordinate_sum_ = 0;
  row_ = 0;
  for (size_t i = 0; i < leading.size(); ++i) {
    key_ = Mix(key_ + kGolden * (static_cast<uint64_t>(leading[i]) + 1));
    coordinate_sum_ += leading[i];
    row_ = row_ * shape_[i] + leading[i];
  }
  if (fill_.kind == FillKind::kSparse) PlaceNonZeros();
  if (fill_.kind == FillKind::kCancelling) PrepareShuffle();
}

// Floyd's sampling without replacement (Bentley, CACM 30 (1987)).
void RowFiller::PlaceNonZeros() {
  const int64_t wanted = std::clamp<int64_t>(SaturatedInteger(fill_.lo), 1, 4);
  place_count_ = 0;
  for (int64_t j = std::max<int64_t>(0, length_ - wanted); j < length_; ++j) {
    const uint64_t hash = Mix(key_ ^ Mix(kPlaceStream + static_cast<uint64_t>(place_count_)));
    const auto place = static_cast<int64_t>(Below(hash, static_cast<uint64_t>(j) + 1));
    const auto end = places_.begin() + place_count_;
    places_[static_cast<size_t>(place_count_)] =
        std::find(places_.begin(), end, place) == end ? place : j;
    ++place_count_;
  }
}

void RowFiller::PrepareShuffle() {
  for (size_t i = 0; i < shuffle_.size(); ++i) shuffle_[i] = Mix(key_ ^ Mix(kShuffleStream + i));
  pair_key_ = Mix(key_ ^ Mix(kPairStream));
}

// A permutation of [0, length): three invertible rounds on the next power of two, repeated until
// the result is inside (cycle walking; Black, Rogaway, CT-RSA 2002).
int64_t RowFiller::Shuffled(int64_t column) const {
  const int width = std::bit_width(static_cast<uint64_t>(std::max<int64_t>(length_, 2) - 1));
  const uint64_t mask = (uint64_t{1} << width) - 1;
  auto x = static_cast<uint64_t>(column);
  do {
    for (size_t round = 0; round < 3; ++round) {
      x = (x * (shuffle_[2 * round] | 1) + shuffle_[2 * round + 1]) & mask;
      x ^= x >> ((width + 1) / 2);
    }
  } while (x >= static_cast<uint64_t>(length_));
  return static_cast<int64_t>(x);
}

uint64_t RowFiller::Hash(int64_t column) const {
  return Mix(key_ + kGolden * (static_cast<uint64_t>(column) + 1));
}

double RowFiller::Uniform(int64_t column) const {
  if (!(fill_.lo < fill_.hi)) return fill_.lo;
  const double u = UnitInterval(Hash(column));
  // Not lo + u * (hi - lo): the difference may overflow.
  return std::min(std::max(fill_.lo, fill_.lo * (1 - u) + fill_.hi * u), top_);
}

double RowFiller::Normal(int64_t column) const {
  return fill_.lo + fill_.hi * ApproximatelyNormal(Hash(column));
}

int64_t RowFiller::Integer(int64_t column) const {
  const auto low = static_cast<uint64_t>(lowest_);
  const uint64_t count = static_cast<uint64_t>(highest_) - low + 1;
  return static_cast<int64_t>(low + Below(Hash(column), count));
}

double RowFiller::Sparse(int64_t column) const {
  const auto end = places_.begin() + place_count_;
  if (std::find(places_.begin(), end, column) == end) return 0;
  const double value = ApproximatelyNormal(Hash(column));
  // Not one that the type would round to zero.
  return format_bits::Magnitude(value) < format_.smallest_normal ? 1.0 : value;
}

double RowFiller::WithExponent(int64_t column) const {
  const uint64_t hash = Hash(column);
  const auto exponent =
      static_cast<int>(lowest_ + static_cast<int64_t>(Below(
                                     Mix(hash), static_cast<uint64_t>(highest_ - lowest_) + 1)));
  // Only bits that the type keeps at this exponent, so that nothing is rounded up out of its
  // binade.
  const int dropped = 53 - format_.precision + std::max(0, format_.min_exponent - exponent);
  const uint64_t fraction = (hash >> 12) >> dropped << dropped;
  const uint64_t significand = fraction | (uint64_t{1} << 52);
  const uint64_t bits = exponent >= -1022
                            ? (static_cast<uint64_t>(exponent + 1023) << 52) | fraction
                            : significand >> (-1022 - exponent);
  return WithRandomSign(std::min(FromBits(bits), format_.largest), hash);
}

double RowFiller::Subnormal(int64_t column) const {
  const uint64_t hash = Hash(column);
  const uint64_t multiple = 1 + Below(hash, (uint64_t{1} << (format_.precision - 1)) - 1);
  // In f64 the multiple is the pattern; arithmetic on subnormal doubles costs some hundred cycles.
  const double magnitude = format_id_ == Format::kF64
                               ? FromBits(multiple)
                               : static_cast<double>(multiple) * format_.smallest_subnormal;
  return WithRandomSign(magnitude, hash);
}

// The two of a pair differ in the last bit that the type keeps of a normal number (of a subnormal
// one: not at all).
double RowFiller::Cancelling(int64_t column) const {
  const int64_t place = Shuffled(column);
  if (place == length_ - 1 && length_ % 2 != 0) return 0;  // it has no partner
  const uint64_t hash = Mix(pair_key_ + kGolden * static_cast<uint64_t>(place / 2));
  const uint64_t last = uint64_t{1} << (53 - format_.precision);
  const uint64_t magnitude = BitsOf(top_ * (0.5 + 0.5 * UnitInterval(hash))) & ~(last - 1);
  const auto second = static_cast<uint64_t>(place) & 1;
  const uint64_t step = magnitude != 0 && (hash & 2) != 0 ? -last : last;
  return WithRandomSign(FromBits(magnitude + second * step), hash ^ second);
}

uint64_t RowFiller::Distinct(int64_t column) const {
  const auto position = static_cast<uint64_t>(row_ * length_ + column);
  const uint64_t step = (position >> 1) * stride_ % magnitudes_;
  const uint64_t magnitude = first_magnitude_ + (step + start_) % magnitudes_;
  const bool negative = (position & 1) != 0;
  if (IsFloat(type_)) return magnitude | (negative ? uint64_t{1} << (8 * SizeOf(type_) - 1) : 0);
  return EncodeInteger(type_, static_cast<int64_t>(negative ? -magnitude : magnitude));
}

RowFiller::Stage RowFiller::WriteStage(int64_t first, std::span<uint64_t> bits) const {
  const auto reals = [&](auto element) {
    ForEach(first, bits, [&](int64_t j) { return BitsOf(element(j)); });
    return Stage::kReal;
  };
  const auto constant = [&](uint64_t pattern, Stage stage) {
    std::fill(bits.begin(), bits.end(), pattern);
    return stage;
  };
  switch (fill_.kind) {
    case FillKind::kZero:
      return constant(0, Stage::kPattern);
    case FillKind::kConstant:
      return constant(BitsOf(fill_.lo), Stage::kReal);
    case FillKind::kUniform:
      return reals([&](int64_t j) { return Uniform(j); });
    case FillKind::kNormal:
    case FillKind::kOffset:
      return reals([&](int64_t j) { return Normal(j); });
    case FillKind::kIntegers:
    case FillKind::kIndices:
      ForEach(first, bits, [&](int64_t j) { return static_cast<uint64_t>(Integer(j)); });
      return Stage::kInteger;
    case FillKind::kWideOdd:
      return reals([&](int64_t j) {
        const uint64_t hash = Hash(j);
        return WithRandomSign(static_cast<double>(4097 + 2 * static_cast<int>(hash >> 53)), hash);
      });
    case FillKind::kPowersOfTwo:
      return reals([&](int64_t j) {
        const uint64_t hash = Hash(j);
        return WithRandomSign(PowerOfTwo(static_cast<int>(Below(hash, 3))), hash);
      });
    case FillKind::kSparse:
      return reals([&](int64_t j) { return Sparse(j); });
    case FillKind::kExponents:
      return reals([&](int64_t j) { return WithExponent(j); });
    case FillKind::kSubnormal:
      return reals([&](int64_t j) { return Subnormal(j); });
    case FillKind::kMantissa:
      return reals([&](int64_t j) {
        return 1 + PowerOfTwo(-1 - static_cast<int>((coordinate_sum_ + j) % 23));
      });
    case FillKind::kCancelling:
      return reals([&](int64_t j) { return Cancelling(j); });
    case FillKind::kSwamping:
      return reals(
          [&](int64_t j) { return j == 0 ? PowerOfTwo(static_cast<int>(lowest_)) : fill_.hi; });
    case FillKind::kDistinct:
      ForEach(first, bits, [&](int64_t j) { return Distinct(j); });
      return Stage::kPattern;
    case FillKind::kPoison:
      return constant(PoisonPattern(type_, (fill_.seed & 1) != 0), Stage::kPattern);
  }
  InvariantBroken(__FILE__, __LINE__, "fill.kind", "not a FillKind");
}

void RowFiller::Write(int64_t first, std::span<uint64_t> bits) const {
  const Stage stage = WriteStage(first, bits);
  if (stage == Stage::kPattern) return;
  if (!IsFloat(type_)) {
    for (uint64_t& each : bits) {
      const int64_t value =
          stage == Stage::kInteger ? static_cast<int64_t>(each) : NearestInteger(FromBits(each));
      each = EncodeSaturated(type_, value);
    }
    return;
  }
  format_bits::VisitFloat(type_, [&](auto f) {
    for (uint64_t& each : bits) {
      const double value = stage == Stage::kInteger
                               ? static_cast<double>(static_cast<int64_t>(each))
                               : FromBits(each);
      each = f.RoundToBits(value);
    }
  });
}

uint64_t FillBits(const Fill& fill, DType type, std::span<const int64_t> index,
                  std::span<const int64_t> shape) {
  RowFiller filler(fill, type, shape);
  filler.Start(index.empty() ? index : index.first(index.size() - 1));
  uint64_t bits = 0;
  filler.Write(index.empty() ? 0 : index.back(), {&bits, 1});
  return bits;
}

}  // namespace assay
