// Descriptions of command-line options for completion and manual pages, taken from the options themselves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace launchbox::cli {

std::vector<const CLI::App*> verbs_of(const CLI::App& app);

/// "--arch", "-a"; positional arguments have none.
std::vector<std::string> words_of(const CLI::Option& option);

bool takes_value(const CLI::Option& option);

/// The kind of an option's value, as far as it can be completed.
enum class value_kind { file, words, architectures, kernels };
value_kind kind_of_value(const CLI::Option& option);

/// The words allowed as its value: "table", "json", ...; empty if any value is.
std::vector<std::string> value_words(const CLI::Option& option);

}  // namespace launchbox::cli
