// The elements of a generated buffer. Each depends on its index alone, so that any part can be generated separately,
// with the same bits on the GPU (filling_kernels) and on the host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "tune/worker/gpu_worker.hpp"

namespace launchbox {

struct element_filling {
    element_type type;
    bool floating = false;  ///< calculated as double and rounded to the type; else as an integer of 64 bits
    bool sequence = false;  ///< each is its index; else random
    std::uint64_t seed = 0;
    /// Of random integers: the smallest, and how many there are. 0: all of the type.
    std::uint64_t smallest = 0, range = 0;
    /// Of random floating-point numbers: `high` is not among them.
    double low = 0, high = 1;
};

/// Zeros, constants, sequences and random numbers; nothing for files and poison. Throws `error` where no number of the
/// type lies between low and high.
std::optional<element_filling> element_filling_of(const task_argument& argument);

/// Elements `first` to `first + count - 1`.
void fill_elements(const element_filling& filling, std::int64_t first, std::int64_t count, char* to);

/// What a scalar or a constant is as an element; behind these bits a longer type has zeros.
std::uint64_t number_bits(const task_argument& argument, const element_type& type);

/// A floating-point number as bits of its type.
std::uint64_t floating_bits(double value, const element_type& type);

/// How many random bits a floating-point number between 0 and 1 of this type gets: more would round up to 1.
int random_bits_of(const element_type& type);

/// Of SplitMix64: what the seed and the index are multiplied with, and what the sum of both is mixed with.
namespace split_mix {
inline constexpr std::uint64_t seed_factor = 0xd1342543de82ef95, index_factor = 0x9e3779b97f4a7c15;
inline constexpr std::uint64_t first_mix = 0xbf58476d1ce4e5b9, second_mix = 0x94d049bb133111eb;
}  // namespace split_mix

}  // namespace launchbox
