// SPDX-License-Identifier: Apache-2.0
#include "app/bounds/folder_bounds.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/input/folder_files.hpp"
#include "app/input/kernel_names.hpp"
#include "app/input/kernel_pattern.hpp"
#include "support/process/interrupt.hpp"

namespace launchbox {

namespace {

void append(source_bounds& all, source_bounds&& one)
{
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

}  // namespace

source_bounds find_bounds_in_folder(const source_bounds_request& request, const listener& news)
{
    const std::vector<std::string> sources = sources_in_folder(request.file);
    if (sources.empty())
        throw error(request.file + " has no CUDA source (.cu)", "name a source, or the folder that has some");
    news.say(request.file + ": " + read_as_sources(sources, request.file));
    source_bounds all;
    all.report.whole = request.whole;
    for (const std::string& file : sources) {
        if (interrupted()) break;
        source_bounds_request one = request;
        one.file = file;
        one.of_folder = true;
        source_bounds found = find_bounds(one, news);
        if (!found.report.answers.empty() || found.status != exit_status::done) append(all, std::move(found));
    }
    all.interrupted |= interrupted();
    if (all.report.answers.empty() && all.status == exit_status::done && !all.interrupted) {
        if (!request.kernel.empty())
            if (std::vector<std::string> names = kernel_names(sources); !names.empty())
                refuse_pattern(request.kernel, std::move(names));
        throw error("the CUDA sources of " + request.file + " have no instantiated __global__ function",
                    "instantiate the templates, or name the file that does");
    }
    all.report.overview = overview_of(all.report.answers);
    return all;
}

source_bounds find_all_bounds(const source_bounds_request& request, const listener& news)
{
    return is_folder(request.file) ? find_bounds_in_folder(request, news) : find_bounds(request, news);
}

}  // namespace launchbox
