// What completion and manual pages say of the options of a command line: made of the options themselves.
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

/// What an option's value is, as far as that can be completed.
enum class value_kind { file, words, architectures, kernels };
value_kind kind_of_value(const CLI::Option& option);

/// The words of which its value is one: "table", "json", ...; empty: any value.
std::vector<std::string> value_words(const CLI::Option& option);

}  // namespace launchbox::cli
