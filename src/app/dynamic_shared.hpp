// Dynamic shared memory as the user says it: bytes, or an expression of threads; read once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace launchbox {

class dynamic_shared_size {
public:
    /// "11264", "48K" or "4*threads". Throws `error` for what is no expression.
    explicit dynamic_shared_size(std::string text);

    /// As it was written.
    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] bool depends_on_threads() const;

    /// For a block of so many threads. Throws `error` for what cannot be calculated; `bytes` also for a size that no
    /// block can have. For several threads at once.
    [[nodiscard]] std::int64_t bytes(int threads) const;
    [[nodiscard]] std::int64_t unchecked_bytes(int threads) const;

private:
    struct shared_expression;
    std::string text_;
    std::shared_ptr<shared_expression> expression_;  // none: it is the constant
    std::int64_t constant_ = 0;
};

}  // namespace launchbox
