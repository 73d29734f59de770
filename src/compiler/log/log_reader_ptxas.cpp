// Reads reports of ptxas, several of which may be written at the same time.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <launchbox/compute_capability.hpp>

#include "compiler/log/log_reader.hpp"

namespace launchbox {

namespace {

// More compilers than this never write to one log at the same time; this limits the search among them.
constexpr std::size_t max_open_entries = 256;

// `of`: the figures of a kernel, or a function.
void give_stack(auto& of, const stack_figures& figures)
{
    of.stack_frame_bytes = figures.frame;
    of.spill_store_bytes = figures.spill_stores;
    of.spill_load_bytes = figures.spill_loads;
}

}  // namespace

void log_reader::read_ptxas_info(const log_statement& statement)
{
    std::string_view text = statement.text;
    if (take_prefix(text, "Compiling entry function "))
        read_compiling(text);
    else if (take_prefix(text, "Function properties for "))
        read_properties(text);
    else if (text.starts_with("Used "))
        read_used(text);
    else if (text.starts_with("Compile time"))
        read_compile_time();
    else if (text.find(" bytes gmem") != std::string_view::npos)
        read_module(text, ptxas_log, {});
    else if (!terminated_)
        raw_->log.ends_inside_a_report = true;  // the beginning of one of the above, or of something else
    else
        read_message(statement);
}

void log_reader::read_compiling(std::string_view rest)
{
    // A demangled name may contain quotes: those of the architecture are the last.
    constexpr std::string_view between = "' for '";
    std::optional<std::string_view> name, architecture;
    const std::size_t at = rest.rfind(between);
    if (at != std::string_view::npos && rest.starts_with('\'')) {
        name = rest.substr(1, std::max<std::size_t>(at, 1) - 1);
        const std::string_view behind = rest.substr(at + between.size());
        if (const std::size_t end = behind.find('\''); end != std::string_view::npos)
            architecture = behind.substr(0, end);
    } else if (rest.size() > 2 && rest.starts_with('\'') && rest.ends_with('\'') && terminated_) {
        name = rest.substr(1, rest.size() - 2);
        architecture = "";  // before CUDA 3 there was none
    }
    if (!name || name->empty() || !architecture) {
        raw_->log.ends_inside_a_report |= !terminated_;
        return add_diagnostic("cannot read the name and the architecture of an entry function");
    }
    if (!architecture->empty() && !parse_compute_capability(*architecture)) {
        add_diagnostic("cannot read the architecture \"" + std::string(architecture->substr(0, 60)) + "\"");
        architecture = "";
    }

    add_kernel(*name, *architecture, ptxas_log);
    if (open_.size() == max_open_entries) {
        add_diagnostic("no \"Used\" line for '" + kernel(open_.front().kernel).name + "'");
        open_.erase(open_.begin());
    }
    last_kernel_ = raw_->log.kernels.size() - 1;
    last_step_ = step::compiling;
    open_.push_back({.kernel = last_kernel_, .lost = lost_->used});
}

void log_reader::read_properties(std::string_view name)
{
    if (!terminated_) {  // the name may be cut
        raw_->log.ends_inside_a_report = true;
        return;
    }
    if (name.starts_with('\'') && name.ends_with('\'') && name.size() >= 2) name = name.substr(1, name.size() - 2);

    const auto waits = [&](const open_entry& entry) {
        return !entry.has_properties && kernel(entry.kernel).name == name;
    };
    const auto found = std::ranges::find_if(open_, waits);
    if (found == open_.end()) {
        // A function's report never interrupts another report: the lines between may be lost, with the end of this
        // report and the beginning of the function's, which may be a kernel.
        for (open_entry& entry : open_) {
            if (!entry.mixed)
                add_diagnostic("a function inside the report of '" + kernel(entry.kernel).name +
                               "': lines are missing, or another compiler wrote them; the figures are unknown");
            entry.mixed = true;
        }
        // The position tells which entry calls a function only while a single compiler writes.
        callee_info function;
        function.name = name;
        expect_stack_line({none, std::move(function), open_.empty() ? last_used_ : none});
        last_step_ = step::function_properties;
        return;
    }
    if (std::ranges::count_if(open_, waits) > 1) {
        add_diagnostic("'" + std::string(name) + "' is being compiled more than once at the same time: " +
                       "the kernel of these figures is unknown; separate the compilers' output");
        for (open_entry& entry : open_) entry.mixed |= waits(entry);
    }
    found->has_properties = true;
    const bool in_one_piece = last_step_ == step::compiling && last_kernel_ == found->kernel;
    last_step_ = in_one_piece ? step::properties : step::late_properties;
    last_kernel_ = found->kernel;
    expect_stack_line({found->mixed ? none : found->kernel});
}

void log_reader::expect_stack_line(waiting_function waiting)
{
    if (waiting_for_stack_.size() == max_open_entries) waiting_for_stack_.erase(waiting_for_stack_.begin());
    waiting.lost = lost_->stack;
    waiting_for_stack_.push_back(std::move(waiting));
}

void log_reader::read_stack(const stack_figures& figures)
{
    if (!figures.diagnostic.empty()) {
        add_diagnostic(figures.diagnostic);
        raw_->log.ends_inside_a_report |= !terminated_;
    }
    const step before = std::exchange(last_step_, step::other);
    // The owner may be unknown; one of the waiting functions has it.
    for (open_entry& entry : open_)
        entry.has_stack |= std::ranges::any_of(
            waiting_for_stack_, [&](const waiting_function& waiting) { return waiting.kernel == entry.kernel; });
    const bool in_one_piece =
        before == step::properties || before == step::late_properties || before == step::function_properties;
    switch (stack_lines_.judge(waiting_for_stack_.size(), in_one_piece)) {
        case nameless_lines::verdict::stray:
            if (others_are_named_)
                add_diagnostic(
                    "a stack line without the prefix that names the compiler on other lines: its kernel is unknown");
            else
                add_diagnostic("a stack line that belongs to no function");
            // The report before it and its own may both have lost lines; the next "Used" line would seem to belong to
            // the former.
            for (open_entry& entry : open_) entry.mixed = true;
            return;
        case nameless_lines::verdict::owed:
            return take_back(stack_lines_.take_doubtful(),
                             [&](std::size_t owner) { give_stack(kernel(owner).figures, stack_figures{}); });
        case nameless_lines::verdict::given_up:
            add_diagnostic(std::to_string(waiting_for_stack_.size()) +
                           " functions have no stack line yet here, because several compilers wrote at the same time: "
                           "the kernel of these figures is unknown; separate the compilers' output");
            for (waiting_function& waiting : waiting_for_stack_)
                if (waiting.function) keep_function(waiting);
            return waiting_for_stack_.clear();
        case nameless_lines::verdict::owner:
            break;
    }
    waiting_function owner = std::move(waiting_for_stack_.front());
    waiting_for_stack_.clear();
    const bool is_lost = owner.lost != lost_->stack;
    if (is_lost) report_lost();
    if (owner.kernel != none) {
        stack_lines_.note_owner(owner.kernel);
        if (!is_lost) give_stack(kernel(owner.kernel).figures, figures);
        if (before == step::properties) last_step_ = step::stack;
    } else if (owner.function) {
        if (!stack_lines_.are_pending() && !is_lost) give_stack(*owner.function, figures);
        // A function stays its entry's callee, unless the next line shows that it was compiled separately.
        if (owner.entry != none) {
            last_kernel_ = owner.entry;
            last_step_ = step::function_stack;
        }
        keep_function(owner);
    }
}

void log_reader::keep_function(waiting_function& waiting)
{
    if (waiting.entry != none)
        kernel(waiting.entry).figures.callees.push_back(std::move(*waiting.function));
    else if (module_ != none)
        module().functions.push_back(std::move(*waiting.function));
}

void log_reader::read_used(std::string_view list)
{
    const resource_figures figures = read_figures(list);
    if (!figures.diagnostic.empty()) add_diagnostic(figures.diagnostic);

    // Before CUDA 4 there were no properties.
    const bool any_properties = std::ranges::any_of(open_, &open_entry::has_properties);
    const auto is_ready = [&](const open_entry& entry) { return entry.has_properties || !any_properties; };
    const auto ready = static_cast<std::size_t>(std::ranges::count_if(open_, is_ready));
    const bool in_one_piece = last_step_ == step::stack || (last_step_ == step::compiling && !any_properties);
    const bool doubled = last_step_ == step::used;  // no other line of a report in between
    last_step_ = step::other;
    switch (used_lines_.judge(ready, in_one_piece)) {
        case nameless_lines::verdict::stray:
            add_diagnostic("a \"Used\" line that belongs to no entry function");
            if (doubled) take_back_used(last_used_);  // one of the two is from another compiler, perhaps the first
            return;
        case nameless_lines::verdict::owed:
            return take_back(used_lines_.take_doubtful(), [&](std::size_t owner) { take_back_used(owner); });
        case nameless_lines::verdict::given_up:
            add_diagnostic(std::to_string(ready) +
                           " kernels have no \"Used\" line yet here, because several compilers wrote at the same time: "
                           "the kernel of these figures is unknown; separate the compilers' output");
            std::erase_if(open_, is_ready);
            return;
        case nameless_lines::verdict::owner:
            break;
    }
    const auto entry = std::ranges::find_if(open_, is_ready);
    used_lines_.note_owner(entry->kernel);
    reports_.push_back({entry->kernel, line_, (entry->has_properties ? 1U : 0U) | (entry->has_stack ? 2U : 0U)});
    const bool is_lost = entry->lost != lost_->used;
    if (is_lost)
        report_lost();
    else if (!entry->mixed)
        give_figures(*entry, figures);
    last_used_ = last_kernel_ = entry->kernel;
    last_step_ = step::used;
    // Its stack line has come, or was lost.
    std::erase_if(waiting_for_stack_, [&](const waiting_function& waiting) { return waiting.kernel == entry->kernel; });
    open_.erase(entry);
}

void log_reader::read_compile_time()
{
    if (last_step_ == step::function_stack && module_ != none) {
        std::vector<callee_info>& callees = kernel(last_kernel_).figures.callees;
        module().functions.push_back(std::move(callees.back()));
        callees.pop_back();
    }
    last_step_ = step::other;
}

void log_reader::take_back_used(std::size_t owner)
{
    kernel_info& victim = kernel(owner);
    victim.figures.registers.reset();
    victim.figures.barriers.reset();
    victim.figures.static_shared_bytes.reset();
    victim.figures.cumulative_stack_bytes.reset();
    victim.figures.constant_banks.clear();
}

void log_reader::give_figures(const open_entry& entry, const resource_figures& figures)
{
    kernel_info& owner = kernel(entry.kernel);
    owner.figures.registers = figures.registers;
    owner.figures.barriers = figures.barriers;
    owner.figures.cumulative_stack_bytes = figures.cumulative_stack;
    owner.figures.constant_banks = figures.constant_banks;
    owner.figures.static_shared_bytes = figures.shared;
    if (!entry.has_properties) owner.figures.stack_frame_bytes = figures.local;

    // A line at the end of the log may lack its last fields. The constant banks follow "smem".
    const bool whole = figures.diagnostic.empty() && (terminated_ || !figures.constant_banks.empty());
    raw_->log.ends_inside_a_report |= !whole && !terminated_;
    if (whole && !owner.figures.static_shared_bytes) owner.figures.static_shared_bytes = 0;
    if (figures.diagnostic.empty() && !owner.figures.registers) add_diagnostic("a \"Used\" line without registers");
}

}  // namespace launchbox
