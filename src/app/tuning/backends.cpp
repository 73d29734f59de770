// SPDX-License-Identifier: Apache-2.0
#include "app/tuning/backends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "app/tuning/gpu_groups.hpp"
#include "app/tuning/spec_sources.hpp"
#include "compiler/run/toolchain.hpp"
#include "gpu/nvml.hpp"
#include "support/error.hpp"
#include "tune/backend/callback_backend.hpp"
#include "tune/backend/kernel_backend.hpp"
#include "tune/backend/program_backend.hpp"
#include "tune/backend/program_sources.hpp"
#include "tune/backend/replay_backend.hpp"
#include "tune/exchange/result_file.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

std::string name_of(const target& on)
{
    return std::string(architecture_name(on.architecture).view());
}

target target_for(const backend_request& request, const gpu_device& gpu)
{
    if (!request.architecture) return known_target(gpu.capability);
    const target& asked = *request.architecture;
    if (asked.architecture.major != gpu.capability.major || asked.architecture.minor < 0)
        throw error(fmt::format("code for {} does not run on {}, which is {}", name_of(asked), gpu.name,
                                architecture_name(gpu.capability).view()),
                    "leave --arch out, or choose the GPU with --gpu");
    return asked;
}

// The compiler that the program's command names, since results of different compilers must not be mixed.
std::string compiler_of(const program_target& program)
{
    if (program.build.empty() || fs::path(program.build.front()).filename() != "nvcc") return {};
    try {
        return "nvcc " + find_toolchain(program.build.front()).version;
    } catch (const error&) {
        return {};  // building reports it
    }
}

// For GPUs of other machines, the request lists one of each kind.
gpu_list gpus_for(const backend_request& request)
{
    if (!request.elsewhere.devices.empty()) return request.elsewhere;
    gpu_list found = find_gpus();
    for (gpu_device& gpu : found.devices) ask_free_memory(gpu);
    return found;
}

// The GPUs that measure. The energy of a launch differs by up to 10 % between cards of one model
// (measurements/nvidia-h100/energy.txt), so with several cards the winner would depend on the card. Therefore only one
// card of each model measures energy, unless the user names more.
std::vector<gpu_group> measuring_groups(const tune_spec& spec, const gpu_list& found, const backend_request& request,
                                        const listener& news)
{
    std::vector<gpu_group> groups = groups_of(found, request.gpus);
    if (!spec.goal.needs_energy() || request.build_only) return groups;
    for (gpu_group& group : groups) {
        if (group.size() == 1) continue;
        if (!request.gpus.empty()) {
            news.say(energies_differ(group.size(), group.front().name));
            continue;
        }
        news.say(
            fmt::format("objective {}: only GPU {} of the {} {} measures, since their energies differ; --gpu chooses "
                        "another",
                        spec.goal.text(), group.front().index, group.size(), group.front().name));
        group.resize(1);
    }
    return groups;
}

void require_energy_counters(const tune_spec& spec, const std::vector<gpu_group>& groups)
{
    for (const gpu_group& group : groups)
        for (const gpu_device& gpu : group)
            if (!nvml_device(gpu.hardware.pci_bus).energy_joules())
                throw error(
                    fmt::format("GPU {} ({}) has no readable energy counter, but the objective '{}' needs one",
                                gpu.index, gpu.name, spec.goal.text()),
                    "GPUs from Volta on have one, read by NVML (libnvidia-ml.so.1); choose other GPUs with --gpu",
                    exit_status::missing);
}

planned_backends kernel_backends(const tune_spec& spec, const backend_request& request, const listener& news)
{
    const gpu_list found = gpus_for(request);
    if (found.devices.empty() && !request.build_only)
        throw error(fmt::format("{} needs a GPU, and this machine has none: {}", spec.file, found.reason),
                    "run the same command on a machine with one; here you can use --build-only --arch sm_90 to compile "
                    "and screen all candidates, or --replay FILE for recorded measurements",
                    exit_status::missing);
    const std::vector<gpu_group> groups =
        request.build_only ? std::vector<gpu_group>{} : measuring_groups(spec, found, request, news);
    if (spec.goal.needs_energy() && request.elsewhere.devices.empty()) require_energy_counters(spec, groups);
    // Start the workers before asking about compilers: creating a GPU context takes as long.
    using gpu_workers = std::vector<std::shared_ptr<gpu_worker>>;
    std::vector<gpu_workers> workers(groups.size());
    for (std::size_t i = 0; i < groups.size() && request.elsewhere.devices.empty(); ++i) {
        workers[i] = workers_for(spec, indices_of(groups[i]), request.builder.worker_program);
        if (request.opens_early)
            for (const std::shared_ptr<gpu_worker>& worker : workers[i]) worker->start();
    }
    planned_backends planned;
    if (!spec.kernel->source.empty()) planned.builder = std::make_unique<kernel_builder>(spec, request.builder);
    const auto add = [&](const target& on, const gpu_device* gpu, gpu_workers on_gpus, environment_info environment,
                         std::string label) {
        planned_backend& made = planned.backends.emplace_back();
        made.limits = limits_for_expressions(*on.limits, gpu);
        made.backend = kernel_backend(spec, planned.builder.get(),
                                      {.architecture = on.architecture,
                                       .limits = on.limits,
                                       .names = made.limits,
                                       .workers = std::move(on_gpus),
                                       .folder = request.folder,
                                       .elsewhere = !request.elsewhere.devices.empty()});
        made.backend.environment = std::move(environment);
        made.backend.label = std::move(label);
        source_identity sources;
        if (planned.builder) sources = planned.builder->sources(on.architecture);
        made.backend.changed_source = watch_sources(spec, sources.own);
        made.backend.source_hash = sources.files + hash_of_named_files(spec) + sources.text;
    };
    if (request.build_only) {
        if (!request.architecture && found.devices.empty())
            throw error("--check and --build-only need an architecture, and this machine has no GPU",
                        "add --arch sm_90, or another");
        const target on = request.architecture ? *request.architecture : target_of_this_machine();
        const std::string name = name_of(on);
        environment_info environment;
        environment.architecture = name;
        // If this machine has a GPU of the architecture, expressions with device.* use it.
        const auto here = std::ranges::find_if(found.devices, [&](const gpu_device& gpu) {
            return gpu.capability.major == on.architecture.major && gpu.capability.minor == on.architecture.minor;
        });
        add(on, here == found.devices.end() ? nullptr : &*here, {}, std::move(environment), name);
        return planned;
    }
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const gpu_group& group = groups[i];
        const gpu_device& gpu = group.front();
        const target on = target_for(request, gpu);
        add(on, &gpu, std::move(workers[i]),
            environment_of(gpu, found, on, planned.builder ? planned.builder->compiler() : std::string()),
            label_of(group));
        planned.backends.back().backend.devices = devices_of(group);
    }
    return planned;
}

planned_backends program_backends(const tune_spec& spec, const backend_request& request, const listener& news)
{
    planned_backends planned;
    std::string cub;
    const auto add = [&](const std::string& architecture, const std::vector<std::string>& gpus) -> planned_backend& {
        planned_backend& made = planned.backends.emplace_back();
        const std::vector<fs::path> read = files_of_build(spec, architecture, &cub);
        std::vector<fs::path> known = read;
        for (const std::string& file : files_of(spec)) known.emplace_back(file);
        made.backend = program_backend(spec, {.architecture = architecture,
                                              .gpus = gpus,
                                              .jobs = request.builder.jobs,
                                              .folder = request.folder,
                                              .sources = std::move(known)});
        if (request.build_only) made.backend.measurers.clear();
        made.backend.changed_source = watch_sources(spec, read);
        made.backend.source_hash = hash_of_named_files(spec, read);
        return made;
    };
    const bool needs_gpu = asks_for_architecture(*spec.program);
    const gpu_list found = needs_gpu ? gpus_for(request) : gpu_list{};
    if (needs_gpu && found.devices.empty() && (!request.architecture || !request.build_only))
        throw error(fmt::format("{} builds for {{arch}}, and this machine has no GPU: {}", spec.file, found.reason),
                    "run the same command on a machine with one; here you can use --build-only --arch sm_90 to build "
                    "all candidates, or --replay FILE for recorded measurements",
                    exit_status::missing);
    if (!needs_gpu || found.devices.empty()) {
        const std::string name = request.architecture ? name_of(*request.architecture) : "";
        planned_backend& made = add(name, {});
        if (needs_gpu) made.limits = limits_for_expressions(*request.architecture->limits, nullptr);
        made.backend.environment.processor = processor_name();
        made.backend.environment.architecture = name;
        made.backend.environment.host = host_name();
        made.backend.label = needs_gpu ? name : made.backend.environment.processor;
        return planned;
    }
    for (const gpu_group& group : measuring_groups(spec, found, request, news)) {
        const target on = target_for(request, group.front());
        planned_backend& made = add(name_of(on), visible_names(group));
        made.backend.environment =
            environment_of(group.front(), found, on, compiler_of(*spec.program) + (cub.empty() ? "" : ", CUB " + cub));
        made.backend.label = label_of(group);
        made.backend.devices = devices_of(group);
        made.limits = limits_for_expressions(*on.limits, &group.front());
    }
    return planned;
}

planned_backends callback_backends(const tune_spec& spec, const backend_request& request, const listener& news)
{
    const callback_target& callback = *spec.callback;
    planned_backends planned;
    const auto add = [&](const std::vector<std::string>& gpus) -> planned_backend& {
        planned_backend& made = planned.backends.emplace_back();
        made.backend = callback_backend(spec, gpus);
        if (request.build_only) made.backend.measurers.clear();
        made.backend.changed_source = watch_sources(spec, {});
        made.backend.source_hash = hash_of_named_files(spec);
        return made;
    };
    if (!callback.on_gpu) {
        planned_backend& made = add({});
        made.backend.environment.processor = processor_name();
        made.backend.environment.toolkit = callback.software;
        made.backend.environment.host = host_name();
        made.backend.label = made.backend.environment.processor;
        return planned;
    }
    const gpu_list found = gpus_for(request);
    if (found.devices.empty())
        throw error(fmt::format("{} needs a GPU, and this machine has none: {}", spec.file, found.reason),
                    "run it on a machine with one, or choose the processor", exit_status::missing);
    for (const gpu_group& group : measuring_groups(spec, found, request, news)) {
        const target on = target_for(request, group.front());
        planned_backend& made = add(visible_names(group));
        made.backend.environment = environment_of(group.front(), found, on, callback.software);
        made.backend.label = label_of(group);
        made.backend.devices = devices_of(group);
        made.limits = limits_for_expressions(*on.limits, &group.front());
    }
    return planned;
}

// A record has only the quantities that were measured then.
void refuse_without_quantities(const tune_spec& spec, const recorded_run& recorded, const std::string& file)
{
    for (const std::string& name : spec.goal.quantities()) {
        std::set<std::string> known{time_quantity};
        for (const stored_result& result : recorded.results)
            for (const measured_quantity& quantity : result.measured.quantities) known.insert(quantity.name);
        if (!known.contains(name))
            throw error(fmt::format("{} has no {}, which the objective names", file, name),
                        fmt::format("it has: {}", fmt::join(known, ", ")));
    }
}

planned_backends recorded_backends(const tune_spec& spec, const backend_request& request, const listener& news)
{
    planned_backends planned;
    const result_file file = read_result_file(request.replay);
    for (const std::string& diagnostic : file.diagnostics) news.say(diagnostic);
    for (const recorded_run& recorded : file.runs) {
        refuse_without_quantities(spec, recorded, request.replay);
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

planned_backends plan_backends(const tune_spec& spec, const backend_request& request, const listener& news)
{
    if (!request.replay.empty()) return recorded_backends(spec, request, news);
    if (spec.callback) return callback_backends(spec, request, news);
    return spec.kernel ? kernel_backends(spec, request, news) : program_backends(spec, request, news);
}

}  // namespace launchbox
