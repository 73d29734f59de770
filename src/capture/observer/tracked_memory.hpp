// The memory that the program has allocated so far for the GPU, followed call by call, and its texture objects.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cupti.h>

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

namespace launchbox {

struct memory_range {
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    const char* kind = "";
};

/// Not for use by two threads at once.
class tracked_memory {
public:
    /// The driver functions for which `called` must be called after they have returned.
    static std::span<const CUpti_CallbackId> calls();

    /// A call that succeeded.
    void called(CUpti_CallbackId id, const void* parameters);

    /// The range that holds this address. Neighbours that were mapped one after the other are one. `bytes` is 0: none.
    [[nodiscard]] memory_range find(CUdeviceptr address) const;
    [[nodiscard]] std::vector<memory_range> all() const;

    /// What a replay does not have: memory of the host that the GPU can reach, and texture and surface objects.
    [[nodiscard]] bool is_pinned(CUdeviceptr address) const;
    [[nodiscard]] bool is_texture(std::uint64_t handle) const { return textures_.contains(handle); }

    /// No range is outside: what is not between these needs no search.
    [[nodiscard]] CUdeviceptr lowest() const { return ranges_.empty() ? 1 : ranges_.begin()->first; }
    [[nodiscard]] CUdeviceptr highest() const
    {
        return ranges_.empty() ? 0 : ranges_.rbegin()->first + ranges_.rbegin()->second.bytes;
    }
    [[nodiscard]] CUdeviceptr lowest_pinned() const { return pinned_.empty() ? 1 : pinned_.begin()->first; }
    [[nodiscard]] CUdeviceptr highest_pinned() const
    {
        return pinned_.empty() ? 0 : pinned_.rbegin()->first + pinned_.rbegin()->second;
    }

private:
    void add(CUdeviceptr address, std::size_t bytes, const char* kind);
    void remove(CUdeviceptr address, std::size_t bytes);

    std::map<CUdeviceptr, memory_range> ranges_;
    std::map<CUdeviceptr, std::size_t> pinned_;
    std::set<std::uint64_t> textures_;
};

}  // namespace launchbox
