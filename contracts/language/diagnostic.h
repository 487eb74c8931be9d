// SPDX-License-Identifier: Apache-2.0
//
// One complaint about a contract or profile file: where, what, what would be right, and the line
// with a caret. Diagnostics are what an author of contracts sees of this project. Depends on
// nothing else.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

// A piece of one source line. Lines and columns count from 1, columns in bytes.
struct Span {
  int line = 1;
  int column = 1;
  int length = 1;
};

struct Diagnostic {
  std::string file;
  Span at;
  std::string message;     // what is wrong, a clause without a full stop
  std::string expected;    // what would be right; may be empty
  std::string suggestion;  // a name the author may have meant; may be empty
  std::string source;      // the line it points into
  bool warning = false;    // allowed, but says nothing or not what it seems to

  // Several lines, the last without a newline:
  //   file:line:column: error: message    (or warning:)
  //      12 | the source line
  //         |     ^~~~
  //     expected ...; did you mean '...'?
  std::string Text() const;
};

// The complaints about one file, in the order they were found; at most kMaxDiagnostics are kept, so
// that a file of garbage gives a page and not a book. The text must outlive the sink.
inline constexpr int kMaxDiagnostics = 40;
class DiagnosticSink {
 public:
  DiagnosticSink(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {}

  void Report(Span at, std::string message, std::string expected = "", std::string suggestion = "");
  void Warn(Span at, std::string message, std::string expected = "", std::string suggestion = "");
  bool full() const { return static_cast<int>(found_.size()) >= kMaxDiagnostics; }
  const std::vector<Diagnostic>& found() const { return found_; }

 private:
  std::string file_;
  std::string_view text_;
  std::vector<Diagnostic> found_;
};

// The candidate nearest to `name` by edits, if it is near enough to be a slip of the hand; else "".
std::string NearestName(std::string_view name, std::span<const std::string_view> candidates);
// "a, b or c"; of a long list its beginning and how many more there are.
std::string JoinNames(std::span<const std::string_view> names);

}  // namespace assay
