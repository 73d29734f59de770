// SPDX-License-Identifier: Apache-2.0
#include "tune/store/result_store_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstring>
#include <limits>
#include <map>

namespace launchbox {

namespace {

static_assert(std::endian::native == std::endian::little, "samples are stored as they lie in memory");

// The JSON of a candidate, a workload or a kernel; once parsed it takes many times this size.
constexpr std::size_t longest_json = 1 << 20;

/// The values of one row, column by column; the first invalid value makes the row bad.
class row_reader {
public:
    explicit row_reader(const sqlite_statement& row) : row_(row) {}

    // A column, read into `into`.
    template <std::integral Integer>
    void operator()(const char* name, Integer& into)
    {
        const std::optional<std::int64_t> value = row_.integer(next_++);
        if (value && *value >= 0 && *value <= static_cast<std::int64_t>(std::numeric_limits<Integer>::max()))
            into = static_cast<Integer>(*value);
        else
            complain(name);
    }
    void operator()(const char* name, double& into) { take(row_.number(next_++), name, into); }
    void operator()(const char* name, std::string& into) { take(row_.text(next_++), name, into); }
    void operator()(const char* name, outcome& into)
    {
        take(outcome_named(row_.text(next_++).value_or("")), name, into);
    }
    void operator()(const char* name, std::vector<double>& into)
    {
        const std::optional<std::string> bytes = row_.blob(next_++);
        if (!bytes || bytes->size() % sizeof(double) != 0) return complain(name);
        into.resize(bytes->size() / sizeof(double));
        if (!into.empty()) std::memcpy(into.data(), bytes->data(), bytes->size());
    }
    void operator()(const char* name, json_part auto& into)
    {
        const std::string text = row_.text(next_++).value_or("");
        if (text.size() > longest_json || !read_json(nlohmann::ordered_json::parse(text, nullptr, false), into))
            complain(name);
    }
    template <class Value>
    void operator()(const char* name, std::optional<Value>& into)
    {
        if (row_.is_null(next_))
            ++next_;
        else
            (*this)(name, into.emplace());
    }

    /// Empty if the row is valid.
    [[nodiscard]] const std::string& complaint() const { return complaint_; }
    void complain(const std::string& about)
    {
        if (complaint_.empty()) complaint_ = about;
    }

private:
    template <class Value>
    void take(std::optional<Value> value, const char* name, Value& into)
    {
        if (value)
            into = *std::move(value);
        else
            complain(name);
    }

    const sqlite_statement& row_;
    int next_ = 0;
    std::string complaint_;
};

// Whether the row is valid; if not, reports it by its number.
bool good(const sqlite_database& database, row_reader& row, const std::string& what, row_diagnostics& diagnostics)
{
    if (row.complaint().empty()) return true;
    diagnostics.insert(fmt::format("{}: {} is left out: {}", database.shown_as(), what, row.complaint()));
    return false;
}

template <class Record>
std::vector<Record> read_rows(const sqlite_database& database, std::int64_t run, const char* from, const char* what,
                              row_diagnostics& diagnostics)
{
    sqlite_statement asked(database, fmt::format("SELECT {} FROM {}", names_of(fields_of(Record{})), from));
    asked.bind(1, run);
    std::vector<Record> records;
    while (asked.step()) {
        row_reader row(asked);
        Record record;
        each_field(record, row);
        if constexpr (requires { why_invalid(record); })
            if (row.complaint().empty()) row.complain(why_invalid(record));
        if (good(database, row, fmt::format("{} of run {}", what, run), diagnostics))
            records.push_back(std::move(record));
    }
    return records;
}

// By the workload's text. A bad row loses no measurement, only the amounts of work.
std::map<std::string, work_amounts> read_work(const sqlite_database& database, std::int64_t run,
                                              row_diagnostics& diagnostics)
{
    sqlite_statement asked(database,
                           "SELECT workload, " + names_of(fields_of(work_amounts{})) + " FROM work WHERE run = ?");
    asked.bind(1, run);
    std::map<std::string, work_amounts> all;
    while (asked.step()) {
        row_reader row(asked);
        std::string workload;
        work_amounts amounts;
        row("workload", workload);
        each_field(amounts, [&](const char* name, std::optional<double>& amount) {
            row(name, amount);
            if (amount && !is_work(*amount)) row.complain(name);
        });
        if (good(database, row, fmt::format("the work of a workload of run {}", run), diagnostics))
            all.emplace(workload, amounts);
    }
    return all;
}

}  // namespace

std::vector<std::pair<std::int64_t, run_info>> read_runs(const sqlite_database& database, row_diagnostics& diagnostics)
{
    std::vector<std::pair<std::int64_t, run_info>> runs;
    run_info run;
    sqlite_statement asked(
        database,
        fmt::format("SELECT run.id, {}, {}, {}, host, call.id FROM run "
                    "LEFT JOIN environment ON environment.id = run.environment "
                    "LEFT JOIN (SELECT run, max(id) AS latest FROM call GROUP BY run) AS last ON last.run = run.id "
                    "LEFT JOIN call ON call.id = last.latest ORDER BY run.id",
                    names_of(call_fields(run)), names_of(task_fields(run)), names_of(fields_of(run.environment))));
    while (asked.step()) {
        row_reader row(asked);
        std::int64_t number = 0;
        run = {};
        row("id", number);
        each_field(run, call_fields(run), row);
        each_field(run, task_fields(run), row);
        each_field(run.environment, row);
        row("host", run.environment.host);
        row("call", run.call.emplace());
        if (row.complaint().empty()) row.complain(why_invalid(run));
        if (good(database, row, fmt::format("run {}", number), diagnostics)) runs.emplace_back(number, std::move(run));
    }
    return runs;
}

std::vector<stored_result> read_results(const sqlite_database& database, std::int64_t run, row_diagnostics& diagnostics)
{
    // Row by row, by number: sorting whole rows would take SQLite as much memory again.
    std::vector<std::int64_t> numbers;
    sqlite_statement listed(database, "SELECT id FROM result WHERE run = ?");
    for (listed.bind(1, run); listed.step();) numbers.push_back(listed.integer(0).value_or(0));
    std::sort(numbers.begin(), numbers.end());
    const std::string columns = names_of(fields_of(stored_result{})) + ", " + names_of(stored_fields(measurement{}));
    sqlite_statement asked(database, "SELECT workload, " + columns + " FROM result WHERE id = ?");
    const std::map<std::string, work_amounts> work = read_work(database, run, diagnostics);
    std::vector<stored_result> results;
    for (const std::int64_t number : numbers) {
        if (!asked.reset().bind(1, number).step()) continue;
        row_reader row(asked);
        std::string workload;
        stored_result result;
        result.run = run;
        row("workload", workload);
        each_field(result, row);
        each_field(result.measured, stored_fields(result.measured), row);
        if (const auto known = work.find(workload); known != work.end()) result.work = known->second;
        if (row.complaint().empty()) row.complain(why_invalid(result));
        if (good(database, row, fmt::format("result {} of run {}", number, run), diagnostics))
            results.push_back(std::move(result));
    }
    return results;
}

std::vector<race_result_info> read_races(const sqlite_database& database, std::int64_t run,
                                         row_diagnostics& diagnostics)
{
    sqlite_statement asked(
        database, "SELECT id, " + names_of(fields_of(race_result_info{})) + " FROM race WHERE run = ? ORDER BY id");
    asked.bind(1, run);
    std::vector<race_result_info> races;
    while (asked.step()) {
        row_reader row(asked);
        std::int64_t number = 0;
        race_result_info race;
        race.run = run;
        row("id", number);
        each_field(race, row);
        sqlite_statement entries(
            database, "SELECT " + names_of(fields_of(race_entry{})) + " FROM race_entry WHERE race = ? ORDER BY place");
        entries.bind(1, number);
        while (entries.step()) {
            row_reader fields(entries);
            each_field(race.entries.emplace_back(), fields);
            row.complain(fields.complaint());
        }
        if (row.complaint().empty()) row.complain(why_invalid(race));
        if (good(database, row, fmt::format("race {} of run {}", number, run), diagnostics))
            races.push_back(std::move(race));
    }
    return races;
}

std::vector<device_record> read_devices(const sqlite_database& database, std::int64_t run, row_diagnostics& diagnostics)
{
    return read_rows<device_record>(database, run, "device WHERE run = ? ORDER BY name", "a GPU", diagnostics);
}

std::vector<attempt> read_attempts(const sqlite_database& database, std::int64_t run, row_diagnostics& diagnostics)
{
    return read_rows<attempt>(database, run, "attempt WHERE run = ? ORDER BY parameters, workload", "an attempt",
                              diagnostics);
}

}  // namespace launchbox
