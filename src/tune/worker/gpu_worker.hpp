// One GPU, measured in a process of its own that may die.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/driver.hpp"
#include "tune/spec/tune_spec.hpp"
#include "tune/types/measurement.hpp"

namespace launchbox {

/// One parameter of the kernel for one workload: nothing is left to be replaced or calculated.
struct task_argument {
    std::string name;
    std::string type;
    bool scalar = false;
    std::int64_t count = 1;    ///< elements
    double number = 0;         ///< of a scalar or of `constant`
    std::int64_t integer = 0;  ///< the same for integers
    fill_kind fill = fill_kind::zeros;
    std::optional<double> low = {}, high = {};
    std::int64_t seed = 1;
    std::string file = {};
    argument_role role = argument_role::input;
    std::optional<bool> reset = {};  ///< of a variable: whether it is filled again before each launch; see the spec
};

/// One candidate on one workload. Without a cubin only the memory of the workload is made ready.
struct gpu_task {
    std::string cubin_file;
    std::string kernel;  ///< as the driver knows it
    std::array<int, 3> threads{1, 1, 1};
    std::array<std::int64_t, 3> blocks{1, 1, 1};
    std::array<int, 3> cluster{1, 1, 1};
    std::int64_t dynamic_shared_bytes = 0;
    bool cooperative = false;
    int carveout_percent = -1;  ///< -1: none is asked for
    std::string workload;       ///< tasks with the same text have the same arguments
    std::vector<task_argument> arguments;
    /// Of the module, filled when it is loaded; without a type they are left as they are.
    std::vector<task_argument> variables = {};
    /// capture.json of a captured launch, which gives the arguments and what has to come out of them; empty: none.
    std::string capture = {};
    std::string compared_as = {};  ///< the type of what a captured launch writes, for the tolerance; empty: bytes
    int replays = 0;  ///< above 0: the captured launch is only run and compared so many times, and not timed
    /// Output's name -> .npy that it must equal; empty: not compared.
    std::map<std::string, std::string> expected = {};
    /// What this kernel leaves is right: it stays on the GPU, and later tasks with its checksum as `reference` are
    /// compared with it.
    bool makes_reference = false;
    /// With `makes_reference`: output's name -> .npy to be written after the answer, before the next task.
    std::map<std::string, std::string> save_outputs = {};
    /// The checksum of the answer to a task that made the reference. Where this worker has none of that checksum,
    /// `expected` is read.
    std::string reference = {};
    double absolute = 0, relative = 0;
    measure_settings measure;
    double best_ns = 0;          ///< of the best so far on this workload; 0: none
    double best_joules = 0;      ///< the same for the energy
    bool with_energy = false;    ///< energy and power are measured, too
    double launch_seconds = 10;  ///< a launch that takes longer hangs
    int samples = 0;             ///< above 0: exactly so many, without giving up
    /// Timed again and again: its module stays loaded. A task without this ends that.
    bool repeated = false;
};

/// Stands beside a file of `save_outputs` until it is written, or cannot be: made by whoever asks, removed by the
/// worker.
inline std::string pending_file(const std::string& file)
{
    return file + ".pending";
}

struct gpu_worker_options {
    int device = 0;
    std::vector<std::string> captures = {};  ///< whose addresses the process keeps free: capture.json of each
    std::string worker_program;              ///< starts with run_gpu_worker; empty: this program
    /// How long it may be silent beyond what a task's own limits allow: a call of the driver that does not return.
    double overhead_seconds = 30;
};

/// Starts the process when it is first needed, and again after it died or could not go on. Not for two threads at once.
class gpu_worker {
public:
    explicit gpu_worker(const gpu_worker_options& options);
    ~gpu_worker();

    /// Starts the process now, so that it has its GPU by the time it is needed. It ends with the calling thread.
    void start();

    /// The process ends, and nobody waits for it: a GPU takes its time to free what it held. For the end of a run.
    void stop();

    /// Never throws for what a kernel does. A worker that dies, or does not answer in time, is one death: then
    /// `worker_died` or `hang`, and the next call starts another. `device_lost`: the GPU does not answer to a new one.
    measurement measure(const gpu_task& task);

    [[nodiscard]] int starts() const;     ///< processes so far
    [[nodiscard]] pid_t process() const;  ///< 0: none is running

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

/// The other side: reads tasks from standard input until it ends.
int run_gpu_worker(int device, const std::vector<std::string>& captures);

}  // namespace launchbox
