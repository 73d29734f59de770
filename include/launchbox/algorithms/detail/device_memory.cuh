// launchbox: an algorithm's workspace, given by the caller or allocated from the stream. Internal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include <launchbox/algorithms/workspace.hpp>
#include <launchbox/launch.cuh>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox::detail {

/// Parts of one piece of memory, each aligned to 256 bytes.
class memory_parts {
public:
    std::size_t add(std::size_t bytes)
    {
        const std::size_t at = bytes_;
        bytes_ += (bytes + 255) / 256 * 256;
        return at;
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
    std::size_t bytes_ = 0;
};

/// The workspace that was given, or memory that is allocated and freed in stream order.
class device_memory {
public:
    device_memory(cudaStream_t stream, workspace given, std::size_t bytes, const char* algorithm)
        : stream_(stream), memory_(static_cast<char*>(given.memory))
    {
        if (bytes == 0) return;
        if (memory_) {
            if (given.bytes < bytes)
                throw launch_error(std::string(algorithm) + ": the workspace has " + std::to_string(given.bytes) +
                                       " bytes, but " + std::to_string(bytes) +
                                       " are needed. Get the size with workspace::query, or pass none.",
                                   cudaErrorInvalidValue, launch_error_kind::runtime);
            return;
        }
        void* memory = nullptr;
        if (const cudaError_t status = cudaMallocAsync(&memory, bytes, stream); status != cudaSuccess) {
            cudaGetLastError();
            throw launch_error(std::string(algorithm) + ": no workspace of " + std::to_string(bytes) +
                                   " bytes from the stream (" + error_text(status) + "). Free memory, or give one.",
                               status, launch_error_kind::runtime);
        }
        memory_ = static_cast<char*>(memory);
        is_own_ = true;
    }
    device_memory(const device_memory&) = delete;
    device_memory& operator=(const device_memory&) = delete;
    ~device_memory()
    {
        if (is_own_) cudaFreeAsync(memory_, stream_);
    }

    template <class Type>
    [[nodiscard]] Type* at(std::size_t offset) const
    {
        return reinterpret_cast<Type*>(memory_ + offset);
    }

private:
    cudaStream_t stream_;
    char* memory_;
    bool is_own_ = false;
};

}  // namespace launchbox::detail
#pragma GCC visibility pop
