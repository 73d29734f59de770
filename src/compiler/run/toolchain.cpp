// SPDX-License-Identifier: Apache-2.0
#include "compiler/run/toolchain.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "support/error.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

bool is_program(const fs::path& path)
{
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

// nvcc looks for its other programs beside the path that it was called by, so a link from elsewhere, such as /usr/bin,
// must be resolved; but not one to a compiler cache, which is recognised by its name.
fs::path followed(const fs::path& nvcc)
{
    std::error_code failure;
    fs::path real = fs::canonical(nvcc, failure);
    if (!failure && real.filename() == "nvcc") return real;
    return fs::absolute(nvcc, failure);
}

// "13.0.88" from "Cuda compilation tools, release 13.0, V13.0.88"; empty for anything else.
std::string ask_version(const fs::path& program)
{
    subprocess_result answer;
    try {
        answer = run({program.string(), "--version"}, {.directory = {}, .environment = {}, .output_cap = 1 << 16});
    } catch (const error&) {
        return {};
    }
    constexpr std::string_view before = ", V";
    const std::size_t release = answer.output.find("Cuda compilation tools, release ");
    const std::size_t at = release == std::string::npos ? release : answer.output.find(before, release);
    if (answer.exit_code != 0 || at == std::string::npos) return {};
    const std::string_view version = std::string_view(answer.output).substr(at + before.size());
    return std::string(version.substr(0, version.find_first_not_of("0123456789.")));
}

std::optional<toolchain> try_nvcc(const fs::path& nvcc, const char* found_by)
{
    if (!is_program(nvcc)) return std::nullopt;
    toolchain tools{.nvcc = followed(nvcc), .version = {}, .found_by = found_by, .environment = {}};
    tools.version = ask_version(tools.nvcc);
    if (tools.version.empty()) return std::nullopt;
    return tools;
}

// The checkout that contains this program, in which ./setup may have installed a compiler; empty for a tool installed
// elsewhere. Not its path at build time, which could belong to somebody else on another machine, and would make each
// build differ.
fs::path own_checkout()
{
    std::error_code failure;
    fs::path folder = fs::read_symlink("/proc/self/exe", failure);
    while (folder.has_relative_path()) {
        folder = folder.parent_path();
        if (fs::exists(folder / "setup", failure) && fs::exists(folder / "cmake" / "FindCudaToolkit.cmake", failure))
            return folder;
    }
    return {};
}

fs::path nvcc_of_setup(const std::string& folder)
{
    const fs::path checkout = own_checkout();
    return checkout.empty() ? checkout : checkout / folder / "toolkit" / "bin" / "nvcc";
}

// "13.0" or "13.0.88": looks where installers and ./setup put that release, and for any nvcc of that release.
toolchain find_release(const std::string& release)
{
    const std::string short_release = release.substr(0, release.find('.', release.find('.') + 1));
    std::vector<fs::path> candidates{fs::path("/usr/local/cuda-" + short_release) / "bin" / "nvcc",
                                     nvcc_of_setup(".cuda-" + short_release)};
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* folder = std::getenv(variable); folder != nullptr && *folder != '\0')
            candidates.push_back(fs::path(folder) / "bin" / "nvcc");
    for (const fs::path& other : {find_in_path("nvcc"), nvcc_of_setup(".cuda"), fs::path("/usr/local/cuda/bin/nvcc")})
        candidates.push_back(other);
    for (const fs::path& candidate : candidates)
        if (auto tools = try_nvcc(candidate, "--nvcc"))
            if (tools->version == release || tools->version.starts_with(release + ".")) return *std::move(tools);
    throw error("--nvcc " + release + ": no CUDA compiler of that release is installed",
                "install it, or name its folder: --nvcc /usr/local/cuda-" + short_release, exit_status::missing);
}

toolchain find_requested(const std::string& requested)
{
    std::error_code ignored;
    const bool is_release = !requested.empty() && requested.find('.') != std::string::npos &&
                            requested.find_first_not_of("0123456789.") == std::string::npos &&
                            !fs::exists(requested, ignored);
    if (is_release) return find_release(requested);
    const std::vector<fs::path> candidates =
        fs::is_directory(requested, ignored)
            ? std::vector<fs::path>{fs::path(requested) / "bin" / "nvcc", fs::path(requested) / "nvcc"}
            : std::vector<fs::path>{requested, find_in_path(requested)};
    for (const fs::path& candidate : candidates)
        if (auto tools = try_nvcc(candidate, "--nvcc")) return *std::move(tools);
    throw error("--nvcc " + requested + " is not a working CUDA compiler",
                "name the program nvcc or the folder of a CUDA toolkit, or leave --nvcc out");
}

}  // namespace

toolchain find_toolchain(const std::string& requested)
{
    if (!requested.empty()) return find_requested(requested);

    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
        const char* folder = std::getenv(variable);
        if (folder == nullptr || *folder == '\0') continue;
        if (auto tools = try_nvcc(fs::path(folder) / "bin" / "nvcc", variable)) return *std::move(tools);
    }
    for (const auto& [nvcc, found_by] : {std::pair<fs::path, const char*>{find_in_path("nvcc"), "PATH"},
                                         {nvcc_of_setup(".cuda"), "checkout"},
                                         {"/usr/local/cuda/bin/nvcc", "default"}})
        if (auto tools = try_nvcc(nvcc, found_by)) return *std::move(tools);

    const fs::path checkout = own_checkout();
    throw error("there is no CUDA compiler: no nvcc in $CUDA_HOME, PATH or /usr/local/cuda",
                !checkout.empty() ? "install it with: " + (checkout / "setup").string()
                                  : "install it with: pip install nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt "
                                    "nvidia-cuda-runtime nvidia-cuda-cccl, and set CUDA_HOME to its folder nvidia/cu13",
                exit_status::missing);
}

std::string ptxas_version(const toolchain& tools)
{
    return ask_version(tools.nvcc.parent_path() / "ptxas");
}

std::vector<compute_capability> compiler_architectures(const toolchain& tools)
{
    const subprocess_result answer = run({tools.nvcc.string(), "--list-gpu-code"},
                                         {.directory = {}, .environment = tools.environment, .output_cap = 1 << 16});
    std::vector<compute_capability> result;
    std::string_view rest = answer.output;
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        if (const auto capability = parse_compute_capability(line)) result.push_back(*capability);
    }
    if (answer.exit_code != 0 || result.empty())
        throw error(tools.nvcc.string() + " --list-gpu-code names no architecture", "use CUDA 11 or later",
                    exit_status::missing);
    std::ranges::sort(result);
    return result;
}

}  // namespace launchbox
