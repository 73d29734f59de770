// NVRTC, NVIDIA's run-time compiler library, loaded at run time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <launchbox/compute_capability.hpp>

#include "compiler/run/nvcc_run.hpp"
#include "compiler/run/toolchain.hpp"

namespace launchbox {

struct nvrtc_place {
    std::filesystem::path library;
    std::string version;                          ///< "13.0"
    std::vector<std::filesystem::path> includes;  ///< the toolkit's headers; empty if there are none
};

/// The first of these that can be loaded: $LAUNCHBOX_NVRTC, the libraries of the toolkit of `tools` (if given), those
/// that the system's linker finds.
std::optional<nvrtc_place> find_nvrtc(const toolchain* tools);

/// The folders of the toolkit's own headers, as nvcc knows them, with links resolved.
std::vector<std::filesystem::path> toolkit_includes(const toolchain& tools);

struct nvrtc_job {
    std::string source;      ///< its text
    std::string name;        ///< of the source, for messages
    std::string expression;  ///< the kernel: "block_sort<int, 256>"
    compute_capability architecture;
    std::vector<std::string> flags = {};               ///< as for nvcc
    std::vector<std::filesystem::path> includes = {};  ///< searched after those of the flags
    /// A folder of this process for precompiled headers, reused by later jobs with the same source, flags and
    /// architecture: 180 MB each. Empty: headers are not precompiled. Needs NVRTC 12.8.
    std::filesystem::path precompiled_headers = {};
    /// A folder of this job, to which NVRTC writes the names of the files that it reads; empty: not requested.
    std::filesystem::path lists = {};
};

struct nvrtc_output {
    nvcc_output output;
    std::string kernel;  ///< its name for the driver
    bool used_precompiled_headers = false;
    /// The files that were read, sorted, without the source; `nullopt` if not requested or unknown.
    std::optional<std::vector<std::string>> files = {};
};

/// The result of NVRTC's own preprocessor for a source.
struct nvrtc_reading {
    bool understood = false;              ///< false: NVRTC rejects one of the options
    std::string text = {};                ///< hash_of_preprocessed, and errors in the source, if any
    std::vector<std::string> files = {};  ///< that were read, sorted, without the source
};

/// The exit code (an NVRTC result) that means out of memory.
inline constexpr int nvrtc_out_of_memory = 1;

class nvrtc {
public:
    /// Throws `error` with status `missing` if it cannot be loaded.
    explicit nvrtc(const std::filesystem::path& library);
    ~nvrtc();

    [[nodiscard]] std::string version() const;  ///< "13.0"
    /// Compiles in this process. Relative paths refer to the current folder.
    nvrtc_output compile(const nvrtc_job& job);

    /// Only preprocesses: returns the files, and the text if `with_text`, which takes longer. The job must have
    /// `lists`; its expression is ignored.
    nvrtc_reading read(const nvrtc_job& job, bool with_text);

private:
    /// Jobs that differ only in their expression.
    struct similar_jobs {
        std::size_t count = 0;
        std::filesystem::path headers;  ///< where they are stored; empty if not yet
        bool cannot_be_kept = false;
    };
    nvrtc_output compile_reading_all(const nvrtc_job& job);
    nvrtc_output compile_once(const nvrtc_job& job, bool verbose, similar_jobs* similar = nullptr);
    [[nodiscard]] std::string log_of(void* program) const;
    similar_jobs* similar_with_headers(const nvrtc_job& job);
    struct functions;
    std::unique_ptr<functions> call_;
    std::map<std::string, similar_jobs> similar_;
    std::size_t kept_ = 0;  // sets of precompiled headers
};

/// Flags of nvcc in NVRTC's spelling: -O3 and flags for the host compiler are omitted; each option and its value become
/// one word. Unknown flags are passed on.
std::vector<std::string> flags_for_nvrtc(const std::vector<std::string>& flags);

/// The flags without those that contain a {name} of a parameter. If the value of an option is removed, so is the
/// option.
std::vector<std::string> flags_without_names(const std::vector<std::string>& flags);

}  // namespace launchbox
