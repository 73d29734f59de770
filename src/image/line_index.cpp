// SPDX-License-Identifier: Apache-2.0
#include "image/line_index.hpp"

#define XXH_INLINE_ALL  // the library is one header
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "image/elf.hpp"
#include "image/spills.hpp"

namespace launchbox {

namespace {

constexpr std::size_t instruction_bytes = 16;
constexpr std::size_t max_function_name = 16384;                        // as for symbols
constexpr std::size_t max_function_name_bytes = std::size_t{64} << 20;  // names can share one long string

struct line_place_hash {
    std::size_t operator()(const line_place& place) const { return XXH3_64bits(&place, sizeof place); }
};
static_assert(sizeof(line_place) == 4 * sizeof(std::uint32_t), "no padding is hashed");

// Turns the names of inlined functions into numbers.
class function_numbers {
public:
    function_numbers(std::string_view names, std::vector<std::string>& functions) : names_(names), functions_(functions)
    {
        functions_.emplace_back();
    }

    std::uint32_t of(std::uint32_t offset)
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

private:
    std::string_view names_;
    std::vector<std::string>& functions_;
    std::unordered_map<std::uint32_t, std::uint32_t> number_at_;
    std::size_t bytes_ = 0;
};

}  // namespace

line_index::line_index(const line_rows& rows, const std::unordered_map<std::uint64_t, code_address>& address_of,
                       std::string_view function_names)
{
    auto places = std::make_shared<line_places>();
    places->files = rows.files;
    function_numbers functions(function_names, places->functions);
    std::unordered_map<line_place, std::uint32_t, line_place_hash> number_of;
    std::vector<std::uint32_t> place_of(rows.rows.size(), no_line);  // of each row
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
        const line_row& row = rows.rows[i];
        if (row.line > 0) {
            line_place place{.file = row.file, .line = row.line};
            if (row.inlined_into > 0) {
                place.function = functions.of(row.function_name);
                const std::uint32_t call = place_of[row.inlined_into - 1];
                place.inlined_into = call == no_line ? 0 : call + 1;
            }
            const auto [known, is_new] =
                number_of.try_emplace(place, static_cast<std::uint32_t>(places->places.size()));
            if (is_new) places->places.push_back(place);
            place_of[i] = known->second;
        }
        const auto address = address_of.find(row.address_offset);
        if (address == address_of.end()) continue;
        ranges_[address->second.section].push_back({address->second.byte + row.start + row.distance, place_of[i]});
    }
    // Of rows at one address the last counts.
    const auto before = [](const range& one, const range& other) { return one.byte < other.byte; };
    for (auto& [section, ranges] : ranges_)
        if (!std::is_sorted(ranges.begin(), ranges.end(), before)) std::ranges::stable_sort(ranges, before);
    places_ = std::move(places);
}

std::uint32_t line_index::at(std::uint32_t section, std::uint64_t byte) const
{
    const auto found = ranges_.find(section);
    if (found == ranges_.end()) return no_line;
    const auto after = std::ranges::upper_bound(found->second, byte, {}, &range::byte);
    return after == found->second.begin() ? no_line : std::prev(after)->place;
}

void line_counter::add_spill(std::uint64_t byte)
{
    if (!slice(code_, byte, instruction_bytes)) return;
    const std::optional<memory_access> access = decode_local_access(code_, static_cast<std::size_t>(byte));
    if (!access) return;
    line_use& use = use_at(byte);
    ++(access->store ? use.spill_stores : use.spill_loads);
    (access->store ? use.spill_store_bytes : use.spill_load_bytes) += access->bytes;
}

void line_counter::add_all()
{
    for (std::size_t byte = 0; code_.size() - byte >= instruction_bytes; byte += instruction_bytes)
        ++use_at(byte).instructions;
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
    const std::uint32_t place = index_ == nullptr ? no_line : index_->at(section_, byte);
    line_use& use = uses_[place];
    use.place = place;
    return use;
}

}  // namespace launchbox
