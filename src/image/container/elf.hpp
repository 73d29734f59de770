// Sections and symbols of a 64-bit little-endian ELF image, every offset and count checked before use.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "image/container/image_diagnostic.hpp"

namespace launchbox {

namespace elf {
inline constexpr std::uint16_t type_relocatable = 1, type_executable = 2;
inline constexpr std::uint16_t machine_cuda = 190;
inline constexpr std::uint8_t symbol_object = 1, symbol_function = 2;
inline constexpr std::uint8_t symbol_is_entry = 0x10;  ///< in `other`: a kernel
inline constexpr std::uint64_t flag_allocated = 2;
inline constexpr std::uint32_t section_symbols = 2, section_note = 7, section_nobits = 8, section_symbol_indices = 18;
}  // namespace elf

struct elf_section {
    std::string_view name;
    std::uint32_t type = 0;
    std::uint64_t flags = 0, offset = 0, size = 0;
    std::uint32_t link = 0, info = 0;
    std::uint64_t alignment = 0;
    std::string_view content;  ///< empty if its bytes are not, or not all, in the file
};

struct elf_symbol {
    std::uint32_t name_offset = 0;  ///< see `elf_image::symbol_name`
    std::uint8_t type = 0, other = 0;
    std::uint32_t section = 0;  ///< an index into `sections`; beyond it if the image says so
    std::uint64_t value = 0;    ///< of a function: where it starts in its section
    std::uint64_t offset = 0;   ///< of the symbol in the image
};

/// Views into the bytes given to `read_elf`, which have to outlive it.
struct elf_image {
    std::uint8_t os_abi = 0, abi_version = 0;
    std::uint16_t type = 0, machine = 0;
    std::uint32_t version = 0, flags = 0;
    std::uint64_t end = 0;           ///< of the last part named by the headers, from the start of the image
    std::uint64_t sections_end = 0;  ///< the same for sections and their headers, without program headers
    std::vector<elf_section> sections;
    std::vector<elf_symbol> symbols;  ///< of the first symbol table
    std::string_view symbol_names;

    [[nodiscard]] std::string_view symbol_name(const elf_symbol& symbol) const;
    /// For a cubin: whether this is a `__device__`, `__constant__` or `__managed__` variable.
    [[nodiscard]] bool is_variable(const elf_symbol& symbol) const;
};

enum class elf_parts { all, sections };

/// `nullopt` if nothing can be read. Errors, in the whole or in single sections, are added to `diagnostics`. (No
/// std::expected: clang 14, which builds the fuzz targets, cannot destroy one.)
std::optional<elf_image> read_elf(std::string_view bytes, std::vector<image_diagnostic>& diagnostics,
                                  elf_parts parts = elf_parts::all);

/// A part of `bytes`; `nullopt` if it does not lie inside.
std::optional<std::string_view> slice(std::string_view bytes, std::uint64_t offset, std::uint64_t size);

/// The little-endian number at `offset`; the caller has checked that it exists.
template <class Number>
Number read_number(std::string_view bytes, std::size_t offset)
{
    static_assert(std::is_unsigned_v<Number>);
    Number value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

/// The most diagnostics listed for one image: a damaged one can have millions.
inline constexpr std::size_t max_image_diagnostics = 100;

/// Adds a diagnostic; the first beyond `max_image_diagnostics` says that there are more.
void add_diagnostic(std::vector<image_diagnostic>& diagnostics, std::uint64_t offset, std::string what);

}  // namespace launchbox
