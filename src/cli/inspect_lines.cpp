// SPDX-License-Identifier: Apache-2.0
#include "cli/inspect_lines.hpp"

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "advice/inspect/line_summary.hpp"
#include "compiler/disassembly/nvdisasm.hpp"
#include "compiler/disassembly/register_pressure.hpp"
#include "compiler/disassembly/traffic_examiner.hpp"
#include "image/names/readable_names.hpp"
#include "report/core/short_names.hpp"
#include "report/kernels/lines_report.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/text/matching.hpp"

namespace launchbox::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_source = std::size_t{64} << 20;

std::vector<std::string_view> all_functions(const inspection& found)
{
    std::vector<const kernel_lines*> kernels;
    for (const inspected_kernel& kernel : found.kernels)
        if (kernel.info.lines) kernels.push_back(&*kernel.info.lines);
    return functions_of(kernels);
}

// Those that `pressure_document` names: to demangle all would take as long as all else.
std::vector<std::string_view> functions_shown(const inspection& found, std::size_t lines_shown)
{
    std::unordered_set<std::string_view> functions;
    std::unordered_set<const char*> seen;  // the same view again, as nearly always
    const auto add = [&](const line_cost& cost) {
        for (const line_frame& frame : cost.frames)
            if (!frame.function.empty() && seen.insert(frame.function.data()).second) functions.insert(frame.function);
    };
    std::size_t kernels = 0;
    for (const inspected_kernel& kernel : found.kernels) {
        if (!has_pressure(kernel) || kernels++ >= found.page_rows) continue;
        if (!kernel.info.lines) continue;
        for (const line_cost& cost : crowded_lines(*kernel.info.lines, lines_shown)) add(cost);
        const std::vector<live_since>& held = kernel.info.pressure->live_at_peak;
        for (std::size_t i = 0; i < held.size() && i < lines_shown; ++i)
            add(line_at(*kernel.info.lines, held[i].place));
    }
    return {functions.begin(), functions.end()};
}

line_names names_for(const std::vector<std::string_view>& list)
{
    line_names names;
    std::error_code failure;
    names.folder = fs::current_path(failure).string();
    std::vector<readable_name> readable = readable_names(list);
    names.functions.reserve(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) names.functions.emplace(list[i], std::move(readable[i].short_form));
    return names;
}

// For a page: with their template arguments the functions of a library fill a screen for each line.
line_names brief_names_for(const std::vector<std::string_view>& list)
{
    constexpr int room = 48;
    line_names names = names_for(list);
    for (auto& [function, name] : names.functions) name = brief_function_name(name, room);
    return names;
}

std::vector<std::string> lines_of(std::string_view text)
{
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

margin_source source_of(const std::string& file, const source_folders& folders)
{
    margin_source source{.file = file, .text = {}, .remark = {}};
    std::error_code failure;
    if (!fs::is_regular_file(file, failure)) {
        source.remark = "the file is not there";
        return source;
    }
    source.remark = folders.why_not_shown(file);
    if (!source.remark.empty()) return source;
    try {
        source.text = lines_of(read_file(file, largest_source));
    } catch (const error& problem) {
        source.remark = problem.what();
    }
    return source;
}

std::vector<margin_source> sources_of(const inspection& found, const source_folders& folders)
{
    std::set<std::string> files;
    for (const inspected_kernel& kernel : found.kernels)
        if (kernel.info.lines)
            for (const auto& [file, lines] : margins_of(*kernel.info.lines)) files.emplace(file);
    std::vector<margin_source> sources;
    for (const std::string& file : files) sources.push_back(source_of(file, folders));
    return sources;
}

}  // namespace

lines_wish parse_lines_wish(std::string_view word)
{
    return word == "spills"      ? lines_wish::spills
           : word == "registers" ? lines_wish::registers
           : word == "memory"    ? lines_wish::memory
           : word == "source"    ? lines_wish::source
                                 : lines_wish::none;
}

void ask_for_lines(kernel_input_options& wanted, lines_wish wish)
{
    if (wish == lines_wish::none) return;
    wanted.lines = wish == lines_wish::source ? wanted_lines::of_all_code : wanted_lines::of_spills;
    if (wish == lines_wish::spills) return;
    const auto is_wanted = [pattern = wanted.kernel](const kernel_info& kernel) {
        if (pattern.empty()) return true;
        const readable_name names = readable_names({kernel.name}).front();
        return matches_kernel(pattern, kernel.name, names.demangled, names.short_form);
    };
    wanted.examine = wish == lines_wish::memory ? traffic_examiner(find_nvdisasm(wanted.nvcc), is_wanted)
                                                : pressure_examiner(find_nvdisasm_if_any(wanted.nvcc), is_wanted);
}

void add_lines_forms(report_forms& forms, const inspection& found, lines_wish wish, std::size_t lines_shown,
                     const source_folders& folders)
{
    forms.page = [&found, wish, lines_shown, folders](const output_style& style) {
        const line_names names =
            brief_names_for(wish == lines_wish::registers ? functions_shown(found, lines_shown) : all_functions(found));
        if (wish == lines_wish::source) return margin_document(found, names, sources_of(found, folders), style);
        if (wish == lines_wish::memory) return traffic_document(found, names, lines_shown);
        return wish == lines_wish::registers ? pressure_document(found, names, lines_shown)
                                             : lines_document(found, names, lines_shown);
    };
    forms.write_csv = {};
    const bool live = wish == lines_wish::registers || wish == lines_wish::source;
    forms.rows = [&found, live] { return lines_table(found, names_for(all_functions(found)), live); };
}

}  // namespace launchbox::cli
