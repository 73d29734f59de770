// SPDX-License-Identifier: Apache-2.0
#include "image/module_code.hpp"

#define XXH_INLINE_ALL  // the library is one header
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <vector>

#include "image/container/elf.hpp"

namespace launchbox {

namespace {

constexpr std::uint32_t section_rela = 4, section_rel = 9;
// The depth to which references between sections are distinguished by what these refer to.
constexpr int rounds = 4;

class hash_state {
public:
    hash_state() { XXH3_128bits_reset(&state_); }

    void add(std::string_view bytes)
    {
        add(bytes.size());
        XXH3_128bits_update(&state_, bytes.data(), bytes.size());
    }
    template <class Number>
        requires std::is_arithmetic_v<Number>
    void add(Number number)
    {
        XXH3_128bits_update(&state_, &number, sizeof number);
    }
    template <class Number>
    void add(const std::optional<Number>& number)
    {
        add(number.has_value());
        if (number) add(*number);
    }
    void add(const std::optional<std::array<int, 3>>& triple)
    {
        add(triple.has_value());
        if (triple)
            for (const int extent : *triple) add(extent);
    }
    [[nodiscard]] std::uint64_t short_digest() const { return XXH3_128bits_digest(&state_).low64; }
    [[nodiscard]] std::string digits() const
    {
        const XXH128_hash_t hash = XXH3_128bits_digest(&state_);
        std::array<char, 33> text{};
        std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                      static_cast<unsigned long long>(hash.low64));
        return text.data();
    }

private:
    XXH3_state_t state_{};
};

// The role of a section, without the name of the function that it belongs to: ".text.", ".nv.constant0.", ".nv.global".
std::string_view role_of(std::string_view name)
{
    for (const std::string_view prefix : {".text.", ".nv.shared.", ".nv.local."})
        if (name.starts_with(prefix)) return prefix;
    constexpr std::string_view constant = ".nv.constant";
    if (!name.starts_with(constant)) return name;
    const std::size_t dot = name.find('.', constant.size());
    return dot == std::string_view::npos ? name : name.substr(0, dot + 1);
}

// Whether the driver loads it and a kernel can see it.
bool matters(const elf_section& section)
{
    if ((section.flags & elf::flag_allocated) == 0) return false;
    for (const std::string_view other : {".nv.info", ".note", ".debug", ".nv.callgraph", ".nv.shared.reserved"})
        if (section.name.starts_with(other)) return false;
    return true;
}

class module_reader {
public:
    module_reader(std::string_view bytes, const elf_image& image) : bytes_(bytes), image_(image)
    {
        owner_.resize(image.sections.size());
        relocations_.resize(image.sections.size());
        find_kernels();
        find_relocations();
    }

    [[nodiscard]] std::string code_of(const kernel_info& kernel);

private:
    void find_kernels();
    void find_relocations();
    void hash_sections();
    void add_relocations(hash_state& hash, const elf_section& section) const;

    std::string_view bytes_;
    const elf_image& image_;
    std::vector<std::string_view> owner_;  // by section: the kernel in its name; empty: the module
    std::vector<std::vector<const elf_section*>> relocations_;
    std::vector<std::string_view> kernels_;  // sorted
    std::vector<std::uint64_t> hashes_;
};

void module_reader::find_kernels()
{
    for (const elf_symbol& symbol : image_.symbols)
        if (symbol.type == elf::symbol_function && (symbol.other & elf::symbol_is_entry) != 0 && symbol.section != 0)
            kernels_.push_back(image_.symbol_name(symbol));
    std::sort(kernels_.begin(), kernels_.end());
    for (std::size_t i = 0; i < owner_.size(); ++i) {
        const std::string_view name = image_.sections[i].name;
        const std::string_view role = role_of(name);
        if (role.size() < name.size() && std::binary_search(kernels_.begin(), kernels_.end(), name.substr(role.size())))
            owner_[i] = name.substr(role.size());
    }
}

void module_reader::find_relocations()
{
    for (const elf_section& section : image_.sections)
        if ((section.type == section_rela || section.type == section_rel) && section.info < relocations_.size())
            relocations_[section.info].push_back(&section);
}

// Functions and variables are identified by content, since names and order differ between modules that do the same.
void module_reader::hash_sections()
{
    std::vector<std::uint64_t> contents(image_.sections.size());
    for (std::size_t i = 0; i < contents.size(); ++i) {
        if (!matters(image_.sections[i])) continue;
        hash_state hash;
        hash.add(role_of(image_.sections[i].name));
        hash.add(image_.sections[i].size);
        hash.add(image_.sections[i].content);
        contents[i] = hash.short_digest();
    }
    hashes_ = contents;
    for (int round = 0; round < rounds; ++round) {
        std::vector<std::uint64_t> next = contents;
        for (std::size_t i = 0; i < next.size(); ++i) {
            if (!matters(image_.sections[i]) || relocations_[i].empty()) continue;
            hash_state hash;
            hash.add(contents[i]);
            for (const elf_section* relocations : relocations_[i]) add_relocations(hash, *relocations);
            next[i] = hash.short_digest();
        }
        hashes_ = std::move(next);
    }
}

void module_reader::add_relocations(hash_state& hash, const elf_section& section) const
{
    const bool with_addend = section.type == section_rela;
    const std::size_t size = with_addend ? 24 : 16;
    std::vector<std::array<std::uint64_t, 5>> entries;
    for (std::size_t at = 0; section.content.size() - at >= size; at += size) {
        const auto info = read_number<std::uint64_t>(section.content, at + 8);
        std::array<std::uint64_t, 5> entry{read_number<std::uint64_t>(section.content, at), info & 0xffffffff,
                                           with_addend ? read_number<std::uint64_t>(section.content, at + 16) : 0};
        if (const std::uint64_t index = info >> 32; index < image_.symbols.size()) {
            const elf_symbol& symbol = image_.symbols[index];
            constexpr std::size_t value_offset = 8, value_size = 8;
            if (symbol.section != 0 && symbol.section < hashes_.size()) {
                entry[3] = hashes_[symbol.section];
                if (const auto value = slice(bytes_, symbol.offset + value_offset, value_size))
                    entry[4] = read_number<std::uint64_t>(*value, 0);
            } else {  // defined outside the module: only its name is known
                const std::string_view name = image_.symbol_name(symbol);
                entry[3] = XXH3_64bits(name.data(), name.size());
            }
        }
        entries.push_back(entry);
    }
    std::sort(entries.begin(), entries.end());
    for (const auto& entry : entries)
        for (const std::uint64_t number : entry) hash.add(number);
}

std::string module_reader::code_of(const kernel_info& kernel)
{
    if (!std::binary_search(kernels_.begin(), kernels_.end(), std::string_view(kernel.name))) return {};
    hash_sections();
    std::vector<std::uint64_t> parts;
    for (std::size_t i = 0; i < hashes_.size(); ++i)
        if (matters(image_.sections[i]) && (owner_[i].empty() || owner_[i] == kernel.name)) parts.push_back(hashes_[i]);
    std::sort(parts.begin(), parts.end());

    hash_state hash;
    hash.add(kernel.architecture);
    for (const std::uint64_t part : parts) hash.add(part);
    // Hashes the kernel's own sections again: the same code in another function of the module is a different kernel.
    for (std::size_t i = 0; i < hashes_.size(); ++i)
        if (matters(image_.sections[i]) && owner_[i] == kernel.name) hash.add(hashes_[i]);
    const auto add = [&](const auto&... each) { (hash.add(each), ...); };
    add(kernel.figures.registers, kernel.figures.stack_frame_bytes, kernel.figures.cumulative_stack_bytes,
        kernel.figures.stack_unbounded, kernel.figures.static_shared_bytes, kernel.figures.reserved_shared_bytes,
        kernel.figures.parameter_bytes, kernel.figures.barriers, kernel.bounds.max_threads,
        kernel.bounds.required_threads, kernel.bounds.cluster, kernel.bounds.max_cluster_blocks);
    return hash.digits();
}

}  // namespace

std::string module_code(std::string_view cubin, const kernel_info& kernel)
{
    std::vector<image_diagnostic> diagnostics;
    const std::optional<elf_image> image = read_elf(cubin, diagnostics);
    if (!image || image->machine != elf::machine_cuda) return {};
    return module_reader(cubin, *image).code_of(kernel);
}

}  // namespace launchbox
