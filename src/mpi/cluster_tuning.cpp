// SPDX-License-Identifier: Apache-2.0
#include "mpi/cluster_tuning.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <future>
#include <optional>
#include <utility>

#include "app/tuning/gpu_groups.hpp"
#include "app/tuning/spec_sources.hpp"
#include "cluster/cluster_backend.hpp"
#include "cluster/rank_plan.hpp"
#include "compiler/run/compile_cache.hpp"
#include "support/files/files.hpp"
#include "support/process/thread_group.hpp"
#include "tune/backend/program_backend.hpp"

namespace launchbox::mpi {

namespace {

std::string host_of_rank()
{
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::vector<int> cores_of_rank()
{
    cpu_set_t may{};
    std::vector<int> cores;
    if (::sched_getaffinity(0, sizeof may, &may) != 0) return cores;
    for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &may)) cores.push_back(core);
    return cores;
}

// The running kernel and the process namespace.
std::string process_space_here()
{
    std::ifstream boot_id("/proc/sys/kernel/random/boot_id");
    std::string boot;
    std::error_code unknown;
    const std::filesystem::path space = std::filesystem::read_symlink("/proc/self/ns/pid", unknown);
    if (!std::getline(boot_id, boot) || unknown) return {};
    return boot + " " + space.string();
}

rank_facts bare_facts(int rank)
{
    rank_facts facts;
    facts.rank = rank;
    facts.version = LAUNCHBOX_VERSION;
    facts.host = host_of_rank();
    facts.process_space = process_space_here();
    facts.process = ::getpid();
    facts.cores = cores_of_rank();
    return facts;
}

// Never throws: rank 0 reports what is missing here.
rank_facts facts_here(const tune_spec& spec, const backend_request& request, int rank)
{
    rank_facts facts = bare_facts(rank);
    try {
        facts.spec_hash = key_of({spec.text});
        facts.source_hash = own_sources_of(spec, request.builder);
        // A captured module is launched as it is, without compiling.
        if (spec.kernel && !spec.kernel->source.empty())
            facts.toolkit = kernel_builder(spec, request.builder).compiler();
        gpu_list found = find_gpus();
        for (gpu_device& gpu : found.devices) ask_free_memory(gpu);
        facts.driver = found.driver_version;
        facts.no_gpu = found.reason;
        for (const gpu_device& gpu : found.devices)
            if (request.gpus.empty() || std::ranges::find(request.gpus, gpu.index) != request.gpus.end())
                facts.gpus.push_back(gpu);
    } catch (const error& failure) {
        facts.failure = failure.what();
        facts.hint = failure.hint();
        facts.lacks_something = failure.status() == exit_status::missing;
    }
    return facts;
}

// What a rank needs until it ends.
struct serving {
    serving(const tune_spec& what, backend_request how) : spec(what), request(std::move(how)) {}

    const tune_spec& spec;
    backend_request request;
    temporary_directory folder;
    std::vector<planned_backends> planned;

    std::vector<tune_backend> open(const rank_role& role);
};

std::vector<tune_backend> serving::open(const rank_role& role)
{
    request.folder = folder.path();
    request.builder.jobs = std::max(1u, role.jobs);
    std::vector<tune_backend> backends;
    if (role.gpu >= 0) {
        request.gpus = {role.gpu};
        request.opens_early = true;
        planned.push_back(plan_backends(spec, request));
        backends.push_back(planned.back().backends.at(0).backend);
        return backends;
    }
    for (const gpu_device& gpu : role.gpus) {
        backend_request for_gpu = request;
        for_gpu.opens_early = false;
        for_gpu.gpus.clear();
        for_gpu.elsewhere = {.devices = {gpu}, .driver_version = role.driver, .reason = {}};
        planned.push_back(plan_backends(spec, for_gpu));
        backends.push_back(planned.back().backends.at(0).backend);
    }
    return backends;
}

serving_end serve_with(const tune_spec& spec, const backend_request& request, const rank_facts& facts,
                       const rank_link& link)
{
    std::optional<serving> here;
    try {
        here.emplace(spec, request);
    } catch (const error& failure) {  // no space for its files
        return report_failure(failure.what(), failure.hint(), link);
    }
    rank_server_options options;
    options.folder = here->folder.path();
    options.workloads = spec.workloads.size();
    options.open = [&](const rank_role& role) { return here->open(role); };
    return serve_rank(link, facts, options);
}

// A backend that measures nothing provides what tune needs to know about the GPUs.
planned_backends plan_group(const tune_spec& spec, const backend_request& request, const rank_group& group)
{
    backend_request here = request;
    here.opens_early = false;
    here.gpus.clear();
    here.elsewhere = {.devices = {group.gpu}, .driver_version = group.driver, .reason = {}};
    here.elsewhere.devices.front().index = 0;
    planned_backends planned = plan_backends(spec, here);
    environment_info& where = planned.backends.at(0).backend.environment;
    if (spec.kernel) where.toolkit = group.toolkit;
    return planned;
}

device_record device_of(const rank_facts& facts, int index)
{
    device_record device{.name = name_of(facts, index), .host = facts.host};
    for (const gpu_device& gpu : facts.gpus)
        if (gpu.index == index) {
            device.uuid = gpu.uuid;
            device.ecc = gpu.ecc != 0;
            device.hardware = gpu.hardware;
        }
    return device;
}

}  // namespace

planned_backends plan_cluster(const tune_spec& spec, const backend_request& request, const cluster_settings& settings,
                              const rank_link& link, const rank_link& own_link, cluster_coordinator& coordinator,
                              const listener& news)
{
    if (!request.replay.empty())
        throw error("--replay does not measure, so it needs no other ranks", "use launchbox tune --replay");
    if (request.build_only) throw error("--check and --build-only work on one machine", "use launchbox tune");
    if (spec.program && !asks_for_architecture(*spec.program))
        throw error(spec.file + " builds a program for the processor: its commands do not name {arch}",
                    "launchbox-mpi hands out GPUs; launchbox tune measures such programs");
    if (spec.callback)
        throw error(spec.file + " has a [callback], whose processes only launchbox tune starts",
                    "use launchbox tune on one machine, with all its GPUs");
    if (link.ranks < 2)
        throw error("there is only one rank",
                    "start at least two: mpirun -n 2 launchbox-mpi ...; launchbox tune uses all GPUs of one machine");
    // Checked first: if something is missing here it is missing everywhere, and is reported only once.
    const rank_facts own = facts_here(spec, request, link.rank);
    if (!own.failure.empty()) throw error(own.failure, own.hint, exit_status::missing);
    coordinator.calls = std::make_shared<rank_calls>(
        link, rank_calls_options{.silence_seconds = settings.silence_seconds, .process_space = own.process_space});
    coordinator.own_server = new_thread([&spec, request, own, own_link] { serve_with(spec, request, own, own_link); });
    const std::shared_ptr<rank_calls>& calls = coordinator.calls;
    const std::map<int, rank_facts> facts = calls->wait_for_facts(settings.start_seconds, -1);
    rank_plan plan = plan_ranks(facts, {.ranks = link.ranks,
                                        .coordinator = link.rank,
                                        .compile_ranks = settings.compile_ranks,
                                        .jobs = request.builder.jobs,
                                        .silence_seconds = settings.silence_seconds});
    std::map<int, nlohmann::ordered_json> roles;
    for (const auto& [rank, role] : plan.roles) {
        calls->name(rank, name_of(facts.at(rank), role.gpu));
        roles[rank] = json_of(role);
    }
    for (const std::string& note : plan.notes) news.say(note);
    for (const rank_group& group : plan.groups)
        if (spec.goal.needs_energy() && group.ranks.size() > 1)
            news.say(energies_differ(group.ranks.size(), group.gpu.name));
    // Planned while the ranks get ready.
    auto planning = std::async(std::launch::async | std::launch::deferred, [&] {
        std::vector<std::shared_ptr<planned_backends>> planned;
        for (const rank_group& group : plan.groups)
            planned.push_back(std::make_shared<planned_backends>(plan_group(spec, request, group)));
        return planned;
    });
    calls->begin(roles);
    const std::vector<std::shared_ptr<planned_backends>> planned = planning.get();

    planned_backends all;
    for (std::size_t i = 0; i < plan.groups.size(); ++i) {
        const rank_group& group = plan.groups[i];
        const std::shared_ptr<planned_backends>& kept = planned[i];
        cluster_backend_options options{.backend = i};
        std::vector<device_record> devices;
        for (const int rank : group.ranks) {
            options.measuring.push_back({.rank = rank, .jobs = plan.roles[rank].jobs});
            devices.push_back(device_of(facts.at(rank), plan.roles[rank].gpu));
        }
        for (const auto& [rank, role] : plan.roles)
            if (role.gpu < 0 && spec.kernel) options.compiling.push_back({.rank = rank, .jobs = role.jobs});
        planned_backend made = kept->backends.front();
        made.backend = cluster_backend(made.backend, calls, options);
        made.backend.devices = std::move(devices);
        made.backend.label =
            group.ranks.size() == 1 ? group.gpu.name : fmt::format("{} x {}", group.ranks.size(), group.gpu.name);
        // Keeps the builder alive as long as the backend.
        made.backend.prepare = [kept, prepare = made.backend.prepare](const tune_job& job) { return prepare(job); };
        all.backends.push_back(std::move(made));
    }
    return all;
}

serving_end serve_cluster(const tune_spec& spec, const backend_request& request, const rank_link& link)
{
    return serve_with(spec, request, facts_here(spec, request, link.rank), link);
}

serving_end report_failure(const std::string& what, const std::string& hint, const rank_link& link)
{
    rank_facts facts = bare_facts(link.rank);
    facts.failure = what;
    facts.hint = hint;
    return serve_rank(link, facts, {});
}

}  // namespace launchbox::mpi
