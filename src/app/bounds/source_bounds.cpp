// SPDX-License-Identifier: Apache-2.0
#include "app/bounds/source_bounds.hpp"

#include <algorithm>
#include <future>
#include <utility>

#include "advice/bounds/bounds_plan.hpp"
#include "advice/bounds/bounds_sweep.hpp"
#include "app/input/kernel_pattern.hpp"
#include "app/input/source_input.hpp"
#include "compiler/run/compile_cache.hpp"
#include "compiler/run/nvcc_arguments.hpp"
#include "compiler/run/nvcc_run.hpp"
#include "compiler/run/source_unit.hpp"
#include "compiler/run/toolchain.hpp"
#include "support/files/files.hpp"
#include "support/process/interrupt.hpp"
#include "support/text/matching.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

// Reads the source as the host's compiler sees it, in a separate thread.
class source_launches {
public:
    /// `tools` and `text` must outlive this.
    source_launches(const toolchain& tools, std::string file, const std::string& text, std::vector<std::string> flags,
                    std::vector<compute_capability> architectures);

    /// One result for each of the kernels, which must be of this source.
    [[nodiscard]] std::vector<block_size_use> uses_of(const std::vector<const kernel_info*>& kernels);

private:
    const std::string& text_;
    std::string file_;
    std::vector<std::string> flags_;
    std::future<std::optional<source_unit>> reading_;
    std::optional<source_unit> unit_;
    std::optional<source_view> view_;  ///< of it, read once for all architectures
};

source_launches::source_launches(const toolchain& tools, std::string file, const std::string& text,
                                 std::vector<std::string> flags, std::vector<compute_capability> architectures)
    : text_(text), file_(std::move(file)), flags_(std::move(flags))
{
    // PTX contains no launches.
    if (is_ptx_source(file_)) return;
    reading_ = std::async(std::launch::async,
                          [&tools, file = file_, flags = flags_, architectures = std::move(architectures)] {
                              return read_source_unit(tools, file, flags, architectures);
                          });
}

std::vector<block_size_use> source_launches::uses_of(const std::vector<const kernel_info*>& kernels)
{
    if (reading_.valid()) unit_ = reading_.get();
    if (!view_) view_.emplace(unit_ ? std::string_view(unit_->host.text) : std::string_view(text_));
    lint_request request{
        .file = file_, .text = text_, .kernels = {}, .flags = flags_, .unit = unit_ ? &*unit_ : nullptr};
    for (const kernel_info* kernel : kernels) request.kernels.push_back({kernel->short_form, kernel});
    return block_size_uses(request, *view_);
}

bounds_launch launch_of(const source_bounds_request& request, const kernel_trials& kernel)
{
    if (request.dynamic_shared_named) return request.launch;
    bounds_launch launch = kernel.launch;
    launch.max_dynamic_shared_bytes = request.launch.max_dynamic_shared_bytes;
    return launch;
}

// A bound must allow the largest block that is launched: if the size of a launch is unknown, none can be written.
known_launch known_of(const block_size_use& use, const kernel_info& kernel)
{
    const shared_by_threads shared = use.dynamic_shared_by_threads.value_or(shared_by_threads{});
    known_launch known{.threads = {},
                       .launch = {.dynamic_shared_bytes = use.dynamic_shared_bytes.value_or(shared.bytes),
                                  .dynamic_shared_per_warp = shared.per_warp,
                                  .dynamic_shared_known = unknown_shared_text(use, kernel).empty()}};
    int largest = use.launches.empty() ? use.threads.value_or(0) : 0;
    for (const seen_launch& one : use.launches) {
        if (!one.threads) return known;
        largest = std::max(largest, *one.threads);
    }
    if (largest > 0) known.threads = {largest};
    return known;
}

std::vector<block_size_use> uses_of(source_launches& launches, const std::vector<kernel_trials>& kernels)
{
    std::vector<const kernel_info*> written;
    for (const kernel_trials& kernel : kernels) written.push_back(&kernel.written);
    return launches.uses_of(written);
}

// Compiles the source with every attribute that may make a difference.
bounds_sweep_result sweep_source(const source_bounds_request& request, const toolchain& tools,
                                 const std::vector<target>& targets, source_launches& launches, const listener& news)
{
    bounds_request compiles{.source = request.file,
                            .architectures = {},
                            .flags = flags_for_nvcc(request.compiler_flags),
                            .jobs = request.jobs,
                            .cache_folder = request.no_cache ? std::filesystem::path{} : default_cache_folder(),
                            .wanted =
                                [&](const kernel_info& kernel) {
                                    return request.kernel.empty() ||
                                           matches_kernel(request.kernel, kernel.name, kernel.demangled,
                                                          kernel.short_form);
                                },
                            .threads = request.threads,
                            .launched =
                                [&](const std::vector<kernel_info>& kernels) {
                                    std::vector<const kernel_info*> all;
                                    for (const kernel_info& kernel : kernels) all.push_back(&kernel);
                                    std::vector<known_launch> known;
                                    for (const block_size_use& use : launches.uses_of(all))
                                        known.push_back(known_of(use, *all[known.size()]));
                                    return known;
                                },
                            .chosen =
                                [&](const kernel_trials& kernel) {
                                    return attributes_behind(answer_bounds(kernel, launch_of(request, kernel)));
                                },
                            .finer = finer_limits,
                            .whole = request.whole || request.measure};
    for (const target& target : targets) compiles.architectures.push_back(target.architecture);
    const progress_function show = news.begin_progress("compiles");
    bounds_sweep_result sweep = sweep_bounds(
        tools, compiles,
        [&](const kernel_trials& kernel) {
            return useful_attributes(kernel, launch_of(request, kernel).dynamic_shared_bytes);
        },
        [&](std::size_t done, std::size_t total) { show(request.file, done, total); });
    // Kernels that were compiled with only one attribute have no declaration from the sweep: take it from the source
    // text.
    const std::vector<block_size_use> uses = uses_of(launches, sweep.kernels);
    for (std::size_t i = 0; i < uses.size(); ++i)
        if (!sweep.kernels[i].declared_at) sweep.kernels[i].declared_at = uses[i].defined_at;
    bring_together(sweep.kernels);
    return sweep;
}

void refuse_no_kernels(const source_bounds_request& request, const bounds_sweep_result& sweep)
{
    if (request.of_folder || !sweep.kernels.empty() || !sweep.errors.empty() || sweep.interrupted) return;
    if (sweep.all_kernels.empty())
        throw error(request.file + " has no instantiated __global__ function",
                    "instantiate its templates, or name the file that does");
    refuse_pattern(request.kernel, sweep.all_kernels);
}

bounds_report report_of(const source_bounds_request& request, const toolchain& tools, const bounds_sweep_result& sweep,
                        const std::vector<block_size_use>& uses)
{
    bounds_report report{.inputs = {{.file = request.file,
                                     .kind = "CUDA source",
                                     .kernels = sweep.kernels.size(),
                                     .errors = sweep.errors,
                                     .images = {}}},
                         .answers = {},
                         .compiler = tools.version,
                         .compiles = sweep.compiles,
                         .from_cache = sweep.from_cache,
                         .whole = request.whole || request.measure};
    for (std::size_t i = 0; i < sweep.kernels.size(); ++i) {
        const bounds_launch launch = launch_of(request, sweep.kernels[i]);
        report.answers.push_back(answer_bounds(sweep.kernels[i], launch));
        if (!launch.dynamic_shared_known)
            report.answers.back().findings.push_back(unknown_shared_text(uses[i], sweep.kernels[i].written));
    }
    return report;
}

}  // namespace

source_bounds find_bounds(const source_bounds_request& request, const listener& news)
{
    source_bounds found;
    found.text = read_file(request.file);  // reports a missing file before looking for a compiler
    const std::vector<std::string> flags = flags_for_nvcc(request.compiler_flags);
    const bool has_language = std::ranges::any_of(flags, names_language);
    if (found.text.find('\0') != std::string::npos || (!is_source(request.file) && !has_language))
        throw error(escape_for_terminal(request.file) + " is not a source",
                    "bounds and advise compile a source; launchbox inspect reads what is compiled");
    const toolchain tools = find_toolchain(request.nvcc);
    const std::vector<target> targets = source_targets(request.architectures, tools);
    std::optional<bounds_conditions> conditions;
    if (request.measure) conditions = conditions_for(*request.measure, targets);

    std::vector<compute_capability> architectures;
    for (const target& target : targets) architectures.push_back(target.architecture);
    source_launches launches(tools, request.file, found.text, flags, architectures);
    bounds_sweep_result sweep = sweep_source(request, tools, targets, launches, news);
    if (!sweep.errors.empty()) found.status = exit_status::bad_input;
    for (const std::string& failure : sweep.errors) news.say(request.file + ": " + failure);
    refuse_no_kernels(request, sweep);

    found.uses = uses_of(launches, sweep.kernels);
    found.report = report_of(request, tools, sweep, found.uses);
    found.report.measured = conditions;
    if (conditions && !interrupted()) {
        const std::vector<std::string> failures =
            measure_bounds(tools, *request.measure, *conditions,
                           {.file = request.file, .flags = request.compiler_flags, .jobs = request.jobs}, sweep.kernels,
                           found.report.answers, news);
        for (const std::string& failure : failures) news.say(failure);
        if (!failures.empty()) found.status = exit_status::bad_input;
    }
    found.report.overview = overview_of(found.report.answers);
    found.interrupted = sweep.interrupted || interrupted();
    found.trials = std::move(sweep.kernels);
    return found;
}

}  // namespace launchbox
