// SPDX-License-Identifier: Apache-2.0
#include "cli/value_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include "support/text/rounded_number.hpp"
#include "support/text/terminal.hpp"
#include "support/text/typed_number.hpp"

namespace launchbox::cli {

namespace {

// What is wrong with a value; empty: nothing. It may rewrite the value, for CLI11 to convert.
using value_check = std::function<std::string(std::string&)>;

CLI::Validator checked(value_check check, std::string description)
{
    return CLI::Validator(std::move(check), std::move(description));
}

std::string range_text(std::int64_t least, std::int64_t most)
{
    return with_commas(least) + " to " + with_commas(most);
}

// The largest value of a type is no limit that a user has to know.
bool is_open(std::int64_t most)
{
    return most >= std::numeric_limits<int>::max();
}

std::string number_text(double value)
{
    return value < 1 ? fmt::format("{}", value) : rounded_with_commas(value);
}

std::string in_quotes(const std::string& value)
{
    return "'" + shortened(value, 100) + "'";
}

std::optional<double> finite_number(const std::string& text)
{
    double value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

}  // namespace

CLI::Validator whole_number(std::int64_t least, std::int64_t most)
{
    const std::string all = is_open(most) ? with_commas(least) + " or more" : range_text(least, most);
    const std::string wanted = is_open(most) ? "of " + all : "from " + all;
    return checked(
        [=](std::string& value) {
            const std::optional<std::int64_t> number = read_whole_number(value);
            if (!number || *number < least || *number > most)
                return in_quotes(value) + " is not a whole number " + wanted;
            value = std::to_string(*number);
            return std::string();
        },
        all);
}

CLI::Validator number(double least, double most)
{
    const bool open = most == std::numeric_limits<double>::max();
    const std::string all = number_text(least) + (open ? " or more" : " to " + number_text(most));
    const std::string wanted = (open ? "of " : "from ") + all;
    return checked(
        [=](std::string& value) {
            const std::optional<double> number = finite_number(value);
            if (!number || *number < least || *number > most) return in_quotes(value) + " is not a number " + wanted;
            return std::string();
        },
        all);
}

CLI::Validator one_of(std::vector<std::string> words)
{
    std::string description = fmt::format("{{{}}}", fmt::join(words, ","));  // completion reads it: value_words
    return checked(
        [words = std::move(words)](std::string& value) {
            if (std::ranges::find(words, value) != words.end()) return std::string();
            return fmt::format("{} is not one of {}", in_quotes(value), fmt::join(words, ", "));
        },
        std::move(description));
}

CLI::Validator whole_number_or(const std::string& word, std::int64_t least, std::int64_t most)
{
    CLI::Validator whole = whole_number(least, most);
    return checked(
        [=](std::string& value) {
            if (value == word) return std::string();
            const std::string wrong = whole(value);
            return wrong.empty() ? wrong : wrong + ", nor " + word;
        },
        whole.get_description() + " or {" + word + "}");
}

CLI::Validator existing_folder()
{
    return checked(
        [](std::string& value) {
            std::error_code failure;
            return std::filesystem::is_directory(value, failure) ? std::string()
                                                                 : in_quotes(value) + " is not a folder";
        },
        "");
}

}  // namespace launchbox::cli
