// launchbox: a stable sort by merging, of any trivially copyable keys and values with any order.
// SPDX-License-Identifier: Apache-2.0
//
//     launchbox::merge_sort(stream, keys, n);                                    // ascending
//     launchbox::merge_sort(stream, keys, n, launchbox::greater{});              // any strict weak order
//     launchbox::merge_sort(stream, keys, values, n, launchbox::less{}, space);  // values move with their keys
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include <launchbox/algorithms/workspace.hpp>

namespace launchbox {

/// Sorts `n` keys on the device in place: stable, 0 <= n < 2^48, no host synchronisation.
template <class Tuning = void, class Key, class Compare = less>
void merge_sort(cudaStream_t stream, Key* keys, std::int64_t n, Compare compare = {}, workspace space = {});

/// The same with values that move with their keys. `Value` is of any size.
template <class Tuning = void, class Key, class Value, class Compare = less>
void merge_sort(cudaStream_t stream, Key* keys, Value* values, std::int64_t n, Compare compare = {},
                workspace space = {});

}  // namespace launchbox
