// The bytes of a file without a copy in memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace launchbox {

/// A whole file, mapped read-only; standard input ("-"), pipes and devices are read into memory instead, up to
/// `max_input_bytes`. When another program cuts the file while it is mapped, what is gone reads as zeros, and `shrank`
/// tells.
class mapped_file {
public:
    /// Throws `error` when the file cannot be read.
    explicit mapped_file(const std::string& path);
    ~mapped_file();
    mapped_file(const mapped_file&) = delete;
    mapped_file& operator=(const mapped_file&) = delete;

    [[nodiscard]] std::string_view bytes() const { return {data_, size_}; }

    /// Whether the file became shorter while it was read.
    [[nodiscard]] bool shrank() const;

private:
    const char* data_ = nullptr;
    std::size_t size_ = 0;
    int slot_ = -1;  // in the table of mappings; -1: `copy_` has the bytes
    int file_ = -1;  // open as long as it is mapped
    std::string copy_;
};

}  // namespace launchbox
