// The tables of the result store and their version. docs/store.md describes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tune/store/sqlite_database.hpp"

namespace launchbox {

inline constexpr int store_application_id = 0x4c425253;  ///< "LBRS"
inline constexpr const char* not_a_store_hint = "name a file that launchbox tune has written, or a new one";
inline constexpr int store_version = 8;  ///< of the tables

/// Creates the tables of an empty database.
void create_tables(sqlite_database& database);

/// Throws `error` for a store of an older or newer launchbox, and unless the tables are exactly those of a store and
/// nothing else; after that they are trusted.
void check_store_schema(sqlite_database& database);

}  // namespace launchbox
