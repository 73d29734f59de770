// SPDX-License-Identifier: Apache-2.0
#include "app/bounds/folder_bounds.hpp"

#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "advice/bounds/shared_declarations.hpp"
#include "app/input/folder_files.hpp"
#include "app/input/kernel_pattern.hpp"
#include "source/source_kernels.hpp"
#include "support/files/files.hpp"
#include "support/process/interrupt.hpp"

namespace launchbox {

namespace {

// Each source numbers its groups from 1, so the numbers of the added one are shifted.
void append(source_bounds& all, source_bounds&& one)
{
    const std::size_t before = all.report.answers.size();
    for (kernel_bounds kernel : one.report.overview.kernels) {
        kernel.first += before;
        all.report.overview.kernels.push_back(std::move(kernel));
    }
    for (bounds_answer& answer : one.report.answers) answer.group += answer.group > 0 ? before : 0;
    for (kernel_trials& kernel : one.trials) kernel.group += kernel.group > 0 ? before : 0;
    std::ranges::move(one.report.answers, std::back_inserter(all.report.answers));
    std::ranges::move(one.report.inputs, std::back_inserter(all.report.inputs));
    std::ranges::move(one.trials, std::back_inserter(all.trials));
    std::ranges::move(one.uses, std::back_inserter(all.uses));
    all.report.compiler = std::move(one.report.compiler);
    all.report.compiles += one.report.compiles;
    all.report.from_cache += one.report.from_cache;
    all.interrupted |= one.interrupted;
    if (one.status != exit_status::done) all.status = one.status;
}

// Skips hidden files, such as the links that editors leave: ".#copy.cu".
bool is_source_name(std::string_view path)
{
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return name.ends_with(".cu") && !name.starts_with('.');
}

std::vector<std::string> names_in(const std::vector<std::string>& sources)
{
    std::set<std::string> names;
    for (const std::string& file : sources) try {
            for (std::string& name : kernels_in_text(read_file(file))) names.insert(std::move(name));
        } catch (const error&) {  // reported when it was compiled
        }
    return {names.begin(), names.end()};
}

}  // namespace

source_bounds find_bounds_in_folder(const source_bounds_request& request, const listener& news)
{
    const folder_files found = files_in_folder(request.file, is_source_name);
    const std::vector<std::string> sources = sources_of(found, request.file);
    for (const std::vector<std::string>* passed_over : {&found.errors, &found.remarks})
        for (const std::string& text : *passed_over) news.say(request.file + ": " + text);
    if (sources.empty())
        throw error(request.file + " has no CUDA source (.cu)", "name a source, or the folder that has some");
    news.say(request.file + ": " + read_as_sources(sources, request.file));
    source_bounds all;
    if (!found.errors.empty()) all.status = exit_status::bad_input;
    all.report.whole = request.whole;
    for (const std::string& file : sources) {
        if (interrupted()) break;
        source_bounds_request one = request;
        one.file = file;
        one.of_folder = true;
        source_bounds made = find_bounds(one, news);
        if (!made.report.answers.empty() || made.status != exit_status::done) append(all, std::move(made));
    }
    all.interrupted |= interrupted();
    if (all.report.answers.empty() && all.status == exit_status::done && !all.interrupted) {
        if (std::vector<std::string> names = names_in(sources); !request.kernel.empty() && !names.empty())
            refuse_pattern(request.kernel, std::move(names));
        throw error("the CUDA sources of " + request.file + " have no instantiated __global__ function",
                    "instantiate the templates, or name the file that does");
    }
    all.report.overview.conflicts = conflicting_declarations(all.report.answers);
    return all;
}

source_bounds find_all_bounds(const source_bounds_request& request, const listener& news)
{
    return is_folder(request.file) ? find_bounds_in_folder(request, news) : find_bounds(request, news);
}

}  // namespace launchbox
