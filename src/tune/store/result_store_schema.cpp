// SPDX-License-Identifier: Apache-2.0
#include "tune/store/result_store_schema.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>

#include "support/error.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

// A store is read only if its schema equals this text exactly, so any change of a table is a new version.
constexpr const char* tables = R"(
CREATE TABLE environment (
    id INTEGER PRIMARY KEY, gpu TEXT NOT NULL, processor TEXT NOT NULL, architecture TEXT NOT NULL,
    sms INTEGER NOT NULL, memory_bytes INTEGER NOT NULL, driver TEXT NOT NULL, toolkit TEXT NOT NULL,
    UNIQUE (gpu, processor, architecture, sms, memory_bytes, driver, toolkit));
CREATE TABLE run (
    id INTEGER PRIMARY KEY, environment INTEGER NOT NULL REFERENCES environment (id),
    task_hash TEXT NOT NULL, source_hash TEXT NOT NULL,
    UNIQUE (environment, task_hash, source_hash));
CREATE TABLE call (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run (id), name TEXT NOT NULL,
    spec_text TEXT NOT NULL, spec_hash TEXT NOT NULL, command TEXT NOT NULL, version TEXT NOT NULL,
    started TEXT NOT NULL, host TEXT NOT NULL, baseline TEXT, objective TEXT NOT NULL);
CREATE TABLE result (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run (id),
    parameters TEXT NOT NULL, workload TEXT NOT NULL, weight REAL NOT NULL,
    status TEXT NOT NULL, reason TEXT NOT NULL, samples_ns BLOB NOT NULL, quantities TEXT NOT NULL,
    dropped INTEGER NOT NULL,
    stopped_early INTEGER NOT NULL, verified INTEGER NOT NULL, checksum TEXT NOT NULL, device TEXT,
    seconds REAL NOT NULL, resources TEXT, log TEXT NOT NULL, compile_seconds REAL NOT NULL,
    from_cache INTEGER NOT NULL, deaths INTEGER NOT NULL, finished TEXT NOT NULL, )"
                               R"(code TEXT NOT NULL DEFAULT '', same_as TEXT, )"
                               R"(sticky INTEGER NOT NULL DEFAULT 0, phases TEXT,
    UNIQUE (run, parameters, workload));
CREATE TABLE attempt (
    run INTEGER NOT NULL REFERENCES run (id), parameters TEXT NOT NULL, workload TEXT NOT NULL,
    deaths INTEGER NOT NULL,
    PRIMARY KEY (run, parameters, workload)) WITHOUT ROWID;
CREATE TABLE race_entry (
    race INTEGER NOT NULL REFERENCES race (id) ON DELETE CASCADE, place INTEGER NOT NULL,
    parameters TEXT NOT NULL, samples_ns BLOB NOT NULL, result_median_ns REAL,
    PRIMARY KEY (race, place)) WITHOUT ROWID;
CREATE TABLE work (
    run INTEGER NOT NULL REFERENCES run (id), workload TEXT NOT NULL, elements REAL, bytes REAL, flops REAL,
    PRIMARY KEY (run, workload)) WITHOUT ROWID;
CREATE TABLE device (
    run INTEGER NOT NULL REFERENCES run (id), name TEXT NOT NULL, host TEXT NOT NULL, uuid TEXT NOT NULL,
    ecc INTEGER, calibration_ns BLOB NOT NULL, state TEXT, measured INTEGER NOT NULL, failed INTEGER NOT NULL,
    busy_seconds REAL NOT NULL, seconds REAL NOT NULL, lost TEXT NOT NULL, hardware TEXT,
    PRIMARY KEY (run, name)) WITHOUT ROWID;
CREATE TABLE "race" (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run (id), workload TEXT NOT NULL,
    verdict TEXT NOT NULL, equal_within REAL NOT NULL);
)";

constexpr int longest_shown_name = 60;

// All objects of a schema (tables, indices, views, triggers), by name.
std::map<std::string, std::string> objects_of(const sqlite_database& database)
{
    sqlite_statement asked(database, "SELECT type, name, tbl_name, sql FROM sqlite_master");
    std::map<std::string, std::string> objects;
    while (asked.step()) {
        std::string& text = objects[asked.text(0).value_or("object") + " " + asked.text(1).value_or("without a name")];
        text += asked.text(2).value_or("") + ": " + asked.text(3).value_or("") + "\n";
    }
    return objects;
}

void refuse_other_version(const sqlite_database& database)
{
    const std::int64_t version = database.integer_of("PRAGMA user_version");
    const std::string& name = database.shown_as();
    if (version <= 0) throw error(name + " is damaged: it has no version", not_a_store_hint);
    if (version < store_version)
        throw error(fmt::format("{} was made by an older version of launchbox (schema {}, this one reads {})", name,
                                version, store_version),
                    "tune again, or let that version write the results to a file that this one reads: "
                    "launchbox results STORE --samples --format json -o FILE");
    if (version > store_version)
        throw error(fmt::format("{} was written by a newer launchbox (schema {}; this one knows {})", name, version,
                                store_version),
                    "use the newer launchbox");
}

}  // namespace

void create_tables(sqlite_database& database)
{
    sqlite_transaction transaction(database);
    if (database.integer_of("PRAGMA user_version") == store_version) return;  // another process was faster
    database.execute(tables);
    database.execute(
        fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", store_application_id, store_version));
    transaction.commit();
}

// The schema must equal ours exactly, with nothing added. A view, trigger, generated column, expression index or
// virtual table could run code from a stranger, and a table "result" of another schema may hold anything. Nothing but
// the schema was read so far.
void check_store_schema(sqlite_database& database)
{
    refuse_other_version(database);
    sqlite_database made(":memory:", sqlite_database::access::create, database.shown_as());
    made.trust_schema();
    made.execute(tables);
    const auto found = objects_of(database), expected = objects_of(made);
    const auto refuse = [&](const std::string& name, const char* what) {
        throw error(fmt::format("{} is not a result store: {} {}", database.shown_as(),
                                escape_for_terminal(shortened(name, longest_shown_name)), what),
                    not_a_store_hint);
    };
    for (const auto& [name, text] : found) {
        const auto wanted = expected.find(name);
        if (wanted == expected.end()) refuse(name, "does not belong to one");
        if (wanted->second != text) refuse(name, "has another definition");
    }
    for (const auto& [name, text] : expected)
        if (!found.contains(name)) refuse(name, "is missing");
    database.trust_schema();
}

}  // namespace launchbox
