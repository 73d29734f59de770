// launchbox: the memory that an algorithm works in. Plain C++, no CUDA needed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace launchbox {

/// Device memory for one call of an algorithm, in three ways:
///
///     merge_sort(stream, keys, n);                                   // none: allocated and freed in stream order
///     std::size_t bytes = 0;
///     merge_sort(stream, keys, n, less{}, workspace::query(bytes));  // sets bytes, launches nothing
///     merge_sort(stream, keys, n, less{}, {memory, bytes});          // given: aligned to 256 bytes, as by cudaMalloc
///
/// A given workspace belongs to the call until the stream has done its work. If it is too small, the call throws a
/// launch_error that says how many bytes are needed. Algorithms take a workspace by value, like a pointer.
struct workspace {
    void* memory = nullptr;
    std::size_t bytes = 0;
    std::size_t* needed = nullptr;  ///< of a query: receives the bytes needed

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
