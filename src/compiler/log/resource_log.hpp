// Reads the output of `nvcc -Xptxas -v`, `ptxas -v` and `nvlink -v`, in every form since compute capability 1.x, among
// any other output of a build.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "image/kernel_info.hpp"

namespace launchbox {

enum class log_severity { info, warning, error };

/// A message of a tool that is not a figure: a diagnostic, or an unusual `info` line.
struct log_message {
    log_severity severity = log_severity::info;
    std::string tool;          ///< "ptxas", "nvlink", "nvcc", "fatbinary"; "front end" for messages about a source
    std::string text;          ///< the message, without the tool's prefix and the place
    std::size_t line = 0;      ///< in the log, from 1
    std::string kernel;        ///< named in the message; often empty
    std::string architecture;  ///< only from nvlink, and only if nvcc links for several
    std::string source_file;   ///< "foo.cu" of `foo.cu(12): error: ...`; may be empty
    std::optional<int> source_line;

    friend bool operator==(const log_message&, const log_message&) = default;
};

/// The message with its place, "k.cu(3): identifier "x" is undefined".
std::string log_message_text(const log_message& message);

/// A line of a report that cannot be read, or whose meaning is uncertain.
struct log_diagnostic {
    std::size_t line = 0;  ///< in the log, from 1
    std::string what;

    friend bool operator==(const log_diagnostic&, const log_diagnostic&) = default;
};

/// The memory of one module (one run of ptxas or nvlink), besides that of its kernels.
struct module_memory {
    std::string architecture;  ///< empty if unknown
    std::string container;     ///< "ptxas log" or "nvlink log"
    std::size_t line = 0;      ///< in the log, from 1
    std::optional<std::int64_t> global_bytes;
    std::vector<constant_bank> constant_banks;
    std::vector<callee_info> functions;  ///< device functions that ptxas compiled separately (-rdc, -G)

    friend bool operator==(const module_memory&, const module_memory&) = default;
};

/// A message about some unnamed kernel of a module, "(C7508) Potential Performance Loss: 'setmaxnreg' ignored; ...", or
/// about a function when the log does not tell which kernels call it.
struct unnamed_loss {
    std::string text;
    std::size_t line = 0;              ///< in the log, from 1: of the first occurrence
    std::size_t times = 1;             ///< once for each kernel concerned
    std::vector<std::size_t> kernels;  ///< indices into `resource_log::kernels`; empty if unknown

    friend bool operator==(const unnamed_loss&, const unnamed_loss&) = default;
};

struct resource_log {
    std::vector<kernel_info> kernels;  ///< one per report, in the order of the log
    std::vector<module_memory> modules;
    std::vector<log_message> messages;
    std::vector<unnamed_loss> losses;         ///< by line
    std::vector<log_diagnostic> diagnostics;  ///< by line
    bool ends_inside_a_report = false;        ///< a report is incomplete: the log was cut, or its compiler was killed
};

/// Reads a log. Never throws on what is in it; the time is linear in the text, and so is the memory.
///
/// What a log tells, and what it does not (ptxas and nvlink 13.0, unless said otherwise):
/// - ptxas leaves a field out of its "Used" line when it is zero, so a line without "bytes smem" says 0 bytes of static
///   shared memory. The exceptions are `barriers`: versions that know the field always print it ("used 0 barriers"),
///   so a line without it is of an older version and says nothing; `constant_banks`: from sm_90 on none is printed,
///   even for kernels with parameters; and `cumulative_stack_bytes`: the field is missing for 0 as well as for a stack
///   of unknown size.
/// - `stack_unbounded` is set by the sentence "Stack size for entry function ... cannot be statically determined", and
///   where callees have stack frames and the "Used" line has no cumulative stack size, which is how ptxas reports
///   recursion and calls through pointers without -G. A kernel with `alloca` cannot be recognised.
/// - `relocatable` is set when nvlink reports a kernel of the same name for the same architecture in this log, and in a
///   module that has functions compiled on their own with a stack frame while no kernel has a cumulative stack size.
///   A relocatable kernel that calls nothing, or only functions without a stack frame, looks like any other.
///   ptxas's and nvlink's reports of a kernel are two elements of `kernels`; nvlink's (`linked`) are the final figures.
/// - nvlink names its architecture only when nvcc runs it for several. Else it is taken from the command line that
///   `nvcc --verbose` prints, or from the ptxas reports of the same kernels in this log, or is empty. nvlink counts the
///   1,024 bytes that the system reserves into "smem" on sm_90 when a kernel has static shared memory: they are
///   subtracted; without an architecture, a figure above 1,024 leaves the static size unknown, with a diagnostic.
/// - nvJitLink, cuLink and the driver write nvlink's lines without its name (`info    : used 24 registers ...`), and
///   ptxas's stack line as `ptxas         .     0 bytes stack frame`.
/// - Reports of compilers that run at the same time may mix line by line. Where build tools put a name of the writer in
///   front of each line (log_writer.hpp), each one's lines are read for themselves. Elsewhere a stack line and a "Used"
///   line name nobody: where several kernels wait for theirs, none gets one, and a diagnostic says so.
/// - Warnings tell figures too (--warn-on-spills, --warn-on-local-memory-usage). Where there is no report of the
/// kernel,
///   or where the report has other figures, they are a kernel of their own, of unknown architecture.
/// - `maxrregcount` and `outranks_maxrregcount` are set by what ptxas -v says of that option: for which kernels it
///   counts; of those that have a bound of their own it says little or nothing.
resource_log parse_resource_log(std::string_view text, const std::string& file);

/// Removes the reports before linking of kernels that the linker reports on, too: its figures are final. Spills and the
/// kernel's own stack frame, which the linker does not print, are taken from the removed reports if these agree.
void leave_out_unlinked(std::vector<kernel_info>& kernels);

}  // namespace launchbox
