// SPDX-License-Identifier: Apache-2.0
//
// The eight parts of a contract (and its primitive). A part that cannot be understood is reported
// and skipped to the next one, so that one run shows every mistake.
#include <array>
#include <utility>

#include "contracts/language/cursor.h"

namespace assay {
namespace {

constexpr int kPartCount = static_cast<int>(std::size(kPartKeywords));
// Positions in kPartKeywords.
constexpr int kPrimitivePart = 0, kScopePart = 1, kPreconditionPart = 2, kPostconditionPart = 3,
              kTolerancePart = 4, kReferencePart = 5, kMeasurePart = 6, kViolationPart = 7;

class ContractParser {
 public:
  ContractParser(Cursor& cursor, ContractAst& contract) : cursor_(cursor), contract_(contract) {}

  void Run() {
    if (!Heading()) return;
    const int indent = cursor_.Here().at.column;
    if (!cursor_.AtTop() && !cursor_.AtEnd()) cursor_.set_part_column(indent);
    while (!cursor_.AtEnd() && !cursor_.AtTop() && !cursor_.sink().full()) Part();
    for (int part = 0; part < kPartCount; ++part) {
      if (seen_[part]) continue;
      cursor_.sink().Report(
          contract_.id.at,
          contract_.id.text + " has no part '" + std::string(kPartKeywords[part]) + "'",
          "all eight parts and the primitive: none may be left out");
    }
  }

 private:
  bool Heading() {
    const Token& id = cursor_.Here();
    if (id.kind != TokenKind::kContractId) {
      cursor_.Fail("a contract begins with its identifier", "one such as C-PRC-01");
      return false;
    }
    contract_.id = {std::string(id.text), id.at};
    cursor_.Take();
    cursor_.ExpectString(contract_.title, "the title");
    cursor_.FinishItem();
    return true;
  }

  void Part() {
    const Token keyword = cursor_.Here();
    for (int part = 0; part < kPartCount; ++part) {
      if (keyword.text != kPartKeywords[part]) continue;
      cursor_.Mark(LayoutLevel::kPart);
      cursor_.Take();
      if (seen_[part]) {
        cursor_.sink().Report(keyword.at, "a second '" + std::string(keyword.text) + "'",
                              "each part once");
      }
      seen_[part] = true;
      if (part == kTolerancePart) contract_.has_tolerance = true;
      if (cursor_.AtPart()) {
        cursor_.Fail("the part '" + std::string(keyword.text) + "' is empty", "at least one line");
      } else {
        Body(part);
      }
      cursor_.SkipPart();
      return;
    }
    cursor_.sink().Report(keyword.at, "no part is called '" + std::string(keyword.text) + "'",
                          JoinNames(kPartKeywords), NearestName(keyword.text, kPartKeywords));
    MarkMisspelt(NearestName(keyword.text, kPartKeywords));
    cursor_.Take();
    cursor_.SkipPart();
  }

  // A part whose keyword is misspelt is not also missing.
  void MarkMisspelt(const std::string& meant) {
    for (int part = 0; part < kPartCount; ++part) {
      if (meant == kPartKeywords[part]) seen_[part] = true;
    }
  }

  void Body(int part) {
    const bool one_item = part == kPrimitivePart || part == kReferencePart;
    if (one_item || cursor_.IsName("as") || cursor_.IsName("none")) {
      cursor_.Mark(LayoutLevel::kItem);
    }
    if (part == kPrimitivePart) return Primitive();
    if (part == kReferencePart) return Reference();
    if (part == kTolerancePart && Accepted("as")) return ToleranceAs();
    if ((part == kPreconditionPart || part == kTolerancePart) && Accepted("none")) {
      return cursor_.FinishItem();
    }
    while (!cursor_.AtPart() && !cursor_.sink().full()) {
      const Span before = cursor_.Here().at;
      cursor_.Mark(LayoutLevel::kItem);
      Item(part);
      cursor_.FinishItem();
      const Span after = cursor_.Here().at;
      if (after.line == before.line && after.column == before.column) cursor_.Take();
    }
  }

  bool Accepted(std::string_view name) { return cursor_.IsName(name) && cursor_.Accept(name); }

  void Item(int part) {
    if (part == kScopePart) Scope();
    if (part == kPreconditionPart) Precondition();
    if (part == kPostconditionPart) Clause();
    if (part == kTolerancePart) Tolerance();
    if (part == kMeasurePart) ParseMeasure(cursor_, contract_);
    if (part == kViolationPart) Violation();
  }

  void Primitive() {
    cursor_.ExpectName(contract_.primitive, "the name of a primitive");
    cursor_.FinishItem();
  }

  void Reference() {
    cursor_.ExpectName(contract_.reference, "the kind of reference");
    std::string source;
    if (Accepted("from")) cursor_.ExpectString(source, "the source");
    cursor_.FinishItem();
  }

  void ToleranceAs() {
    do {
      const Token id = cursor_.Here();
      if (id.kind != TokenKind::kContractId) {
        cursor_.Fail("the identifier of a contract is missing", "one such as C-PRC-01");
        break;
      }
      contract_.tolerance_as.push_back({std::string(id.text), id.at});
      cursor_.Take();
    } while (cursor_.Accept(","));
    cursor_.FinishItem();
  }

  void Scope() {
    static constexpr std::string_view kLines[] = {"operators", "inputs", "layouts"};
    Word line;
    if (!cursor_.ExpectName(line, "'operators', 'inputs' or 'layouts'")) return cursor_.SkipItem();
    std::vector<Word> names = cursor_.ExpectNames("a name");
    if (line.text == "operators") {
      contract_.operators = std::move(names);
    } else if (line.text == "inputs") {
      contract_.inputs = std::move(names);
    } else if (line.text != "layouts" || names.size() != 1 || names[0].text != "any") {
      cursor_.sink().Report(line.at, "a scope has no line '" + line.text + "' like this",
                            "'operators NAMES', 'inputs TYPES' or 'layouts any'",
                            NearestName(line.text, kLines));
    }
  }

  // "for NAMES [when CONDITION] :", or nothing.
  Selector ParseSelector() {
    Selector selector;
    if (!Accepted("for")) return selector;
    selector.names = cursor_.ExpectNames("the name of an operator");
    if (Accepted("when")) selector.when = ParseExpression(cursor_, contract_.pool);
    cursor_.Expect(":");
    return selector;
  }

  void Precondition() {
    PreconditionAst precondition;
    precondition.selector = ParseSelector();
    if (Exactly(precondition)) return;
    precondition.condition = ParseCondition(cursor_, contract_.pool);
    contract_.preconditions.push_back(std::move(precondition));
  }

  // "exactly N index outside" and "at most N index outside": outside_count = N, <= N.
  bool Exactly(PreconditionAst& precondition) {
    const Span at = cursor_.Here().at;
    ExprOp op = ExprOp::kEqual;
    if (Accepted("at")) {
      if (!cursor_.Expect("most")) return true;
      op = ExprOp::kLessEqual;
    } else if (!Accepted("exactly")) {
      return false;
    }
    const double count = cursor_.Here().number;
    if (cursor_.Here().kind != TokenKind::kNumber) {
      cursor_.Fail("a number of indices is missing", "a number");
      return true;
    }
    cursor_.Take();
    if (!cursor_.Expect("index") || !cursor_.Expect("outside")) return true;
    ExprPool& pool = contract_.pool;
    const int first = static_cast<int>(pool.size());
    pool.push_back({ExprOp::kName, at, "outside_count", 0, {}, ExprType::kUnknown, Rate::kCase});
    pool.push_back({ExprOp::kNumber, at, "", count, {}, ExprType::kUnknown, Rate::kCase});
    pool.push_back({op, at, "", 0, {first, first + 1}, ExprType::kUnknown, Rate::kCase});
    precondition.condition = first + 2;
    contract_.preconditions.push_back(std::move(precondition));
    return true;
  }

  // NAME [for NAMES] [when CONDITION] [unless relaxed NAMES] : [each element :] RELATION {,
  // RELATION}
  void Clause() {
    ClauseAst clause;
    if (!cursor_.ExpectName(clause.name, "the name of a clause")) return cursor_.SkipItem();
    if (Accepted("for")) clause.selector.names = cursor_.ExpectNames("the name of an operator");
    if (Accepted("when")) clause.selector.when = ParseExpression(cursor_, contract_.pool);
    if (Accepted("unless")) {
      if (!cursor_.Expect("relaxed")) return Abandon(std::move(clause));
      clause.unless = cursor_.ExpectNames("the name of a relaxation");
    }
    if (!cursor_.Expect(":")) return Abandon(std::move(clause));
    if (Accepted("each") && !(cursor_.Expect("element") && cursor_.Expect(":"))) {
      return Abandon(std::move(clause));
    }
    bool more = !cursor_.AtItemEnd();  // an empty clause is the checker's to refuse
    while (more) {
      Relation relation;
      if (!ParseRelation(cursor_, relation)) return Abandon(std::move(clause));
      clause.relations.push_back(relation);
      more = cursor_.Accept(",");
    }
    contract_.clauses.push_back(std::move(clause));
  }

  // Kept with what was understood, so that what follows is checked against the right clauses.
  void Abandon(ClauseAst clause) {
    clause.relations.push_back(Relation::kImage);
    clause.relations.push_back(Relation::kClass);
    contract_.clauses.push_back(std::move(clause));
    cursor_.SkipItem();
  }

  void Tolerance() {
    ToleranceAst rule;
    rule.at = cursor_.Here().at;
    const size_t before = cursor_.sink().found().size();
    rule.selector = ParseSelector();
    rule.bound = ParseExpression(cursor_, contract_.pool);
    if (!cursor_.IsName("from")) {
      if (cursor_.sink().found().size() == before) {
        cursor_.Fail("a tolerance names where it comes from", "from \"source\"");
      }
      SkipToSource();
    }
    if (Accepted("from")) cursor_.ExpectString(rule.source, "the source");
    contract_.tolerances.push_back(std::move(rule));
  }

  // What follows a formula that was not understood belongs to it up to its source.
  void SkipToSource() {
    while (!cursor_.AtPart() && !cursor_.IsName("from") &&
           !(cursor_.Here().first_on_line && cursor_.IsName("for"))) {
      cursor_.Take();
    }
  }

  // NAME when ratio > 1, NAME when not RELATION
  void Violation() {
    ViolationAst violation;
    if (!cursor_.ExpectName(violation.name, "the name of a violation") || !cursor_.Expect("when")) {
      return cursor_.SkipItem();
    }
    if (Accepted("ratio")) {
      violation.by_ratio = true;
      if (!cursor_.Expect(">")) return cursor_.SkipItem();
      if (cursor_.Here().text != "1")
        cursor_.Fail("a ratio violates beyond 1 and never before", "1");
      cursor_.Take();
    } else if (!cursor_.Expect("not") || !ParseRelation(cursor_, violation.relation)) {
      return cursor_.SkipItem();
    }
    contract_.violations.push_back(std::move(violation));
  }

  Cursor& cursor_;
  ContractAst& contract_;
  std::array<bool, kPartCount> seen_{};
};

}  // namespace

void ParseContract(Cursor& cursor, ContractAst& contract) {
  ContractParser(cursor, contract).Run();
}

}  // namespace assay
