// The kernels that the user's inputs hold: CUDA sources, which are compiled for each architecture, anything that holds
// compiled CUDA code, and compiler logs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "advice/inspect/diagnose.hpp"
#include "app/architectures.hpp"
#include "app/listener.hpp"
#include "app/sizes.hpp"
#include "compiler/run/source_unit.hpp"
#include "image/binary.hpp"
#include "image/kernel_info.hpp"
#include "report/kernels/kernels_report.hpp"
#include "support/error.hpp"

namespace launchbox {

struct kernel_request {
    std::vector<std::string> files;
    architecture_list architectures;          ///< empty: those in the file, or for a source that of the GPU here
    std::string kernel;                       ///< a pattern; empty: all
    std::string nvcc;                         ///< empty: the one that is found
    std::vector<std::string> compiler_flags;  ///< for sources
    unsigned jobs = 0;                        ///< 0: one a core
    std::string build;                        ///< the folder with compile_commands.json; empty: none
    bool no_cache = false;                    ///< compile sources again that were compiled before
    bool before_linking = false;              ///< also images that the device linker has read and the driver does not
    std::optional<dynamic_shared_size> dynamic_shared;
    std::optional<int> threads;  ///< of a launch, for `dynamic_shared`
    bool hash_code = false;
    wanted_lines lines = wanted_lines::none;
    std::function<void(const cubin_examination&)> examine = {};
    bool lint = false;           ///< read sources for mistakes around their kernels
    bool sizes_vary = false;     ///< other sizes than those of the launches are asked about
    bool keep_unlinked = false;  ///< of logs what the compiler and what the linker says of a kernel
};

/// One kernel for one architecture, with its readable names.
struct found_kernel {
    kernel_info info;
    std::size_t input = 0;  ///< its place in `kernel_input::inputs`
};

/// A source with the flags of one command.
struct compiled_unit {
    std::string container;           ///< of its kernels
    std::vector<std::string> flags;  ///< as nvcc was given them
    std::optional<source_unit> seen;
};

inline constexpr const char *source_kind = "CUDA source", *log_kind = "compiler log";

/// The result of reading one input.
struct input_summary {
    std::string file;
    std::string kind;  ///< `source_kind`, `log_kind`, or as in `binary_contents`
    std::size_t kernels = 0;
    std::vector<std::string> errors = {};   ///< the compiler's own messages first
    std::vector<binary_image> images = {};  ///< what it holds, when it is a binary
    std::string text = {};                  ///< of a source
    bool in_container = false;              ///< in a folder or packed file that the user named
    std::vector<compiled_unit> units = {};  ///< of a source
    std::vector<std::string> remarks = {};  ///< what was not read, and is no fault
    std::vector<diagnosis> diagnoses = {};  ///< of a source, those that belong to no kernel
    std::vector<missing_kernel> missing = {};
    std::vector<std::string> sources = {};  ///< of a folder without compiled code, until they are read
    bool is_container = false;              ///< a folder or packed file: its kernels are those of other inputs

    /// Compiled machine code: no source, no log.
    [[nodiscard]] bool is_compiled() const { return kind != source_kind && kind != log_kind; }
};

struct kernel_input {
    std::vector<found_kernel> kernels;
    std::vector<input_summary> inputs;
    bool interrupted = false;

    /// The exit status of the verb if nothing else goes wrong.
    [[nodiscard]] exit_status status() const;

    /// Adds to the errors of its input that this kernel cannot be calculated, and which figure is missing.
    void leave_out(const found_kernel& kernel, bool threads_known);

    /// For a verb that needs kernels: adds to the errors of each input without kernels what it contains instead.
    void refuse_nothing();

    /// The inputs as reports need them.
    [[nodiscard]] std::vector<inspected_input> inspected() const;
};

/// Reads all inputs. A bad one is reported in its summary, and the others are read; throws `error` if nothing is found
/// at all.
kernel_input read_kernels(const kernel_request& request, const listener& news = {});

}  // namespace launchbox
