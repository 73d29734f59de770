// SPDX-License-Identifier: Apache-2.0
#include "tune/store/result_store.hpp"

#include <fmt/format.h>

#include <mutex>

#include "support/error.hpp"
#include "tune/store/open_store.hpp"
#include "tune/store/result_store_rows.hpp"
#include "tune/store/table_row.hpp"

namespace launchbox {

struct result_store::impl {
    explicit impl(opened_store store) : opened(std::move(store)) {}  // clang below 16 needs it

    opened_store opened;
    mutable std::mutex one_at_a_time;
    mutable row_diagnostics diagnostics;

    [[nodiscard]] sqlite_database& database() { return opened.database; }
    [[nodiscard]] const sqlite_database& database() const { return opened.database; }
};

namespace {

void write_race(sqlite_database& database, const race_result_info& race, bool replaces);
void write_work(sqlite_database& database, std::int64_t run, const assignment& workload, const work_amounts& work);
void must_be_good(const std::string& why, const assignment& parameters, const assignment& workload);

}  // namespace

result_store::result_store(const std::string& file, access how) : impl_(std::make_unique<impl>(open_store(file, how)))
{
}

result_store::result_store(std::unique_ptr<impl> made) : impl_(std::move(made)) {}

result_store::result_store(result_store&&) noexcept = default;

result_store::~result_store() = default;

result_store result_store::of_bytes(std::string bytes, const std::string& name)
{
    return result_store(std::make_unique<impl>(open_store_of(std::move(bytes), name)));
}

std::int64_t result_store::begin_run(const run_info& run)
{
    const std::lock_guard lock(impl_->one_at_a_time);
    sqlite_database& database = impl_->database();
    sqlite_transaction transaction(database);
    table_row environment(database, "environment"), row(database, "run"), call(database, "call");
    each_field(run.environment, environment);
    environment.insert("INSERT OR IGNORE");
    each_field(run, task_fields(run), row("environment", environment.id()));
    row.insert("INSERT OR IGNORE");
    const std::int64_t found = row.id();
    each_field(run, call_fields(run), call("run", found)("host", run.environment.host));
    call.insert();
    transaction.commit();
    return found;
}

void result_store::save(const stored_result& result)
{
    must_be_good(why_invalid(result), result.parameters, result.workload);
    const std::lock_guard lock(impl_->one_at_a_time);
    sqlite_database& database = impl_->database();
    sqlite_transaction transaction(database);
    table_row row(database, "result");
    each_field(result, row("run", result.run));
    each_field(result.measured, stored_fields(result.measured), row);
    row.insert();
    table_row(database, "attempt")("run", result.run)("parameters", result.parameters)("workload", result.workload)
        .remove();
    if (result.work.any()) write_work(database, result.run, result.workload, result.work);
    transaction.commit();
}

void result_store::set_work(std::int64_t run, const std::vector<std::pair<assignment, work_amounts>>& workloads)
{
    const std::lock_guard lock(impl_->one_at_a_time);
    sqlite_database& database = impl_->database();
    sqlite_transaction transaction(database);
    for (const auto& [workload, work] : workloads) write_work(database, run, workload, work);
    transaction.commit();
}

void result_store::save(const race_result_info& race)
{
    const std::lock_guard lock(impl_->one_at_a_time);
    write_race(impl_->database(), race, true);
}

void result_store::add(const race_result_info& race)
{
    const std::lock_guard lock(impl_->one_at_a_time);
    write_race(impl_->database(), race, false);
}

void result_store::save(std::int64_t run, const std::vector<device_record>& devices)
{
    const std::lock_guard lock(impl_->one_at_a_time);
    sqlite_database& database = impl_->database();
    sqlite_transaction transaction(database);
    for (const device_record& device : devices) {
        if (const std::string why = why_invalid(device); !why.empty())
            throw error("the record of " + device.name + " cannot be stored: " + why, "please report this");
        table_row row(database, "device");
        each_field(device, row("run", run));
        row.insert();
    }
    transaction.commit();
}

void result_store::begin_attempt(std::int64_t run, const attempt& what)
{
    const std::lock_guard lock(impl_->one_at_a_time);
    table_row row(impl_->database(), "attempt");
    each_field(what, row("run", run));
    row.insert();
}

std::vector<attempt> result_store::attempts(std::int64_t run) const
{
    const std::lock_guard lock(impl_->one_at_a_time);
    return read_attempts(impl_->database(), run, impl_->diagnostics);
}

std::vector<recorded_run> result_store::recorded_runs() const
{
    const std::lock_guard lock(impl_->one_at_a_time);
    const sqlite_transaction at_one_moment(impl_->database(), "BEGIN");
    std::vector<recorded_run> runs;
    for (auto& [number, info] : read_runs(impl_->database(), impl_->diagnostics))
        runs.push_back({.number = number,
                        .info = std::move(info),
                        .results = read_results(impl_->database(), number, impl_->diagnostics),
                        .races = read_races(impl_->database(), number, impl_->diagnostics),
                        .devices = read_devices(impl_->database(), number, impl_->diagnostics)});
    return runs;
}

std::vector<std::pair<std::int64_t, run_info>> result_store::runs() const
{
    const std::lock_guard lock(impl_->one_at_a_time);
    return read_runs(impl_->database(), impl_->diagnostics);
}

std::vector<stored_result> result_store::results(std::int64_t run) const
{
    const std::lock_guard lock(impl_->one_at_a_time);
    return read_results(impl_->database(), run, impl_->diagnostics);
}

std::vector<race_result_info> result_store::races(std::int64_t run) const
{
    const std::lock_guard lock(impl_->one_at_a_time);
    return read_races(impl_->database(), run, impl_->diagnostics);
}

std::vector<device_record> result_store::devices(std::int64_t run) const
{
    const std::lock_guard lock(impl_->one_at_a_time);
    return read_devices(impl_->database(), run, impl_->diagnostics);
}

std::vector<std::string> result_store::diagnostics() const
{
    const std::lock_guard lock(impl_->one_at_a_time);
    return {impl_->diagnostics.begin(), impl_->diagnostics.end()};
}

namespace {

void write_race(sqlite_database& database, const race_result_info& race, bool replaces)
{
    must_be_good(why_invalid(race), race.entries.empty() ? assignment() : race.entries.front().parameters,
                 race.workload);
    sqlite_transaction transaction(database);
    // The foreign key deletes the entries, too.
    if (replaces) table_row(database, "race")("run", race.run)("workload", race.workload).remove();
    table_row row(database, "race");
    each_field(race, row("run", race.run));
    row.insert();
    const std::int64_t number = database.last_row();
    for (std::size_t place = 0; place < race.entries.size(); ++place) {
        table_row entry(database, "race_entry");
        each_field(race.entries[place], entry("race", number)("place", place));
        entry.insert();
    }
    transaction.commit();
}

void write_work(sqlite_database& database, std::int64_t run, const assignment& workload, const work_amounts& work)
{
    table_row row(database, "work");
    row("run", run)("workload", workload).remove();
    if (!work.any()) return;
    each_field(work, row);
    row.insert();
}

void must_be_good(const std::string& why, const assignment& parameters, const assignment& workload)
{
    if (why.empty()) return;
    throw error(fmt::format("the result of {} on {} cannot be stored: {}", parameter_text(parameters),
                            parameter_text(workload), why),
                "please report this");
}

}  // namespace

}  // namespace launchbox
