// Recorded runs of many files in a new store.
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

/// Writes all that `files` hold. `store`: its name; empty: the file's with .db. Throws `error` where it is there
/// already.
imported_store import_results(const std::vector<std::string>& files, std::string store, const listener& news = {});

/// Writes the runs of all files to the new store `path`, and says what came of it. Throws `error` where a file cannot
/// be read: half of a fleet is not what was asked for.
void merge_results(const std::vector<std::string>& files, const std::string& path, const listener& news = {});

}  // namespace launchbox
