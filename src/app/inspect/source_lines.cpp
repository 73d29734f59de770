// SPDX-License-Identifier: Apache-2.0
#include "app/inspect/source_lines.hpp"

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "advice/inspect/line_summary.hpp"
#include "compiler/disassembly/nvdisasm.hpp"
#include "compiler/disassembly/register_pressure.hpp"
#include "compiler/disassembly/traffic_examiner.hpp"
#include "image/names/readable_names.hpp"
#include "report/core/short_names.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/text/matching.hpp"

namespace launchbox {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_source = std::size_t{64} << 20;

std::vector<std::string_view> all_functions(const inspection& found)
{
    std::vector<const kernel_lines*> kernels;
    for (const inspected_kernel& kernel : found.kernels)
        if (kernel.info.analysis.lines) kernels.push_back(&*kernel.info.analysis.lines);
    return functions_of(kernels);
}

// Only the functions that `pressure_document` names: demangling all would double the run time.
std::vector<std::string_view> functions_shown(const inspection& found, std::size_t lines_shown)
{
    std::unordered_set<std::string_view> functions;
    std::unordered_set<const char*> seen;  // nearly always the same view again
    const auto add = [&](const line_cost& cost) {
        for (const line_frame& frame : cost.frames)
            if (!frame.function.empty() && seen.insert(frame.function.data()).second) functions.insert(frame.function);
    };
    std::size_t kernels = 0;
    for (const inspected_kernel& kernel : found.kernels) {
        if (!has_pressure(kernel) || kernels++ >= found.page_rows) continue;
        if (!kernel.info.analysis.lines) continue;
        for (const line_cost& cost : crowded_lines(*kernel.info.analysis.lines, lines_shown)) add(cost);
        const std::vector<live_since>& held = kernel.info.analysis.pressure->live_at_peak;
        for (std::size_t i = 0; i < held.size() && i < lines_shown; ++i)
            add(line_at(*kernel.info.analysis.lines, held[i].place));
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

}  // namespace

void ask_for_lines(kernel_request& request, line_view view)
{
    if (view == line_view::none) return;
    request.lines = view == line_view::source ? wanted_lines::of_all_code : wanted_lines::of_spills;
    if (view == line_view::spills) return;
    const auto is_wanted = [pattern = request.kernel](const kernel_info& kernel) {
        if (pattern.empty()) return true;
        const readable_name names = readable_names({kernel.name}).front();
        return matches_kernel(pattern, kernel.name, names.demangled, names.short_form);
    };
    request.examine = view == line_view::memory ? traffic_examiner(find_nvdisasm(request.nvcc), is_wanted)
                                                : pressure_examiner(find_nvdisasm_if_any(request.nvcc), is_wanted);
}

line_names brief_line_names(const inspection& found, line_view view, std::size_t lines_shown)
{
    constexpr int room = 48;
    line_names names =
        names_for(view == line_view::registers ? functions_shown(found, lines_shown) : all_functions(found));
    for (auto& [function, name] : names.functions) name = brief_function_name(name, room);
    return names;
}

line_names full_line_names(const inspection& found)
{
    return names_for(all_functions(found));
}

std::vector<margin_source> margin_sources(const inspection& found, const source_folders& folders)
{
    std::set<std::string> files;
    for (const inspected_kernel& kernel : found.kernels)
        if (kernel.info.analysis.lines)
            for (const auto& [file, lines] : margins_of(*kernel.info.analysis.lines)) files.emplace(file);
    std::vector<margin_source> sources;
    for (const std::string& file : files) sources.push_back(source_of(file, folders));
    return sources;
}

}  // namespace launchbox
