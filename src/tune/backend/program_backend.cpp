// SPDX-License-Identifier: Apache-2.0
#include "tune/backend/program_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "compiler/run/compile_cache.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/clock.hpp"
#include "support/process/command_words.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/machine_failure.hpp"
#include "support/process/subprocess.hpp"
#include "support/text/pattern.hpp"
#include "tune/backend/backend_folder.hpp"
#include "tune/backend/program_folder.hpp"
#include "tune/backend/program_sources.hpp"
#include "tune/bench/benchmark_output.hpp"
#include "tune/types/sample_time.hpp"
#include "tune/worker/sampling_settings.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t max_output = std::size_t{16} << 20;
// Time limit in seconds of a reference whose duration is unknown.
constexpr double first_run_seconds = 600;
// A program that reports this many samples itself is run only once.
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
    for (const auto& [item, value] : values.values) result[item] = parameter_text(value);
    return result;
}

// A line that only reports that an earlier step failed.
bool is_consequence(const std::string& line)
{
    for (const std::string_view said :
         {"ld returned", "make: ***", "make[", "gmake: ***", "gmake[", "ninja: build stopped", "linker command failed",
          "Error 1", "Error 2", "FAILED:"})
        if (line.find(said) != std::string::npos) return true;
    return false;
}

// The first line of the log that states the cause, else the first that mentions an error, else the last.
std::string reason_in(const std::string& log)
{
    std::string consequence;
    std::size_t begin = 0;
    while (begin < log.size()) {
        const std::size_t end = std::min(log.find('\n', begin), log.size());
        const std::string line = log.substr(begin, end - begin);
        begin = end + 1;
        const auto says = [&](std::string_view words) { return line.find(words) != std::string::npos; };
        if (!says("error") && !says("Error") && !says("ERROR") && !says("undefined reference") &&
            !says("undefined symbol") && !says("multiple definition") && !says("cannot find -l"))
            continue;
        if (!is_consequence(line)) return in_short(line);
        if (consequence.empty()) consequence = in_short(line);
    }
    return consequence.empty() ? in_short(last_line(log)) : consequence;
}

double in_nanoseconds(const std::string& unit)
{
    return unit == "ns" ? 1 : unit == "us" ? 1e3 : unit == "s" ? 1e9 : 1e6;
}

// What the JSON objects in an output report. Each is on a line of its own.
struct program_report {
    std::string checksum;         ///< of all checksums, in order
    std::string failure, reason;  ///< of the first that names one
};

// Unchanged up to a readable length. A longer one is hashed, since every character must count in the comparison.
std::string short_checksum(const std::string& text)
{
    constexpr std::size_t longest = 200, shown = 64;
    if (text.size() <= longest) return text;
    return text.substr(0, shown) + fmt::format("... ({} characters, {})", text.size(), key_of({text}));
}

program_report read_program_report(std::string_view output)
{
    const auto text_in = [](const nlohmann::json& object, const char* key) {
        const auto found = object.find(key);
        return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    program_report said;
    while (!output.empty()) {
        const std::string_view line = output.substr(0, output.find('\n'));
        output.remove_prefix(std::min(line.size() + 1, output.size()));
        if (!line.starts_with('{')) continue;
        const nlohmann::json object = nlohmann::json::parse(line.begin(), line.end(), nullptr, false);
        if (!object.is_object()) continue;
        if (const std::string checksum = text_in(object, "checksum"); !checksum.empty())
            said.checksum += (said.checksum.empty() ? "" : " ") + checksum;
        if (!said.failure.empty()) continue;
        said.failure = text_in(object, "failure");
        said.reason = text_in(object, "reason");
    }
    said.checksum = short_checksum(said.checksum);
    return said;
}

// The reference output that the others are compared with.
struct reference_output {
    bool prints_time = false;
    std::string checksum;  // empty if it prints none
};

// One run of a candidate.
struct run_of_program {
    std::vector<std::string> command, environment;
    fs::path directory;
    double limit = 0;
};

std::string or_none(const std::string& checksum)
{
    return checksum.empty() ? "none" : checksum;
}

class program_runner {
public:
    program_runner(const tune_spec& spec, program_backend_options options)
        : spec_(spec),
          program_(spec.program.value()),
          options_(std::move(options)),
          folder_(folder_of_backend(options_.folder))
    {
    }

    prepared_job prepare(const tune_job& job);
    measurement measure(const tune_job& job, const prepared_job& made, const measure_request& request,
                        const std::string& gpu);

private:
    [[nodiscard]] prepared_job build(const assignment& values, const fs::path& folder) const;
    void run_build(const assignment& values, prepared_job& made) const;
    void refuse_unknown_sources(const assignment& values, const fs::path& list) const;
    [[nodiscard]] std::vector<std::string> in_copy(std::vector<std::string> words, const std::string& copy) const
    {
        return builds_in_place(program_) ? words_for_copy(std::move(words), spec_.folder, copy) : words;
    }
    void note_code(const assignment& values, const std::map<std::string, std::string>& before,
                   prepared_job& made) const;
    measurement run_once(const tune_job& job, const measure_request& request, const run_of_program& what,
                         const machine_watch& machine);
    void drop_when_done(const prepared_job& made);
    double limit_for(std::size_t workload, bool is_reference);
    void compare(const tune_job& job, const measure_request& request, bool prints_time, measurement& measured);

    const tune_spec& spec_;
    const program_target& program_;
    const program_backend_options options_;
    const fs::path folder_;
    std::mutex lock_;
    std::map<std::string, prepared_job> built_;  // by command: workloads may share a program
    std::map<std::string, std::shared_ptr<std::mutex>> under_way_;
    std::map<std::string, std::size_t> measured_;         // number of workloads, by program
    std::map<std::size_t, reference_output> references_;  // by workload
    std::map<std::size_t, double> seconds_;               // that one run of the reference took, by workload
    std::atomic<int> programs_ = 0;
};

// Builds in a folder of its own, which receives the program and its files. A build command without {output} writes
// beside its sources, so it gets a copy of them: otherwise every candidate would run the last build.
prepared_job program_runner::build(const assignment& values, const fs::path& folder) const
{
    prepared_job made;
    made.folder = folder.string();
    std::map<std::string, std::string> before;
    try {
        fs::create_directory(folder);
        if (builds_in_place(program_)) {
            const std::string store = fs::path(spec_.file).stem().string() + ".db";
            made.file = made.directory =
                copy_of_folder(spec_.folder, folder, {store, store + "-wal", store + "-shm"}).string();
            before = files_in(made.directory);
        } else {
            made.directory = spec_.folder;
            made.file = (folder / "program").string();
        }
    } catch (const fs::filesystem_error& failure) {
        made.build.status = build_status::compile_error;
        made.build.reason = "cannot make a folder for the build: " + failure.code().message();
        if (is_machine_failure(failure.code().value())) made.build.machine_failure = made.build.reason;
        return made;
    }
    const clock::time_point start = clock::now();
    run_build(values, made);
    made.build.compile_seconds = seconds_since(start);
    if (made.build.status != build_status::built) return made;
    const auto made_nothing = [&](const char* why) {
        made.build.status = build_status::compile_error;
        made.build.reason = why;
    };
    if (!builds_in_place(program_) && !fs::exists(made.file)) made_nothing("the build did not write {output}");
    if (builds_in_place(program_) && files_in(made.directory) == before)
        made_nothing(
            "the build changed no file of its copy of the spec's folder: it found everything up to date (make -B), or "
            "writes elsewhere; let it write {output}");
    if (made.build.status == build_status::built) note_code(values, before, made);
    return made;
}

void program_runner::run_build(const assignment& values, prepared_job& made) const
{
    const auto failed = [&](build_status status, std::string reason) {
        made.build.status = status;
        made.build.reason = std::move(reason);
    };
    const machine_watch machine(made.folder);
    std::vector<std::string> command =
        in_copy(filled_options(program_.build, placeholders(values, options_.architecture, made.file, spec_.name)),
                made.directory);
    const fs::path list = made.folder + ".files";
    if (!builds_in_place(program_))
        for (std::string& option : listing_options(command, list)) command.push_back(std::move(option));
    try {
        const subprocess_result ran = run(command, {.directory = made.directory,
                                                    .environment = {},
                                                    .output_cap = max_output,
                                                    .time_limit = program_.build_seconds});
        made.build.log = ran.output;
        const std::string reason = reason_in(ran.output);
        if (ran.timed_out)
            failed(build_status::compile_timeout,
                   fmt::format("the build did not end within {:g} s", program_.build_seconds));
        else if (ran.exit_code != 0)
            failed(build_status::compile_error,
                   reason.empty() ? fmt::format("the build ended with exit status {}", ran.exit_code) : reason);
        if (made.build.status == build_status::compile_error) made.build.machine_failure = machine.lacked();
    } catch (const machine_error& failure) {
        failed(build_status::compile_error, failure.what());
        made.build.machine_failure = failure.what();
    } catch (const error& failure) {
        failed(build_status::compile_error, failure.what());
    }
    if (made.build.status == build_status::built) refuse_unknown_sources(values, list);
    std::error_code ignored;
    fs::remove(list, ignored);
}

void program_runner::refuse_unknown_sources(const assignment& values, const fs::path& list) const
{
    std::error_code unknown;
    if (!fs::is_regular_file(list, unknown)) return;
    const auto place = [&](const fs::path& file) { return fs::weakly_canonical(file, unknown); };
    for (const fs::path& file : files_in_list(read_file(list), spec_.folder, program_.build)) {
        if (std::ranges::any_of(options_.sources, [&](const fs::path& known) { return place(known) == place(file); }))
            continue;
        fs::path shown = file.lexically_relative(spec_.folder);
        if (shown.empty() || *shown.begin() == "..") shown = file;
        throw error(fmt::format("the build with {} reads {}, but the build of the baseline does not, so changes to it "
                                "would go unnoticed",
                                parameter_text(values), shown.string()),
                    fmt::format("name it in [program]: sources = [\"{}\"]", shown.string()));
    }
}

// Two candidates are equal if their builds made the same bytes and they run with the same arguments: the parameter
// between them has no effect.
void program_runner::note_code(const assignment& values, const std::map<std::string, std::string>& before,
                               prepared_job& made) const
{
    made.build.code = hash_of_changes(builds_in_place(program_) ? made.directory : made.folder, before);
    std::vector<std::string> parts = filled_in(program_.run, placeholders(values, options_.architecture, "", ""));
    parts.push_back(made.build.code);
    made.same_when_equal = key_of({parts.begin(), parts.end()});
}

prepared_job program_runner::prepare(const tune_job& job)
{
    prepared_job made;
    const assignment values = joined(job.parameters, spec_.workloads[job.workload].values);
    if (program_.build.empty()) {
        made.directory = spec_.folder;
        return made;
    }
    const std::map<std::string, std::string> same = placeholders(values, options_.architecture, "", spec_.name);
    const std::vector<std::string> command = filled_options(program_.build, same);
    const std::string key = key_of({command.begin(), command.end()});
    std::shared_ptr<std::mutex> one_at_a_time;  // the jobs of other workloads wait for this build
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
            made.build.from_cache = true;
            return made;
        }
    }
    made = build(values, folder_ / fmt::format("program_{}", programs_++));
    if (made.build.status != build_status::built) {
        std::error_code ignored;
        fs::remove_all(made.folder, ignored);
        return made;
    }
    const std::lock_guard guard(lock_);
    return built_.insert_or_assign(key, made).first->second;
}

measurement program_runner::measure(const tune_job& job, const prepared_job& made, const measure_request& request,
                                    const std::string& gpu)
{
    const assignment values = joined(job.parameters, spec_.workloads[job.workload].values);
    run_of_program what{
        .command = in_copy(filled_in(program_.run, placeholders(values, options_.architecture, made.file, spec_.name)),
                           made.directory),
        .environment = {},
        .directory = made.directory,
        .limit = limit_for(job.workload, request.is_reference)};
    if (!gpu.empty()) what.environment.push_back("CUDA_VISIBLE_DEVICES=" + gpu);

    const clock::time_point start = clock::now();
    const auto elapsed = [&] { return seconds_since(start); };
    if (request.is_reference) {
        const std::lock_guard guard(lock_);
        references_.erase(job.workload);
    }
    const machine_watch machine(made.directory);
    measurement result = run_once(job, request, what, machine);
    if (request.is_reference && result.status == outcome::measured) {
        const std::lock_guard guard(lock_);
        seconds_[job.workload] = elapsed();
    }
    const auto has_few = [&] {
        return std::ranges::any_of(result.quantities, [](const measured_quantity& quantity) {
            return quantity.samples.size() < enough_of_its_own;
        });
    };
    if (result.status == outcome::measured && (result.samples_ns.size() < enough_of_its_own || has_few())) {
        detail::sampling_rules rules = sampling_rules_of(spec_.measure, request.best_ns);
        if (request.samples > 0) rules.min_samples = rules.max_samples = request.samples;
        detail::sample_series series(rules);
        for (const double sample : result.samples_ns) series.add(sample);
        detail::sampling_state state = series.state(elapsed());
        const auto goes_on = [&] {
            return state == detail::sampling_state::more ||
                   (state != detail::sampling_state::given_up && request.samples == 0 && has_few());
        };
        while (goes_on() && !interrupted()) {
            measurement again = run_once(job, request, what, machine);
            if (again.status != outcome::measured) {
                again.seconds = elapsed();
                return again;
            }
            for (const double sample : again.samples_ns) series.add(sample);
            add_samples(result.quantities, again.quantities);
            state = series.state(elapsed());
        }
        // An incomplete sample set is discarded: the next call measures it.
        if (goes_on())
            return {.status = outcome::worker_died, .reason = "interrupted before there were enough samples"};
        result.samples_ns = series.samples_ns();
        result.stopped_early = state == detail::sampling_state::given_up;
    }
    result.seconds = elapsed();
    if (request.samples == 0 && result.status != outcome::worker_died) drop_when_done(made);
    return result;
}

// The programs of thousands of candidates would fill the disk. A deleted one is built again if needed. The final race
// would have to wait for that, so the first ones are kept.
constexpr std::size_t max_kept_programs = 256;

// A copy of a folder is larger than a program.
constexpr std::size_t max_kept_copies = 32;

void program_runner::drop_when_done(const prepared_job& made)
{
    const std::lock_guard guard(lock_);
    if (made.folder.empty() || ++measured_[made.folder] < spec_.workloads.size()) return;
    if (measured_.size() <= (builds_in_place(program_) ? max_kept_copies : max_kept_programs)) return;
    std::error_code ignored;
    fs::remove_all(made.folder, ignored);
}

double program_runner::limit_for(std::size_t workload, bool is_reference)
{
    const std::lock_guard guard(lock_);
    const auto reference = seconds_.find(workload);
    if (is_reference || reference == seconds_.end()) return first_run_seconds;
    return std::max(spec_.measure.hang_seconds, spec_.measure.hang_ratio * reference->second);
}

measurement program_runner::run_once(const tune_job& job, const measure_request& request, const run_of_program& what,
                                     const machine_watch& machine)
{
    subprocess_result ran;
    try {
        ran = run(what.command, {.directory = what.directory,
                                 .environment = what.environment,
                                 .output_cap = max_output,
                                 .time_limit = what.limit});
    } catch (const machine_error& failure) {
        return {.status = outcome::launch_error, .reason = failure.what(), .machine_failure = failure.what()};
    } catch (const error& failure) {
        return {.status = outcome::launch_error, .reason = failure.what()};
    }
    if (ran.timed_out)
        return {.status = outcome::hang, .reason = fmt::format("did not end within {:.3g} s", what.limit)};
    program_output read = read_program_output(ran.output, program_, ran.seconds * 1e9);
    measurement& result = read.said;
    if (ran.exit_code != 0 && result.status == outcome::measured) {
        // A signal may be the machine's fault, so the run is tried again. An exit status is the program's own verdict.
        const std::string said = in_short(last_line(ran.output));
        return {.status = deadly_signal(ran) != 0 ? outcome::worker_died : outcome::wrong_result,
                .reason = ending_of(ran) + (said.empty() ? "" : ": " + said),
                .machine_failure = machine.lacked()};
    }
    if (result.status == outcome::measured) add_printed(ran.output, spec_.goal.quantities(), result);
    if (result.status == outcome::measured) compare(job, request, read.prints_time, result);
    return std::move(result);
}

// Compares every run of a candidate with the reference, and every later run of the reference with its first: a program
// may print the right result once and a wrong one next time.
void program_runner::compare(const tune_job& job, const measure_request& request, bool prints_time,
                             measurement& measured)
{
    const std::string reference_name = spec_.baseline ? "the baseline" : "the first candidate";
    const std::lock_guard guard(lock_);
    if (request.is_reference) references_.try_emplace(job.workload, reference_output{prints_time, measured.checksum});
    const auto reference = references_.find(job.workload);
    if (reference == references_.end()) return;
    // Wall time includes starting the program, so it is never compared with a time that a program prints.
    if (prints_time != reference->second.prints_time) {
        measured = {.status = outcome::launch_error,
                    .reason = prints_time ? "it prints a time, but " + reference_name +
                                                " prints none (metric = \"wall\" takes the wall time of all)"
                                          : "it prints no time, but " + reference_name + " does"};
        return;
    }
    if (spec_.verify.against == verification::source::nothing) return;
    measured.verified = true;
    const std::string& expected = reference->second.checksum;
    if (expected == measured.checksum || (expected.empty() && !request.is_reference)) return;
    const std::string checksum = measured.checksum;
    measured = {.status = outcome::wrong_result, .checksum = checksum};
    if (request.is_reference)
        measured.reason =
            fmt::format("its checksum is {} in one run and {} in another", or_none(expected), or_none(checksum));
    else if (checksum.empty())
        measured.reason = fmt::format("it prints no checksum, but {}'s is {}", reference_name, expected);
    else
        measured.reason = fmt::format("its checksum is {}, but {}'s is {}", checksum, reference_name, expected);
}

}  // namespace

bool asks_for_architecture(const program_target& program)
{
    return mentions(program.build, "arch") || mentions(program.run, "arch");
}

void add_printed(const std::string& output, const std::vector<std::string>& names, measurement& measured)
{
    for (const std::string& name : names) {
        const pattern printed(
            "(?:^|[^A-Za-z0-9_])" + name +
            R"re((?:["']?\s*[:=]\s*["']?|\s+)([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?))re");
        measured_quantity quantity{name, {}};
        std::string bad;
        for (std::string_view rest = output; !rest.empty();) {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(line.size() + 1, rest.size()));
            const std::optional<std::string_view> found = printed.find_first_group(line);
            if (!found) continue;
            const double value = std::strtod(std::string(*found).c_str(), nullptr);
            if (!is_quantity(value)) bad = std::string(*found).substr(0, 40);
            quantity.samples.push_back(value);
        }
        if (bad.empty() && !quantity.samples.empty()) {
            measured.quantities.push_back(std::move(quantity));
            continue;
        }
        measured = {.status = outcome::launch_error,
                    .reason = bad.empty() ? fmt::format("it prints no number {}, which the objective names", name)
                                          : fmt::format("it prints {} {}, which is not a number above 0", name, bad)};
        return;
    }
}

program_output read_program_output(const std::string& output, const program_target& program, double wall_ns)
{
    program_output read;
    measurement& result = read.said;
    const auto no_time = [&](const std::string& why) {
        result.status = outcome::launch_error;
        result.reason = in_short(why);
        result.samples_ns.clear();
        return read;
    };
    const program_report said = read_program_report(output);
    result.checksum = said.checksum;
    if (!said.failure.empty()) {
        result.status = outcome_said(said.failure);
        result.reason = in_short(said.reason.empty() ? said.failure : said.reason);
        return read;
    }
    if (program.metric == "wall") {
        result.samples_ns = {wall_ns};
        return read;
    }
    read.prints_time = true;
    if (!program.metric.empty()) {
        const pattern metric(program.metric);
        std::string_view rest_of_output = output;
        while (!rest_of_output.empty()) {
            const std::string_view line = rest_of_output.substr(0, rest_of_output.find('\n'));
            rest_of_output.remove_prefix(std::min(line.size() + 1, rest_of_output.size()));
            const std::optional<std::string_view> found = metric.find_first_group(line);
            if (!found) continue;
            char* rest = nullptr;
            const std::string number(*found);
            const double value = std::strtod(number.c_str(), &rest);
            const double nanoseconds = value * in_nanoseconds(program.unit);
            if (rest == number.c_str() || !std::isfinite(value) || value <= 0)
                return no_time(fmt::format("the metric finds '{}', which is not a time above 0", number.substr(0, 40)));
            if (const std::string why = why_no_time(nanoseconds); !why.empty())
                return no_time(fmt::format("the metric finds '{}', and that is {}", number.substr(0, 40), why));
            result.samples_ns.push_back(nanoseconds);
        }
        if (result.samples_ns.empty()) return no_time("its output does not match the metric " + program.metric);
        return read;
    }
    benchmark_time time = read_benchmark_output(output);
    if (!time.found() && time.printed) return no_time(time.diagnostic);
    read.prints_time = time.found();
    result.samples_ns = time.found() ? std::move(time.samples_ns) : std::vector<double>{wall_ns};
    return read;
}

bool builds_in_place(const program_target& program)
{
    return !program.build.empty() && !mentions(program.build, "output");
}

tune_backend program_backend(const tune_spec& spec, const program_backend_options& options)
{
    const auto runner = std::make_shared<program_runner>(spec, options);
    tune_backend backend;
    backend.preparers = options.jobs == 0 ? std::max(1u, std::thread::hardware_concurrency()) : options.jobs;
    backend.prepare = [runner](const tune_job& job) { return runner->prepare(job); };
    const auto gpus = options.gpus.empty() ? std::vector<std::string>{""} : options.gpus;
    for (const std::string& gpu : gpus)
        backend.measurers.push_back(
            [runner, gpu](const tune_job& job, const prepared_job& made, const measure_request& request) {
                return runner->measure(job, made, request, gpu);
            });
    backend.alone = options.gpus.empty();
    backend.needs_reference = true;
    if (builds_in_place(spec.program.value()))
        backend.check = [&spec](const search_space&) {
            check_copied_folder(spec.folder);
            return std::vector<std::string>();
        };
    return backend;
}

}  // namespace launchbox
