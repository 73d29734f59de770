// The contents of a log as short lines, so that expectations are easy to read.
#pragma once

#include <string>
#include <vector>

#include "compiler/log/resource_log.hpp"

namespace launchbox {

inline std::string describe(const auto& value)
{
    return value ? std::to_string(*value) : std::string("?");
}

inline std::string describe(const std::vector<constant_bank>& banks)
{
    std::string text;
    for (const constant_bank& bank : banks)
        text += " cmem[" + std::to_string(bank.bank) + "]=" + std::to_string(bank.bytes);
    return text;
}

inline std::string describe(const callee_info& function)
{
    return function.name + " " + describe(function.stack_frame_bytes) + "/" + describe(function.spill_store_bytes) +
           "/" + describe(function.spill_load_bytes);
}

/// `NAME sm_90 line 4: 24 registers, 1 barriers, stack 8/0/0 of 16, smem 512+1024 cmem[0]=360`. The stack is
/// frame/spill stores/spill loads of cumulative size; anything unusual comes last.
inline std::string describe(const kernel_info& kernel)
{
    std::string text =
        kernel.name + " " + (kernel.architecture.empty() ? "?" : kernel.architecture) + " " + kernel.source.entry +
        ": " + describe(kernel.figures.registers) + " registers, " + describe(kernel.figures.barriers) +
        " barriers, stack " + describe(kernel.figures.stack_frame_bytes) + "/" +
        describe(kernel.figures.spill_store_bytes) + "/" + describe(kernel.figures.spill_load_bytes) + " of " +
        describe(kernel.figures.cumulative_stack_bytes) + ", smem " + describe(kernel.figures.static_shared_bytes);
    if (kernel.figures.reserved_shared_bytes) text += "+" + describe(kernel.figures.reserved_shared_bytes);
    text += describe(kernel.figures.constant_banks);
    if (kernel.relocatable) text += ", relocatable";
    if (kernel.linked) text += ", linked";
    if (kernel.figures.stack_unbounded) text += ", unbounded stack";
    for (const callee_info& callee : kernel.figures.callees) text += ", calls " + describe(callee);
    for (const std::string& warning : kernel.warnings) text += ", \"" + warning + "\"";
    return text;
}

inline std::string describe(const module_memory& module)
{
    std::string text = module.container + " " + (module.architecture.empty() ? "?" : module.architecture) + " line " +
                       std::to_string(module.line) + ": gmem " + describe(module.global_bytes) +
                       describe(module.constant_banks);
    for (const callee_info& function : module.functions) text += ", " + describe(function);
    return text;
}

inline std::string describe(const log_message& message)
{
    const char* const severities[] = {"info", "warning", "error"};
    std::string text =
        std::to_string(message.line) + " " + message.tool + " " + severities[static_cast<int>(message.severity)];
    if (!message.kernel.empty()) text += " [" + message.kernel + "]";
    if (!message.architecture.empty()) text += " <" + message.architecture + ">";
    if (message.source_line) text += " " + message.source_file + ":" + std::to_string(*message.source_line);
    return text + ": " + message.text;
}

inline std::string describe(const log_diagnostic& diagnostic)
{
    return std::to_string(diagnostic.line) + ": " + diagnostic.what;
}

template <class T>
std::vector<std::string> describe_all(const std::vector<T>& values)
{
    std::vector<std::string> texts;
    for (const T& value : values) texts.push_back(describe(value));
    return texts;
}

}  // namespace launchbox
