// The memory of a workload on the GPU, with guard zones around every buffer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tune/worker/buffers.hpp"
#include "tune/worker/gpu_context.hpp"
#include "tune/worker/timed_memory.hpp"

namespace launchbox {

/// `data` is aligned to 256 bytes; in front and behind are `guard_bytes` that hold `guard_byte`.
struct guarded_buffer {
    CUdeviceptr base = 0, data = 0;
    std::size_t bytes = 0;
    std::string name;           ///< of the argument
    bool constant = false;      ///< a kernel may not change it
    bool is_reference = false;  ///< what an output has to be; a kernel does not know of it
    std::uint64_t sum = 0;      ///< of what it has to hold, where `constant`; of an output, of its poison
};

/// All arguments of one workload. Inputs stay as they are; in_out ones are copied from a pristine copy before a launch.
class workload_buffers final : public timed_memory {
public:
    workload_buffers(gpu_context& gpu, const std::vector<task_argument>& arguments);
    ~workload_buffers() override;
    workload_buffers(const workload_buffers&) = delete;
    workload_buffers& operator=(const workload_buffers&) = delete;

    /// Allocates and fills. Throws `cuda_failure`: out of memory, and then all is freed again.
    void fill();
    /// Adds copies of the inputs, so that those of successive launches exceed `bytes`: at most eight sets, and as many
    /// as fit into memory.
    void rotate(std::size_t bytes) override;
    [[nodiscard]] std::size_t sets() const override { return 1 + copies_.size(); }

    void make_ready(output_filling filling) override;

    /// The arguments for cuLaunchKernel, for one set of inputs. Valid until the next call.
    void** parameters(std::size_t set) override;

    /// The first write of a kernel outside its outputs: "wrote 4 bytes behind the end of 'out'", "changed its input
    /// 'keys'". Empty: none.
    std::string damage() const;

    struct output {
        const task_argument* argument;
        const guarded_buffer* buffer;
        std::uint64_t sum_before;  ///< of the poison, or of what an in_out argument begins with
    };
    [[nodiscard]] std::vector<output> outputs() const;

    /// Declares the present outputs right: a copy of each becomes its reference. `checksum`: of all outputs, as in
    /// answers. Returns false without enough memory.
    bool keep_outputs(const std::string& checksum);
    /// The reference of an output: the copy that was kept with this checksum, else the content of an .npy file,
    /// uploaded once for as long as the file does not change. Null without enough memory. Throws `error` for a file
    /// that cannot be read or does not fit. No work may be pending on the GPU.
    const guarded_buffer* reference(const task_argument& output, const std::string& file, const std::string& checksum);
    /// For kept outputs: the content of one.
    void download_reference(const task_argument& output, const std::function<void(std::string_view)>& take) const;
    [[nodiscard]] bool keeps_outputs() const { return !kept_checksum_.empty(); }
    [[nodiscard]] const std::string& kept_checksum() const { return kept_checksum_; }
    /// Tells it that the right content of this output is known and every element is written: from now on it may hold
    /// something other than poison before a launch.
    void expect_all_of(const std::string& output) { whole_.insert(output); }
    /// The content of this output before the last launch.
    [[nodiscard]] output_filling filling_of(const std::string& output) const
    {
        return whole_.contains(output) ? filling_ : output_filling::poison;
    }
    /// Weaknesses of the references uploaded since the last call, one sentence each.
    std::vector<std::string> weak_references() { return std::exchange(weaknesses_, {}); }

private:
    struct file_state {
        std::string name;
        std::uintmax_t bytes = 0;
        std::int64_t changed = 0;
        friend bool operator==(const file_state&, const file_state&) = default;
    };
    struct kept_reference {
        file_state file;
        guarded_buffer buffer;
    };
    void note_content(const task_argument& output, const guarded_buffer& reference);
    void forget_references();
    guarded_buffer allocate(const task_argument& argument);
    void fill(const task_argument& argument, const guarded_buffer& buffer);
    void fill_outputs() const;
    void restore_in_out() const;
    [[nodiscard]] std::vector<const guarded_buffer*> all() const;
    void free_all();

    gpu_context& gpu_;
    std::vector<task_argument> arguments_;
    std::vector<guarded_buffer> live_;                  // one an argument; scalars have none
    std::vector<guarded_buffer> pristine_;              // of in_out arguments, at their number
    std::vector<std::vector<guarded_buffer>> copies_;   // of inputs, at their number, one a further set
    std::map<std::string, kept_reference> references_;  // by output
    std::string kept_checksum_;                         // of outputs that were kept; empty: none were
    std::set<std::string> whole_;                       // outputs
    output_filling filling_ = output_filling::poison;
    std::vector<std::string> weaknesses_;
    bool rotated_ = false;
    std::vector<std::array<char, 16>> values_;  // of pointers and scalars
    std::vector<void*> parameters_;
};

/// The elements of an .npy file for an output. Throws `error` if its type or number of elements differs.
std::string_view reference_elements(std::string_view file_content, const std::string& file,
                                    const task_argument& output);

/// The most recently used workloads, as many as fit into memory.
class workload_store {
public:
    explicit workload_store(gpu_context& gpu) : gpu_(gpu) {}

    /// Filled buffers, kept or new. Frees the least recently used ones when memory runs out.
    workload_buffers& take(const std::string& workload, const std::vector<task_argument>& arguments);
    /// After damage: fills every buffer again before its next use, since other places may have been written, too.
    void forget() { kept_.clear(); }

private:
    struct entry {
        std::string workload;
        std::unique_ptr<workload_buffers> buffers;
    };
    gpu_context& gpu_;
    std::list<entry> kept_;  // the last used first
};

}  // namespace launchbox
