// SPDX-License-Identifier: Apache-2.0
//
// The lines between a judging child and its parent. Both ends are this very program, so a malformed
// line is a bug of ours.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "engine/pipeline.h"
#include "fuzz/serve.h"

namespace assay {

nlohmann::json ToJson(const BackendInfo& info);
BackendInfo InfoFromJson(const nlohmann::json& value);

// `full`: every clause of every backend; otherwise only the violations.
nlohmann::json ToJson(const Record& record, const std::vector<BackendInfo>& infos, bool full);
Served ServedFromJson(const nlohmann::json& value, const std::vector<BackendInfo>& infos);

// One line; bytes that are no UTF-8 (a library's own texts) are replaced.
std::string Line(const nlohmann::json& value);

}  // namespace assay
