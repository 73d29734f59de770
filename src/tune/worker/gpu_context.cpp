// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/gpu_context.hpp"

#include <array>
#include <bit>
#include <chrono>
#include <cstring>
#include <thread>

#include "support/error.hpp"
#include "support/process/clock.hpp"
#include "tune/worker/filling_kernels.hpp"
#include "tune/worker/helper_module.hpp"

namespace launchbox {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t piece_bytes = std::size_t{32} << 20;
constexpr std::size_t slot_count = 4096;
// For our own copies and checksums: a GPU that takes longer counts as hung.
constexpr double own_work_seconds = 25;
constexpr std::uint64_t longest_block_ns = 1'000'000'000;

}  // namespace

gpu_context::gpu_context(int device, std::function<void()> alive)
    : driver_(loaded_cuda_driver()), device_(device), alive_(std::move(alive))
{
    if (!driver_.missing.empty()) throw error(driver_.missing, "", exit_status::missing);
    check(driver_.init(0), "at cuInit");
    CUdevice gpu = 0;
    check(driver_.device(&gpu, device), "when GPU " + std::to_string(device) + " was opened");
    // We wait by polling. If the driver itself waits, it should not occupy the core that compiles.
    driver_.set_context_flags(gpu, CU_CTX_SCHED_BLOCKING_SYNC | CU_CTX_MAP_HOST);
    check(driver_.retain_context(&context_, gpu), "when its context was made");
    check(driver_.use_context(context_), "when its context was made");
    check(driver_.create_stream(&stream_, CU_STREAM_NON_BLOCKING), "when its stream was made");

    int sms = 1, l2 = 0;
    driver_.device_attribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, gpu);
    driver_.device_attribute(&l2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, gpu);
    max_blocks_ = static_cast<unsigned>(sms < 1 ? 1 : sms) * 8;
    l2_bytes_ = static_cast<std::size_t>(l2 < 0 ? 0 : l2);
    std::array<char, 64> bus{};
    if (driver_.device_bus != nullptr && driver_.device_bus(bus.data(), 63, gpu) == CUDA_SUCCESS)
        nvml_ = nvml_device(bus.data());

    check(driver_.allocate_host(&pinned_, piece_bytes, 0), "when pinned memory was allocated");
    void* flag = nullptr;
    check(driver_.allocate_host(&flag, 64, CU_MEMHOSTALLOC_DEVICEMAP), "when pinned memory was allocated");
    check(driver_.device_pointer(&flag_on_device_, flag, 0), "when pinned memory was mapped");
    flag_ = static_cast<volatile std::uint32_t*>(flag);
    check(driver_.allocate(&slots_, slot_count * 8), "when memory for checksums was allocated");
    clear_slots(slot_count);
    load_helpers();
}

void gpu_context::load_helpers()
{
    check(driver_.load_module(&helpers_, helper_module_ptx().c_str()), "when launchbox's own kernels were loaded");
    checksum_ = helper("launchbox_checksum");
    count_other_ = helper("launchbox_count_other");
    block_ = helper("launchbox_block");
    count_poison_ = helper("launchbox_count_poison");
    // The first launch loads the kernels, which may wait for all running work, so it must not happen behind a blocked
    // stream.
    block();
    unblock();
    ask_checksum(slots_, 8);
    ask_other_bytes(slots_, 8, 0);
    sums();
}

CUfunction gpu_context::helper(const std::string& name) const
{
    CUfunction function = nullptr;
    check(driver_.get_function(&function, helpers_, name.c_str()), "when launchbox's own kernels were loaded");
    return function;
}

CUfunction gpu_context::helper_by_type(const std::string& name)
{
    CUfunction& kernel = by_type_[name];
    if (kernel == nullptr) kernel = helper(name);
    return kernel;
}

void gpu_context::wait(double seconds, std::string_view stage) const
{
    const clock::time_point begin = clock::now();
    for (;;) {
        const CUresult code = driver_.query_stream(stream_);
        if (code == CUDA_SUCCESS) return;
        if (code != CUDA_ERROR_NOT_READY) throw cuda_failure{code, std::string(stage)};
        const double waited = seconds_since(begin);
        if (waited > seconds) {
            hangs_ = true;
            throw gpu_hang{seconds, std::string(stage)};
        }
        // Short kernels are polled without yielding the core, so that the next one follows at once.
        if (waited > 0.002) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
}

void gpu_context::upload(CUdeviceptr to, std::size_t bytes,
                         const std::function<void(std::size_t, std::size_t, char*)>& fill) const
{
    for (std::size_t at = 0; at < bytes; at += piece_bytes) {
        const std::size_t piece = std::min(piece_bytes, bytes - at);
        fill(at, piece, static_cast<char*>(pinned_));
        check(driver_.copy_to_device(to + at, pinned_, piece, stream_), "when its inputs were copied to the GPU");
        wait(own_work_seconds, "when its inputs were copied to the GPU");
        alive_();
    }
}

void gpu_context::download(CUdeviceptr from, std::size_t bytes, const std::function<void(std::string_view)>& take) const
{
    for (std::size_t at = 0; at < bytes; at += piece_bytes) {
        const std::size_t piece = std::min(piece_bytes, bytes - at);
        check(driver_.copy_to_host(pinned_, from + at, piece, stream_), "when its outputs were copied from the GPU");
        wait(own_work_seconds, "when its outputs were copied from the GPU");
        take({static_cast<const char*>(pinned_), piece});
        alive_();
    }
}

void gpu_context::fill(const element_filling& filling, CUdeviceptr to, std::int64_t count)
{
    if (count == 0) return;
    filling_parameters parameters = parameters_of(filling, to, count);
    run_helper(helper_by_type(filling_kernel_for(filling)), static_cast<std::size_t>(count),
               parameters.pointers().data(), "when its buffers were filled");
}

void gpu_context::run_helper(CUfunction kernel, std::size_t threads, void** parameters, std::string_view stage) const
{
    constexpr unsigned block = 256;
    const auto blocks = static_cast<unsigned>(std::min<std::size_t>(max_blocks_, threads / block + 1));
    check(driver_.launch(kernel, blocks, 1, 1, block, 1, 1, 0, stream_, parameters, nullptr), stage);
}

CUdeviceptr gpu_context::next_slots(std::size_t count)
{
    if (slots_used_ + count > slot_count) {
        slots_used_ = 0;
        clear_slots(slot_count);
        throw error("more buffers than launchbox can check at once");
    }
    const CUdeviceptr first = slots_ + 8 * slots_used_;
    slots_used_ += count;
    return first;
}

void gpu_context::ask_checksum(CUdeviceptr data, std::size_t bytes)
{
    CUdeviceptr slot = next_slots(1);
    std::uint64_t size = bytes;
    std::array<void*, 3> parameters{&data, &size, &slot};
    run_helper(checksum_, bytes / 8, parameters.data(), "when its results were checked");
}

void gpu_context::ask_other_bytes(CUdeviceptr data, std::size_t bytes, unsigned char value)
{
    CUdeviceptr slot = next_slots(1);
    std::uint64_t size = bytes;
    std::uint32_t wanted = value;
    std::array<void*, 4> parameters{&data, &size, &wanted, &slot};
    run_helper(count_other_, bytes, parameters.data(), "when its results were checked");
}

void gpu_context::ask_poisoned(CUdeviceptr data, std::size_t count, int bytes)
{
    CUdeviceptr slot = next_slots(1);
    std::uint64_t elements = count, size = static_cast<std::uint64_t>(bytes);
    std::array<void*, 4> parameters{&data, &elements, &size, &slot};
    run_helper(count_poison_, count, parameters.data(), "when its results were checked");
}

void gpu_context::ask_difference(const element_type& type, CUdeviceptr output, CUdeviceptr reference, std::size_t count,
                                 double absolute, double relative)
{
    const CUfunction kernel = helper_by_type(comparison_kernel_for(type));
    CUdeviceptr slots = next_slots(slots_of_difference);
    std::uint64_t elements = count, bytes = static_cast<std::uint64_t>(type.bytes);
    std::array<void*, 7> parameters{&output, &reference, &elements, &bytes, &absolute, &relative, &slots};
    run_helper(kernel, count, parameters.data(), "when its results were compared");
}

output_difference gpu_context::difference_in(const std::uint64_t* slots)
{
    if (slots[0] == 0) return {};
    return {.differing = static_cast<std::int64_t>(slots[0]),
            .first = static_cast<std::int64_t>(~slots[1]),
            .unwritten = static_cast<std::int64_t>(slots[3]),
            .largest = std::bit_cast<double>(slots[2])};
}

void gpu_context::fetch_sums()
{
    if (slots_used_ == 0) return;
    check(driver_.copy_to_host(pinned_, slots_, slots_used_ * 8, stream_), "when its results were checked");
    clear_slots(slots_used_);
}

std::vector<std::uint64_t> gpu_context::fetched_sums()
{
    std::vector<std::uint64_t> sums(slots_used_);
    slots_used_ = 0;
    if (!sums.empty()) std::memcpy(sums.data(), pinned_, sums.size() * 8);
    return sums;
}

std::vector<std::uint64_t> gpu_context::sums()
{
    fetch_sums();
    wait(own_work_seconds, "when its results were checked");
    return fetched_sums();
}

void gpu_context::clear_slots(std::size_t count)
{
    check(driver_.set_bytes(slots_, 0, count * 8, stream_), "when its results were checked");
}

void gpu_context::block()
{
    *flag_ = 0;
    CUdeviceptr flag = flag_on_device_;
    std::uint64_t limit = longest_block_ns;
    std::array<void*, 2> parameters{&flag, &limit};
    check(driver_.launch(block_, 1, 1, 1, 1, 1, 1, 0, stream_, parameters.data(), nullptr), "before it was timed");
}

void gpu_context::unblock()
{
    // Does not overwrite what it finds: 2 means that the GPU did not wait for this.
    if (*flag_ == 0) *flag_ = 1;
}

bool gpu_context::block_timed_out() const
{
    return *flag_ == 2;
}

}  // namespace launchbox
