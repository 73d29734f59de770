// Conclusions from several lines of a log.
// SPDX-License-Identifier: Apache-2.0
#include <launchbox/compute_capability.hpp>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "compiler/log/log_reader.hpp"
#include "compiler/log/log_remark.hpp"

namespace launchbox {

namespace {

constexpr std::int64_t reserved_by_system = 1024;

// Finds the architecture of the kernels that one run of nvlink links, which is the same for all: the one for which
// ptxas compiled any of them in this log, if there is only one. Compiles by the same writer take precedence.
void find_nvlink_architectures(raw_log& raw)
{
    std::unordered_map<std::string, std::string> compiled_for;  // "" if for several
    const auto key = [&](std::size_t i, bool of_writer) {
        return (of_writer ? std::to_string(raw.kernel_writers[i]) : std::string()) + '\n' + raw.log.kernels[i].name;
    };
    for (std::size_t i = 0; i < raw.log.kernels.size(); ++i) {
        const kernel_info& kernel = raw.log.kernels[i];
        if (kernel.linked) continue;
        for (const bool of_writer : {true, false}) {
            const auto [entry, added] = compiled_for.emplace(key(i, of_writer), kernel.architecture);
            if (!added && entry->second != kernel.architecture) entry->second = "";
        }
    }
    for (std::size_t i = 0; i < raw.log.kernels.size(); ++i) {
        const std::size_t module = raw.kernel_modules[i];
        if (!raw.log.kernels[i].linked || module == raw_log::no_module) continue;
        auto found = compiled_for.find(key(i, true));
        if (found == compiled_for.end()) found = compiled_for.find(key(i, false));
        std::string& architecture = raw.log.modules[module].architecture;
        if (architecture.empty() && found != compiled_for.end()) architecture = found->second;
    }
    for (std::size_t i = 0; i < raw.log.kernels.size(); ++i) {
        kernel_info& kernel = raw.log.kernels[i];
        if (kernel.linked && kernel.architecture.empty() && raw.kernel_modules[i] != raw_log::no_module)
            set_architecture(kernel, raw.log.modules[raw.kernel_modules[i]].architecture);
    }
}

// For 9.0, nvlink 13.0 adds the system's reservation to "smem", but only if the kernel has shared memory of its own:
// 100 bytes are printed as 1124 for sm_90 and as 100 for sm_75, 80, 86, 89, 100, 110 and 120.
void subtract_reserved_shared(raw_log& raw)
{
    for (std::size_t i = 0; i < raw.log.kernels.size(); ++i) {
        kernel_info& kernel = raw.log.kernels[i];
        if (!kernel.linked || kernel.figures.static_shared_bytes.value_or(0) <= reserved_by_system) continue;
        if (!kernel.capability) {
            raw.log.diagnostics.push_back(
                {raw.kernel_lines[i], "nvlink does not say for which architecture it links '" + kernel.name +
                                          "': the static shared memory is " +
                                          std::to_string(*kernel.figures.static_shared_bytes) +
                                          " bytes, or on sm_90 1024 less"});
            kernel.figures.static_shared_bytes.reset();
        } else if (kernel.capability->number() == 90) {
            *kernel.figures.static_shared_bytes -= reserved_by_system;
            kernel.figures.reserved_shared_bytes = reserved_by_system;
        }
    }
}

// Both -rdc and -G let ptxas compile functions separately. Only without -rdc does it know what a call adds to the
// stack, or reports that it does not.
void find_relocatable_modules(raw_log& raw)
{
    std::vector<bool> relocatable;
    for (const module_memory& module : raw.log.modules) {
        bool framed = false;
        for (const callee_info& function : module.functions) framed |= function.stack_frame_bytes.value_or(0) > 0;
        relocatable.push_back(framed);
    }
    for (std::size_t i = 0; i < raw.log.kernels.size(); ++i) {
        const kernel_info& kernel = raw.log.kernels[i];
        if (raw.kernel_modules[i] != raw_log::no_module &&
            (kernel.figures.cumulative_stack_bytes || kernel.figures.stack_unbounded))
            relocatable[raw.kernel_modules[i]] = false;
    }

    std::unordered_set<std::string> linked;
    const auto key = [](const kernel_info& kernel) { return kernel.name + '\n' + kernel.architecture; };
    for (const kernel_info& kernel : raw.log.kernels)
        if (kernel.linked) linked.insert(key(kernel));
    // The linker does not name the architecture: then any of them may have been linked.
    const auto is_linked = [&](const kernel_info& kernel) {
        return linked.contains(key(kernel)) || linked.contains(kernel.name + '\n');
    };
    for (std::size_t i = 0; i < raw.log.kernels.size(); ++i) {
        kernel_info& kernel = raw.log.kernels[i];
        const std::size_t module = raw.kernel_modules[i];
        kernel.relocatable =
            !kernel.linked && ((module != raw_log::no_module && relocatable[module]) || is_linked(kernel));
    }
}

// ptxas prints callees after their entry. If one of them has a stack frame and the entry has no cumulative stack size,
// there is recursion, or a call through a pointer.
void find_unbounded_stacks(raw_log& raw)
{
    for (kernel_info& kernel : raw.log.kernels) {
        // nvlink prints "0 stack" after reporting that it cannot tell.
        if (kernel.figures.stack_unbounded) kernel.figures.cumulative_stack_bytes.reset();
        if (!kernel.figures.registers || kernel.figures.cumulative_stack_bytes || kernel.relocatable) continue;
        for (const callee_info& callee : kernel.figures.callees)
            kernel.figures.stack_unbounded |= callee.stack_frame_bytes.value_or(0) > 0;
    }
}

// Kernels that their module's option does not apply to: those that ptxas does not name.
void find_options(raw_log& raw)
{
    for (std::size_t i = 0; i < raw.log.kernels.size(); ++i) {
        kernel_info& kernel = raw.log.kernels[i];
        // An option with too large a value sets no cap.
        if (kernel.bounds.maxrregcount && *kernel.bounds.maxrregcount < max_register_option)
            kernel.bounds.register_cap = kernel.bounds.maxrregcount;
        const std::size_t module = raw.kernel_modules[i];
        if (module == raw_log::no_module || kernel.bounds.maxrregcount || raw.unclear_options[i]) continue;
        const std::optional<int> option = raw.module_options[module];
        if (option && *option >= 0 && *option <= max_register_option) kernel.bounds.outranks_maxrregcount = option;
    }
}

// Takes figures of a warning that a kernel's report lacks; false if they contradict it.
bool take_figures(kernel_info& kernel, const remark_figures& told)
{
    const std::pair<std::optional<std::int64_t>*, const std::optional<std::int64_t>*> pairs[] = {
        {&kernel.figures.stack_frame_bytes, &told.stack_frame},
        {&kernel.figures.spill_store_bytes, &told.spill_stores},
        {&kernel.figures.spill_load_bytes, &told.spill_loads},
        {&kernel.figures.static_shared_bytes, &told.static_shared}};
    for (const auto& [known, said] : pairs)
        if (*known && *said && *known != *said) return false;
    for (const auto& [known, said] : pairs)
        if (!*known) *known = *said;
    return true;
}

bool is_of_unknown_stack(std::string_view sentence)
{
    return sentence.starts_with("Stack size for entry function ");
}

// The lines of warnings about one kernel without a report.
void add_told_by_warnings(raw_log& raw, const lone_remark& remark, kernel_info*& kernel)
{
    const remark_figures figures = figures_in_remark(remark.text);
    const auto repeats = [&](const kernel_info& told) {
        return std::ranges::find(told.warnings, remark.text) != told.warnings.end();
    };
    if (kernel == nullptr || repeats(*kernel) || !take_figures(*kernel, figures)) {
        kernel = &raw.log.kernels.emplace_back();
        kernel->name = remark.kernel;
        set_architecture(*kernel, remark.architecture);
        kernel->source = {.file = raw.file,
                          .container = remark.of_linker ? "nvlink log" : "ptxas log",
                          .entry = "line " + std::to_string(remark.line)};
        kernel->linked = remark.of_linker;
        take_figures(*kernel, figures);
    }
    kernel->figures.stack_unbounded |= is_of_unknown_stack(remark.text);
    kernel->warnings.push_back(remark.text);
}

// If the link failed, the linker reports on kernels only in sentences; these apply to the compiled kernel.
bool give_to_compiled(raw_log& raw, const lone_remark& remark,
                      const std::unordered_multimap<std::string, std::size_t>& compiled)
{
    bool given = false;
    const auto [first, last] = compiled.equal_range(remark.kernel);
    for (auto place = first; place != last; ++place) {
        kernel_info& kernel = raw.log.kernels[place->second];
        if (!remark.architecture.empty() && remark.architecture != kernel.architecture) continue;
        given = kernel.relocatable = true;
        kernel.figures.stack_unbounded |= is_of_unknown_stack(remark.text);
        if (std::ranges::find(kernel.warnings, remark.text) == kernel.warnings.end())
            kernel.warnings.push_back(remark.text);
    }
    return given;
}

// A loss in a separately compiled function belongs to the kernels that call it, as far as the log names them.
void give_losses_of_functions(raw_log& raw, const std::vector<lone_remark>& lone,
                              const std::unordered_set<std::string_view>& functions)
{
    std::unordered_map<std::string_view, std::vector<const lone_remark*>> losses;
    for (const lone_remark& remark : lone)
        if (is_performance_loss(remark.text) && functions.contains(remark.kernel))
            losses[remark.kernel].push_back(&remark);
    if (losses.empty()) return;
    std::unordered_set<std::string_view> given;
    for (kernel_info& kernel : raw.log.kernels)
        for (const callee_info& callee : kernel.figures.callees) {
            const auto found = losses.find(callee.name);
            if (found == losses.end()) continue;
            given.insert(found->first);
            for (const lone_remark* remark : found->second) kernel.warnings.push_back(remark->text);
        }
    for (const auto& [name, of_function] : losses)
        if (!given.contains(name))
            for (const lone_remark* remark : of_function) raw.log.losses.push_back({remark->text, remark->line, 1, {}});
}

// Adds what only warnings tell: figures that a report lacks, and kernels without a report. If a report contradicts a
// warning that names its kernel, the warning is from another compile, whose report is missing.
void add_facts_of_warnings(raw_log& raw)
{
    std::vector<lone_remark> lone = std::move(raw.lone_remarks);
    std::unordered_set<std::string_view> functions;
    for (const module_memory& module : raw.log.modules)
        for (const callee_info& function : module.functions) functions.insert(function.name);
    for (kernel_info& kernel : raw.log.kernels) {
        for (const callee_info& callee : kernel.figures.callees) functions.insert(callee.name);
        std::erase_if(kernel.warnings, [&](std::string& warning) {
            if (take_figures(kernel, figures_in_remark(warning))) return false;
            lone_remark& remark = lone.emplace_back();
            remark.kernel = kernel.name;
            remark.text = warning;
            remark.of_linker = kernel.linked;
            return true;
        });
    }
    if (lone.empty()) return;
    std::unordered_map<std::string, std::size_t> line_of;
    for (const log_message& message : raw.log.messages) line_of.emplace(message.text, message.line);
    for (lone_remark& remark : lone)
        if (remark.line == 0) remark.line = line_of[remark.text];
    std::ranges::stable_sort(lone, {}, &lone_remark::line);
    give_losses_of_functions(raw, lone, functions);
    std::unordered_multimap<std::string, std::size_t> compiled;
    for (std::size_t i = 0; i < raw.log.kernels.size(); ++i)
        if (!raw.log.kernels[i].linked) compiled.emplace(raw.log.kernels[i].name, i);
    std::unordered_map<std::string, std::vector<const lone_remark*>> by_kernel;
    std::vector<const std::vector<const lone_remark*>*> order;
    for (const lone_remark& remark : lone) {
        if (functions.contains(remark.kernel) || !is_about_a_kernel(remark.text)) continue;
        if (remark.of_linker && give_to_compiled(raw, remark, compiled)) continue;
        std::vector<const lone_remark*>& of_kernel =
            by_kernel[remark.kernel + '\n' + remark.architecture + (remark.of_linker ? "\n" : "")];
        if (of_kernel.empty()) order.push_back(&of_kernel);
        of_kernel.push_back(&remark);
    }
    for (const auto* of_kernel : order) {
        kernel_info* kernel = nullptr;
        for (const lone_remark* remark : *of_kernel) add_told_by_warnings(raw, *remark, kernel);
    }
}

}  // namespace

void draw_conclusions(raw_log& raw)
{
    find_options(raw);
    find_nvlink_architectures(raw);
    subtract_reserved_shared(raw);
    find_relocatable_modules(raw);
    find_unbounded_stacks(raw);
    add_facts_of_warnings(raw);  // adds kernels without a module
}

}  // namespace launchbox
