// SPDX-License-Identifier: Apache-2.0
//
// The measurement protocol: probes, sweeps, injections, enumerations, repeats and force. Whether
// the names exist is checked in check_measure.cc.
#include <algorithm>
#include <cmath>
#include <utility>

#include "contracts/case.h"
#include "contracts/language/cursor.h"

namespace assay {
namespace {

constexpr size_t kMostValues = 64;  // of one line: a protocol is run, not read
constexpr int64_t kLargestOffset = int64_t{1} << 53;

class MeasureParser {
 public:
  MeasureParser(Cursor& cursor, ContractAst& contract)
      : cursor_(cursor), contract_(contract), measurement_(contract.measurement) {}

  void Run() {
    static constexpr std::string_view kLines[] = {"probe", "worst",  "pass",      "force",
                                                  "sweep", "inject", "enumerate", "repeat"};
    const Token keyword = cursor_.Here();
    if (keyword.kind == TokenKind::kName && !cursor_.AtPart()) {
      for (int line = 0; line < static_cast<int>(std::size(kLines)); ++line) {
        if (keyword.text != kLines[line]) continue;
        cursor_.Take();
        if (!Line(line)) cursor_.SkipItem();
        return;
      }
    }
    cursor_.Fail("no measure begins like this", JoinNames(kLines),
                 NearestName(keyword.text, kLines));
    cursor_.SkipItem();
  }

 private:
  bool Line(int line) {
    switch (line) {
      case 0:
        return Names(contract_.probes, "the name of a probe");
      case 1:
        return cursor_.Expect("ratio");
      case 2:
        return Pass();
      case 3:
        return cursor_.Expect("against") && Names(contract_.force, "a defect model");
      case 4:
        return ParseSweep();
      case 5:
        return Inject();
      case 6:
        return Enumerate();
      default:
        return Repeat();
    }
  }

  bool Names(std::vector<Word>& words, const char* what) {
    words = cursor_.ExpectNames(what);
    return !words.empty();
  }

  // The one rule there is; it is written so that the reader of a contract sees it.
  bool Pass() {
    if (!cursor_.Expect("ratio") || !cursor_.Expect("<=")) return false;
    if (cursor_.Here().text != "1") cursor_.Fail("a ratio passes up to 1 and never beyond", "1");
    cursor_.Take();
    return true;
  }

  bool Number(double& number) {
    const bool negative = cursor_.Accept("-");
    if (cursor_.Here().kind != TokenKind::kNumber) {
      cursor_.Fail("a number is missing", "a number");
      return false;
    }
    number = cursor_.Take().number;
    if (negative) number = -number;
    return true;
  }

  // True if there is another value, which there may be.
  bool Another(size_t so_far) {
    if (!cursor_.Accept(",")) return false;
    if (so_far < kMostValues) return true;
    cursor_.Fail("these are more values than a measurement runs", "at most 64");
    return false;
  }

  bool ParseSweep() {
    Word name;
    Sweep sweep;
    if (!cursor_.ExpectName(name, "an attribute or a dimension") || !cursor_.Expect("over")) {
      return false;
    }
    do {
      double number = 0;
      if (!Number(number)) return false;
      sweep.values.push_back(number);
    } while (Another(sweep.values.size()));
    sweep.name = name.text;
    measurement_.sweeps.push_back(std::move(sweep));
    contract_.sweep_names.push_back(std::move(name));
    return true;
  }

  bool Inject() {
    Injection injection;
    do {
      Special special;
      if (!SpecialValue(special)) return false;
      injection.values.push_back(special);
    } while (Another(injection.values.size()));
    if (!cursor_.Expect("into")) return false;
    const std::vector<Word> operands = cursor_.ExpectNames("an operand, or 'inputs'");
    for (const Word& word : operands) injection.operands.push_back(word.text);
    if (!cursor_.Expect("at")) return false;
    do {
      InjectAt place;
      if (!Place(place)) return false;
      injection.places.push_back(place);
    } while (Another(injection.places.size()));
    measurement_.injections.push_back(std::move(injection));
    contract_.inject_operands.push_back(operands);
    return true;
  }

  bool SpecialValue(Special& special) {
    if (cursor_.Accept("NAN")) {
      special = Special::kNan;
      return true;
    }
    const bool negative = cursor_.IsSymbol("-");
    if (negative ? cursor_.Accept("-") : cursor_.Accept("+")) {
      if (cursor_.Accept("INF")) {
        special = negative ? Special::kMinusInf : Special::kPlusInf;
        return true;
      }
      if (negative && cursor_.Here().kind == TokenKind::kNumber && cursor_.Here().number == 0) {
        cursor_.Take();
        special = Special::kMinusZero;
        return true;
      }
    }
    cursor_.Fail("this is no special value", "NAN, +INF, -INF or -0");
    return false;
  }

  bool Place(InjectAt& place) {
    static constexpr std::string_view kPlaces[] = {"head", "lanes", "tail"};
    Word word;
    if (!cursor_.ExpectName(word, "a place")) return false;
    const auto* found = std::find(std::begin(kPlaces), std::end(kPlaces), word.text);
    if (found == std::end(kPlaces)) {
      cursor_.sink().Report(word.at, "no place is called '" + word.text + "'", JoinNames(kPlaces),
                            NearestName(word.text, kPlaces));
      return false;
    }
    place = static_cast<InjectAt>(found - std::begin(kPlaces));
    return true;
  }

  bool Enumerate() {
    Enumeration enumeration;
    Word name;
    std::vector<Word> labels;
    if (!cursor_.ExpectName(name, "an attribute, or 'index'") || !cursor_.Expect("in") ||
        !cursor_.Expect("{")) {
      return false;
    }
    const bool index = name.text == "index";
    do {
      if (index) {
        IndexValue value;
        if (!Index(value)) return false;
        enumeration.indices.push_back(value);
      } else {
        Word label;
        if (!cursor_.ExpectName(label, "a label")) return false;
        enumeration.labels.push_back(label.text);
        labels.push_back(std::move(label));
      }
    } while (Another(std::max(enumeration.labels.size(), enumeration.indices.size())));
    if (!cursor_.Expect("}")) return false;
    enumeration.name = name.text;
    measurement_.enumerations.push_back(std::move(enumeration));
    contract_.enumerate_names.push_back(std::move(name));
    contract_.enumerate_labels.push_back(std::move(labels));
    return true;
  }

  // [-] N, or [-] extent [(+ | -) N].
  bool Index(IndexValue& value) {
    const bool negative = cursor_.Accept("-");
    if (cursor_.Accept("extent")) {
      value.extents = negative ? -1 : 1;
      const bool minus = cursor_.IsSymbol("-");
      if (!cursor_.Accept("+") && !cursor_.Accept("-")) return true;
      return Offset(minus, value.offset);
    }
    return Offset(negative, value.offset);
  }

  bool Offset(bool negative, int64_t& offset) {
    const Token token = cursor_.Here();
    double number = 0;
    if (token.kind != TokenKind::kNumber) {
      cursor_.Fail("an index is missing", "a whole number, or 'extent'");
      return false;
    }
    if (!Number(number)) return false;
    if (number != std::floor(number) || number > static_cast<double>(kLargestOffset)) {
      cursor_.sink().Report(token.at, "this is no index", "a whole number up to 2^53");
      return false;
    }
    offset = static_cast<int64_t>(number) * (negative ? -1 : 1);
    return true;
  }

  bool Repeat() {
    const Token token = cursor_.Here();
    double number = 0;
    if (!Number(number)) return false;
    if (number != std::floor(number) || number < 2 || number > kMaxRepeats) {
      cursor_.sink().Report(token.at, "this is no number of runs",
                            "a whole number from 2 to " + std::to_string(kMaxRepeats));
      return false;
    }
    measurement_.repeats = static_cast<int>(number);
    return cursor_.Expect("runs");
  }

  Cursor& cursor_;
  ContractAst& contract_;
  Measurement& measurement_;
};

}  // namespace

void ParseMeasure(Cursor& cursor, ContractAst& contract) { MeasureParser(cursor, contract).Run(); }

}  // namespace assay
