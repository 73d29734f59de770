// Sizes and parts as the user writes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace launchbox {

/// "11264", "48K", "227KB", "1MiB" in bytes (K = 1,024). Throws `error` for anything else and for negative sizes.
std::int64_t parse_bytes(const std::string& text, const std::string& option);

/// "64M" as bytes, 0 or more, also above any GPU's shared memory. Throws `error`, naming the option.
std::int64_t parse_size(const std::string& text, const std::string& option);

/// "2", "2%" or "0.5 %" as 0.02 and 0.005; 0 or more. Throws `error`, naming the option.
double parse_percent(const std::string& text, const std::string& option);

/// Throws `error` for a size below 0 or above 1 GiB.
void check_bytes(std::int64_t bytes, const std::string& option);

class dynamic_shared_size {
public:
    /// Parses "11264", "48K" or "4*threads". Throws `error` if it is not an expression.
    explicit dynamic_shared_size(std::string text);

    /// As it was written.
    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] bool depends_on_threads() const;

    /// The size for a block of `threads`. Throws `error` if it cannot be calculated; `bytes` also if no block can have
    /// that size. Several threads may call it at once.
    [[nodiscard]] std::int64_t bytes(int threads) const;
    [[nodiscard]] std::int64_t unchecked_bytes(int threads) const;

private:
    struct shared_expression;
    std::string text_;
    std::shared_ptr<shared_expression> expression_;  // none: it is the constant
    std::int64_t constant_ = 0;
};

}  // namespace launchbox
