// SPDX-License-Identifier: Apache-2.0
#include "tune/backend/captured_module.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "image/cubin.hpp"
#include "image/gpu_coverage.hpp"
#include "image/module_symbols.hpp"
#include "image/names/demangle.hpp"
#include "support/error.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

constexpr const char* capture_again = "capture the launch again: launchbox capture -k NAME -o FOLDER";

}  // namespace

std::string capture_file_of(const tune_spec& spec, std::size_t workload)
{
    return (fs::path(spec.folder) / filled_in(spec.kernel->capture, spec.workloads[workload].values)).string();
}

std::vector<std::string> capture_files(const tune_spec& spec)
{
    std::vector<std::string> files;
    if (!spec.kernel || spec.kernel->capture.empty()) return files;
    for (std::size_t i = 0; i < spec.workloads.size(); ++i) files.push_back(capture_file_of(spec, i));
    return files;
}

void check_capture(const std::string& file, const compute_capability& architecture, bool runs_module)
{
    if (read_capture(file).changed_bytes() == 0)
        throw error(file + ": the launch changed no byte, so right candidates cannot be distinguished from wrong ones",
                    "capture an earlier launch, or one with other data: --nth");
    if (runs_module) captured_module(file, architecture);
}

std::string why_parameters_differ(const captured_launch& launch, std::string_view cubin, const std::string& kernel)
{
    const std::string name = escape_for_terminal(short_name(demangle(kernel)));
    const auto wanted = parameters_of(cubin, kernel);
    if (!wanted) return fmt::format("its module does not describe the parameters of {}", name);
    const auto& given = launch.parameters;
    if (given.size() != wanted->size())
        return fmt::format("the captured launch has {} parameters, but {} has {}", given.size(), name, wanted->size());
    for (std::size_t i = 0; i < given.size(); ++i)
        if (given[i] != (*wanted)[i])
            return fmt::format(
                "the captured launch's parameter {} has {} bytes at offset {}, but that of {} has {} bytes at offset "
                "{}",
                i + 1, given[i].bytes, given[i].offset, name, (*wanted)[i].bytes, (*wanted)[i].offset);
    return {};
}

build_result captured_module(const std::string& file, const compute_capability& architecture)
{
    const captured_launch launch = read_capture(file);
    build_result built;
    built.cubin = read_captured_module(launch, fs::path(file).parent_path());
    cubin_contents contents = read_cubin(built.cubin, launch.module, {.hash_code = true});
    const auto kernel = std::ranges::find(contents.kernels, launch.kernel, &kernel_info::name);
    if (kernel == contents.kernels.end())
        throw error(fmt::format("{}: its module has no kernel {}", file, escape_for_terminal(launch.kernel)),
                    capture_again);
    const auto& of = kernel->capability;
    if (!of || !cubin_runs_on(*of, architecture))
        throw error(fmt::format("{}: its module is for {}, and the GPU is {}", file,
                                escape_for_terminal(contents.architecture), architecture_name(architecture).view()),
                    "replay it on a GPU like the one on which it was captured");
    if (const std::string why = why_parameters_differ(launch, built.cubin, launch.kernel); !why.empty())
        throw error(file + ": " + why, capture_again);
    const auto variables = variables_of(built.cubin);
    for (const captured_memory& variable : launch.variables)
        if (!variables.contains(variable.name))
            throw error(fmt::format("{}: its module has no variable '{}'", file, escape_for_terminal(variable.name)),
                        capture_again);
    built.build.code = fmt::format("{:x}", launch.module_hash);
    built.build.kernel = std::move(*kernel);
    return built;
}

void add_capture(const std::string& file, const captured_launch& launch, gpu_task& task, bool has_carveout)
{
    task.capture = file;
    task.cooperative = launch.cooperative;
    if (!has_carveout) task.carveout_percent = launch.carveout_percent;
}

build_result capture_files_read::module(std::size_t workload)
{
    const std::lock_guard guard(lock_);
    const auto known = modules_.find(workload);
    if (known != modules_.end()) return known->second;
    return modules_.emplace(workload, captured_module(capture_file_of(spec_, workload), architecture_)).first->second;
}

const captured_launch& capture_files_read::launch(std::size_t workload)
{
    const std::lock_guard guard(lock_);
    auto known = launches_.find(workload);
    if (known == launches_.end())
        known = launches_.emplace(workload, read_capture(capture_file_of(spec_, workload))).first;
    return known->second;
}

void capture_files_read::add_to(gpu_task& task, std::size_t workload, bool has_carveout)
{
    add_capture(capture_file_of(spec_, workload), launch(workload), task, has_carveout);
}

}  // namespace launchbox
