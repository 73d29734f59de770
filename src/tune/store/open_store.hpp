// How a file comes to be, or is recognised as, a result store.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "support/files/files.hpp"
#include "tune/store/result_store.hpp"
#include "tune/store/sqlite_database.hpp"

namespace launchbox {

/// An open store. `copy` holds the files where those of the user cannot be opened as they are.
struct opened_store {
    std::unique_ptr<temporary_directory> copy;  // outlives the database
    sqlite_database database;
};

/// Creates or checks. Throws `error`, and then a file that is not a store is as it was.
opened_store open_store(const std::string& name, result_store::access how);

/// The same of the bytes of a file, to be read alone; `name` stands in messages.
opened_store open_store_of(std::string bytes, const std::string& name);

}  // namespace launchbox
