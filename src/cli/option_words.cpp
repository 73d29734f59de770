// SPDX-License-Identifier: Apache-2.0
#include "cli/option_words.hpp"

namespace launchbox::cli {

std::vector<const CLI::App*> verbs_of(const CLI::App& app)
{
    std::vector<const CLI::App*> verbs;
    for (const CLI::App* verb : app.get_subcommands({}))
        if (!verb->get_group().empty()) verbs.push_back(verb);
    return verbs;
}

std::vector<std::string> words_of(const CLI::Option& option)
{
    std::vector<std::string> words;
    for (const std::string& name : option.get_lnames()) words.push_back("--" + name);
    for (const std::string& name : option.get_snames()) words.push_back("-" + name);
    return words;
}

bool takes_value(const CLI::Option& option)
{
    return option.get_items_expected_max() > 0;
}

// CLI11 appends the words that a check allows to the type: "FORMAT:{table,json}".
std::vector<std::string> value_words(const CLI::Option& option)
{
    const std::string type = option.get_type_name();
    const std::size_t begin = type.find('{'), end = type.find('}');
    if (begin == type.npos || end == type.npos || end < begin) return {};
    return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

value_kind kind_of_value(const CLI::Option& option)
{
    if (option.check_lname("arch")) return value_kind::architectures;
    if (option.check_lname("kernel")) return value_kind::kernels;
    return value_words(option).empty() ? value_kind::file : value_kind::words;
}

}  // namespace launchbox::cli
