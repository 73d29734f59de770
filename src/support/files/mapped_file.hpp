// Maps the bytes of a file, without a copy in memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// Bytes of a file from `begin` up to `end`.
struct byte_range {
    std::size_t begin = 0, end = 0;
    friend bool operator==(const byte_range&, const byte_range&) = default;
};

/// The most bytes of a file that may be holes, which take no disk space: 1 GiB. They read as zeros, and take as long to
/// process as data.
inline constexpr std::size_t max_hole_bytes = std::size_t{1} << 30;

/// Who named a file. If the user did, standard input ("-"), pipes and devices are also read, into memory and up to
/// `max_input_bytes`. A file only found in a folder is not noted as read: it may turn out not to be an input.
enum class named_by : std::uint8_t { file, user, folder };

/// A whole file, mapped read-only. If another program changes the file meanwhile, missing parts read as zeros, and
/// `changed` reports it. Noted as read, except with `named_by::folder`.
class mapped_file {
public:
    /// Throws `error` if the file cannot be read, or has more holes than `max_hole_bytes`.
    explicit mapped_file(const std::string& path, named_by whom = named_by::file);
    ~mapped_file();
    mapped_file(const mapped_file&) = delete;
    mapped_file& operator=(const mapped_file&) = delete;

    [[nodiscard]] std::string_view bytes() const { return {data_, size_}; }

    /// The parts that exist, ascending; the rest are holes.
    [[nodiscard]] const std::vector<byte_range>& data() const { return ranges_; }

    /// Whether the file changed while it was read: shorter, longer, or rewritten.
    [[nodiscard]] bool changed() const;

private:
    void find_data(const std::string& path, std::size_t bytes_on_disk);

    std::vector<byte_range> ranges_;
    std::int64_t written_seconds_ = 0, written_nanoseconds_ = 0;  // modification time of the file
    const char* data_ = nullptr;
    std::size_t size_ = 0;
    int slot_ = -1;  // in the table of mappings; -1: the bytes are in `copy_`
    int file_ = -1;  // open while it is mapped
    std::string copy_;
};

}  // namespace launchbox
