// launchbox: the memory that an algorithm works in. Plain C++, no CUDA needed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace launchbox {

/// Device memory for an algorithm's call. Three ways:
///
///     merge_sort(stream, keys, n);                                   // none: allocated and freed in stream order
///     std::size_t bytes = 0;
///     merge_sort(stream, keys, n, less{}, workspace::query(bytes));  // sets bytes, launches nothing
///     merge_sort(stream, keys, n, less{}, {memory, bytes});          // given: aligned to 256 bytes, as by cudaMalloc
///
/// A given workspace belongs to the call until the stream has done its work. One that is too small is a launch_error
/// that says how many bytes are needed. Algorithms take it by value, like a pointer: a query is where they write to.
struct workspace {
    void* memory = nullptr;
    std::size_t bytes = 0;
    std::size_t* needed = nullptr;  ///< of a query: set to the bytes needed

    constexpr workspace() = default;
    constexpr workspace(void* memory_in, std::size_t bytes_in) : memory(memory_in), bytes(bytes_in) {}
    /// Asks how many bytes the call with otherwise the same arguments needs; they depend on types, sizes and GPU alone.
    static constexpr workspace query(std::size_t& bytes_out)
    {
        workspace question;
        question.needed = &bytes_out;
        return question;
    }
};

}  // namespace launchbox
