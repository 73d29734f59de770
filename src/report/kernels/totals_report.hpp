// `inspect --size` and `inspect --stack-reserve`: a file as a whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <vector>

#include "advice/inspect/code_size.hpp"
#include "advice/inspect/inspected_kernel.hpp"
#include "advice/inspect/stack_reserve.hpp"
#include "report/core/document.hpp"

namespace launchbox {

/// Shows `templates_shown` templates of each file.
document size_document(const std::vector<code_size>& sizes, std::size_t templates_shown);

/// launchbox.size/1.
nlohmann::ordered_json size_json(const std::vector<code_size>& sizes);

/// One row per architecture and per template of each file.
table size_table(const std::vector<code_size>& sizes);

document stack_reserve_document(const stack_reserves& reserves, const std::vector<inspected_kernel>& kernels);

/// launchbox.stack_reserve/1.
nlohmann::ordered_json stack_reserve_json(const stack_reserves& reserves, const std::vector<inspected_kernel>& kernels);

table stack_reserve_table(const stack_reserves& reserves, const std::vector<inspected_kernel>& kernels);

/// "264 MiB": whole units from 10 on, else one decimal.
std::string size_text(std::uint64_t bytes);

}  // namespace launchbox
