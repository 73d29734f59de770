// The memory of a captured launch, at the addresses that it had in the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "capture/folder/captured_launch.hpp"
#include "tune/worker/gpu_context.hpp"
#include "tune/worker/reserved_addresses.hpp"
#include "tune/worker/timed_memory.hpp"

namespace launchbox {

/// Two checksums of a launch's outputs: equal checksums mean equal memory.
using memory_sums = std::vector<std::uint64_t>;

class captured_buffers final : public timed_memory {
public:
    /// Maps and fills. Throws `cuda_failure` without enough memory. Throws `error` for a capture that cannot be read,
    /// or addresses that are not available.
    captured_buffers(gpu_context& gpu, const reserved_addresses& addresses, const std::string& file);
    ~captured_buffers() override;
    captured_buffers(const captured_buffers&) = delete;
    captured_buffers& operator=(const captured_buffers&) = delete;

    [[nodiscard]] const captured_launch& launch() const { return launch_; }

    /// From now on the variables of this module are filled and compared, too. Throws `error` if captured memory points
    /// to a variable with another address here, or if something that the launch changes cannot be compared.
    void bind(CUmodule module);

    /// Restores everything that the captured launch changed to its content before the launch.
    void make_ready(output_filling) override;
    void rotate(std::size_t) override {}
    [[nodiscard]] std::size_t sets() const override { return 1; }
    void** parameters(std::size_t set) override;

    /// In stream order: asks the GPU for the checksums of what the captured launch changed, ...
    void ask_changed() const;
    /// ... and returns whether they equal the program's.
    [[nodiscard]] bool changed_as_captured(const memory_sums& sums) const;
    /// The checksums of all memory and variables as they are now.
    [[nodiscard]] memory_sums sums() const;
    /// Whether they equal the program's.
    [[nodiscard]] bool is_as_captured(const memory_sums& sums) const;
    /// The first byte that differs from the program's: "memory 2 (0x7f12, parameter 1) differs at byte 128: 0x3f800000,
    /// and the program got 0x3f800001; 16 bytes differ". There must be one.
    [[nodiscard]] std::string first_difference(const memory_sums& sums) const;
    /// The first changed element that is further from the program's than this; bytes that the launch does not change
    /// must be equal. Empty: there is none.
    [[nodiscard]] std::string first_difference_beyond(const memory_sums& sums, const std::string& type, double absolute,
                                                      double relative);
    /// Which memory differs: "memory 2 (...)".
    [[nodiscard]] std::string where_differ(const memory_sums& one, const memory_sums& other) const;

private:
    struct mapping {
        address_range range;
        CUmemGenericAllocationHandle handle = 0;
    };
    struct piece {
        const captured_memory* of = nullptr;
        CUdeviceptr data = 0;      // 0: a variable that the module does not have; the launch leaves it as it is
        CUdeviceptr pristine = 0;  // of what the launch changes
        CUdeviceptr expected = 0;  // what the program got, once a tolerance asks for it
        std::uint64_t before_sum = 0, after_sum = 0;
        std::string name;
    };
    void map(const reserved_addresses& addresses);
    void fill(piece& to);
    void upload_expected(piece& of);
    void free_all();
    [[nodiscard]] std::string name_of(const captured_memory& memory, std::size_t number) const;

    gpu_context& gpu_;
    const std::filesystem::path folder_;
    const captured_launch launch_;
    std::vector<mapping> mappings_;
    std::vector<piece> pieces_;  // memory, then variables
    std::string arguments_;
    std::vector<void*> parameters_;
};

}  // namespace launchbox
