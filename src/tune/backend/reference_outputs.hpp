// What the outputs of a kernel have to be: files in NumPy's format, one an output and workload.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "support/files/files.hpp"
#include "tune/spec/tune_spec.hpp"
#include "tune/worker/gpu_worker.hpp"

namespace launchbox {

/// May be used by many threads at once.
class reference_outputs {
public:
    /// Files that are made go into memory (/dev/shm) where it has room for them, else into `folder`. `spec` must
    /// outlive this.
    reference_outputs(const tune_spec& spec, std::filesystem::path folder);
    ~reference_outputs();
    reference_outputs(const reference_outputs&) = delete;
    reference_outputs& operator=(const reference_outputs&) = delete;

    /// Where the reference's outputs are to be written, by the name of the output.
    std::map<std::string, std::string> to_be_saved(std::size_t workload, const std::vector<task_argument>& arguments);

    /// Starts the program of [verify] for a workload, if there is one and this is the first time.
    void start(std::size_t workload, const std::vector<task_argument>& arguments);

    /// With what the outputs are to be compared; empty when there is nothing. Waits for the program of [verify].
    /// Throws `error` when it fails, and for files that are not there.
    std::map<std::string, std::string> expected(std::size_t workload, const std::vector<task_argument>& arguments);

private:
    using output_files = std::map<std::string, std::string>;
    std::shared_future<output_files> made(std::size_t workload, const std::vector<task_argument>& arguments);
    output_files made_by_program(std::size_t workload, const std::vector<task_argument>& arguments);
    std::filesystem::path folder_for(std::size_t workload, const std::vector<task_argument>& arguments);

    const tune_spec& spec_;
    std::filesystem::path folder_;
    std::mutex lock_, one_program_, choice_;
    std::optional<temporary_directory> in_memory_;
    std::map<std::size_t, std::filesystem::path> folders_;  // by workload, under choice_
    std::atomic<bool> stop_ = false;
    std::map<std::size_t, std::shared_future<output_files>> made_;  // last: its threads use all of the above
};

}  // namespace launchbox
