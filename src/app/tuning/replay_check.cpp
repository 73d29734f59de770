// SPDX-License-Identifier: Apache-2.0
#include "app/tuning/replay_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "capture/folder/captured_launch.hpp"
#include "gpu/driver.hpp"
#include "image/names/demangle.hpp"
#include "report/core/short_names.hpp"
#include "support/files/files.hpp"
#include "support/text/terminal.hpp"
#include "tune/backend/captured_module.hpp"

namespace launchbox {

namespace {

// Two are enough to differ if the kernel's results vary; more would seldom find more.
constexpr int replays = 3;
constexpr double max_launch_seconds = 60;

gpu_task task_of_capture(const std::string& file, const captured_launch& launch, const std::string& cubin)
{
    gpu_task task;
    task.cubin_file = cubin;
    task.kernel = launch.kernel;
    for (std::size_t i = 0; i < 3; ++i) {
        task.threads[i] = static_cast<int>(launch.block[i]);
        task.blocks[i] = launch.grid[i];
        task.cluster[i] = static_cast<int>(launch.cluster[i]);
    }
    task.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    task.launch_seconds = max_launch_seconds;
    task.replays = replays;
    add_capture(file, launch, task, false);
    return task;
}

std::string counted(std::uint64_t bytes)
{
    return with_commas(static_cast<std::int64_t>(bytes));
}

}  // namespace

exit_status check_replays(const tune_spec& spec, const std::vector<int>& gpus,
                          const std::function<void(const std::string& line)>& tell)
{
    const std::vector<std::string> files = capture_files(spec);
    if (files.empty())
        throw error(spec.file + ": there is no captured launch to replay",
                    "--replay-check needs a spec of launchbox capture -k NAME -o FOLDER");
    const gpu_list found = find_gpus();
    if (found.devices.empty())
        throw error("a replay needs a GPU, and this machine has none: " + found.reason,
                    "run the same command on a machine with one", exit_status::missing);
    const int wanted = gpus.empty() ? found.devices.front().index : gpus.front();
    const auto gpu = std::ranges::find(found.devices, wanted, &gpu_device::index);
    if (gpu == found.devices.end())
        throw error(fmt::format("this machine has no GPU {}", wanted), "launchbox devices --here lists the GPUs");
    const temporary_directory folder;
    gpu_worker worker({.device = gpu->index, .captures = files, .worker_program = {}});
    exit_status status = exit_status::done;
    for (const std::string& file : files) {
        const captured_launch launch = read_capture(file);
        const std::string name =
            shortened(escape_for_terminal(short_name(demangle(launch.kernel))), widest_name_in_sentence);
        const std::string module = captured_module(file, gpu->capability).cubin;
        if (launch.changed_bytes() == 0) {
            tell(
                fmt::format("{}: nothing was verified: the launch changed no byte, so equal memory proves nothing; "
                            "capture an earlier one (--nth)",
                            name));
            status = std::max(status, exit_status::check_failed);
            continue;
        }
        const std::string cubin = (folder.path() / "module.cubin").string();
        write_file_atomically(cubin, module);
        const measurement answer = worker.measure(task_of_capture(file, launch, cubin));
        std::uint64_t compared = 0;
        for (const auto* list : {&launch.memory, &launch.variables})
            for (const captured_memory& memory : *list) compared += memory.bytes;
        if (answer.status == outcome::measured && answer.verified) {
            tell(fmt::format(
                "{}: bit-equal: {} replays left all {} bytes as in the program, {} of them changed by the launch", name,
                replays, counted(compared), counted(launch.changed_bytes())));
            continue;
        }
        tell(fmt::format("{}: {}", name,
                         answer.status == outcome::wrong_result
                             ? answer.reason
                             : fmt::format("{}: {}", words_of(answer.status), answer.reason)));
        if (status != exit_status::missing)
            status = answer.status == outcome::device_lost ? exit_status::missing : exit_status::check_failed;
    }
    return status;
}

}  // namespace launchbox
