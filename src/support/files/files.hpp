// Reads whole files and standard input with a size limit, and writes files atomically.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace launchbox {

/// The default limit of `read_input`: 1 GiB.
inline constexpr std::size_t max_input_bytes = std::size_t{1} << 30;

/// Input named by the user: the bytes of a file, of standard input for "-", of a pipe (a shell's `<(...)`) or of a
/// device, waiting for data. Throws `error` if it cannot be read or is larger than `cap`. Noted as read.
std::string read_input(const std::string& path, std::size_t cap = max_input_bytes);

/// For files that another file names, or that were searched for: only regular files. Anything else is an `error` at
/// once, because opening a pipe would block.
std::string read_file(const std::filesystem::path& path, std::size_t cap = max_input_bytes);

/// The same without noting that it was read: for a file that is about to be written again.
std::string read_old_output(const std::filesystem::path& path, std::size_t cap = max_input_bytes);

/// Throws `error` if the file exists and is not a regular file, but a pipe, a device or a folder.
void refuse_irregular(const std::filesystem::path& file);

/// Writes to a temporary file beside `wanted` and renames it, so that `wanted` has either its old content or all of the
/// new. Follows links and replaces their target. Writes directly to devices and pipes, and to `/dev/stdout` and the
/// like, whatever they are. A replaced file keeps its permissions, its owner if the user may set it, and its access
/// control list; other hard links keep the old content. On failure, and for a read-only file, throws `error` and leaves
/// nothing behind.
void write_file_atomically(const std::filesystem::path& wanted, std::string_view content);

/// The same without holding the content in memory: calls `writer` once. Exceptions of `writer` are passed on, and
/// nothing is left behind. `accept` is called with the name of the finished temporary file before that replaces an
/// existing file, and may throw as well.
void write_file_atomically(const std::filesystem::path& wanted, const std::function<void(std::ostream&)>& writer,
                           const std::function<void(const std::filesystem::path& finished)>& accept = {});

/// The same with the permissions of another file and, if the user may set them, its owner and group.
void write_file_atomically(const std::filesystem::path& wanted, std::string_view content,
                           const std::filesystem::path& permissions_of);

/// Throws the `error` that writing there would end with, as far as that is known before: a folder, a read-only file, a
/// missing or read-only folder. For work that takes hours. Nothing is written, and pipes and devices are not opened.
void refuse_unwritable(const std::filesystem::path& wanted);

/// Renames a file or folder on the same disk, unless the new name exists: if several processes do so at once, one
/// succeeds. Throws `error`, and then both are unchanged.
void move_to_new_name(const std::filesystem::path& made, const std::filesystem::path& wanted);

/// Whether the user may write to this file.
bool may_write(const std::filesystem::path& file);

/// How long a process waits for a lock of another. Work under a lock takes milliseconds.
inline constexpr std::chrono::milliseconds lock_patience{10'000};

/// While this exists, no other process has a lock for a file in the same folder: for reading, changing and rewriting a
/// file. A folder that does not exist or cannot be locked is not locked. `waiting` is called once, with a sentence for
/// the user, if another process holds the lock. Throws `error` if that lasts longer than `patience`.
class folder_lock {
public:
    explicit folder_lock(const std::filesystem::path& file, const std::function<void(const std::string&)>& waiting = {},
                         std::chrono::milliseconds patience = lock_patience);
    ~folder_lock();
    folder_lock(const folder_lock&) = delete;
    folder_lock& operator=(const folder_lock&) = delete;

private:
    int folder_ = -1;
};

/// A new directory in the system's temporary folder, removed with its contents when this goes out of scope, or, if the
/// process is killed, by the next process that makes one (own_temporaries.hpp). Throws `error` if none can be created.
class temporary_directory {
public:
    temporary_directory();
    explicit temporary_directory(const std::filesystem::path& base);  ///< in this folder instead
    ~temporary_directory();
    temporary_directory(const temporary_directory&) = delete;
    temporary_directory& operator=(const temporary_directory&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    void remove() const;

    std::filesystem::path claim_, path_;  // `path_` is inside `claim_`
    int lock_ = -1;
};

}  // namespace launchbox
