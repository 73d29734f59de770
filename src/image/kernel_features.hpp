// The features that a kernel's code uses, as far as its image tells.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace launchbox {

enum class kernel_feature : std::uint8_t {
    setmaxnreg,              ///< warps change their register counts while they run
    tensor_memory,           ///< tcgen05 instructions of one block
    tensor_memory_pair,      ///< tcgen05 instructions of a pair of blocks
    wmma,                    ///< nvcuda::wmma; mma.sync and wgmma leave no record
    memory_barriers,         ///< mbarrier objects
    warp_synchronisation,    ///< shuffles, votes, __syncwarp, cooperative groups within a warp
    shared_memory_spilling,  ///< registers may be spilled to shared memory
    printing,                ///< printf, whose arguments are in the stack frame
};

/// A set of features.
class kernel_features {
public:
    void add(kernel_feature feature) { bits_ |= 1u << static_cast<unsigned>(feature); }
    [[nodiscard]] bool has(kernel_feature feature) const { return (bits_ >> static_cast<unsigned>(feature) & 1) != 0; }
    [[nodiscard]] bool empty() const { return bits_ == 0; }

    /// Their names, in the order above.
    [[nodiscard]] std::vector<std::string_view> names() const
    {
        constexpr std::array<std::string_view, 8> all{
            "setmaxnreg",      "tensor_memory",        "tensor_memory_pair",     "wmma",
            "memory_barriers", "warp_synchronisation", "shared_memory_spilling", "printf"};
        std::vector<std::string_view> result;
        for (std::size_t i = 0; i < all.size(); ++i)
            if ((bits_ >> i & 1) != 0) result.push_back(all[i]);
        return result;
    }

    friend bool operator==(const kernel_features&, const kernel_features&) = default;

private:
    std::uint32_t bits_ = 0;
};

}  // namespace launchbox
