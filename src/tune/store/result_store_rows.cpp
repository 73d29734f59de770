// SPDX-License-Identifier: Apache-2.0
#include "tune/store/result_store_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>

#include "support/error.hpp"

namespace launchbox {

namespace {

static_assert(std::endian::native == std::endian::little, "samples are stored as they lie in memory");

// Of a candidate, a workload, a kernel: parsed, a text takes many times its length.
constexpr std::size_t longest_json = 1 << 20;

/// The values of one row, column by column; the first that is not as it must be makes the row bad.
class row_reader {
public:
    explicit row_reader(const sqlite_statement& row) : row_(row) {}

    std::int64_t integer(const char* name, std::int64_t max = std::numeric_limits<std::int64_t>::max())
    {
        const std::optional<std::int64_t> value = row_.integer(next_++);
        if (value && *value >= 0 && *value <= max) return *value;
        complain(name);
        return 0;
    }
    int count(const char* name) { return static_cast<int>(integer(name, std::numeric_limits<int>::max())); }
    bool truth(const char* name) { return integer(name, 1) == 1; }
    double number(const char* name) { return value_or_complain(row_.number(next_++), name); }
    std::optional<bool> optional_truth(const char* name)
    {
        if (row_.is_null(next_)) return skipped();
        return truth(name);
    }
    std::optional<double> optional_number(const char* name)
    {
        if (row_.is_null(next_)) return skipped();
        return number(name);
    }
    std::string text(const char* name) { return value_or_complain(row_.text(next_++), name); }

    assignment values(const char* name) { return value_or_complain(assignment_of(json(name)), name); }
    std::optional<assignment> optional_values(const char* name)
    {
        if (row_.is_null(next_)) return skipped();
        return values(name);
    }
    std::optional<phase_seconds> phases(const char* name)
    {
        if (row_.is_null(next_)) return skipped();
        return value_or_complain(phase_seconds_of(json(name)), name);
    }

    std::optional<gpu_hardware> hardware(const char* name)
    {
        if (row_.is_null(next_)) return skipped();
        return value_or_complain(gpu_hardware_of(json(name)), name);
    }

    std::optional<device_state> device(const char* name)
    {
        if (row_.is_null(next_)) return skipped();
        return value_or_complain(device_state_of(json(name)), name);
    }
    std::optional<kernel_info> kernel(const char* name)
    {
        if (row_.is_null(next_)) return skipped();
        return value_or_complain(kernel_of(json(name)), name);
    }

    std::vector<double> samples(const char* name)
    {
        const std::optional<std::string> bytes = row_.blob(next_++);
        if (!bytes || bytes->size() % sizeof(double) != 0) {
            complain(name);
            return {};
        }
        std::vector<double> samples(bytes->size() / sizeof(double));
        if (!samples.empty()) std::memcpy(samples.data(), bytes->data(), bytes->size());
        return samples;
    }

    /// Empty: all is well.
    [[nodiscard]] const std::string& complaint() const { return complaint_; }
    void complain(const std::string& about)
    {
        if (complaint_.empty()) complaint_ = about;
    }

private:
    template <class Value>
    Value value_or_complain(std::optional<Value> value, const char* name)
    {
        if (value) return *std::move(value);
        complain(name);
        return {};
    }

    nlohmann::ordered_json json(const char* name)
    {
        const std::string text = value_or_complain(row_.text(next_++), name);
        if (text.size() > longest_json) return nlohmann::ordered_json::value_t::discarded;
        return nlohmann::ordered_json::parse(text, nullptr, false);  // invalid JSON becomes a value of no expected type
    }

    std::nullopt_t skipped()
    {
        ++next_;
        return std::nullopt;
    }

    const sqlite_statement& row_;
    int next_ = 0;
    std::string complaint_;
};

// Whether the row is good; else it is named by its number.
bool good(const sqlite_database& database, row_reader& row, const std::string& what, row_diagnostics& diagnostics)
{
    if (row.complaint().empty()) return true;
    diagnostics.insert(fmt::format("{}: {} is left out: {}", database.shown_as(), what, row.complaint()));
    return false;
}

// By the workload's text. A bad row costs no measurement: the work is unknown then.
std::map<std::string, work_amounts> read_work(const sqlite_database& database, std::int64_t run,
                                              row_diagnostics& diagnostics)
{
    sqlite_statement asked(database, "SELECT workload, elements, bytes, flops FROM work WHERE run = ?");
    asked.bind(1, run);
    std::map<std::string, work_amounts> all;
    while (asked.step()) {
        row_reader row(asked);
        const std::string workload = row.text("workload");
        work_amounts amounts;
        for (const work_kind& kind : work_kinds) {
            const std::optional<double> amount = row.optional_number(kind.name);
            if (amount && !is_work(*amount)) row.complain(kind.name);
            amounts.*kind.amount = amount;
        }
        if (good(database, row, fmt::format("the work of a workload of run {}", run), diagnostics))
            all.emplace(workload, amounts);
    }
    return all;
}

}  // namespace

std::vector<std::pair<std::int64_t, run_info>> read_runs(const sqlite_database& database, row_diagnostics& diagnostics)
{
    sqlite_statement asked(
        database,
        "SELECT run.id, call.name, spec_text, spec_hash, task_hash, source_hash, command, version, started, gpu, "
        "processor, architecture, sms, memory_bytes, driver, toolkit, host, baseline, call.id FROM run "
        "LEFT JOIN environment ON environment.id = run.environment "
        "LEFT JOIN (SELECT run, max(id) AS latest FROM call GROUP BY run) AS last ON last.run = run.id "
        "LEFT JOIN call ON call.id = last.latest ORDER BY run.id");
    std::vector<std::pair<std::int64_t, run_info>> runs;
    while (asked.step()) {
        row_reader row(asked);
        const std::int64_t number = row.integer("id");
        run_info run;
        run.name = row.text("name");
        run.spec_text = row.text("spec_text");
        run.spec_hash = row.text("spec_hash");
        run.task_hash = row.text("task_hash");
        run.source_hash = row.text("source_hash");
        run.command = row.text("command");
        run.version = row.text("version");
        run.started = row.text("started");
        run.environment.gpu = row.text("gpu");
        run.environment.processor = row.text("processor");
        run.environment.architecture = row.text("architecture");
        run.environment.sms = row.count("sms");
        run.environment.memory_bytes = row.integer("memory_bytes");
        run.environment.driver = row.text("driver");
        run.environment.toolkit = row.text("toolkit");
        run.environment.host = row.text("host");
        run.baseline = row.optional_values("baseline");
        run.call = row.integer("call");
        if (good(database, row, fmt::format("run {}", number), diagnostics)) runs.emplace_back(number, std::move(run));
    }
    return runs;
}

std::vector<stored_result> read_results(const sqlite_database& database, std::int64_t run, row_diagnostics& diagnostics)
{
    // One row after the other, by their numbers: whole rows that SQLite had to sort would need as much room again.
    std::vector<std::int64_t> numbers;
    sqlite_statement listed(database, "SELECT id FROM result WHERE run = ?");
    for (listed.bind(1, run); listed.step();) numbers.push_back(listed.integer(0).value_or(0));
    std::sort(numbers.begin(), numbers.end());
    sqlite_statement asked(
        database,
        "SELECT id, parameters, workload, weight, status, reason, samples_ns, dropped, stopped_early, verified, "
        "checksum, device, seconds, sticky, resources, code, same_as, log, compile_seconds, from_cache, deaths, "
        "finished, phases "
        "FROM result WHERE id = ?");
    const std::map<std::string, work_amounts> work = read_work(database, run, diagnostics);
    std::vector<stored_result> results;
    for (const std::int64_t number : numbers) {
        if (!asked.reset().bind(1, number).step()) continue;
        row_reader row(asked);
        row.integer("id");
        stored_result result;
        result.run = run;
        result.parameters = row.values("parameters");
        result.workload = row.values("workload");
        result.weight = row.number("weight");
        const std::optional<outcome> what = outcome_named(row.text("status"));
        if (!what) row.complain("status");
        result.measured.what = what.value_or(outcome::rejected);
        result.measured.reason = row.text("reason");
        result.measured.samples_ns = row.samples("samples_ns");
        result.measured.dropped = row.count("dropped");
        result.measured.stopped_early = row.truth("stopped_early");
        result.measured.verified = row.truth("verified");
        result.measured.checksum = row.text("checksum");
        result.measured.device = row.device("device");
        result.measured.seconds = row.number("seconds");
        result.measured.sticky = row.truth("sticky");
        result.kernel = row.kernel("resources");
        result.code = row.text("code");
        result.same_as = row.optional_values("same_as");
        result.log = row.text("log");
        result.compile_seconds = row.number("compile_seconds");
        result.from_cache = row.truth("from_cache");
        result.deaths = row.count("deaths");
        result.finished = row.text("finished");
        result.measured.phases = row.phases("phases");
        if (const auto known = work.find(asked.text(2).value_or("")); known != work.end()) result.work = known->second;
        if (row.complaint().empty())
            if (const std::string why = why_invalid(result); !why.empty()) row.complain(why);
        if (good(database, row, fmt::format("result {} of run {}", number, run), diagnostics))
            results.push_back(std::move(result));
    }
    return results;
}

std::vector<race_result_info> read_races(const sqlite_database& database, std::int64_t run,
                                         row_diagnostics& diagnostics)
{
    sqlite_statement asked(database, "SELECT id, workload, verdict, equal_within FROM race WHERE run = ? ORDER BY id");
    asked.bind(1, run);
    std::vector<race_result_info> races;
    while (asked.step()) {
        row_reader row(asked);
        const std::int64_t number = row.integer("id");
        race_result_info race;
        race.run = run;
        race.workload = row.values("workload");
        race.verdict = row.text("verdict");
        race.equal_within = row.number("equal_within");
        sqlite_statement entries(database,
                                 "SELECT parameters, samples_ns, result_median_ns FROM race_entry WHERE race = ? "
                                 "ORDER BY place");
        entries.bind(1, number);
        while (entries.step()) {
            row_reader fields(entries);
            race_entry entry;
            entry.parameters = fields.values("parameters");
            entry.samples_ns = fields.samples("samples_ns");
            entry.result_median_ns = fields.optional_number("result_median_ns");
            if (!fields.complaint().empty()) row.complain(fields.complaint());
            race.entries.push_back(std::move(entry));
        }
        if (row.complaint().empty())
            if (const std::string why = why_invalid(race); !why.empty()) row.complain(why);
        if (good(database, row, fmt::format("race {} of run {}", number, run), diagnostics))
            races.push_back(std::move(race));
    }
    return races;
}

std::vector<device_record> read_devices(const sqlite_database& database, std::int64_t run, row_diagnostics& diagnostics)
{
    sqlite_statement asked(database,
                           "SELECT name, host, uuid, ecc, calibration_ns, state, measured, failed, busy_seconds, "
                           "seconds, lost, hardware FROM device WHERE run = ? ORDER BY name");
    asked.bind(1, run);
    std::vector<device_record> devices;
    while (asked.step()) {
        row_reader row(asked);
        device_record device;
        device.name = row.text("name");
        device.host = row.text("host");
        device.uuid = row.text("uuid");
        device.ecc = row.optional_truth("ecc");
        device.calibration_ns = row.samples("calibration_ns");
        device.state = row.device("state");
        device.measured = row.integer("measured");
        device.failed = row.integer("failed");
        device.busy_seconds = row.number("busy_seconds");
        device.seconds = row.number("seconds");
        device.lost = row.text("lost");
        device.hardware = row.hardware("hardware");
        if (row.complaint().empty())
            if (const std::string why = why_invalid(device); !why.empty()) row.complain(why);
        if (good(database, row, fmt::format("a GPU of run {}", run), diagnostics)) devices.push_back(std::move(device));
    }
    return devices;
}

std::vector<attempt> read_attempts(const sqlite_database& database, std::int64_t run, row_diagnostics& diagnostics)
{
    sqlite_statement asked(
        database, "SELECT parameters, workload, deaths FROM attempt WHERE run = ? ORDER BY parameters, workload");
    asked.bind(1, run);
    std::vector<attempt> attempts;
    while (asked.step()) {
        row_reader row(asked);
        attempt read;
        read.parameters = row.values("parameters");
        read.workload = row.values("workload");
        read.deaths = row.count("deaths");
        if (good(database, row, fmt::format("an attempt of run {}", run), diagnostics))
            attempts.push_back(std::move(read));
    }
    return attempts;
}

std::string column_text(const nlohmann::ordered_json& value)
try {
    return value.dump();
} catch (const nlohmann::json::exception&) {
    throw error("a name or a value of a result is not UTF-8", "write the spec in UTF-8");
}

std::string column_text(const assignment& values)
{
    return column_text(json_of(values));
}

std::string blob_of(const std::vector<double>& samples)
{
    std::string bytes(samples.size() * sizeof(double), '\0');
    if (!samples.empty()) std::memcpy(bytes.data(), samples.data(), bytes.size());
    return bytes;
}

}  // namespace launchbox
