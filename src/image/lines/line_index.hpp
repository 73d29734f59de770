// Maps the address of an instruction to its line: the line table of an image, sorted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "image/lines/code_lines.hpp"
#include "image/lines/line_table.hpp"

namespace launchbox {

/// Where code is: a section of the image, and the byte in it.
struct code_address {
    std::uint32_t section = 0;
    std::uint64_t byte = 0;
};

/// Code from this byte of its section up to the next range, and its place.
struct line_range {
    std::uint64_t byte = 0;
    std::uint32_t place = no_line;
};

/// Finds the places of one section; fastest if each byte equals the one before or is slightly larger.
class line_cursor {
public:
    line_cursor() = default;
    explicit line_cursor(std::span<const line_range> ranges) : ranges_(ranges) {}

    /// The place of the instruction at `byte`; `no_line` if unknown.
    [[nodiscard]] std::uint32_t at(std::uint64_t byte);

private:
    std::span<const line_range> ranges_;  // ascending
    std::size_t at_ = 0;                  // where the last answer was found
};

class line_index {
public:
    /// `address_of`: the values that relocations put into the line table, by `line_sequence::address_offset`, without
    /// the stored addend. `function_names` is the section `.debug_str`.
    line_index(const line_rows& rows, const std::unordered_map<std::uint64_t, code_address>& address_of,
               std::string_view function_names);

    [[nodiscard]] const std::shared_ptr<const line_places>& places() const { return places_; }

    /// Valid as long as the index.
    [[nodiscard]] line_cursor cursor(std::uint32_t section) const;

    /// The place of the instruction at `byte`; `no_line` if unknown.
    [[nodiscard]] std::uint32_t at(std::uint32_t section, std::uint64_t byte) const { return cursor(section).at(byte); }

private:
    std::shared_ptr<const line_places> places_;
    std::unordered_map<std::uint32_t, std::vector<line_range>> ranges_;  // by section, ascending
};

/// Adds up the instructions of one kernel by place. `code` is its section.
class line_counter {
public:
    line_counter(std::string_view code, std::uint32_t section, const line_index* index)
        : code_(code), cursor_(index == nullptr ? line_cursor() : index->cursor(section))
    {
    }

    /// Counts the spill at this offset; an offset outside of the code is ignored.
    void add_spill(std::uint64_t byte);
    /// Counts all instructions.
    void add_all();
    /// The sums, ascending by place.
    [[nodiscard]] std::vector<line_use> take();

private:
    line_use& use_at(std::uint64_t byte);

    std::string_view code_;
    line_cursor cursor_;
    std::unordered_map<std::uint32_t, line_use> uses_;
};

}  // namespace launchbox
