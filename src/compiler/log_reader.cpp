// SPDX-License-Identifier: Apache-2.0
#include "compiler/log_reader.hpp"

#include <algorithm>

#include <launchbox/compute_capability.hpp>

namespace launchbox {

namespace {

// Sentences kept for one kernel's report; any more are among the messages only. It keeps the time linear.
constexpr std::size_t max_remarks = 64;

// "(target: sm_80)" at the end of what nvlink says when nvcc links for several architectures.
std::string_view take_target(std::string_view& text)
{
    constexpr std::string_view before = "(target: ";
    const std::size_t at = text.rfind(before);
    if (at == std::string_view::npos || !text.ends_with(')')) return {};
    const std::string_view target = text.substr(at + before.size(), text.size() - at - before.size() - 1);
    if (!parse_compute_capability(target)) return {};
    text = trimmed(text.substr(0, at));
    return target;
}

// nvcc --verbose prints `#$ nvlink -v -m64 --arch=sm_75 ...` before it runs the linker.
std::string_view linker_architecture(std::string_view line)
{
    const std::size_t command = line.find("#$ nvlink ");
    const std::size_t option =
        command == std::string_view::npos ? std::string_view::npos : line.find("--arch=", command);
    if (option == std::string_view::npos) return {};
    const std::string_view name = line.substr(option + 7);
    const std::string_view architecture = name.substr(0, name.find(' '));
    return parse_compute_capability(architecture) ? architecture : std::string_view();
}

std::string remark_key(std::string_view container, std::string_view name, std::string_view architecture)
{
    std::string key(container);
    return key.append("\n").append(architecture).append("\n").append(name);
}

}  // namespace

void log_reader::read_line(std::string_view line, bool terminated)
{
    ++line_;
    terminated_ = terminated;
    if (const auto statement = find_statement(line)) {
        if (statement->tool == "ptxas" && statement->severity == log_severity::info)
            read_ptxas_info(*statement);
        else if (statement->tool == "nvlink" && statement->severity == log_severity::info)
            read_nvlink_info(*statement);
        else
            read_message(*statement);
    } else if (const auto figures = find_stack_figures(line)) {
        read_stack(*figures);
    } else if (const std::string_view architecture = linker_architecture(line); !architecture.empty()) {
        nvlink_architecture_ = architecture;
    }
}

raw_log log_reader::finish()
{
    raw_.log.ends_inside_a_report |= owed_ > 0;
    for (const open_entry& entry : open_) {
        raw_.log.ends_inside_a_report = true;
        raw_.log.diagnostics.push_back(
            {raw_.kernel_lines[entry.kernel], "no \"Used\" line for '" + kernel(entry.kernel).name + "'"});
    }
    if (nvlink_kernel_ != none) {
        raw_.log.ends_inside_a_report = true;
        raw_.log.diagnostics.push_back(
            {raw_.kernel_lines[nvlink_kernel_], "no \"used\" line for '" + kernel(nvlink_kernel_).name + "'"});
    }
    if (open_function_) {
        raw_.log.ends_inside_a_report = true;
        add_diagnostic("no stack line for '" + open_function_->function.name + "'");
    }

    // What was said after its kernel's report, or for another report that never came.
    std::vector<kernel_info>& kernels = raw_.log.kernels;
    for (auto kernel = kernels.rbegin(); kernel != kernels.rend(); ++kernel)
        give_remarks(*kernel, kernel->linked ? nvlink_log : ptxas_log);

    std::vector<std::size_t> kernels_in(raw_.log.modules.size(), 0);
    for (std::size_t module : raw_.kernel_modules)
        if (module != none) ++kernels_in[module];
    for (std::size_t i = 0; i < raw_.log.kernels.size(); ++i) {
        const std::size_t module = raw_.kernel_modules[i];
        if (module == none || kernels_in[module] != 1) continue;  // which of several it is, the sentence does not say
        for (std::string& sentence : module_losses_[module]) kernel(i).warnings.push_back(std::move(sentence));
    }
    return std::move(raw_);
}

void log_reader::read_nvlink_info(const log_statement& statement)
{
    std::string_view text = statement.text;
    const std::string_view target = take_target(text);
    if (take_prefix(text, "Function properties for ")) {
        std::optional<std::string_view> name;
        if (take_prefix(text, "'")) name = take_quoted(text);
        if (!name || name->empty()) {
            raw_.log.ends_inside_a_report |= !terminated_;
            return add_diagnostic("cannot read the name of a function");
        }
        if (nvlink_kernel_ != none) add_diagnostic("no \"used\" line for '" + kernel(nvlink_kernel_).name + "'");
        add_kernel(*name, target.empty() ? nvlink_architecture_ : target, nvlink_log);
        nvlink_kernel_ = raw_.log.kernels.size() - 1;
        kernel(nvlink_kernel_).linked = true;
    } else if (text.starts_with("used ")) {
        read_nvlink_used(text);
    } else if (text.find(" bytes gmem") != std::string_view::npos) {
        read_module(text, nvlink_log, target.empty() ? nvlink_architecture_ : target);
    } else {
        read_message(statement);
    }
}

void log_reader::read_nvlink_used(std::string_view list)
{
    const resource_figures figures = read_figures(list);
    if (!figures.diagnostic.empty()) add_diagnostic(figures.diagnostic);
    if (nvlink_kernel_ == none) return add_diagnostic("a \"used\" line that belongs to no function");
    raw_.kernel_lines[nvlink_kernel_] = line_;
    kernel_info& owner = kernel(std::exchange(nvlink_kernel_, none));
    owner.registers = figures.registers;
    owner.barriers = figures.barriers;
    owner.cumulative_stack_bytes = figures.cumulative_stack;
    owner.static_shared_bytes = figures.shared;
    owner.constant_banks = figures.constant_banks;
    raw_.log.ends_inside_a_report |= !terminated_ && !figures.local;  // "lmem" is the last field
}

void log_reader::read_module(std::string_view list, std::string_view container, std::string_view architecture)
{
    resource_figures figures = read_figures(list);
    if (!figures.diagnostic.empty()) add_diagnostic(figures.diagnostic);
    raw_.log.modules.push_back({.architecture = std::string(architecture),
                                .container = std::string(container),
                                .line = line_,
                                .global_bytes = figures.global,
                                .constant_banks = std::move(figures.constant_banks),
                                .functions = {}});
    module_losses_.push_back(std::exchange(losses_, {}));
    if (container != ptxas_log) return;
    last_step_ = step::other;
    if (open_.empty()) last_used_ = none;  // the next function has another compiler's entry
}

void log_reader::read_message(const log_statement& statement)
{
    std::string_view text = statement.text;
    const std::string_view target = statement.tool == "nvlink" ? take_target(text) : std::string_view();
    const bool from_compiler = statement.tool == "ptxas" || statement.tool == "nvlink";
    const std::string_view name = from_compiler ? named_kernel(text) : std::string_view();
    // ptxas says "(C7508) Potential Performance Loss: 'setmaxnreg' ignored; ..." as information.
    const bool loss = text.find("Potential Performance Loss") != std::string_view::npos;
    const log_severity severity =
        loss && statement.severity == log_severity::info ? log_severity::warning : statement.severity;
    raw_.log.messages.push_back({.severity = severity,
                                 .tool = std::string(statement.tool),
                                 .text = std::string(text),
                                 .line = line_,
                                 .kernel = std::string(name),
                                 .architecture = std::string(target),
                                 .source_file = std::string(statement.source_file),
                                 .source_line = statement.source_line});
    if (severity == log_severity::info) return;
    if (name.empty()) {
        if (loss) losses_.emplace_back(text);
        return;
    }
    remarks& said = remarks_[remark_key(statement.tool == "ptxas" ? ptxas_log : nvlink_log, name, target)];
    if (said.warnings.size() < max_remarks) said.warnings.emplace_back(text);
    said.stack_unbounded |= text.starts_with("Stack size for") && text.find("cannot be") != std::string_view::npos;
}

void log_reader::add_kernel(std::string_view name, std::string_view architecture, std::string_view container)
{
    kernel_info& added = raw_.log.kernels.emplace_back();
    added.name = name;
    set_architecture(added, std::string(architecture));
    added.source = {.file = file_, .container = std::string(container), .entry = "line " + std::to_string(line_)};
    raw_.kernel_lines.push_back(line_);
    give_remarks(added, container);

    std::size_t module = none;
    if (!raw_.log.modules.empty() && raw_.log.modules.back().container == container) {
        std::string& known = raw_.log.modules.back().architecture;
        if (known.empty()) known = architecture;
        if (known == architecture) module = raw_.log.modules.size() - 1;
    }
    raw_.kernel_modules.push_back(module);
}

// ptxas and nvlink say what they have to say of a kernel before they report on the module that it is in. The same
// sentence twice is another compiler's about the same kernel, whose report is still to come.
void log_reader::give_remarks(kernel_info& kernel, std::string_view container)
{
    if (remarks_.empty()) return;
    for (const std::string& architecture : {std::string(), kernel.architecture}) {
        const auto found = remarks_.find(remark_key(container, kernel.name, architecture));
        if (found == remarks_.end()) continue;
        remarks& said = found->second;
        for (std::string& sentence : std::exchange(said.warnings, {})) {
            if (std::ranges::find(kernel.warnings, sentence) != kernel.warnings.end())
                said.warnings.push_back(std::move(sentence));
            else
                kernel.warnings.push_back(std::move(sentence));
        }
        kernel.stack_unbounded |= said.stack_unbounded;
        if (said.warnings.empty()) remarks_.erase(found);
    }
}

}  // namespace launchbox
