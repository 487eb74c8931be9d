// SPDX-License-Identifier: Apache-2.0
//
// A calibration as text and as JSON.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "contracts/case.h"
#include "engine/calibrate.h"
#include "engine/equal_runs.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity; a text says what it is.
Json JsonNumber(double value) {
  if (std::isfinite(value)) return value;
  return PrintReal(value);
}

std::string RowText(const CalibrationRow& row) {
  return fmt::format("  {:<8}  {:<27} {:>5}/{:<5} {:>9} {:>10} {:>7} {:>12}  {:<9.3g} {}\n",
                     NameOf(row.state), row.kernel, row.basic.passed,
                     row.basic.passed + row.basic.failed, row.Count(Outcome::kViolating),
                     row.Count(Outcome::kConforming), row.Count(Outcome::kVacuous),
                     row.Count(Outcome::kInconclusive), row.worst_ratio,
                     row.complaint.empty() ? "as it should be" : row.complaint);
}

}  // namespace

std::string CalibrationText(const CalibrationReport& report) {
  std::string text;
  size_t at = 0;
  for (const CalibrationClass& each : report.classes) {
    text += fmt::format("{} {}: {}\n  {:<8}  {:<27} {:>11} {:>9} {:>10} {:>7} {:>12}  {:<9}\n",
                        each.contract, NameOf(each.family), each.sound ? "sound" : "UNSOUND",
                        "state", "kernel", "tame passed", "violating", "conforming", "vacuous",
                        "inconclusive", "ratio");
    if (each.equal_runs > 1) text += "  " + EqualRunsText(each.equal_runs) + "\n";
    for (; at < report.rows.size() && report.rows[at].contract == each.contract &&
           report.rows[at].family == each.family;
         ++at) {
      text += RowText(report.rows[at]);
      const bool needs_line =
          report.rows[at].state == PlantedState::kGood && !report.rows[at].first_violation.empty();
      if (needs_line) text += "            " + report.rows[at].first_violation + "\n";
    }
  }
  for (const CalibrationClass& each : report.classes) {
    for (const std::string& complaint : each.complaints) {
      text += fmt::format("{} {} is unsound: {}\n", each.contract, NameOf(each.family), complaint);
    }
  }
  if (report.sound()) text += fmt::format("all {} classes sound\n", report.classes.size());
  return text;
}

std::string CalibrationJson(const CalibrationReport& report) {
  Json classes = Json::array(), rows = Json::array();
  for (const CalibrationClass& each : report.classes) {
    classes.push_back({{"contract", each.contract},
                       {"family", NameOf(each.family)},
                       {"sound", each.sound},
                       {"complaints", each.complaints}});
    if (each.equal_runs < 2) continue;
    classes.back()["equal_runs"] = each.equal_runs;
    classes.back()["unseen_probability"] = LargestUnseenProbability(each.equal_runs);
  }
  for (const CalibrationRow& row : report.rows) {
    Json outcomes = Json::object();
    for (int i = 0; i < kOutcomeCount; ++i) {
      if (row.outcomes[static_cast<size_t>(i)] == 0) continue;
      outcomes[std::string(NameOf(static_cast<Outcome>(i)))] = row.outcomes[static_cast<size_t>(i)];
    }
    rows.push_back({{"contract", row.contract},
                    {"family", NameOf(row.family)},
                    {"kernel", row.kernel},
                    {"state", NameOf(row.state)},
                    {"tame_passed", row.basic.passed},
                    {"tame_failed", row.basic.failed},
                    {"cases", row.cases},
                    {"outcomes", outcomes},
                    {"worst_ratio", JsonNumber(row.worst_ratio)},
                    {"first_violation", row.first_violation},
                    {"told_apart", row.complaint.empty()},
                    {"complaint", row.complaint}});
  }
  const Json all = {{"sound", report.sound()}, {"classes", classes}, {"rows", rows}};
  return all.dump(2) + "\n";
}

}  // namespace assay
