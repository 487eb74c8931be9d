// SPDX-License-Identifier: Apache-2.0
//
// Expressions by recursive descent, one level of precedence per function, and the fixed phrases of
// relations. Depth and number of nodes are bounded, so that no text can exhaust the stack.
#include <algorithm>
#include <optional>
#include <utility>

#include "contracts/language/cursor.h"

namespace assay {
namespace {

class ExpressionParser {
 public:
  ExpressionParser(Cursor& cursor, ExprPool& pool) : cursor_(cursor), pool_(pool) {}

  int Disjunction() {
    int left = Conjunction();
    while (Word("or")) left = Add(ExprOp::kOr, Span2(left), {left, Conjunction()});
    return left;
  }

  // Sample: "a, b, c <= limit" says it of each.
  int Condition() {
    int first = Disjunction();
    if (!cursor_.IsSymbol(",")) return first;
    std::vector<int> subjects = {first};
    while (cursor_.Accept(",")) subjects.push_back(Sum());
    // The last of the list was parsed as a sum, so the comparison is still ahead.
    const std::optional<ExprOp> op = Comparison();
    if (!op) {
      cursor_.Fail("a list of quantities needs a comparison", "<=, <, >=, > or =");
      return Hole();
    }
    const int limit = Sum();
    int all = -1;
    for (int subject : subjects) {
      const int one = Add(*op, pool_[subject].at, {subject, limit});
      all = all < 0 ? one : Add(ExprOp::kAnd, pool_[one].at, {all, one});
    }
    return all;
  }

 private:
  struct Nest {
    explicit Nest(int& depth) : depth(depth) { ++depth; }
    ~Nest() { --depth; }
    int& depth;
  };

  int Hole() { return Add(ExprOp::kError, cursor_.Here().at, {}); }
  Span Span2(int left) const { return pool_[left].at; }

  int Add(ExprOp op, Span at, std::vector<int> args) {
    Expr expr;
    expr.op = op;
    expr.at = at;
    expr.args = std::move(args);
    pool_.push_back(std::move(expr));
    return static_cast<int>(pool_.size()) - 1;
  }

  bool Word(std::string_view text) { return cursor_.IsName(text) && cursor_.Accept(text); }

  int Conjunction() {
    int left = Negation();
    while (Word("and")) left = Add(ExprOp::kAnd, Span2(left), {left, Negation()});
    return left;
  }

  int Negation() {
    const Span at = cursor_.Here().at;
    bool negated = false;
    while (Word("not")) negated = !negated;
    const int operand = Compare();
    return negated ? Add(ExprOp::kNot, at, {operand}) : operand;
  }

  std::optional<ExprOp> Comparison() {
    static constexpr std::pair<std::string_view, ExprOp> kOps[] = {
        {"<", ExprOp::kLess},  {"<=", ExprOp::kLessEqual},    {">", ExprOp::kGreater},
        {"=", ExprOp::kEqual}, {">=", ExprOp::kGreaterEqual}, {"!=", ExprOp::kNotEqual}};
    for (const auto& [text, op] : kOps) {
      if (cursor_.IsSymbol(text) && cursor_.Accept(text)) return op;
    }
    return std::nullopt;
  }

  int Compare() {
    const int left = Sum();
    if (Word("in")) return Membership(left);
    const Span at = cursor_.Here().at;
    const std::optional<ExprOp> op = Comparison();
    if (!op) return left;
    return Add(*op, at, {left, Sum()});
  }

  int Membership(int left) {
    std::vector<int> args = {left};
    if (!cursor_.Expect("{")) return Hole();
    do {
      const Span at = cursor_.Here().at;
      ::assay::Word label;
      if (!cursor_.ExpectName(label, "a label")) return Hole();
      const int item = Add(ExprOp::kName, at, {});
      pool_[item].text = label.text;
      args.push_back(item);
    } while (cursor_.Accept(","));
    if (!cursor_.Expect("}")) return Hole();
    return Add(ExprOp::kIn, Span2(left), std::move(args));
  }

  int Sum() {
    int left = Product();
    while (true) {
      const Span at = cursor_.Here().at;
      if (cursor_.Accept("+")) {
        left = Add(ExprOp::kAdd, at, {left, Product()});
      } else if (cursor_.Accept("-")) {
        left = Add(ExprOp::kSubtract, at, {left, Product()});
      } else {
        return left;
      }
    }
  }

  int Product() {
    int left = Power();
    while (true) {
      const Span at = cursor_.Here().at;
      if (cursor_.Accept("*")) {
        left = Add(ExprOp::kMultiply, at, {left, Power()});
      } else if (cursor_.Accept("/")) {
        left = Add(ExprOp::kDivide, at, {left, Power()});
      } else {
        return left;
      }
    }
  }

  int Power() {
    const Span minus = cursor_.Here().at;
    bool negative = false;
    while (cursor_.Accept("-")) negative = !negative;
    int base = Primary();
    const Span at = cursor_.Here().at;
    if (cursor_.Accept("^")) {
      const Span sign_at = cursor_.Here().at;
      const bool down = cursor_.Accept("-");
      int exponent = Primary();
      if (down) exponent = Add(ExprOp::kNegate, sign_at, {exponent});
      base = Add(ExprOp::kPower, at, {base, exponent});
    }
    return negative ? Add(ExprOp::kNegate, minus, {base}) : base;
  }

  int Primary() {
    const Nest nest(depth_);
    const Token token = cursor_.Here();
    if (depth_ > kMaxExpressionDepth || static_cast<int>(pool_.size()) > kMaxExpressionNodes) {
      if (!too_deep_) cursor_.Fail("this expression is too large", "fewer levels of parentheses");
      too_deep_ = true;
      cursor_.SkipPart();
      return Hole();
    }
    if (cursor_.AtPart() || cursor_.AtEnd()) return Missing();
    if (token.kind == TokenKind::kNumber) {
      cursor_.Take();
      const int number = Add(ExprOp::kNumber, token.at, {});
      pool_[number].number = token.number;
      return number;
    }
    if (token.kind == TokenKind::kName) return NameOrCall(token);
    if (cursor_.Accept("(")) {
      const int inner = Disjunction();
      return Close(")") ? inner : Hole();
    }
    if (cursor_.Accept("|")) {
      const int inner = Sum();
      return Close("|") ? Add(ExprOp::kAbs, token.at, {inner}) : Hole();
    }
    return Missing();
  }

  int Missing() {
    if (!too_deep_) cursor_.Fail("an operand is missing", "a number, a name or '('");
    return Hole();
  }

  bool Close(std::string_view text) { return !too_deep_ && cursor_.Expect(text); }

  // by input { f16: 2, bf16: 2, else: 1 }
  int Map(const Token& token) {
    std::vector<int> args = {Label()};
    if (!cursor_.Expect("{")) return Hole();
    do {
      args.push_back(Label());
      if (!cursor_.Expect(":")) return Hole();
      args.push_back(Sum());
    } while (cursor_.Accept(","));
    if (!Close("}")) return Hole();
    return Add(ExprOp::kBy, token.at, std::move(args));
  }

  // A name that stands for itself; the checker knows which ones may stand here.
  int Label() {
    const Span at = cursor_.Here().at;
    ::assay::Word label;
    if (!cursor_.ExpectName(label, "a name")) return Hole();
    const int node = Add(ExprOp::kName, at, {});
    pool_[node].text = label.text;
    return node;
  }

  int Capability(const Token& token) {
    const int label = Label();
    const int node = Add(ExprOp::kHas, token.at, {});
    pool_[node].text = pool_[label].text;
    pool_[node].at = pool_[label].at;
    return node;
  }

  int NameOrCall(const Token& token) {
    cursor_.Take();
    if (cursor_.Here().kind == TokenKind::kName && !cursor_.AtPart()) {
      if (token.text == "by") return Map(token);
      if (token.text == "has") return Capability(token);
    }
    const bool call = cursor_.IsSymbol("(") && !cursor_.Here().first_on_line;
    std::vector<int> args;
    if (call) {
      cursor_.Accept("(");
      if (!cursor_.IsSymbol(")")) {
        do {
          args.push_back(Sum());
        } while (cursor_.Accept(","));
      }
      if (!Close(")")) return Hole();
    }
    const int node = Add(call ? ExprOp::kCall : ExprOp::kName, token.at, std::move(args));
    pool_[node].text = token.text;
    return node;
  }

  Cursor& cursor_;
  ExprPool& pool_;
  int depth_ = 0;
  bool too_deep_ = false;
};

// The relations as they are written, token by token.
struct Phrase {
  Relation relation;
  std::string_view text;
};
constexpr Phrase kPhrases[] = {
    {Relation::kImage, "out in image ( output , truth , tolerance )"},
    {Relation::kFinite, "finite ( out ) where finite ( truth )"},
    {Relation::kNonZero, "nonzero ( out ) where abs ( truth ) > tolerance + omega"},
    {Relation::kClass, "class ( out ) in legal"},
    {Relation::kWritten, "written ( out )"},
    {Relation::kIndexPolicy, "policy ( out_of_bounds ) as declared"},
    {Relation::kNanPolicy, "policy ( nan ) as declared"},
    {Relation::kGuards, "untouched ( guards )"},
    {Relation::kOperands, "untouched ( operands )"},
    {Relation::kChoice, "choice ( out ) is legal"},
    {Relation::kRuns, "runs agree as declared"},
    {Relation::kSchedules, "schedules agree"},
    {Relation::kSameInBatch, "invariant ( batch ) where declared"},
    {Relation::kSameOnThreads, "invariant ( threads ) where declared"},
    {Relation::kSameWhenMoved, "invariant ( alignment ) where declared"},
    {Relation::kSameOnRanks, "invariant ( ranks ) where declared"},
    {Relation::kSameOnSchedules, "invariant ( schedules ) where declared"},
    {Relation::kScales, "scales agree"},
    {Relation::kSubnormals, "subnormals ( out ) as declared"},
    {Relation::kAlike, "alike ( out ) where truths are"},
    {Relation::kDivisionPolicy, "policy ( integer_division ) as declared"},
};
static_assert(std::size(kPhrases) == kRelationCount);

std::vector<std::string_view> WordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const size_t space = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, space));
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return words;
}

}  // namespace

int ParseExpression(Cursor& cursor, ExprPool& pool) {
  return ExpressionParser(cursor, pool).Disjunction();
}

int ParseCondition(Cursor& cursor, ExprPool& pool) {
  return ExpressionParser(cursor, pool).Condition();
}

std::string TextOf(Relation relation) {
  std::string text;
  for (std::string_view word : WordsOf(kPhrases[static_cast<int>(relation)].text)) {
    const bool glued =
        text.empty() || text.back() == '(' || word == "(" || word == ")" || word == ",";
    text += glued ? "" : " ";
    text += word;
  }
  return text;
}

bool ParseRelation(Cursor& cursor, Relation& relation) {
  std::vector<Phrase> left(std::begin(kPhrases), std::end(kPhrases));
  for (size_t position = 0;; ++position) {
    std::vector<Phrase> fitting;
    std::vector<std::string_view> next;
    for (const Phrase& phrase : left) {
      const std::vector<std::string_view> words = WordsOf(phrase.text);
      if (position == words.size()) {
        relation = phrase.relation;
        return true;
      }
      if (std::find(next.begin(), next.end(), words[position]) == next.end()) {
        next.push_back(words[position]);
      }
      if (!cursor.AtPart() && cursor.Here().text == words[position]) fitting.push_back(phrase);
    }
    if (fitting.empty()) {
      cursor.Fail(
          position == 0 ? "no relation begins like this" : "this relation goes on otherwise",
          JoinNames(next), NearestName(cursor.Here().text, next));
      return false;
    }
    cursor.Take();
    left = std::move(fitting);
  }
}

}  // namespace assay
