// SPDX-License-Identifier: Apache-2.0
#include "tune/bench/bounds_race.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include "compiler/run/nvcc_arguments.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/command_words.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/parallel.hpp"
#include "support/process/subprocess.hpp"
#include "tune/bench/program_check.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

struct program_request {
    std::string source;  ///< .cu, as the user named it; has a main
    compute_capability architecture;
    std::vector<std::string> flags;  ///< further arguments of nvcc; must not choose architectures or outputs
    std::filesystem::path program;   ///< the output
};

// Runs nvcc. Returns its output if it failed, and nothing on success. Throws `error` if nvcc cannot be started, and
// for names and flags that nvcc would pass to a shell.
std::string build_program(const toolchain& tools, const program_request& request)
{
    check_flags_for_nvcc(request.flags);
    check_folder_for_nvcc(request.program.parent_path().string());
    std::vector<std::string> command{tools.nvcc.string(), "-gencode", machine_code_for(request.architecture), "-o",
                                     request.program.string()};
    command.insert(command.end(), request.flags.begin(), request.flags.end());
    command.push_back(name_for_nvcc(request.source));
    const subprocess_result ran =
        run(command, {.directory = {}, .environment = environment_for_nvcc(tools, request.program.parent_path())});
    if (ran.exit_code == 0 && std::filesystem::exists(request.program)) return {};
    return ran.output.empty() ? "nvcc ended with exit status " + std::to_string(ran.exit_code) : ran.output;
}

// A copy beside the original, where it finds its libraries and data; removed at the end. mkstemp makes the file under
// an unpredictable name and fails if one exists, even as a link.
class program_copy {
public:
    explicit program_copy(const fs::path& program)
    {
        std::string name = (program.parent_path() / ("." + program.filename().string() + ".launchbox-XXXXXX")).string();
        const int file = ::mkstemp(name.data());
        if (file < 0)
            throw error("cannot write beside " + program.string() + ": " + std::strerror(errno),
                        "the program is copied there for each bound");
        ::close(file);
        path_ = name;
        // Writes into the file that mkstemp made: if the name was replaced since, it is not followed.
        write_file_atomically(path_, read_file(program), program);
    }
    ~program_copy()
    {
        std::error_code ignored;
        fs::remove(path_, ignored);
    }
    program_copy(const program_copy&) = delete;
    program_copy& operator=(const program_copy&) = delete;
    [[nodiscard]] const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

fs::path program_of(const std::vector<std::string>& command)
{
    const fs::path program = command.front();
    return program.has_parent_path() ? program : find_in_path(program.string());
}

// The compiler's first error says more than its last line, "1 error detected".
std::string build_error(const std::string& printed)
{
    for (std::size_t start = 0; start < printed.size();) {
        const std::size_t end = std::min(printed.find('\n', start), printed.size());
        std::string line = printed.substr(start, end - start);
        if (line.find("error") != std::string::npos) return line;
        start = end + 1;
    }
    return last_line(printed);
}

std::vector<std::string> environment_of(const bounds_variant& variant, const std::string& architecture,
                                        const fs::path& header)
{
    std::vector<std::string> environment{
        "LAUNCHBOX_ATTRIBUTE=" + variant.attribute, "LAUNCHBOX_THREADS=" + std::to_string(variant.threads),
        "LAUNCHBOX_MIN_BLOCKS=" + std::to_string(variant.min_blocks),
        "LAUNCHBOX_MAX_REGISTERS=" + std::to_string(variant.max_registers), "LAUNCHBOX_ARCHITECTURE=" + architecture};
    if (!header.empty()) {
        const char* before = std::getenv("NVCC_APPEND_FLAGS");
        environment.push_back("NVCC_APPEND_FLAGS=" + (before == nullptr ? "" : before + std::string(" ")) +
                              "-include " + header.string());
    }
    return environment;
}

// A variant on its way to the race.
struct prepared {
    std::map<std::string, std::string> values;
    contestant who;
    fs::path header, program;
    std::optional<program_copy> copy;
};

void build_here(const toolchain& tools, const bounds_benchmark& benchmark, prepared& one, variant_time& result)
{
    std::vector<std::string> flags =
        benchmark.flags;  // as in the sweep, the header comes before the user's own -include
    if (!one.header.empty()) flags.insert(flags.begin(), {"-include", one.header.string()});
    const std::string failed = build_program(
        tools,
        {.source = benchmark.source, .architecture = benchmark.architecture, .flags = flags, .program = one.program});
    if (!failed.empty()) result.failure = "does not build: " + build_error(failed);
}

void build_by_user(const bounds_benchmark& benchmark, prepared& one, variant_time& result)
{
    const subprocess_result ran =
        run(filled_in(benchmark.build, one.values),
            {.directory = {}, .environment = one.who.environment, .time_limit = benchmark.build_time_limit});
    if (ran.timed_out)
        result.failure = fmt::format("its build did not end within {:g} s", benchmark.build_time_limit);
    else if (ran.exit_code != 0)
        result.failure = fmt::format("does not build: exit status {}: {}", ran.exit_code, build_error(ran.output));
    if (!result.failure.empty()) return;
    const fs::path built = program_of(one.who.command);
    std::error_code unknown;
    if (built.empty() || !fs::is_regular_file(built, unknown)) {
        result.failure = "its build does not write " + one.who.command.front();
        return;
    }
    if (!contains_kernels(built.string()))
        throw error(built.string() + " contains no CUDA code, so it is unknown whether it was rebuilt",
                    "let --measure start the program itself, or leave --build out and let the script call nvcc");
    one.program = one.copy.emplace(built).path();
    one.who.command.front() = one.program.string();
}

void check_built(const bounds_variant& variant, const prepared& one, const std::string& source, variant_time& result)
{
    const program_check check = check_program(one.program.string(), variant.expected);
    if (check.contradicts)
        result.failure =
            "was not rebuilt with it: the program has " + check.text + " (is " + source + " what it is made of?)";
    else if (!check.found)
        result.note = "the program contains no code of this kernel for " + variant.expected.architecture +
                      ", so that its bounds could not be checked";
    else
        result.note = check.text;
}

// Without a build command all variants would be the same program.
void refuse_unbuilt(const bounds_benchmark& benchmark)
{
    const fs::path program = program_of(benchmark.command);
    std::error_code unknown;
    if (program.empty() || !fs::is_regular_file(program, unknown) || !contains_kernels(program.string())) return;
    throw error(program.string() +
                    " is a program that contains kernels; unless it is rebuilt, every launch bound gives the same time",
                "add --build 'make', or write {program} instead of " + program.string() + " for one built from " +
                    benchmark.source);
}

void prepare_variant(const bounds_benchmark& benchmark, const bounds_variant& variant, const fs::path& folder,
                     prepared& one)
{
    const std::string architecture(architecture_name(benchmark.architecture).view());
    fs::create_directory(folder);
    if (!variant.header.empty()) {
        one.header = folder / "launch_bounds.cuh";
        write_file_atomically(one.header, variant.header);
    }
    one.program = folder / "program";
    one.values = {{"program", one.program.string()},
                  {"threads", std::to_string(variant.threads)},
                  {"min_blocks", std::to_string(variant.min_blocks)},
                  {"max_registers", std::to_string(variant.max_registers)},
                  {"architecture", architecture}};
    one.who = {.command = filled_in(benchmark.command, one.values),
               .environment = environment_of(variant, architecture, one.header)};
}

using done_of_total = std::function<void(std::size_t done, std::size_t total)>;

// Races the variants that were built; `results` gets their times.
void race_built(const bounds_benchmark& benchmark, const std::vector<prepared>& all, const done_of_total& progress,
                std::vector<variant_time>& results)
{
    std::vector<contestant> contestants;
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (results[i].failure.empty()) {
            contestants.push_back(all[i].who);
            numbers.push_back(i);
        }
    const std::vector<race_result> times = run_race(contestants, benchmark.race, progress);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        results[numbers[i]].times_ns = times[i].times_ns;
        results[numbers[i]].failure = times[i].failure;
    }
}

}  // namespace

std::vector<variant_time> race_bounds(const toolchain& tools, const bounds_benchmark& benchmark,
                                      const std::vector<bounds_variant>& variants,
                                      const std::function<void(std::size_t done, std::size_t total)>& progress)
{
    const bool builds_here = mentions(benchmark.command, "program");
    if (!builds_here && benchmark.build.empty()) refuse_unbuilt(benchmark);

    const temporary_directory folder;
    check_folder_for_nvcc(folder.path().string());
    std::vector<variant_time> results(variants.size());
    std::vector<prepared> all(variants.size());
    for (std::size_t i = 0; i < variants.size(); ++i)
        prepare_variant(benchmark, variants[i], folder.path() / std::to_string(i), all[i]);

    const std::size_t builds = builds_here || !benchmark.build.empty() ? variants.size() : 0;
    const std::size_t runs = variants.size() * static_cast<std::size_t>(benchmark.race.runs + 1);
    std::mutex lock;
    std::size_t built = 0;
    const auto count_build = [&] {
        const std::lock_guard guard(lock);
        ++built;
        if (progress) progress(built, builds + runs);
    };
    // The user's build command uses one folder, so only one runs at a time.
    run_parallel(
        builds,
        [&](std::size_t i) {
            if (interrupted()) return;
            if (builds_here)
                build_here(tools, benchmark, all[i], results[i]);
            else
                build_by_user(benchmark, all[i], results[i]);
            if (results[i].failure.empty()) check_built(variants[i], all[i], benchmark.source, results[i]);
            count_build();
        },
        builds_here ? benchmark.jobs : 1);

    race_built(
        benchmark, all,
        [&](std::size_t done, std::size_t total) {
            if (progress) progress(builds + runs - total + done, builds + runs);
        },
        results);
    return results;
}

}  // namespace launchbox
