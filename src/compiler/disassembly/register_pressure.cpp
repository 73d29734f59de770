// SPDX-License-Identifier: Apache-2.0
#include "compiler/disassembly/register_pressure.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/disassembly/nvdisasm.hpp"
#include "image/code/live_code.hpp"
#include "image/code/live_registers.hpp"
#include "image/container/elf.hpp"
#include "support/process/parallel.hpp"

namespace launchbox {

namespace {

constexpr int max_general_registers = 256;

using general_registers = std::array<std::uint64_t, 4>;

struct place_count {
    std::uint32_t place = no_line;
    int registers = 0;

    // By place, the highest count first. Packed into one number, since there are about ten per line.
    [[nodiscard]] std::uint64_t order() const
    {
        return std::uint64_t{place} << 32 | static_cast<std::uint32_t>(max_general_registers - registers);
    }
};

// State of one kernel while its instructions are read.
class kernel_draft {
public:
    kernel_draft(const cubin_examination& cubin, std::size_t kernel)
        : kernel_(&cubin.kernels[kernel]), lines_(cubin.lines), memory_(cubin.memory)
    {
        if (lines_ != nullptr) cursor_ = lines_->cursor(cubin.sections[kernel]);
        written_.fill(no_line);
    }

    /// `live` has the counts of the four register files.
    void add(std::uint64_t byte, const std::array<int, 4>& live, const general_registers& general,
             const general_registers& is_written);
    void finish(pressure_source source, std::string doubt);

private:
    using places_of_registers = std::array<std::uint32_t, max_general_registers>;

    void tell_since();

    kernel_info* kernel_;
    const line_index* lines_;
    kernel_memory* memory_;
    line_cursor cursor_;
    register_pressure pressure_;
    places_of_registers written_{}, written_at_peak_{};  // where each register was written last
    general_registers live_at_peak_{};
    std::vector<place_count> max_live_;  // per run of instructions with one place
    bool any_ = false;
};

template <class Function>
void for_each_register(const general_registers& set, const Function& use)
{
    for (std::size_t word = 0; word < set.size(); ++word)
        for (std::uint64_t left = set[word]; left != 0; left &= left - 1)
            use(word * 64 + static_cast<std::size_t>(std::countr_zero(left)));
}

using doubts_of_kernels = std::map<std::size_t, live_doubts>;

void read_life_ranges(const cubin_examination& cubin, const disassembled_kernels& batch, const doubts_of_kernels& left);
std::optional<live_doubts> decode_kernel(const cubin_examination& cubin, std::size_t i, const elf_image& image,
                                         const code_mark_index& marks, bool whatever_is_unknown);

// "2 of its instructions are not known, the first one has opcode 0x123"
std::string doubts_text(const live_doubts& doubts)
{
    std::string text;
    const auto add = [&](std::string reason) { text += (text.empty() ? "" : "; ") + std::move(reason); };
    if (doubts.unknown_instructions > 0) {
        std::array<char, 8> digits{};
        std::snprintf(digits.data(), digits.size(), "%#x", doubts.first_unknown);
        add(std::to_string(doubts.unknown_instructions) + " of its instructions are unknown, the first has opcode " +
            digits.data());
    }
    if (doubts.unknown_targets > 0)
        add("where " + std::to_string(doubts.unknown_targets) + " of its branches go is not known");
    if (doubts.predicate_masks > 0)
        add("which predicates " + std::to_string(doubts.predicate_masks) +
            " of its instructions write (R2P) is not known: there may be fewer");
    if (doubts.calls > 0) add("the registers of called functions are assumed from the calling convention");
    return text;
}

}  // namespace

std::function<void(const cubin_examination&)> pressure_examiner(std::filesystem::path nvdisasm,
                                                                std::function<bool(const kernel_info& kernel)> wanted)
{
    return [nvdisasm = std::move(nvdisasm), wanted = std::move(wanted)](const cubin_examination& cubin) {
        std::vector<image_diagnostic> ignored;
        const std::optional<elf_image> image = read_elf(cubin.bytes, ignored);
        if (!image) return;
        std::vector<std::size_t> chosen;
        for (std::size_t i = 0; i < cubin.kernels.size(); ++i)
            if (cubin.sections[i] != 0 && wanted(cubin.kernels[i])) chosen.push_back(i);
        const code_mark_index marks(*image);
        std::vector<std::optional<live_doubts>> doubts(chosen.size());
        run_parallel(chosen.size(), [&](std::size_t c) {
            doubts[c] = decode_kernel(cubin, chosen[c], *image, marks, nvdisasm.empty());
        });
        doubts_of_kernels left;
        for (std::size_t c = 0; c < chosen.size(); ++c)
            if (doubts[c]) left.emplace(chosen[c], *doubts[c]);
        if (left.empty() || nvdisasm.empty()) return;
        const kernel_info* const first = cubin.kernels.data();
        disassemble(
            cubin, {nvdisasm, {"--print-life-ranges", "--life-range-mode", "narrow"}},
            [&](const kernel_info& kernel) { return left.contains(static_cast<std::size_t>(&kernel - first)); },
            [&](const disassembled_kernels& batch) { read_life_ranges(cubin, batch, left); });
    };
}

namespace {

// Returns an empty text if our decoder knows all the code, else why nvdisasm is needed. `whatever_is_unknown`: nvdisasm
// is missing, so an incomplete answer is better than none. nvdisasm knows no more about calls than we do.
std::optional<live_doubts> decode_kernel(const cubin_examination& cubin, std::size_t i, const elf_image& image,
                                         const code_mark_index& marks, bool whatever_is_unknown)
{
    kernel_info& kernel = cubin.kernels[i];
    const int sm = kernel.capability ? kernel.capability->number() : 0;
    if (!operand_decoder(sm).supported() || cubin.sections[i] >= image.sections.size()) {
        if (whatever_is_unknown)
            kernel.analysis.pressure.emplace().problem =
                "live registers of this architecture need nvdisasm: pip install nvidia-cuda-nvdisasm";
        return live_doubts{};
    }
    const std::string_view code = image.sections[cubin.sections[i]].content;
    const live_code found = find_live_registers(code, sm, marks.of(kernel.name, kernel.figures.registers.value_or(0)));
    const bool is_known = found.doubts.unknown_instructions + found.doubts.unknown_targets == 0;
    if (!whatever_is_unknown && !is_known) return found.doubts;
    kernel_draft draft(cubin, i);
    constexpr std::uint64_t instruction_bytes = 16;
    for (std::size_t at = 0; at < found.live.size(); ++at) {
        const register_set& live = found.live[at];
        draft.add(at * instruction_bytes,
                  {live.general_count(), live.predicate_count(), live.uniform_count(), live.uniform_predicate_count()},
                  live.general, found.writes[at].general);
    }
    draft.finish(pressure_source::own_decoder, doubts_text(found.doubts));
    return std::nullopt;
}

void read_life_ranges(const cubin_examination& cubin, const disassembled_kernels& batch, const doubts_of_kernels& left)
{
    std::vector<kernel_draft> drafts;
    drafts.reserve(batch.kernels.size());
    std::unordered_map<std::string, kernel_draft*> by_section;
    for (const std::size_t i : batch.kernels) {
        drafts.emplace_back(cubin, i);
        by_section.emplace(".text." + cubin.kernels[i].name, &drafts.back());
    }
    std::string section, problem = batch.problem;
    kernel_draft* draft = nullptr;
    life_range_reader reader([&](const live_instruction& instruction) {
        if (instruction.section != section) {
            section = instruction.section;
            const auto found = by_section.find(section);
            draft = found == by_section.end() ? nullptr : found->second;
        }
        if (draft == nullptr) return;
        general_registers general{}, is_written{};
        for (const auto& [number, written] : instruction.general) {
            const std::uint64_t bit = std::uint64_t{1} << (number % 64);
            general[static_cast<std::size_t>(number) / 64] |= bit;
            if (written) is_written[static_cast<std::size_t>(number) / 64] |= bit;
        }
        draft->add(instruction.byte, instruction.live, general, is_written);
    });
    batch.for_each_line([&](std::string_view line) { reader.line(line); });
    if (reader.not_understood() > 0) problem = "this nvdisasm prints live registers in an unknown form";
    for (std::size_t k = 0; k < drafts.size(); ++k) {
        live_doubts of_calls;
        of_calls.calls = left.at(batch.kernels[k]).calls;
        if (problem.empty()) drafts[k].finish(pressure_source::nvdisasm, doubts_text(of_calls));
        std::optional<register_pressure>& pressure = cubin.kernels[batch.kernels[k]].analysis.pressure;
        if (!pressure) pressure.emplace().problem = problem.empty() ? "nvdisasm does not show it" : problem;
    }
}

void kernel_draft::add(std::uint64_t byte, const std::array<int, 4>& live, const general_registers& general,
                       const general_registers& is_written)
{
    any_ = true;
    const std::uint32_t place = cursor_.at(byte);
    const int count = live[static_cast<std::size_t>(register_file::general)];
    pressure_.uniform_peak = std::max(pressure_.uniform_peak, live[static_cast<std::size_t>(register_file::uniform)]);
    pressure_.predicate_peak =
        std::max(pressure_.predicate_peak, live[static_cast<std::size_t>(register_file::predicate)]);
    for (std::size_t word = general.size(); word-- > 0;) {
        if (general[word] == 0) continue;
        pressure_.highest =
            std::max(pressure_.highest, static_cast<int>(word * 64) + static_cast<int>(std::bit_width(general[word])));
        break;
    }
    for_each_register(is_written, [&](std::size_t number) { written_[number] = place; });
    if (max_live_.empty() || max_live_.back().place != place)
        max_live_.push_back({place, count});
    else
        max_live_.back().registers = std::max(max_live_.back().registers, count);
    if (count < pressure_.peak || count == 0) return;
    if (count > pressure_.peak) {
        pressure_.peak = count;
        pressure_.peak_at = byte;
        pressure_.peak_places.clear();
        written_at_peak_ = written_;
        live_at_peak_ = general;
    }
    std::vector<std::uint32_t>& places = pressure_.peak_places;
    if (place != no_line && (places.empty() || places.back() != place)) places.push_back(place);
}

void kernel_draft::tell_since()
{
    std::vector<std::uint32_t> places;
    for_each_register(live_at_peak_, [&](std::size_t number) { places.push_back(written_at_peak_[number]); });
    std::ranges::sort(places);
    std::vector<live_since>& since = pressure_.live_at_peak;
    for (const std::uint32_t place : places) {
        if (since.empty() || since.back().place != place) since.push_back({place, 0});
        ++since.back().registers;
    }
    std::ranges::stable_sort(since, std::ranges::greater{}, &live_since::registers);
}

void kernel_draft::finish(pressure_source source, std::string doubt)
{
    if (!any_) return;
    pressure_.source = source;
    pressure_.doubt = std::move(doubt);
    std::vector<std::uint32_t>& peak_places = pressure_.peak_places;
    std::ranges::sort(peak_places);
    peak_places.erase(std::unique(peak_places.begin(), peak_places.end()), peak_places.end());
    tell_since();
    kernel_->analysis.pressure = std::move(pressure_);
    if (lines_ == nullptr || !kernel_->analysis.lines) return;
    kernel_lines& lines = *kernel_->analysis.lines;
    lines.places = lines_->places();
    std::ranges::sort(max_live_, {}, [](const place_count& one) { return one.order(); });
    const std::size_t counted = lines.uses.size();  // sorted by place
    std::size_t next_use = 0;
    for (std::size_t i = 0; i < max_live_.size(); ++i) {
        const auto& [place, registers] = max_live_[i];
        if (i > 0 && max_live_[i - 1].place == place) continue;
        while (next_use < counted && lines.uses[next_use].place < place) ++next_use;
        if (next_use < counted && lines.uses[next_use].place == place) {
            lines.uses[next_use].live_registers = registers;
        } else if (place != no_line) {
            line_use& use = lines.uses.emplace_back();
            use.place = place;
            use.live_registers = registers;
        }
    }
    std::ranges::inplace_merge(lines.uses, lines.uses.begin() + static_cast<std::ptrdiff_t>(counted), {},
                               &line_use::place);
    if (memory_ != nullptr && !memory_->take((lines.uses.size() - counted) * sizeof(line_use)))
        kernel_->analysis.lines.reset();
}

}  // namespace

}  // namespace launchbox
