// The kernels that the user's inputs hold: CUDA sources, which are compiled for each architecture, anything that holds
// compiled CUDA code, and compiler logs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "advice/inspect/diagnose.hpp"
#include "advice/inspect/kernel_diff.hpp"
#include "cli/options.hpp"
#include "cli/triton_metadata.hpp"
#include "compiler/run/source_unit.hpp"
#include "compiler/run/toolchain.hpp"
#include "image/binary.hpp"
#include "image/kernel_info.hpp"
#include "report/kernels/kernels_report.hpp"
#include "support/error.hpp"

namespace launchbox::cli {

struct kernel_input_options {
    std::vector<std::string> files;
    std::string kernel;  ///< a pattern; empty: all
    std::string nvcc;
    std::string architectures;
    unsigned jobs = 0;
    std::string build;                          ///< the folder with compile_commands.json; empty: none
    bool no_cache = false;                      ///< compile sources again that were compiled before
    bool before_linking = false;                ///< also images that the device linker has read and the driver does not
    std::optional<std::string> dynamic_shared;  ///< as the user typed it; only for verbs with `add_dynamic_shared`
    std::optional<int> threads;                 ///< of a launch, for `dynamic_shared`; set by the verb
    bool hash_code = false;                     ///< set by the verb, not by the user
    wanted_lines lines = wanted_lines::none;    ///< likewise
    std::function<void(const cubin_examination&)> examine = {};  ///< likewise
    bool lint = false;           ///< read sources for mistakes around their kernels; set by the verb
    bool launches = true;        ///< kernels of sources are launched as the source does, unless the user says otherwise
    bool keep_unlinked = false;  ///< of logs what the compiler and what the linker says of a kernel; set by the verb

    void add_to(CLI::App& app, bool files_required);
    void add_dynamic_shared(CLI::App& app);
};

/// One kernel for one architecture, with its names for people.
struct found_kernel {
    kernel_info info;
    std::string demangled;
    std::string short_form;
};

/// A source with the flags of one command.
struct compiled_unit {
    std::string container;           ///< of its kernels
    std::vector<std::string> flags;  ///< as nvcc was given them
    std::optional<source_unit> seen;
};

/// What became of one input.
struct input_summary {
    std::string file;
    std::string kind;  ///< "CUDA source", "compiler log", or as in `binary_contents`
    std::size_t kernels = 0;
    std::vector<std::string> errors = {};   ///< the compiler's own messages first
    std::vector<binary_image> images = {};  ///< what it holds, when it is a binary
    std::string text = {};                  ///< of a source
    bool in_container = false;              ///< in a folder or packed file that the user named
    std::vector<compiled_unit> units = {};  ///< likewise
    std::vector<std::string> remarks = {};  ///< what was not read, and is no fault
    std::vector<diagnosis> diagnoses = {};  ///< of a source, those that belong to no kernel
    std::vector<missing_kernel> missing = {};
    bool is_container = false;  ///< a folder or packed file: its kernels are those of other inputs
};

struct kernel_input {
    std::vector<found_kernel> kernels;
    std::vector<input_summary> inputs;
    bool interrupted = false;
    /// Of architectures that nobody asked for, names alone; while files are read.
    std::vector<kernel_info> others = {};
    /// What Triton says of kernels, by the name of the file that they are in up to its ending: "a.whl: cache/k.".
    std::map<std::string, metadata_reading> metadata_of = {};

    /// What the verb exits with when nothing else goes wrong.
    [[nodiscard]] exit_status status() const;

    /// Adds to the errors of its input that nothing can be calculated for this kernel, and which figure is missing.
    void leave_out(const found_kernel& kernel, bool threads_known);
};

/// By its name: it is compiled, and no file of kernels.
bool is_source(const std::string& file);

/// Reads all inputs. A bad one is reported in its summary and the rest is done; nothing found at all is an `error`.
kernel_input read_kernels(const kernel_input_options& options, const std::vector<std::string>& compiler_flags);

/// Flags behind --, with response files read; of a source's own architecture and outputs nothing is known here.
std::vector<std::string> flags_for_nvcc(const std::vector<std::string>& flags);

/// What a source is compiled for: what the user named, or the GPU here. Throws `error` for names that are none.
std::vector<target> source_targets(const std::string& architectures, const toolchain& tools);

/// Throws `error`: no kernel matches; with the one of `names` that may be meant, else with some of them.
[[noreturn]] void refuse_pattern(const std::string& pattern, std::vector<std::string> names);

/// For a verb that needs kernels: adds to the errors of each input that shows none what it holds instead.
void refuse_nothing(kernel_input& input);

/// Throws `error` where a debug build would be compared with a release build.
void refuse_debug_and_release(const kernel_diff& diff);

/// The inputs as reports need them.
std::vector<inspected_input> inspected_inputs(const kernel_input& input);

/// A report of kernels with what was not read of these inputs: below the page, and as `skipped_images[]` in its JSON.
report_forms with_skipped(report_forms forms, const std::vector<inspected_input>& inputs);

/// Says on standard error, for a verb whose report has no place for it, what is missing and which kernels are debug
/// builds.
void print_kinds_of_code(const kernel_input& input);

/// Prints the errors of all inputs to standard error.
void print_errors(const kernel_input& input);

}  // namespace launchbox::cli
