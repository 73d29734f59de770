// Creates a result store, or recognises a file as one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "support/files/files.hpp"
#include "tune/store/result_store.hpp"
#include "tune/store/sqlite_database.hpp"

namespace launchbox {

/// An open store. `copy` holds the files if the user's own cannot be opened in place.
struct opened_store {
    std::unique_ptr<temporary_directory> copy;  // outlives the database
    sqlite_database database;
};

/// Creates or checks a store. Throws `error`, and leaves a file that is not a store unchanged.
opened_store open_store(const std::string& name, result_store::access how);

/// The same for the bytes of a file, read-only; `name` is used in messages.
opened_store open_store_of(std::string bytes, const std::string& name);

}  // namespace launchbox
