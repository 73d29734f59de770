// SPDX-License-Identifier: Apache-2.0
#include "app/sizes.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "support/error.hpp"
#include "support/expression/value_expression.hpp"
#include "support/text/terminal.hpp"
#include "support/text/typed_number.hpp"

namespace launchbox {

namespace {

// The limit of the model's arithmetic; far above any GPU, so that the model decides.
constexpr std::int64_t largest_bytes = std::int64_t{1} << 30;

constexpr const char* option = "--dynamic-shared";

bool is_expression(const std::string& text)
{
    return !read_bytes(text) && (text.find_first_not_of("0123456789KMGTBik ") != std::string::npos || text.empty() ||
                                 std::isdigit(static_cast<unsigned char>(text.front())) == 0);
}

}  // namespace

void check_bytes(std::int64_t bytes, const std::string& option)
{
    if (bytes < 0) throw error(option + " is negative: " + std::to_string(bytes) + " B", "sizes start at 0");
    if (bytes > largest_bytes)
        throw error(option + " is above 1 GiB: " + std::to_string(bytes) + " B", "no GPU has that much shared memory");
}

std::int64_t parse_bytes(const std::string& text, const std::string& option)
{
    const std::optional<std::int64_t> bytes = read_bytes(text);
    if (!bytes)
        throw error(option + ": '" + escape_for_terminal(text) + "' is not a size",
                    "write a number of bytes from 0, such as 11264 or 48K");
    check_bytes(*bytes, option);
    return *bytes;
}

double parse_percent(const std::string& text, const std::string& option)
{
    std::string_view number = text;
    if (number.ends_with('%')) number.remove_suffix(1);
    while (number.ends_with(' ')) number.remove_suffix(1);
    double percent = 0;
    const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), percent);
    if (failure != std::errc() || end != number.data() + number.size() || !std::isfinite(percent) || percent < 0)
        throw error(option + ": '" + escape_for_terminal(text) + "' is not a percentage",
                    "write a number from 0, such as 2 or 0.5%");
    return percent / 100;
}

std::int64_t parse_size(const std::string& text, const std::string& option)
{
    const std::optional<std::int64_t> bytes = read_bytes(text);
    if (!bytes)
        throw error(option + ": '" + escape_for_terminal(text) + "' is not a size",
                    "write a number of bytes, such as 64M or 1500000");
    return *bytes;
}

struct dynamic_shared_size::shared_expression {
    value_expression bytes;
    std::mutex lock;  // an expression serves one thread at a time
};

namespace {

// What an expression complains about does not name the option.
template <class Work>
auto naming_the_option(Work&& work)
{
    try {
        return work();
    } catch (const error& failure) {
        throw error(std::string(option) + ": " + failure.what(), failure.hint(), failure.status());
    }
}

}  // namespace

dynamic_shared_size::dynamic_shared_size(std::string text) : text_(std::move(text))
{
    if (is_expression(text_))
        expression_.reset(naming_the_option([&] { return new shared_expression{value_expression(text_), {}}; }));
    else
        constant_ = parse_bytes(text_, option);
}

bool dynamic_shared_size::depends_on_threads() const
{
    return text_.find("threads") != std::string::npos;
}

std::int64_t dynamic_shared_size::unchecked_bytes(int threads) const
{
    if (!expression_) return constant_;
    const std::lock_guard guard(expression_->lock);
    return naming_the_option([&] { return expression_->bytes.integer({{{"threads", std::int64_t{threads}}}}); });
}

std::int64_t dynamic_shared_size::bytes(int threads) const
{
    const std::int64_t bytes = unchecked_bytes(threads);
    check_bytes(bytes, std::string(option) + " for " + std::to_string(threads) + " threads");
    return bytes;
}

}  // namespace launchbox
