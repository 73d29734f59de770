// SPDX-License-Identifier: Apache-2.0
#include "tune/backend/program_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <launchbox/detail/measure/sampling.hpp>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "compiler/compile_cache.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/command_words.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/subprocess.hpp"
#include "tune/bench/benchmark_output.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t max_output = std::size_t{16} << 20;
// A reference of which nothing is known yet may take so long, in seconds.
constexpr double first_run_seconds = 600;
// A program that reports so many samples itself is not run again.
constexpr std::size_t enough_of_its_own = 3;

std::string in_short(const std::string& text)
{
    constexpr std::size_t enough = 200;
    return text.substr(0, enough);
}

std::map<std::string, std::string> placeholders(const assignment& values, const std::string& architecture,
                                                const std::string& output, const std::string& name)
{
    std::map<std::string, std::string> result{{"output", output}, {"arch", architecture}, {"name", name}};
    for (const auto& [item, value] : values.values) result[item] = text_of(value);
    return result;
}

// The compiler's first line that speaks of an error, else its last line.
std::string reason_in(const std::string& log)
{
    std::size_t begin = 0;
    while (begin < log.size()) {
        const std::size_t end = std::min(log.find('\n', begin), log.size());
        const std::string line = log.substr(begin, end - begin);
        if (line.find("error") != std::string::npos || line.find("Error") != std::string::npos) return in_short(line);
        begin = end + 1;
    }
    return in_short(last_line(log));
}

double in_nanoseconds(const std::string& unit)
{
    return unit == "ns" ? 1 : unit == "us" ? 1e3 : unit == "s" ? 1e9 : 1e6;
}

// The last JSON object of the output that stands on a line of its own.
nlohmann::json object_in(const std::string& output)
{
    std::size_t end = output.size();
    while (end > 0) {
        const std::size_t begin = output.rfind('\n', end - 1);
        const std::size_t from = begin == std::string::npos ? 0 : begin + 1;
        if (output[from] == '{') {
            nlohmann::json parsed =
                nlohmann::json::parse(output.begin() + static_cast<std::ptrdiff_t>(from),
                                      output.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
            if (parsed.is_object()) return parsed;
        }
        if (begin == std::string::npos) break;
        end = begin;
    }
    return nullptr;
}

std::string text_in(const nlohmann::json& object, const char* key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

class program_runner {
public:
    program_runner(const tune_spec& spec, program_backend_options options)
        : spec_(spec), program_(spec.program.value()), options_(std::move(options))
    {
    }

    prepared_job prepare(const tune_job& job);
    measurement measure(const tune_job& job, const prepared_job& made, const measure_request& request, int gpu);

private:
    [[nodiscard]] prepared_job build(const assignment& values, const std::string& program) const;
    measurement run_once(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                         double limit);
    void drop_when_done(const std::string& file);
    double limit_for(std::size_t workload, bool is_reference);
    void remember_reference(std::size_t workload, double seconds);
    void compare(const tune_job& job, const measure_request& request, measurement& measured);

    const tune_spec& spec_;
    const program_target& program_;
    const program_backend_options options_;
    std::mutex lock_;
    std::map<std::string, prepared_job> built_;  // by command: a program serves all workloads that it does not know
    std::map<std::string, std::shared_ptr<std::mutex>> under_way_;
    std::map<std::string, std::size_t> measured_;   // on how many workloads, by program
    std::map<std::size_t, std::string> checksums_;  // of the reference, by workload
    std::map<std::size_t, double> seconds_;         // that one run of the reference took, by workload
    std::atomic<int> programs_ = 0;
};

// Runs the build, and says how it ended.
prepared_job program_runner::build(const assignment& values, const std::string& program) const
{
    prepared_job made;
    const auto failed = [&](build_status status, std::string reason) {
        made.status = status;
        made.reason = std::move(reason);
    };
    const clock::time_point start = clock::now();
    try {
        const subprocess_result ran =
            run(filled_in(program_.build, placeholders(values, options_.architecture, program, spec_.name)),
                {.directory = spec_.folder,
                 .environment = {},
                 .output_cap = max_output,
                 .time_limit = program_.build_seconds});
        made.log = ran.output;
        const std::string reason = reason_in(ran.output);
        if (ran.timed_out)
            failed(build_status::compile_timeout,
                   fmt::format("the build did not end within {:g} s", program_.build_seconds));
        else if (ran.exit_code != 0)
            failed(build_status::compile_error,
                   reason.empty() ? fmt::format("the build ended with exit status {}", ran.exit_code) : reason);
    } catch (const error& failure) {
        failed(build_status::compile_error, failure.what());
    }
    made.compile_seconds = std::chrono::duration<double>(clock::now() - start).count();
    if (made.status == build_status::built && mentions(program_.build, "output") && !fs::exists(program))
        failed(build_status::compile_error, "the build made no {output}");
    return made;
}

prepared_job program_runner::prepare(const tune_job& job)
{
    prepared_job made;
    const assignment values = joined(job.parameters, spec_.workloads[job.workload].values);
    if (program_.build.empty()) return made;
    const std::map<std::string, std::string> same = placeholders(values, options_.architecture, "", spec_.name);
    std::string key;
    for (const std::string& word : filled_in(program_.build, same)) key += word + '\n';
    std::shared_ptr<std::mutex> one_at_a_time;  // the other workloads' jobs wait for this build
    {
        const std::lock_guard guard(lock_);
        std::shared_ptr<std::mutex>& known = under_way_[key];
        if (known == nullptr) known = std::make_shared<std::mutex>();
        one_at_a_time = known;
    }
    const std::lock_guard building(*one_at_a_time);
    {
        const std::lock_guard guard(lock_);
        if (const auto found = built_.find(key); found != built_.end() && fs::exists(found->second.file)) {
            made = found->second;
            made.from_cache = true;
            return made;
        }
    }
    const std::string program = (options_.folder / fmt::format("program_{}", programs_++)).string();
    made = build(values, program);
    if (made.status != build_status::built) return made;
    made.file = program;
    // The same bytes run with the same arguments: a parameter that changes nothing.
    if (fs::exists(program)) {
        const std::string bytes = read_input(program);
        std::string arguments;
        for (const std::string& word : filled_in(program_.run, placeholders(values, options_.architecture, "", "")))
            arguments += word + '\n';
        made.code = key_of({bytes});
        made.same_when_equal = made.code + "\n" + arguments;
    }
    const std::lock_guard guard(lock_);
    return built_.insert_or_assign(key, made).first->second;
}

measurement program_runner::measure(const tune_job& job, const prepared_job& made, const measure_request& request,
                                    int gpu)
{
    const assignment values = joined(job.parameters, spec_.workloads[job.workload].values);
    const std::vector<std::string> command =
        filled_in(program_.run, placeholders(values, options_.architecture, made.file, spec_.name));
    std::vector<std::string> environment;
    if (gpu >= 0) environment.push_back("CUDA_VISIBLE_DEVICES=" + std::to_string(gpu));
    const measure_settings& settings = spec_.measure;
    const double limit = limit_for(job.workload, request.is_reference);

    const clock::time_point start = clock::now();
    const auto elapsed = [&] { return std::chrono::duration<double>(clock::now() - start).count(); };
    measurement result = run_once(command, environment, limit);
    if (request.is_reference && result.what == outcome::measured) remember_reference(job.workload, elapsed());
    if (result.what == outcome::measured) compare(job, request, result);
    if (result.what == outcome::measured && result.samples_ns.size() < enough_of_its_own) {
        detail::sampling_rules rules{.min_samples = settings.min_samples,
                                     .max_samples = settings.max_samples,
                                     .relative_error = settings.relative_error,
                                     .max_seconds = settings.max_seconds,
                                     .best_ns = request.best_ns,
                                     .give_up_ratio = settings.give_up_ratio};
        if (request.samples > 0) rules.min_samples = rules.max_samples = request.samples;
        detail::sample_series series(rules);
        for (const double sample : result.samples_ns) series.add(sample);
        while (series.state(elapsed()) == detail::sampling_state::more && !interrupted()) {
            const measurement again = run_once(command, environment, limit);
            if (again.what != outcome::measured) return again;
            for (const double sample : again.samples_ns) series.add(sample);
        }
        result.samples_ns = series.samples_ns();
        result.stopped_early = series.state(elapsed()) == detail::sampling_state::given_up;
    }
    result.seconds = elapsed();
    if (request.samples == 0 && result.what != outcome::worker_died) drop_when_done(made.file);
    return result;
}

// Programs of thousands of candidates would fill the disk. One that is needed again is built again, for which the final
// race would wait, so that the first ones stay.
constexpr std::size_t max_kept_programs = 256;

void program_runner::drop_when_done(const std::string& file)
{
    const std::lock_guard guard(lock_);
    if (file.empty() || ++measured_[file] < spec_.workloads.size()) return;
    if (measured_.size() <= max_kept_programs) return;
    std::error_code ignored;
    fs::remove(file, ignored);
}

double program_runner::limit_for(std::size_t workload, bool is_reference)
{
    const std::lock_guard guard(lock_);
    const auto reference = seconds_.find(workload);
    if (is_reference || reference == seconds_.end()) return first_run_seconds;
    return std::max(spec_.measure.hang_seconds, spec_.measure.hang_ratio * reference->second);
}

void program_runner::remember_reference(std::size_t workload, double seconds)
{
    const std::lock_guard guard(lock_);
    seconds_[workload] = seconds;
}

measurement program_runner::run_once(const std::vector<std::string>& command,
                                     const std::vector<std::string>& environment, double limit)
{
    subprocess_result ran;
    const clock::time_point start = clock::now();
    try {
        ran =
            run(command,
                {.directory = spec_.folder, .environment = environment, .output_cap = max_output, .time_limit = limit});
    } catch (const error& failure) {
        return {.what = outcome::launch_error, .reason = failure.what()};
    }
    const double wall_ns = std::chrono::duration<double, std::nano>(clock::now() - start).count();
    if (ran.timed_out) return {.what = outcome::hang, .reason = fmt::format("did not end within {:.3g} s", limit)};
    measurement result = read_program_output(ran.output, program_, wall_ns);
    if (ran.exit_code != 0 && result.what == outcome::measured) {
        // A signal may be the machine's doing and is tried again; an exit status is what the program says of its
        // result.
        const std::string said = in_short(last_line(ran.output));
        return {.what = ran.exit_code > 128 ? outcome::worker_died : outcome::wrong_result,
                .reason = (ran.exit_code > 128 ? fmt::format("ended by signal {}", ran.exit_code - 128)
                                               : fmt::format("ended with exit status {}", ran.exit_code)) +
                          (said.empty() ? "" : ": " + said)};
    }
    return result;
}

// A program says by its exit status that its result is right; where it also prints a checksum, that must be the
// reference's.
void program_runner::compare(const tune_job& job, const measure_request& request, measurement& measured)
{
    if (spec_.verify.against == verification::source::nothing) return;
    measured.verified = true;
    if (measured.checksum.empty()) return;
    const std::lock_guard guard(lock_);
    if (request.is_reference) {
        checksums_[job.workload] = measured.checksum;
    } else if (const auto reference = checksums_.find(job.workload);
               reference != checksums_.end() && reference->second != measured.checksum) {
        measured = {
            .what = outcome::wrong_result,
            .reason = fmt::format("its checksum is {}, and the baseline's is {}", measured.checksum, reference->second),
            .checksum = measured.checksum};
    }
}

}  // namespace

bool asks_for_architecture(const program_target& program)
{
    return mentions(program.build, "arch") || mentions(program.run, "arch");
}

measurement read_program_output(const std::string& output, const program_target& program, double wall_ns)
{
    measurement result;
    const nlohmann::json said = object_in(output);
    if (said.is_object()) {
        result.checksum = in_short(text_in(said, "checksum"));
        if (const std::string failure = text_in(said, "failure"); !failure.empty()) {
            result.what = outcome_named(failure).value_or(outcome::launch_error);
            if (result.what == outcome::measured) result.what = outcome::launch_error;
            result.reason = in_short(text_in(said, "reason"));
            if (result.reason.empty()) result.reason = failure;
            return result;
        }
    }
    if (!program.metric.empty()) {
        std::smatch found;
        // Line by line: std::regex recurses on long texts.
        std::size_t begin = 0;
        const std::regex metric(program.metric);
        while (begin < output.size()) {
            const std::size_t end = std::min(output.find('\n', begin), output.size());
            const std::string line = output.substr(begin, std::min<std::size_t>(end - begin, 4096));
            begin = end + 1;
            if (!std::regex_search(line, found, metric) || found.size() < 2) continue;
            char* rest = nullptr;
            const std::string number = found[1];
            const double value = std::strtod(number.c_str(), &rest);
            if (rest == number.c_str() || !std::isfinite(value) || value <= 0) continue;
            result.samples_ns.push_back(value * in_nanoseconds(program.unit));
        }
        if (result.samples_ns.empty()) {
            result.what = outcome::launch_error;
            result.reason = "nothing in its output matches the metric " + in_short(program.metric);
        }
        return result;
    }
    const benchmark_time time = read_benchmark_output(output);
    const bool tries = said.is_object() && (said.contains("time_ms") || said.contains("samples_ns"));
    if (!time.found() && tries) return {.what = outcome::launch_error, .reason = time.diagnostic};
    result.samples_ns = time.found() ? time.samples_ns : std::vector<double>{wall_ns};
    return result;
}

tune_backend program_backend(const tune_spec& spec, const program_backend_options& options)
{
    const auto runner = std::make_shared<program_runner>(spec, options);
    tune_backend backend;
    backend.preparers = options.jobs == 0 ? std::max(1u, std::thread::hardware_concurrency()) : options.jobs;
    backend.prepare = [runner](const tune_job& job) { return runner->prepare(job); };
    const std::vector<int> gpus = options.gpus.empty() ? std::vector<int>{-1} : options.gpus;
    for (const int gpu : gpus)
        backend.measurers.push_back(
            [runner, gpu](const tune_job& job, const prepared_job& made, const measure_request& request) {
                return runner->measure(job, made, request, gpu);
            });
    backend.alone = options.gpus.empty();
    backend.needs_reference = true;
    return backend;
}

}  // namespace launchbox
