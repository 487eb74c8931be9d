// SPDX-License-Identifier: Apache-2.0
//
// The binary form of a case. Layout, after two magic bytes and a version byte:
//   operator, attributes, schedule seed, repeats, operands
//   real attribute and fill parameter: 8 bytes, little endian; label: 1 byte
//   operand: type, rank, flags, sizes, then what the flags announce
// Integers are varints (LEB128, shortest form only), signed ones zigzag. A flag is set iff its
// field differs from the default, so that each case has one form and plain cases are short. Depends
// on the operator table only; reads without allocating.
#include "engine/codec.h"

#include <bit>
#include <cstring>
#include <limits>

namespace assay {
namespace {

constexpr uint8_t kMagic0 = 0xa5, kMagic1 = 0x5a, kVersion = 2;

// Fields of an operand that are left out when they are the default.
enum Flag : uint8_t {
  kStrides = 1,    // not row-major
  kOffset = 2,     // not 0
  kAlignment = 4,  // alignment or misalignment not 0
  kHead = 8,       // placement; no field
  kFillLo = 16,    // parameter bits not 0
  kFillHi = 32,
  kFillSeed = 64,    // not 0
  kOverrides = 128,  // at least one
};

uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ (value < 0 ? ~uint64_t{0} : 0);
}
int64_t UnZigZag(uint64_t value) { return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1)); }

class Writer {
 public:
  explicit Writer(std::span<uint8_t> out) : out_(out) {}
  void Byte(uint8_t value) {
    if (at_ < out_.size()) out_[at_] = value;
    ++at_;
  }
  void Unsigned(uint64_t value) {
    for (; value >= 0x80; value >>= 7) Byte(static_cast<uint8_t>(value | 0x80));
    Byte(static_cast<uint8_t>(value));
  }
  void Signed(int64_t value) { Unsigned(ZigZag(value)); }
  void Real(double value) {
    const uint64_t bits = std::bit_cast<uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) Byte(static_cast<uint8_t>(bits >> shift));
  }
  size_t size() const { return at_ <= out_.size() ? at_ : 0; }

 private:
  std::span<uint8_t> out_;
  size_t at_ = 0;
};

// Every getter returns a value even after an error; the first error stays and is asked for at the
// end of each group, before anything depends on the values.
class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  uint8_t Byte() {
    if (at_ == end_) return Fail(Reject::kTruncated);
    return *at_++;
  }
  uint64_t Unsigned() {
    if (at_ != end_ && *at_ < 0x80) return *at_++;
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t byte = Byte();
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      // A last group of zeros could be dropped; a tenth byte above 1 would not fit in 64 bits.
      if ((shift > 0 && byte == 0) || (shift == 63 && byte > 1)) Fail(Reject::kNotCanonical);
      return value;
    }
    return Fail(Reject::kNotCanonical);
  }
  int64_t Signed() { return UnZigZag(Unsigned()); }
  template <class T>
  T Bounded() {
    const int64_t value = Signed();
    if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max()) {
      return Fail(Reject::kBadField);
    }
    return static_cast<T>(value);
  }
  double Real() {
    if (end_ - at_ < 8) return Fail(Reject::kTruncated);
    uint64_t bits = 0;
    // Compiles to one load where the machine is little-endian.
    for (int i = 0; i < 8; ++i) bits |= static_cast<uint64_t>(at_[i]) << (8 * i);
    at_ += 8;
    return std::bit_cast<double>(bits);
  }
  uint8_t Fail(Reject reject) {
    if (reject_ == Reject::kNone) reject_ = reject;
    at_ = end_;
    return 0;
  }
  Reject reject() const { return reject_; }
  bool ok() const { return reject_ == Reject::kNone; }
  bool done() const { return at_ == end_; }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
  Reject reject_ = Reject::kNone;
};

bool IsPlusZero(double value) { return std::bit_cast<uint64_t>(value) == 0; }

uint8_t FlagsOf(const Tensor& tensor) {
  uint8_t flags = 0;
  if (tensor.strides != RowMajorStrides(tensor.shape)) flags |= kStrides;
  if (tensor.offset != 0) flags |= kOffset;
  if (tensor.alignment != 0 || tensor.misalignment != 0) flags |= kAlignment;
  if (tensor.placement == Placement::kHead) flags |= kHead;
  if (!IsPlusZero(tensor.fill.lo)) flags |= kFillLo;
  if (!IsPlusZero(tensor.fill.hi)) flags |= kFillHi;
  if (tensor.fill.seed != 0) flags |= kFillSeed;
  if (!tensor.overrides.empty()) flags |= kOverrides;
  return flags;
}

void WriteOverrides(const Tensor& tensor, Writer& writer) {
  writer.Byte(static_cast<uint8_t>(tensor.overrides.size()));
  for (const Override& each : tensor.overrides) {
    writer.Byte(static_cast<uint8_t>(each.index.size()));
    for (const int32_t at : each.index) writer.Signed(at);
    writer.Unsigned(each.bits);
  }
}

void WriteTensor(const Tensor& tensor, Writer& writer) {
  const uint8_t flags = FlagsOf(tensor);
  writer.Byte(static_cast<uint8_t>(tensor.dtype));
  writer.Byte(static_cast<uint8_t>(tensor.shape.size()));
  writer.Byte(flags);
  writer.Byte(static_cast<uint8_t>(tensor.fill.kind));
  for (const int64_t size : tensor.shape) writer.Signed(size);
  if (flags & kStrides) {
    for (const int64_t stride : tensor.strides) writer.Signed(stride);
  }
  if (flags & kOffset) writer.Signed(tensor.offset);
  if (flags & kAlignment) {
    writer.Signed(tensor.alignment);
    writer.Signed(tensor.misalignment);
  }
  if (flags & kFillLo) writer.Real(tensor.fill.lo);
  if (flags & kFillHi) writer.Real(tensor.fill.hi);
  if (flags & kFillSeed) writer.Unsigned(tensor.fill.seed);
  if (flags & kOverrides) WriteOverrides(tensor, writer);
}

void ReadOverrides(Reader& reader, Tensor& tensor) {
  const int count = reader.Byte();
  if (count > kMaxOverrides) {
    reader.Fail(Reject::kBadField);
    return;
  }
  for (int i = 0; i < count && reader.ok(); ++i) {
    Override each;
    const int rank = reader.Byte();
    if (rank > kMaxRank) {
      reader.Fail(Reject::kBadField);
      return;
    }
    for (int axis = 0; axis < rank; ++axis) each.index.push_back(reader.Bounded<int32_t>());
    each.bits = reader.Unsigned();
    tensor.overrides.push_back(each);
  }
}

// A flag announces a field that is not the default; a default field makes the form longer than it
// has to be.
void RequireOther(Reader& reader, bool is_default) {
  if (is_default) reader.Fail(Reject::kNotCanonical);
}

void ReadShape(Reader& reader, int rank, bool strided, Tensor& tensor) {
  if (rank > kMaxRank) {
    reader.Fail(Reject::kBadField);
    return;
  }
  tensor.shape.clear();
  for (int i = 0; i < rank; ++i) tensor.shape.push_back(reader.Signed());
  tensor.strides = RowMajorStrides(tensor.shape);
  if (!strided) return;
  Dims strides;
  for (int i = 0; i < rank; ++i) strides.push_back(reader.Signed());
  RequireOther(reader, strides == tensor.strides);
  tensor.strides = strides;
}

void ReadPlacement(Reader& reader, uint8_t flags, Tensor& tensor) {
  tensor.placement = flags & kHead ? Placement::kHead : Placement::kTail;
  tensor.offset = 0;
  tensor.alignment = tensor.misalignment = 0;
  if (flags & kOffset) {
    tensor.offset = reader.Signed();
    RequireOther(reader, tensor.offset == 0);
  }
  if (flags & kAlignment) {
    tensor.alignment = reader.Bounded<int32_t>();
    tensor.misalignment = reader.Bounded<int32_t>();
    RequireOther(reader, tensor.alignment == 0 && tensor.misalignment == 0);
  }
}

void ReadFill(Reader& reader, uint8_t flags, Fill& fill) {
  fill.lo = fill.hi = 0;
  fill.seed = 0;
  if (flags & kFillLo) {
    fill.lo = reader.Real();
    RequireOther(reader, IsPlusZero(fill.lo));
  }
  if (flags & kFillHi) {
    fill.hi = reader.Real();
    RequireOther(reader, IsPlusZero(fill.hi));
  }
  if (flags & kFillSeed) {
    fill.seed = reader.Unsigned();
    RequireOther(reader, fill.seed == 0);
  }
}

// Sets every field, so that a Case can be decoded into again and again.
void ReadTensor(Reader& reader, Tensor& tensor) {
  const uint8_t type = reader.Byte(), rank = reader.Byte(), flags = reader.Byte();
  const uint8_t kind = reader.Byte();
  if (type >= kDTypeCount || kind >= kFillKindCount) reader.Fail(Reject::kBadField);
  tensor.dtype = static_cast<DType>(type);
  tensor.fill.kind = static_cast<FillKind>(kind);
  ReadShape(reader, rank, flags & kStrides, tensor);
  ReadPlacement(reader, flags, tensor);
  ReadFill(reader, flags, tensor.fill);
  tensor.overrides.clear();
  if (flags & kOverrides) {
    ReadOverrides(reader, tensor);
    RequireOther(reader, tensor.overrides.empty());
  }
}

// The operator's attributes and operands, without looking at what they mean together.
Reject ReadCase(Reader& reader, Case& value) {
  const uint8_t op = reader.Byte();
  if (!reader.ok()) return reader.reject();
  if (op >= kOpCount) return Reject::kUnknownOperator;
  value.op = static_cast<OpId>(op);
  const OperatorDef& def = DefOf(value.op);
  value.attributes.clear();
  for (const AttributeDef& attribute : def.attributes) {
    Attribute given;
    if (attribute.is_label()) {
      given.choice = reader.Byte();
    } else {
      given.real = reader.Real();
    }
    value.attributes.push_back(given);
  }
  value.schedule_seed = reader.Unsigned();
  value.repeats = reader.Bounded<int32_t>();
  value.operands.resize(static_cast<int>(def.operands.size()));
  for (Tensor& tensor : value.operands) {
    ReadTensor(reader, tensor);
    if (!reader.ok()) return reader.reject();
  }
  return reader.done() ? Reject::kNone : Reject::kTrailing;
}

// Which of the two reasons a well-formed but unusable case falls under.
Reject ReasonOf(const Case& value) {
  for (const Tensor& tensor : value.operands) {
    for (const int64_t size : tensor.shape) {
      if (size < 0) return Reject::kBadField;
      if (size > kMaxCaseElements) return Reject::kTooLarge;
    }
    const Extent extent = ExtentOf(tensor.shape, tensor.strides);
    if (extent.size() > kMaxCaseElements || tensor.offset > kMaxCaseElements ||
        extent.size() + tensor.offset > kMaxCaseElements) {
      return Reject::kTooLarge;
    }
  }
  // Extents are derived from integer attributes, which nobody has looked at yet.
  const OperatorDef& def = DefOf(value.op);
  for (int i = 0; i < value.attributes.size(); ++i) {
    const AttributeDef& attribute = def.attributes[static_cast<size_t>(i)];
    const double given = value.attributes[i].real;
    const bool inside = given >= static_cast<double>(attribute.lowest) &&
                        given <= static_cast<double>(attribute.highest);
    if (attribute.is_integer() && !inside) return Reject::kBadField;
  }
  const Result<NamedDims> dims = def.dims(value);
  if (!dims.ok()) return Reject::kBadShape;
  return TermsOf(value, dims.value()) > kMaxCaseTerms ? Reject::kTooLarge : Reject::kBadField;
}

constexpr std::string_view kRejectNames[kRejectCount] = {
    "none",      "not_a_case",    "version",   "truncated", "trailing", "unknown_operator",
    "bad_field", "not_canonical", "bad_shape", "too_large"};

}  // namespace

std::string_view NameOf(Reject reject) { return kRejectNames[static_cast<size_t>(reject)]; }

Reject Decode(std::span<const uint8_t> bytes, Case& value, NamedDims& dims) {
  if (bytes.size() < 2 || bytes[0] != kMagic0 || bytes[1] != kMagic1) return Reject::kNotACase;
  if (bytes.size() < 3) return Reject::kTruncated;
  if (bytes[2] != kVersion) return Reject::kVersion;
  Reader reader(bytes.subspan(3));
  if (const Reject reject = ReadCase(reader, value); reject != Reject::kNone) return reject;
  const Result<NamedDims> checked = CheckCase(value);
  if (!checked.ok()) return ReasonOf(value);
  dims = checked.value();
  return Reject::kNone;
}

size_t Encode(const Case& value, std::span<uint8_t> out) {
  Writer writer(out);
  writer.Byte(kMagic0);
  writer.Byte(kMagic1);
  writer.Byte(kVersion);
  writer.Byte(static_cast<uint8_t>(value.op));
  const OperatorDef& def = DefOf(value.op);
  for (int i = 0; i < value.attributes.size(); ++i) {
    if (def.attributes[static_cast<size_t>(i)].labels.empty()) {
      writer.Real(value.attributes[i].real);
    } else {
      writer.Byte(static_cast<uint8_t>(value.attributes[i].choice));
    }
  }
  writer.Unsigned(value.schedule_seed);
  writer.Signed(value.repeats);
  for (const Tensor& tensor : value.operands) WriteTensor(tensor, writer);
  return writer.size();
}

}  // namespace assay
