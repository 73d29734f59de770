// SPDX-License-Identifier: Apache-2.0
#include "compiler/register_pressure.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/nvdisasm.hpp"
#include "image/live_registers.hpp"

namespace launchbox {

namespace {

constexpr int max_general_registers = 256;

// What is known of one kernel while its instructions are read.
class kernel_draft {
public:
    kernel_draft(kernel_info& kernel, std::uint32_t section, const line_index* lines)
        : kernel_(&kernel), section_(section), lines_(lines), written_(max_general_registers, no_line)
    {
    }

    void add(const live_instruction& instruction);
    void finish();

private:
    kernel_info* kernel_;
    std::uint32_t section_;
    const line_index* lines_;
    register_pressure pressure_;
    std::vector<std::uint32_t> written_;    // the place where each register was written last
    std::map<std::uint32_t, int> live_of_;  // by place
    std::set<std::uint32_t> peak_places_;
    bool any_ = false;
};

void read_life_ranges(const cubin_examination& cubin, const disassembled_kernels& batch);

}  // namespace

std::function<void(const cubin_examination&)> pressure_examiner(std::filesystem::path nvdisasm,
                                                                std::function<bool(const kernel_info& kernel)> wanted)
{
    return [nvdisasm = std::move(nvdisasm), wanted = std::move(wanted)](const cubin_examination& cubin) {
        disassemble(cubin, {nvdisasm, {"--print-life-ranges", "--life-range-mode", "narrow"}}, wanted,
                    [&](const disassembled_kernels& batch) { read_life_ranges(cubin, batch); });
    };
}

namespace {

void read_life_ranges(const cubin_examination& cubin, const disassembled_kernels& batch)
{
    std::vector<kernel_draft> drafts;
    drafts.reserve(batch.kernels.size());
    std::unordered_map<std::string, kernel_draft*> by_section;
    for (const std::size_t i : batch.kernels) {
        drafts.emplace_back(cubin.kernels[i], cubin.sections[i], cubin.lines);
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
        if (draft != nullptr) draft->add(instruction);
    });
    batch.for_each_line([&](std::string_view line) { reader.line(line); });
    if (reader.not_understood() > 0) problem = "this nvdisasm prints live registers in another way than is known";
    for (std::size_t k = 0; k < drafts.size(); ++k) {
        if (problem.empty()) drafts[k].finish();
        std::optional<register_pressure>& pressure = cubin.kernels[batch.kernels[k]].pressure;
        if (!pressure) pressure.emplace().problem = problem.empty() ? "nvdisasm does not show it" : problem;
    }
}

void kernel_draft::add(const live_instruction& instruction)
{
    any_ = true;
    const std::uint32_t place = lines_ == nullptr ? no_line : lines_->at(section_, instruction.byte);
    const int live = instruction.live[static_cast<std::size_t>(register_file::general)];
    pressure_.uniform_peak =
        std::max(pressure_.uniform_peak, instruction.live[static_cast<std::size_t>(register_file::uniform)]);
    pressure_.predicate_peak =
        std::max(pressure_.predicate_peak, instruction.live[static_cast<std::size_t>(register_file::predicate)]);
    for (const auto& [number, is_written] : instruction.general) {
        pressure_.highest = std::max(pressure_.highest, number + 1);
        if (is_written) written_[static_cast<std::size_t>(number)] = place;
    }
    int& most = live_of_[place];
    most = std::max(most, live);
    if (live < pressure_.peak || live == 0) return;
    if (live > pressure_.peak) {
        pressure_.peak = live;
        pressure_.peak_at = instruction.byte;
        peak_places_.clear();
        std::map<std::uint32_t, int> since;
        for (const auto& [number, is_written] : instruction.general)
            ++since[written_[static_cast<std::size_t>(number)]];
        pressure_.live_at_peak.clear();
        for (const auto& [written_at, registers] : since) pressure_.live_at_peak.push_back({written_at, registers});
    }
    if (place != no_line) peak_places_.insert(place);
}

void kernel_draft::finish()
{
    if (!any_) return;
    pressure_.peak_places.assign(peak_places_.begin(), peak_places_.end());
    std::ranges::stable_sort(pressure_.live_at_peak, std::ranges::greater{}, &live_since::registers);
    kernel_->pressure = std::move(pressure_);
    if (lines_ == nullptr || !kernel_->lines) return;
    kernel_lines& lines = *kernel_->lines;
    lines.places = lines_->places();
    std::map<std::uint32_t, int> left = std::move(live_of_);
    for (line_use& use : lines.uses)
        if (const auto live = left.extract(use.place)) use.live_registers = live.mapped();
    for (const auto& [place, live] : left) {
        if (place == no_line) continue;
        line_use& use = lines.uses.emplace_back();
        use.place = place;
        use.live_registers = live;
    }
    std::ranges::sort(lines.uses, {}, &line_use::place);
}

}  // namespace

}  // namespace launchbox
