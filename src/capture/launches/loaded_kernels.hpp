// The kernels of the modules loaded by a program, read from their images.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/record/record_format.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

class loaded_kernels {
public:
    /// Reads the modules, identified by hash and size, and keeps the kernels with these names.
    loaded_kernels(const std::filesystem::path& folder,
                   const std::set<std::pair<std::uint64_t, std::uint64_t>>& modules,
                   const std::set<std::string_view>& names);

    /// The kernel of this launch. If its name and resources do not identify it, `unknown` says why, and the result has
    /// CUPTI's figures.
    [[nodiscard]] kernel_info find(const std::string& name, const record::launch_key& key, std::string& unknown) const;

    [[nodiscard]] std::size_t unreadable() const { return unreadable_; }

private:
    std::map<std::string, std::vector<kernel_info>, std::less<>> kernels_;
    std::size_t unreadable_ = 0;
};

}  // namespace launchbox
