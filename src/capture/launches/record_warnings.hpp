// The observers' messages as sentences: each once, with the number of processes that reported it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "capture/record/record_reader.hpp"

namespace launchbox {

class record_warnings {
public:
    void add(const seen_process& process);

    [[nodiscard]] std::vector<std::string> all() const;

private:
    std::map<std::string, std::size_t> processes_;
    std::uint64_t dropped_ = 0, untimed_ = 0, beyond_rows_ = 0, modules_not_kept_ = 0, buffers_lost_ = 0;
};

}  // namespace launchbox
