// The tables of the result store and their versions. docs/store.md describes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tune/store/sqlite_database.hpp"

namespace launchbox {

inline constexpr int store_application_id = 0x4c425253;  ///< "LBRS"
inline constexpr const char* not_a_store_hint =
    "name a file that launchbox tune has written, or one that is not there yet";
int store_version();  ///< of the schema that is written now

/// The statements that lead from version - 1 to this one, from 1; for tests that need an old store.
const char* store_schema_step(int version);

/// Throws `error` for one of a newer launchbox.
int store_version_of(const sqlite_database& database);

/// Throws `error` unless the schema is that of its version, to the letter, and holds nothing else; then it is trusted.
void check_store_schema(sqlite_database& database);

/// Brings an empty or older store, whose schema is trusted, to the version that is written now.
void migrate_store(sqlite_database& database);

}  // namespace launchbox
