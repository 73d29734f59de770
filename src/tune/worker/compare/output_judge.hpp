// Judges on the GPU whether a launch's outputs equal the reference, all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tune/worker/compare/launch_judge.hpp"
#include "tune/worker/gpu_buffers.hpp"

namespace launchbox {

/// Compares checksums with those of outputs that were found right, which reads only the outputs; if they differ,
/// compares element by element. Must not outlive the workload's buffers and the task.
class output_judge final : public launch_judge {
public:
    /// `right`: the checksums of outputs that were found right before, as returned by `right()`; empty: none.
    output_judge(gpu_context& gpu, workload_buffers& buffers, const gpu_task& task, std::vector<std::uint64_t> right);

    void ask(bool first) override;
    std::string fault() override;

    /// From now on the outputs must equal these files, by the output's name, or the outputs that were kept with this
    /// checksum.
    void expect(const std::map<std::string, std::string>& files, const std::string& checksum)
    {
        expected_ = files;
        reference_ = checksum;
    }
    /// Whether the last judged launch was compared with a reference, or equals one that was.
    [[nodiscard]] bool verified() const { return verified_; }
    [[nodiscard]] const std::vector<std::uint64_t>& right() const { return right_; }
    /// The checksums of all outputs after that launch; empty without outputs.
    [[nodiscard]] std::string checksum() const;

private:
    using sums = std::vector<std::uint64_t>;
    struct question {
        const workload_buffers::output& output;
        const std::string& file;
        const guarded_buffer* reference;  // null: there is no memory for it on the GPU
    };
    void load_references();
    void ask_differences();
    [[nodiscard]] std::string difference(const std::uint64_t* slot) const;
    [[nodiscard]] output_difference compare_on_host(const question& asked) const;
    [[nodiscard]] std::string sentence_of(const question& asked, const output_difference& difference) const;
    [[nodiscard]] std::string unwritten() const;

    gpu_context& gpu_;
    workload_buffers& buffers_;
    const gpu_task& task_;
    std::map<std::string, std::string> expected_;
    std::string reference_;  // the checksum of what was kept
    std::vector<workload_buffers::output> outputs_;
    std::vector<question> asked_;  // about the last launch, as far as they were asked
    sums last_, right_, wrong_;    // of the launch judged last, of the last right one, of the last wrong one
    bool verified_ = false;
};

}  // namespace launchbox
