// SPDX-License-Identifier: Apache-2.0
#include "tune/backend/kernel_backend.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/clock.hpp"
#include "support/process/interrupt.hpp"
#include "tune/backend/argument_check.hpp"
#include "tune/backend/backend_folder.hpp"
#include "tune/backend/captured_module.hpp"
#include "tune/backend/launch_expressions.hpp"
#include "tune/backend/reference_check.hpp"
#include "tune/backend/reference_outputs.hpp"
#include "tune/backend/screen.hpp"
#include "tune/build/compile_worker.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

bool is_running(pid_t process);

bool are_there(const std::map<std::string, std::string>& files)
{
    return std::ranges::all_of(files, [](const auto& file) { return fs::exists(file.second); });
}

// Time limit of the first launch of a reference, whose duration is unknown.
constexpr double first_launch_seconds = 60;

class kernel_runner {
public:
    kernel_runner(const tune_spec& spec, kernel_builder* builder, kernel_backend_options options)
        : spec_(spec),
          builder_(builder),
          options_(std::move(options)),
          folder_(folder_of_backend(options_.folder)),
          expressions_(spec, options_.names),
          references_(spec, folder_),
          captures_(spec, options_.architecture)
    {
    }

    prepared_job prepare(const tune_job& job);
    measurement measure(gpu_worker& worker, const tune_job& job, const prepared_job& made,
                        const measure_request& request);
    measurement begin(gpu_worker& worker, std::size_t workload) const;
    [[nodiscard]] std::vector<std::string> check(const search_space& space) const;
    /// Before compiling: from the kernel's name if it contains them, else from its source. `nullopt` if neither tells.
    [[nodiscard]] std::optional<std::vector<std::string>> parameter_types() const;

    // For the first workload: others differ in the number of blocks, but seldom in threads.
    [[nodiscard]] double promise(const assignment& parameters) const
    {
        const assignment values = joined(parameters, spec_.workloads.front().values);
        try {
            return prior_before_build(expressions_.launch(values), *options_.limits);
        } catch (const error&) {  // a failing expression is reported when the candidate is prepared
            return 0;
        }
    }

private:
    [[nodiscard]] bool measures_here() const { return !options_.workers.empty(); }
    [[nodiscard]] assignment values_of(const tune_job& job) const
    {
        return joined(job.parameters, spec_.workloads[job.workload].values);
    }

    [[nodiscard]] bool is_captured() const { return !spec_.kernel->capture.empty(); }
    [[nodiscard]] build_result build(const tune_job& job, const assignment& values)
    {
        return builder_ != nullptr ? builder_->build(values, options_.architecture) : captures_.module(job.workload);
    }

    // File names are relative to the spec's folder, wherever the worker runs.
    [[nodiscard]] std::vector<task_argument> with_places(std::vector<task_argument> arguments) const
    {
        for (task_argument& argument : arguments)
            if (!argument.file.empty()) argument.file = (fs::path(spec_.folder) / argument.file).string();
        return arguments;
    }

    // The measured reference of a workload, which all other candidates are compared with.
    struct reference_state {
        tune_job job;
        double slowest_ns = 0;
        std::string checksum;
        pid_t writer = 0;  // the worker that writes its outputs into files
    };
    [[nodiscard]] bool compares_with_baseline() const
    {
        return !is_captured() && spec_.verify.against == verification::source::baseline;
    }
    std::optional<measurement> get_reference(gpu_worker& worker, std::size_t workload, gpu_task& task);
    std::optional<measurement> make_reference_again(gpu_worker& worker, std::size_t workload, gpu_task& task);
    void note_reference(gpu_worker& worker, const tune_job& job, const measure_request& request,
                        const measurement& measured);

    const tune_spec& spec_;
    kernel_builder* const builder_;
    const kernel_backend_options options_;
    const fs::path folder_;
    const launch_expressions expressions_;
    reference_outputs references_;
    capture_files_read captures_;
    std::mutex lock_;
    std::map<std::size_t, reference_state> reference_;                     // by workload
    std::map<std::pair<pid_t, std::size_t>, std::string> kept_checksums_;  // of workers' own copies, by workload
    std::atomic<int> modules_ = 0;
};

std::vector<std::string> kernel_runner::check(const search_space& space) const
{
    expressions_.check(space);
    if (space.size() == 0) return {};
    const assignment parameters = spec_.baseline.value_or(space.at(0));
    std::vector<checked_workload> workloads;
    for (std::size_t i = 0; i < spec_.workloads.size(); ++i) {
        const assignment values = joined(parameters, spec_.workloads[i].values);
        std::vector<task_argument> arguments = expressions_.arguments(values);
        if (is_captured()) {
            check_capture(capture_file_of(spec_, i), options_.architecture, builder_ == nullptr);
            continue;
        }
        if (i == 0)
            if (const auto types = parameter_types())
                if (const std::string why = why_arguments_differ(*types, arguments); !why.empty())
                    throw error(spec_.file + ": [kernel] arguments: " + why,
                                "give the arguments in the order of the parameters");
        for (task_argument& variable : expressions_.variables(values))
            if (!variable.type.empty()) arguments.push_back(std::move(variable));
        workloads.push_back({i, std::move(arguments)});
    }
    return check_files(spec_, workloads);
}

std::optional<std::vector<std::string>> kernel_runner::parameter_types() const
{
    if (!signature_in(spec_.kernel->name).empty()) return parameters_of_signature(spec_.kernel->name);
    return parameters_in_source(builder_->sources(options_.architecture).own, spec_.kernel->name);
}

prepared_job kernel_runner::prepare(const tune_job& job)
{
    prepared_job made;
    const auto rejected = [&](const std::string& why) {
        made.build.status = build_status::rejected;
        made.build.reason = why;
        return made;
    };
    const assignment values = values_of(job);
    const evaluated_launch launch = expressions_.launch(values);
    if (const std::string why = why_not_before_build(launch, *options_.limits); !why.empty()) return rejected(why);
    if (launch.carveout_percent.value_or(-1) < -1 || launch.carveout_percent.value_or(-1) > 100)
        return rejected(
            fmt::format("a carveout of {} %, but it must be from 0 to 100, or -1", *launch.carveout_percent));

    std::vector<task_argument> given = expressions_.arguments(values);
    if (measures_here() && !is_captured()) references_.start(job.workload, with_places(given));
    build_result built = build(job, values);
    made.build = std::move(built.build);
    if (made.build.status != build_status::built) return made;
    const kernel_info& kernel = *made.build.kernel;
    if (const std::string why = why_not_launched(kernel, launch, *options_.limits, spec_.screen); !why.empty())
        return rejected(why);
    if (const std::string why = is_captured()
                                    ? why_parameters_differ(captures_.launch(job.workload), built.cubin, kernel.name)
                                    : why_arguments_differ(kernel, given);
        !why.empty())
        return rejected(why);
    made.launch = residency_of(kernel, launch, *options_.limits);
    made.build.kernel->launches.launch_threads = static_cast<int>(made.launch->threads);
    made.same_when_equal = fmt::format("{} {} {} {} {} {}", made.build.code, launch.carveout_percent.value_or(-1),
                                       fmt::join(launch.threads, ","), fmt::join(launch.blocks, ","),
                                       fmt::join(launch.cluster, ","), launch.dynamic_shared_bytes);
    for (task_argument& variable : expressions_.variables(values)) given.push_back(std::move(variable));
    for (const task_argument& argument : given)
        made.same_when_equal += fmt::format(" {}:{}:{}:{}:{}", argument.name, argument.type, argument.count,
                                            argument.integer, argument.number);
    if (measures_here() || options_.elsewhere) {
        made.file = (folder_ / fmt::format("module_{}.cubin", modules_++)).string();
        write_file_atomically(made.file, built.cubin);
    }
    return made;
}

measurement kernel_runner::measure(gpu_worker& worker, const tune_job& job, const prepared_job& made,
                                   const measure_request& request)
{
    const assignment values = values_of(job);
    const evaluated_launch launch = expressions_.launch(values);
    gpu_task task{.cubin_file = made.file,
                  .kernel = made.build.kernel.value().name,
                  .threads = launch.threads,
                  .blocks = launch.blocks,
                  .cluster = launch.cluster,
                  .dynamic_shared_bytes = launch.dynamic_shared_bytes,
                  .carveout_percent = static_cast<int>(launch.carveout_percent.value_or(-1)),
                  .workload = parameter_text(spec_.workloads[job.workload].values),
                  .arguments = with_places(expressions_.arguments(values)),
                  .variables = with_places(expressions_.variables(values)),
                  .compared_as = spec_.verify.type,
                  .absolute = spec_.verify.absolute,
                  .relative = spec_.verify.relative,
                  .measure = spec_.measure,
                  .best_ns = request.best_ns,
                  .best_joules = request.best_joules,
                  .with_energy = request.with_energy,
                  .launch_seconds = first_launch_seconds,
                  .samples = request.samples,
                  .repeated = request.repeated};
    if (is_captured()) captures_.add_to(task, job.workload, launch.carveout_percent.has_value());
    const auto waiting = std::chrono::steady_clock::now();
    if (compares_with_baseline() && (request.is_reference || request.calibrates)) {
        task.makes_reference = true;
        if (request.is_reference) task.save_outputs = references_.to_be_saved(job.workload, task.arguments);
        for (const auto& [output, file] : task.save_outputs) std::ofstream(pending_file(file)).flush();
    } else if (compares_with_baseline()) {
        if (std::optional<measurement> failed = get_reference(worker, job.workload, task)) return *failed;
    } else if (!is_captured()) {  // a capture contains the expected output
        task.expected = references_.expected(job.workload, task.arguments);
    }
    const double waited = seconds_since(waiting);
    {
        const std::lock_guard guard(lock_);
        if (const auto reference = reference_.find(job.workload);
            reference != reference_.end() && !request.is_reference)
            task.launch_seconds =
                std::max(spec_.measure.hang_seconds, spec_.measure.hang_ratio * reference->second.slowest_ns * 1e-9);
    }
    measurement measured = worker.measure(task);
    // The worker has lost its reference, because it was restarted or the data was damaged, and there are no files.
    if (measured.status == outcome::rejected && !task.reference.empty() && !are_there(task.expected)) {
        if (std::optional<measurement> failed = make_reference_again(worker, job.workload, task)) return *failed;
        measured = worker.measure(task);
    }
    measured.seconds += waited;
    if (spec_.verify.against == verification::source::file) measured.warnings.clear();  // `check` reported them
    // A program's reference may still be in the making: the wait counts as reference time.
    if (measured.phases && spec_.verify.against == verification::source::program) measured.phases->reference += waited;
    if (measured.status == outcome::measured && request.is_reference)
        measured.verified = spec_.verify.against != verification::source::nothing;  // a reference is right
    if (measured.status == outcome::measured) note_reference(worker, job, request, measured);
    // If the worker died the candidate is tried again, and if the GPU was lost another worker needs the module. Else it
    // is done.
    if (measured.status != outcome::worker_died && measured.status != outcome::device_lost && request.samples == 0) {
        std::error_code ignored;
        fs::remove(made.file, ignored);
    }
    return measured;
}

void kernel_runner::note_reference(gpu_worker& worker, const tune_job& job, const measure_request& request,
                                   const measurement& measured)
{
    if (!request.is_reference && !request.calibrates) return;
    const std::lock_guard guard(lock_);
    kept_checksums_[{worker.process(), job.workload}] = measured.checksum;
    if (request.is_reference)
        reference_[job.workload] = {.job = job,
                                    .slowest_ns = std::ranges::max(measured.samples_ns),
                                    .checksum = measured.checksum,
                                    .writer = worker.process()};
}

// Sets what outputs are compared with: the worker's own copy if it equals the reference, else the files. These arrive
// soon, unless writing them failed.
std::optional<measurement> kernel_runner::get_reference(gpu_worker& worker, std::size_t workload, gpu_task& task)
{
    reference_state reference;
    std::string kept;
    {
        const std::lock_guard guard(lock_);
        const auto found = reference_.find(workload);
        if (found == reference_.end()) return std::nullopt;  // nothing to compare with
        reference = found->second;
        if (const auto own = kept_checksums_.find({worker.process(), workload}); own != kept_checksums_.end())
            kept = own->second;
    }
    task.expected = references_.to_be_saved(workload, task.arguments);
    task.reference = reference.checksum;
    if (worker.process() == reference.writer || kept == reference.checksum) return std::nullopt;
    const auto is_pending = [](const auto& file) { return fs::exists(pending_file(file.second)); };
    while (std::ranges::any_of(task.expected, is_pending) && is_running(reference.writer) && !interrupted())
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (are_there(task.expected) || interrupted()) return std::nullopt;
    return make_reference_again(worker, workload, task);
}

// Measures the reference again in this worker, which keeps it. Returns a measurement only on failure.
std::optional<measurement> kernel_runner::make_reference_again(gpu_worker& worker, std::size_t workload, gpu_task& task)
{
    tune_job job;
    {
        const std::lock_guard guard(lock_);
        job = reference_.at(workload).job;
    }
    const prepared_job made = prepare(job);
    measurement again{.reason = made.build.reason, .machine_failure = made.build.machine_failure};
    if (made.build.status == build_status::built && made.build.machine_failure.empty())
        again = measure(worker, job, made, {.samples = 1, .is_reference = true});
    if (!again.machine_failure.empty()) return again;
    if (made.build.status != build_status::built || again.status != outcome::measured)
        return measurement{.status = outcome::device_lost,
                           .reason = "the reference could not be measured again: " + again.reason,
                           .sticky = true};
    const std::lock_guard guard(lock_);
    task.reference = reference_.at(workload).checksum;
    return std::nullopt;
}

measurement kernel_runner::begin(gpu_worker& worker, std::size_t workload) const
{
    gpu_task task;
    task.workload = parameter_text(spec_.workloads[workload].values);
    if (is_captured()) {
        task.capture = capture_file_of(spec_, workload);
    } else {
        try {
            const assignment& of_workload = spec_.workloads[workload].values;
            task.arguments = with_places(
                expressions_.arguments(spec_.baseline ? joined(*spec_.baseline, of_workload) : of_workload));
        } catch (const error&) {  // depends on a candidate's parameters
            return {};
        }
    }
    return worker.measure(task);
}

// Of a child process that was not waited for yet.
bool is_running(pid_t process)
{
    siginfo_t ended{};
    return ::waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0;
}

}  // namespace

std::vector<std::shared_ptr<gpu_worker>> workers_for(const tune_spec& spec, const std::vector<int>& gpus,
                                                     const std::string& worker_program)
{
    std::vector<std::shared_ptr<gpu_worker>> workers;
    for (const int gpu : gpus)
        workers.push_back(std::make_shared<gpu_worker>(
            gpu_worker_options{.device = gpu, .captures = capture_files(spec), .worker_program = worker_program}));
    return workers;
}

tune_backend kernel_backend(const tune_spec& spec, kernel_builder* builder, const kernel_backend_options& options)
{
    const auto runner = std::make_shared<kernel_runner>(spec, builder, options);
    tune_backend backend;
    if (builder != nullptr) {
        backend.source_hash = builder->sources(options.architecture).hash();
        backend.preparers = builder->jobs();
        backend.give_up_preparing = [builder] { builder->give_up(); };
    }
    backend.prepare = [runner](const tune_job& job) { return runner->prepare(job); };
    backend.check = [runner](const search_space& space) { return runner->check(space); };
    if (builder != nullptr) backend.arguments_are_known = [runner] { return runner->parameter_types().has_value(); };
    backend.prior = [runner](const assignment& parameters) { return runner->promise(parameters); };
    const std::vector<std::shared_ptr<gpu_worker>>& workers = options.workers;
    for (const std::shared_ptr<gpu_worker>& worker : workers) {
        backend.measurers.push_back(
            [runner, worker](const tune_job& job, const prepared_job& made, const measure_request& request) {
                return runner->measure(*worker, job, made, request);
            });
    }
    backend.begin = [runner, workers](std::size_t measurer, std::size_t workload) {
        return runner->begin(*workers[measurer], workload);
    };
    backend.open = [workers] {
        for (const std::shared_ptr<gpu_worker>& worker : workers) worker->start();
    };
    backend.close = [workers] {
        for (const std::shared_ptr<gpu_worker>& worker : workers) worker->stop();
    };
    backend.needs_reference = spec.verify.against == verification::source::baseline;
    backend.calibrates_early = true;
    return backend;
}

}  // namespace launchbox
