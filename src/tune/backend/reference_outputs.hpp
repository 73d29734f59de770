// The expected outputs of a kernel: files in NumPy's format, one per output and workload.
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
    /// Generated files go into memory (/dev/shm) if there is room, else into `folder`. `spec` must outlive this.
    reference_outputs(const tune_spec& spec, std::filesystem::path folder);
    ~reference_outputs();
    reference_outputs(const reference_outputs&) = delete;
    reference_outputs& operator=(const reference_outputs&) = delete;

    /// Where the reference program must write its outputs, by the name of the output.
    std::map<std::string, std::string> to_be_saved(std::size_t workload, const std::vector<task_argument>& arguments);

    /// Starts the program of [verify] for a workload, the first time that it is called for it.
    void start(std::size_t workload, const std::vector<task_argument>& arguments);

    /// The files to compare the outputs with; empty if there are none. Waits for the program of [verify]. Throws
    /// `error` if that fails, and for missing files.
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
