// Checks of the values of options, with messages of our own: CLI11's quote nothing, print 1e308 as 309 digits, let
// "nan" pass, and read "010" as 8.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace launchbox::cli {

/// A whole number in this range, as read_whole_number reads it. To be given to `transform`, not `check`: "1,024" and
/// "010" become what CLI11 reads as 1024 and 10.
CLI::Validator whole_number(std::int64_t least, std::int64_t most = std::numeric_limits<std::int64_t>::max());

/// A finite number in this range.
CLI::Validator number(double least, double most = std::numeric_limits<double>::max());

/// One of these words.
CLI::Validator one_of(std::vector<std::string> words);

/// A whole number in this range, or this word.
CLI::Validator whole_number_or(const std::string& word, std::int64_t least, std::int64_t most);

/// A folder that exists.
CLI::Validator existing_folder();

}  // namespace launchbox::cli
