// SPDX-License-Identifier: Apache-2.0
#include "tune/store/result_store.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <mutex>

#include "support/error.hpp"
#include "tune/store/open_store.hpp"
#include "tune/store/result_json.hpp"
#include "tune/store/result_store_rows.hpp"

namespace launchbox {

struct result_store::inside {
    explicit inside(opened_store store) : opened(std::move(store)) {}  // clang below 16 needs it

    opened_store opened;
    mutable std::mutex one_at_a_time;
    mutable row_diagnostics diagnostics;

    [[nodiscard]] sqlite_database& database() { return opened.database; }
    [[nodiscard]] const sqlite_database& database() const { return opened.database; }
};

namespace {

std::int64_t environment_number(sqlite_database& database, const environment_info& environment);
void write_race(sqlite_database& database, const race_result_info& race, bool replaces);
void write_work(sqlite_database& database, std::int64_t run, const std::string& workload, const work_amounts& work);
std::optional<std::string> text_or_null(const std::optional<assignment>& values);
void must_be_good(const std::string& why, const assignment& parameters, const assignment& workload);

}  // namespace

result_store::result_store(const std::string& file, access how)
    : inside_(std::make_unique<inside>(open_store(file, how)))
{
}

result_store::result_store(std::unique_ptr<inside> made) : inside_(std::move(made)) {}

result_store::result_store(result_store&&) noexcept = default;

result_store::~result_store() = default;

result_store result_store::of_bytes(std::string bytes, const std::string& name)
{
    return result_store(std::make_unique<inside>(open_store_of(std::move(bytes), name)));
}

std::int64_t result_store::begin_run(const run_info& run)
{
    const std::lock_guard lock(inside_->one_at_a_time);
    sqlite_database& database = inside_->database();
    sqlite_transaction transaction(database);
    const std::int64_t environment = environment_number(database, run.environment);
    sqlite_statement(database, "INSERT OR IGNORE INTO run (environment, task_hash, source_hash) VALUES (?, ?, ?)")
        .bind(1, environment)
        .bind(2, std::string_view(run.task_hash))
        .bind(3, std::string_view(run.source_hash))
        .step();
    sqlite_statement number(database, "SELECT id FROM run WHERE environment = ? AND task_hash = ? AND source_hash = ?");
    number.bind(1, environment).bind(2, std::string_view(run.task_hash)).bind(3, std::string_view(run.source_hash));
    number.step();
    const std::int64_t found = number.integer(0).value_or(0);
    sqlite_statement call(database,
                          "INSERT INTO call (run, name, spec_text, spec_hash, command, version, started, host, "
                          "baseline) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    call.bind(1, found);
    int at = 2;
    for (const std::string* text :
         {&run.name, &run.spec_text, &run.spec_hash, &run.command, &run.version, &run.started, &run.environment.host})
        call.bind(at++, std::string_view(*text));
    call.bind(at, text_or_null(run.baseline)).step();
    transaction.commit();
    return found;
}

void result_store::save(const stored_result& result)
{
    must_be_good(why_invalid(result), result.parameters, result.workload);
    const std::string parameters = column_text(result.parameters), workload = column_text(result.workload);
    const measurement& measured = result.measured;
    const std::optional<std::string> device =
        measured.device ? std::optional(column_text(json_of(*measured.device))) : std::nullopt;
    const std::optional<std::string> phases =
        measured.phases ? std::optional(column_text(json_of(*measured.phases))) : std::nullopt;
    const std::optional<std::string> resources =
        result.kernel ? std::optional(column_text(json_of(*result.kernel))) : std::nullopt;

    const std::lock_guard lock(inside_->one_at_a_time);
    sqlite_database& database = inside_->database();
    sqlite_transaction transaction(database);
    sqlite_statement(database,
                     "INSERT OR REPLACE INTO result (run, parameters, workload, weight, status, reason, samples_ns, "
                     "dropped, stopped_early, verified, checksum, device, seconds, resources, log, compile_seconds, "
                     "from_cache, deaths, finished, code, same_as, sticky, phases) "
                     "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(1, result.run)
        .bind(2, std::string_view(parameters))
        .bind(3, std::string_view(workload))
        .bind(4, result.weight)
        .bind(5, name_of(measured.what))
        .bind(6, std::string_view(measured.reason))
        .bind_blob(7, blob_of(measured.samples_ns))
        .bind(8, std::int64_t{measured.dropped})
        .bind(9, std::int64_t{measured.stopped_early})
        .bind(10, std::int64_t{measured.verified})
        .bind(11, std::string_view(measured.checksum))
        .bind(12, device)
        .bind(13, measured.seconds)
        .bind(14, resources)
        .bind(15, std::string_view(result.log))
        .bind(16, result.compile_seconds)
        .bind(17, std::int64_t{result.from_cache})
        .bind(18, std::int64_t{result.deaths})
        .bind(19, std::string_view(result.finished))
        .bind(20, std::string_view(result.code))
        .bind(21, text_or_null(result.same_as))
        .bind(22, std::int64_t{measured.sticky})
        .bind(23, phases)
        .step();
    sqlite_statement(database, "DELETE FROM attempt WHERE run = ? AND parameters = ? AND workload = ?")
        .bind(1, result.run)
        .bind(2, std::string_view(parameters))
        .bind(3, std::string_view(workload))
        .step();
    if (result.work.any()) write_work(database, result.run, workload, result.work);
    transaction.commit();
}

void result_store::set_work(std::int64_t run, const std::vector<std::pair<assignment, work_amounts>>& workloads)
{
    const std::lock_guard lock(inside_->one_at_a_time);
    sqlite_database& database = inside_->database();
    sqlite_transaction transaction(database);
    for (const auto& [workload, work] : workloads) write_work(database, run, column_text(workload), work);
    transaction.commit();
}

void result_store::save(const race_result_info& race)
{
    const std::lock_guard lock(inside_->one_at_a_time);
    write_race(inside_->database(), race, true);
}

void result_store::add(const race_result_info& race)
{
    const std::lock_guard lock(inside_->one_at_a_time);
    write_race(inside_->database(), race, false);
}

void result_store::save(std::int64_t run, const std::vector<device_record>& devices)
{
    const std::lock_guard lock(inside_->one_at_a_time);
    sqlite_database& database = inside_->database();
    sqlite_transaction transaction(database);
    for (const device_record& device : devices) {
        if (const std::string why = why_invalid(device); !why.empty())
            throw error("what is known of " + device.name + " cannot be stored: " + why, "please report this");
        const std::optional<std::string> state =
            device.state ? std::optional(column_text(json_of(*device.state))) : std::nullopt;
        const std::optional<std::string> hardware =
            device.hardware ? std::optional(column_text(json_of(*device.hardware))) : std::nullopt;
        sqlite_statement insert(database,
                                "INSERT OR REPLACE INTO device (run, name, host, uuid, ecc, calibration_ns, state, "
                                "measured, failed, busy_seconds, seconds, lost, hardware) "
                                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        insert.bind(1, run)
            .bind(2, std::string_view(device.name))
            .bind(3, std::string_view(device.host))
            .bind(4, std::string_view(device.uuid));
        if (device.ecc) insert.bind(5, std::int64_t{*device.ecc});  // else NULL
        insert.bind_blob(6, blob_of(device.calibration_ns))
            .bind(7, state)
            .bind(8, device.measured)
            .bind(9, device.failed)
            .bind(10, device.busy_seconds)
            .bind(11, device.seconds)
            .bind(12, std::string_view(device.lost))
            .bind(13, hardware)
            .step();
    }
    transaction.commit();
}

void result_store::begin_attempt(std::int64_t run, const attempt& what)
{
    const std::lock_guard lock(inside_->one_at_a_time);
    sqlite_statement(inside_->database(),
                     "INSERT OR REPLACE INTO attempt (run, parameters, workload, deaths) VALUES (?, ?, ?, ?)")
        .bind(1, run)
        .bind(2, std::string_view(column_text(what.parameters)))
        .bind(3, std::string_view(column_text(what.workload)))
        .bind(4, std::int64_t{what.deaths})
        .step();
}

std::vector<attempt> result_store::attempts(std::int64_t run) const
{
    const std::lock_guard lock(inside_->one_at_a_time);
    return read_attempts(inside_->database(), run, inside_->diagnostics);
}

std::vector<recorded_run> result_store::recorded_runs() const
{
    const std::lock_guard lock(inside_->one_at_a_time);
    const sqlite_snapshot at_one_moment(inside_->database());
    std::vector<recorded_run> runs;
    for (auto& [number, info] : read_runs(inside_->database(), inside_->diagnostics))
        runs.push_back({.number = number,
                        .info = std::move(info),
                        .results = read_results(inside_->database(), number, inside_->diagnostics),
                        .races = read_races(inside_->database(), number, inside_->diagnostics),
                        .devices = read_devices(inside_->database(), number, inside_->diagnostics)});
    return runs;
}

std::vector<std::pair<std::int64_t, run_info>> result_store::runs() const
{
    const std::lock_guard lock(inside_->one_at_a_time);
    return read_runs(inside_->database(), inside_->diagnostics);
}

std::vector<stored_result> result_store::results(std::int64_t run) const
{
    const std::lock_guard lock(inside_->one_at_a_time);
    return read_results(inside_->database(), run, inside_->diagnostics);
}

std::vector<race_result_info> result_store::races(std::int64_t run) const
{
    const std::lock_guard lock(inside_->one_at_a_time);
    return read_races(inside_->database(), run, inside_->diagnostics);
}

std::vector<device_record> result_store::devices(std::int64_t run) const
{
    const std::lock_guard lock(inside_->one_at_a_time);
    return read_devices(inside_->database(), run, inside_->diagnostics);
}

std::vector<std::string> result_store::diagnostics() const
{
    const std::lock_guard lock(inside_->one_at_a_time);
    return {inside_->diagnostics.begin(), inside_->diagnostics.end()};
}

namespace {

std::int64_t environment_number(sqlite_database& database, const environment_info& environment)
{
    const auto bind = [&](sqlite_statement& statement) {
        statement.bind(1, std::string_view(environment.gpu))
            .bind(2, std::string_view(environment.processor))
            .bind(3, std::string_view(environment.architecture))
            .bind(4, std::int64_t{environment.sms})
            .bind(5, environment.memory_bytes)
            .bind(6, std::string_view(environment.driver))
            .bind(7, std::string_view(environment.toolkit))
            .step();
    };
    sqlite_statement insert(database,
                            "INSERT OR IGNORE INTO environment (gpu, processor, architecture, sms, memory_bytes, "
                            "driver, toolkit) VALUES (?, ?, ?, ?, ?, ?, ?)");
    bind(insert);
    sqlite_statement number(database,
                            "SELECT id FROM environment WHERE gpu = ? AND processor = ? AND architecture = ? AND sms = "
                            "? AND memory_bytes = ? AND driver = ? AND toolkit = ?");
    bind(number);
    return number.integer(0).value_or(0);
}

void write_race(sqlite_database& database, const race_result_info& race, bool replaces)
{
    must_be_good(why_invalid(race), race.entries.empty() ? assignment() : race.entries.front().parameters,
                 race.workload);
    const std::string workload = column_text(race.workload);
    sqlite_transaction transaction(database);
    for (const char* old : {"DELETE FROM race_entry WHERE race IN (SELECT id FROM race WHERE run = ? AND workload = ?)",
                            "DELETE FROM race WHERE run = ? AND workload = ?"})
        if (replaces) sqlite_statement(database, old).bind(1, race.run).bind(2, std::string_view(workload)).step();
    sqlite_statement(database, "INSERT INTO race (run, workload, verdict, equal_within) VALUES (?, ?, ?, ?)")
        .bind(1, race.run)
        .bind(2, std::string_view(workload))
        .bind(3, std::string_view(race.verdict))
        .bind(4, race.equal_within)
        .step();
    const std::int64_t number = database.last_row();
    sqlite_statement insert(database,
                            "INSERT INTO race_entry (race, place, parameters, samples_ns, result_median_ns) "
                            "VALUES (?, ?, ?, ?, ?)");
    for (std::size_t place = 0; place < race.entries.size(); ++place) {
        const race_entry& entry = race.entries[place];
        insert.reset()
            .bind(1, number)
            .bind(2, static_cast<std::int64_t>(place))
            .bind(3, std::string_view(column_text(entry.parameters)))
            .bind_blob(4, blob_of(entry.samples_ns))
            .bind(5, entry.result_median_ns)
            .step();
    }
    transaction.commit();
}

void write_work(sqlite_database& database, std::int64_t run, const std::string& workload, const work_amounts& work)
{
    sqlite_statement(database, "DELETE FROM work WHERE run = ? AND workload = ?")
        .bind(1, run)
        .bind(2, std::string_view(workload))
        .step();
    if (!work.any()) return;
    sqlite_statement insert(database,
                            "INSERT INTO work (run, workload, elements, bytes, flops) VALUES (?, ?, ?, ?, ?)");
    insert.bind(1, run).bind(2, std::string_view(workload));
    int at = 3;
    for (const work_kind& kind : work_kinds) {
        if (const std::optional<double>& amount = work.*kind.amount) insert.bind(at, *amount);  // else NULL
        ++at;
    }
    insert.step();
}

std::optional<std::string> text_or_null(const std::optional<assignment>& values)
{
    return values ? std::optional(column_text(*values)) : std::nullopt;
}

void must_be_good(const std::string& why, const assignment& parameters, const assignment& workload)
{
    if (why.empty()) return;
    throw error(fmt::format("the result of {} on {} cannot be stored: {}", text_of(parameters), text_of(workload), why),
                "please report this");
}

}  // namespace

}  // namespace launchbox
