// Results of candidates that were built and screened, but not measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "report/core/document.hpp"
#include "tune/types/built_candidate.hpp"

namespace launchbox {

struct build_report {
    std::string name;          ///< of the tunable
    std::string architecture;  ///< "sm_90"; may be empty
    std::vector<built_candidate> candidates;
};

document build_document(const std::vector<build_report>& reports);

/// launchbox.builds/1.
nlohmann::ordered_json build_json(const std::vector<build_report>& reports);

/// One row per candidate and workload.
table build_table(const std::vector<build_report>& reports);

}  // namespace launchbox
