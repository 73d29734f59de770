// SPDX-License-Identifier: Apache-2.0
#include "cli/tune_backends.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <map>

#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "compiler/run/compile_cache.hpp"
#include "compiler/run/toolchain.hpp"
#include "gpu/driver.hpp"
#include "support/error.hpp"
#include "support/files/file_watch.hpp"
#include "support/files/files.hpp"
#include "tune/backend/kernel_backend.hpp"
#include "tune/backend/program_backend.hpp"
#include "tune/backend/program_sources.hpp"
#include "tune/backend/replay_backend.hpp"
#include "tune/exchange/result_file.hpp"

namespace launchbox::cli {

namespace fs = std::filesystem;

namespace {

std::string host_name()
{
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string processor_name()
{
    std::ifstream facts("/proc/cpuinfo");
    for (std::string line; std::getline(facts, line);)
        if (line.starts_with("model name"))
            if (const std::size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
    return "unknown processor";
}

// Files that the spec's commands, arguments and references name, as it names them: when one changes, older results do
// not hold. What `sources` names has to be there.
std::vector<std::string> named_files(const tune_spec& spec)
{
    std::vector<std::string> words;
    if (spec.program) {
        words = spec.program->sources;
        for (const std::string& source : words)
            if (std::error_code failure; !fs::is_regular_file(fs::path(spec.folder) / source, failure))
                throw error(
                    fmt::format("{}: [program] sources: there is no file {}", spec.file, source),
                    "names are looked for in the folder of the spec; take it out if results do not depend on it");
        for (const auto* command : {&spec.program->build, &spec.program->run})
            words.insert(words.end(), command->begin(), command->end());
    }
    if (spec.kernel)
        for (const auto* list : {&spec.kernel->arguments, &spec.kernel->variables})
            for (const kernel_argument& argument : *list) words.push_back(argument.file);
    // The text of a capture has the hashes of all its files.
    if (spec.kernel && !spec.kernel->capture.empty())
        for (const workload& workload : spec.workloads)
            words.push_back(filled_in(spec.kernel->capture, workload.values));
    words.insert(words.end(), spec.verify.command.begin(), spec.verify.command.end());
    for (const auto& [output, file] : spec.verify.files) words.push_back(file);
    std::erase_if(words, [&](const std::string& word) {
        std::error_code ignored;
        return word.empty() || !fs::is_regular_file(fs::path(spec.folder) / word, ignored);
    });
    return words;
}

// Of these files, and of `more`, which the compiler of a [program] reads.
std::string hash_of_named_files(const tune_spec& spec, const std::vector<fs::path>& more = {})
{
    std::vector<std::string> all;
    for (const std::string& word : named_files(spec))
        all.insert(all.end(), {word, read_file(fs::path(spec.folder) / word)});
    for (const fs::path& file : more) {
        const fs::path inside = file.lexically_relative(spec.folder);
        const bool is_inside = !inside.empty() && *inside.begin() != "..";
        all.insert(all.end(), {(is_inside ? inside : file.filename()).string(), read_file(file)});
    }
    return key_of({all.begin(), all.end()});
}

// Before the hash is made, so that what changes in between is noticed.
std::function<std::string()> watch_sources(const tune_spec& spec, std::vector<fs::path> more)
{
    for (const std::string& word : named_files(spec)) more.push_back(fs::path(spec.folder) / word);
    const auto watch = std::make_shared<file_watch>(std::move(more));
    return [watch, folder = spec.folder] {
        const std::string file = watch->changed();
        return file.starts_with(folder + "/") ? file.substr(folder.size() + 1) : file;
    };
}

std::vector<std::vector<gpu_device>> groups_of(const gpu_list& found, const std::vector<int>& wanted)
{
    std::vector<std::vector<gpu_device>> groups;
    for (const int index : wanted)
        if (std::ranges::none_of(found.devices, [&](const gpu_device& gpu) { return gpu.index == index; }))
            throw error(fmt::format("there is no GPU {} here", index),
                        found.devices.empty() ? found.reason : "launchbox devices --here lists those that are");
    for (const gpu_device& gpu : found.devices) {
        if (!wanted.empty() && std::ranges::find(wanted, gpu.index) == wanted.end()) continue;
        const auto same =
            std::ranges::find_if(groups, [&](const auto& group) { return are_alike(group.front(), gpu); });
        if (same == groups.end())
            groups.push_back({gpu});
        else
            same->push_back(gpu);
    }
    return groups;
}

target target_for(const backend_request& request, const gpu_device& gpu)
{
    const std::string own(architecture_name(gpu.capability).view());
    if (request.architecture.empty()) return parse_targets(own, {}).front();
    const target asked = parse_targets(request.architecture, {}).front();
    if (asked.architecture.major != gpu.capability.major || asked.architecture.minor < 0)
        throw error(fmt::format("code for {} does not run on {}, which is {}", request.architecture, gpu.name, own),
                    "leave --arch out, or choose the GPU with --gpu");
    return asked;
}

environment_info environment_of(const gpu_device& gpu, const gpu_list& all, const target& on, std::string toolkit)
{
    return {.gpu = gpu.name,
            .processor = {},
            .architecture = std::string(architecture_name(on.architecture).view()),
            .sms = gpu.sms,
            .memory_bytes = gpu.memory_bytes,
            .driver = all.driver_version,
            .toolkit = std::move(toolkit),
            .host = host_name()};
}

// What a program is compiled with, where its command tells: results of another compiler are others.
std::string compiler_of(const program_target& program)
{
    if (program.build.empty() || fs::path(program.build.front()).filename() != "nvcc") return {};
    try {
        return "nvcc " + find_toolchain(program.build.front()).version;
    } catch (const error&) {
        return {};  // building will say so
    }
}

std::string label_of(const std::vector<gpu_device>& group)
{
    return group.size() == 1 ? group.front().name : fmt::format("{} x {}", group.size(), group.front().name);
}

std::vector<device_record> devices_of(const std::vector<gpu_device>& group)
{
    std::vector<device_record> devices;
    for (const gpu_device& gpu : group)
        devices.push_back({.name = fmt::format("GPU {}", gpu.index),
                           .host = host_name(),
                           .uuid = gpu.uuid,
                           .ecc = gpu.ecc != 0,
                           .hardware = gpu.hardware});
    return devices;
}

std::vector<int> indices_of(const std::vector<gpu_device>& group)
{
    std::vector<int> indices;
    for (const gpu_device& gpu : group) indices.push_back(gpu.index);
    return indices;
}

// One of each kind is given where they are elsewhere.
gpu_list gpus_for(const backend_request& request)
{
    if (!request.elsewhere.devices.empty()) return request.elsewhere;
    gpu_list found = find_gpus();
    for (gpu_device& gpu : found.devices) ask_free_memory(gpu);
    return found;
}

planned_backends kernel_backends(const tune_spec& spec, const backend_request& request)
{
    const gpu_list found = gpus_for(request);
    if (found.devices.empty() && !request.build_only)
        throw error(fmt::format("{} launches a kernel, and there is no GPU here: {}", spec.file, found.reason),
                    "run the same command where there is one; here --build-only --arch sm_90 compiles and screens all "
                    "candidates, and --replay FILE works with recorded measurements",
                    exit_status::missing);
    planned_backends planned;
    if (!spec.kernel->source.empty()) planned.builder = std::make_unique<kernel_builder>(spec, request.builder);
    const auto add = [&](const target& on, const gpu_device* gpu, const std::vector<int>& gpus,
                         environment_info environment, std::string label) {
        planned_backend& made = planned.backends.emplace_back();
        made.limits = limits_for_expressions(*on.limits, gpu);
        made.backend = kernel_backend(spec, planned.builder.get(),
                                      {.architecture = on.architecture,
                                       .limits = on.limits,
                                       .names = made.limits,
                                       .gpus = gpus,
                                       .folder = request.folder,
                                       .worker_program = request.builder.worker_program,
                                       .elsewhere = !request.elsewhere.devices.empty()});
        made.backend.environment = std::move(environment);
        made.backend.label = std::move(label);
        source_identity sources;
        if (planned.builder) sources = planned.builder->sources(on.architecture);
        made.backend.changed_source = watch_sources(spec, sources.own);
        made.backend.source_hash = sources.files + hash_of_named_files(spec) + sources.text;
    };
    if (request.build_only) {
        if (request.architecture.empty() && found.devices.empty())
            throw error("--check and --build-only need an architecture, and there is no GPU here to take it from",
                        "add --arch sm_90, or another");
        const target on =
            request.architecture.empty() ? target_of_this_machine() : parse_targets(request.architecture, {}).front();
        const std::string name(architecture_name(on.architecture).view());
        environment_info environment;
        environment.architecture = name;
        // A GPU of this architecture here is the one that expressions with device.* are about.
        const auto here = std::ranges::find_if(found.devices, [&](const gpu_device& gpu) {
            return gpu.capability.major == on.architecture.major && gpu.capability.minor == on.architecture.minor;
        });
        add(on, here == found.devices.end() ? nullptr : &*here, {}, std::move(environment), name);
        return planned;
    }
    for (const std::vector<gpu_device>& group : groups_of(found, request.gpus)) {
        const gpu_device& gpu = group.front();
        const target on = target_for(request, gpu);
        add(on, &gpu, indices_of(group),
            environment_of(gpu, found, on, planned.builder ? planned.builder->compiler() : std::string()),
            label_of(group));
        planned.backends.back().backend.devices = devices_of(group);
    }
    return planned;
}

planned_backends program_backends(const tune_spec& spec, const backend_request& request)
{
    planned_backends planned;
    const auto add = [&](const std::string& architecture, const std::vector<int>& gpus) -> planned_backend& {
        planned_backend& made = planned.backends.emplace_back();
        made.backend = program_backend(
            spec, {.architecture = architecture, .gpus = gpus, .jobs = request.builder.jobs, .folder = request.folder});
        if (request.build_only) made.backend.measurers.clear();
        const std::vector<fs::path> read = files_of_build(spec, architecture);
        made.backend.changed_source = watch_sources(spec, read);
        made.backend.source_hash = hash_of_named_files(spec, read);
        return made;
    };
    const bool needs_gpu = asks_for_architecture(*spec.program);
    const gpu_list found = needs_gpu ? gpus_for(request) : gpu_list{};
    if (needs_gpu && found.devices.empty() && (request.architecture.empty() || !request.build_only))
        throw error(
            fmt::format("{} builds for {{arch}}, and there is no GPU here: {}", spec.file, found.reason),
            "run the same command where there is one; here --build-only --arch sm_90 builds all candidates, and "
            "--replay FILE works with recorded measurements",
            exit_status::missing);
    if (!needs_gpu || found.devices.empty()) {
        planned_backend& made = add(request.architecture, {});
        if (needs_gpu) {
            const target on = parse_targets(request.architecture, {}).front();
            made.limits = limits_for_expressions(*on.limits, nullptr);
        }
        made.backend.environment.processor = processor_name();
        made.backend.environment.architecture = request.architecture;
        made.backend.environment.host = host_name();
        made.backend.label = needs_gpu ? request.architecture : made.backend.environment.processor;
        return planned;
    }
    for (const std::vector<gpu_device>& group : groups_of(found, request.gpus)) {
        const target on = target_for(request, group.front());
        const std::string name(architecture_name(on.architecture).view());
        planned_backend& made = add(name, indices_of(group));
        made.backend.environment = environment_of(group.front(), found, on, compiler_of(*spec.program));
        made.backend.label = label_of(group);
        made.backend.devices = devices_of(group);
        made.limits = limits_for_expressions(*on.limits, &group.front());
    }
    return planned;
}

planned_backends recorded_backends(const tune_spec& spec, const backend_request& request)
{
    planned_backends planned;
    const result_file file = read_result_file(request.replay);
    for (const std::string& diagnostic : file.diagnostics) say(diagnostic);
    for (const recorded_run& recorded : file.runs) {
        const environment_info& environment = recorded.info.environment;
        planned_backend made{.backend = replay_backend(spec, recorded), .limits = {}};
        if (const auto capability = parse_compute_capability(environment.architecture))
            if (const sm_limits* limits = find_sm_limits(*capability)) {
                gpu_device gpu{.name = environment.gpu, .capability = *capability};
                gpu.sms = environment.sms;
                gpu.memory_bytes = environment.memory_bytes;
                made.limits = limits_for_expressions(*limits, &gpu);
            }
        planned.backends.push_back(std::move(made));
    }
    if (planned.backends.empty())
        throw error(request.replay + " holds no results",
                    "give a store or the JSON of: launchbox results FILE "
                    "--format json --samples");
    return planned;
}

}  // namespace

std::string own_sources_of(const tune_spec& spec, const builder_options& compiler)
{
    constexpr const char* any = "sm_90";  // the same one on all machines that are compared
    std::string files;
    if (spec.kernel && !spec.kernel->source.empty())
        files = kernel_builder(spec, compiler).sources(parse_compute_capability(any).value()).files;
    return files + hash_of_named_files(spec, files_of_build(spec, any));
}

std::function<bool(const run_info&)> has_sources_of(const tune_spec& spec)
{
    if (!spec.kernel || spec.kernel->source.empty())
        return [&spec](const run_info& run) {
            return run.source_hash == hash_of_named_files(spec, files_of_build(spec, run.environment.architecture));
        };
    const std::string named = hash_of_named_files(spec);
    using builders = std::map<std::string, std::unique_ptr<kernel_builder>>;
    return [&spec, named, known = std::make_shared<builders>()](const run_info& run) {
        const auto architecture = parse_compute_capability(run.environment.architecture);
        if (!architecture) return false;
        const std::string compiler = run.environment.toolkit.starts_with("nvcc") ? "nvcc" : "nvrtc";
        std::unique_ptr<kernel_builder>& builder = (*known)[compiler];
        if (!builder) builder = std::make_unique<kernel_builder>(spec, builder_options{.compiler = compiler});
        const source_identity now = builder->sources(*architecture);
        // What another release makes of the same files is no other source.
        if (run.environment.toolkit != builder->compiler()) return run.source_hash.starts_with(now.files + named);
        return run.source_hash == now.files + named + now.text;
    };
}

planned_backends plan_backends(const tune_spec& spec, const backend_request& request)
{
    if (!request.replay.empty()) return recorded_backends(spec, request);
    return spec.kernel ? kernel_backends(spec, request) : program_backends(spec, request);
}

}  // namespace launchbox::cli
