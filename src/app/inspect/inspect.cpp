// SPDX-License-Identifier: Apache-2.0
#include "app/inspect/inspect.hpp"

#include <fmt/format.h>

#include <utility>

#include "compiler/run/toolchain.hpp"
#include "support/process/parallel.hpp"
#include "support/text/matching.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

void keep_matching(const std::string& pattern, inspection& before, inspection& after)
{
    if (pattern.empty()) return;
    for (inspection* side : {&before, &after})
        std::erase_if(side->kernels, [&](const inspected_kernel& kernel) {
            return !matches_kernel(pattern, kernel.info.name, kernel.info.demangled, kernel.info.short_form);
        });
    if (before.kernels.empty() && after.kernels.empty())
        throw error("no kernel matches '" + escape_for_terminal(pattern) + "' before or after",
                    "launchbox inspect FILE lists those of one file");
}

inspected_files inspected(kernel_input input, std::optional<int> threads)
{
    inspected_files files;
    inspection& found = files.found;
    found.inputs = input.inspected();
    found.kernels.resize(input.kernels.size());
    run_parallel_ranges(input.kernels.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            found_kernel& kernel = input.kernels[i];
            found.kernels[i] = inspected(std::move(kernel.info), threads);
        }
    });
    input.kernels.clear();
    input.kernels.shrink_to_fit();
    files.input = std::move(input);
    return files;
}

}  // namespace

inspected_files inspect_kernels(const kernel_request& request, const listener& news)
{
    return inspected(read_kernels(request, news), request.threads);
}

inspected_builds inspect_builds(kernel_request request, const std::string& other, const listener& news)
{
    const std::string pattern = std::exchange(request.kernel, {});
    request.hash_code = true;
    kernel_input first = read_kernels(request, news);
    request.files = {other};
    kernel_input second = first.interrupted ? kernel_input{} : read_kernels(request, news);
    if (first.interrupted || second.interrupted)  // half a side would look as if kernels were removed
        throw error("interrupted before both sides of --diff were read", {}, exit_status::interrupted);
    inspected_builds builds{.before = inspected(std::move(first), request.threads),
                            .after = inspected(std::move(second), request.threads),
                            .diff = {}};
    inspection &before = builds.before.found, &after = builds.after.found;
    keep_matching(pattern, before, after);
    builds.diff = compare_kernels(before.kernels, after.kernels);
    refuse_debug_and_release(builds.diff);
    return builds;
}

void refuse_debug_and_release(const kernel_diff& diff)
{
    if (diff.debug_and_release.empty()) return;
    const auto& [before, after] = diff.debug_and_release.front();
    const bool was = is_debug_build(before->info);
    const std::size_t more = diff.debug_and_release.size() - 1;
    throw error(fmt::format("{}{} compiled with {} {}, and without it {}: a debug build is not compared with a release "
                            "build",
                            escape_for_terminal(before->info.short_form),
                            more == 0 ? " is" : fmt::format(" and {} more kernel{} are", more, more == 1 ? "" : "s"),
                            debug_flag_of(was ? before->info : after->info), was ? "before" : "after",
                            was ? "after" : "before"),
                "compile both sides in the same way, or choose kernels with --kernel");
}

variant_result inspect_variant(const compiler_variant& variant, kernel_request request, const listener& news)
{
    variant_result result;
    compiler_result& made = result.made;
    made = {.name = variant.nvcc, .flags = variant.flags, .kernels = {}, .errors = {}};
    request.nvcc = variant.nvcc;
    request.compiler_flags.insert(request.compiler_flags.end(), variant.words.begin(), variant.words.end());
    try {
        made.name = find_toolchain(variant.nvcc).version;
        inspected_files files = inspect_kernels(request, news);
        for (const input_summary& summary : files.input.inputs)
            for (const std::string& text : summary.errors) made.errors.push_back(summary.file + ": " + text);
        if (files.input.interrupted) throw error("interrupted", {}, exit_status::interrupted);
        made.kernels = std::move(files.found.kernels);
    } catch (const error& failure) {
        if (failure.status() == exit_status::interrupted) throw;
        made.errors.push_back(std::string(failure.what()) + (failure.hint().empty() ? "" : "; " + failure.hint()));
        result.status = failure.status();
    }
    if (!made.errors.empty() && result.status == exit_status::done) result.status = exit_status::bad_input;
    return result;
}

}  // namespace launchbox
