// SPDX-License-Identifier: Apache-2.0
#include "image/container/elf.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace launchbox {

namespace {

static_assert(std::endian::native == std::endian::little, "read_number would have to swap bytes");

constexpr std::size_t file_header_size = 64, section_header_size = 64, symbol_size = 24;
constexpr std::uint16_t extended_index = 0xffff;  // the real index is elsewhere

// Uninitialised memory has a size but no bytes in the file. In relocatable cubins such sections have types of their
// own: global, local, shared and reserved shared memory.
bool has_bytes(std::uint32_t type)
{
    return type != elf::section_nobits && type != 0x70000007 && type != 0x70000009 && type != 0x7000000a &&
           type != 0x70000015;
}

// The longest kernel name seen in NVIDIA's libraries has 2.5 KB. The cap keeps reading linear when many names share one
// endless string.
constexpr std::size_t max_name = 16384;

std::string_view string_at(std::string_view table, std::uint32_t offset)
{
    if (offset >= table.size()) return {};
    const std::string_view rest = table.substr(offset, max_name);
    return rest.substr(0, ::strnlen(rest.data(), rest.size()));
}

class elf_reader {
public:
    elf_reader(std::string_view bytes, std::vector<image_diagnostic>& diagnostics)
        : bytes_(bytes), diagnostics_(diagnostics)
    {
    }

    std::optional<elf_image> read(elf_parts parts);

private:
    bool read_section_headers();
    elf_section section_header(std::uint64_t index) const;
    void find_contents();
    void find_end();
    void name_sections();
    void read_symbols();

    void complain(std::uint64_t offset, std::string what) { add_diagnostic(diagnostics_, offset, std::move(what)); }

    std::string_view bytes_;
    std::vector<image_diagnostic>& diagnostics_;
    elf_image image_;
    std::uint64_t headers_offset_ = 0;
    std::uint32_t names_index_ = 0;
    std::vector<std::uint32_t> name_offsets_;
};

}  // namespace

std::optional<elf_image> read_elf(std::string_view bytes, std::vector<image_diagnostic>& diagnostics, elf_parts parts)
{
    return elf_reader(bytes, diagnostics).read(parts);
}

std::string_view elf_image::symbol_name(const elf_symbol& symbol) const
{
    return string_at(symbol_names, symbol.name_offset);
}

bool elf_image::is_variable(const elf_symbol& symbol) const
{
    if (symbol.type != elf::symbol_object || symbol.section >= sections.size()) return false;
    const std::string_view section = sections[symbol.section].name;
    return section.starts_with(".nv.global") || section == ".nv.constant3";
}

std::optional<std::string_view> slice(std::string_view bytes, std::uint64_t offset, std::uint64_t size)
{
    if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
    return bytes.substr(offset, size);
}

void add_diagnostic(std::vector<image_diagnostic>& diagnostics, std::uint64_t offset, std::string what)
{
    if (diagnostics.size() < max_image_diagnostics)
        diagnostics.push_back({offset, std::move(what)});
    else if (diagnostics.size() == max_image_diagnostics)
        diagnostics.push_back({offset, "more problems, which are not listed"});
}

namespace {

std::optional<elf_image> elf_reader::read(elf_parts parts)
{
    const auto refuse = [&](std::uint64_t offset, std::string what) {
        complain(offset, std::move(what));
        return std::nullopt;
    };
    if (!bytes_.starts_with("\x7f"
                            "ELF"))
        return refuse(0, "not an ELF image");
    if (bytes_.size() < file_header_size) return refuse(bytes_.size(), "the ELF header is cut off");
    if (bytes_[4] != 2 || bytes_[5] != 1)
        return refuse(4, "not a 64-bit little-endian ELF image, the only supported kind");

    image_.os_abi = static_cast<std::uint8_t>(bytes_[7]);
    image_.abi_version = static_cast<std::uint8_t>(bytes_[8]);
    image_.type = read_number<std::uint16_t>(bytes_, 16);
    image_.machine = read_number<std::uint16_t>(bytes_, 18);
    image_.version = read_number<std::uint32_t>(bytes_, 20);
    image_.flags = read_number<std::uint32_t>(bytes_, 48);
    if (!read_section_headers()) return std::nullopt;
    find_contents();
    find_end();
    name_sections();
    if (parts == elf_parts::all) read_symbols();
    return std::move(image_);
}

bool elf_reader::read_section_headers()
{
    headers_offset_ = read_number<std::uint64_t>(bytes_, 40);
    const auto entry_size = read_number<std::uint16_t>(bytes_, 58);
    std::uint64_t count = read_number<std::uint16_t>(bytes_, 60);
    names_index_ = read_number<std::uint16_t>(bytes_, 62);
    const auto refuse = [&](std::uint64_t offset, std::string what) {
        complain(offset, std::move(what));
        return false;
    };
    if (headers_offset_ == 0) return refuse(40, "the image has no sections");
    if (entry_size != section_header_size)
        return refuse(58, "section headers of " + std::to_string(entry_size) + " bytes instead of 64");
    if (headers_offset_ > bytes_.size())
        return refuse(40, "the section headers start at byte " + std::to_string(headers_offset_) + " of " +
                              std::to_string(bytes_.size()));

    const std::uint64_t room = (bytes_.size() - headers_offset_) / section_header_size;
    if (room > 0) {  // numbers that do not fit into 16 bits are in section header 0
        const elf_section first = section_header(0);
        if (count == 0) count = first.size;
        if (names_index_ == extended_index) names_index_ = first.link;
    }
    if (count == 0) return refuse(60, "the image has no sections");
    if (count > room) {
        complain(headers_offset_,
                 std::to_string(count) + " sections are announced, but only " + std::to_string(room) + " fit");
        count = room;
    }
    image_.sections.reserve(count);
    name_offsets_.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        image_.sections.push_back(section_header(i));
        name_offsets_.push_back(read_number<std::uint32_t>(bytes_, headers_offset_ + i * section_header_size));
    }
    return true;
}

elf_section elf_reader::section_header(std::uint64_t index) const
{
    const std::string_view header = bytes_.substr(headers_offset_ + index * section_header_size, section_header_size);
    elf_section section;
    section.type = read_number<std::uint32_t>(header, 4);
    section.flags = read_number<std::uint64_t>(header, 8);
    section.offset = read_number<std::uint64_t>(header, 24);
    section.size = read_number<std::uint64_t>(header, 32);
    section.link = read_number<std::uint32_t>(header, 40);
    section.info = read_number<std::uint32_t>(header, 44);
    section.alignment = read_number<std::uint64_t>(header, 48);
    return section;
}

void elf_reader::find_contents()
{
    // Section 0 is not a section: its fields hold the extended numbers.
    for (std::size_t i = 1; i < image_.sections.size(); ++i) {
        elf_section& section = image_.sections[i];
        if (!has_bytes(section.type)) continue;
        if (const auto content = slice(bytes_, section.offset, section.size))
            section.content = *content;
        else
            complain(headers_offset_ + i * section_header_size,
                     "section " + std::to_string(i) + " reaches beyond the end of the image");
    }
}

void elf_reader::find_end()
{
    const auto reach = [&](std::uint64_t offset, std::uint64_t size) {
        std::uint64_t end = 0;
        if (__builtin_add_overflow(offset, size, &end)) end = ~std::uint64_t{0};
        image_.end = std::max(image_.end, end);
    };
    reach(headers_offset_, image_.sections.size() * section_header_size);
    for (std::size_t i = 1; i < image_.sections.size(); ++i) {
        const elf_section& section = image_.sections[i];
        if (has_bytes(section.type)) reach(section.offset, section.size);
    }
    image_.sections_end = image_.end;
    const auto program_headers = read_number<std::uint64_t>(bytes_, 32);
    if (program_headers > 0)
        reach(program_headers,
              std::uint64_t{read_number<std::uint16_t>(bytes_, 54)} * read_number<std::uint16_t>(bytes_, 56));
}

void elf_reader::name_sections()
{
    if (image_.sections.empty()) return;
    if (names_index_ == 0 || names_index_ >= image_.sections.size()) {
        complain(62, "there is no section " + std::to_string(names_index_) + " to hold the names");
        return;
    }
    const std::string_view names = image_.sections[names_index_].content;
    for (std::size_t i = 0; i < image_.sections.size(); ++i)
        image_.sections[i].name = string_at(names, name_offsets_[i]);
}

void elf_reader::read_symbols()
{
    const auto of_type = [](std::uint32_t type) {
        return [type](const elf_section& section) { return section.type == type; };
    };
    const auto& sections = image_.sections;
    const auto table = std::find_if(sections.begin(), sections.end(), of_type(elf::section_symbols));
    if (table == sections.end()) return;
    if (table->content.size() % symbol_size != 0) complain(table->offset, "the symbol table ends within a symbol");
    if (table->link >= sections.size())
        complain(table->offset, "the symbol table names no section with its names");
    else
        image_.symbol_names = sections[table->link].content;

    // One 32-bit section index per symbol, used if 16 bits are not enough for all sections.
    std::string_view wide_indices;
    const auto wide = std::find_if(sections.begin(), sections.end(), of_type(elf::section_symbol_indices));
    if (wide != sections.end()) wide_indices = wide->content;

    const std::size_t count = table->content.size() / symbol_size;
    image_.symbols.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::string_view entry = table->content.substr(i * symbol_size, symbol_size);
        elf_symbol symbol;
        symbol.offset = table->offset + i * symbol_size;
        symbol.name_offset = read_number<std::uint32_t>(entry, 0);
        symbol.type = static_cast<std::uint8_t>(entry[4]) & 0xf;
        symbol.other = static_cast<std::uint8_t>(entry[5]);
        symbol.section = read_number<std::uint16_t>(entry, 6);
        symbol.value = read_number<std::uint64_t>(entry, 8);
        if (symbol.section == extended_index && wide_indices.size() / 4 > i)
            symbol.section = read_number<std::uint32_t>(wide_indices, i * 4);
        image_.symbols.push_back(symbol);
    }
}

}  // namespace

}  // namespace launchbox
