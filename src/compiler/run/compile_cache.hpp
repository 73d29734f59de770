// Compiles kept in files and found again by their content.
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

/// `$LAUNCHBOX_CACHE`, else `$XDG_CACHE_HOME/launchbox`, else `~/.cache/launchbox`; the last two only where they start
/// at the root. Empty, which means no cache, when no variable tells.
std::filesystem::path default_cache_folder();

/// `$LAUNCHBOX_CACHE_MAX_SIZE` ("20G") in bytes, 10 GiB without it, no limit for 0. Throws `error` for other text.
std::uintmax_t cache_max_bytes();

/// Everything that compiles of one source for one architecture depend on: its preprocessed text, the commands of nvcc,
/// flags and the variables that nvcc reads, versions, architecture; and `contents`, of all files named by these. 32
/// hexadecimal digits.
std::string unit_key(const toolchain& tools, const std::string& ptxas_version, const nvcc_job& job,
                     const unit_text& unit, const std::string& contents);

/// One compile of it: the unit with what the job adds, its forced include and what it makes.
std::string compile_key(const std::string& unit, const nvcc_job& job);

/// For other things to be kept here: everything that they depend on.
std::string key_of(const std::vector<std::string_view>& parts);

/// Files in `folder`/compiles, written completely or not at all, so that any number of processes may share them. A file
/// that is damaged, or not ours, counts as missing and is replaced. If the folder cannot be written to, nothing is
/// kept; that is not an error.
class compile_cache {
public:
    /// An empty folder: nothing is kept and nothing found. Else throws `error` as `cache_max_bytes`.
    explicit compile_cache(const std::filesystem::path& folder);

    [[nodiscard]] bool enabled() const { return !folder_.empty(); }
    [[nodiscard]] std::optional<nvcc_output> find(const std::string& key) const;

    /// Keeps the output of a compile that succeeded. Also removes entries near it: those that were not used for 30
    /// days, and then those used longest ago until what is left fits.
    void store(const std::string& key, const nvcc_output& output) const;

    /// The same for any list of texts.
    [[nodiscard]] std::optional<std::vector<std::string>> find_texts(const std::string& key) const;
    void store_texts(const std::string& key, const std::vector<std::string>& texts) const;

    /// Where an entry is kept.
    [[nodiscard]] std::filesystem::path file_of(const std::string& key) const;

private:
    std::filesystem::path folder_;
    std::uintmax_t max_bytes_of_part_ = 0;  // of the 256 folders in it
};

}  // namespace launchbox
