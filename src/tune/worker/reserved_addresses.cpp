// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/reserved_addresses.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "capture/folder/captured_launch.hpp"
#include "support/error.hpp"

namespace launchbox {

std::vector<address_range> pages_of(std::vector<address_range> ranges, std::uint64_t page_bytes)
{
    for (address_range& range : ranges) {
        range.begin = range.begin / page_bytes * page_bytes;
        range.end = (range.end + page_bytes - 1) / page_bytes * page_bytes;
    }
    std::ranges::sort(ranges, {}, &address_range::begin);
    std::vector<address_range> merged;
    for (const address_range& range : ranges)
        if (!merged.empty() && range.begin <= merged.back().end)
            merged.back().end = std::max(merged.back().end, range.end);
        else
            merged.push_back(range);
    return merged;
}

reserved_addresses::reserved_addresses(int device, const std::vector<std::string>& captures)
{
    const cuda_driver& driver = loaded_cuda_driver();
    if (captures.empty() || !driver.missing.empty()) return;
    if (driver.reserve_address == nullptr) {
        missing_ = "this driver cannot reserve addresses";
        return;
    }
    if (driver.init(0) != CUDA_SUCCESS) return;  // the session reports it
    CUmemAllocationProp kind{};
    kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    kind.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device};
    std::size_t page = 0;
    if (driver.granularity(&page, &kind, CU_MEM_ALLOC_GRANULARITY_MINIMUM) == CUDA_SUCCESS && page > 0)
        page_bytes_ = page;
    std::vector<address_range> wanted;
    for (const std::string& file : captures) try {
            for (const captured_memory& memory : read_capture(file).memory)
                wanted.push_back({memory.address, memory.address + memory.bytes});
        } catch (const error&) {  // the task reports it
        }
    // The driver grants a requested address if it is a multiple of its own block size, which no call reports: 32 MiB on
    // an H200 with driver 13.0.
    for (const std::uint64_t block : {page_bytes_, std::uint64_t{32} << 20, std::uint64_t{512} << 20})
        if (block >= page_bytes_ && reserve(pages_of(wanted, block))) return;
}

// All or none.
bool reserved_addresses::reserve(const std::vector<address_range>& ranges)
{
    const cuda_driver& driver = loaded_cuda_driver();
    for (const address_range& range : ranges) {
        CUdeviceptr got = 0;
        const std::size_t bytes = range.end - range.begin;
        const CUresult code = driver.reserve_address(&got, bytes, 0, range.begin, 0);
        if (code == CUDA_SUCCESS && got == range.begin) {
            held_.push_back(range);
            continue;
        }
        missing_ = fmt::format("{:#x} to {:#x}: ", range.begin, range.end);
        if (code == CUDA_SUCCESS) {
            driver.free_address(got, bytes);
            missing_ += "something else is there";
        } else {
            missing_ += fmt::format("the driver refuses with error {}", static_cast<int>(code));
        }
        for (const address_range& held : held_) driver.free_address(held.begin, held.end - held.begin);
        held_.clear();
        return false;
    }
    missing_.clear();
    return true;
}

bool reserved_addresses::holds(const address_range& range) const
{
    return std::ranges::any_of(
        held_, [&](const address_range& held) { return held.begin <= range.begin && range.end <= held.end; });
}

}  // namespace launchbox
