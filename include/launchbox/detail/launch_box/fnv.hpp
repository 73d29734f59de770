// launchbox: the hash FNV-1a with 64 bits, at compile time. Internal: include launch_box.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace launchbox::detail {

/// Of a range of bytes or characters.
template <class Bytes>
constexpr std::uint64_t fnv1a(const Bytes& bytes)
{
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (auto byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
    return hash;
}

}  // namespace launchbox::detail
