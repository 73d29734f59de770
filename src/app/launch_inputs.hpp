// The figures of a kernel and its launch that the user gives to `occupancy` and `suggest`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/occupancy.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "app/architectures.hpp"
#include "app/sizes.hpp"

namespace launchbox {

/// How much dynamic shared memory the program allows with cudaFuncSetAttribute.
struct dynamic_shared_limit {
    enum class how {
        as_needed,   ///< as a working program does: all there is, and what the launch needs
        maximum,     ///< all there is
        not_raised,  ///< 48 KB, without a call
        these_bytes,
    };
    how set = how::as_needed;
    std::int64_t bytes = 0;

    /// "max", "default" or bytes ("48K"). Throws `error`, naming the option, for anything else.
    static dynamic_shared_limit named(const std::string& text, const std::string& option);
};

/// The numbers that are accepted: far above what any GPU has, so that the model gives the answer.
struct number_range {
    int least = 0, most = 0;
};
namespace launch_ranges {
inline constexpr int largest_count = 1'000'000;
inline constexpr number_range threads{1, largest_count};
inline constexpr number_range registers{0, std::numeric_limits<int>::max()};  // how many depends on the architecture
inline constexpr number_range barriers{0, largest_count};
inline constexpr number_range max_threads{1, largest_count};
inline constexpr number_range carveout{-1, 100};
}  // namespace launch_ranges

struct launch_inputs {
    std::optional<int> registers = {}, barriers = {}, max_threads = {};
    std::optional<std::int64_t> static_shared_bytes = {};
    std::optional<dynamic_shared_size> dynamic_shared = {};
    dynamic_shared_limit max_dynamic_shared = {};
    int carveout_percent = -1;  ///< -1: no preference
    cache_preference cache = cache_preference::none;
    global_caching caching = global_caching::off;
    model_mode mode = model_mode::driver;

    /// The kernel's use; figures that the user did not give come from `found`.
    [[nodiscard]] kernel_resources resources(const kernel_resources& found = {}) const;

    /// Throws `error` if a thread cannot have so many registers on any of these architectures; without architectures,
    /// on any that exists.
    void refuse_registers(const std::vector<target>& targets) const;

    /// The settings for a launch with `dynamic_bytes`.
    [[nodiscard]] launch_settings settings(const target& where, const kernel_resources& kernel,
                                           std::int64_t dynamic_bytes) const;
};

}  // namespace launchbox
