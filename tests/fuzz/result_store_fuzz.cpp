// A store may come from anybody. The input is a whole database or, if it is not one, statements that change a good one
// before it is read. Only what could have been saved is returned.
#include <sqlite3.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "support/error.hpp"
#include "support/files/files.hpp"
#include "tune/ranking/ranking.hpp"
#include "tune/store/result_json.hpp"
#include "tune/store/result_store.hpp"

using namespace launchbox;

namespace {

const temporary_directory& folder()
{
    static const temporary_directory made;
    return made;
}

// One run, two results, a race and an attempt; not in WAL mode, so that the store is one file.
const std::string& good_store()
{
    static const std::string bytes = [] {
        const std::string file = (folder().path() / "good.db").string();
        {
            result_store store(file);
            run_info run;
            run.name = "fuzz";
            run.baseline = assignment{{{"threads", std::int64_t{64}}}};
            stored_result result;
            result.run = store.begin_run(run);
            for (std::int64_t threads : {64, 128}) {
                result.parameters = {{{"threads", threads}}};
                result.measured.samples_ns = {1, 2, 3};
                result.measured.device = device_state{};
                result.kernel = kernel_info{};
                result.same_as = result.parameters;
                store.save(result);
            }
            store.save(race_result_info{result.run, {}, {{result.parameters, {1, 2}, 2.0}}, "winner", 0});
            store.begin_attempt(result.run, {{{{"threads", std::int64_t{32}}}}, {}, 1});
        }
        sqlite3* handle = nullptr;
        sqlite3_open(file.c_str(), &handle);
        sqlite3_exec(handle, "PRAGMA journal_mode = DELETE", nullptr, nullptr, nullptr);
        sqlite3_close(handle);
        return read_input(file);
    }();
    return bytes;
}

// An UPDATE of one column: a byte chooses the column, one the type, the rest is the value.
void change(const std::string& file, std::string_view input)
{
    static constexpr const char* columns[][2] = {{"environment", "sms"},
                                                 {"environment", "gpu"},
                                                 {"environment", "memory_bytes"},
                                                 {"call", "baseline"},
                                                 {"call", "name"},
                                                 {"result", "parameters"},
                                                 {"result", "workload"},
                                                 {"result", "weight"},
                                                 {"result", "status"},
                                                 {"result", "reason"},
                                                 {"result", "samples_ns"},
                                                 {"result", "dropped"},
                                                 {"result", "stopped_early"},
                                                 {"result", "verified"},
                                                 {"result", "checksum"},
                                                 {"result", "device"},
                                                 {"result", "seconds"},
                                                 {"result", "resources"},
                                                 {"result", "log"},
                                                 {"result", "compile_seconds"},
                                                 {"result", "deaths"},
                                                 {"result", "code"},
                                                 {"result", "same_as"},
                                                 {"result", "sticky"},
                                                 {"race", "workload"},
                                                 {"race", "verdict"},
                                                 {"race", "equal_within"},
                                                 {"race_entry", "parameters"},
                                                 {"race_entry", "samples_ns"},
                                                 {"attempt", "deaths"},
                                                 {"attempt", "parameters"},
                                                 {"race_entry", "result_median_ns"}};
    sqlite3* handle = nullptr;
    sqlite3_open(file.c_str(), &handle);
    for (std::size_t at = 0; at + 3 <= input.size();) {
        const auto& [table, column] = columns[static_cast<unsigned char>(input[at]) % std::size(columns)];
        const int type = static_cast<unsigned char>(input[at + 1]) % 4;
        const std::string_view value = input.substr(at + 3, static_cast<unsigned char>(input[at + 2]));
        at += 3 + value.size();
        const std::string sql = std::string("UPDATE OR IGNORE ") + table + " SET " + column + " = ?";
        sqlite3_stmt* statement = nullptr;
        if (sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) std::abort();
        std::int64_t bits = 0;
        double number = 0;
        value.copy(reinterpret_cast<char*>(&bits), sizeof bits);
        value.copy(reinterpret_cast<char*>(&number), sizeof number);
        if (type == 0) sqlite3_bind_int64(statement, 1, bits);
        if (type == 1) sqlite3_bind_double(statement, 1, number);
        if (type == 2) sqlite3_bind_text64(statement, 1, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
        if (type == 3) sqlite3_bind_blob64(statement, 1, value.data(), value.size(), SQLITE_TRANSIENT);
        sqlite3_step(statement);
        sqlite3_finalize(statement);
    }
    sqlite3_close(handle);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::string file = (folder().path() / "fuzz.db").string();
    const bool whole = input.substr(0, 6) == "SQLite";
    std::ofstream(file, std::ios::binary) << (whole ? std::string(input) : good_store());
    if (!whole) change(file, input);
    try {
        const result_store store(file, result_store::access::read_only);
        std::size_t read = 0;
        for (std::int64_t run : {1, 2}) {
            for (const stored_result& each : store.results(run)) {
                if (!why_invalid(each).empty()) std::abort();
                ++read;
            }
            for (const race_result_info& each : store.races(run))
                if (!why_invalid(each).empty()) std::abort();
            for (const attempt& each : store.attempts(run))
                if (each.deaths < 0) std::abort();
        }
        // A store read from a pipe is the same, except for the files beside it.
        const result_store piped = result_store::of_bytes(read_input(file), file);
        for (const recorded_run& run : piped.recorded_runs())
            for (const ranking& workload : rank(run.results, run.races, run.info.baseline))
                if (workload.race && workload.outdated) std::abort();
        (void)store.runs();
        if (!whole && read < 2 && store.diagnostics().empty()) std::abort();
    } catch (const error&) {
        if (!whole) std::abort();  // one bad value never makes the whole store unreadable
    }
    return 0;
}
