// The state between the lines of a compiler's log: which reports are open, and what waits for its kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/log_line.hpp"
#include "compiler/resource_log.hpp"

namespace launchbox {

/// What the lines of a log say, before conclusions are drawn from several of them.
struct raw_log {
    static constexpr std::size_t no_module = static_cast<std::size_t>(-1);

    resource_log log;
    std::vector<std::size_t> kernel_modules;  ///< for each kernel the index of its module, or `no_module`
    std::vector<std::size_t> kernel_lines;    ///< for each kernel the line that its figures are in
};

/// Takes a log line by line; `finish` gives what they say.
class log_reader {
public:
    explicit log_reader(std::string file) : file_(std::move(file)) {}

    /// `terminated`: the line ended with a line feed, so it is not cut.
    void read_line(std::string_view line, bool terminated);
    raw_log finish();

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    static constexpr std::string_view ptxas_log = "ptxas log";
    static constexpr std::string_view nvlink_log = "nvlink log";

    /// An entry function whose "Used" line has not come.
    struct open_entry {
        std::size_t kernel;
        bool has_properties = false;
        bool mixed = false;  ///< its lines cannot be told from another compiler's
    };
    /// A device function: its figures, and the entry it came after.
    struct function_report {
        callee_info function;
        std::size_t entry;  ///< or `none`
    };
    /// What a tool says of a kernel before it reports on it.
    struct remarks {
        std::vector<std::string> warnings;
        bool stack_unbounded = false;
    };
    /// The line of a report that was read last: tells a report in one piece from one with others in between.
    enum class step { other, compiling, properties, stack, used, function_stack };

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

    void add_kernel(std::string_view name, std::string_view architecture, std::string_view container);
    void give_remarks(kernel_info& kernel, std::string_view container);
    void give_figures(const open_entry& entry, const resource_figures& figures);
    void give_up_ready_entries(std::size_t ready);
    void add_diagnostic(std::string what) { raw_.log.diagnostics.push_back({line_, std::move(what)}); }
    kernel_info& kernel(std::size_t index) { return raw_.log.kernels[index]; }

    std::string file_;
    raw_log raw_;
    std::size_t line_ = 0;
    bool terminated_ = true;

    std::vector<open_entry> open_;  ///< oldest first
    std::size_t owed_ = 0;          ///< "Used" lines still to come whose kernels were given up
    step last_step_ = step::other;
    std::size_t last_kernel_ = none;                ///< whose line `last_step_` was
    std::size_t last_used_ = none;                  ///< the entry whose "Used" line came last
    std::size_t stack_owner_ = none;                ///< the entry whose stack line comes next,
    std::optional<function_report> open_function_;  ///< or the function; never both

    std::size_t nvlink_kernel_ = none;  ///< the kernel whose "used" line comes next
    std::string nvlink_architecture_;   ///< from the command line of nvlink, if the log has it

    std::unordered_map<std::string, remarks> remarks_;  ///< by container and name
    std::vector<std::string> losses_;                   ///< (C7508): they name no kernel
    std::vector<std::vector<std::string>> module_losses_;
};

/// What only several lines together tell: nvlink's architectures and shared memory, relocatable kernels, unbounded
/// stacks. The header of resource_log.hpp says how.
void draw_conclusions(raw_log& raw);

}  // namespace launchbox
