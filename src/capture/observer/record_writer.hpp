// Writes the record of this process. Not thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "capture/record/record_format.hpp"

namespace launchbox::record {

class record_writer {
public:
    /// Creates the file `process.PID.1`, or the next free number, in this folder. `usable` tells whether that worked.
    explicit record_writer(std::string folder);

    [[nodiscard]] bool usable() const { return process_ != nullptr; }

    /// May be changed in place at any time.
    process_block& process() { return *process_; }

    void add_device(const device_block& device);
    /// Keeps the bytes of a module once, however many processes load it.
    module_block add_module(const void* bytes, std::size_t size);
    void add_launch(const launch_key& key, std::string_view name, std::uint64_t begin_ns, std::uint64_t end_ns);
    void add_note(note_kind kind, std::string_view text);

private:
    char* reserve(block_kind kind, std::size_t bytes);
    void commit(char* block, block_kind kind, std::size_t bytes);
    bool grow();
    bool keep_module(const std::string& name, const void* bytes, std::size_t size) const;

    std::string folder_;
    int file_ = -1;
    std::size_t file_bytes_ = 0;
    char *here_ = nullptr, *end_ = nullptr;
    process_block* process_ = nullptr;
    std::unordered_multimap<std::uint64_t, launches_block*> rows_;
    std::uint64_t random_ = 0x9e3779b97f4a7c15;
};

}  // namespace launchbox::record
