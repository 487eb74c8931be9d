// SPDX-License-Identifier: Apache-2.0
//
// Text to tokens. Total: every byte string gives tokens and perhaps diagnostics, and the last token
// is kEnd. Tokens view the text, which must outlive them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "contracts/language/diagnostic.h"

namespace assay {

enum class TokenKind : uint8_t {
  kName,        // abs_sum, out, f32
  kContractId,  // C-PRC-01
  kNumber,      // 3, 0.5, 0x1p-40
  kString,      // "..." without the quotes
  kSymbol,      // one of + - * / ^ ( ) [ ] { } , ; : | < > = and <= >= != ->
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  double number = 0;
  Span at;
  bool first_on_line = false;
};

// Files beyond this size are refused: no author writes one.
inline constexpr size_t kMaxSourceBytes = 1 << 20;

std::vector<Token> Lex(std::string_view text, DiagnosticSink& sink);

}  // namespace assay
