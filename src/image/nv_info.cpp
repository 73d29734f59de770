#include "image/nv_info.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "image/elf.hpp"

namespace launchbox {

namespace {

enum record_format : std::uint8_t { flag = 1, byte_value = 2, half_value = 3, sized_payload = 4 };

constexpr std::size_t head_size = 4;  // format, attribute, 16 bits of value or payload size

}  // namespace

std::vector<nv_info_record> read_nv_info(std::string_view section, std::uint64_t offset,
                                         std::vector<image_problem>& problems)
{
    std::vector<nv_info_record> records;
    std::size_t at = 0;
    while (at < section.size()) {
        if (section.size() - at < head_size) {
            add_problem(problems, offset + at, "an attribute record is cut off");
            break;
        }
        nv_info_record record;
        const auto format = static_cast<std::uint8_t>(section[at]);
        record.attribute = static_cast<std::uint8_t>(section[at + 1]);
        record.offset = offset + at;
        const auto value = read_number<std::uint16_t>(section, at + 2);
        at += head_size;
        if (format == byte_value) {
            record.value = value & 0xff;
        } else if (format == half_value) {
            record.value = value;
        } else if (format == sized_payload) {
            const auto payload = slice(section, at, value);
            if (!payload) {
                add_problem(problems, record.offset, "an attribute record reaches beyond its section");
                break;
            }
            record.payload = *payload;
            at = std::min(section.size(), at + (std::size_t{value} + 3) / 4 * 4);
        } else if (format != flag) {
            // Without the format the size of the record is not known, and with it where the next one starts.
            add_problem(problems, record.offset, "an attribute record of the unknown format " + std::to_string(format));
            break;
        }
        records.push_back(record);
    }
    return records;
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
