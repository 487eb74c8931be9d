// SPDX-License-Identifier: Apache-2.0
//
// A profile: one declaration per line, "KEY [SELECTORS ->] VALUE from "source"".
#include <cmath>
#include <utility>

#include "contracts/language/cursor.h"
#include "contracts/language/names.h"

namespace assay {
namespace {

class ProfileParser {
 public:
  ProfileParser(Cursor& cursor, ProfileAst& profile) : cursor_(cursor), profile_(profile) {}

  void Run() {
    if (!cursor_.ExpectName(profile_.name, "the name of a profile")) return;
    cursor_.FinishItem();
    if (cursor_.AtTop() || cursor_.AtEnd()) {
      cursor_.Fail("the profile '" + profile_.name.text + "' declares nothing",
                   "at least one declaration");
      return;
    }
    while (!cursor_.AtEnd() && !cursor_.AtTop() && !cursor_.sink().full()) {
      Declaration();
      while (!cursor_.AtEnd() && !cursor_.Here().first_on_line) cursor_.Take();
    }
  }

 private:
  void Declaration() {
    cursor_.Mark(LayoutLevel::kPart);
    const Token key = cursor_.Take();
    const std::optional<DeclarationKey> known = ParseDeclarationKey(key.text);
    if (key.kind != TokenKind::kName || !known) {
      cursor_.sink().Report(key.at, "nothing is declared by '" + std::string(key.text) + "'",
                            JoinNames(DeclarationKeys()), NearestName(key.text, DeclarationKeys()));
      return;
    }
    DeclarationAst declaration;
    declaration.key = *known;
    declaration.at = key.at;
    if (!Selectors(declaration) || !Value(declaration)) return;
    std::vector<Word> others;  // "invariance batch, threads" declares two
    while (*known == DeclarationKey::kInvariance && cursor_.Accept(",")) {
      DeclarationAst other = declaration;
      if (!Label(other)) return;
      others.push_back(other.label);
    }
    if (*known == DeclarationKey::kRelaxation && !Lets(declaration)) return;
    if (*known != DeclarationKey::kInherits && !Source(declaration)) return;
    if (!cursor_.AtItemEnd()) {
      cursor_.Fail("this does not belong to the declaration", "the end of the line");
    }
    for (Word& other : others) {
      profile_.declarations.push_back(declaration);
      profile_.declarations.back().label = std::move(other);
    }
    profile_.declarations.push_back(std::move(declaration));
  }

  bool Lets(DeclarationAst& declaration) {
    if (!cursor_.IsName("lets") || !cursor_.Accept("lets")) {
      cursor_.Fail("a relaxation says what it lets through", "lets \"what\"");
      return false;
    }
    return cursor_.ExpectString(declaration.lets, "what is let through");
  }

  // Names that stand before "->", if there is one; otherwise the names are left alone.
  bool Selectors(DeclarationAst& declaration) {
    if (!cursor_.LineHolds("->")) return true;
    while (!cursor_.IsSymbol("->")) {
      if (cursor_.Here().kind != TokenKind::kName) {
        cursor_.Fail("only operators and types stand before '->'",
                     "the name of an operator or type");
        return false;
      }
      Word word{std::string(cursor_.Here().text), cursor_.Here().at};
      cursor_.Take();
      if (!IsOperatorOrType(word.text)) {
        cursor_.sink().Report(word.at, "no operator and no type is called '" + word.text + "'",
                              "the name of an operator or type", NearestOperatorOrType(word.text));
        return false;
      }
      declaration.selectors.push_back(std::move(word));
      cursor_.Accept(",");
    }
    cursor_.Accept("->");
    return true;
  }

  bool Value(DeclarationAst& declaration) {
    switch (declaration.key) {
      case DeclarationKey::kUlpLimit:
      case DeclarationKey::kUlpLimitExp:
      case DeclarationKey::kKappa:
      case DeclarationKey::kTiles:
      case DeclarationKey::kUlpLimitLog:
      case DeclarationKey::kUlpLimitRsqrt:
      case DeclarationKey::kErrorFloor:
      case DeclarationKey::kArgumentLimit:
        return Number(declaration.number);
      case DeclarationKey::kOverread:
        return Number(declaration.number) && cursor_.Expect("bytes");
      case DeclarationKey::kAccumulator:
        return Accumulator(declaration);
      default:
        return Label(declaration);
    }
  }

  bool Number(double& number) {
    if (cursor_.Here().kind != TokenKind::kNumber || cursor_.Here().first_on_line) {
      cursor_.Fail("a number is missing", "a number");
      return false;
    }
    number = cursor_.Take().number;
    return true;
  }

  bool Whole(int& number) {
    const Token token = cursor_.Here();
    double value = 0;
    if (!cursor_.Expect("=") || !Number(value)) return false;
    if (value != std::floor(value) || value > 4096) {
      cursor_.sink().Report(token.at, "this is no number of products or bits",
                            "a whole number up to 4096");
      return false;
    }
    number = static_cast<int>(value);
    return true;
  }

  // FORMAT [rz] [block=N] [guard=N]
  bool Accumulator(DeclarationAst& declaration) {
    if (!Label(declaration)) return false;
    while (!cursor_.AtItemEnd() && !cursor_.IsName("from")) {
      if (cursor_.Accept("rz")) {
        declaration.truncates = true;
      } else if (cursor_.IsName("block") && cursor_.Accept("block")) {
        if (!Whole(declaration.block)) return false;
      } else if (cursor_.IsName("guard") && cursor_.Accept("guard")) {
        if (!Whole(declaration.guard)) return false;
      } else {
        cursor_.Fail("an accumulator has no such property", "'rz', 'block=N' or 'guard=N'");
        return false;
      }
    }
    return true;
  }

  bool Label(DeclarationAst& declaration) {
    if (!cursor_.ExpectName(declaration.label, "a value")) return false;
    const std::span<const std::string_view> labels = LabelsOf(declaration.key);
    if (!labels.empty() && !Contains(labels, declaration.label.text)) {
      cursor_.sink().Report(declaration.label.at,
                            "'" + declaration.label.text + "' is none of the values of this key",
                            JoinNames(labels), NearestName(declaration.label.text, labels));
      return false;
    }
    if (declaration.key == DeclarationKey::kOutOfBounds && declaration.label.text == "FILL") {
      return cursor_.Expect("(") && Number(declaration.number) && cursor_.Expect(")");
    }
    return true;
  }

  bool Source(DeclarationAst& declaration) {
    if (!cursor_.IsName("from") || !cursor_.Accept("from")) {
      cursor_.Fail("a declaration names where it is promised", "from \"source\"");
      return false;
    }
    return cursor_.ExpectString(declaration.source, "the source");
  }

  Cursor& cursor_;
  ProfileAst& profile_;
};

}  // namespace

void ParseProfile(Cursor& cursor, ProfileAst& profile) { ProfileParser(cursor, profile).Run(); }

}  // namespace assay
