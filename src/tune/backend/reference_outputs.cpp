// SPDX-License-Identifier: Apache-2.0
#include "tune/backend/reference_outputs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <system_error>

#include "support/error.hpp"
#include "support/process/command_words.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/subprocess.hpp"
#include "tune/worker/buffers.hpp"
#include "tune/worker/npy.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

// A reference in plain Python for 10^8 elements takes minutes.
constexpr double longest_reference_seconds = 3600;

// Writes the kernel's input as .npy.
void write_argument(const task_argument& argument, const std::string& file)
{
    constexpr std::int64_t at_once = 1 << 20;
    const element_type type = element_type_of(argument.type);
    const argument_filler filler(argument);
    write_file_atomically(file, [&](std::ostream& out) {
        out << npy_header(type, argument.count);
        std::string part;
        for (std::int64_t first = 0; first < argument.count; first += at_once) {
            const std::int64_t count = std::min(at_once, argument.count - first);
            part.resize(static_cast<std::size_t>(count) * static_cast<std::size_t>(type.bytes));
            filler.fill(first, count, part.data());
            out << part;
        }
    });
}

constexpr const char* memory_folder = "/dev/shm";

std::string file_in(const fs::path& folder, std::size_t workload, const std::string& name)
{
    return (folder / fmt::format("reference_{}_{}.npy", workload, name)).string();
}

bool is_output(const task_argument& argument)
{
    return argument.role != argument_role::input;
}

}  // namespace

reference_outputs::reference_outputs(const tune_spec& spec, fs::path folder) : spec_(spec), folder_(std::move(folder))
{
}

reference_outputs::~reference_outputs()
{
    stop_ = true;  // the threads of `made_` must end first
    made_.clear();
}

// The same folder for all calls with a workload. Other programs may fill the memory meanwhile, so twice the size must
// be free.
fs::path reference_outputs::folder_for(std::size_t workload, const std::vector<task_argument>& arguments)
{
    const std::lock_guard guard(choice_);
    if (const auto chosen = folders_.find(workload); chosen != folders_.end()) return chosen->second;
    std::uintmax_t bytes = 0;
    for (const task_argument& argument : arguments) bytes += argument.scalar ? 0 : bytes_of(argument);
    std::error_code failure;
    const fs::space_info room = fs::space(memory_folder, failure);
    const bool fits = !failure && bytes < room.available / 2 && ::access(memory_folder, W_OK) == 0;
    if (fits && !in_memory_) in_memory_.emplace(memory_folder);
    return folders_[workload] = fits ? in_memory_->path() : folder_;
}

std::map<std::string, std::string> reference_outputs::to_be_saved(std::size_t workload,
                                                                  const std::vector<task_argument>& arguments)
{
    const fs::path folder = folder_for(workload, arguments);
    std::map<std::string, std::string> files;
    for (const task_argument& argument : arguments)
        if (is_output(argument)) files[argument.name] = file_in(folder, workload, argument.name);
    return files;
}

std::map<std::string, std::string> reference_outputs::expected(std::size_t workload,
                                                               const std::vector<task_argument>& arguments)
{
    switch (spec_.verify.against) {
        case verification::source::nothing:
            return {};
        case verification::source::program:
            return made(workload, arguments).get();
        case verification::source::file:
            break;
        case verification::source::baseline:
            return to_be_saved(workload, arguments);
    }
    std::map<std::string, std::string> files;
    for (const auto& [output, file] : spec_.verify.files) {
        const fs::path path = fs::path(spec_.folder) / filled_in(file, spec_.workloads[workload].values);
        if (!fs::exists(path))
            throw error("the reference of the output " + output + ", " + path.string() + ", is not there",
                        "write it, or compare with the baseline: against = \"baseline\" in [verify]");
        // Without a name there is a single output, and the file belongs to it.
        for (const task_argument& argument : arguments)
            if (is_output(argument) && (output.empty() || output == argument.name))
                files[argument.name] = path.string();
    }
    return files;
}

void reference_outputs::start(std::size_t workload, const std::vector<task_argument>& arguments)
{
    if (spec_.verify.against == verification::source::program) made(workload, arguments);
}

// Programs run one at a time, since only the user knows how much memory one takes.
std::shared_future<reference_outputs::output_files> reference_outputs::made(std::size_t workload,
                                                                            const std::vector<task_argument>& arguments)
{
    const std::lock_guard guard(lock_);
    std::shared_future<output_files>& files = made_[workload];
    if (files.valid()) return files;
    const auto make = [this, workload, arguments] {
        const std::lock_guard alone(one_program_);
        return made_by_program(workload, arguments);
    };
    try {
        files = std::async(std::launch::async, make).share();
    } catch (const std::system_error&) {  // no more threads: whoever waits runs it
        files = std::async(std::launch::deferred, make).share();
    }
    return files;
}

reference_outputs::output_files reference_outputs::made_by_program(std::size_t workload,
                                                                   const std::vector<task_argument>& arguments)
{
    if (stop_ || interrupted()) throw error("interrupted", {}, exit_status::interrupted);
    const fs::path folder = folder_for(workload, arguments);
    std::map<std::string, std::string> values, files;
    for (const auto& [name, value] : spec_.workloads[workload].values.values) values[name] = parameter_text(value);
    for (const task_argument& argument : arguments) {
        if (argument.scalar) {
            values[argument.name] = std::to_string(argument.integer);
            continue;
        }
        const std::string file = file_in(folder, workload, argument.name);
        if (is_output(argument)) files[argument.name] = file;
        if (argument.role != argument_role::output) write_argument(argument, file);
        values[argument.name] = file;
    }
    const subprocess_result ran = run(filled_in(spec_.verify.command, values), {.directory = spec_.folder,
                                                                                .environment = {},
                                                                                .output_cap = 1 << 20,
                                                                                .time_limit = longest_reference_seconds,
                                                                                .stop = &stop_});
    if (ran.timed_out || ran.exit_code != 0)
        throw error(fmt::format("the program of [verify] {}: {}",
                                ran.timed_out ? "did not end" : fmt::format("ended with exit status {}", ran.exit_code),
                                last_line(ran.output)),
                    "it gets the inputs and must write the outputs as .npy: " +
                        fmt::format("{}", fmt::join(spec_.verify.command, " ")));
    for (const auto& [name, file] : files)
        if (!fs::exists(file))
            throw error("the program of [verify] did not write the output " + name,
                        "pass {" + name + "} to it: the .npy belongs there");
    return files;
}

}  // namespace launchbox
