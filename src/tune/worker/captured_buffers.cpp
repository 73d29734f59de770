// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/captured_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "capture/folder/packed_memory.hpp"
#include "support/error.hpp"
#include "support/text/terminal.hpp"
#include "tune/worker/buffers.hpp"

namespace launchbox {

captured_buffers::captured_buffers(gpu_context& gpu, const reserved_addresses& addresses, const std::string& file)
    : gpu_(gpu), folder_(std::filesystem::path(file).parent_path()), launch_(read_capture(file))
{
    try {
        map(addresses);
        for (std::size_t i = 0; i < launch_.memory.size(); ++i) {
            const captured_memory& memory = launch_.memory[i];
            fill(pieces_.emplace_back(piece{.of = &memory, .data = memory.address, .name = name_of(memory, i)}));
        }
        for (std::size_t i = 0; i < launch_.variables.size(); ++i)
            pieces_.push_back({.of = &launch_.variables[i], .name = name_of(launch_.variables[i], i)});
    } catch (...) {
        free_all();
        throw;
    }
}

captured_buffers::~captured_buffers()
{
    free_all();
}

void captured_buffers::free_all()
{
    if (gpu_.hangs()) return;
    const cuda_driver& driver = gpu_.driver();
    for (const piece& piece : pieces_)
        for (const CUdeviceptr copy : {piece.pristine, piece.expected})
            if (copy != 0) driver.free(copy);
    for (const mapping& mapping : mappings_) {
        driver.unmap(mapping.range.begin, mapping.range.end - mapping.range.begin);
        driver.release_memory(mapping.handle);
    }
    pieces_.clear();
    mappings_.clear();
}

void captured_buffers::map(const reserved_addresses& addresses)
{
    const cuda_driver& driver = gpu_.driver();
    std::vector<address_range> ranges;
    for (const captured_memory& memory : launch_.memory)
        ranges.push_back({memory.address, memory.address + memory.bytes});
    CUmemAllocationProp kind{};
    kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    kind.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = gpu_.device()};
    const CUmemAccessDesc access{.location = kind.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    for (const address_range& range : pages_of(std::move(ranges), addresses.page_bytes())) {
        if (!addresses.holds(range))
            throw error(
                fmt::format("the addresses {:#x} to {:#x}, where the program had its memory, are not available in this "
                            "process ({})",
                            range.begin, range.end, addresses.missing()));
        const std::size_t bytes = range.end - range.begin;
        const std::string stage = fmt::format("when {} bytes at {:#x} were allocated", bytes, range.begin);
        mapping made{.range = range};
        gpu_.check(driver.create_memory(&made.handle, bytes, &kind, 0), stage);
        if (const CUresult code = driver.map(range.begin, bytes, 0, made.handle, 0); code != CUDA_SUCCESS) {
            driver.release_memory(made.handle);
            gpu_.check(code, stage);
        }
        mappings_.push_back(made);
        gpu_.check(driver.set_access(range.begin, bytes, &access, 1), stage);
    }
}

// Reads both files, so that a damaged capture is found before anything is compared with it. Counts the changed bytes
// itself, since the folder's own figure proves nothing.
void captured_buffers::fill(piece& to)
{
    const captured_memory& memory = *to.of;
    packed_reader before(folder_ / memory.before, memory.bytes, memory.before_hash);
    std::optional<packed_reader> after;
    if (!memory.after.empty()) after.emplace(folder_ / memory.after, memory.bytes, memory.after_hash);
    std::vector<char> left;
    std::uint64_t changed = 0;
    to.before_sum = to.after_sum = 0;
    gpu_.upload(to.data, memory.bytes, [&](std::size_t start, std::size_t bytes, char* into) {
        before.read(into, bytes);
        to.before_sum += checksum({into, bytes}, start / 8);
        if (!after) return;
        left.resize(bytes);
        after->read(left.data(), bytes);
        to.after_sum += checksum({left.data(), bytes}, start / 8);
        for (std::size_t i = 0; i < bytes; ++i) changed += into[i] != left[i] ? 1 : 0;
    });
    if (changed != memory.changed_bytes)
        throw error(fmt::format("{} changed in {} bytes by its files, and in {} by the capture", to.name, changed,
                                memory.changed_bytes));
    if (!after) {
        to.after_sum = to.before_sum;
        return;
    }
    if (to.pristine == 0)
        gpu_.check(gpu_.driver().allocate(&to.pristine, memory.bytes),
                   fmt::format("when {} bytes for a copy of {} were allocated", memory.bytes, to.name));
    gpu_.check(gpu_.driver().copy_on_device(to.pristine, to.data, memory.bytes, gpu_.stream()),
               "when its inputs were copied");
    gpu_.wait(60, "when its inputs were copied");
}

void captured_buffers::bind(CUmodule module)
{
    for (piece& piece : pieces_) {
        if (!piece.of->is_variable()) continue;
        std::size_t bytes = 0;
        piece.data = 0;
        if (gpu_.driver().get_variable(&piece.data, &bytes, module, piece.of->name.c_str()) != CUDA_SUCCESS) {
            piece.data = 0;
            if (piece.of->changed_bytes > 0)
                throw error(fmt::format("the launch changes {}, which this module does not have", piece.name));
            continue;  // code of another source may lack this name
        }
        if (bytes != piece.of->bytes)
            throw error(fmt::format("{} has {} bytes, and the program's has {}", piece.name, bytes, piece.of->bytes));
        if (piece.of->referenced && piece.data != piece.of->address)
            throw error(
                fmt::format("captured memory points to {}, which was at {:#x} in the program and is at {:#x} "
                            "here: such a launch cannot be replayed",
                            piece.name, piece.of->address, piece.data));
        fill(piece);
    }
    if (launch_.changed_bytes() == 0)
        throw error("the launch changed no byte, so equal memory proves nothing about a replay");
}

void captured_buffers::make_ready(output_filling)
{
    for (const piece& piece : pieces_)
        if (piece.pristine != 0 && piece.data != 0)
            gpu_.check(gpu_.driver().copy_on_device(piece.data, piece.pristine, piece.of->bytes, gpu_.stream()),
                       "when its inputs were restored");
}

void** captured_buffers::parameters(std::size_t)
{
    arguments_ = launch_.arguments;
    parameters_.clear();
    for (const parameter_place& parameter : launch_.parameters)
        parameters_.push_back(arguments_.data() + parameter.offset);
    return parameters_.data();
}

void captured_buffers::ask_changed() const
{
    for (const piece& piece : pieces_)
        if (piece.pristine != 0 && piece.data != 0) gpu_.ask_checksum(piece.data, piece.of->bytes);
}

bool captured_buffers::changed_as_captured(const memory_sums& sums) const
{
    const std::uint64_t* sum = sums.data();
    return std::ranges::all_of(pieces_, [&](const piece& piece) {
        return piece.pristine == 0 || piece.data == 0 || *sum++ == piece.after_sum;
    });
}

memory_sums captured_buffers::sums() const
{
    for (const piece& piece : pieces_)
        if (piece.data != 0) gpu_.ask_checksum(piece.data, piece.of->bytes);
    return gpu_.sums();
}

bool captured_buffers::is_as_captured(const memory_sums& sums) const
{
    const std::uint64_t* sum = sums.data();
    return std::ranges::all_of(pieces_,
                               [&](const piece& piece) { return piece.data == 0 || *sum++ == piece.after_sum; });
}

std::string captured_buffers::where_differ(const memory_sums& one, const memory_sums& other) const
{
    std::size_t at = 0;
    for (const piece& piece : pieces_) {
        if (piece.data == 0) continue;
        if (one[at] != other[at]) return piece.name;
        ++at;
    }
    return "nothing";
}

std::string captured_buffers::first_difference(const memory_sums& sums) const
{
    std::size_t at = 0;
    for (const piece& piece : pieces_) {
        if (piece.data == 0 || sums[at++] == piece.after_sum) continue;
        const captured_memory& memory = *piece.of;
        const bool changed = !memory.after.empty();
        packed_reader wanted(folder_ / (changed ? memory.after : memory.before), memory.bytes,
                             changed ? memory.after_hash : memory.before_hash);
        std::uint64_t place = 0, first = 0, differing = 0;
        std::uint32_t is = 0, should = 0;
        std::string expected;
        gpu_.download(piece.data, memory.bytes, [&](std::string_view part) {
            expected.resize(part.size());
            wanted.read(expected.data(), expected.size());
            for (std::size_t i = 0; i < part.size(); ++i) {
                if (part[i] == expected[i]) continue;
                if (differing++ > 0) continue;
                first = place + i;
                const std::size_t word = i / 4 * 4, bytes = std::min<std::size_t>(4, part.size() - word);
                std::memcpy(&is, part.data() + word, bytes);
                std::memcpy(&should, expected.data() + word, bytes);
            }
            place += part.size();
        });
        return fmt::format(
            "{} differs at byte {}: the word there is {:#010x}, in the program {:#010x}; {} of {} bytes differ",
            piece.name, with_commas(static_cast<std::int64_t>(first)), is, should,
            with_commas(static_cast<std::int64_t>(differing)), with_commas(static_cast<std::int64_t>(memory.bytes)));
    }
    return {};
}

void captured_buffers::upload_expected(piece& of)
{
    const captured_memory& memory = *of.of;
    gpu_.check(gpu_.driver().allocate(&of.expected, memory.bytes),
               fmt::format("when {} bytes for the results of {} were allocated", memory.bytes, of.name));
    packed_reader after(folder_ / memory.after, memory.bytes, memory.after_hash);
    gpu_.upload(of.expected, memory.bytes, [&](std::size_t, std::size_t bytes, char* to) { after.read(to, bytes); });
}

std::string captured_buffers::first_difference_beyond(const memory_sums& sums, const std::string& type_name,
                                                      double absolute, double relative)
{
    const element_type type = element_type_of(type_name), byte = element_type_of("uint8_t");
    const auto bytes_of_element = static_cast<std::size_t>(type.bytes);
    std::size_t at = 0;
    for (piece& piece : pieces_) {
        if (piece.data == 0 || sums[at++] == piece.after_sum) continue;
        if (piece.of->after.empty()) return first_difference(sums);
        if (piece.expected == 0) upload_expected(piece);
        const std::size_t count = piece.of->bytes / bytes_of_element, whole = count * bytes_of_element;
        gpu_.ask_difference(type, piece.data, piece.expected, count, absolute, relative);
        const bool has_rest = piece.of->bytes > whole;
        if (has_rest)
            gpu_.ask_difference(byte, piece.data + whole, piece.expected + whole, piece.of->bytes - whole, 0, 0);
        const std::vector<std::uint64_t> slots = gpu_.sums();
        if (has_rest && gpu_context::difference_in(slots.data() + gpu_context::slots_of_difference).differing > 0)
            return first_difference(sums);
        const output_difference difference = gpu_context::difference_in(slots.data());
        if (difference.differing == 0) continue;
        std::string is, wanted;
        const std::size_t first = static_cast<std::size_t>(difference.first) * bytes_of_element;
        gpu_.download(piece.data + first, bytes_of_element, [&](std::string_view part) { is += part; });
        gpu_.download(piece.expected + first, bytes_of_element, [&](std::string_view part) { wanted += part; });
        return difference_sentence(piece.name, type, difference, static_cast<std::int64_t>(count), is.data(),
                                   wanted.data());
    }
    return {};
}

std::string captured_buffers::name_of(const captured_memory& memory, std::size_t number) const
{
    if (memory.is_variable()) return "the variable '" + memory.name + "'";
    for (std::size_t i = 0; i < launch_.parameters.size(); ++i) {
        const parameter_place& parameter = launch_.parameters[i];
        std::uint64_t word = 0;
        if (parameter.bytes != sizeof word) continue;
        std::memcpy(&word, launch_.arguments.data() + parameter.offset, sizeof word);
        if (word - memory.address < memory.bytes)
            return fmt::format("memory {} ({:#x}, where parameter {} points to its byte {})", number, memory.address,
                               i + 1, word - memory.address);
    }
    return fmt::format("memory {} ({:#x})", number, memory.address);
}

}  // namespace launchbox
