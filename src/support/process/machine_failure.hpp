// Temporary lack of resources of a machine, as opposed to failures of a program: recognised by error numbers and
// counters of the system, never by what a program prints.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "support/error.hpp"

namespace launchbox {

/// Whether the number (errno) says that the machine is short of something: disk, memory, processes, descriptors.
bool is_machine_failure(int number);

/// Throws "what: No such file or directory": a `machine_error` where `is_machine_failure`, else an `error`.
[[noreturn]] void throw_system_error(const std::string& what, int number, const std::string& hint,
                                     exit_status status = exit_status::bad_input);

/// Whether the machine was short of something while a program ran. Made before the program starts.
class machine_watch {
public:
    /// `folder`: where the program writes.
    explicit machine_watch(std::filesystem::path folder);

    /// What there is to say after the program has failed: "/tmp has 3 MiB left". Empty: nothing was short, so the
    /// program's failure is its own. Costs a fork.
    [[nodiscard]] std::string lacked() const;

private:
    std::filesystem::path folder_;
    std::optional<std::uint64_t> ended_for_memory_, refused_processes_;  // of the whole machine; of our cgroup
};

}  // namespace launchbox
