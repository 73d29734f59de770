// Bytes of register spills, counted in the machine code of a kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace launchbox {

/// A load or store of local or shared memory.
struct memory_access {
    bool local = false, store = false;
    std::int64_t bytes = 0;  ///< per thread
};

struct spill_counts {
    std::int64_t stores = 0, loads = 0;

    void add(const memory_access& access) { (access.store ? stores : loads) += access.bytes; }

    friend bool operator==(const spill_counts&, const spill_counts&) = default;
};

/// Bounds of the figures for local memory; equal bounds are exact. Registers spilled to shared memory are summed
/// separately; `nullopt` if the list is cut off.
struct spill_limits {
    spill_counts at_least, at_most;
    std::optional<spill_counts> shared = spill_counts{};
};

/// As `count_spills`. If the list is cut off, the spills in it are the lower bound, and all loads and stores of local
/// memory the upper one; without a list the lower bound is 0. `nullopt` if the list does not fit the code.
std::optional<spill_limits> limit_spills(std::string_view code, const std::vector<std::uint32_t>& listed,
                                         bool shared_scratch);

/// What the 16-byte instruction at `offset` does; the caller has checked that it exists. `nullopt` for any other
/// instruction.
std::optional<memory_access> decode_local_access(std::string_view code, std::size_t offset);

struct listed_spills {
    spill_counts local, shared;
};

/// Only of listed spills; `nullopt` if the list does not fit the code.
std::optional<listed_spills> sum_of_spills(std::string_view code, const std::vector<std::uint32_t>& listed);

/// The offset of every load and store of local memory, in order.
void for_each_local_access(std::string_view code, const std::function<void(std::size_t offset)>& use);

/// Adds up the width of the instructions that spill to local memory, for a kernel compiled for sm_70 or later.
/// `listed`: the code offsets that ptxas annotated as spills; `shared_scratch`: whether it may also spill to shared
/// memory. `nullopt` if the list is cut off and the code does not tell which of its accesses are spills, or if the list
/// does not fit the code.
std::optional<spill_counts> count_spills(std::string_view code, const std::vector<std::uint32_t>& listed,
                                         bool shared_scratch);

}  // namespace launchbox
