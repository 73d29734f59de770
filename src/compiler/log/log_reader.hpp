// The state of one writer of a compiler's log: open reports, and remarks that wait for their kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/log/log_line.hpp"
#include "compiler/log/log_nameless.hpp"
#include "compiler/log/log_pieces.hpp"
#include "compiler/log/resource_log.hpp"

namespace launchbox {

/// A sentence about a kernel without a report.
struct lone_remark {
    std::string kernel, architecture, text;
    std::size_t line = 0;
    bool of_linker = false;
};

/// How many lines so far may belong to another report than it seems, by kind. If one comes between the beginning of a
/// report and its line of that kind, that line may belong to another report.
struct lost_lines {
    std::size_t stack = 0, used = 0, linked = 0;

    void note(const log_piece& piece);
    void note_all() { ++stack, ++used, ++linked; }
};

/// What the lines of a log say, before conclusions are drawn from several of them.
struct raw_log {
    static constexpr std::size_t no_module = static_cast<std::size_t>(-1);

    resource_log log;
    std::string file;
    std::vector<std::size_t> kernel_modules;  ///< for each kernel the index of its module, or `no_module`
    std::vector<std::size_t> kernel_lines;    ///< for each kernel, the line with its figures
    std::vector<std::size_t> kernel_writers;  ///< for each kernel, the program that reported it
    std::vector<bool> unclear_options;        ///< for each kernel, whether several values of -maxrregcount were stated
    std::vector<lone_remark> lone_remarks;    ///< by writer, then by line
    /// For each module the value of -maxrregcount, if ptxas states it and no other compiler wrote meanwhile.
    std::vector<std::optional<int>> module_options;
    lost_lines of_nobody;  ///< if writers are named: a line without a name may belong to any of them
    lost_lines gaps;       ///< of lines without a name: a named writer wrote in between
};

/// Reads the lines of one writer in order, and adds their content to `raw`.
class log_reader {
public:
    log_reader(raw_log& raw, std::size_t writer, bool others_are_named)
        : raw_(&raw),
          writer_(writer),
          others_are_named_(others_are_named),
          lost_(others_are_named ? &raw.gaps : &raw.of_nobody)
    {
    }

    void read(const log_piece& piece);
    /// Lines were left out here.
    void read_gap(std::size_t line);
    void finish();

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    static constexpr std::string_view ptxas_log = "ptxas log";
    static constexpr std::string_view nvlink_log = "nvlink log";

    /// An entry function whose "Used" line has not come yet.
    struct open_entry {
        std::size_t kernel;
        bool has_properties = false;
        bool has_stack = false;
        bool mixed = false;    ///< its lines cannot be distinguished from another compiler's
        std::size_t lost = 0;  ///< `lost_lines::used` when it began
    };
    /// A function that waits for a stack line: a kernel, or a device function and the entry before it.
    struct waiting_function {
        /// `none` if it is `function`, or if its lines cannot be distinguished from another compiler's
        std::size_t kernel;
        std::optional<callee_info> function = std::nullopt;
        std::size_t entry = none;  ///< of `function`, or `none`
        std::size_t lost = 0;      ///< `lost_lines::stack` when it began to wait
    };
    struct remark {
        std::string text;
        std::size_t line;
    };
    /// A tool's remarks about a kernel, printed before its report.
    struct remarks {
        std::vector<remark> warnings;
        bool stack_unbounded = false;
        std::size_t options = 0;    ///< how often ptxas stated that -maxrregcount counts for this kernel,
        std::optional<int> option;  ///< and with which value; `nullopt` if several
    };
    /// The last line of a report: tells a contiguous report from one with other lines in between.
    enum class step {
        other,
        compiling,
        properties,
        late_properties,
        stack,
        used,
        function_properties,
        function_stack,
        linked,
        module
    };

    void read_statement(const log_statement& statement);
    void read_ptxas_info(const log_statement& statement);
    void read_compiling(std::string_view rest);
    void read_properties(std::string_view name);
    void read_stack(const stack_figures& figures);
    void read_used(std::string_view list);
    void read_compile_time();
    void read_nvlink_info(const log_statement& statement);
    void read_nvlink_used(std::string_view list);
    void read_module(std::string_view list, std::string_view container, std::string_view architecture);
    void read_message(const log_statement& statement);
    void read_option(std::string_view text, std::string_view name);

    void add_kernel(std::string_view name, std::string_view architecture, std::string_view container);
    void give_remarks(kernel_info& kernel, std::string_view container);
    void give_option(kernel_info& kernel, std::string_view container);
    void give_figures(const open_entry& entry, const resource_figures& figures);
    void take_back_used(std::size_t owner);
    /// There was a line too many: lines assigned since the lost one may belong to others.
    void take_back(const std::vector<std::size_t>& doubtful, const auto& from)
    {
        if (doubtful.empty()) return;
        add_diagnostic("one line of a report too many: of " + std::to_string(doubtful.size()) +
                       " kernels above it, the figures cannot be assigned; separate the compilers' output");
        for (const std::size_t owner : doubtful) from(owner);
    }
    void expect_stack_line(waiting_function waiting);
    void keep_function(waiting_function& waiting);
    void take_back_incomplete();
    void add_lone_remarks();
    void add_losses();
    void report_lost();
    void add_diagnostic(std::string what) { raw_->log.diagnostics.push_back({line_, std::move(what)}); }
    kernel_info& kernel(std::size_t index) { return raw_->log.kernels[index]; }
    module_memory& module() { return raw_->log.modules[module_]; }

    raw_log* raw_;
    std::size_t writer_;
    bool others_are_named_;  ///< this writer has no name, but others have
    const lost_lines* lost_;
    std::size_t line_ = 0;
    bool terminated_ = true;

    std::vector<open_entry> open_;  ///< oldest first
    nameless_lines used_lines_;
    step last_step_ = step::other;
    std::size_t last_kernel_ = none;  ///< the kernel of `last_step_`
    std::size_t last_used_ = none;    ///< the entry whose "Used" line came last
    std::vector<waiting_function> waiting_for_stack_;
    nameless_lines stack_lines_;
    std::size_t module_ = none;             ///< the last module
    std::vector<std::size_t> own_kernels_;  ///< indices in `raw_`, ascending

    struct told_report {
        std::size_t kernel, line;
        unsigned parts;  ///< 1: properties, 2: a stack line
    };
    std::vector<told_report> reports_;  ///< reports with a "Used" line

    struct linked_function {
        std::size_t kernel;
        std::size_t lost;  ///< `lost_lines::linked` when it began
    };
    std::vector<linked_function> linked_;  ///< whose "used" line of nvlink has not come
    nameless_lines linked_lines_;
    std::string nvlink_architecture_;  ///< from the command line of nvlink, if the log has it

    std::unordered_map<std::string, remarks> remarks_;  ///< by container, architecture and name
    std::vector<remark> losses_;                        ///< (C7508): sentences that name no kernel
    std::optional<int> option_;                         ///< of the next module
    std::vector<std::pair<std::size_t, std::vector<remark>>> module_losses_;  ///< by module
};

/// Draws conclusions from several lines: nvlink's architectures and shared memory, relocatable kernels, unbounded
/// stacks, figures in warnings. The header of resource_log.hpp explains them.
void draw_conclusions(raw_log& raw);

}  // namespace launchbox
