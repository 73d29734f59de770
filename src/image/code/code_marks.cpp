// SPDX-License-Identifier: Apache-2.0
#include "image/code/code_marks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "image/container/elf.hpp"
#include "image/container/image_diagnostic.hpp"
#include "image/container/nv_info.hpp"

namespace launchbox {

namespace {

constexpr std::size_t number_bytes = 4;

void add_branches(std::string_view all, code_marks& marks)
{
    constexpr std::size_t head_numbers = 3;
    const std::size_t numbers = all.size() / number_bytes;
    const auto number = [&](std::size_t i) { return read_number<std::uint32_t>(all, i * number_bytes); };
    for (std::size_t at = 0; numbers - at >= head_numbers;) {
        const std::size_t count = number(at + 2);
        if (count > numbers - at - head_numbers) break;
        std::vector<std::uint64_t>& targets = marks.branches[number(at)];
        targets.clear();
        for (std::size_t i = 0; i < count; ++i) targets.push_back(number(at + head_numbers + i));
        at += head_numbers + count;
    }
}

// Which records list code offsets was found by writing each number into an image and checking whether nvdisasm (13.5)
// starts a block there.
void add_labels(const nv_info_record& record, code_marks& marks)
{
    constexpr std::array<std::uint8_t, 12> plain{0x1c, 0x1d, 0x25, 0x27, 0x28, 0x2d,
                                                 0x31, 0x46, 0x47, 0x57, 0x59, 0x65};
    constexpr std::uint8_t with_masks = 0x44;
    std::size_t step = number_bytes, first = 0;
    if (record.is(nv_info_attribute::annotations)) {
        step = 2 * number_bytes;
        first = number_bytes;
    } else if (record.attribute == with_masks) {
        step = 2 * number_bytes;
    } else if (std::ranges::find(plain, record.attribute) == plain.end()) {
        return;
    }
    for (std::size_t at = first; at + number_bytes <= record.payload.size(); at += step)
        marks.labels.push_back(read_number<std::uint32_t>(record.payload, at));
}

}  // namespace

code_mark_index::code_mark_index(const elf_image& image)
{
    constexpr std::uint32_t section_nv_info = 0x70000000;
    constexpr std::string_view prefix = ".nv.info.";
    std::uint64_t left = 0;  // up to the end of the data
    for (const elf_section& section : image.sections)
        if (!section.content.empty()) left = std::max(left, section.offset + section.content.size());
    for (const elf_section& section : image.sections) {
        if (section.type != section_nv_info || !section.name.starts_with(prefix) || section.content.size() > left)
            continue;
        left -= section.content.size();
        sections_[section.name.substr(prefix.size())].push_back(&section);
    }
}

code_marks code_mark_index::of(std::string_view kernel, int registers) const
{
    constexpr int max_registers = 255;
    code_marks marks;
    marks.registers = static_cast<std::uint32_t>(std::clamp(registers, 0, max_registers));
    const auto found = sections_.find(kernel);
    if (found == sections_.end()) return marks;
    std::vector<image_diagnostic> ignored;
    for (const elf_section* section : found->second) {
        nv_info_reader reader(section->content, section->offset, ignored);
        for (nv_info_record record; reader.next(record);) {
            if (record.is(nv_info_attribute::branch_targets)) add_branches(record.payload, marks);
            add_labels(record, marks);
        }
    }
    return marks;
}

code_marks code_marks_of(const elf_image& image, std::string_view kernel, int registers)
{
    return code_mark_index(image).of(kernel, registers);
}

}  // namespace launchbox
