// SPDX-License-Identifier: Apache-2.0
#include "app/input/input_reading.hpp"

#include <fmt/format.h>

#include <utility>

#include "advice/lint/lint_log.hpp"
#include "app/input/folder_files.hpp"

namespace launchbox {

namespace {

// What to do with text that looks like a report of another tool; empty for anything else.
std::string_view told_by_another_tool(std::string_view text)
{
    const auto has = [&](std::string_view words) { return text.find(words) != std::string_view::npos; };
    if (has("[-Rpass-analysis=kernel-resource-usage]") || has("; NumVgprs:") || has(".vgpr_count:"))
        return "it is a report of AMD's compiler (hipcc); launchbox reads those of ptxas and nvlink, for NVIDIA's GPUs";
    if (has(" REG:") && has(" STACK:") && has(" SHARED:"))
        return "it was printed by cuobjdump --dump-resource-usage, which leaves out spills and launch bounds: give "
               "launchbox the program, library or cubin itself";
    if (has("Function : ") && has("/*0000*/"))
        return "it is disassembly, without the figures of its kernels: give launchbox the program, library or cubin "
               "itself";
    return {};
}

}  // namespace

void hand_on_unroll_warnings(const resource_log& log, std::vector<kernel_info>& kernels)
{
    for (const log_message& message : log.messages) {
        if (message.severity != log_severity::warning || message.text.find("unroll") == std::string::npos) continue;
        for (kernel_info& kernel : kernels)
            if (kernel.figures.stack_frame_bytes.value_or(0) > 0 && kernel.figures.spill_store_bytes == 0)
                kernel.warnings.push_back(log_message_text(message));
    }
}

void read_log(input_reading& reading, const std::string& file, std::string_view text)
{
    const kernel_request& options = reading.request;
    input_summary summary{.file = file, .kind = log_kind};
    resource_log log = parse_resource_log(text, file);
    hand_on_unroll_warnings(log, log.kernels);
    if (options.lint) summary.diagnoses = lint_logs({{&log, file, {}}});
    const bool tells_nothing = log.kernels.empty() && summary.diagnoses.empty();
    if (!options.before_linking && !options.keep_unlinked) leave_out_unlinked(log.kernels);
    for (const kernel_info& info : log.kernels) reading.add(info);
    summary.kernels = log.kernels.size();
    for (const log_message& message : log.messages)
        if (message.severity == log_severity::error)
            summary.errors.push_back(fmt::format("line {}: {}", message.line, log_message_text(message)));
    for (const log_diagnostic& diagnostic : log.diagnostics)
        summary.errors.push_back(fmt::format("line {}: {}", diagnostic.line, diagnostic.what));
    if (log.ends_inside_a_report)
        summary.errors.push_back("it ends inside a report: the log is truncated, or the compiler was killed");
    if (tells_nothing && text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        summary.errors.emplace_back(is_file(file) ? "it is empty"
                                                  : "it is empty; nvcc reports to standard error: nvcc ... 2>&1 |");
    else if (const std::string_view other = told_by_another_tool(text);
             tells_nothing && summary.errors.empty() && !other.empty())
        summary.errors.emplace_back(other);
    else if (tells_nothing && summary.errors.empty())
        summary.errors.push_back(
            std::string("it has no report of ptxas or nvlink; make one with nvcc -Xptxas -v") +
            (is_file(file) ? "" : " (a CUDA source is recognised by its name and must be a file)"));
    reading.found.inputs.push_back(std::move(summary));
}

}  // namespace launchbox
