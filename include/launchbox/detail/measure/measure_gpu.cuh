// launchbox: what a sample needs from the GPU: a flushed L2, a stream that is held until everything is launched, and
// events. Internal: include measure.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstddef>

#include <launchbox/detail/measure/measure_failure.cuh>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox::detail {

/// GPU memory of the size of the L2, which is written to flush it.
class l2_flush {
public:
    explicit l2_flush(bool wanted)
    {
        if (!wanted) return;
        int device = 0, bytes = 0;
        require(cudaGetDevice(&device), measuring::setting_up);
        require(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device), measuring::setting_up);
        if (bytes <= 0) return;
        bytes_ = static_cast<std::size_t>(bytes);
        require(cudaMalloc(&memory_, bytes_), measuring::setting_up);
    }
    l2_flush(const l2_flush&) = delete;
    l2_flush& operator=(const l2_flush&) = delete;
    ~l2_flush()
    {
        if (memory_ != nullptr) cudaFree(memory_);
    }

    void enqueue(cudaStream_t stream) const
    {
        if (memory_ != nullptr) require(cudaMemsetAsync(memory_, 0, bytes_, stream), measuring::setting_up);
    }

private:
    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
};

class timing_event {
public:
    timing_event() { require(cudaEventCreate(&event_), measuring::setting_up); }
    timing_event(const timing_event&) = delete;
    timing_event& operator=(const timing_event&) = delete;
    ~timing_event() { cudaEventDestroy(event_); }

    void record(cudaStream_t stream) const { require(cudaEventRecord(event_, stream), measuring::launching); }
    void wait() const { require(cudaEventSynchronize(event_), measuring::running); }
    [[nodiscard]] double ns_since(const timing_event& begin) const
    {
        float milliseconds = 0;
        require(cudaEventElapsedTime(&milliseconds, begin.event_, event_), measuring::running);
        return static_cast<double>(milliseconds) * 1e6;
    }

private:
    cudaEvent_t event_ = nullptr;
};

/// Flags in host memory that is mapped into the GPU.
struct hold_flags {
    int released, timed_out;
};

class shared_flags {
public:
    shared_flags()
    {
        void* memory = nullptr;
        require(cudaHostAlloc(&memory, sizeof(hold_flags), cudaHostAllocMapped), measuring::setting_up);
        flags_ = static_cast<hold_flags*>(memory);
        *flags_ = {.released = 1, .timed_out = 0};
        void* on_gpu = nullptr;
        const cudaError_t mapped = cudaHostGetDevicePointer(&on_gpu, memory, 0);
        if (mapped != cudaSuccess) cudaFreeHost(memory);
        require(mapped, measuring::setting_up);
        on_gpu_ = static_cast<hold_flags*>(on_gpu);
    }
    shared_flags(const shared_flags&) = delete;
    shared_flags& operator=(const shared_flags&) = delete;
    ~shared_flags() { cudaFreeHost(flags_); }

    /// Call it only after the previous hold_stream kernel has ended.
    void hold()
    {
        __atomic_store_n(&flags_->timed_out, 0, __ATOMIC_SEQ_CST);
        __atomic_store_n(&flags_->released, 0, __ATOMIC_SEQ_CST);
    }
    void release() { __atomic_store_n(&flags_->released, 1, __ATOMIC_SEQ_CST); }
    /// Valid after the stream has passed the hold_stream kernel.
    [[nodiscard]] bool timed_out() const { return __atomic_load_n(&flags_->timed_out, __ATOMIC_SEQ_CST) != 0; }
    [[nodiscard]] hold_flags* on_gpu() const { return on_gpu_; }

private:
    hold_flags* flags_ = nullptr;
    hold_flags* on_gpu_ = nullptr;
};

// This kernel and all functions that launch it are static, so that each object file launches its own: a linker that
// kept one file's functions for all files would also keep the architectures that this file was compiled for. The kernel
// gives up after a while: otherwise a callable that waits for the GPU would never return.
static __global__ void hold_stream(volatile hold_flags* flags, unsigned long long limit_ns)
{
    unsigned long long begin = 0, now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    while (flags->released == 0) {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        if (now - begin > limit_ns) {
            flags->timed_out = 1;
            return;
        }
    }
}

/// The stream waits from here until the end of the scope.
class held_stream {
public:
    explicit held_stream(shared_flags* flags) : flags_(flags)
    {
        if (flags_ != nullptr) flags_->hold();
    }
    held_stream(const held_stream&) = delete;
    held_stream& operator=(const held_stream&) = delete;
    ~held_stream()
    {
        if (flags_ != nullptr) flags_->release();
    }

private:
    shared_flags* flags_;
};

static inline void launch_hold(const shared_flags& flags, cudaStream_t stream, std::chrono::nanoseconds limit)
{
    hold_stream<<<1, 1, 0, stream>>>(flags.on_gpu(), static_cast<unsigned long long>(limit.count()));
    require(cudaGetLastError(), measuring::setting_up);
}

}  // namespace launchbox::detail
#pragma GCC visibility pop
