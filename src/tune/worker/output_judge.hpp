// Whether a launch left the outputs of its workload as the reference has them, all of them, on the GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tune/worker/gpu_buffers.hpp"
#include "tune/worker/launch_judge.hpp"

namespace launchbox {

/// Compares checksums with those of outputs that were found right, which reads the outputs alone; only where they are
/// others it compares element by element. Lives no longer than the workload's buffers and the task.
class output_judge final : public launch_judge {
public:
    output_judge(gpu_context& gpu, workload_buffers& buffers, const gpu_task& task);

    void ask() override;
    std::string fault() override;

    /// From now on the outputs have to be what these files hold, by the output's name.
    void expect(const std::map<std::string, std::string>& files) { expected_ = files; }
    /// Whether the launch that was judged last was compared with a reference, or equals one that was.
    [[nodiscard]] bool verified() const { return verified_; }
    /// Of all outputs, as that launch left them; empty without outputs.
    [[nodiscard]] std::string checksum() const;

private:
    using sums = std::vector<std::uint64_t>;
    [[nodiscard]] std::string compare();
    [[nodiscard]] output_difference compare_on_host(const workload_buffers::output& output,
                                                    const std::string& file) const;
    [[nodiscard]] std::string sentence_of(const workload_buffers::output& output, const std::string& file,
                                          const output_difference& difference) const;
    [[nodiscard]] std::string unwritten() const;

    gpu_context& gpu_;
    workload_buffers& buffers_;
    const gpu_task& task_;
    std::map<std::string, std::string> expected_;
    std::vector<workload_buffers::output> outputs_;
    sums last_, right_, wrong_;  // of the launch judged last, of the last right one, of the last wrong one
    bool verified_ = false;
};

}  // namespace launchbox
