// SPDX-License-Identifier: Apache-2.0
#include "image/code/spill_inference.hpp"

#include <algorithm>
#include <limits>

#include "image/container/elf.hpp"

namespace launchbox {

namespace {

constexpr std::size_t inferred_step = 16;
constexpr std::uint64_t stack_pointer = 1;  // R1

struct frame_access {
    std::size_t byte = 0;
    std::int64_t offset = 0;  // from the stack pointer
    memory_access what;
    bool last_use = false;
};

struct frame_code {
    std::vector<frame_access> accesses;
    std::size_t stack_pointer_set = 0, stack_pointer_moved = 0;
};

frame_code read_frame_code(std::string_view code);

}  // namespace

std::optional<spill_limits> infer_spills(std::string_view code, std::size_t begin, std::size_t end,
                                         std::vector<std::uint32_t>& offsets)
{
    end = std::min(end, code.size());
    begin = std::min(begin, end);
    const frame_code frame = read_frame_code(code.substr(begin, end - begin));
    const frame_code before = read_frame_code(code.substr(0, begin)), behind = read_frame_code(code.substr(end));
    spill_limits limits;
    for (const frame_code* part : {&frame, &before, &behind})
        for (const frame_access& access : part->accesses) limits.at_most.add(access.what);
    // If it is moved further, by alloca or for call arguments, equal offsets no longer mean equal places.
    if (frame.stack_pointer_set != 1 || frame.stack_pointer_moved > 1) return std::nullopt;

    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::int64_t first_spill = none;
    for (const frame_access& access : frame.accesses)
        if (access.last_use) first_spill = std::min(first_spill, access.offset);
    bool doubt = !before.accesses.empty() || !behind.accesses.empty();
    for (const frame_access& access : frame.accesses) {
        if (access.offset >= first_spill) {
            limits.at_least.add(access.what);
            offsets.push_back(static_cast<std::uint32_t>(begin + access.byte));
        } else if (!access.what.store)
            doubt = true;
    }
    if (!doubt) limits.at_most = limits.at_least;
    return limits;
}

namespace {

frame_access access_at(std::string_view code, std::size_t byte, const memory_access& what)
{
    constexpr int offset_bits = 24;
    constexpr std::uint64_t last_use = 3;
    const auto low = read_number<std::uint64_t>(code, byte), high = read_number<std::uint64_t>(code, byte + 8);
    auto offset = static_cast<std::int64_t>(low >> 40);
    if (offset >= std::int64_t{1} << (offset_bits - 1)) offset -= std::int64_t{1} << offset_bits;
    return {.byte = byte, .offset = offset, .what = what, .last_use = !what.store && (high >> 20 & 7) == last_use};
}

// Whether bits 16 to 23, which contain the destination register of most instructions, mean something else.
bool writes_no_register(std::uint64_t opcode)
{
    constexpr std::uint64_t stores[] = {0x385, 0x386, 0x387, 0x388, 0x98e, 0x98d};
    return std::ranges::find(stores, opcode) != std::end(stores);
}

frame_code read_frame_code(std::string_view code)
{
    frame_code frame;
    for (std::size_t byte = 0; code.size() - byte >= inferred_step; byte += inferred_step) {
        const auto low = read_number<std::uint64_t>(code, byte);
        const std::uint64_t opcode = low & 0xfff, target = low >> 16 & 0xff, source = low >> 24 & 0xff;
        if (const auto what = decode_local_access(code, byte); what && what->local) {
            if (source == stack_pointer) frame.accesses.push_back(access_at(code, byte, *what));
            continue;
        }
        if (target != stack_pointer || writes_no_register(opcode)) continue;
        ++(source == stack_pointer ? frame.stack_pointer_moved : frame.stack_pointer_set);
    }
    return frame;
}

}  // namespace

}  // namespace launchbox
