// Compiles stored in files and found again by content.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/run/nvcc_run.hpp"

namespace launchbox {

/// `$LAUNCHBOX_CACHE`, else `$XDG_CACHE_HOME/launchbox`, else `~/.cache/launchbox`; the last two only if they are
/// absolute. Empty, which means no cache, if none of these variables is usable.
std::filesystem::path default_cache_folder();

/// `$LAUNCHBOX_CACHE_MAX_SIZE` ("20G") in bytes, 10 GiB if not set, no limit for 0. Throws `error` for other text.
std::uintmax_t cache_max_bytes();

/// A key for everything that compiles of one source for one architecture depend on: its preprocessed text, nvcc's
/// commands, flags and environment variables, versions, architecture; and `contents`, of all files named by these. 32
/// hexadecimal digits.
std::string unit_key(const toolchain& tools, const std::string& ptxas_version, const nvcc_job& job,
                     const unit_text& unit, const std::string& contents);

/// A key for one compile: the unit plus what the job adds, its forced include and requested output.
std::string compile_key(const std::string& unit, const nvcc_job& job);

/// A key for other cached data: pass everything that it depends on.
std::string key_of(const std::vector<std::string_view>& parts);

/// Files in `folder`/compiles, written completely or not at all, so that any number of processes may share them. A
/// damaged or foreign file counts as missing and is replaced. If the folder is not writable, nothing is kept; that is
/// not an error.
class compile_cache {
public:
    /// With an empty folder, nothing is kept or found. Else throws `error` as `cache_max_bytes` does.
    explicit compile_cache(const std::filesystem::path& folder);

    [[nodiscard]] bool enabled() const { return !folder_.empty(); }
    [[nodiscard]] std::optional<nvcc_output> find(const std::string& key) const;

    /// Stores the output of a successful compile. Also removes entries near it: those unused for 30 days, and then the
    /// least recently used until the rest fits.
    void store(const std::string& key, const nvcc_output& output) const;

    /// The same for any list of texts.
    [[nodiscard]] std::optional<std::vector<std::string>> find_texts(const std::string& key) const;
    void store_texts(const std::string& key, const std::vector<std::string>& texts) const;

    /// Where an entry is kept.
    [[nodiscard]] std::filesystem::path file_of(const std::string& key) const;

private:
    std::filesystem::path folder_;
    std::uintmax_t max_bytes_of_part_ = 0;  // for each of the 256 folders in it
};

}  // namespace launchbox
