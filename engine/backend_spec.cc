// SPDX-License-Identifier: Apache-2.0

#include "engine/backend_spec.h"

namespace assay {
namespace {

bool IsName(std::string_view text) {
  for (const char c : text) {
    const bool good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (!good) return false;
  }
  return !text.empty();
}

Error BadSpec(std::string_view text, std::string what) {
  return {
      "backend \"" + std::string(text) + "\"", std::move(what),
      "write name[:argument][#key=value,...], for example openblas#core=Haswell, or the path of "
      "a plug-in"};
}

// The end of a plug-in's path, or npos when the text is no path.
size_t PathEnd(std::string_view text) {
  const size_t end = std::min(text.find('#'), text.size());
  const std::string_view head = text.substr(0, end);
  const size_t slash = head.find('/');
  const bool slash_first = slash != std::string_view::npos && slash < head.find(':');
  const bool ends_so = head.size() > 3 && head.substr(head.size() - 3) == ".so";
  const bool path = slash_first || (ends_so && head.find(':') == std::string_view::npos);
  return path ? end : std::string_view::npos;
}

Status ParseOptions(std::string_view text, std::string_view rest, BackendSpec& spec) {
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    const size_t equals = item.find('=');
    if (equals == std::string_view::npos || !IsName(item.substr(0, equals)) ||
        equals + 1 == item.size()) {
      return BadSpec(text, "\"" + std::string(item) + "\" is no key=value");
    }
    spec.options.emplace_back(item.substr(0, equals), item.substr(equals + 1));
    if (item.size() == rest.size()) break;
    rest.remove_prefix(item.size() + 1);
    if (rest.empty()) return BadSpec(text, "ends with a comma");
  }
  return {};
}

}  // namespace

std::string_view BackendSpec::Option(std::string_view key) const {
  for (const auto& [each, value] : options) {
    if (each == key) return value;
  }
  return {};
}

std::string BackendSpec::OptionText() const {
  std::string text;
  for (const auto& [key, value] : options) {
    if (!text.empty()) text += ',';
    text += key + '=' + value;
  }
  return text;
}

std::string BackendSpec::Text() const {
  std::string text = name == "plugin" ? argument : name;
  if (name != "plugin" && !argument.empty()) text += ':' + argument;
  if (!options.empty()) text += '#' + OptionText();
  return text;
}

Result<BackendSpec> ParseBackendSpec(std::string_view text) {
  BackendSpec spec;
  size_t hash = PathEnd(text);
  if (hash != std::string_view::npos) {
    spec.name = "plugin";
    spec.argument = text.substr(0, hash);
  } else {
    hash = std::min(text.find('#'), text.size());
    const std::string_view head = text.substr(0, hash);
    const size_t colon = std::min(head.find(':'), head.size());
    if (!IsName(head.substr(0, colon))) {
      return BadSpec(text, text.empty() ? "is empty" : "does not begin with a name");
    }
    if (colon + 1 == head.size()) return BadSpec(text, "has nothing behind the colon");
    spec.name = head.substr(0, colon);
    if (colon < head.size()) spec.argument = head.substr(colon + 1);
  }
  if (hash < text.size()) {
    if (hash + 1 == text.size()) return BadSpec(text, "has nothing behind #");
    if (Status status = ParseOptions(text, text.substr(hash + 1), spec); !status.ok()) {
      return status.error();
    }
  }
  return spec;
}

}  // namespace assay
