// The protocol between kernel_builder and its worker processes: one line of JSON each way; compiled code goes through
// files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <launchbox/compute_capability.hpp>

#include "compiler/run/nvcc_run.hpp"
#include "compiler/run/toolchain.hpp"

namespace launchbox {

struct compile_job {
    enum class wish {
        module,           ///< compile
        module_and_list,  ///< compile, and tell the files that were read
        list,             ///< the files alone
        text_and_list     ///< and what the preprocessor makes of them
    };
    wish wanted = wish::module;
    bool nvrtc = false;
    std::filesystem::path library = {};                ///< of NVRTC
    std::vector<std::filesystem::path> includes = {};  ///< of NVRTC
    toolchain tools = {};                              ///< of nvcc
    std::filesystem::path folder = {};                 ///< relative paths start here; absolute
    std::string source = {};                           ///< as the user names it
    std::string expression = {};                       ///< the kernel
    compute_capability architecture = {};
    std::vector<std::string> flags = {};
};

/// Whether the job produces a module; false: it only lists the files that the compiler reads.
inline bool makes_module(const compile_job& job)
{
    return job.wanted == compile_job::wish::module || job.wanted == compile_job::wish::module_and_list;
}

/// The result of one compiler run, also of a failed one.
struct compile_answer {
    nvcc_output output;
    std::string kernel = {};  ///< the name that the driver knows it by; empty: there is none
    /// The files that the compiler has read, including the source, as it spells them from the job's folder; `nullopt`
    /// if it was not asked, or cannot list them.
    std::optional<std::vector<std::string>> files = {};
    std::string text = {};       ///< a hash of what the preprocessor made of them
    std::string commands = {};   ///< a hash of what nvcc runs, with the names of this machine's folders
    bool out_of_memory = false;  ///< the compiler's status says so
    std::size_t peak_bytes = 0;  ///< of memory, in its largest process
};

/// The exit status of a worker that could not allocate memory.
inline constexpr int worker_out_of_memory = 12;

/// The line for a job whose outputs go to `outputs`, an existing folder.
std::string line_of(const compile_job& job, const std::filesystem::path& outputs);

/// The worker's answer and its files in `outputs`. Throws `error` if the answer is malformed; `machine_error` if its
/// files cannot be read.
compile_answer read_compile_answer(const std::string& line, const std::filesystem::path& outputs);

/// In the PTX of a unit that nvcc compiled: the kernel that its last line takes the address of.
std::string kernel_named_in(const std::string& ptx_outline);

/// In the PTX of `unit_with_instance`: the kernel whose address its marker has as an argument. Empty: it is not
/// certain.
std::string kernel_of_marker(std::string_view ptx_outline);

/// "(float*, int)" of "void scale<(int)4>(float*, int)", one of several functions of that name; empty if the name
/// suffices.
std::string_view signature_in(std::string_view name);

/// "&scale<4>"; for a name with parameters "static_cast<void (*)(float*, int)>(&scale<4>)".
std::string address_of(std::string_view expression);

/// The source given to nvcc first: the user's, and a variable with the kernel's address. The compiler then instantiates
/// the kernel, rejects names that are no kernel, and shows the symbol.
std::string unit_for_nvcc(const std::filesystem::path& source, const std::string& expression);

/// The source for the final compile: with the instance that `expression` names, and without its address at run time. It
/// has one more kernel, `marker_kernel`.
std::string unit_with_instance(const std::filesystem::path& source, const std::string& expression);
inline constexpr const char* marker_kernel = "launchbox_marker";

/// Of the file with that source.
inline constexpr const char* unit_name = "launchbox_unit.cu";

}  // namespace launchbox
