// Live registers at each instruction, from nvdisasm's output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace launchbox {

enum class register_file : std::uint8_t { general, predicate, uniform, uniform_predicate };

/// One instruction. Registers that it writes for the first time, or reads for the last time, count as live.
struct live_instruction {
    std::string_view section;   ///< ".text.KERNEL"
    std::uint64_t byte = 0;     ///< offset in the section
    std::array<int, 4> live{};  ///< number in each register file
    /// The live general registers in order, each with whether the instruction writes it.
    std::vector<std::pair<int, bool>> general;
};

/// Reads the output of `nvdisasm --print-life-ranges --life-range-mode narrow` line by line.
class life_range_reader {
public:
    explicit life_range_reader(std::function<void(const live_instruction&)> found) : found_(std::move(found)) {}

    void line(std::string_view text);

    /// Lines that look like instructions but could not be read: the format has changed.
    [[nodiscard]] std::size_t not_understood() const { return not_understood_; }

private:
    struct column_group {
        register_file file = register_file::general;
        std::size_t begin = 0, end = 0;                      // columns of text, between two |
        std::vector<std::pair<std::size_t, int>> registers;  // column of text, number
    };
    void header_line(std::string_view table);
    void instruction(std::string_view text, std::string_view table);
    void finish_header();

    std::function<void(const live_instruction&)> found_;
    std::string section_;
    std::size_t table_at_ = std::string_view::npos;  // where the table is in a line
    bool in_header_ = false;
    std::vector<std::string> header_;
    std::vector<column_group> groups_;
    live_instruction next_;
    std::size_t not_understood_ = 0;
};

}  // namespace launchbox
