// SPDX-License-Identifier: Apache-2.0
#include "app/dynamic_shared.hpp"

#include <cctype>
#include <mutex>
#include <utility>

#include "app/sizes.hpp"
#include "support/expression/value_expression.hpp"
#include "support/text/typed_number.hpp"

namespace launchbox {

namespace {

constexpr const char* option = "--dynamic-shared";

bool is_expression(const std::string& text)
{
    return !read_bytes(text) && (text.find_first_not_of("0123456789KMGTBik ") != std::string::npos || text.empty() ||
                                 std::isdigit(static_cast<unsigned char>(text.front())) == 0);
}

}  // namespace

struct dynamic_shared_size::shared_expression {
    value_expression bytes;
    std::mutex lock;  // an expression serves one thread at a time
};

dynamic_shared_size::dynamic_shared_size(std::string text) : text_(std::move(text))
{
    if (is_expression(text_))
        expression_.reset(new shared_expression{value_expression(text_), {}});
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
    return expression_->bytes.integer({{{"threads", std::int64_t{threads}}}});
}

std::int64_t dynamic_shared_size::bytes(int threads) const
{
    const std::int64_t bytes = unchecked_bytes(threads);
    check_bytes(bytes, std::string(option) + " for " + std::to_string(threads) + " threads");
    return bytes;
}

}  // namespace launchbox
