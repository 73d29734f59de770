// SPDX-License-Identifier: Apache-2.0
#include "support/text/pattern.hpp"

#include <re2/re2.h>

#include <array>

#include "support/error.hpp"

namespace launchbox {

namespace {

re2::RE2::Options bytes_and_no_log()
{
    re2::RE2::Options options(re2::RE2::Latin1);
    options.set_log_errors(false);
    return options;
}

}  // namespace

pattern::pattern(const std::string& text) : expression_(std::make_unique<re2::RE2>(text, bytes_and_no_log()))
{
    if (!expression_->ok()) throw error(expression_->error());
}

pattern::pattern(pattern&&) noexcept = default;
pattern::~pattern() = default;

int pattern::groups() const
{
    return expression_->NumberOfCapturingGroups();
}

std::optional<std::string_view> pattern::find_first_group(std::string_view text) const
{
    std::array<re2::StringPiece, 2> found;
    const int wanted = groups() > 0 ? 2 : 1;
    if (!expression_->Match({text.data(), text.size()}, 0, text.size(), re2::RE2::UNANCHORED, found.data(), wanted))
        return std::nullopt;
    return std::string_view(found[1].data(), found[1].size());
}

}  // namespace launchbox
