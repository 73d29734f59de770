// SPDX-License-Identifier: Apache-2.0
#include "compiler/run/compile.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "compiler/run/compile_cache.hpp"
#include "compiler/run/flags_optimisation.hpp"
#include "compiler/run/unit_compiler.hpp"
#include "image/ptx/ptx.hpp"
#include "support/files/read_files.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/parallel.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {

namespace {

// Fills in the members that `to` lacks.
template <class Part, class... Values>
void complete(Part& to, const Part& from, std::optional<Values> Part::*... members)
{
    ((to.*members ? void() : void(to.*members = from.*members)), ...);
}

void complete(kernel_info& kernel, const kernel_info& other)
{
    using figures = kernel_figures;
    using bounds = declared_bounds;
    using launches = kernel_launches;
    using analysis = kernel_analysis;
    complete(kernel.figures, other.figures, &figures::registers, &figures::spill_store_bytes,
             &figures::spill_load_bytes, &figures::shared_spill_store_bytes, &figures::shared_spill_load_bytes,
             &figures::stack_frame_bytes, &figures::static_shared_bytes, &figures::reserved_shared_bytes,
             &figures::parameter_bytes, &figures::barriers, &figures::code_bytes, &figures::code_hash);
    if (!spill_bytes(kernel)) complete(kernel.figures, other.figures, &figures::spills_between);
    kernel.figures.stack_unbounded |= other.figures.stack_unbounded;
    if (!kernel.figures.stack_unbounded) complete(kernel.figures, other.figures, &figures::cumulative_stack_bytes);
    if (kernel.figures.shared_variables.empty()) kernel.figures.shared_variables = other.figures.shared_variables;
    if (kernel.figures.constant_banks.empty()) kernel.figures.constant_banks = other.figures.constant_banks;
    complete(kernel.bounds, other.bounds, &bounds::max_threads, &bounds::required_threads, &bounds::min_blocks,
             &bounds::register_cap, &bounds::requested_max_registers, &bounds::cluster, &bounds::max_cluster_blocks);
    complete(kernel.launches, other.launches, &launches::uses_dynamic_shared, &launches::reads_block_size,
             &launches::waits_for_grid);
    complete(kernel.analysis, other.analysis, &analysis::asks_for_registers, &analysis::written_at, &analysis::lines,
             &analysis::pressure, &analysis::traffic);
    complete(kernel, other, &kernel_info::toolkit_version);
    if (kernel.virtual_architecture.empty()) kernel.virtual_architecture = other.virtual_architecture;
    if (kernel.analysis.features.empty()) kernel.analysis.features = other.analysis.features;
    if (kernel.optimisation == code_optimisation::unknown) kernel.optimisation = other.optimisation;
    kernel.relocatable |= other.relocatable;
}

// The log comes first, since users read ptxas's output; then the cubin, then the PTX.
std::vector<kernel_info> merge(const std::vector<kernel_info>& logged, const cubin_contents& cubin,
                               const ptx_contents& ptx, const std::string& source, const std::string& architecture)
{
    std::vector<kernel_info> kernels = logged;
    std::unordered_map<std::string, std::size_t> by_name;
    for (std::size_t i = 0; i < kernels.size(); ++i) by_name.emplace(kernels[i].name, i);
    for (const kernel_info& kernel : cubin.kernels) {
        const auto [entry, added] = by_name.emplace(kernel.name, kernels.size());
        if (added) kernels.emplace_back().name = kernel.name;  // a flag silenced ptxas
        complete(kernels[entry->second], kernel);
        kernels[entry->second].relocatable |= cubin.relocatable;
        // ptxas does not count memory that only the linker adds up.
        if (cubin.relocatable && !kernel.figures.static_shared_bytes)
            kernels[entry->second].figures.static_shared_bytes.reset();
    }
    for (const kernel_info& kernel : ptx.kernels)
        if (const auto found = by_name.find(kernel.name); found != by_name.end()) {
            kernels[found->second].launches.uses_dynamic_shared =
                kernel.launches.uses_dynamic_shared;  // the cubin has the same for all
            complete(kernels[found->second], kernel);
        }
    for (kernel_info& kernel : kernels) {
        kernel.source = {.file = source, .container = "nvcc", .entry = {}};
        set_architecture(kernel, architecture);
    }
    return kernels;
}

// Whether ptxas may mean this kernel by its message that it ignored setmaxnreg.
bool may_be_meant(const kernel_info& kernel, const std::string& sentence)
{
    if (sentence.find("'setmaxnreg'") == std::string::npos) return true;
    if (kernel.analysis.asks_for_registers == false) return false;
    // Both bounds, or a register limit, determine the count at entry.
    const bool bounded =
        (kernel.bounds.max_threads || kernel.bounds.required_threads) && kernel.bounds.min_blocks.value_or(0) > 0;
    const bool tells_count = bounded || kernel.bounds.requested_max_registers || kernel.bounds.maxrregcount;
    return !tells_count || sentence.find("register count at entry") == std::string::npos;
}

// ptxas does not name the kernel concerned, but prints one message for each: if exactly that many kernels are possible,
// it is those.
void settle_losses(resource_log& report, std::vector<kernel_info>& kernels)
{
    std::erase_if(report.losses, [&](const unnamed_loss& loss) {
        std::vector<kernel_info*> meant;
        for (kernel_info& kernel : kernels)
            if (may_be_meant(kernel, loss.text)) meant.push_back(&kernel);
        if (meant.size() != loss.times && meant.size() != 1) return false;
        for (kernel_info* kernel : meant) kernel->warnings.push_back(loss.text);
        return true;
    });
}

// If a compiler failed silently: reports at least that, with the last line of its output.
void explain_failure(compile_result& result, int exit_code)
{
    const auto is_error = [](const log_message& message) { return message.severity == log_severity::error; };
    if (result.succeeded || std::ranges::any_of(result.report.messages, is_error)) return;
    const std::string last = last_line(result.log);
    log_message& message = result.report.messages.emplace_back();
    message.severity = log_severity::error;
    message.tool = "nvcc";
    message.text = "ended with exit status " + std::to_string(exit_code);
    if (!last.empty()) message.text.append(": ").append(last);
    message.line =
        static_cast<std::size_t>(std::ranges::count(result.log, '\n')) + (result.log.ends_with('\n') ? 0 : 1);
}

}  // namespace

compile_result read_compile(const nvcc_job& job, nvcc_output output, const cubin_options& options)
{
    compile_result result{.architecture = job.architecture,
                          .succeeded = output.succeeded(),
                          .log = std::move(output.log),
                          .report = {},
                          .kernels = {}};
    result.report = parse_resource_log(result.log, job.source);
    explain_failure(result, output.exit_code);
    if (!result.succeeded) return result;
    result.kernels = merge(result.report.kernels, read_cubin(output.cubin, job.source, options),
                           read_ptx(output.ptx_outline, job.source), job.source,
                           std::string(architecture_name(job.architecture).view()));
    const code_optimisation asked = optimisation_of_flags(job.flags);
    for (kernel_info& kernel : result.kernels)
        if (kernel.optimisation == code_optimisation::unknown) kernel.optimisation = asked;
    settle_losses(result.report, result.kernels);
    return result;
}

std::vector<std::string> error_lines(const compile_result& result)
{
    std::vector<std::string> lines;
    for (const log_message& message : result.report.messages)
        if (message.severity == log_severity::error) lines.push_back(log_message_text(message));
    return lines;
}

std::vector<compile_result> compile_kernels(const toolchain& tools, const compile_request& request,
                                            const std::function<void(std::size_t done, std::size_t total)>& progress)
{
    const std::size_t total = request.architectures.size();
    const compile_cache cache(request.cache_folder);
    const std::string version = cache.enabled() ? ptxas_version(tools) : std::string();
    std::vector<compile_result> results(total);
    std::mutex lock;
    std::size_t done = 0;
    run_parallel(
        total,
        [&](std::size_t i) {
            results[i].architecture = request.architectures[i];
            if (interrupted()) return;  // finished results are kept
            const nvcc_job job{.source = request.source,
                               .architecture = request.architectures[i],
                               .flags = request.flags,
                               .list_files = !cache.enabled()};
            if (cache.enabled()) {
                unit_compiler unit(tools, version, cache, job);
                if (interrupted()) return;  // during preprocessing
                results[i] = read_compile(job, unit.compile({}, false), request.read);
            } else {
                nvcc_output output = run_nvcc(tools, job);
                note_files_read({output.files.begin(), output.files.end()});
                results[i] = read_compile(job, std::move(output), request.read);
            }
            const std::lock_guard guard(lock);
            ++done;
            if (progress) progress(done, total);
        },
        request.jobs);
    return results;
}

}  // namespace launchbox
