// SPDX-License-Identifier: Apache-2.0
#include "image/container/image_scan.hpp"

#include <algorithm>
#include <utility>

#include "image/container/archive.hpp"
#include "image/container/elf.hpp"
#include "support/process/parallel.hpp"

namespace launchbox {

namespace {

constexpr std::string_view elf_magic =
    "\x7f"
    "ELF";
constexpr std::uint16_t elf_type_executable = 2, elf_type_shared = 3;
constexpr std::string_view linked_section = ".nv_fatbin", unlinked_section = "__nv_relfatbin";

// A section of the host's ELF file that may contain images.
struct host_section {
    std::uint64_t begin = 0, end = 0;
    std::string_view name;         // empty: a whole file, not a section
    std::uint64_t covered_to = 0;  // containers end here

    // Whether it contains nothing else.
    [[nodiscard]] bool only_fatbins() const
    {
        return name.empty() || name == linked_section || name == unlinked_section;
    }
};

// Finds where images can start. A single thread searches only as far as needed, so that it never reads the inside of a
// container; several threads search all bytes first and remember which slices have candidates.
class start_finder {
public:
    start_finder(std::string_view bytes, unsigned jobs, const std::vector<byte_range>& data);

    // The next start from `from` on, both in the whole file.
    [[nodiscard]] std::size_t next(std::size_t from) const;

private:
    static constexpr std::size_t slice_ = std::size_t{1} << 16;

    // The first start in a slice from `from` on; the end of the slice if there is none.
    [[nodiscard]] std::size_t next_in_slice(std::size_t from) const
    {
        const std::size_t end = std::min(bytes_.size(), (from / slice_ + 1) * slice_);
        // A magic number can reach into the next slice.
        return std::min(end, find_magic(bytes_.substr(0, std::min(bytes_.size(), end + 3)), from));
    }

    // The first start from `from` on that is not in a hole; the size of the file if there is none.
    [[nodiscard]] std::size_t next_in_data(std::size_t from) const;

    std::string_view bytes_;
    const std::vector<byte_range>& data_;
    std::vector<char> has_start_;  // of each slice; empty: not searched
};

class scanner {
public:
    scanner(std::string_view bytes, unsigned jobs, const std::vector<byte_range>& data)
        : bytes_(bytes), data_(data), starts_(bytes, jobs, data)
    {
    }

    image_scan run();

private:
    void scan_archive();
    void scan_part(std::string_view part, std::uint64_t base, const std::string& prefix);
    void read_host_sections(std::string_view part, std::uint64_t base);
    std::size_t take_fatbin(std::string_view part, std::size_t at);
    std::size_t take_cubin(std::string_view part, std::size_t at);
    std::size_t refuse_cubin(std::size_t at);
    void check_gap(std::string_view part, host_section& section, std::uint64_t to, std::uint64_t next);
    host_section* section_at(std::uint64_t at);
    std::string describe(const char* what, std::uint64_t at, const host_section* section) const;
    void complain(std::uint64_t offset, std::string what)
    {
        add_diagnostic(result_.diagnostics, offset, std::move(what));
    }

    // The first non-zero byte from `from` to `to`, both offsets in the whole file; `to` if there is none.
    [[nodiscard]] std::uint64_t first_content(std::uint64_t from, std::uint64_t to) const;

    std::string_view bytes_;
    const std::vector<byte_range>& data_;
    start_finder starts_;
    image_scan result_;
    std::size_t containers_ = 0;
    std::uint64_t base_ = 0;              // of the part that is scanned
    std::string prefix_;                  // "member: " of an archive
    std::vector<host_section> sections_;  // of the part, rising
    std::size_t damaged_cubins_ = 0;
};

std::string shortened(std::string_view name);
std::string kind_of(std::string_view bytes);
bool is_cubin(std::string_view bytes);
bool is_foreign_cubin(std::string_view bytes);

}  // namespace

image_scan scan_for_images(std::string_view bytes, unsigned jobs, const std::vector<byte_range>& data)
{
    return scanner(bytes, jobs, data).run();
}

bool holds_image(std::string_view bytes)
{
    for (std::size_t at = find_magic(bytes, 0); at < bytes.size(); at = find_magic(bytes, at + 1))
        if (const std::string_view rest = bytes.substr(at); is_fatbin(rest) || is_cubin(rest) || is_foreign_cubin(rest))
            return true;
    return false;
}

std::size_t find_magic(std::string_view bytes, std::size_t from)
{
    // Whole blocks first, without branches, so that compilers vectorise the loop.
    constexpr std::size_t block = 512;
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    const auto is_start = [&](std::size_t i) {
        const std::string_view rest = bytes.substr(i, fatbin_magic.size());
        return rest == fatbin_magic || rest == elf_magic;
    };
    // Two bytes rule out nearly everything. Bitwise `&` and `|`, since `&&` would be a branch.
    const auto may_start = [&](std::size_t i) {
        const auto fatbin = static_cast<unsigned char>((data[i] == 0x50) & (data[i + 1] == 0xed));
        const auto elf = static_cast<unsigned char>((data[i] == 0x7f) & (data[i + 1] == 'E'));
        return static_cast<unsigned char>(fatbin | elf);
    };
    for (; from < bytes.size() && bytes.size() - from > block; from += block) {
        unsigned char found = 0;
        for (std::size_t i = 0; i < block; ++i) found |= may_start(from + i);
        if (found == 0) continue;
        for (std::size_t i = from; i < from + block; ++i)
            if (is_start(i)) return i;
    }
    for (; from < bytes.size(); ++from)
        if (is_start(from)) return from;
    return bytes.size();
}

namespace {

start_finder::start_finder(std::string_view bytes, unsigned jobs, const std::vector<byte_range>& data)
    : bytes_(bytes), data_(data)
{
    // A part of a file with holes, which a single thread searches.
    if (jobs == 1 || data.size() > 1 || (data.size() == 1 && data.front() != byte_range{0, bytes.size()})) return;
    has_start_.resize((bytes.size() + slice_ - 1) / slice_);
    run_parallel_ranges(
        has_start_.size(), 16,
        [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                has_start_[i] = next_in_slice(i * slice_) < std::min(bytes_.size(), (i + 1) * slice_) ? 1 : 0;
        },
        jobs);
}

std::size_t start_finder::next(std::size_t from) const
{
    if (has_start_.empty()) return next_in_data(from);
    while (from < bytes_.size()) {
        const std::size_t slice = from / slice_;
        const std::size_t end = std::min(bytes_.size(), (slice + 1) * slice_);
        if (has_start_[slice] != 0)
            if (const std::size_t found = next_in_slice(from); found < end) return found;
        from = end;
    }
    return bytes_.size();
}

// Magic numbers contain no zero byte, so each lies within one range.
std::size_t start_finder::next_in_data(std::size_t from) const
{
    if (data_.empty()) return find_magic(bytes_, from);
    const auto first = std::ranges::upper_bound(data_, from, {}, &byte_range::end);
    for (auto range = first; range != data_.end(); ++range) {
        const std::size_t end = std::min(range->end, bytes_.size());
        const std::size_t found = find_magic(bytes_.substr(0, end), std::max(from, range->begin));
        if (found < end) return found;
    }
    return bytes_.size();
}

image_scan scanner::run()
{
    result_.kind = kind_of(bytes_);
    if (is_archive(bytes_))
        scan_archive();
    else
        scan_part(bytes_, 0, {});
    return std::move(result_);
}

void scanner::scan_archive()
{
    std::vector<image_diagnostic> diagnostics;
    for (const archive_member& member : read_archive(bytes_, diagnostics))
        scan_part(member.bytes, member.offset, shortened(member.name) + ": ");
    for (image_diagnostic& fault : diagnostics) complain(fault.offset, std::move(fault.what));
}

void scanner::scan_part(std::string_view part, std::uint64_t base, const std::string& prefix)
{
    base_ = base;
    prefix_ = prefix;
    sections_.clear();
    std::size_t at = 0;
    if (is_cubin(part)) {
        // The reader of cubins reports a truncated one. After a complete one there may be another.
        at = static_cast<std::size_t>(cubin_size(part).value_or(part.size()));
        const std::string_view image = part.substr(0, at);
        result_.images.push_back(
            {.container = prefix_ + "cubin",
             .container_id = containers_++,
             .entry = {.kind = fatbin_entry::cubin, .payload = image, .decompressed_bytes = image.size()},
             .offset = base_});
    } else if (part.starts_with(elf_magic)) {
        read_host_sections(part, base);
    }
    if (is_fatbin(part)) sections_.push_back({.begin = 0, .end = part.size(), .name = {}});

    if (part.starts_with(fatbin_magic) && !is_fatbin(part)) {
        std::vector<image_diagnostic> diagnostics;
        (void)read_fatbin(part, diagnostics);
        for (const image_diagnostic& fault : diagnostics) complain(base_ + fault.offset, prefix_ + fault.what);
        if (diagnostics.empty()) complain(base_, prefix_ + "a fat binary without an entry");
        at = fatbin_magic.size();
    }
    const auto next = [&](std::size_t from) {
        return std::min(part.size(),
                        starts_.next(static_cast<std::size_t>(base_) + from) - static_cast<std::size_t>(base_));
    };
    for (at = next(at); at < part.size(); at = next(at)) {
        const std::string_view rest = part.substr(at);
        if (is_fatbin(rest))
            at = take_fatbin(part, at);
        else if (is_cubin(rest))
            at = take_cubin(part, at);
        else if (is_foreign_cubin(rest))
            at = refuse_cubin(at);
        else
            ++at;
    }
    for (host_section& section : sections_) check_gap(part, section, section.end, section.end);
}

// Adds a container, and returns where the search continues.
std::size_t scanner::take_fatbin(std::string_view part, std::size_t at)
{
    std::vector<image_diagnostic> diagnostics;
    const auto contents = read_fatbin(part.substr(at), diagnostics);
    host_section* const section = section_at(at);
    const std::string container = describe("fatbin", at, section);
    for (const image_diagnostic& fault : diagnostics)
        complain(base_ + at + fault.offset, container + ": " + fault.what);
    std::size_t number = 0;
    for (const fatbin_entry& entry : contents->entries)
        result_.images.push_back({.container = container,
                                  .container_id = containers_,
                                  .entry = entry,
                                  .entry_number = ++number,
                                  .offset = base_ + at + entry.payload_offset,
                                  .before_linking = section != nullptr && section->name == unlinked_section});
    ++containers_;
    if (section != nullptr) check_gap(part, *section, at, at + contents->claimed);
    // The search continues within a broken container: complete images may follow.
    return at + static_cast<std::size_t>(contents->size);
}

std::size_t scanner::take_cubin(std::string_view part, std::size_t at)
{
    const std::string_view rest = part.substr(at);
    host_section* const section = section_at(at);
    // Each damaged cubin can cost as much as reading the whole file.
    const bool too_many = damaged_cubins_ > max_image_diagnostics;
    const std::optional<std::uint64_t> size = too_many ? std::nullopt : cubin_size(rest);
    if (!size) {
        ++damaged_cubins_;
        complain(base_ + at, describe("cubin", at, section) + ": it reaches beyond the end of the file");
        return at + elf_magic.size();
    }
    const std::string_view image = rest.substr(0, static_cast<std::size_t>(*size));
    result_.images.push_back(
        {.container = describe("cubin", at, section),
         .container_id = containers_++,
         .entry = {.kind = fatbin_entry::cubin, .payload = image, .decompressed_bytes = image.size()},
         .offset = base_ + at});
    if (section != nullptr) check_gap(part, *section, at, at + *size);
    return at + static_cast<std::size_t>(*size);
}

std::size_t scanner::refuse_cubin(std::size_t at)
{
    complain(base_ + at + 4, describe("cubin", at, section_at(at)) +
                                 ": it is not a 64-bit little-endian ELF image, the only supported kind");
    return at + elf_magic.size();
}

// The sections of a 64-bit file. Other files are only searched: a file for another host is not an error.
void scanner::read_host_sections(std::string_view part, std::uint64_t base)
{
    const bool readable = part.size() >= 64 && part[4] == 2 && part[5] == 1;
    if (!readable || read_number<std::uint64_t>(part, 40) == 0) return;
    std::vector<image_diagnostic> diagnostics;
    const std::optional<elf_image> host = read_elf(part, diagnostics, elf_parts::sections);
    for (const image_diagnostic& fault : diagnostics) complain(base + fault.offset, prefix_ + fault.what);
    if (!host) return;
    for (const elf_section& section : host->sections) {
        if (!section.content.empty() && !section.name.empty() && (section.flags & elf::flag_allocated) != 0)
            sections_.push_back({.begin = section.offset,
                                 .end = section.offset + section.size,
                                 .name = section.name,
                                 .covered_to = section.offset});
    }
    std::ranges::sort(sections_, {}, &host_section::begin);
    // Each byte belongs to one section, so that checking the gaps between containers stays linear.
    std::uint64_t end = 0;
    for (host_section& section : sections_) {
        section.begin = section.covered_to = std::max(section.begin, end);
        end = std::max(end, section.end);
    }
    std::erase_if(sections_, [](const host_section& section) { return section.begin >= section.end; });
}

// In sections that hold only fat binaries, anything that is neither a container nor padding is a damaged container.
void scanner::check_gap(std::string_view part, host_section& section, std::uint64_t to, std::uint64_t next)
{
    const std::uint64_t from = section.covered_to;
    section.covered_to = std::max(from, next);
    if (from >= to || !section.only_fatbins()) return;
    const std::uint64_t end = base_ + std::min<std::uint64_t>(to, part.size());
    const std::uint64_t at = first_content(base_ + from, end);
    if (at < end)
        complain(at, prefix_ + (section.name.empty() ? "the file" : "section " + shortened(section.name)) + " has " +
                         std::to_string(end - at) + " bytes here that are not a fat binary");
}

std::uint64_t scanner::first_content(std::uint64_t from, std::uint64_t to) const
{
    const auto look = [&](std::uint64_t begin, std::uint64_t end) {
        const std::string_view piece =
            bytes_.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
        const std::size_t at = piece.find_first_not_of('\0');
        return at == std::string_view::npos ? to : begin + at;
    };
    if (data_.empty()) return look(from, to);
    for (auto range = std::ranges::upper_bound(data_, from, {}, &byte_range::end);
         range != data_.end() && range->begin < to; ++range)
        if (const std::uint64_t found =
                look(std::max<std::uint64_t>(from, range->begin), std::min<std::uint64_t>(to, range->end));
            found < to)
            return found;
    return to;
}

host_section* scanner::section_at(std::uint64_t at)
{
    auto after = std::ranges::upper_bound(sections_, at, {}, &host_section::begin);
    if (after == sections_.begin()) return nullptr;
    --after;
    return at < after->end ? &*after : nullptr;
}

std::string scanner::describe(const char* what, std::uint64_t at, const host_section* section) const
{
    std::string text = prefix_ + what + " at byte " + std::to_string(base_ + at);
    if (section != nullptr && !section->name.empty()) text += " (" + shortened(section->name) + ")";
    return text;
}

// Every image has a copy of the name, and images can be as small as 64 bytes.
std::string shortened(std::string_view name)
{
    constexpr std::size_t longest = 200;
    return name.size() <= longest ? std::string(name) : std::string(name.substr(0, longest)) + "...";
}

std::string kind_of(std::string_view bytes)
{
    if (is_archive(bytes)) return "archive";
    if (bytes.starts_with(fatbin_magic)) return "fat binary";
    if (is_cubin(bytes)) return "cubin";
    if (!bytes.starts_with(elf_magic) || bytes.size() < 20) return "other binary";
    const auto type = read_number<std::uint16_t>(bytes, 16);
    if (type == elf::type_relocatable) return "object file";
    if (type == elf_type_executable) return "executable";
    if (type != elf_type_shared) return "other binary";
    // Position-independent programs are shared objects that name the loader.
    std::vector<image_diagnostic> ignored;
    const auto host = read_elf(bytes, ignored, elf_parts::sections);
    const bool program =
        host && std::ranges::any_of(host->sections, [](const elf_section& s) { return s.name == ".interp"; });
    return program ? "executable" : "shared library";
}

bool is_cubin(std::string_view bytes)
{
    return bytes.size() >= 20 && bytes.starts_with(elf_magic) && bytes[4] == 2 && bytes[5] == 1 &&
           read_number<std::uint16_t>(bytes, 18) == elf::machine_cuda;
}

// Of another ELF class: 32-bit cubins of CUDA 6 and earlier, or a damaged byte.
bool is_foreign_cubin(std::string_view bytes)
{
    if (bytes.size() < 20 || !bytes.starts_with(elf_magic) || is_cubin(bytes)) return false;
    if (bytes[4] == 2 && bytes[5] == 1) return false;
    const auto machine = read_number<std::uint16_t>(bytes, 18);
    return machine == elf::machine_cuda || machine == (elf::machine_cuda & 0xff) << 8;
}

}  // namespace

// The length of a cubin inside a file follows only from the ends of its parts.
std::optional<std::uint64_t> cubin_size(std::string_view bytes)
{
    std::vector<image_diagnostic> diagnostics;
    const auto image = read_elf(bytes, diagnostics, elf_parts::sections);
    if (!image || image->end == 0) return std::nullopt;
    // CuPy's cache stores cubins without their last byte (a 0 of the program headers): CuPy 14.2 takes it for the end
    // of a text.
    if (image->end == bytes.size() + 1 && image->sections_end < image->end) return bytes.size();
    if (image->end > bytes.size()) return std::nullopt;
    return image->end;
}

}  // namespace launchbox
