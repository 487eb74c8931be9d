// SPDX-License-Identifier: Apache-2.0
//
// What the parsers of expressions, contracts and profiles share: a place in the tokens, the layout
// rule (a line that begins at or left of the column of the parts begins a new part) and recovery.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/language/ast.h"
#include "contracts/language/diagnostic.h"
#include "contracts/language/lexer.h"

namespace assay {

inline constexpr std::string_view kPartKeywords[] = {"primitive",     "scope",     "precondition",
                                                     "postcondition", "tolerance", "reference",
                                                     "measure",       "violation"};

class Cursor {
 public:
  Cursor(std::vector<Token> tokens, DiagnosticSink& sink)
      : tokens_(std::move(tokens)), sink_(sink) {}

  const Token& Here() const { return tokens_[at_]; }
  const Token& Next() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
  // The current token; the place moves on, except past the end.
  const Token& Take();

  bool AtEnd() const { return Here().kind == TokenKind::kEnd; }
  // "contract" or "profile" at the start of a line.
  bool AtTop() const;
  // The start of a part or of something above it.
  bool AtPart() const;
  // Nothing more belongs to the item that is being parsed.
  bool AtItemEnd() const { return Here().first_on_line || AtEnd() || IsSymbol(";"); }

  bool IsSymbol(std::string_view text) const {
    return Here().kind == TokenKind::kSymbol && Here().text == text;
  }
  bool IsName(std::string_view text) const {
    return Here().kind == TokenKind::kName && Here().text == text;
  }
  bool LineHolds(std::string_view symbol) const;  // from here to the end of the line
  bool Accept(std::string_view text);             // a symbol or a name, if it is next
  bool Expect(std::string_view text);             // the same, or a diagnostic
  bool ExpectName(Word& word, const char* what);  // any name that does not begin a part
  bool ExpectString(std::string& text, const char* what);
  std::vector<Word> ExpectNames(const char* what);  // NAME {, NAME}

  void SkipItem();  // to the next line or past the next ';'
  void SkipPart();  // to the next part
  void SkipTop();   // to the next contract or profile
  // Complains at the current token, or right behind the previous one if this one is on a new line.
  void Fail(std::string message, std::string expected = "", std::string suggestion = "");
  // Ends an item: complains about what is left on the line.
  void FinishItem();

  // Something of this level begins here.
  void Mark(LayoutLevel level) { layout_.push_back({Here().at, level}); }
  const std::vector<LayoutMark>& layout() const { return layout_; }

  void set_part_column(int column) { part_column_ = column; }
  DiagnosticSink& sink() { return sink_; }

 private:
  std::vector<Token> tokens_;
  DiagnosticSink& sink_;
  std::vector<LayoutMark> layout_;
  size_t at_ = 0;
  int part_column_ = 1;
};

// Parses an expression into the pool and gives its index; after a diagnostic the result may be a
// hole. Recursion is bounded by kMaxExpressionDepth.
inline constexpr int kMaxExpressionDepth = 60;
inline constexpr int kMaxExpressionNodes = 2000;  // per contract
int ParseExpression(Cursor& cursor, ExprPool& pool);
// expr {, expr} comparison expr, or any expression.
int ParseCondition(Cursor& cursor, ExprPool& pool);

// One relation, or false after a diagnostic.
bool ParseRelation(Cursor& cursor, Relation& relation);
// A relation as it is written.
std::string TextOf(Relation relation);

// One line of the measure part.
void ParseMeasure(Cursor& cursor, ContractAst& contract);
void ParseContract(Cursor& cursor, ContractAst& contract);
void ParseProfile(Cursor& cursor, ProfileAst& profile);

// Parses a whole file. Diagnostics go to the sink; what could be understood is returned.
SourceFile ParseSource(std::string path, std::string_view text, DiagnosticSink& sink);

}  // namespace assay
