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

/// Of local memory: between these two the figures lie; where they are equal, they are exact. Registers that were
/// spilled to shared memory are a sum of their own; `nullopt` where the list is cut off.
struct spill_limits {
    spill_counts at_least, at_most;
    std::optional<spill_counts> shared = spill_counts{};
};

/// As `count_spills`. Where the list is cut off, the spills are at least those that it still has, and at most all loads
/// and stores of local memory; without a list they can be none. `nullopt` when the list does not fit the code.
std::optional<spill_limits> limit_spills(std::string_view code, const std::vector<std::uint32_t>& listed,
                                         bool shared_scratch);

/// What the 16-byte instruction at `offset` does; the caller has checked that it exists. `nullopt`: another
/// instruction.
std::optional<memory_access> decode_local_access(std::string_view code, std::size_t offset);

struct listed_spills {
    spill_counts local, shared;
};

/// Of the spills that are listed alone; `nullopt` when the list does not fit the code.
std::optional<listed_spills> sum_of_spills(std::string_view code, const std::vector<std::uint32_t>& listed);

/// The offset of every load and store of local memory, rising.
void for_each_local_access(std::string_view code, const std::function<void(std::size_t offset)>& use);

/// Adds up the width of the instructions that spill to local memory, of a kernel compiled for sm_70 or later. `listed`
/// holds the code offsets that ptxas annotated as spills, `shared_scratch` whether it may spill to shared memory as
/// well. `nullopt` when the list is cut off and the code does not tell which of its accesses are spills, or when the
/// list does not fit the code.
std::optional<spill_counts> count_spills(std::string_view code, const std::vector<std::uint32_t>& listed,
                                         bool shared_scratch);

}  // namespace launchbox
