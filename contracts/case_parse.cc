// SPDX-License-Identifier: Apache-2.0
//
// Parsing: a line of text to a checked case. Total: any bytes give a case or an Error with the
// column (bytes, from 1), what was expected there, and a suggestion. Lines come from people, files
// and other machines, so no length or number is trusted.
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contracts/case.h"
#include "contracts/case_words.h"
#include "contracts/operator.h"
#include "contracts/scalar_text.h"
#include "contracts/suggest.h"

namespace assay {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Characters of names and numbers: everything up to the next punctuation of the line.
bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '+' || c == '-';
}

std::string Quoted(std::string_view text) {
  constexpr size_t kMost = 40;
  std::string shown;
  for (const char c : text.substr(0, kMost)) shown += c >= ' ' && c <= '~' ? c : '?';
  return "'" + shown + (text.size() > kMost ? "...'" : "'");
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {
    while (!text_.empty() && IsSpace(text_.back())) text_.remove_suffix(1);
  }

  // Each function returns false after it has set error_.
  Result<CaseLine> Run() {
    if (!ReadOperator() || !ReadFields() || !CheckComplete() || !CheckValue()) return error_;
    return std::move(line_);
  }

 private:
  bool Fail(size_t at, std::string what, std::string remedy = "") {
    error_ = Error{"column " + std::to_string(at + 1), std::move(what), std::move(remedy)};
    return false;
  }
  // What stands at the cursor is not what has to stand there.
  bool FailExpected(const std::string& wanted) {
    if (at_ >= text_.size()) {
      return Fail(text_.size(), "the line ends here, but " + wanted + " is missing",
                  "the line may have been cut; copy all of it");
    }
    return Fail(at_, "expected " + wanted + ", found " + Quoted(text_.substr(at_, 1)));
  }
  bool FailUnknown(size_t at, const std::string& kind, std::string_view word,
                   std::span<const std::string_view> known) {
    if (word.empty()) {
      at_ = at;
      return FailExpected(kind);
    }
    return Fail(at, "unknown " + kind + " " + Quoted(word), DidYouMean(word, known));
  }

  void SkipSpace() {
    while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
  }
  bool At(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool Eat(char c) {
    if (!At(c)) return false;
    ++at_;
    return true;
  }
  bool Expect(char c, const char* context) {
    if (Eat(c)) return true;
    return FailExpected("'" + std::string(1, c) + "' " + context);
  }
  std::string_view Word() {
    const size_t begin = at_;
    while (at_ < text_.size() && IsWord(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  template <class T>
  bool ReadInteger(const char* meaning, T& value) {
    const size_t begin = at_;
    const std::string_view word = Word();
    if (word.empty()) return FailExpected(meaning);
    if (ReadDecimalText(word, value)) return true;
    return Fail(begin, "expected " + std::string(meaning) + ", found " + Quoted(word),
                "use a decimal integer in range");
  }

  bool ReadNumber(const char* meaning, double& value) {
    const size_t begin = at_;
    const std::string_view word = Word();
    if (word.empty()) return FailExpected(meaning);
    if (ReadNumberText(word, value)) return true;
    return Fail(
        begin, "expected " + std::string(meaning) + ", found " + Quoted(word),
        "use a decimal or 0x1.8p+1 number, nan, inf, -inf, or bits such as 0x7ff8000000000001");
  }

  // Integers separated by commas, up to but without `end`.
  template <class Items>
  bool ReadList(char end, const char* meaning, Items& items) {
    items.clear();
    if (At(end)) return true;
    do {
      if (items.full()) {
        return Fail(at_, "more than " + std::to_string(items.size()) + " entries",
                    "an operand has at most " + std::to_string(kMaxRank) + " axes");
      }
      std::remove_cvref_t<decltype(items[0])> item{};
      if (!ReadInteger(meaning, item)) return false;
      items.push_back(item);
    } while (Eat(','));
    return true;
  }

  bool ReadOperator();
  bool ReadFields();
  bool ReadField();
  bool ReadAttribute(int index, size_t at);
  bool ReadTensor(int index, size_t at);
  bool ReadModifiers(Tensor& tensor);
  bool ReadModifier(Tensor& tensor, std::array<bool, std::size(kModifiers)>& seen);
  bool ReadAlign(Tensor& tensor);
  bool ReadPlace(Tensor& tensor);
  bool ReadFill(Fill& fill);
  bool ReadFillParameters(const FillWord& word, Fill& fill);
  bool ReadSet(Tensor& tensor);
  bool ReadElement(DType type, uint64_t& bits);
  bool ReadBackend();
  bool CheckComplete();
  bool CheckValue();

  std::string_view text_;
  size_t at_ = 0;
  Error error_;
  CaseLine line_;
  const OperatorDef* def_ = nullptr;
  std::array<std::optional<size_t>, kMaxAttributes> attribute_at_;  // columns, for later messages
  std::array<std::optional<size_t>, kMaxOperands> operand_at_;
  bool schedule_seen_ = false, repeats_seen_ = false;
};

bool Parser::ReadOperator() {
  SkipSpace();
  const size_t begin = at_;
  const std::string_view word = Word();
  const std::optional<OpId> op = ParseOp(word);
  if (!op) {
    std::vector<std::string_view> names;
    for (const OperatorDef& def : Operators()) names.push_back(def.name);
    return FailUnknown(begin, "operator", word, names);
  }
  def_ = &DefOf(*op);
  line_.value.op = *op;
  for (const AttributeDef& attribute : def_->attributes) {
    line_.value.attributes.push_back({attribute.default_real, 0});
  }
  line_.value.operands.resize(static_cast<int>(def_->operands.size()));
  return true;
}

bool Parser::ReadFields() {
  while (at_ < text_.size()) {
    if (!IsSpace(text_[at_])) return FailExpected("a space before the next field");
    SkipSpace();
    if (!ReadField()) return false;
  }
  return true;
}

bool Parser::ReadField() {
  const size_t begin = at_;
  const std::string_view name = Word();
  std::vector<std::string_view> known;
  for (const AttributeDef& attribute : def_->attributes) known.push_back(attribute.name);
  for (const OperandDef& operand : def_->operands) known.push_back(operand.name);
  known.insert(known.end(), {"schedule", "repeats", "backend"});
  size_t index = 0;
  while (index < known.size() && known[index] != name) ++index;
  if (index == known.size()) {
    return FailUnknown(begin, "attribute or operand of " + std::string(def_->name), name, known);
  }
  if (!Expect('=', "after the name")) return false;
  const size_t attributes = def_->attributes.size(), operands = def_->operands.size();
  if (index < attributes) return ReadAttribute(static_cast<int>(index), begin);
  if (index < attributes + operands) return ReadTensor(static_cast<int>(index - attributes), begin);
  if (name == "backend") return ReadBackend();
  const bool schedule = name == "schedule";
  if (std::exchange(schedule ? schedule_seen_ : repeats_seen_, true)) {
    return Fail(begin, std::string(name) + " is given twice", "keep one");
  }
  if (!schedule) return ReadInteger("a number of repeats", line_.value.repeats);
  return ReadInteger("a schedule seed", line_.value.schedule_seed);
}

bool Parser::ReadAttribute(int index, size_t at) {
  const AttributeDef& def = def_->attributes[static_cast<size_t>(index)];
  Attribute& attribute = line_.value.attributes[index];
  if (attribute_at_[static_cast<size_t>(index)]) {
    return Fail(at, std::string(def.name) + " is given twice", "keep one");
  }
  attribute_at_[static_cast<size_t>(index)] = at;
  if (def.labels.empty()) return ReadNumber("a number", attribute.real);
  const size_t begin = at_;
  const std::string_view word = Word();
  for (size_t i = 0; i < def.labels.size(); ++i) {
    if (def.labels[i] != word) continue;
    attribute.choice = static_cast<int32_t>(i);
    return true;
  }
  return FailUnknown(begin, "value of " + std::string(def.name), word, def.labels);
}

bool Parser::ReadTensor(int index, size_t at) {
  const OperandDef& def = def_->operands[static_cast<size_t>(index)];
  Tensor& tensor = line_.value.operands[index];
  if (operand_at_[static_cast<size_t>(index)]) {
    return Fail(at, std::string(def.name) + " is given twice", "keep one");
  }
  operand_at_[static_cast<size_t>(index)] = at;
  const size_t begin = at_;
  const std::string_view word = Word();
  const std::optional<DType> type = ParseDType(word);
  if (!type) {
    std::array<std::string_view, kDTypeCount> names;
    for (int i = 0; i < kDTypeCount; ++i)
      names[static_cast<size_t>(i)] = NameOf(static_cast<DType>(i));
    return FailUnknown(begin, "type", word, names);
  }
  tensor.dtype = *type;
  if (!Expect('[', "before the sizes")) return false;
  if (!ReadList(']', "a size", tensor.shape)) return false;
  if (!Expect(']', "after the sizes")) return false;
  for (const int64_t size : tensor.shape) {
    if (size < 0 || size > kMaxCaseElements) {
      return Fail(begin, "a size is negative or too large",
                  "use 0 to " + std::to_string(kMaxCaseElements));
    }
  }
  tensor.strides = RowMajorStrides(tensor.shape);
  tensor.fill = UnstatedFill(def, tensor.dtype, index);
  return ReadModifiers(tensor);
}

bool Parser::ReadModifiers(Tensor& tensor) {
  std::array<bool, std::size(kModifiers)> seen{};
  while (Eat(':')) {
    if (!ReadModifier(tensor, seen)) return false;
  }
  return true;
}

bool Parser::ReadModifier(Tensor& tensor, std::array<bool, std::size(kModifiers)>& seen) {
  const size_t begin = at_;
  const std::string_view word = Word();
  size_t index = 0;
  while (index < std::size(kModifiers) && kModifiers[index] != word) ++index;
  if (index == std::size(kModifiers)) return FailUnknown(begin, "modifier", word, kModifiers);
  if (std::exchange(seen[index], true) && word != "set") {
    return Fail(begin, std::string(word) + " is given twice", "keep one");
  }
  if (!Expect('(', "after the modifier")) return false;
  bool read = false;
  if (word == "strides") read = ReadList(')', "a stride", tensor.strides);
  if (word == "offset") read = ReadInteger("an offset in elements", tensor.offset);
  if (word == "align") read = ReadAlign(tensor);
  if (word == "place") read = ReadPlace(tensor);
  if (word == "fill") read = ReadFill(tensor.fill);
  if (word == "set") read = ReadSet(tensor);
  return read && Expect(')', "after the modifier's values");
}

bool Parser::ReadAlign(Tensor& tensor) {
  if (!ReadInteger("an alignment in bytes", tensor.alignment)) return false;
  return !Eat(',') || ReadInteger("a misalignment in bytes", tensor.misalignment);
}

bool Parser::ReadPlace(Tensor& tensor) {
  const size_t begin = at_;
  const std::string_view word = Word();
  for (size_t i = 0; i < std::size(kPlacements); ++i) {
    if (kPlacements[i] != word) continue;
    tensor.placement = static_cast<Placement>(i);
    return true;
  }
  return FailUnknown(begin, "placement", word, kPlacements);
}

bool Parser::ReadFill(Fill& fill) {
  const size_t begin = at_;
  const std::string_view word = Word();
  for (size_t i = 0; i < kFillWords.size(); ++i) {
    if (kFillWords[i].name != word) continue;
    fill = {static_cast<FillKind>(i), 0, 0, 0};
    return ReadFillParameters(kFillWords[i], fill);
  }
  std::array<std::string_view, kFillKindCount> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = kFillWords[i].name;
  return FailUnknown(begin, "fill", word, names);
}

bool Parser::ReadFillParameters(const FillWord& word, Fill& fill) {
  double* const parameters[] = {&fill.lo, &fill.hi};
  int count = 0;
  while (Eat(',')) {
    if (text_.substr(at_).starts_with("seed=")) {
      at_ += std::string_view("seed=").size();
      if (!ReadInteger("a seed", fill.seed)) return false;
      break;
    }
    if (count == 2) return FailExpected("seed=");
    if (!ReadNumber("a number or seed=", *parameters[count++])) return false;
  }
  if (count >= word.parameters) return true;
  if (at_ >= text_.size()) return FailExpected("the rest of the fill");
  return Fail(at_, std::string(word.name) + " takes " + std::to_string(word.parameters) +
                       " numbers before its seed");
}

bool Parser::ReadSet(Tensor& tensor) {
  if (tensor.overrides.full()) {
    return Fail(at_, "more than " + std::to_string(kMaxOverrides) + " elements are set",
                "remove some set(...)");
  }
  Override each;
  if (!ReadList('=', "an index", each.index)) return false;
  if (!Expect('=', "after the index")) return false;
  if (!ReadElement(tensor.dtype, each.bits)) return false;
  tensor.overrides.push_back(each);
  return true;
}

bool Parser::ReadElement(DType type, uint64_t& bits) {
  const size_t begin = at_;
  const std::string_view word = Word();
  if (word.empty()) return FailExpected("a value");
  if (ReadElementText(type, word, bits)) return true;
  return Fail(begin, Quoted(word) + " is no " + std::string(NameOf(type)),
              IsFloat(type)
                  ? "use a finite number in range, nan, inf, -inf, -0, or bits such as 0x7fc00001"
                  : "use a decimal integer in range, or bits such as 0x7f");
}

bool Parser::ReadBackend() {
  std::string spec;
  while (at_ < text_.size() && !IsSpace(text_[at_])) {
    if (text_[at_] != '%') {
      spec += text_[at_++];
      continue;
    }
    const std::string_view digits = text_.substr(at_ + 1, 2);
    unsigned char byte = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() < 2 || read.ptr != digits.data() + 2) {
      return Fail(at_, "'%' without two hex digits", "write a literal % as %25");
    }
    spec += static_cast<char>(byte);
    at_ += 3;
  }
  if (spec.empty()) return FailExpected("a backend");
  line_.backends.push_back(std::move(spec));
  return true;
}

bool Parser::CheckComplete() {
  for (size_t i = 0; i < def_->operands.size(); ++i) {
    if (operand_at_[i]) continue;
    return FailExpected("operand " + std::string(def_->operands[i].name) + " of " +
                        std::string(def_->name));
  }
  return true;
}

// Puts the column of the attribute or operand to an Error of CheckCase, which knows names only.
bool Parser::CheckValue() {
  RoundScalars(line_.value);
  const Result<NamedDims> dims = CheckCase(line_.value);
  if (dims.ok()) return true;
  const Error& error = dims.error();
  size_t at = 0;
  for (size_t i = 0; i < def_->attributes.size(); ++i) {
    if (def_->attributes[i].name == error.where) at = attribute_at_[i].value_or(0);
  }
  for (size_t i = 0; i < def_->operands.size(); ++i) {
    if (def_->operands[i].name == error.where) at = operand_at_[i].value_or(0);
  }
  return Fail(at, error.where + ": " + error.what, error.remedy);
}

}  // namespace

Result<CaseLine> ParseCase(std::string_view text) { return Parser(text).Run(); }

}  // namespace assay
