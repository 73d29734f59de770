// SPDX-License-Identifier: Apache-2.0
#include "app/program_capture.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "capture/folder/raw_launch.hpp"
#include "capture/record/launch_format.hpp"
#include "capture/session/observer_bytes.hpp"
#include "report/core/short_names.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

constexpr const char* injection_variable = "CUDA_INJECTION64_PATH";

// Why nothing was seen although the program ran, in one line; empty if kernels were seen.
std::string why_nothing_seen(const observed_run& run)
{
    if (run.count > 0) return {};
    if (!run.warnings.empty()) return "no launch was observed: " + run.warnings.front();
    if (run.unobserved > 0)
        return fmt::format(
            "no launch was observed in the program itself; {} of its children used CUDA: --follow-children",
            run.unobserved);
    if (run.processes.empty()) return "no launch was observed: the program did not use CUDA, or found no driver";
    return "no launch was observed: the program used CUDA and launched no kernel";
}

// The driver does not report if it cannot load the observer. The library stays loaded: unloading it would leak what its
// C++ library allocated.
void check_loadable(const fs::path& library)
{
    if (::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL) == nullptr)
        throw error(fmt::format("the observer cannot be loaded: {}", ::dlerror()),
                    "set TMPDIR to a folder from which libraries may be loaded", exit_status::missing);
}

// Each capture creates a new folder.
void check_folder(const fs::path& folder)
{
    std::error_code failure;
    if (fs::exists(fs::symlink_status(folder, failure)))
        throw error(fmt::format("{} already exists", folder.string()), "name another folder, or remove it");
}

std::string tunable_name(const fs::path& folder)
{
    std::string name = folder.filename().string();
    for (char& letter : name)
        if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '_' && letter != '-' && letter != '.')
            letter = '_';
    if (name.front() == '.' || name.front() == '-') name.front() = '_';
    return name.substr(0, 100);
}

std::string why_not_captured(const observed_run& run, const launch_choice& choice, const fs::path& observed)
{
    for (const std::string& warning : run.warnings)
        if (warning.starts_with("the launch was not captured")) return warning;
    // A killed process reports nothing.
    if (fs::exists(observed / record::claim_file))
        return "the launch was not captured: the program ended before the launch did, or while it was being copied";
    std::string nothing = why_nothing_seen(run);
    if (!nothing.empty()) return nothing;
    std::vector<std::string> names;
    for (const auto& launches : run.launches)
        if (std::ranges::find(names, launches.short_form) == names.end()) names.push_back(launches.short_form);
    names = shortened_apart(names, widest_name_in_sentence);
    std::string list;
    constexpr std::size_t max_names = 20;
    for (std::size_t i = 0; i < names.size() && i < max_names; ++i) list += (i > 0 ? ", " : "") + names[i];
    if (names.size() > max_names) list += fmt::format(" and {} more", names.size() - max_names);
    return fmt::format("no launch was captured: none {}matches -k {}; there were {}",
                       choice.shape.empty() ? "" : fmt::format("of shape {} ", choice.shape), choice.kernel, list);
}

// Renames the observer's files to the user's folder, so that it appears complete or not at all.
kept_launch keep_launch(raw_launch raw, const capture_request& request, const fs::path& observed, const fs::path& made)
{
    const fs::path& folder = request.keep->folder;
    raw.launch.command = request.command;
    fs::create_directory(made);
    kept_launch kept{.launch = {}, .name = tunable_name(folder)};
    kept.launch = write_capture_folder(std::move(raw), observed, made, kept.name);
    fs::permissions(made, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                              fs::perms::others_read | fs::perms::others_exec);
    move_to_new_name(made, folder);
    return kept;
}

program_environment environment_for(const capture_request& request, const fs::path& library, const fs::path& observed)
{
    program_environment environment;
    environment.variables = {{injection_variable, library.string()}, {record::folder_variable, observed.string()}};
    if (!request.follow_children) environment.own_number = record::process_variable;
    if (!request.keep) return environment;
    const launch_choice& keep = *request.keep;
    environment.variables.insert(environment.variables.end(),
                                 {{record::kernel_variable, keep.kernel},
                                  {record::nth_variable, std::to_string(keep.nth)},
                                  {record::limit_variable, std::to_string(keep.memory_limit)},
                                  {record::all_memory_variable, keep.all_memory ? "1" : "0"}});
    if (!keep.sizes.empty())
        environment.variables.emplace_back(record::shape_variable, fmt::format("{}", fmt::join(keep.sizes, " ")));
    return environment;
}

}  // namespace

void refuse_capture(const std::vector<std::string>& command)
{
    if (command.empty()) throw error("no program to run", "name it: launchbox capture ./app");
    if (observer_bytes().empty())
        throw error("this launchbox was built without CUPTI's headers and cannot observe programs",
                    "run ./setup, which installs nvidia-cuda-cupti with its CUDA compiler, and build it again",
                    exit_status::missing);
    if (const char* other = std::getenv(injection_variable); other != nullptr && *other != '\0')
        throw error(fmt::format("another profiler is about to be attached: {} is {}", injection_variable, other),
                    fmt::format("unset {}, or run the program under that profiler alone", injection_variable));
}

capture_result capture_program(const capture_request& request)
{
    const bool keeps = request.keep.has_value();
    const fs::path target = keeps ? request.keep->folder : fs::path();
    std::optional<temporary_directory> beside;  // renamed at the end, which needs the same disk
    if (keeps) {
        check_folder(target);
        beside.emplace(target.has_parent_path() ? target.parent_path() : fs::path("."));
    }
    const temporary_directory folder;
    const fs::path library = folder.path() / "liblaunchbox_observer.so";
    write_file_atomically(library, observer_bytes());
    check_loadable(library);

    const fs::path observed = fs::absolute(keeps ? beside->path() : folder.path());
    const program_ending ending = run_observed(request.command, environment_for(request, library, observed));
    capture_result result{.run = {}, .nothing_seen = {}, .kept = {}, .not_kept = {}};
    const auto set_run = [&](observed_run run) {
        result.run = std::move(run);
        result.run.command = request.command;
        result.run.ending = ending;
    };
    if (!keeps) {
        set_run(read_observed(observed));
        result.nothing_seen = why_nothing_seen(result.run);
        return result;
    }
    set_run({});
    try {
        if (std::optional<raw_launch> raw = read_raw_launch(observed)) {
            result.kept = keep_launch(*std::move(raw), request, observed, beside->path() / "made");
        } else {
            set_run(read_observed(observed));
            result.not_kept = why_not_captured(result.run, *request.keep, observed);
        }
    } catch (const error& failure) {
        result.not_kept = failure.what();
    }
    return result;
}

}  // namespace launchbox
