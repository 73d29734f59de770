// SPDX-License-Identifier: Apache-2.0
#include "compiler/log/log_reader.hpp"

#include <algorithm>

#include <launchbox/compute_capability.hpp>

#include "compiler/log/log_remark.hpp"

namespace launchbox {

namespace {

// Sentences kept for one kernel's report; further ones are only in the messages. This keeps the time linear.
constexpr std::size_t max_remarks = 64;

// More linkers than this never write to one log at the same time.
constexpr std::size_t max_linked = 256;

// "(target: sm_80)" at the end of nvlink's messages when nvcc links for several architectures.
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

std::string remark_key(std::string_view container, std::string_view name, std::string_view architecture)
{
    std::string key(container);
    return key.append("\n").append(architecture).append("\n").append(name);
}

}  // namespace

void log_reader::read(const log_piece& piece)
{
    line_ = piece.line;
    terminated_ = piece.terminated;
    switch (piece.kind) {
        case log_piece::content::statement:
            // Parse the statement again, at its beginning.
            if (const auto statement = find_statement(piece.text.substr(piece.prefix))) read_statement(*statement);
            break;
        case log_piece::content::stack:
            if (const auto figures = find_stack_figures(piece.text)) read_stack(*figures);
            break;
        case log_piece::content::linker_command:
            nvlink_architecture_ = linker_architecture(piece.text);
            break;
        case log_piece::content::gap:
            break;
    }
}

void log_reader::read_gap(std::size_t line)
{
    line_ = line;
    for (const open_entry& entry : open_)
        add_diagnostic("lines are left out inside the report of '" + kernel(entry.kernel).name + "'");
    for (const linked_function& waiting : linked_)
        add_diagnostic("lines are left out inside the report of '" + kernel(waiting.kernel).name + "'");
    open_.clear();
    linked_.clear();
    waiting_for_stack_.clear();
    last_used_ = none;
    last_step_ = step::other;
}

void log_reader::read_statement(const log_statement& statement)
{
    if (statement.tool == "ptxas" && statement.severity == log_severity::info)
        read_ptxas_info(statement);
    else if (statement.tool == "nvlink" && statement.severity == log_severity::info)
        read_nvlink_info(statement);
    else
        read_message(statement);
}

void lost_lines::note(const log_piece& piece)
{
    if (piece.kind == log_piece::content::stack)
        ++stack;
    else if (piece.closes)
        ++used, ++linked;
}

void log_reader::report_lost()
{
    add_diagnostic(
        "the kernel of these figures is unknown: some lines have a prefix that names their compiler, others have none");
}

void log_reader::finish()
{
    resource_log& log = raw_->log;
    log.ends_inside_a_report |= used_lines_.are_pending() || linked_lines_.are_pending();
    for (const open_entry& entry : open_) {
        log.ends_inside_a_report = true;
        log.diagnostics.push_back(
            {raw_->kernel_lines[entry.kernel], "no \"Used\" line for '" + kernel(entry.kernel).name + "'"});
    }
    for (const auto& [waiting, lost] : linked_) {
        log.ends_inside_a_report = true;
        log.diagnostics.push_back({raw_->kernel_lines[waiting], "no \"used\" line for '" + kernel(waiting).name + "'"});
    }
    if (last_step_ == step::function_properties) {
        log.ends_inside_a_report = true;
        add_diagnostic("no stack line for '" + waiting_for_stack_.back().function->name + "'");
    }

    take_back_incomplete();

    // Assigns remarks that came after their kernel's report, or whose own report never came.
    for (auto own = own_kernels_.rbegin(); own != own_kernels_.rend(); ++own)
        give_remarks(kernel(*own), kernel(*own).linked ? nvlink_log : ptxas_log);
    add_lone_remarks();
    add_losses();
}

// A report that lacks lines which others have: the missing text may have ended this report and begun another, whose
// "Used" line was taken for this one's. If all reports lack them, the log was filtered, or ptxas is old.
void log_reader::take_back_incomplete()
{
    for (const std::size_t parts : {1U, 2U}) {
        std::vector<std::string_view> complete;
        const auto is_complete = [&](const told_report& report) { return (report.parts & parts) != 0; };
        for (const told_report& report : reports_)
            if (is_complete(report)) complete.push_back(kernel(report.kernel).architecture);
        std::ranges::sort(complete);
        for (const told_report& report : reports_) {
            if (is_complete(report) ||
                !std::binary_search(complete.begin(), complete.end(), kernel(report.kernel).architecture))
                continue;
            if (!kernel(report.kernel).figures.registers) continue;
            take_back_used(report.kernel);
            line_ = report.line;
            add_diagnostic("lines are missing before this one, which may be another kernel's than '" +
                           kernel(report.kernel).name + "'");
        }
    }
}

// Sentences about kernels without a report by this writer, in their order.
void log_reader::add_lone_remarks()
{
    const std::size_t first = raw_->lone_remarks.size();
    for (auto& [key, said] : remarks_) {
        const std::size_t container_end = key.find('\n'), architecture_end = key.find('\n', container_end + 1);
        for (remark& one : said.warnings)
            raw_->lone_remarks.push_back(
                {.kernel = key.substr(architecture_end + 1),
                 .architecture = key.substr(container_end + 1, architecture_end - container_end - 1),
                 .text = std::move(one.text),
                 .line = one.line,
                 .of_linker = key.starts_with(nvlink_log)});
    }
    std::stable_sort(raw_->lone_remarks.begin() + static_cast<std::ptrdiff_t>(first), raw_->lone_remarks.end(),
                     [](const lone_remark& a, const lone_remark& b) { return a.line < b.line; });
}

// A sentence that names no kernel, repeated as often as its module has kernels, applies to each of them; otherwise it
// is unknown which it means.
void log_reader::add_losses()
{
    std::unordered_map<std::size_t, std::vector<std::size_t>> kernels_of;
    for (const std::size_t own : own_kernels_)
        if (raw_->kernel_modules[own] != raw_log::no_module) kernels_of[raw_->kernel_modules[own]].push_back(own);
    if (!losses_.empty()) module_losses_.emplace_back(none, std::exchange(losses_, {}));
    for (auto& [of_module, losses] : module_losses_) {
        const std::vector<std::size_t>& kernels = kernels_of[of_module];
        std::ranges::stable_sort(losses, {}, &remark::text);
        for (std::size_t first = 0, last = 0; first < losses.size(); first = last) {
            while (last < losses.size() && losses[last].text == losses[first].text) ++last;
            if (kernels.size() == 1 || (!kernels.empty() && last - first == kernels.size())) {
                for (const std::size_t one : kernels) kernel(one).warnings.push_back(losses[first].text);
                continue;
            }
            raw_->log.losses.push_back({losses[first].text, losses[first].line, last - first, kernels});
        }
    }
}

void log_reader::read_nvlink_info(const log_statement& statement)
{
    std::string_view text = statement.text;
    const std::string_view target = take_target(text);
    if (take_prefix(text, "Function properties for ")) {
        const std::optional<std::string_view> name = quoted_name(text);
        if (!name || name->empty()) {
            raw_->log.ends_inside_a_report |= !terminated_;
            return add_diagnostic("cannot read the name of a function");
        }
        if (linked_.size() == max_linked) {
            add_diagnostic("no \"used\" line for '" + kernel(linked_.front().kernel).name + "'");
            linked_.erase(linked_.begin());
        }
        add_kernel(*name, target.empty() ? nvlink_architecture_ : target, nvlink_log);
        linked_.push_back({raw_->log.kernels.size() - 1, lost_->linked});
        kernel(linked_.back().kernel).linked = true;
        last_step_ = step::linked;
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
    const bool in_one_piece = std::exchange(last_step_, step::other) == step::linked;
    const auto give = [&](kernel_info& owner, const resource_figures& given) {
        owner.figures.registers = given.registers;
        owner.figures.barriers = given.barriers;
        owner.figures.cumulative_stack_bytes = given.cumulative_stack;
        owner.figures.static_shared_bytes = given.shared;
        owner.figures.constant_banks = given.constant_banks;
    };
    raw_->log.ends_inside_a_report |= !terminated_ && !figures.local;  // "lmem" is the last field
    switch (linked_lines_.judge(linked_.size(), in_one_piece)) {
        case nameless_lines::verdict::stray:
            return add_diagnostic("a \"used\" line that belongs to no function");
        case nameless_lines::verdict::owed:
            return take_back(linked_lines_.take_doubtful(), [&](std::size_t owner) { give(kernel(owner), {}); });
        case nameless_lines::verdict::given_up:
            add_diagnostic(std::to_string(linked_.size()) +
                           " functions have no \"used\" line yet here, because several linkers wrote at the same time: "
                           "the kernel of these figures is unknown; separate the linkers' output");
            return linked_.clear();
        case nameless_lines::verdict::owner:
            break;
    }
    const auto [owner, lost] = linked_.front();
    linked_.clear();
    if (lost != lost_->linked) return report_lost();
    linked_lines_.note_owner(owner);
    raw_->kernel_lines[owner] = line_;
    give(kernel(owner), figures);
}

void log_reader::read_module(std::string_view list, std::string_view container, std::string_view architecture)
{
    resource_figures figures = read_figures(list);
    if (!figures.diagnostic.empty()) add_diagnostic(figures.diagnostic);
    module_ = raw_->log.modules.size();
    raw_->log.modules.push_back({.architecture = std::string(architecture),
                                 .container = std::string(container),
                                 .line = line_,
                                 .global_bytes = figures.global,
                                 .constant_banks = std::move(figures.constant_banks),
                                 .functions = {}});
    // While several compilers write, an option may belong to any of them.
    const bool alone = open_.empty() && last_step_ != step::module;
    if (last_step_ == step::module) raw_->module_options.back().reset();
    const std::optional<int> option = std::exchange(option_, std::nullopt);
    raw_->module_options.push_back(alone ? option : std::nullopt);
    if (!losses_.empty()) module_losses_.emplace_back(module_, std::exchange(losses_, {}));
    if (container != ptxas_log) return;
    last_step_ = step::module;
    if (open_.empty()) last_used_ = none;  // the next function has another compiler's entry
}

void log_reader::read_message(const log_statement& statement)
{
    std::string_view text = statement.text;
    const std::string_view target = statement.tool == "nvlink" ? take_target(text) : std::string_view();
    const bool from_compiler = statement.tool == "ptxas" || statement.tool == "nvlink";
    const std::string_view name = from_compiler ? named_kernel(text) : std::string_view();
    // ptxas prints "(C7508) Potential Performance Loss: 'setmaxnreg' ignored; ..." as information.
    const bool loss = is_performance_loss(text);
    const log_severity severity =
        loss && statement.severity == log_severity::info ? log_severity::warning : statement.severity;
    raw_->log.messages.push_back({.severity = severity,
                                  .tool = std::string(statement.tool),
                                  .text = std::string(text),
                                  .line = line_,
                                  .kernel = std::string(name),
                                  .architecture = std::string(target),
                                  .source_file = std::string(statement.source_file),
                                  .source_line = statement.source_line});
    if (statement.tool == "ptxas") read_option(text, name);
    if (severity == log_severity::info) return;
    if (name.empty()) {
        if (loss) losses_.push_back({std::string(text), line_});
        return;
    }
    remarks& said = remarks_[remark_key(statement.tool == "ptxas" ? ptxas_log : nvlink_log, name, target)];
    if (said.warnings.size() < max_remarks) said.warnings.push_back({std::string(text), line_});
    said.stack_unbounded |= text.starts_with("Stack size for") && text.find("cannot be") != std::string_view::npos;
}

// ptxas's statement about -maxrregcount, before it reports on the module.
void log_reader::read_option(std::string_view text, std::string_view name)
{
    const std::optional<option_remark> remark = option_remark_in(text);
    if (!remark) return;
    // Too large a value is ignored, and ptxas prints 255 from then on.
    const bool stands = option_ && (*option_ > max_register_option || *option_ < 0);
    if (!stands) option_ = remark->value;
    if (!remark->counts || name.empty()) return;
    remarks& said = remarks_[remark_key(ptxas_log, name, {})];
    if (said.options == 0) said.option = remark->value;
    if (said.option != remark->value) said.option.reset();
    ++said.options;
}

void log_reader::add_kernel(std::string_view name, std::string_view architecture, std::string_view container)
{
    kernel_info& added = raw_->log.kernels.emplace_back();
    added.name = name;
    set_architecture(added, std::string(architecture));
    added.source = {.file = raw_->file, .container = std::string(container), .entry = "line " + std::to_string(line_)};
    raw_->kernel_lines.push_back(line_);
    raw_->kernel_writers.push_back(writer_);
    raw_->unclear_options.push_back(false);
    own_kernels_.push_back(raw_->log.kernels.size() - 1);
    give_remarks(added, container);
    give_option(added, container);

    std::size_t of_module = raw_log::no_module;
    if (module_ != none && module().container == container) {
        std::string& known = module().architecture;
        if (known.empty()) known = architecture;
        if (known == architecture) of_module = module_;
    }
    raw_->kernel_modules.push_back(of_module);
}

// ptxas and nvlink print remarks about a kernel before the report on its module. The same sentence twice comes from
// another compiler for the same kernel, whose report follows.
void log_reader::give_remarks(kernel_info& kernel, std::string_view container)
{
    if (remarks_.empty()) return;
    for (const std::string& architecture : {std::string(), kernel.architecture}) {
        const auto found = remarks_.find(remark_key(container, kernel.name, architecture));
        if (found == remarks_.end()) continue;
        remarks& said = found->second;
        for (remark& sentence : std::exchange(said.warnings, {})) {
            if (std::ranges::find(kernel.warnings, sentence.text) != kernel.warnings.end())
                said.warnings.push_back(std::move(sentence));
            else
                kernel.warnings.push_back(std::move(sentence.text));
        }
        kernel.figures.stack_unbounded |= said.stack_unbounded;
        if (said.warnings.empty() && said.options == 0) remarks_.erase(found);
    }
}

// The option is stated once per report.
void log_reader::give_option(kernel_info& kernel, std::string_view container)
{
    if (remarks_.empty()) return;
    const auto found = remarks_.find(remark_key(container, kernel.name, {}));
    if (found == remarks_.end() || found->second.options == 0) return;
    remarks& said = found->second;
    kernel.bounds.maxrregcount = said.option;
    raw_->unclear_options.back() = !said.option;
    if (--said.options == 0 && said.warnings.empty()) remarks_.erase(found);
}

}  // namespace launchbox
