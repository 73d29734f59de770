// What only several lines of a log tell together.
// SPDX-License-Identifier: Apache-2.0
#include <launchbox/compute_capability.hpp>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "compiler/log_reader.hpp"

namespace launchbox {

namespace {

constexpr std::int64_t reserved_by_system = 1024;

// The kernels that one run of nvlink links are all for one architecture: that for which ptxas compiled one of them in
// this log, if ptxas compiled it for a single one.
void find_nvlink_architectures(raw_log& raw)
{
    std::unordered_map<std::string_view, std::string_view> compiled_for;  // "": for several
    for (const kernel_info& kernel : raw.log.kernels) {
        if (kernel.linked) continue;
        const auto [entry, added] = compiled_for.emplace(kernel.name, kernel.architecture);
        if (!added && entry->second != kernel.architecture) entry->second = "";
    }
    for (std::size_t i = 0; i < raw.log.kernels.size(); ++i) {
        const std::size_t module = raw.kernel_modules[i];
        if (!raw.log.kernels[i].linked || module == raw_log::no_module) continue;
        const auto found = compiled_for.find(raw.log.kernels[i].name);
        std::string& architecture = raw.log.modules[module].architecture;
        if (architecture.empty() && found != compiled_for.end()) architecture = found->second;
    }
    for (std::size_t i = 0; i < raw.log.kernels.size(); ++i) {
        kernel_info& kernel = raw.log.kernels[i];
        if (kernel.linked && kernel.architecture.empty() && raw.kernel_modules[i] != raw_log::no_module)
            set_architecture(kernel, raw.log.modules[raw.kernel_modules[i]].architecture);
    }
}

// nvlink 13.0 counts what the system reserves into "smem" for 9.0, and only where the kernel has shared memory itself:
// 100 bytes are printed as 1124 for sm_90 and as 100 for sm_75, 80, 86, 89, 100, 110 and 120.
void subtract_reserved_shared(raw_log& raw)
{
    for (std::size_t i = 0; i < raw.log.kernels.size(); ++i) {
        kernel_info& kernel = raw.log.kernels[i];
        if (!kernel.linked || kernel.static_shared_bytes.value_or(0) <= reserved_by_system) continue;
        if (!kernel.capability) {
            raw.log.diagnostics.push_back(
                {raw.kernel_lines[i], "nvlink does not say for which architecture it links '" + kernel.name +
                                          "': the static shared memory is " +
                                          std::to_string(*kernel.static_shared_bytes) +
                                          " bytes, or on sm_90 1024 less"});
            kernel.static_shared_bytes.reset();
        } else if (kernel.capability->number() == 90) {
            *kernel.static_shared_bytes -= reserved_by_system;
            kernel.reserved_shared_bytes = reserved_by_system;
        }
    }
}

// Both -rdc and -G let ptxas compile functions on their own. Only without -rdc it knows what a call adds to the stack,
// or says that it does not.
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
        if (raw.kernel_modules[i] != raw_log::no_module && (kernel.cumulative_stack_bytes || kernel.stack_unbounded))
            relocatable[raw.kernel_modules[i]] = false;
    }

    std::unordered_set<std::string> linked;
    const auto key = [](const kernel_info& kernel) { return kernel.name + '\n' + kernel.architecture; };
    for (const kernel_info& kernel : raw.log.kernels)
        if (kernel.linked) linked.insert(key(kernel));
    for (std::size_t i = 0; i < raw.log.kernels.size(); ++i) {
        kernel_info& kernel = raw.log.kernels[i];
        const std::size_t module = raw.kernel_modules[i];
        kernel.relocatable =
            !kernel.linked && ((module != raw_log::no_module && relocatable[module]) || linked.contains(key(kernel)));
    }
}

// ptxas prints the callees after their entry; where one of them has a stack frame and the entry has no cumulative
// stack size, there is recursion, or a call through a pointer.
void find_unbounded_stacks(raw_log& raw)
{
    for (kernel_info& kernel : raw.log.kernels) {
        // nvlink prints "0 stack" after it has said that it cannot tell.
        if (kernel.stack_unbounded) kernel.cumulative_stack_bytes.reset();
        if (!kernel.registers || kernel.cumulative_stack_bytes || kernel.relocatable) continue;
        for (const callee_info& callee : kernel.callees)
            kernel.stack_unbounded |= callee.stack_frame_bytes.value_or(0) > 0;
    }
}

}  // namespace

void draw_conclusions(raw_log& raw)
{
    find_nvlink_architectures(raw);
    subtract_reserved_shared(raw);
    find_relocatable_modules(raw);
    find_unbounded_stacks(raw);
}

}  // namespace launchbox
