// The tables of the result store, their versions, and how a file comes to be or is recognised as one. docs/store.md
// describes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "support/files/files.hpp"
#include "tune/store/result_store.hpp"
#include "tune/store/sqlite_database.hpp"

namespace launchbox {

inline constexpr int store_application_id = 0x4c425253;  ///< "LBRS"
int store_version();                                     ///< of the schema that is written now

/// An open store. `copy` holds the files where those of the user cannot be opened as they are.
struct opened_store {
    std::unique_ptr<temporary_directory> copy;  // outlives the database
    sqlite_database database;
};

/// Creates, checks, migrates. Throws `error`, and then a file that is not a store is as it was.
opened_store open_store(const std::string& file, result_store::access how);

/// The statements that lead from version - 1 to this one, from 1; for tests that need an old store.
const char* store_schema_step(int version);

}  // namespace launchbox
