// SPDX-License-Identifier: Apache-2.0
#include "advice/bounds/bounds_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "advice/bounds/sweep_jobs.hpp"
#include "advice/model/kernel_question.hpp"
#include "compiler/run/bound_injection.hpp"
#include "compiler/run/compile.hpp"
#include "compiler/run/compile_cache.hpp"
#include "compiler/run/compile_errors.hpp"
#include "compiler/run/kernel_sites.hpp"
#include "compiler/run/unit_compiler.hpp"
#include "image/names/readable_names.hpp"
#include "image/ptx/ptx.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/parallel.hpp"

namespace launchbox {

namespace {

// A source for one architecture, and what is found out about it.
struct swept_unit {
    std::unique_ptr<unit_compiler> compiler;
    nvcc_output written, declarations, attributes;
    std::vector<kernel_trials> kernels;
    bool functions = false;  // device functions that are not inlined
};

// One compile of the second round.
struct variant_compile {
    swept_unit* unit;
    sweep_job variants;
    bool retry_alone = false;
};

class bounds_sweep {
public:
    bounds_sweep(const toolchain& tools, const bounds_request& request, const bounds_plan& plan,
                 const std::function<void(std::size_t, std::size_t)>& progress)
        : tools_(tools),
          request_(request),
          plan_(plan),
          progress_(progress),
          cache_(request.cache_folder),
          errors_(tools)
    {
    }

    bounds_sweep_result run();

private:
    void compile_as_written();
    void read_as_written(swept_unit& unit);
    void plan_trials(swept_unit& unit);
    void compile_variants();
    void compile_variant(variant_compile& work);
    void read_variant(swept_unit& unit, const sweep_job& variants, const compile_result& result);
    void finished_one();

    const toolchain& tools_;
    const bounds_request& request_;
    const bounds_plan& plan_;
    const std::function<void(std::size_t, std::size_t)>& progress_;
    const compile_cache cache_;
    std::vector<swept_unit> units_;
    std::mutex lock_;  // of what compiles of a round write: progress and trials
    std::size_t done_ = 0, total_ = 0;
    compile_errors errors_;
    bounds_sweep_result result_;
};

launch_attribute attribute_of(const kernel_info& kernel)
{
    launch_attribute attribute;
    if (kernel.bounds.max_threads) attribute.threads = bound_threads(kernel).value_or(0);
    attribute.min_blocks = kernel.bounds.min_blocks.value_or(0);
    attribute.max_cluster_blocks = kernel.bounds.max_cluster_blocks.value_or(0);
    attribute.max_registers = kernel.bounds.requested_max_registers.value_or(0);
    return attribute;
}

std::vector<int> threads_for(const kernel_info& kernel, const std::vector<int>& asked)
{
    std::vector<int> threads = asked;
    if (const auto own = bound_threads(kernel); threads.empty() && own) threads = {*own};
    if (threads.empty()) threads = {128, 256, 512, 1024};
    std::ranges::sort(threads);
    threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
    return threads;
}

// Why the kernel cannot get another attribute, and what would help.
std::string obstacle(const kernel_trials& kernel, const kernel_census& census, const kernel_site* site)
{
    if (is_debug_build(kernel.written))
        return fmt::format(
            "it is a debug build ({}), in which bounds have other effects than in a release build; leave the flag out",
            debug_flag_of(kernel.written));
    if (kernel.written.bounds.required_threads)
        return "it is declared with __block_size__, which nvcc does not accept together with launch bounds; remove "
               "__block_size__ to try bounds";
    if (!census.errors.empty())
        return "the source does not compile with the search for kernels: " + census.errors.front();
    if (site == nullptr || !site->declared_at)
        return "its declaration is not found: declare it with __global__, and its launch bound, if it has one, with "
               "__launch_bounds__ or __maxnreg__, not with __attribute__";
    if (!site->diagnostic.empty()) return site->diagnostic;
    if (!kernel.attribute.empty() && !site->attribute_at)
        return "its launch bound is not written with __launch_bounds__ or __maxnreg__; use one of them";
    return {};
}

// Names of internal linkage hold a hash, of the source's path and nvcc's own options: the same in all of our compiles.
const kernel_info* find_kernel(const std::vector<kernel_info>& kernels, const std::string& name)
{
    const auto found = std::ranges::find(kernels, name, &kernel_info::name);
    return found == kernels.end() ? nullptr : &*found;
}

const kernel_site* find_site(const std::vector<kernel_site>& sites, const std::string& name)
{
    const auto found = std::ranges::find(sites, name, &kernel_site::kernel);
    return found == sites.end() ? nullptr : &*found;
}

bounds_sweep_result bounds_sweep::run()
{
    compile_as_written();
    if (!interrupted())
        for (swept_unit& unit : units_) read_as_written(unit);
    result_.errors = errors_.lines();
    std::ranges::sort(result_.all_kernels);
    result_.all_kernels.erase(std::unique(result_.all_kernels.begin(), result_.all_kernels.end()),
                              result_.all_kernels.end());
    compile_variants();

    result_.interrupted = interrupted();
    for (swept_unit& unit : units_) {
        for (kernel_trials& kernel : unit.kernels) {
            // A trial that did not come to its turn is none.
            std::erase_if(kernel.trials,
                          [](const bounds_trial& trial) { return !trial.compiled() && trial.errors.empty(); });
            result_.kernels.push_back(std::move(kernel));
        }
        if (unit.compiler == nullptr) continue;
        result_.compiles += unit.compiler->compiles();
        result_.from_cache += unit.compiler->from_cache();
    }
    return std::move(result_);
}

void bounds_sweep::compile_as_written()
{
    const std::size_t count = request_.architectures.size();
    const std::string ptxas = ptxas_version(tools_);
    units_.resize(count);
    total_ = 3 * count;
    run_parallel(
        count,
        [&](std::size_t i) {
            if (interrupted()) return;
            nvcc_job job{.source = request_.source, .architecture = request_.architectures[i], .flags = request_.flags};
            units_[i].compiler = std::make_unique<unit_compiler>(tools_, ptxas, cache_, std::move(job));
        },
        request_.jobs);
    run_parallel(
        3 * count,
        [&](std::size_t i) {
            swept_unit& unit = units_[i / 3];
            if (interrupted() || unit.compiler == nullptr) return;
            if (i % 3 == 0) unit.written = unit.compiler->compile({}, false);
            if (i % 3 == 1) unit.declarations = unit.compiler->compile(census_header(census_of::declarations), true);
            if (i % 3 == 2) unit.attributes = unit.compiler->compile(census_header(census_of::attributes), true);
            finished_one();
        },
        request_.jobs);
}

void bounds_sweep::read_as_written(swept_unit& unit)
{
    const nvcc_job job = unit.compiler->job({}, false);
    unit.functions = read_ptx(unit.written.ptx_outline, job.source, false).functions > 0;
    compile_result written = read_compile(job, std::move(unit.written), {.hash_code = true});
    errors_.add(written);
    if (!written.succeeded) return;
    const kernel_census census = read_census(unit.declarations, unit.attributes, unit.compiler->files(), job);
    std::vector<std::string_view> names;
    for (const kernel_info& kernel : written.kernels) names.push_back(kernel.name);
    const std::vector<readable_name> readable = readable_names(names);
    for (std::size_t i = 0; i < written.kernels.size(); ++i) {
        kernel_info& info = written.kernels[i];
        const auto& [demangled, short_form] = readable[i];
        result_.all_kernels.push_back(short_form);
        if (request_.wanted && !request_.wanted(info, demangled, short_form)) continue;
        unit.functions |= !info.figures.callees.empty();
        kernel_trials& kernel = unit.kernels.emplace_back();
        const kernel_site* site = find_site(census.sites, info.name);
        if (site != nullptr) {
            kernel.declared_at = site->declared_at;
            kernel.attribute_at = site->attribute_at;
        }
        kernel.written = std::move(info);
        kernel.written.demangled = demangled;
        kernel.written.short_form = short_form;
        kernel.attribute = attribute_of(kernel.written);
        kernel.threads = threads_for(kernel.written, request_.threads);
        kernel.not_swept = obstacle(kernel, census, site);
    }
    plan_trials(unit);
}

void bounds_sweep::plan_trials(swept_unit& unit)
{
    for (kernel_trials& kernel : unit.kernels) {
        if (!kernel.not_swept.empty()) continue;
        std::vector<launch_attribute> attributes{launch_attribute{}};
        for (launch_attribute attribute : plan_(kernel)) {
            if (attribute.threads > 0 && attribute.max_cluster_blocks == 0)
                attribute.max_cluster_blocks = kernel.attribute.max_cluster_blocks;
            if (std::ranges::find(attributes, attribute) == attributes.end()) attributes.push_back(attribute);
        }
        for (const launch_attribute& attribute : attributes) {
            bounds_trial& trial = kernel.trials.emplace_back(bounds_trial{.attribute = attribute, .kernel = {}});
            if (attribute == kernel.attribute) trial.kernel = kernel.written;  // the source is that compile
        }
    }
}

void bounds_sweep::compile_variants()
{
    std::vector<variant_compile> round;
    for (swept_unit& unit : units_)
        for (sweep_job& job : jobs_for(unit.kernels, !unit.functions)) round.push_back({&unit, std::move(job)});
    total_ = done_ + round.size();
    while (!round.empty() && !interrupted()) {
        run_parallel(
            round.size(), [&](std::size_t i) { compile_variant(round[i]); }, request_.jobs);
        std::vector<variant_compile> alone;
        for (variant_compile& work : round)
            if (work.retry_alone)
                for (const site_variant& variant : work.variants) alone.push_back({work.unit, {variant}});
        total_ += alone.size();
        round = std::move(alone);
    }
}

void bounds_sweep::compile_variant(variant_compile& work)
{
    if (interrupted()) return;
    std::vector<injected_bound> bounds;
    for (const site_variant& variant : work.variants)
        bounds.push_back(
            {.declared_at = variant.declared_at, .attribute_at = variant.attribute_at, .attribute = variant.attribute});
    const std::string header = injection_header(bounds);
    const nvcc_job job = work.unit->compiler->job(header, false);
    const compile_result result = read_compile(job, work.unit->compiler->compile(header, false), {.hash_code = true});
    if (!result.succeeded && interrupted()) return;  // Ctrl-C reaches nvcc too
    if (!result.succeeded && work.variants.size() > 1)
        work.retry_alone = true;
    else
        read_variant(*work.unit, work.variants, result);
    finished_one();
}

// The compiled kernel must have the injected attribute: a source can use __global__ in ways that an injection cannot
// foresee.
void bounds_sweep::read_variant(swept_unit& unit, const sweep_job& variants, const compile_result& result)
{
    const std::lock_guard guard(lock_);
    for (kernel_trials& kernel : unit.kernels) {
        for (bounds_trial& trial : kernel.trials) {
            if (trial.compiled() || !kernel.declared_at) continue;
            if (std::ranges::find(variants, variant_of(kernel, trial.attribute)) == variants.end()) continue;
            if (!result.succeeded) {
                trial.errors = error_lines(result);
                continue;
            }
            const kernel_info* compiled = find_kernel(result.kernels, kernel.written.name);
            if (compiled == nullptr) {
                trial.errors = {"with this attribute the kernel is missing from the output"};
            } else if (attribute_of(*compiled) != trial.attribute) {
                const std::string got = attribute_source(attribute_of(*compiled));
                trial.errors = {"this attribute has no effect on the kernel: the compiler sees " +
                                (got.empty() ? "none" : got) + "; write it into the source to see its effect"};
            } else {
                trial.kernel = *compiled;
            }
        }
    }
}

void bounds_sweep::finished_one()
{
    const std::lock_guard guard(lock_);
    ++done_;
    if (progress_) progress_(done_, total_);
}

}  // namespace

bounds_sweep_result sweep_bounds(const toolchain& tools, const bounds_request& request, const bounds_plan& plan,
                                 const std::function<void(std::size_t done, std::size_t total)>& progress)
{
    return bounds_sweep(tools, request, plan, progress).run();
}

}  // namespace launchbox
