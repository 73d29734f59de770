// NVRTC, NVIDIA's compiler in a library, loaded at run time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <launchbox/compute_capability.hpp>

#include "compiler/nvcc_run.hpp"
#include "compiler/toolchain.hpp"

namespace launchbox {

struct nvrtc_place {
    std::filesystem::path library;
    std::string version;                          ///< "13.0"
    std::vector<std::filesystem::path> includes;  ///< the toolkit's headers; empty where there are none
};

/// The first that loads of: $LAUNCHBOX_NVRTC, the libraries of the toolkit of `tools` (if there is one), what the
/// system's linker finds.
std::optional<nvrtc_place> find_nvrtc(const toolchain* tools);

struct nvrtc_job {
    std::string source;      ///< its text
    std::string name;        ///< of the source, as messages shall call it
    std::string expression;  ///< the kernel: "block_sort<int, 256>"
    compute_capability architecture;
    std::vector<std::string> flags = {};               ///< as nvcc would have them
    std::vector<std::filesystem::path> includes = {};  ///< searched after those of the flags
};

struct nvrtc_output {
    nvcc_output output;
    std::string kernel;  ///< the name that the driver knows it by
};

class nvrtc {
public:
    /// Throws `error` with status `missing` when it cannot be loaded.
    explicit nvrtc(const std::filesystem::path& library);
    ~nvrtc();

    [[nodiscard]] std::string version() const;  ///< "13.0"
    /// Compiles in this process. Relative paths are from the current folder.
    nvrtc_output compile(const nvrtc_job& job);

private:
    nvrtc_output compile_once(const nvrtc_job& job, bool verbose);
    struct functions;
    void* handle_ = nullptr;
    std::unique_ptr<functions> call_;
};

/// Flags of nvcc in the spelling of NVRTC: -O3 and what is for the host compiler is left out, and names and values of
/// options stand in one word. What is not known is passed on.
std::vector<std::string> flags_for_nvrtc(const std::vector<std::string>& flags);

/// The folders and files that -I, -isystem and -include name, of any spelling that nvcc or NVRTC takes.
std::vector<std::string> include_folders(const std::vector<std::string>& flags);
std::vector<std::string> forced_includes(const std::vector<std::string>& flags);

}  // namespace launchbox
