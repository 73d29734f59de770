// Writes recorded runs of many files into a new store.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/listener.hpp"
#include "support/error.hpp"

namespace launchbox {

struct imported_store {
    std::string name;
    std::vector<std::string> diagnostics;    ///< what was left out of the files
    exit_status status = exit_status::done;  ///< else a file among several could not be read, which is said
};

/// Writes all runs of `files`. `store`: its name; empty: the file's name with .db. Throws `error` if the store exists
/// already.
imported_store import_results(const std::vector<std::string>& files, std::string store, const listener& news = {});

/// Writes the runs of all files to the new store `path` and returns a summary. Throws `error` if any file cannot be
/// read: an incomplete fleet would be misleading.
void merge_results(const std::vector<std::string>& files, const std::string& path, const listener& news = {});

}  // namespace launchbox
