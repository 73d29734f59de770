// SPDX-License-Identifier: Apache-2.0
#include "image/container/nv_info.hpp"

#include <algorithm>
#include <limits>

#include "image/container/elf.hpp"

namespace launchbox {

namespace {

enum record_format : std::uint8_t { flag = 1, byte_value = 2, half_value = 3, sized_payload = 4 };

constexpr std::size_t head_size = 4;  // format, attribute, 16 bits of value or payload size

}  // namespace

bool nv_info_reader::next(nv_info_record& record)
{
    if (at_ >= section_.size()) return false;
    if (section_.size() - at_ < head_size) return stop(offset_ + at_, "an attribute record is cut off");
    const auto format = static_cast<std::uint8_t>(section_[at_]);
    record.attribute = static_cast<std::uint8_t>(section_[at_ + 1]);
    record.offset = offset_ + at_;
    record.value = 0;
    record.payload = {};
    const auto value = read_number<std::uint16_t>(section_, at_ + 2);
    at_ += head_size;
    if (format == byte_value) {
        record.value = value & 0xff;
    } else if (format == half_value) {
        record.value = value;
    } else if (format == sized_payload) {
        const auto payload = slice(section_, at_, value);
        if (!payload) return stop(record.offset, "an attribute record reaches beyond its section");
        record.payload = *payload;
        at_ = std::min(section_.size(), at_ + (std::size_t{value} + 3) / 4 * 4);
    } else if (format != flag) {
        // An unknown format hides the size of the record, and thereby the start of the next one.
        return stop(record.offset, "an attribute record of the unknown format " + std::to_string(format));
    }
    return true;
}

bool nv_info_reader::stop(std::uint64_t offset, std::string what)
{
    add_diagnostic(diagnostics_, offset, std::move(what));
    at_ = section_.size();
    return false;
}

std::optional<std::uint32_t> nv_info_record::number() const
{
    if (payload.size() < 4) return std::nullopt;
    return read_number<std::uint32_t>(payload, 0);
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> nv_info_record::pair() const
{
    if (payload.size() < 8) return std::nullopt;
    return std::pair(read_number<std::uint32_t>(payload, 0), read_number<std::uint32_t>(payload, 4));
}

std::optional<std::array<int, 3>> nv_info_record::triple() const
{
    if (payload.size() < 12) return std::nullopt;
    std::array<int, 3> result{};
    for (std::size_t i = 0; i < 3; ++i) {
        const auto number = read_number<std::uint32_t>(payload, i * 4);
        if (number > static_cast<std::uint32_t>(std::numeric_limits<int>::max())) return std::nullopt;
        result[i] = static_cast<int>(number);
    }
    return result;
}

}  // namespace launchbox
