// SPDX-License-Identifier: Apache-2.0
//
// The lexer: one pass, no lookahead beyond two bytes except for contract identifiers.
#include "contracts/language/lexer.h"

#include <charconv>
#include <cmath>
#include <string>

namespace assay {
namespace {

// Own tests of characters: those of the C library follow the locale.
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLetter(char c) { return IsUpper(c) || (c >= 'a' && c <= 'z') || c == '_'; }
bool IsWord(char c) { return IsLetter(c) || IsDigit(c); }

class Lexer {
 public:
  Lexer(std::string_view text, DiagnosticSink& sink) : text_(text), sink_(sink) {}

  std::vector<Token> Run() {
    while (at_ < text_.size() && !sink_.full()) Step();
    // The end is where the text ends, so that "missing" can point somewhere.
    tokens_.push_back({TokenKind::kEnd, "", 0, {line_, Column(at_), 1}, true});
    return std::move(tokens_);
  }

 private:
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  int Column(size_t at) const { return static_cast<int>(at - line_begin_) + 1; }

  void Step() {
    const char c = Peek();
    if (c == '\n') {
      ++at_;
      ++line_;
      line_begin_ = at_;
      first_ = true;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '-' && Peek(1) == '-') {
      while (at_ < text_.size() && Peek() != '\n') ++at_;
    } else if (c == '"') {
      String();
    } else if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) {
      Number();
    } else if (IsLetter(c)) {
      Word();
    } else {
      Symbol();
    }
  }

  void Push(TokenKind kind, size_t begin, size_t end, std::string_view text, double number = 0) {
    tokens_.push_back(
        {kind, text, number, {line_, Column(begin), static_cast<int>(end - begin)}, first_});
    first_ = false;
    at_ = end;
  }

  void String() {
    const size_t begin = at_;
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') ++end;
    if (end >= text_.size() || text_[end] == '\n') {
      sink_.Report({line_, Column(begin), static_cast<int>(end - begin)},
                   "this string is not closed", "a closing '\"' on the same line");
      Push(TokenKind::kString, begin, end, text_.substr(begin + 1, end - begin - 1));
      return;
    }
    Push(TokenKind::kString, begin, end + 1, text_.substr(begin + 1, end - begin - 1));
  }

  void Number() {
    const size_t begin = at_;
    const bool hex = Peek() == '0' && (Peek(1) == 'x' || Peek(1) == 'X');
    const size_t digits = hex ? begin + 2 : begin;
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + digits, text_.data() + text_.size(), value,
                        hex ? std::chars_format::hex : std::chars_format::general);
    size_t stop = static_cast<size_t>(end - text_.data());
    bool good = error == std::errc() && stop > digits && std::isfinite(value);
    if (stop <= digits) stop = digits;
    while (stop < text_.size() && IsWord(text_[stop])) {
      good = false;
      ++stop;
    }
    if (!good) {
      sink_.Report({line_, Column(begin), static_cast<int>(stop - begin)}, "malformed number",
                   "a number such as 3, 0.5 or 0x1p-40");
    }
    Push(TokenKind::kNumber, begin, stop, text_.substr(begin, stop - begin), good ? value : 0);
  }

  void Word() {
    if (const size_t end = ContractIdEnd(); end > at_) {
      Push(TokenKind::kContractId, at_, end, text_.substr(at_, end - at_));
      return;
    }
    size_t end = at_;
    while (end < text_.size() && IsWord(text_[end])) ++end;
    Push(TokenKind::kName, at_, end, text_.substr(at_, end - at_));
  }

  // One upper case letter, '-', a word, '-', digits: the hyphens make it no expression.
  size_t ContractIdEnd() const {
    if (!IsUpper(Peek()) || Peek(1) != '-' || !IsUpper(Peek(2))) return at_;
    size_t end = at_ + 2;
    while (end < text_.size() && IsWord(text_[end])) ++end;
    if (end >= text_.size() || text_[end] != '-') return at_;
    const size_t digits = ++end;
    while (end < text_.size() && IsDigit(text_[end])) ++end;
    return end > digits ? end : at_;
  }

  void Symbol() {
    static constexpr std::string_view kPairs[] = {"<=", ">=", "!=", "->"};
    for (std::string_view pair : kPairs) {
      if (text_.substr(at_, 2) == pair) {
        Push(TokenKind::kSymbol, at_, at_ + 2, pair);
        return;
      }
    }
    if (std::string_view("+-*/^()[]{},;:|<>=").find(Peek()) != std::string_view::npos) {
      Push(TokenKind::kSymbol, at_, at_ + 1, text_.substr(at_, 1));
      return;
    }
    size_t end = at_ + 1;  // A run of strange bytes is one complaint.
    while (end < text_.size() &&
           (static_cast<unsigned char>(text_[end]) >= 0x80 ||
            static_cast<unsigned char>(text_[end]) < 0x20) &&
           text_[end] != '\n') {
      ++end;
    }
    sink_.Report({line_, Column(at_), static_cast<int>(end - at_)},
                 "a character that the language does not use",
                 "names, numbers, strings, comments after '--' and the usual operators");
    at_ = end;
  }

  std::string_view text_;
  DiagnosticSink& sink_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  size_t line_begin_ = 0;
  int line_ = 1;
  bool first_ = true;
};

}  // namespace

std::vector<Token> Lex(std::string_view text, DiagnosticSink& sink) {
  if (text.size() > kMaxSourceBytes) {
    sink.Report({1, 1, 1}, "the file is larger than a contract can be", "at most 1 MiB");
    text = text.substr(0, 0);
  }
  return Lexer(text, sink).Run();
}

}  // namespace assay
