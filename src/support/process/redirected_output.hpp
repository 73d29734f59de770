// What a library of another's writes to standard output or standard error.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace launchbox {

/// While it lives, what this process writes to a descriptor (1 or 2) goes to a file. Not for processes in which another
/// thread writes there.
class redirected_output {
public:
    /// Throws `error` when the file cannot be made.
    redirected_output(int descriptor, const std::filesystem::path& file);
    ~redirected_output();
    redirected_output(const redirected_output&) = delete;
    redirected_output& operator=(const redirected_output&) = delete;

private:
    int descriptor_, before_;
};

}  // namespace launchbox
