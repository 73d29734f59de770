// SPDX-License-Identifier: Apache-2.0
#include "capture/observer/tracked_memory.hpp"

#include <array>
#include <cstring>
#include <iterator>

#include "capture/record/launch_format.hpp"

namespace launchbox {

namespace {

constexpr std::array<CUpti_CallbackId, 21> tracked_calls{CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2,
                                                         CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2,
                                                         CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged,
                                                         CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync,
                                                         CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz,
                                                         CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync,
                                                         CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz,
                                                         CUPTI_DRIVER_TRACE_CBID_cuMemMap,
                                                         CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2,
                                                         CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync,
                                                         CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz,
                                                         CUPTI_DRIVER_TRACE_CBID_cuMemUnmap,
                                                         CUPTI_DRIVER_TRACE_CBID_cuMemAllocHost_v2,
                                                         CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc,
                                                         CUPTI_DRIVER_TRACE_CBID_cuMemHostRegister_v2,
                                                         CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost,
                                                         CUPTI_DRIVER_TRACE_CBID_cuMemHostUnregister,
                                                         CUPTI_DRIVER_TRACE_CBID_cuTexObjectCreate,
                                                         CUPTI_DRIVER_TRACE_CBID_cuTexObjectDestroy,
                                                         CUPTI_DRIVER_TRACE_CBID_cuSurfObjectCreate,
                                                         CUPTI_DRIVER_TRACE_CBID_cuSurfObjectDestroy};

CUdeviceptr number_of(const void* host)
{
    return reinterpret_cast<CUdeviceptr>(host);
}

}  // namespace

std::span<const CUpti_CallbackId> tracked_memory::calls()
{
    return tracked_calls;
}

void tracked_memory::called(CUpti_CallbackId id, const void* parameters)
{
    switch (id) {
        case CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2: {
            const auto& call = *static_cast<const cuMemAlloc_v2_params*>(parameters);
            return add(*call.dptr, call.bytesize, record::kind_allocated);
        }
        case CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2: {
            const auto& call = *static_cast<const cuMemAllocPitch_v2_params*>(parameters);
            return add(*call.dptr, *call.pPitch * call.Height, record::kind_allocated);
        }
        case CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged: {
            const auto& call = *static_cast<const cuMemAllocManaged_params*>(parameters);
            return add(*call.dptr, call.bytesize, record::kind_managed);
        }
        case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync:
        case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz: {
            const auto& call = *static_cast<const cuMemAllocAsync_params*>(parameters);
            return add(*call.dptr, call.bytesize, record::kind_pool);
        }
        case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync:
        case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz: {
            const auto& call = *static_cast<const cuMemAllocFromPoolAsync_params*>(parameters);
            return add(*call.dptr, call.bytesize, record::kind_pool);
        }
        case CUPTI_DRIVER_TRACE_CBID_cuMemMap: {
            const auto& call = *static_cast<const cuMemMap_params*>(parameters);
            return add(call.ptr, call.size, record::kind_mapped);
        }
        case CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2:
            return remove(static_cast<const cuMemFree_v2_params*>(parameters)->dptr, 0);
        case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync:
        case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz:
            return remove(static_cast<const cuMemFreeAsync_params*>(parameters)->dptr, 0);
        case CUPTI_DRIVER_TRACE_CBID_cuMemUnmap: {
            const auto& call = *static_cast<const cuMemUnmap_params*>(parameters);
            return remove(call.ptr, call.size);
        }
        // With unified addresses, the GPU uses the same address as the host.
        case CUPTI_DRIVER_TRACE_CBID_cuMemAllocHost_v2: {
            const auto& call = *static_cast<const cuMemAllocHost_v2_params*>(parameters);
            pinned_[number_of(*call.pp)] = call.bytesize;
            return;
        }
        case CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc: {
            const auto& call = *static_cast<const cuMemHostAlloc_params*>(parameters);
            pinned_[number_of(*call.pp)] = call.bytesize;
            return;
        }
        case CUPTI_DRIVER_TRACE_CBID_cuMemHostRegister_v2: {
            const auto& call = *static_cast<const cuMemHostRegister_v2_params*>(parameters);
            pinned_[number_of(call.p)] = call.bytesize;
            return;
        }
        case CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost:
            pinned_.erase(number_of(static_cast<const cuMemFreeHost_params*>(parameters)->p));
            return;
        case CUPTI_DRIVER_TRACE_CBID_cuMemHostUnregister:
            pinned_.erase(number_of(static_cast<const cuMemHostUnregister_params*>(parameters)->p));
            return;
        case CUPTI_DRIVER_TRACE_CBID_cuTexObjectCreate:
            textures_.insert(*static_cast<const cuTexObjectCreate_params*>(parameters)->pTexObject);
            return;
        case CUPTI_DRIVER_TRACE_CBID_cuTexObjectDestroy:
            textures_.erase(static_cast<const cuTexObjectDestroy_params*>(parameters)->texObject);
            return;
        case CUPTI_DRIVER_TRACE_CBID_cuSurfObjectCreate:
            textures_.insert(*static_cast<const cuSurfObjectCreate_params*>(parameters)->pSurfObject);
            return;
        case CUPTI_DRIVER_TRACE_CBID_cuSurfObjectDestroy:
            textures_.erase(static_cast<const cuSurfObjectDestroy_params*>(parameters)->surfObject);
            return;
        default:
            return;
    }
}

bool tracked_memory::is_pinned(CUdeviceptr address) const
{
    const auto next = pinned_.upper_bound(address);
    if (next == pinned_.begin()) return false;
    const auto& [begin, bytes] = *std::prev(next);
    return address - begin < bytes;
}

memory_range tracked_memory::find(CUdeviceptr address) const
{
    auto found = ranges_.upper_bound(address);
    if (found == ranges_.begin()) return {};
    --found;
    memory_range range = found->second;
    if (address - range.address >= range.bytes) return {};
    if (std::strcmp(range.kind, record::kind_mapped) != 0) return range;
    const auto is_mapped = [](const memory_range& one) { return std::strcmp(one.kind, record::kind_mapped) == 0; };
    for (auto before = found; before != ranges_.begin();) {
        --before;
        if (!is_mapped(before->second) || before->first + before->second.bytes != range.address) break;
        range.address = before->first;
        range.bytes += before->second.bytes;
    }
    for (auto next = std::next(found); next != ranges_.end(); ++next) {
        if (!is_mapped(next->second) || range.address + range.bytes != next->first) break;
        range.bytes += next->second.bytes;
    }
    return range;
}

std::vector<memory_range> tracked_memory::all() const
{
    std::vector<memory_range> all;
    for (auto at = ranges_.begin(); at != ranges_.end();) {
        const memory_range range = find(at->first);
        all.push_back(range);
        at = ranges_.lower_bound(range.address + range.bytes);
    }
    return all;
}

void tracked_memory::add(CUdeviceptr address, std::size_t bytes, const char* kind)
{
    if (address != 0 && bytes > 0) ranges_[address] = {address, bytes, kind};
}

void tracked_memory::remove(CUdeviceptr address, std::size_t bytes)
{
    if (bytes == 0) {
        ranges_.erase(address);
        return;
    }
    auto at = ranges_.lower_bound(address);
    while (at != ranges_.end() && at->first - address < bytes) at = ranges_.erase(at);
}

}  // namespace launchbox
