// SPDX-License-Identifier: Apache-2.0
#include "image/code/spills.hpp"

#include <array>

#include "image/container/elf.hpp"

namespace launchbox {

namespace {

constexpr std::size_t instruction_size = 16;

// The size of an annotation record is a 16-bit number of bytes, 8 per spill. ptxas stores it modulo 65,536, so a list
// of n spills contains only the first n mod 8,192.
constexpr std::size_t list_wraps_at = 8192;

}  // namespace

std::optional<spill_counts> count_spills(std::string_view code, const std::vector<std::uint32_t>& listed,
                                         bool shared_scratch)
{
    const std::optional<spill_limits> limits = limit_spills(code, listed, shared_scratch);
    return limits && limits->at_least == limits->at_most ? std::optional(limits->at_least) : std::nullopt;
}

std::optional<spill_limits> limit_spills(std::string_view code, const std::vector<std::uint32_t>& listed,
                                         bool shared_scratch)
{
    const std::optional<listed_spills> of_list = sum_of_spills(code, listed);
    if (!of_list) return std::nullopt;

    const spill_limits exact{of_list->local, of_list->local, of_list->shared};
    if (code.size() / instruction_size < list_wraps_at) return exact;  // too short for a longer list

    std::size_t count = 0;
    spill_counts of_code;
    for (std::size_t offset = 0; code.size() - offset >= instruction_size; offset += instruction_size) {
        const auto access = decode_local_access(code, offset);
        if (!access || !(access->local || shared_scratch)) continue;
        ++count;
        if (access->local) of_code.add(*access);
    }
    if (count < list_wraps_at) return exact;
    // The list lacks exactly as many accesses as a wrapped list would if all of them were spills. An empty list can
    // mean 8,192 as well as none.
    if (!shared_scratch && !listed.empty() && (count - listed.size()) % list_wraps_at == 0)
        return spill_limits{of_code, of_code};
    spill_limits limits{of_list->local, of_code};
    if (shared_scratch) limits.shared.reset();
    return limits;
}

std::optional<listed_spills> sum_of_spills(std::string_view code, const std::vector<std::uint32_t>& listed)
{
    listed_spills of_list;
    for (const std::uint32_t offset : listed) {
        if (offset % instruction_size != 0 || !slice(code, offset, instruction_size)) return std::nullopt;
        const auto access = decode_local_access(code, offset);
        if (!access) return std::nullopt;
        (access->local ? of_list.local : of_list.shared).add(*access);
    }
    return of_list;
}

void for_each_local_access(std::string_view code, const std::function<void(std::size_t offset)>& use)
{
    for (std::size_t offset = 0; code.size() - offset >= instruction_size; offset += instruction_size)
        if (const auto access = decode_local_access(code, offset); access && access->local) use(offset);
}

// Opcodes and widths are the same from sm_70 to sm_121.
std::optional<memory_access> decode_local_access(std::string_view code, std::size_t offset)
{
    memory_access access;
    switch (read_number<std::uint64_t>(code, offset) & 0xfff) {
        case 0x387:
            access = {.local = true, .store = true};
            break;
        case 0x983:
            access = {.local = true, .store = false};
            break;
        case 0x388:
            access = {.local = false, .store = true};
            break;
        case 0x984:
            access = {.local = false, .store = false};
            break;
        default:
            return std::nullopt;
    }
    constexpr std::array<std::int64_t, 8> width{1, 1, 2, 2, 4, 8, 16, 0};
    access.bytes = width[read_number<std::uint64_t>(code, offset + 8) >> 9 & 7];
    return access;
}

}  // namespace launchbox
