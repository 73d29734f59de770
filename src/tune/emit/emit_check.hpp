// Checks that a header's rows are those of the records that it names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tune/emit/tuned_parts.hpp"

namespace launchbox {

struct header_check {
    std::vector<std::string> differences;  ///< "FILE:LINE: what"
    std::size_t rows = 0;                  ///< that were compared with a record
};

struct header_check_options {
    std::filesystem::path root;
    std::string box;  ///< empty: all tables
    std::string name;
    std::vector<std::string> workload;
    split_names names;
};

header_check check_header(std::string_view text, const std::string& name, const header_check_options& wishes);

/// The first difference of two texts: "FILE:LINE: 'was' instead of 'wanted'"; empty: none.
std::string first_difference(std::string_view text, std::string_view wanted, const std::string& name);

}  // namespace launchbox
