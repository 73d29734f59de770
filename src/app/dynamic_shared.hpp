// Dynamic shared memory as the user writes it: bytes, or an expression of `threads`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace launchbox {

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
