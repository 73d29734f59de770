// One GPU as the worker uses it: a context, a stream, pinned memory, and the worker's own kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/cuda_driver.hpp"
#include "gpu/nvml.hpp"
#include "tune/worker/compare/compare_outputs.hpp"
#include "tune/worker/cuda_outcome.hpp"
#include "tune/worker/element_filling.hpp"

namespace launchbox {

/// Lives until the process ends, since freeing resources of a dead context only fails. All members throw `cuda_failure`
/// for errors of the driver, and `gpu_hang` if the GPU does not finish.
class gpu_context {
public:
    /// Throws `error` without a driver. `alive` is called now and then during long work.
    gpu_context(int device, std::function<void()> alive);
    gpu_context(const gpu_context&) = delete;
    gpu_context& operator=(const gpu_context&) = delete;

    [[nodiscard]] const cuda_driver& driver() const { return driver_; }
    [[nodiscard]] int device() const { return device_; }
    [[nodiscard]] CUstream stream() const { return stream_; }
    [[nodiscard]] const nvml_device& nvml() const { return nvml_; }
    [[nodiscard]] std::size_t l2_bytes() const { return l2_bytes_; }
    void check(CUresult code, std::string_view stage) const
    {
        if (code != CUDA_SUCCESS) throw cuda_failure{code, std::string(stage)};
    }
    void alive() const { alive_(); }

    /// Waits until the GPU has finished all work.
    void wait(double seconds, std::string_view stage) const;
    /// Whether that wait timed out. Calls that wait for the GPU, such as those that free memory, would then never
    /// return.
    [[nodiscard]] bool hangs() const { return hangs_; }

    /// Copies through pinned memory, piece by piece; `fill(first_byte, bytes, to)` produces a piece, `take` receives
    /// one.
    void upload(CUdeviceptr to, std::size_t bytes,
                const std::function<void(std::size_t, std::size_t, char*)>& fill) const;
    void download(CUdeviceptr from, std::size_t bytes, const std::function<void(std::string_view)>& take) const;

    /// Makes elements on the GPU, in stream order.
    void fill(const element_filling& filling, CUdeviceptr to, std::int64_t count);

    /// Sums of device memory, in stream order: each `ask` gets a slot. `fetch_sums` copies them to the host; once the
    /// stream has come that far, `fetched_sums` returns them and the next `ask` begins anew. `sums` does both and
    /// waits.
    void ask_checksum(CUdeviceptr data, std::size_t bytes);
    void ask_other_bytes(CUdeviceptr data, std::size_t bytes, unsigned char value);
    void ask_poisoned(CUdeviceptr data, std::size_t count, int bytes);
    /// Takes four slots, which `difference_in` reads.
    void ask_difference(const element_type& type, CUdeviceptr output, CUdeviceptr reference, std::size_t count,
                        double absolute, double relative);
    static output_difference difference_in(const std::uint64_t* slots);
    static constexpr std::size_t slots_of_difference = 4;
    void fetch_sums();
    std::vector<std::uint64_t> fetched_sums();
    std::vector<std::uint64_t> sums();

    /// Makes the stream wait from here on until `unblock`, or for a second at most.
    void block();
    void unblock();
    /// Whether the last wait timed out: then not all launches behind it had been queued.
    [[nodiscard]] bool block_timed_out() const;

private:
    void run_helper(CUfunction kernel, std::size_t threads, void** parameters, std::string_view stage) const;
    CUdeviceptr next_slots(std::size_t count);
    void clear_slots(std::size_t count);
    void load_helpers();
    CUfunction helper(const std::string& name) const;
    CUfunction helper_by_type(const std::string& name);

    const cuda_driver& driver_;
    const int device_;
    mutable bool hangs_ = false;
    std::function<void()> alive_;
    CUcontext context_ = nullptr;
    CUstream stream_ = nullptr;
    CUmodule helpers_ = nullptr;
    CUfunction checksum_ = nullptr, count_other_ = nullptr, block_ = nullptr, count_poison_ = nullptr;
    std::map<std::string, CUfunction> by_type_;  // of the kernels for one type, those that were used
    CUdeviceptr slots_ = 0, flag_on_device_ = 0;
    std::size_t slots_used_ = 0, l2_bytes_ = 0;
    unsigned max_blocks_ = 1;
    void* pinned_ = nullptr;
    volatile std::uint32_t* flag_ = nullptr;
    nvml_device nvml_{""};
};

}  // namespace launchbox
