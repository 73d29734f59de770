// The reports of ptxas, of which several may be written at the same time.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <launchbox/compute_capability.hpp>

#include "compiler/log_reader.hpp"

namespace launchbox {

namespace {

// More compilers than this never write into one log at the same time; it bounds the search among them.
constexpr std::size_t max_open_entries = 256;

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
        raw_.log.ends_inside_a_report = true;  // the beginning of one of the above, or of something else
    else
        read_message(statement);
}

void log_reader::read_compiling(std::string_view rest)
{
    std::optional<std::string_view> name, architecture;
    if (take_prefix(rest, "'")) name = take_quoted(rest);
    if (take_prefix(rest, " for '"))
        architecture = take_quoted(rest);
    else if (rest.empty() && terminated_)
        architecture = "";  // before CUDA 3 there was none
    if (!name || name->empty() || !architecture) {
        raw_.log.ends_inside_a_report |= !terminated_;
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
    last_kernel_ = raw_.log.kernels.size() - 1;
    last_step_ = step::compiling;
    open_.push_back({.kernel = last_kernel_});
}

void log_reader::read_properties(std::string_view name)
{
    if (!terminated_) {  // the name may be cut
        raw_.log.ends_inside_a_report = true;
        return;
    }
    if (name.starts_with('\'') && name.ends_with('\'') && name.size() >= 2) name = name.substr(1, name.size() - 2);
    stack_owner_ = none;
    open_function_.reset();

    const auto waits = [&](const open_entry& entry) {
        return !entry.has_properties && kernel(entry.kernel).name == name;
    };
    const auto found = std::ranges::find_if(open_, waits);
    if (found == open_.end()) {
        // Which entry calls a function can be seen from its place only while one compiler writes.
        callee_info function;
        function.name = name;
        open_function_ = function_report{std::move(function), open_.empty() ? last_used_ : none};
        last_step_ = step::other;
        return;
    }
    if (std::ranges::count_if(open_, waits) > 1) {
        add_diagnostic("'" + std::string(name) + "' is being compiled more than once at the same time: " +
                       "whose figures these are cannot be told; keep the compilers' output apart");
        for (open_entry& entry : open_) entry.mixed |= waits(entry);
    }
    found->has_properties = true;
    const bool in_one_piece = last_step_ == step::compiling && last_kernel_ == found->kernel;
    last_step_ = in_one_piece ? step::properties : step::other;
    last_kernel_ = found->kernel;
    if (!found->mixed) stack_owner_ = found->kernel;
}

void log_reader::read_stack(const stack_figures& figures)
{
    if (!figures.diagnostic.empty()) {
        add_diagnostic(figures.diagnostic);
        raw_.log.ends_inside_a_report |= !terminated_;
    }
    if (stack_owner_ != none) {
        kernel_info& owner = kernel(stack_owner_);
        owner.stack_frame_bytes = figures.frame;
        owner.spill_store_bytes = figures.spill_stores;
        owner.spill_load_bytes = figures.spill_loads;
        last_step_ = last_step_ == step::properties ? step::stack : step::other;
        stack_owner_ = none;
    } else if (open_function_) {
        callee_info& function = open_function_->function;
        function.stack_frame_bytes = figures.frame;
        function.spill_store_bytes = figures.spill_stores;
        function.spill_load_bytes = figures.spill_loads;
        // A function stays its entry's callee unless the next line says that it was compiled on its own.
        if (open_function_->entry != none) {
            last_kernel_ = open_function_->entry;
            kernel(last_kernel_).callees.push_back(std::move(function));
            last_step_ = step::function_stack;
        } else if (!raw_.log.modules.empty()) {
            raw_.log.modules.back().functions.push_back(std::move(function));
            last_step_ = step::other;
        }
        open_function_.reset();
    } else if (std::ranges::none_of(open_, &open_entry::mixed)) {
        add_diagnostic("a stack line that belongs to no function");
    }
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
    const bool doubled = last_step_ == step::used;  // nothing of a report since the last one
    last_step_ = step::other;

    if (ready == 0) {
        if (owed_ > 0) {
            --owed_;
            return;
        }
        add_diagnostic("a \"Used\" line that belongs to no entry function");
        if (!doubled) return;
        // One of the two lines is another compiler's, perhaps the first.
        kernel_info& victim = kernel(last_used_);
        victim.registers.reset();
        victim.barriers.reset();
        victim.static_shared_bytes.reset();
        victim.cumulative_stack_bytes.reset();
        victim.constant_banks.clear();
        return;
    }
    if (ready > 1 || (owed_ > 0 && !in_one_piece)) return give_up_ready_entries(ready);
    owed_ = 0;
    const auto entry = std::ranges::find_if(open_, is_ready);
    if (!entry->mixed) give_figures(*entry, figures);
    last_used_ = last_kernel_ = entry->kernel;
    last_step_ = step::used;
    open_.erase(entry);
}

void log_reader::read_compile_time()
{
    if (last_step_ == step::function_stack && !raw_.log.modules.empty()) {
        std::vector<callee_info>& callees = kernel(last_kernel_).callees;
        raw_.log.modules.back().functions.push_back(std::move(callees.back()));
        callees.pop_back();
    }
    last_step_ = step::other;
}

void log_reader::give_figures(const open_entry& entry, const resource_figures& figures)
{
    kernel_info& owner = kernel(entry.kernel);
    owner.registers = figures.registers;
    owner.barriers = figures.barriers;
    owner.cumulative_stack_bytes = figures.cumulative_stack;
    owner.constant_banks = figures.constant_banks;
    owner.static_shared_bytes = figures.shared;
    if (!entry.has_properties) owner.stack_frame_bytes = figures.local;

    // A line that ends with the log may lack its last fields. The constant banks come after "smem".
    const bool whole = figures.diagnostic.empty() && (terminated_ || !figures.constant_banks.empty());
    raw_.log.ends_inside_a_report |= !whole && !terminated_;
    if (whole && !owner.static_shared_bytes) owner.static_shared_bytes = 0;
    if (figures.diagnostic.empty() && !owner.registers) add_diagnostic("a \"Used\" line without registers");
}

void log_reader::give_up_ready_entries(std::size_t ready)
{
    add_diagnostic(std::to_string(ready) +
                   " kernels wait for their \"Used\" line here, because several compilers wrote " +
                   "at once: whose figures these are cannot be told; keep the compilers' output apart");
    const bool any_properties = std::ranges::any_of(open_, &open_entry::has_properties);
    std::erase_if(open_, [&](const open_entry& entry) { return entry.has_properties || !any_properties; });
    owed_ += ready - 1;
}

}  // namespace launchbox
