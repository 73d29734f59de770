// How much a test tries: enough for every change in `./test`, everything in `./test --all`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

namespace launchbox {

/// `./test --all` sets LAUNCHBOX_EXHAUSTIVE.
inline bool is_exhaustive()
{
    return std::getenv("LAUNCHBOX_EXHAUSTIVE") != nullptr;
}

/// LAUNCHBOX_SEED, or the same seed in every `./test` and a new one in each `./test --all`. Printed, so that a failure
/// can be reproduced: LAUNCHBOX_SEED=n ctest ...
inline std::uint64_t random_seed()
{
    const char* given = std::getenv("LAUNCHBOX_SEED");
    const std::uint64_t seed = given != nullptr ? std::stoull(given) : is_exhaustive() ? std::random_device{}() : 20261;
    std::cout << "LAUNCHBOX_SEED=" << seed << "\n";
    return seed;
}

/// Whether to try one of many combinations: all in `./test --all`, otherwise one in `stride`, chosen by a hash of its
/// number, so that nested loops do not skip the same ones.
class taken_combinations {
public:
    explicit taken_combinations(std::uint64_t stride) : stride_(is_exhaustive() ? 1 : stride) {}

    bool next()
    {
        std::uint64_t hash = ++number_ * 0x9e3779b97f4a7c15;
        hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9;
        return (hash >> 33) % stride_ == 0;
    }

private:
    std::uint64_t stride_, number_ = 0;
};

}  // namespace launchbox
