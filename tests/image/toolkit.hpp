// The CUDA compiler as an oracle: compiles our own kernels in a temporary folder and keeps its output.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <launchbox/compute_capability.hpp>
#include <string>
#include <vector>

#include "scale.hpp"
#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {

struct compiled {
    std::string image;  // empty when there is none
    std::string log;
    int exit_code = 0;
};

inline bool has_toolkit()
{
    return !find_in_path("nvcc").empty() && !find_in_path("ptxas").empty();
}

/// CUDA version x 10 of the nvcc in PATH: 130 for 13.0; 0 if it is unknown.
inline int toolkit_version()
{
    static const int version = [] {
        const std::string text = run({"nvcc", "--version"}).output;
        const std::string before = "release ";
        const std::size_t at = text.find(before);
        if (at == std::string::npos) return 0;
        const double release = std::strtod(text.c_str() + at + before.size(), nullptr);
        return static_cast<int>(std::lround(release * 10));
    }();
    return version;
}

/// From 13.5 on, nvlink -v prints, for a kernel without barriers, the barriers of another kernel.
inline bool nvlink_repeats_barriers()
{
    return toolkit_version() >= 135;
}

inline compiled compile(std::vector<std::string> command, const std::string& source, const std::string& extension)
{
    const temporary_directory folder;
    const auto input = folder.path() / ("kernels" + extension), output = folder.path() / "output";
    write_file_atomically(input, source);
    command.insert(command.end(), {"-o", output.string(), input.string()});
    const subprocess_result result = run(command);
    compiled made{.image = {}, .log = result.output, .exit_code = result.exit_code};
    if (std::filesystem::exists(output)) made.image = read_input(output.string());
    return made;
}

/// CUDA C++ to a cubin, with the output of `ptxas -v`.
inline compiled compile_cuda(const std::string& source, const std::string& architecture,
                             const std::vector<std::string>& options = {})
{
    std::vector<std::string> command{"nvcc", "-cubin", "-arch=" + architecture, "-Xptxas=-v"};
    command.insert(command.end(), options.begin(), options.end());
    return compile(std::move(command), source, ".cu");
}

/// PTX to a cubin.
inline compiled assemble(const std::string& ptx, const std::string& architecture,
                         const std::vector<std::string>& options = {})
{
    std::vector<std::string> command{"ptxas", "-arch=" + architecture};
    command.insert(command.end(), options.begin(), options.end());
    return compile(std::move(command), ptx, ".ptx");
}

inline bool before_sm_90(const std::string& architecture)
{
    return parse_compute_capability(architecture)->major < 9;
}

#define SKIP_WITHOUT_TOOLKIT() \
    if (!has_toolkit()) GTEST_SKIP() << "needs nvcc and ptxas in PATH"

}  // namespace launchbox
