// What a kernel's source leaves open to tuning: whole numbers among its template arguments, and constants.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/init/kernel_choice.hpp"

namespace launchbox {

struct source_tunable {
    std::string name;  ///< in the source
    std::int64_t value = 0;
    bool is_constant = false;  ///< a macro or a constant; else a parameter of the template
    int line = 0;
    std::vector<std::int64_t> also = {};  ///< that other instances have
};

struct source_tunables {
    std::vector<source_tunable> found;
    std::vector<std::string> remarks;  ///< candidates that were rejected, and why
};

source_tunables tunables_of(const kernel_choice& choice);

/// Whether the type of a template parameter is int or the like, also through aliases; not an enumeration.
bool is_whole_number_type(const source_view& view, token_span type);

/// Values to try beside the source's own, rising. For threads in a block: powers of two, from one warp.
std::vector<std::int64_t> values_around(std::int64_t value);
std::vector<std::int64_t> block_sizes_around(std::int64_t value, std::int64_t least, std::int64_t most);

}  // namespace launchbox
