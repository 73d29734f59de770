// SPDX-License-Identifier: Apache-2.0
#include "compiler/register_pressure.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "image/live_registers.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {

namespace {

namespace fs = std::filesystem;

// A line of 300 bytes for each instruction of 16: what one run prints stays below 256 MB.
constexpr std::int64_t code_at_once = std::int64_t{2} << 20;
constexpr std::size_t output_at_most = std::size_t{1} << 30;
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

void run_nvdisasm(const fs::path& nvdisasm, const fs::path& file, const std::vector<std::uint32_t>& symbols,
                  const std::unordered_map<std::string, kernel_draft*>& drafts, std::string& problem);

}  // namespace

std::filesystem::path find_nvdisasm(const std::string& nvcc)
{
    std::vector<fs::path> places;
    if (!nvcc.empty()) {
        places.push_back(fs::path(nvcc) / "bin" / "nvdisasm");
        places.push_back(fs::path(nvcc).parent_path() / "nvdisasm");
    }
    if (fs::path in_path = find_in_path("nvdisasm"); !in_path.empty()) places.push_back(std::move(in_path));
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* folder = std::getenv(variable); folder != nullptr && *folder != '\0')
            places.push_back(fs::path(folder) / "bin" / "nvdisasm");
    places.emplace_back("/usr/local/cuda/bin/nvdisasm");
    std::error_code failure;
    for (const fs::path& place : places)
        if (fs::is_regular_file(place, failure)) return place;
    throw error("live registers need nvdisasm, which is not in PATH, $CUDA_HOME or /usr/local/cuda",
                "install it with: pip install nvidia-cuda-nvdisasm, and add its folder nvidia/cu13/bin to PATH",
                exit_status::missing);
}

std::function<void(const cubin_examination&)> pressure_examiner(std::filesystem::path nvdisasm,
                                                                std::function<bool(const kernel_info& kernel)> wanted)
{
    return [nvdisasm = std::move(nvdisasm), wanted = std::move(wanted)](const cubin_examination& cubin) {
        std::vector<std::size_t> chosen;
        for (std::size_t i = 0; i < cubin.kernels.size(); ++i)
            if (wanted(cubin.kernels[i])) chosen.push_back(i);
        if (chosen.empty()) return;
        const temporary_directory folder;
        const fs::path file = folder.path() / "image.cubin";
        write_file_atomically(file, cubin.bytes);
        for (std::size_t next = 0; next < chosen.size() && !interrupted();) {
            std::vector<kernel_draft> drafts;
            std::vector<std::uint32_t> symbols;
            std::int64_t code = 0;
            const std::size_t first = next;
            for (; next < chosen.size() && (next == first || code < code_at_once); ++next) {
                const std::size_t i = chosen[next];
                drafts.emplace_back(cubin.kernels[i], cubin.sections[i], cubin.lines);
                symbols.push_back(cubin.symbols[i]);
                code += cubin.kernels[i].code_bytes.value_or(0);
            }
            std::unordered_map<std::string, kernel_draft*> by_section;
            for (std::size_t k = 0; k < drafts.size(); ++k)
                by_section.emplace(".text." + cubin.kernels[chosen[first + k]].name, &drafts[k]);
            std::string problem;
            run_nvdisasm(nvdisasm, file, symbols, by_section, problem);
            for (std::size_t k = 0; k < drafts.size(); ++k) {
                if (problem.empty()) drafts[k].finish();
                std::optional<register_pressure>& pressure = cubin.kernels[chosen[first + k]].pressure;
                if (!pressure) pressure.emplace().problem = problem.empty() ? "nvdisasm does not show it" : problem;
            }
        }
    };
}

namespace {

void run_nvdisasm(const fs::path& nvdisasm, const fs::path& file, const std::vector<std::uint32_t>& symbols,
                  const std::unordered_map<std::string, kernel_draft*>& drafts, std::string& problem)
{
    std::string list;
    for (const std::uint32_t symbol : symbols) list += (list.empty() ? "" : ",") + std::to_string(symbol);
    const subprocess_result result = run({nvdisasm.string(), "--print-code", "--print-life-ranges", "--life-range-mode",
                                          "narrow", "--cuda-function-index", list, file.string()},
                                         {.directory = {}, .environment = {}, .output_cap = output_at_most});
    if (result.exit_code != 0) {
        problem =
            "nvdisasm ended with exit status " + std::to_string(result.exit_code) + ": " + last_line(result.output);
        return;
    }
    std::string section;
    kernel_draft* draft = nullptr;
    life_range_reader reader([&](const live_instruction& instruction) {
        if (instruction.section != section) {
            section = instruction.section;
            const auto found = drafts.find(section);
            draft = found == drafts.end() ? nullptr : found->second;
        }
        if (draft != nullptr) draft->add(instruction);
    });
    for (std::string_view rest = result.output; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        reader.line(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (reader.not_understood() > 0) problem = "this nvdisasm prints live registers in another way than is known";
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
