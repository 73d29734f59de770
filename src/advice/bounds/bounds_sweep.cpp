// SPDX-License-Identifier: Apache-2.0
#include "advice/bounds/bounds_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "advice/bounds/sweep_jobs.hpp"
#include "compiler/run/bound_injection.hpp"
#include "compiler/run/compile.hpp"
#include "compiler/run/compile_cache.hpp"
#include "compiler/run/compile_errors.hpp"
#include "compiler/run/kernel_sites.hpp"
#include "compiler/run/unit_compiler.hpp"
#include "image/names/readable_names.hpp"
#include "image/ptx/ptx.hpp"
#include "image/ptx/ptx_modules.hpp"
#include "support/error.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/parallel.hpp"

namespace launchbox {

namespace {

// A source for one architecture, and the findings about it.
struct swept_unit {
    std::unique_ptr<unit_compiler> compiler;
    nvcc_output written;
    std::shared_ptr<const std::string> ptx;  // of the unchanged source
    std::optional<kernel_census> census;     // where its kernels are declared
    bool borrowed = false;                   // the census was taken for another architecture
    bool misplaced = false;                  // and that was wrong for this one
    // PTX for which the front end saw no attribute of the kernel, by the kernel's name.
    std::map<std::string, std::shared_ptr<const std::string>> bare;
    // Whether ptxas generates from that PTX the same code as from the source without an attribute.
    std::map<std::string, bool> gives_same;
    std::vector<kernel_trials> kernels;
    bool functions = false;  // has device functions that are not inlined
};

// Limit of rounds, for a conclusion that changes with each compile.
constexpr int max_rounds = 12;

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
    void find_declarations();
    void take_census(const std::vector<swept_unit*>& units);
    void borrow_census(const std::vector<swept_unit*>& units);
    void read_as_written(swept_unit& unit);
    void apply_census(swept_unit& unit);
    void plan_trials(swept_unit& unit);
    void assemble_variants();
    void try_finer();
    void assemble_variant(swept_unit& unit, kernel_trials& kernel, bounds_trial& trial);
    void compile_chosen();
    void compile_variants();
    void compile_variant(variant_compile& work);
    void read_variant(swept_unit& unit, const sweep_job& variants, const compile_result& result,
                      const std::shared_ptr<const std::string>& ptx);
    void finished_one();
    [[nodiscard]] bool tries_ptx() const { return static_cast<bool>(request_.chosen); }
    [[nodiscard]] bool is_quick() const { return tries_ptx() && !request_.whole; }

    const toolchain& tools_;
    const bounds_request& request_;
    const bounds_plan& plan_;
    const std::function<void(std::size_t, std::size_t)>& progress_;
    const compile_cache cache_;
    std::vector<swept_unit> units_;
    std::mutex lock_;  // guards what the compiles of a round write: progress and trials
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

std::vector<int> threads_for(const kernel_info& kernel, const std::vector<int>& asked, const std::vector<int>& launched)
{
    std::vector<int> threads = asked;
    if (const auto own = bound_threads(kernel); threads.empty() && own) threads = {*own};
    if (threads.empty()) threads = launched;
    // A launch with more threads than the bound allows fails, so its own size is examined.
    if (asked.empty() && !launched.empty() && launched.back() > threads.back()) threads = launched;
    std::ranges::sort(threads);
    threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
    return threads;
}

// Why the kernel cannot get another attribute, and how to change that.
std::string obstacle_as_written(const kernel_trials& kernel)
{
    if (is_debug_build(kernel.written))
        return fmt::format(
            "it is a debug build ({}), in which bounds have other effects than in a release build; leave the flag out",
            debug_flag_of(kernel.written));
    if (kernel.written.bounds.required_threads)
        return "it is declared with __block_size__, which nvcc does not accept together with launch bounds; remove "
               "__block_size__ to try bounds";
    return {};
}

std::string obstacle(const kernel_trials& kernel, const kernel_census& census, const kernel_site* site)
{
    if (!kernel.not_swept.empty()) return kernel.not_swept;
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

// Names with internal linkage contain a hash of the source's path and nvcc's own options, which are the same in all of
// our compiles.
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
    find_declarations();
    compile_variants();
    if (tries_ptx()) {
        assemble_variants();
        try_finer();
        compile_chosen();
    }

    result_.interrupted = interrupted();
    for (swept_unit& unit : units_) {
        for (kernel_trials& kernel : unit.kernels) {
            // Remove trials that were not reached.
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
    total_ = count;
    run_parallel(
        count,
        [&](std::size_t i) {
            if (interrupted()) return;
            nvcc_job job{.source = request_.source,
                         .architecture = request_.architectures[i],
                         .flags = request_.flags,
                         .keep_ptx = tries_ptx()};
            swept_unit& unit = units_[i];
            unit.compiler = std::make_unique<unit_compiler>(tools_, ptxas, cache_, std::move(job));
            if (interrupted()) return;
            unit.written = unit.compiler->compile({}, false);
            finished_one();
        },
        request_.jobs);
}

// For the units whose kernels are to be compiled with other attributes.
void bounds_sweep::find_declarations()
{
    std::vector<swept_unit*> units;
    for (swept_unit& unit : units_)
        if (!unit.census && !unit.kernels.empty() &&
            (!is_quick() || std::ranges::any_of(unit.kernels, &kernel_trials::has_open)))
            units.push_back(&unit);
    if (units.empty()) return;
    if (is_quick())
        borrow_census(units);
    else
        take_census(units);
}

void bounds_sweep::take_census(const std::vector<swept_unit*>& units)
{
    std::vector<nvcc_output> outputs(2 * units.size());
    total_ += outputs.size();
    run_parallel(
        outputs.size(),
        [&](std::size_t i) {
            if (interrupted()) return;
            const census_of kind = i % 2 == 0 ? census_of::declarations : census_of::attributes;
            outputs[i] = units[i / 2]->compiler->compile(census_header(kind), true);
            finished_one();
        },
        request_.jobs);
    for (std::size_t i = 0; i < units.size() && !interrupted(); ++i) {
        swept_unit& unit = *units[i];
        unit.census =
            read_census(outputs[2 * i], outputs[2 * i + 1], unit.compiler->files(), unit.compiler->job({}, false));
        unit.borrowed = false;
        apply_census(unit);
    }
}

// A kernel is declared at the same place for most architectures. If not, an injection misses it, and the architecture
// gets a census of its own.
void bounds_sweep::borrow_census(const std::vector<swept_unit*>& units)
{
    const auto owner = [&]() -> const swept_unit* {
        for (const swept_unit& unit : units_)
            if (unit.census && !unit.borrowed) return &unit;
        return nullptr;
    };
    if (owner() == nullptr) take_census({units.front()});
    const swept_unit* lender = owner();
    if (lender == nullptr) return;  // interrupted
    std::vector<swept_unit*> others;
    for (swept_unit* unit : units) {
        if (unit->census) continue;
        const auto is_known = [&](const kernel_trials& kernel) {
            const kernel_site* site = find_site(lender->census->sites, kernel.written.name);
            return !kernel.has_open() || (site != nullptr && site->declared_at && site->diagnostic.empty() &&
                                          (kernel.attribute.empty() || site->attribute_at));
        };
        if (unit->misplaced || !lender->census->errors.empty() || !std::ranges::all_of(unit->kernels, is_known)) {
            others.push_back(unit);
            continue;
        }
        unit->census = lender->census;
        unit->borrowed = true;
        apply_census(*unit);
    }
    if (!others.empty()) take_census(others);
}

void bounds_sweep::apply_census(swept_unit& unit)
{
    for (kernel_trials& kernel : unit.kernels) {
        const kernel_site* site = find_site(unit.census->sites, kernel.written.name);
        if (unit.borrowed && site == nullptr) continue;
        if (site != nullptr) {
            kernel.declared_at = site->declared_at;
            kernel.attribute_at = site->attribute_at;
        }
        kernel.not_swept = obstacle(kernel, *unit.census, site);
        // An attribute that could not be written into the source is not tried.
        if (!kernel.not_swept.empty()) kernel.trials.clear();
    }
}

void bounds_sweep::read_as_written(swept_unit& unit)
{
    const nvcc_job job = unit.compiler->job({}, false);
    unit.functions = read_ptx(unit.written.ptx_outline, job.source, false).functions > 0;
    unit.ptx = std::make_shared<const std::string>(std::move(unit.written.ptx));
    compile_result written = read_compile(job, std::move(unit.written), {.hash_code = true});
    errors_.add(written);
    if (!written.succeeded) return;
    std::vector<std::string_view> names;
    for (const kernel_info& kernel : written.kernels) names.push_back(kernel.name);
    const std::vector<readable_name> readable = readable_names(names);
    for (std::size_t i = 0; i < written.kernels.size(); ++i) {
        written.kernels[i].demangled = readable[i].demangled;
        written.kernels[i].short_form = readable[i].short_form;
        result_.all_kernels.push_back(readable[i].short_form);
    }
    std::vector<known_launch> launched;
    if (request_.launched) launched = request_.launched(written.kernels);
    for (std::size_t i = 0; i < written.kernels.size(); ++i) {
        kernel_info& info = written.kernels[i];
        if (request_.wanted && !request_.wanted(info)) continue;
        unit.functions |= !info.figures.callees.empty();
        kernel_trials& kernel = unit.kernels.emplace_back();
        kernel.written = std::move(info);
        kernel.attribute = attribute_of(kernel.written);
        const known_launch launch = i < launched.size() ? launched[i] : known_launch{};
        kernel.threads = threads_for(kernel.written, request_.threads, launch.threads);
        kernel.launch = launch.launch;
        kernel.threads_assumed = kernel.threads.empty();
        if (kernel.threads_assumed) kernel.threads = is_quick() ? std::vector{256} : std::vector{128, 256, 512, 1024};
        kernel.not_swept = obstacle_as_written(kernel);
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
            if (attribute == kernel.attribute) trial.kernel = kernel.written;  // the source already is that compile
            trial.waits = is_quick() && !attribute.empty();
        }
        if (tries_ptx() && kernel.attribute.empty()) unit.bare[kernel.written.name] = unit.ptx;
    }
}

void bounds_sweep::try_finer()
{
    if (!request_.finer) return;
    for (swept_unit& unit : units_)
        for (kernel_trials& kernel : unit.kernels) {
            if (kernel.trials.empty()) continue;
            for (const launch_attribute& attribute : request_.finer(kernel)) {
                const auto known = std::ranges::find(kernel.trials, attribute, &bounds_trial::attribute);
                if (known == kernel.trials.end())
                    kernel.trials.push_back({.attribute = attribute, .kernel = {}, .waits = true, .is_finer = true});
            }
        }
    assemble_variants();
    // Removes trials that need a compile of the source: there are many, and none is essential.
    for (swept_unit& unit : units_)
        for (kernel_trials& kernel : unit.kernels)
            std::erase_if(kernel.trials, [](const bounds_trial& trial) { return trial.is_finer && !trial.from_ptx; });
}

// Tries every pending attribute with ptxas alone, on PTX for which the front end saw no attribute. The results count
// only if that PTX gives the same code as the source without an attribute.
void bounds_sweep::assemble_variants()
{
    struct assembly {
        swept_unit* unit;
        kernel_trials* kernel;
        bounds_trial* trial;
    };
    std::deque<bounds_trial> again;
    std::vector<assembly> all;
    for (swept_unit& unit : units_)
        for (kernel_trials& kernel : unit.kernels) {
            const auto waits = [](const bounds_trial& trial) { return trial.waits && !trial.compiled(); };
            if (std::ranges::none_of(kernel.trials, waits)) continue;
            if (!unit.gives_same.contains(kernel.written.name))
                all.push_back({&unit, &kernel, &again.emplace_back(bounds_trial{.attribute = {}, .kernel = {}})});
            for (bounds_trial& trial : kernel.trials)
                if (waits(trial)) all.push_back({&unit, &kernel, &trial});
        }
    total_ += all.size();
    run_parallel(
        all.size(),
        [&](std::size_t i) {
            if (!interrupted()) assemble_variant(*all[i].unit, *all[i].kernel, *all[i].trial);
            finished_one();
        },
        request_.jobs);
    for (const assembly& one : all) {
        const bounds_trial &same = *one.trial, &bare = one.kernel->trials.front();
        if (!same.attribute.empty() || &same == &bare) continue;
        one.unit->gives_same[one.kernel->written.name] =
            same.compiled() && bare.compiled() && same.kernel.figures.code_hash == bare.kernel.figures.code_hash;
    }
    for (const assembly& one : all) {
        bounds_trial& trial = *one.trial;
        const bool reliable = one.unit->gives_same.at(one.kernel->written.name);
        if (trial.waits && (!trial.compiled() || (trial.from_ptx && !reliable)))
            trial = {.attribute = trial.attribute, .kernel = {}, .is_finer = trial.is_finer};
    }
}

void bounds_sweep::assemble_variant(swept_unit& unit, kernel_trials& kernel, bounds_trial& trial)
{
    const auto bare = unit.bare.find(kernel.written.name);
    if (bare == unit.bare.end()) return;
    try {
        const std::string ptx = with_attribute(*bare->second, kernel.written.name, trial.attribute);
        const compile_result result = read_compile(
            unit.compiler->job({}, false), unit.compiler->assemble(ptx, kernel.written.name), {.hash_code = true});
        const kernel_info* made = find_kernel(result.kernels, kernel.written.name);
        if (!result.succeeded || made == nullptr) return;  // then the source is compiled instead
        trial.kernel = *made;
        trial.from_ptx = true;
    } catch (const error&) {
        // The same for unreadable PTX, or a name that nvcc rejects.
    }
}

// Compiles from the source what conclusions depend on, and what ptxas alone could not do.
void bounds_sweep::compile_chosen()
{
    for (int round = 0; round < max_rounds && !interrupted(); ++round) {
        for (swept_unit& unit : units_)
            for (kernel_trials& kernel : unit.kernels) {
                if (kernel.trials.empty() || kernel.has_open()) continue;
                const std::vector<launch_attribute> wanted = request_.chosen(kernel);
                for (bounds_trial& trial : kernel.trials)
                    if (trial.from_ptx && std::ranges::find(wanted, trial.attribute) != wanted.end())
                        trial = {.attribute = trial.attribute, .kernel = {}};
            }
        const bool any = std::ranges::any_of(
            units_, [](const swept_unit& unit) { return std::ranges::any_of(unit.kernels, &kernel_trials::has_open); });
        if (!any) return;
        find_declarations();
        compile_variants();
    }
}

void bounds_sweep::compile_variants()
{
    std::vector<variant_compile> round;
    for (swept_unit& unit : units_)
        for (sweep_job& job : jobs_for(unit.kernels, !unit.functions)) round.push_back({&unit, std::move(job)});
    total_ += round.size();
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
    std::vector<swept_unit*> again;
    for (swept_unit& unit : units_)
        if (std::exchange(unit.misplaced, false)) again.push_back(&unit);
    if (again.empty() || interrupted()) return;
    take_census(again);
    compile_variants();
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
    nvcc_output output = work.unit->compiler->compile(header, false);
    const auto ptx = std::make_shared<const std::string>(std::move(output.ptx));
    const compile_result result = read_compile(job, std::move(output), {.hash_code = true});
    if (!result.succeeded && interrupted()) return;  // Ctrl-C reaches nvcc, too
    if (!result.succeeded && work.variants.size() > 1)
        work.retry_alone = true;
    else
        read_variant(*work.unit, work.variants, result, ptx);
    finished_one();
}

// The compiled kernel must have the injected attribute: a source may use __global__ in ways that an injection cannot
// foresee.
void bounds_sweep::read_variant(swept_unit& unit, const sweep_job& variants, const compile_result& result,
                                const std::shared_ptr<const std::string>& ptx)
{
    const std::lock_guard guard(lock_);
    for (kernel_trials& kernel : unit.kernels) {
        for (bounds_trial& trial : kernel.trials) {
            if (!trial.is_open() || !kernel.declared_at) continue;
            if (std::ranges::find(variants, variant_of(kernel, trial.attribute)) == variants.end()) continue;
            if (!result.succeeded && unit.borrowed) {
                unit.misplaced = true;
                continue;
            }
            if (!result.succeeded) {
                trial.errors = error_lines(result);
                continue;
            }
            const kernel_info* compiled = find_kernel(result.kernels, kernel.written.name);
            const bool applied = compiled != nullptr && attribute_of(*compiled) == trial.attribute;
            if (!applied && unit.borrowed) {
                unit.misplaced = true;
            } else if (compiled == nullptr) {
                trial.errors = {"with this attribute the kernel is missing from the output"};
            } else if (!applied) {
                const std::string got = attribute_source(attribute_of(*compiled));
                trial.errors = {"this attribute has no effect on the kernel: the compiler sees " +
                                (got.empty() ? "none" : got) + "; write it into the source to see its effect"};
            } else {
                if (trial.attribute.empty() && tries_ptx()) unit.bare[kernel.written.name] = ptx;
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
