// One kernel for one architecture as a report needs it: what is known, its names, and how many blocks are resident.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advice/inspect/diagnose.hpp"
#include "advice/model/account.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

/// What remains of an occupancy_account in a row of a table.
struct kernel_residency {
    int threads = 0;  ///< per block, of the launch that was asked about
    int resident_blocks = 0;
    double occupancy = 0;  ///< 0 to 1
    bool launches = true;  ///< false: a block of this size can never be launched

    friend bool operator==(const kernel_residency&, const kernel_residency&) = default;
};

struct inspected_kernel {
    kernel_info info;
    std::string demangled;
    std::string short_form;
    std::optional<kernel_residency> residency;  ///< nullopt: threads, registers or architecture are not known
};

/// All that is said of a kernel. It takes kilobytes, so it is made for one kernel at a time, when that is shown.
struct kernel_account {
    std::optional<occupancy_account> occupancy;
    std::vector<diagnosis> diagnoses;
};

/// `threads` of a block, when the user tells; else the kernel's launch bound counts.
inspected_kernel inspected(kernel_info info, std::string demangled, std::string short_form, std::optional<int> threads);

kernel_account account_of(const inspected_kernel& kernel, std::optional<int> threads);

/// Bytes of spill stores and loads together; nullopt where one of them is not known.
std::optional<std::int64_t> spill_bytes(const kernel_info& info);

/// Whether this is PTX, of which registers, spills and the like are decided when it is compiled.
bool is_ptx(const kernel_info& info);

}  // namespace launchbox
