// Tracks GPU memory allocated by the program, call by call, and its texture objects.
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

/// Not thread-safe.
class tracked_memory {
public:
    /// The driver functions for which `called` must be called after they have returned.
    static std::span<const CUpti_CallbackId> calls();

    /// For a call that succeeded.
    void called(CUpti_CallbackId id, const void* parameters);

    /// The range that contains this address. Adjacent ranges that were mapped in sequence count as one. `bytes` is 0 if
    /// there is none.
    [[nodiscard]] memory_range find(CUdeviceptr address) const;
    [[nodiscard]] std::vector<memory_range> all() const;

    /// What a replay cannot have: host memory that the GPU can access, and texture and surface objects.
    [[nodiscard]] bool is_pinned(CUdeviceptr address) const;
    [[nodiscard]] bool is_texture(std::uint64_t handle) const { return textures_.contains(handle); }

    /// All ranges are between these two, so other addresses need no search.
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
