// What the outputs of a kernel have to be: files in NumPy's format, one an output and workload.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tune/spec/tune_spec.hpp"
#include "tune/worker/gpu_worker.hpp"

namespace launchbox {

/// May be used by many threads at once.
class reference_outputs {
public:
    /// `folder` is where files that are made go. `spec` must outlive this.
    reference_outputs(const tune_spec& spec, std::filesystem::path folder);

    /// Where the reference's outputs are to be written, by the name of the output.
    [[nodiscard]] std::map<std::string, std::string> to_be_saved(std::size_t workload,
                                                                 const std::vector<task_argument>& arguments) const;

    /// With what the outputs are to be compared; empty when there is nothing. Runs the program of [verify] the first
    /// time that a workload is asked for. Throws `error` when it fails, and for files that are not there.
    std::map<std::string, std::string> expected(std::size_t workload, const std::vector<task_argument>& arguments);

private:
    std::map<std::string, std::string> made_by_program(std::size_t workload,
                                                       const std::vector<task_argument>& arguments);
    [[nodiscard]] std::string file_of(std::size_t workload, const std::string& name) const;

    const tune_spec& spec_;
    std::filesystem::path folder_;
    std::mutex lock_;
    std::map<std::size_t, std::map<std::string, std::string>> made_;
};

}  // namespace launchbox
