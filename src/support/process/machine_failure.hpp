// Recognises a temporary lack of resources, as opposed to failures of a program, by error numbers and counters of the
// system, never by a program's output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "support/error.hpp"

namespace launchbox {

/// Whether the number (errno) means that the machine lacks a resource: disk, memory, processes, descriptors.
bool is_machine_failure(int number);

/// Throws "what: No such file or directory" as a `machine_error` if `is_machine_failure`, else as an `error`.
[[noreturn]] void throw_system_error(const std::string& what, int number, const std::string& hint,
                                     exit_status status = exit_status::bad_input);

/// Whether the machine lacked a resource while a program ran. Constructed before the program starts.
class machine_watch {
public:
    /// `folder`: where the program writes.
    explicit machine_watch(std::filesystem::path folder);

    /// The reason, after the program failed: "/tmp has 3 MiB left". Empty if nothing was lacking, so that the failure
    /// is the program's own. Costs a fork.
    [[nodiscard]] std::string lacked() const;

private:
    std::filesystem::path folder_;
    std::optional<std::uint64_t> ended_for_memory_, refused_processes_;  // of the whole machine; of our cgroup
};

}  // namespace launchbox
