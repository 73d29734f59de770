// SPDX-License-Identifier: Apache-2.0
#include "image/module_symbols.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "image/container/elf.hpp"
#include "image/container/nv_info.hpp"

namespace launchbox {

namespace {

constexpr std::size_t parameter_record_bytes = 12;

// A record contains an index that is always 0, the parameter's number, its offset, and its size next to other bits.
std::optional<std::pair<std::uint32_t, parameter_place>> parameter_in(const nv_info_record& record)
{
    const bool is_long = record.is(nv_info_attribute::long_parameter);
    if (!is_long && !record.is(nv_info_attribute::parameter)) return std::nullopt;
    if (record.payload.size() < parameter_record_bytes) return std::nullopt;
    const std::uint32_t number = read_number<std::uint16_t>(record.payload, 4);
    const std::uint32_t offset = read_number<std::uint16_t>(record.payload, 6);
    const std::uint32_t bytes =
        is_long ? read_number<std::uint16_t>(record.payload, 8) : read_number<std::uint32_t>(record.payload, 8) >> 18;
    return std::pair(number, parameter_place{offset, bytes});
}

}  // namespace

std::optional<std::vector<parameter_place>> parameters_of(std::string_view cubin, std::string_view kernel)
{
    std::vector<image_diagnostic> diagnostics;
    const std::optional<elf_image> image = read_elf(cubin, diagnostics, elf_parts::sections);
    if (!image) return std::nullopt;
    const std::string name = ".nv.info." + std::string(kernel);
    const auto section = std::ranges::find(image->sections, name, &elf_section::name);
    if (section == image->sections.end()) return std::nullopt;
    std::map<std::uint32_t, parameter_place> numbered;
    nv_info_reader reader(section->content, section->offset, diagnostics);
    for (nv_info_record record; reader.next(record);)
        if (const auto one = parameter_in(record); one && !numbered.insert(*one).second) return std::nullopt;
    if (!diagnostics.empty()) return std::nullopt;
    std::vector<parameter_place> parameters;
    for (const auto& [number, place] : numbered) {
        if (number != parameters.size() || place.bytes == 0) return std::nullopt;
        parameters.push_back(place);
    }
    if (first_overlap(parameters)) return std::nullopt;
    return parameters;
}

std::optional<std::size_t> first_overlap(const std::vector<parameter_place>& parameters)
{
    for (std::size_t i = 1; i < parameters.size(); ++i)
        if (parameters[i].offset < std::uint64_t{parameters[i - 1].offset} + parameters[i - 1].bytes) return i;
    return std::nullopt;
}

std::set<std::string, std::less<>> variables_of(std::string_view cubin)
{
    std::vector<image_diagnostic> ignored;
    std::set<std::string, std::less<>> names;
    const std::optional<elf_image> image = read_elf(cubin, ignored);
    if (!image) return names;
    for (const elf_symbol& symbol : image->symbols)
        if (image->is_variable(symbol)) names.emplace(image->symbol_name(symbol));
    return names;
}

}  // namespace launchbox
