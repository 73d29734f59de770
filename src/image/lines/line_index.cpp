// SPDX-License-Identifier: Apache-2.0
#include "image/lines/line_index.hpp"

#define XXH_INLINE_ALL  // the library is one header
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "image/code/spills.hpp"
#include "image/container/elf.hpp"

namespace launchbox {

namespace {

struct code_access {
    bool reads = false, writes = false;
};

// Loads, stores and atomics of global, shared and generic memory, and asynchronous copies from global to shared
// memory, for compute capability 7.0 to 12.1. Not local memory, textures, or bulk copies. `opcode`: the lowest 12 bits
// of an instruction. Names as in nvdisasm 13.5 for 7.5 to 12.1: each opcode has one, except RED, which is REDG from 9.0
// on.
code_access memory_access_of(std::uint32_t opcode)
{
    switch (opcode) {
        case 0x980:  // LD
        case 0x381:  // LDG
        case 0x981:
        case 0x984:  // LDS
        case 0x83b:  // LDSM
        case 0x9a4:  // LDGMC
        case 0x9a5:
            return {.reads = true};
        case 0x385:  // ST
        case 0x985:
        case 0x386:  // STG
        case 0x986:
        case 0x388:  // STS
        case 0x988:
            return {.writes = true};
        case 0x38a:  // ATOM
        case 0x38b:
        case 0x98a:
        case 0x9a2:
        case 0x38c:  // ATOMS
        case 0x38d:
        case 0x58d:
        case 0x98c:
        case 0xf8c:
        case 0x3a8:  // ATOMG
        case 0x3a9:
        case 0x9a8:
        case 0x98e:  // RED, REDG
        case 0x9a6:
        case 0xdae:  // LDGSTS
        case 0xfae:
            return {.reads = true, .writes = true};
        default:
            return {};
    }
}

constexpr std::size_t instruction_bytes = 16;
constexpr std::size_t max_function_name = 16384;                        // as for symbols
constexpr std::size_t max_function_name_bytes = std::size_t{64} << 20;  // many names may share one long string

// Numbers places in order of appearance. The standard library's table allocates a node for each and takes four times as
// long, and half of all rows are a new place.
class place_numbers {
public:
    place_numbers(std::vector<line_place>& places, std::size_t rows)
        : places_(places), slots_(std::max(min_slots, std::bit_ceil(rows)))
    {
        places_.reserve(rows / 2);
    }

    std::uint32_t of(const line_place& place)
    {
        if (places_.size() * 2 >= slots_.size()) grow();
        std::uint32_t& slot = slot_of(place);
        if (slot == 0) {
            places_.push_back(place);
            slot = static_cast<std::uint32_t>(places_.size());
        }
        return slot - 1;
    }

private:
    static constexpr std::size_t min_slots = 4096;  // a power of 2, as all their numbers

    std::uint32_t& slot_of(const line_place& place)
    {
        static_assert(sizeof place == 4 * sizeof(std::uint32_t), "no padding is hashed");
        std::size_t i = XXH3_64bits(&place, sizeof place) & (slots_.size() - 1);
        while (slots_[i] != 0 && places_[slots_[i] - 1] != place) i = (i + 1) & (slots_.size() - 1);
        return slots_[i];
    }

    void grow()
    {
        slots_.assign(slots_.size() * 4, 0);
        for (std::uint32_t i = 0; i < places_.size(); ++i) slot_of(places_[i]) = i + 1;
    }

    std::vector<line_place>& places_;
    std::vector<std::uint32_t> slots_;  // number of a place, from 1; 0: free
};

// Numbers the names of inlined functions.
class function_numbers {
public:
    function_numbers(std::string_view names, std::vector<std::string>& functions) : names_(names), functions_(functions)
    {
        functions_.emplace_back();
    }

    std::uint32_t of(std::uint32_t offset)
    {
        if (offset == last_offset_) return last_;
        last_offset_ = offset;
        return last_ = looked_up(offset);
    }

private:
    std::uint32_t looked_up(std::uint32_t offset)
    {
        const auto [place, is_new] = number_at_.try_emplace(offset, 0);
        if (!is_new) return place->second;
        if (offset >= names_.size()) return 0;
        const std::string_view rest = names_.substr(offset, max_function_name);
        const std::string_view name = rest.substr(0, ::strnlen(rest.data(), rest.size()));
        if (name.empty() || name.size() > max_function_name_bytes - bytes_) return 0;
        bytes_ += name.size();
        place->second = static_cast<std::uint32_t>(functions_.size());
        functions_.emplace_back(name);
        return place->second;
    }

    std::string_view names_;
    std::vector<std::string>& functions_;
    std::unordered_map<std::uint32_t, std::uint32_t> number_at_;
    std::size_t bytes_ = 0;
    std::uint32_t last_offset_ = ~std::uint32_t{0}, last_ = 0;  // most rows have the function of the row before
};

std::vector<std::uint32_t> text_bytes_of(const line_places& all)
{
    constexpr std::uint64_t beside_names = 150, most = ~std::uint32_t{0};
    std::vector<std::uint32_t> bytes;
    bytes.reserve(all.places.size());
    for (const line_place& place : all.places) {
        const std::uint64_t call = place.inlined_into > 0 ? bytes[place.inlined_into - 1] : 0;
        bytes.push_back(static_cast<std::uint32_t>(
            std::min(most, call + beside_names + all.files[place.file].size() + all.functions[place.function].size())));
    }
    return bytes;
}

}  // namespace

line_index::line_index(const line_rows& rows, const std::unordered_map<std::uint64_t, code_address>& address_of,
                       std::string_view function_names)
{
    auto places = std::make_shared<line_places>();
    places->files = rows.files;
    function_numbers functions(function_names, places->functions);
    place_numbers numbers(places->places, rows.rows.size());
    std::vector<std::uint32_t> place_of(rows.rows.size());  // of each row
    for (std::size_t s = 0; s < rows.sequences.size(); ++s) {
        const line_sequence& sequence = rows.sequences[s];
        const std::size_t end = s + 1 < rows.sequences.size() ? rows.sequences[s + 1].first_row : rows.rows.size();
        const auto address = address_of.find(sequence.address_offset);
        std::vector<line_range>* ranges = address == address_of.end() ? nullptr : &ranges_[address->second.section];
        if (ranges != nullptr && ranges->empty()) ranges->reserve(end - sequence.first_row);
        for (std::size_t i = sequence.first_row; i < end; ++i) {
            const line_row& row = rows.rows[i];
            place_of[i] = no_line;
            if (row.line > 0) {
                line_place place{.file = row.file, .line = row.line};
                if (row.inlined_into > 0) {
                    place.function = functions.of(row.function_name);
                    const std::uint32_t call = place_of[row.inlined_into - 1];
                    place.inlined_into = call == no_line ? 0 : call + 1;
                }
                place_of[i] = numbers.of(place);
            }
            if (ranges != nullptr)
                ranges->push_back({address->second.byte + sequence.start + row.distance, place_of[i]});
        }
    }
    places->text_bytes = text_bytes_of(*places);
    // Of several rows at one address, the last counts.
    const auto before = [](const line_range& one, const line_range& other) { return one.byte < other.byte; };
    for (auto& [section, ranges] : ranges_)
        if (!std::is_sorted(ranges.begin(), ranges.end(), before)) std::ranges::stable_sort(ranges, before);
    places_ = std::move(places);
}

line_cursor line_index::cursor(std::uint32_t section) const
{
    const auto found = ranges_.find(section);
    return found == ranges_.end() ? line_cursor() : line_cursor(found->second);
}

std::uint32_t line_cursor::at(std::uint64_t byte)
{
    const auto is_at = [&] { return at_ + 1 == ranges_.size() || ranges_[at_ + 1].byte > byte; };
    const bool is_behind = at_ < ranges_.size() && ranges_[at_].byte <= byte;
    constexpr int steps = 4;  // further on than that, searching is quicker
    for (int i = 0; is_behind && i < steps && !is_at(); ++i) ++at_;
    if (!is_behind || !is_at()) {
        const auto after = std::ranges::upper_bound(ranges_, byte, {}, &line_range::byte);
        if (after == ranges_.begin()) return no_line;
        at_ = static_cast<std::size_t>(after - ranges_.begin()) - 1;
    }
    return ranges_[at_].place;
}

void line_counter::add_spill(std::uint64_t byte)
{
    if (!slice(code_, byte, instruction_bytes)) return;
    const std::optional<memory_access> access = decode_local_access(code_, static_cast<std::size_t>(byte));
    if (!access) return;
    line_use& use = use_at(byte);
    if (access->local) {
        ++(access->store ? use.spill_stores : use.spill_loads);
        (access->store ? use.spill_store_bytes : use.spill_load_bytes) += access->bytes;
    } else {
        ++(access->store ? use.shared_spill_stores : use.shared_spill_loads);
        (access->store ? use.shared_spill_store_bytes : use.shared_spill_load_bytes) += access->bytes;
    }
}

void line_counter::add_all()
{
    for (std::size_t byte = 0; code_.size() - byte >= instruction_bytes; byte += instruction_bytes) {
        line_use& use = use_at(byte);
        ++use.instructions;
        const code_access access = memory_access_of(read_number<std::uint16_t>(code_, byte) & 0xfffu);
        use.reads += access.reads ? 1 : 0;
        use.writes += access.writes ? 1 : 0;
    }
}

std::vector<line_use> line_counter::take()
{
    std::vector<line_use> uses;
    uses.reserve(uses_.size());
    for (const auto& [place, use] : uses_) uses.push_back(use);
    uses_.clear();
    std::ranges::sort(uses, {}, &line_use::place);
    return uses;
}

line_use& line_counter::use_at(std::uint64_t byte)
{
    const std::uint32_t place = cursor_.at(byte);
    line_use& use = uses_[place];
    use.place = place;
    return use;
}

}  // namespace launchbox
