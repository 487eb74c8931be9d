// SPDX-License-Identifier: Apache-2.0
//
// Moving over tokens, the layout rule and recovery; and the parser of a whole file, which only
// sorts contracts from profiles.
#include "contracts/language/cursor.h"

#include <algorithm>
#include <utility>

namespace assay {
namespace {

bool IsPartKeyword(std::string_view text) {
  return std::find(std::begin(kPartKeywords), std::end(kPartKeywords), text) !=
         std::end(kPartKeywords);
}

}  // namespace

const Token& Cursor::Take() {
  const Token& token = tokens_[at_];
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool Cursor::AtTop() const {
  return Here().first_on_line && Here().kind == TokenKind::kName &&
         (Here().text == "contract" || Here().text == "profile");
}

bool Cursor::AtPart() const {
  if (AtEnd() || AtTop()) return true;
  return Here().first_on_line && Here().kind == TokenKind::kName &&
         (Here().at.column <= part_column_ || IsPartKeyword(Here().text));
}

bool Cursor::Accept(std::string_view text) {
  if (!IsSymbol(text) && !IsName(text)) return false;
  if (AtPart()) return false;
  Take();
  return true;
}

bool Cursor::LineHolds(std::string_view symbol) const {
  for (size_t i = at_; i + 1 < tokens_.size() && (i == at_ || !tokens_[i].first_on_line); ++i) {
    if (tokens_[i].kind == TokenKind::kSymbol && tokens_[i].text == symbol) return true;
  }
  return false;
}

bool Cursor::Expect(std::string_view text) {
  if (Accept(text)) return true;
  std::string suggestion;
  if (Here().kind == TokenKind::kName && !AtPart()) {
    suggestion = NearestName(Here().text, std::span(&text, 1));
  }
  Fail("this does not fit here", "'" + std::string(text) + "'", std::move(suggestion));
  return false;
}

bool Cursor::ExpectName(Word& word, const char* what) {
  if (Here().kind != TokenKind::kName || AtPart()) {
    Fail(std::string(what) + " is missing", what);
    return false;
  }
  word = {std::string(Here().text), Here().at};
  Take();
  return true;
}

bool Cursor::ExpectString(std::string& text, const char* what) {
  if (Here().kind != TokenKind::kString || AtPart()) {
    Fail(std::string(what) + " is missing", "a string in double quotes");
    return false;
  }
  if (Here().text.empty()) sink_.Report(Here().at, std::string(what) + " is empty", "some text");
  text = Take().text;
  return true;
}

std::vector<Word> Cursor::ExpectNames(const char* what) {
  std::vector<Word> names;
  do {
    Word word;
    if (!ExpectName(word, what)) break;
    names.push_back(std::move(word));
  } while (Accept(","));
  return names;
}

void Cursor::SkipItem() {
  while (!AtItemEnd()) Take();
  if (!Here().first_on_line && IsSymbol(";")) Take();
}

void Cursor::SkipPart() {
  while (!AtPart()) Take();
}

void Cursor::SkipTop() {
  while (!AtEnd() && !AtTop()) Take();
}

void Cursor::Fail(std::string message, std::string expected, std::string suggestion) {
  Span at = Here().at;
  if (at_ > 0 && (Here().first_on_line || AtEnd())) {
    at = tokens_[at_ - 1].at;
    at.column += at.length;
    at.length = 1;
  }
  sink_.Report(at, std::move(message), std::move(expected), std::move(suggestion));
}

void Cursor::FinishItem() {
  if (!AtItemEnd()) Fail("this does not belong to what stands before it", "a new line or ';'");
  SkipItem();
}

SourceFile ParseSource(std::string path, std::string_view text, DiagnosticSink& sink) {
  Cursor cursor(Lex(text, sink), sink);
  SourceFile file{std::move(path), {}, {}, {}};
  // What the lexer has refused already may well hold something.
  if (cursor.AtEnd() && sink.found().empty())
    cursor.Fail("the file holds nothing", "'contract' or 'profile'");
  while (!cursor.AtEnd() && !sink.full()) {
    if (!cursor.AtTop()) {
      static constexpr std::string_view kTops[] = {"contract", "profile"};
      sink.Report(cursor.Here().at, "this belongs to no contract and no profile",
                  "'contract' or 'profile' at the start of a line",
                  NearestName(cursor.Here().text, kTops));
      cursor.Take();
      cursor.SkipTop();
      continue;
    }
    cursor.set_part_column(cursor.Here().at.column);
    cursor.Mark(LayoutLevel::kTop);
    if (cursor.Take().text == "contract") {
      file.contracts.emplace_back().file = file.path;
      ParseContract(cursor, file.contracts.back());
    } else {
      file.profiles.emplace_back().file = file.path;
      ParseProfile(cursor, file.profiles.back());
    }
    cursor.SkipTop();
  }
  file.layout = cursor.layout();
  return file;
}

}  // namespace assay
