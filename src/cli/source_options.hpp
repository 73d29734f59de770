// Options of verbs that compile the kernels of a source with other launch bounds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/bounds/source_bounds.hpp"
#include "cli/verbs.hpp"

namespace launchbox::cli {

/// "1,2,4" as numbers from 1 to `most`, sorted and distinct. Throws `error`: `option` has an element that is not a
/// `what`.
std::vector<int> parse_numbers(const std::string& list, const std::string& option, const char* what, int most,
                               const char* example);
std::vector<int> parse_threads(const std::string& list);

enum class file_option : std::uint8_t { required, optional };

struct source_options {
    source_bounds_request typed;         // what CLI11 reads
    std::string architectures, threads;  // as typed
    std::optional<std::string> dynamic_shared, max_dynamic_shared;

    void add_to(CLI::App& verb, file_option file = file_option::required);
    /// Parses each text, once. Throws `error` if one is invalid.
    [[nodiscard]] source_bounds_request request(const call_context& context) const;
};

}  // namespace launchbox::cli
