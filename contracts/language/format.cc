// SPDX-License-Identifier: Apache-2.0
#include "contracts/language/format.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "contracts/language/cursor.h"
#include "contracts/language/names.h"

namespace assay {
namespace {

constexpr int kPartIndent = 2;
constexpr int kItemIndent = 17;  // two blanks, the longest part keyword, two more
constexpr int kKeyWidth = 15;    // of the first word of a part or declaration
constexpr int kScopeWidth = 10;  // of "operators", "inputs" and "layouts"
constexpr int kStep = 2;         // of a line that goes on, and of each open parenthesis

// Words after which an operand begins, so that a minus or a bar there has none before it.
bool IsConnective(std::string_view word) {
  static constexpr std::string_view kWords[] = {
      "and", "or", "not", "when", "from", "in", "over", "at", "into", "for", "by", "has", "where"};
  return Contains(kWords, word);
}

struct Line {
  std::vector<Token> tokens;
  std::string_view comment;
};

std::vector<Line> LinesOf(std::string_view text, const std::vector<Token>& tokens) {
  std::vector<Line> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    lines.emplace_back();
    bool quoted = false;
    for (size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"') quoted = !quoted;
      if (quoted || line.substr(i, 2) != "--") continue;
      lines.back().comment = line.substr(i, line.find_last_not_of(" \t\r") + 1 - i);
      break;
    }
    begin = end + 1;
  }
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::kEnd) {
      lines[static_cast<size_t>(token.at.line) - 1].tokens.push_back(token);
    }
  }
  return lines;
}

class Formatter {
 public:
  Formatter(std::vector<Line> lines, const std::vector<LayoutMark>& marks)
      : lines_(std::move(lines)), marks_(marks) {}

  std::string Run() && {
    std::vector<int> indents(lines_.size(), 0);
    std::vector<std::string> bodies(lines_.size());
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i].tokens.empty()) continue;
      indents[i] = IndentOf(lines_[i].tokens.front());
      bodies[i] = BodyOf(i);
    }
    // A comment on a line of its own stands where the next line with words does.
    for (size_t i = lines_.size(); i-- > 0;) {
      if (lines_[i].tokens.empty()) indents[i] = i + 1 < lines_.size() ? indents[i + 1] : 0;
    }
    return Joined(indents, bodies);
  }

 private:
  std::string Joined(const std::vector<int>& indents, const std::vector<std::string>& bodies) {
    std::string text;
    bool blank = false;
    for (size_t i = 0; i < lines_.size(); ++i) {
      const std::string_view comment = lines_[i].comment;
      if (bodies[i].empty() && comment.empty()) {
        blank = !text.empty();
        continue;
      }
      if (std::exchange(blank, false)) text += '\n';
      text += std::string(static_cast<size_t>(indents[i]), ' ') + bodies[i];
      if (!bodies[i].empty() && !comment.empty()) text += "  ";
      text += comment;
      text += '\n';
    }
    return text;
  }

  const LayoutMark* MarkAt(const Token& token) const {
    for (const LayoutMark& mark : marks_) {
      if (mark.at.line == token.at.line && mark.at.column == token.at.column) return &mark;
    }
    return nullptr;
  }

  int IndentOf(const Token& first) {
    const LayoutMark* mark = MarkAt(first);
    if (mark == nullptr) return level_ + kStep * (1 + std::max(0, depth_));
    depth_ = 0;
    if (mark->level == LayoutLevel::kTop) return level_ = 0;
    level_ = mark->level == LayoutLevel::kItem ? kItemIndent : kPartIndent;
    return level_;
  }

  // The words of a line with what stands between them.
  std::string BodyOf(size_t line) {
    const std::vector<Token>& tokens = lines_[line].tokens;
    std::string body;
    size_t pad_to = 0;
    for (size_t i = 0; i < tokens.size(); ++i) {
      const LayoutMark* mark = MarkAt(tokens[i]);
      if (i > 0 && pad_to > 0) {
        body.resize(std::max(body.size() + 1, pad_to), ' ');
      } else if (i > 0 && Spaced(tokens[i])) {
        body += ' ';
      }
      pad_to = 0;
      if (mark != nullptr) pad_to = Enter(*mark, tokens, i, body.size());
      body += tokens[i].kind == TokenKind::kString ? '"' + std::string(tokens[i].text) + '"'
                                                   : std::string(tokens[i].text);
      Pass(tokens[i]);
    }
    return body;
  }

  // Notes what begins at a marked token. How far its word is padded, counted in the line; 0: not.
  size_t Enter(const LayoutMark& mark, const std::vector<Token>& tokens, size_t i, size_t column) {
    const std::string_view word = tokens[i].text;
    depth_ = 0;
    operand_ = false;
    if (mark.level == LayoutLevel::kTop) {
      level_ = 0;
      profile_ = word == "profile";
      part_ = {};
      return 0;
    }
    if (mark.level == LayoutLevel::kPart) {
      level_ = kPartIndent;
      part_ = word;
      return kKeyWidth;
    }
    level_ = kItemIndent;
    if (part_ == "scope") return column + kScopeWidth;
    if (part_ != "violation") return 0;
    const bool with_when = i + 1 < tokens.size() && tokens[i + 1].text == "when";
    return with_when ? column + LongestViolation(mark) + 1 : 0;
  }

  // Of the part that holds the mark: the names stand in one column.
  size_t LongestViolation(const LayoutMark& mark) const {
    const auto here = static_cast<size_t>(&mark - marks_.data());
    size_t first = here, last = here;
    while (first > 0 && marks_[first - 1].level == LayoutLevel::kItem) --first;
    while (last + 1 < marks_.size() && marks_[last + 1].level == LayoutLevel::kItem) ++last;
    size_t longest = 0;
    for (size_t i = first; i <= last; ++i) {
      for (const Token& token : lines_[static_cast<size_t>(marks_[i].at.line) - 1].tokens) {
        if (token.at.column == marks_[i].at.column) longest = std::max(longest, token.text.size());
      }
    }
    return longest;
  }

  bool Is(const Token& token, std::string_view symbols) const {
    return token.kind == TokenKind::kSymbol && token.text.size() == 1 &&
           symbols.find(token.text[0]) != symbols.npos;
  }

  // Whether a blank stands between the token passed last and this one.
  bool Spaced(const Token& token) const {
    if (Is(token, "),;:}]")) return false;
    if (glued_ && !(Is(token, "-") && Is(last_, "-"))) return false;  // "- -x" is no comment
    if (Is(token, "|") && operand_) return false;
    if (Is(token, "(")) return !operand_ || last_.kind != TokenKind::kName;
    const bool property = last_.text == "block" || last_.text == "guard";
    return !(profile_ && Is(token, "=") && property);
  }

  void Pass(const Token& token) {
    const bool opens = Is(token, "({[");
    const bool unary = Is(token, "+-") && !operand_;
    const bool opening_bar = Is(token, "|") && !operand_;
    glued_ = opens || unary || opening_bar || (profile_ && Is(token, "=") && after_property_);
    after_property_ = token.text == "block" || token.text == "guard";
    if (opens) ++depth_;
    if (Is(token, ")}]")) --depth_;
    operand_ = Is(token, ")}]") || (Is(token, "|") && operand_) ||
               (token.kind != TokenKind::kSymbol &&
                !(token.kind == TokenKind::kName && IsConnective(token.text)));
    last_ = token;
  }

  std::vector<Line> lines_;
  const std::vector<LayoutMark>& marks_;
  int level_ = 0, depth_ = 0;
  bool profile_ = false, operand_ = false, glued_ = false, after_property_ = false;
  std::string_view part_;
  Token last_;
};

}  // namespace

Result<std::string> FormatSource(const std::string& path, std::string_view text) {
  DiagnosticSink sink(path, text);
  const SourceFile file = ParseSource(path, text, sink);
  if (!sink.found().empty()) {
    std::string all;
    for (const Diagnostic& diagnostic : sink.found()) {
      all += (all.empty() ? "" : "\n") + diagnostic.Text();
    }
    return Error{"", all, ""};
  }
  return Formatter(LinesOf(text, Lex(text, sink)), file.layout).Run();
}

}  // namespace assay
