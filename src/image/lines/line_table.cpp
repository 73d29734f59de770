// SPDX-License-Identifier: Apache-2.0
#include "image/lines/line_table.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <unordered_map>

#include "image/container/elf.hpp"

namespace launchbox {

namespace {

// The longest path; a table that never ends would make paths as long as the section.
constexpr std::size_t max_path = 4096;
// The limit for all paths together: millions of files may share a folder with a long name.
constexpr std::size_t max_path_bytes = std::size_t{64} << 20;
constexpr std::uint32_t no_file = ~std::uint32_t{0};

// Reads numbers and strings one after another; beyond the end of the bytes they are 0 or empty, and `failed` is set.
class byte_reader {
public:
    explicit byte_reader(std::string_view bytes) : bytes_(bytes) {}

    template <class Number>
    Number number()
    {
        if (bytes_.size() - at_ < sizeof(Number)) return fail<Number>();
        const auto value = read_number<Number>(bytes_, at_);
        at_ += sizeof(Number);
        return value;
    }

    // LEB128: seven bits a byte, the lowest first.
    std::uint64_t unsigned_leb()
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0; at_ < bytes_.size(); shift += 7) {
            const auto byte = static_cast<std::uint8_t>(bytes_[at_++]);
            if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if ((byte & 0x80) == 0) return value;
        }
        return fail<std::uint64_t>();
    }

    std::int64_t signed_leb()
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0; at_ < bytes_.size();) {
            const auto byte = static_cast<std::uint8_t>(bytes_[at_++]);
            if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            shift += 7;
            if ((byte & 0x80) != 0) continue;
            if (shift < 64 && (byte & 0x40) != 0) value |= ~std::uint64_t{0} << shift;
            return static_cast<std::int64_t>(value);
        }
        return fail<std::int64_t>();
    }

    std::string_view string()
    {
        const auto end = bytes_.find('\0', at_);
        if (end == std::string_view::npos) {
            at_ = bytes_.size();
            failed_ = true;
            return {};
        }
        const std::string_view text = bytes_.substr(at_, end - at_);
        at_ = end + 1;
        return text.substr(0, max_path);
    }

    void skip_to(std::size_t at)
    {
        failed_ |= at > bytes_.size() || at < at_;
        if (!failed_) at_ = at;
    }

    [[nodiscard]] std::size_t at() const { return at_; }
    [[nodiscard]] bool at_end() const { return at_ >= bytes_.size(); }
    [[nodiscard]] bool failed() const { return failed_; }

private:
    template <class Number>
    Number fail()
    {
        at_ = bytes_.size();
        failed_ = true;
        return 0;
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
    bool failed_ = false;
};

// The rows of all units, and the indices of their paths.
struct row_collector {
    line_rows& rows;
    std::unordered_map<std::string, std::uint32_t> number_of_file = {};
    std::size_t path_bytes = 0;
};

// One unit: a header with folders and files, and a program that generates the rows.
class unit_reader {
public:
    unit_reader(std::string_view unit, std::uint64_t unit_offset,
                const std::function<void(const line_of_function&)>& found, row_collector* rows)
        : bytes_(unit), unit_offset_(unit_offset), found_(found), rows_(rows)
    {
        if (rows_ != nullptr) first_row_ = rows_->rows.rows.size();
    }

    // What is wrong, if anything.
    const char* read();

private:
    const char* read_header();
    void run_extended();
    void run_special(std::uint8_t opcode);
    void row();
    void first_row_of_function();
    void keep_row(bool ends);
    std::uint32_t number_of_file(std::uint64_t file);

    struct file_entry {
        std::string_view name;
        std::uint64_t folder = 0;
        std::optional<std::uint32_t> number = {};
    };
    // The state of DWARF's line machine, as far as it is needed here.
    struct registers {
        std::uint64_t file = 1;
        std::int64_t line = 1;
        std::uint64_t inlined_into = 0;   // NVIDIA's extension; 0: the function's own code
        std::uint64_t function_name = 0;  // likewise, of the inlined function
        std::optional<std::uint64_t> address_offset;
        std::uint64_t start = 0, distance = 0;
        bool in_sequence = false;  // the last sequence of the rows begins at this address
        bool told = false;
    };

    byte_reader bytes_;
    std::uint64_t unit_offset_;
    const std::function<void(const line_of_function&)>& found_;
    row_collector* rows_;
    std::size_t first_row_ = 0;  // of the function
    std::uint8_t shortest_instruction_ = 1;
    std::int8_t line_base_ = 0;
    std::uint8_t line_range_ = 1, opcode_base_ = 10;
    std::vector<std::uint8_t> operands_;  // of the standard opcodes, from 1
    std::vector<std::string_view> folders_;
    std::vector<file_entry> files_;
    registers state_;
};

}  // namespace

void read_line_table(std::string_view section, std::uint64_t offset, std::vector<image_diagnostic>& diagnostics,
                     const std::function<void(const line_of_function&)>& found, line_rows* rows)
{
    std::optional<row_collector> collector;
    if (rows != nullptr) {
        collector.emplace(row_collector{*rows});
        constexpr std::size_t bytes_of_row = 6;  // of nvcc's tables, at least
        rows->rows.reserve(std::min(max_line_rows, section.size() / bytes_of_row));
    }
    std::size_t at = 0;
    while (section.size() - at >= 4) {
        const auto length = read_number<std::uint32_t>(section, at);
        if (length > section.size() - at - 4) {
            add_diagnostic(diagnostics, offset + at, "a unit of line information reaches beyond its section");
            return;
        }
        const std::size_t unit_at = at + 4;
        unit_reader unit(section.substr(unit_at, length), unit_at, found, collector ? &*collector : nullptr);
        if (const char* what = unit.read()) add_diagnostic(diagnostics, offset + at, what);
        at = unit_at + length;
    }
}

std::string source_path(const line_of_function& function)
{
    if (function.folder.empty() || function.file.starts_with('/')) return std::string(function.file);
    return std::string(function.folder) + "/" + std::string(function.file);
}

namespace {

const char* unit_reader::read()
{
    if (const char* what = read_header()) return what;
    while (!bytes_.at_end() && !bytes_.failed()) {
        const auto opcode = bytes_.number<std::uint8_t>();
        if (opcode >= opcode_base_) {
            run_special(opcode);
            continue;
        }
        switch (opcode) {
            case 0:
                run_extended();
                break;
            case 1:  // copy
                row();
                break;
            case 2:  // advance address
                state_.distance += bytes_.unsigned_leb() * shortest_instruction_;
                break;
            case 3:  // advance line
                state_.line = static_cast<std::int64_t>(static_cast<std::uint64_t>(state_.line) +
                                                        static_cast<std::uint64_t>(bytes_.signed_leb()));
                break;
            case 4:  // set file
                state_.file = bytes_.unsigned_leb();
                break;
            case 8:  // advance address as the last special opcode would
                state_.distance += std::uint64_t{(255u - opcode_base_) / line_range_} * shortest_instruction_;
                break;
            case 9:  // advance address by 16 bits
                state_.distance += bytes_.number<std::uint16_t>();
                break;
            default:  // the header gives the number of operands
                for (std::uint8_t i = 0; i < operands_[opcode - 1u]; ++i) bytes_.unsigned_leb();
                break;
        }
    }
    return bytes_.failed() ? "line information that is cut off" : nullptr;
}

const char* unit_reader::read_header()
{
    const auto version = bytes_.number<std::uint16_t>();
    if (version < 2 || version > 4) return "line information of a version other than 2 to 4";
    const auto header_length = bytes_.number<std::uint32_t>();
    const std::size_t program = bytes_.at() + header_length;
    shortest_instruction_ = bytes_.number<std::uint8_t>();
    if (version >= 4) bytes_.number<std::uint8_t>();  // operations in one instruction
    bytes_.number<std::uint8_t>();                    // whether rows are statements
    line_base_ = static_cast<std::int8_t>(bytes_.number<std::uint8_t>());
    line_range_ = bytes_.number<std::uint8_t>();
    opcode_base_ = bytes_.number<std::uint8_t>();
    if (line_range_ == 0 || opcode_base_ == 0) return "line information with a damaged header";
    for (int i = 1; i < opcode_base_; ++i) operands_.push_back(bytes_.number<std::uint8_t>());
    for (std::string_view folder = bytes_.string(); !folder.empty(); folder = bytes_.string())
        folders_.push_back(folder);
    for (std::string_view name = bytes_.string(); !name.empty(); name = bytes_.string()) {
        files_.push_back({.name = name, .folder = bytes_.unsigned_leb()});
        bytes_.unsigned_leb();  // time
        bytes_.unsigned_leb();  // size
    }
    bytes_.skip_to(program);
    return bytes_.failed() ? "line information with a damaged header" : nullptr;
}

void unit_reader::run_extended()
{
    const std::uint64_t length = bytes_.unsigned_leb();
    const std::size_t start = bytes_.at();
    const auto opcode = length > 0 ? bytes_.number<std::uint8_t>() : std::uint8_t{0};
    constexpr std::uint8_t end_sequence = 1, set_address = 2, inlined_call = 0x90;
    if (opcode == end_sequence) {
        keep_row(true);
        state_ = {};
        if (rows_ != nullptr) first_row_ = rows_->rows.rows.size();
    } else if (opcode == set_address) {
        state_.address_offset = unit_offset_ + bytes_.at();
        state_.distance = 0;
        state_.in_sequence = false;
        state_.start = length == 9 ? bytes_.number<std::uint64_t>() : 0;
    } else if (opcode == inlined_call) {
        state_.inlined_into = bytes_.unsigned_leb();
        state_.function_name = bytes_.unsigned_leb();
    }
    bytes_.skip_to(length <= std::numeric_limits<std::size_t>::max() - start ? start + static_cast<std::size_t>(length)
                                                                             : std::numeric_limits<std::size_t>::max());
}

void unit_reader::run_special(std::uint8_t opcode)
{
    state_.line =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(state_.line) +
                                  static_cast<std::uint64_t>(line_base_ + (opcode - opcode_base_) % line_range_));
    state_.distance += static_cast<std::uint64_t>((opcode - opcode_base_) / line_range_) * shortest_instruction_;
    row();
}

void unit_reader::row()
{
    keep_row(false);
    first_row_of_function();
}

void unit_reader::keep_row(bool ends)
{
    if (rows_ == nullptr || !state_.address_offset) return;
    std::vector<line_row>& rows = rows_->rows.rows;
    if (rows.size() == max_line_rows) {
        rows_->rows.cut_off = true;
        return;
    }
    if (!state_.in_sequence) {
        state_.in_sequence = true;
        rows_->rows.sequences.push_back(
            {.address_offset = *state_.address_offset, .start = state_.start, .first_row = rows.size()});
    }
    line_row row{.distance = state_.distance};
    const bool placed = state_.line >= 1 && state_.line <= std::numeric_limits<int>::max() && state_.file >= 1 &&
                        state_.file <= files_.size();
    if (placed && !ends) {
        row.file = number_of_file(state_.file);
        if (row.file == no_file)
            row.file = 0;
        else
            row.line = static_cast<std::uint32_t>(state_.line);
        // Rows are counted from 1 in their function; a reference to a later row could create cycles.
        if (state_.inlined_into > 0 && state_.inlined_into <= rows.size() - first_row_) {
            row.inlined_into = static_cast<std::uint32_t>(first_row_ + state_.inlined_into);
            if (state_.function_name <= std::numeric_limits<std::uint32_t>::max())
                row.function_name = static_cast<std::uint32_t>(state_.function_name);
        }
    }
    rows.push_back(row);
}

std::uint32_t unit_reader::number_of_file(std::uint64_t file)
{
    file_entry& entry = files_[static_cast<std::size_t>(file - 1)];
    if (entry.number) return *entry.number;
    const bool has_folder = entry.folder >= 1 && entry.folder <= folders_.size();
    const std::string path =
        source_path({.folder = has_folder ? folders_[static_cast<std::size_t>(entry.folder - 1)] : std::string_view{},
                     .file = entry.name});
    std::vector<std::string>& files = rows_->rows.files;
    const auto [place, is_new] = rows_->number_of_file.try_emplace(path, static_cast<std::uint32_t>(files.size()));
    if (is_new) {
        if (path.size() > max_path_bytes - rows_->path_bytes) {
            rows_->number_of_file.erase(place);
            rows_->rows.cut_off = true;
            return no_file;
        }
        rows_->path_bytes += path.size();
        files.push_back(path);
    }
    entry.number = place->second;
    return place->second;
}

// Reports a function at its first row with code of its own.
void unit_reader::first_row_of_function()
{
    if (state_.told || state_.inlined_into != 0 || !state_.address_offset) return;
    if (state_.line < 1 || state_.line > std::numeric_limits<int>::max()) return;
    if (state_.file < 1 || state_.file > files_.size()) return;
    state_.told = true;
    const file_entry& file = files_[static_cast<std::size_t>(state_.file - 1)];
    const bool has_folder = file.folder >= 1 && file.folder <= folders_.size();
    found_({.address_offset = *state_.address_offset,
            .folder = has_folder ? folders_[static_cast<std::size_t>(file.folder - 1)] : std::string_view{},
            .file = file.name,
            .line = static_cast<int>(state_.line)});
}

}  // namespace

}  // namespace launchbox
