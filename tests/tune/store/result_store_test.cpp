// The store: what was saved is read back, whatever happens to the process, and other content is not trusted.
#include "tune/store/result_store.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <thread>

#include "capture/folder/captured_launch.hpp"
#include "recorded_results.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "tune/store/result_store_schema.hpp"
#include "tune/types/recorded_run.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;
using access = result_store::access;

struct result_store_file : testing::Test {
    // Users who do not own the folder read it, too.
    result_store_file() { fs::permissions(folder.path().parent_path(), fs::perms(0755)); }

    temporary_directory folder;
    std::string file = (folder.path() / "results.db").string();

    void sql(const std::string& statement) const
    {
        sqlite3* handle = nullptr;
        ASSERT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
        char* workload = nullptr;
        EXPECT_EQ(sqlite3_exec(handle, statement.c_str(), nullptr, nullptr, &workload), SQLITE_OK)
            << (workload == nullptr ? "" : workload) << " in " << statement;
        sqlite3_free(workload);
        sqlite3_close(handle);
    }

    // The error of opening it; expects that the file and its folder are not changed.
    std::string refusal(access how = access::create_or_open) const
    {
        const bool there = fs::is_regular_file(file);
        const std::string before = there ? read_input(file) : "";
        const auto entries = [&] {
            // SQLite's own files next to it do not count.
            return std::count_if(fs::directory_iterator(folder.path()), fs::directory_iterator(), [](const auto& item) {
                const std::string name = item.path().filename().string();
                return !name.ends_with("results.db-wal") && !name.ends_with("results.db-shm");
            });
        };
        const auto count = entries();
        try {
            result_store store(file, how);
        } catch (const error& failure) {
            EXPECT_FALSE(failure.hint().empty());
            EXPECT_EQ(std::string(failure.what()).find('\n'), std::string::npos);
            EXPECT_NE(std::string(failure.what()).find(file), std::string::npos) << failure.what();
            EXPECT_EQ(there ? read_input(file) : "", before);
            EXPECT_EQ(entries(), count);
            return failure.what();
        }
        return {};
    }
};

void expect_holds(const result_store& store, const recorded_run& run)
{
    const auto runs = store.runs();
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].first, 1);
    run_info wanted = run.info;
    wanted.call = runs[0].second.call;
    EXPECT_EQ(runs[0].second, wanted);
    const auto of_this_run = [](auto list) {
        for (auto& item : list) item.run = 1;
        return list;
    };
    const std::vector<stored_result> results = store.results(1), wanted_results = of_this_run(run.results);
    ASSERT_EQ(results.size(), run.results.size());
    for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i], wanted_results[i]) << i;
    EXPECT_EQ(store.races(1), of_this_run(run.races));
    EXPECT_TRUE(store.diagnostics().empty());
}

TEST_F(result_store_file, returns_all_that_was_saved)
{
    recorded_run run = example_results();
    stored_result& odd = run.results[2];
    odd.parameters.values = {{"word", std::string("a \"b\" \xc3\xa4")},
                             {"half", 0.1},
                             {"two", 2.0},
                             {"yes", true},
                             {"least", std::numeric_limits<std::int64_t>::min()},
                             {"most", std::numeric_limits<std::int64_t>::max()}};
    odd.workload.values.clear();
    odd.measured.samples_ns = {0.1, 1.0 / 3, 1e-6, 1e18, 0};
    odd.measured.device = device_state{};
    odd.measured.sticky = true;
    odd.measured.phases =
        phase_seconds{.reference = 0.7, .load = 0.1, .prepare = 1.0 / 3, .verify = 0, .time = 5e-324, .check = 2};
    odd.weight = 0.3;
    odd.work = {.elements = 0.1, .flops = 1e30};
    odd.log = std::string("bytes \xff\0 of a compiler", 22);
    odd.kernel = kernel_info{};
    odd.from_cache = true;
    {
        result_store store(file);
        EXPECT_EQ(save_all(store, run), 1);
        expect_holds(store, run);
    }
    for (access how : {access::open, access::create_or_open, access::read_only}) {
        SCOPED_TRACE(static_cast<int>(how));
        expect_holds(result_store(file, how), run);
    }
}

TEST_F(result_store_file, a_later_result_of_the_same_candidate_replaces_the_earlier)
{
    result_store store(file);
    save_all(store, example_results());
    stored_result again = example_results().results[1];
    again.measured.samples_ns = {7, 8, 9};
    store.save(again);
    const std::vector<stored_result> results = store.results(1);
    EXPECT_EQ(results.size(), example_results().results.size());
    EXPECT_EQ(results.back().parameters, again.parameters);
    EXPECT_EQ(results.back().measured, again.measured);
    race_result_info race = example_results().races[0];
    race.verdict = "winner";
    race.entries.pop_back();
    race.entries[0].result_median_ns = 100'400.0;
    store.save(race);
    ASSERT_EQ(store.races(1).size(), 1u);
    EXPECT_EQ(store.races(1)[0], race);
    store.add(example_results().races[0]);
    EXPECT_EQ(store.races(1), (std::vector<race_result_info>{race, example_results().races[0]}));
    store.save(race);
    EXPECT_EQ(store.races(1), std::vector<race_result_info>{race}) << "it was drawn from all that is known";
}

TEST_F(result_store_file, calls_are_numbered_whatever_the_clock)
{
    result_store store(file);
    run_info first = example_run(), second = example_run();
    second.source_hash = "other";
    store.begin_run(first);
    store.begin_run(second);
    const auto calls = [&] {
        std::vector<std::int64_t> all;
        for (const auto& [number, info] : store.runs()) all.push_back(info.call.value());
        return all;
    };
    EXPECT_EQ(calls(), (std::vector<std::int64_t>{1, 2}));
    first.started = "1999-01-01T00:00:00Z";
    store.begin_run(first);
    EXPECT_EQ(calls(), (std::vector<std::int64_t>{3, 2}));
}

TEST_F(result_store_file, a_snapshot_equals_its_parts)
{
    result_store store(file);
    save_all(store, example_results());
    store.save(1, {{.name = "GPU 1", .host = "a", .uuid = "u"}});
    const std::vector<recorded_run> all = store.recorded_runs();
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].number, 1);
    EXPECT_EQ(all[0].info, store.runs()[0].second);
    EXPECT_EQ(all[0].results, store.results(1));
    EXPECT_EQ(all[0].races, store.races(1));
    EXPECT_EQ(all[0].devices, store.devices(1));
    save_all(store, example_results());  // the reader holds no lock any more
}

TEST_F(result_store_file, a_run_is_only_continued_with_the_same_task_source_and_environment)
{
    result_store store(file);
    run_info run = example_run();
    EXPECT_EQ(store.begin_run(run), 1);
    run.spec_hash = "changed";
    run.command = "launchbox tune block_sort.toml --resume";
    run.environment.host = "node8";
    run.baseline.reset();
    EXPECT_EQ(store.begin_run(run), 1);
    ASSERT_EQ(store.runs().size(), 1u);
    EXPECT_EQ(store.runs()[0].second.command, run.command);
    EXPECT_EQ(store.runs()[0].second.environment, run.environment);
    EXPECT_EQ(store.runs()[0].second.baseline, std::nullopt);

    std::int64_t next = 2;
    const auto differs_in = [&](const auto& change) {
        run_info other = run;
        change(other);
        EXPECT_EQ(store.begin_run(other), next++);
        EXPECT_EQ(store.begin_run(other), next - 1);
    };
    differs_in([](run_info& info) { info.task_hash = "x"; });
    differs_in([](run_info& info) { info.source_hash = "x"; });
    differs_in([](run_info& info) { info.environment.gpu = "x"; });
    differs_in([](run_info& info) { info.environment.processor = "x"; });
    differs_in([](run_info& info) { info.environment.architecture = "x"; });
    differs_in([](run_info& info) { info.environment.sms = 1; });
    differs_in([](run_info& info) { info.environment.memory_bytes = 1; });
    differs_in([](run_info& info) { info.environment.driver = "x"; });
    differs_in([](run_info& info) { info.environment.toolkit = "x"; });
    EXPECT_EQ(store.begin_run(run), 1);
}

TEST_F(result_store_file, attempts_exist_until_their_result_does)
{
    result_store store(file);
    const std::int64_t run = store.begin_run(example_run());
    const stored_result result = example_results().results[0];
    store.begin_attempt(run, {result.parameters, result.workload, 0});
    store.begin_attempt(run, {tuning_values(64, 3), result.workload, 0});
    store.begin_attempt(run, {result.parameters, result.workload, 1});
    std::vector<attempt> attempts = store.attempts(run);
    ASSERT_EQ(attempts.size(), 2u);
    store.save(result);
    attempts = store.attempts(run);
    ASSERT_EQ(attempts.size(), 1u);
    EXPECT_EQ(attempts[0].parameters, tuning_values(64, 3));
    store.begin_attempt(run, {result.parameters, result.workload, 1});
    EXPECT_EQ(result_store(file, access::read_only).attempts(run)[0].deaths, 1);
    EXPECT_TRUE(store.attempts(run + 1).empty());
}

TEST_F(result_store_file, an_invalid_result_is_not_saved)
{
    result_store store(file);
    save_all(store, example_results());
    for (double sample : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1.0, 2e18,
                          1e-314, 1e-7}) {
        stored_result bad = example_results().results[0];
        bad.measured.samples_ns[3] = sample;
        EXPECT_THROW(store.save(bad), error) << sample;
        race_result_info race = example_results().races[0];
        race.entries[1].samples_ns[3] = sample;
        EXPECT_THROW(store.save(race), error) << sample;
        race = example_results().races[0];
        race.entries[1].result_median_ns = sample;
        EXPECT_THROW(store.add(race), error) << sample;
        EXPECT_THROW(store.save(1, {{.name = "GPU 0", .host = "", .uuid = "", .calibration_ns = {sample}}}), error);
    }
    stored_result bad = example_results().results[0];
    bad.measured.samples_ns.clear();
    EXPECT_THROW(store.save(bad), error);
    bad = example_results().results[0];
    bad.parameters.values[0].second = std::string("\xff");
    EXPECT_THROW(store.save(bad), error);
    for (const double amount : {0.0, -1.0, std::numeric_limits<double>::infinity(), 2e30}) {
        bad = example_results().results[0];
        bad.work.bytes = amount;
        EXPECT_THROW(store.save(bad), error) << amount;
    }
    bad = example_results().results[0];
    bad.run = 77;
    EXPECT_THROW(store.save(bad), error);
    expect_holds(store, example_results());
}

// Whatever tables such a store has: only its version is read.
TEST_F(result_store_file, a_store_of_an_older_version_is_refused_with_a_fix)
{
    sql("CREATE TABLE run (id); INSERT INTO run VALUES (1)");
    for (int version = 1; version < store_version; ++version) {
        sql("PRAGMA application_id = 1279414867; PRAGMA user_version = " + std::to_string(version));
        for (access how : {access::create_or_open, access::open, access::read_only})
            EXPECT_NE(refusal(how).find("was made by an older version of launchbox"), std::string::npos) << version;
        try {
            (void)result_store::of_bytes(read_input(file), "old.db");
            ADD_FAILURE() << version;
        } catch (const error& failure) {
            EXPECT_NE(failure.hint().find("tune again, or let that version write"), std::string::npos);
            EXPECT_NE(failure.hint().find("launchbox results STORE --samples --format json"), std::string::npos);
        }
    }
    sql("PRAGMA user_version = 0");
    EXPECT_NE(refusal().find("it has no version"), std::string::npos);
}

// Existing stores must stay readable: whoever changes a table must raise the version, and then change this hash.
TEST_F(result_store_file, the_tables_of_this_version_never_change)
{
    {
        result_store store(file);
    }
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
    sqlite3_stmt* asked = nullptr;
    sqlite3_prepare_v2(handle, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name", -1, &asked,
                       nullptr);
    std::string tables;
    while (sqlite3_step(asked) == SQLITE_ROW)
        tables += reinterpret_cast<const char*>(sqlite3_column_text(asked, 0)) + std::string(";\n");
    sqlite3_finalize(asked);
    sqlite3_close(handle);
    EXPECT_EQ(store_version, 8);
    EXPECT_EQ(hash_of_bytes(tables), 15782422427124105667u) << tables;
}

TEST_F(result_store_file, work_belongs_to_the_workload_and_the_latest_call_decides)
{
    {
        result_store store(file);
    }
    sql("INSERT INTO environment VALUES (1, 'G', '', 'sm_90', 1, 1, '13.0', 'NVRTC 13.0');"
        "INSERT INTO run VALUES (1, 1, 't', 's');"
        "INSERT INTO call VALUES (1, 1, 'x', '', '', '', '', '', '', NULL, 'time');"
        "INSERT INTO result VALUES (1, 1, '{\"a\":1}', '{\"n\":5}', 1, 'measured', '', zeroblob(8), '{}', 0, 0, 1, '', "
        "NULL, "
        "0, NULL, '', 0, 0, 0, '', '', NULL, 0, NULL);"
        "INSERT INTO result VALUES (2, 1, '{\"a\":2}', '{\"n\":5}', 1, 'hang', '', zeroblob(0), '{}', 0, 0, 1, '', "
        "NULL, 0, "
        "NULL, '', 0, 0, 0, '', '', NULL, 0, NULL);"
        "INSERT INTO result VALUES (3, 1, '{\"a\":1}', '{\"n\":6}', 1, 'measured', '', zeroblob(8), '{}', 0, 0, 1, '', "
        "NULL, "
        "0, NULL, '', 0, 0, 0, '', '', NULL, 0, NULL);");
    const auto work_in = [](const result_store& store) {
        std::vector<work_amounts> all;
        for (const stored_result& result : store.results(1)) all.push_back(result.work);
        EXPECT_TRUE(store.diagnostics().empty());
        return all;
    };
    using list = std::vector<work_amounts>;
    EXPECT_EQ(work_in(result_store(file, access::read_only)), (list{{}, {}, {}}));
    result_store store(file, access::open);
    const assignment five{{{"n", std::int64_t{5}}}};
    store.set_work(1, {{five, {.elements = 5, .bytes = 0.5}}});
    EXPECT_EQ(work_in(store), (list{{.elements = 5, .bytes = 0.5}, {.elements = 5, .bytes = 0.5}, {}}));
    store.set_work(1, {{five, {.flops = 7}}});
    EXPECT_EQ(work_in(result_store(file, access::read_only)), (list{{.flops = 7}, {.flops = 7}, {}}));
    stored_result again = store.results(1)[0];
    again.work = {};
    store.save(again);
    EXPECT_EQ(work_in(store), (list{{.flops = 7}, {}, {.flops = 7}})) << "a result without keeps it";
    store.set_work(1, {{five, {}}});
    EXPECT_EQ(work_in(store), (list{{}, {}, {}}));
    // A value that launchbox cannot have written is unknown, and the measurement is kept.
    for (const char* value : {"'x'", "0", "-1", "9e999", "x'00'"}) {
        store.set_work(1, {{five, {.elements = 5}}});
        sql(std::string("UPDATE work SET elements = ") + value);
        const result_store read(file, access::read_only);
        EXPECT_EQ(read.results(1).size(), 3u) << value;
        EXPECT_FALSE(read.results(1)[0].work.any()) << value;
        ASSERT_EQ(read.diagnostics().size(), 1u) << value;
        EXPECT_NE(read.diagnostics()[0].find("the work of a workload of run 1 is left out: elements"),
                  std::string::npos)
            << read.diagnostics()[0];
    }
}

// If launchbox cannot have written them, the row is left out.
TEST_F(result_store_file, phases_are_whole_or_unknown)
{
    const phase_seconds known{.reference = 0, .load = 1, .prepare = 2, .verify = 3, .time = 4, .check = 5};
    {
        result_store store(file);
        stored_result result = example_results().results.at(0);
        result.run = store.begin_run(example_results().info);
        result.measured.phases = std::nullopt;
        store.save(result);
        EXPECT_EQ(store.results(1).at(0).measured.phases, std::nullopt);
        result.measured.phases = known;
        store.save(result);
    }
    EXPECT_EQ(result_store(file, access::read_only).results(1).at(0).measured.phases, known);
    for (const char* value : {"'x'", "'[]'", "'{\"load\":-1}'", "'{\"load\":\"1\"}'", "x'00'", "7",
                              "'{\"load\":1,\"prepare\":2,\"verify\":3,\"time\":4,\"check\":5}'"}) {
        sql(std::string("UPDATE result SET phases = ") + value);
        const result_store read(file, access::read_only);
        EXPECT_TRUE(read.results(1).empty()) << value;
        EXPECT_EQ(read.diagnostics().size(), 1u) << value;
    }
}

TEST_F(result_store_file, files_of_others_are_refused_and_unchanged)
{
    EXPECT_NE(refusal(access::open).find("there is no file"), std::string::npos);
    EXPECT_NE(refusal(access::read_only).find("there is no file"), std::string::npos);
    EXPECT_FALSE(fs::exists(file));

    for (const std::string& text : {std::string("threads,items\n1,2\n"), std::string("SQLite format 3"),
                                    std::string("SQLite format 3\0", 16), std::string(5000, 'x')}) {
        std::ofstream(file) << text;
        for (access how : {access::create_or_open, access::open, access::read_only})
            EXPECT_NE(refusal(how).find("is not a result store"), std::string::npos) << text.substr(0, 20);
    }
    fs::remove(file);
    sql("PRAGMA journal_mode = WAL; CREATE TABLE result (a); INSERT INTO result VALUES (1)");
    for (access how : {access::create_or_open, access::open, access::read_only})
        EXPECT_NE(refusal(how).find("SQLite database, but not a result store"), std::string::npos);
    EXPECT_FALSE(fs::exists(file + "-wal"));

    fs::remove(file);
    std::ofstream(file).close();
    EXPECT_NE(refusal(access::read_only).find("is empty"), std::string::npos);
    EXPECT_NO_THROW(result_store{file});  // it was empty

    file = folder.path().string();
    for (access how : {access::create_or_open, access::open, access::read_only})
        EXPECT_NE(refusal(how).find("is a folder"), std::string::npos);
    file = (folder.path() / "no_such_folder" / "x.db").string();
    EXPECT_NE(refusal().find("cannot open"), std::string::npos);
}

TEST_F(result_store_file, unexpected_tables_are_refused)
{
    {
        result_store store(file);
    }
    sql("DROP TABLE result; CREATE VIEW result AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
        "SELECT x AS id, '{}' AS parameters FROM n");
    for (access how : {access::create_or_open, access::open, access::read_only})
        EXPECT_NE(refusal(how).find("is not a result store"), std::string::npos);
}

// As in merged stores; the results that a race used may be unknown.
TEST_F(result_store_file, a_workload_may_have_several_races)
{
    const auto of = [](std::int64_t n) { return assignment{{{"n", n}}}; };
    const auto candidate = [](std::int64_t a) { return assignment{{{"a", a}}}; };
    result_store store(file);
    ASSERT_EQ(store.begin_run(example_results().info), 1);
    std::vector<race_result_info> races{{1, of(5), {{candidate(1), {0}}, {candidate(2), {0, 0}}}, "equal", 0.5},
                                        {1, of(6), {{candidate(3), {0}}}, "winner", 0}};
    races.push_back(races[1]);
    races.back().entries[0].result_median_ns = 0;
    for (const race_result_info& race : races) store.add(race);
    EXPECT_EQ(store.races(1), races);
    EXPECT_EQ(result_store(file, access::read_only).races(1), races);
    EXPECT_TRUE(store.diagnostics().empty());
}

// Things that run when a database is read or written: none may, in any table and under any name. Each of these would
// take forever, or gigabytes.
TEST_F(result_store_file, nothing_in_a_store_is_executed)
{
    std::vector<std::string> tables;
    {
        result_store store(file);
        save_all(store, example_results());
    }
    sql("PRAGMA journal_mode = DELETE");
    const std::string whole = read_input(file);
    {
        sqlite3* handle = nullptr;
        ASSERT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
        sqlite3_stmt* asked = nullptr;
        sqlite3_prepare_v2(handle, "SELECT name FROM sqlite_master WHERE type = 'table'", -1, &asked, nullptr);
        while (sqlite3_step(asked) == SQLITE_ROW)
            tables.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(asked, 0)));
        sqlite3_finalize(asked);
        sqlite3_close(handle);
    }
    ASSERT_GE(tables.size(), 9u);
    const std::string for_ever =
        "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n";
    const std::string gigabytes = "hex(zeroblob(120000000))";
    const auto in_schema = [](const std::string& type, const std::string& name, const std::string& statement) {
        return "PRAGMA writable_schema = ON; INSERT INTO sqlite_master VALUES ('" + type + "', '" + name + "', '" +
               name + "', 0, '" + statement + "')";
    };
    std::vector<std::string> changes;
    for (const std::string& table : tables) {
        changes.push_back("DROP TABLE " + table + "; CREATE VIEW " + table + " AS " + for_ever);
        changes.push_back("DROP TABLE " + table + "; CREATE TABLE " + table + " (run, name AS (" + gigabytes +
                          "), host AS (" + gigabytes +
                          ")); WITH RECURSIVE n (x) AS "
                          "(SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 9) INSERT INTO " +
                          table + " (run) SELECT 1 FROM n");
        changes.push_back("DROP TABLE " + table);
        changes.push_back("CREATE TRIGGER t_" + table + " AFTER INSERT ON " + table + " BEGIN INSERT INTO attempt " +
                          for_ever + "; END");
        changes.push_back(
            "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'run INTEGER', 'run "
            "INTEGER CHECK (length(" +
            gigabytes + ") > 0)') || ' ' WHERE name = '" + table + "'");
        changes.push_back("PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE tbl_name = '" + table + "'");
    }
    changes.push_back("CREATE VIEW more AS " + for_ever);
    changes.push_back("CREATE TABLE more (a)");
    changes.push_back("CREATE INDEX more ON result (abs(run))");
    changes.push_back("CREATE INDEX more ON result (run) WHERE length(code) > 3");
    changes.push_back("CREATE INDEX more ON result (run)");
    changes.push_back("ANALYZE");
    changes.push_back(in_schema("index", "more", "CREATE INDEX more ON result (length(" + gigabytes + "))"));
    changes.push_back(in_schema("table", "more", "CREATE VIRTUAL TABLE more USING fts5 (x)"));
    changes.push_back(in_schema("table", "more", "CREATE VIRTUAL TABLE more USING nothing_of_this_name (x)"));
    // SQLite reads these as soon as it reads the schema.
    changes.push_back(
        "ANALYZE; PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE TABLE sqlite_stat1 "
        "(a, idx, stat, tbl AS (" +
        gigabytes + "))' WHERE name = 'sqlite_stat1'");
    changes.push_back("PRAGMA writable_schema = ON; INSERT INTO sqlite_master VALUES (NULL, NULL, NULL, NULL, NULL)");
    for (const std::string& change : changes) {
        SCOPED_TRACE(change);
        std::ofstream(file, std::ios::binary) << whole;
        sql("PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; " + change);
        const std::string changed = read_input(file);
        ASSERT_NE(changed, whole);
        for (const access how : {access::read_only, access::open}) EXPECT_NE(refusal(how), "") << static_cast<int>(how);
    }
}

// A page that occurs a thousand times in a tree, each time with a thousand pages below it.
TEST_F(result_store_file, an_endless_tree_is_refused)
{
    {
        result_store store(file);
        save_all(store, example_results());
    }
    sql("PRAGMA journal_mode = DELETE; VACUUM");
    const std::string whole = read_input(file);
    constexpr std::size_t page = 4096;
    ASSERT_EQ(whole.size() % page, 0u);
    const std::size_t pages = whole.size() / page;
    ASSERT_GT(pages, 8u);
    // An interior page of a table: 300 cells, all with the same page below them.
    const auto interior = [](std::size_t start, std::size_t below) {
        constexpr std::size_t cells = 300, cell = 5;
        std::string made(page - start, '\0');
        const auto put = [&](std::size_t at, std::size_t value, std::size_t bytes) {
            for (std::size_t i = 0; i < bytes; ++i)
                made[at + i] = static_cast<char>(value >> (8 * (bytes - 1 - i)) & 0xff);
        };
        made[0] = 5;
        put(3, cells, 2);
        put(5, page - cells * cell, 2);
        put(8, below, 4);
        for (std::size_t i = 0; i < cells; ++i) {
            put(12 + 2 * i, page - (i + 1) * cell, 2);
            put(page - start - (i + 1) * cell, below, 4);
            put(page - start - (i + 1) * cell + 4, 1, 1);
        }
        return made;
    };
    for (const std::size_t first : {std::size_t{1}, std::size_t{4}}) {  // the schema itself, and a table
        std::string changed = whole;
        const std::size_t start = first == 1 ? 100 : 0;
        changed.replace((first - 1) * page + start, page - start, interior(start, pages + 1));
        for (std::size_t level = 1; level <= 5; ++level) changed += interior(0, pages + level + 1);
        changed += whole.substr(3 * page, page);
        changed[28 + 3] = static_cast<char>(pages + 6);
        std::ofstream(file, std::ios::binary) << changed;
        for (const access how : {access::read_only, access::open}) EXPECT_NE(refusal(how), "") << first;
        EXPECT_THROW((void)result_store::of_bytes(changed, file), error);
    }
}

// SQLite removes a file that is named in a journal next to the store.
TEST_F(result_store_file, a_journal_next_to_a_store_cannot_name_other_files)
{
    {
        result_store store(file);
    }
    sql("PRAGMA journal_mode = DELETE");
    const std::string mine = (folder.path() / "mine").string();
    std::ofstream(mine) << "mine";
    const auto four = [](std::size_t value) {
        std::string bytes;
        for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
        return bytes;
    };
    const std::string magic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
    std::string header = magic + four(0) + four(1) + four(fs::file_size(file) / 4096) + four(512) + four(4096);
    header.resize(512);
    std::size_t sum = 0;
    for (const char letter : mine) sum += static_cast<std::size_t>(letter);
    const std::string journal = header + four(0x40000000 / 4096 + 1) + mine + four(mine.size()) + four(sum) + magic;
    for (const access how : {access::read_only, access::open, access::create_or_open}) {
        std::ofstream(file + "-journal", std::ios::binary) << journal;
        EXPECT_NE(refusal(how).find("results.db-journal names another journal"), std::string::npos);
        ASSERT_TRUE(fs::exists(mine));
        fs::remove(file + "-journal");
        for (const char* part : {"-journal", "-wal", "-shm"}) {
            fs::create_symlink(mine, file + part);
            EXPECT_NE(refusal(how).find(std::string("results.db") + part + " is not a file"), std::string::npos);
            fs::remove(file + part);
        }
    }
    EXPECT_EQ(read_input(mine), "mine");
    // Through a link, the files next to its target count.
    const std::string link = (folder.path() / "link.db").string();
    fs::create_symlink(file, link);
    EXPECT_TRUE(result_store(link, access::read_only).runs().empty());
    std::ofstream(file + "-journal", std::ios::binary) << journal;
    EXPECT_THROW((void)result_store(link, access::read_only), error);
}

TEST_F(result_store_file, a_newer_schema_is_refused)
{
    {
        result_store store(file);
    }
    sql("PRAGMA user_version = 99");
    for (access how : {access::create_or_open, access::open, access::read_only})
        EXPECT_NE(refusal(how).find("newer launchbox"), std::string::npos);
}

TEST_F(result_store_file, damage_is_one_clear_error)
{
    {
        result_store store(file);
        recorded_run run = example_results();
        run.info.spec_text = std::string(20'000, '#');
        save_all(store, run);
    }
    sql("PRAGMA journal_mode = DELETE");
    const std::string whole = read_input(file);
    ASSERT_GT(whole.size(), 40'000u);
    for (std::size_t kept :
         {whole.size() - 1, whole.size() / 2, std::size_t{4096}, std::size_t{100}, std::size_t{99}}) {
        std::ofstream(file, std::ios::binary) << whole.substr(0, kept);
        for (access how : {access::create_or_open, access::read_only}) EXPECT_NE(refusal(how), "") << "cut to " << kept;
    }
    std::mt19937 random(1);
    int refused = 0;
    for (int round = 0; round < 200; ++round) {
        std::string changed = whole;
        for (int i = 0; i < 20; ++i) changed[100 + random() % (whole.size() - 100)] = static_cast<char>(random());
        std::ofstream(file, std::ios::binary) << changed;
        try {
            const result_store store(file, access::read_only);
            for (const auto& [number, run] : store.runs()) {
                (void)store.results(number);
                (void)store.races(number);
            }
        } catch (const error&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 100);
}

// Each value of a result is replaced by one that launchbox never writes: the row is left out and named, the others are
// read.
TEST_F(result_store_file, hostile_values_only_lose_their_row)
{
    {
        result_store store(file);
        save_all(store, example_results());
    }
    const recorded_run run = example_results();
    const auto expect_one_less = [&](const std::string& table, const std::string& column, const std::string& value) {
        SCOPED_TRACE(table + "." + column + " = " + value);
        const std::string intact = read_input(file);
        sql("PRAGMA foreign_keys = OFF; UPDATE " + table + " SET " + column + " = " + value + " WHERE rowid = 2");
        {
            const result_store store(file, access::read_only);
            EXPECT_EQ(store.results(1).size(), run.results.size() - 1);
            ASSERT_EQ(store.diagnostics().size(), 1u);
            EXPECT_NE(store.diagnostics()[0].find("result 2 of run 1 is left out"), std::string::npos);
            EXPECT_EQ(store.runs().size(), 1u);
        }
        fs::remove(file + "-wal");
        fs::remove(file + "-shm");
        std::ofstream(file, std::ios::binary) << intact;
    };
    sql("PRAGMA journal_mode = DELETE");
    for (const char* column : {"parameters", "workload"})
        for (const char* value : {"1", "x'00'", "'{'", "'[]'", "'{\"a\":null}'", "'{\"a\":[1]}'", "'{\"a\":1e999}'",
                                  "'{\"a\":18446744073709551615}'", "replace(hex(zeroblob(50000)), '0', '[')"})
            expect_one_less("result", column, value);
    for (const char* column : {"weight", "seconds", "compile_seconds"})
        for (const char* value : {"'x'", "-1", "9e999", "x'00'"}) expect_one_less("result", column, value);
    expect_one_less("result", "weight", "0");
    for (const char* column : {"dropped", "deaths"})
        for (const char* value : {"'x'", "-1", "9223372036854775807", "0.5"}) expect_one_less("result", column, value);
    for (const char* column : {"stopped_early", "verified", "from_cache", "sticky"})
        for (const char* value : {"2", "-1", "'true'"}) expect_one_less("result", column, value);
    for (const char* value : {"'none'", "''", "7"}) expect_one_less("result", "status", value);
    for (const char* column : {"reason", "log", "checksum", "finished", "code"})
        expect_one_less("result", column, "x'41'");
    for (const char* value : {"x'00'", "zeroblob(9)", "''", "x''", "x'000000000000f87f'", "x'000000000000f07f'",
                              "x'000000000000f0bf'", "5"})
        expect_one_less("result", "samples_ns", value);
    for (const char* value : {"'{\"sm_clock_mhz\":-1}'", "'{\"throttling\":1}'", "'[]'", "''", "3"})
        expect_one_less("result", "device", value);
    for (const char* value : {"'{\"registers\":99999999999}'", "'{\"registers\":1.5}'", "'{\"max_threads\":[1,2]}'",
                              "'{\"max_threads\":[1,2,-3]}'", "'{\"name\":{}}'", "'x'", "x'7b7d'"})
        expect_one_less("result", "resources", value);
    for (const char* value : {"'null'", "''", "3"}) expect_one_less("result", "same_as", value);
}

TEST_F(result_store_file, hostile_runs_and_races_are_left_out)
{
    {
        result_store store(file);
        save_all(store, example_results());
    }
    sql("UPDATE race SET equal_within = -1");
    EXPECT_TRUE(result_store(file, access::read_only).races(1).empty());
    sql("UPDATE race SET equal_within = 0, verdict = 'maybe'");
    EXPECT_TRUE(result_store(file, access::read_only).races(1).empty());
    sql("UPDATE race SET verdict = 'winner'; UPDATE race_entry SET samples_ns = x'00' WHERE place = 2");
    EXPECT_TRUE(result_store(file, access::read_only).races(1).empty());
    sql("DELETE FROM race_entry");
    EXPECT_TRUE(result_store(file, access::read_only).races(1).empty());
    sql("UPDATE environment SET sms = 'many'");
    result_store store(file, access::read_only);
    EXPECT_TRUE(store.runs().empty());
    EXPECT_EQ(store.results(1).size(), example_results().results.size());
    ASSERT_EQ(store.diagnostics().size(), 1u);
    EXPECT_NE(store.diagnostics()[0].find("run 1 is left out: sms"), std::string::npos) << store.diagnostics()[0];
}

TEST_F(result_store_file, is_readable_while_it_is_written)
{
    result_store writer(file);
    const std::int64_t run = writer.begin_run(example_run());
    const result_store early(file, access::read_only);
    std::thread saving([&] {
        for (std::int64_t i = 0; i < 200; ++i) {
            stored_result result = example_result(i, i, i, 100);
            result.run = run;
            writer.save(result);
        }
    });
    std::size_t seen = 0;
    while (seen < 200) {
        const std::size_t now = early.results(run).size();
        EXPECT_GE(now, seen);
        seen = now;
    }
    saving.join();
    EXPECT_EQ(result_store(file, access::read_only).results(run).size(), 200u);
    EXPECT_TRUE(early.diagnostics().empty());
}

TEST_F(result_store_file, two_processes_create_and_write_it_at_the_same_time)
{
    std::vector<pid_t> children;
    for (std::int64_t child = 0; child < 4; ++child) {
        const pid_t pid = ::fork();
        if (pid == 0) {
            try {
                result_store store(file);
                const std::int64_t run = store.begin_run(example_run());
                for (std::int64_t i = 0; i < 25; ++i) {
                    stored_result result = example_result(child + 1, i, 1, 100);
                    result.run = run;
                    store.save(result);
                }
                ::_exit(0);
            } catch (const std::exception& failure) {
                std::fprintf(stderr, "%s\n", failure.what());
                ::_exit(1);
            }
        }
        children.push_back(pid);
    }
    for (pid_t child : children) {
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    const result_store store(file, access::read_only);
    EXPECT_EQ(store.runs().size(), 1u);
    EXPECT_EQ(store.results(1).size(), 100u);
}

// Runs it in a child that is not root, since permissions do not restrict root.
template <class Work>
int as_anybody(const Work& work)
{
    const pid_t pid = ::fork();
    if (pid == 0) {
        if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(99);
        try {
            ::_exit(work());
        } catch (const std::exception& failure) {
            std::fprintf(stderr, "%s\n", failure.what());
            ::_exit(98);
        }
    }
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    return WEXITSTATUS(status);
}

TEST_F(result_store_file, is_readable_without_write_permission)
{
    const recorded_run run = example_results();
    const auto count = [&] {
        return as_anybody([&] { return static_cast<int>(result_store(file, access::read_only).results(1).size()); });
    };
    const auto lock = [&](bool locked) {
        for (const auto& item : fs::directory_iterator(folder.path()))
            fs::permissions(item.path(), locked ? fs::perms(0444) : fs::perms(0644));
        fs::permissions(folder.path(), locked ? fs::perms(0555) : fs::perms(0755));
    };
    {
        result_store store(file);
        save_all(store, run);
        // The last results are only in the log next to it, and their writer was killed.
        const std::string database = read_input(file), log = read_input(file + "-wal");
        ASSERT_FALSE(log.empty());
        fs::create_directory(folder.path() / "killed");
        std::ofstream(folder.path() / "killed" / "results.db", std::ios::binary) << database;
        std::ofstream(folder.path() / "killed" / "results.db-wal", std::ios::binary) << log;
    }
    lock(true);
    EXPECT_EQ(count(), static_cast<int>(run.results.size()));
    lock(false);
    fs::permissions(folder.path() / "killed", fs::perms(0755));
    fs::permissions(folder.path() / "killed" / "results.db", fs::perms(0444));
    fs::permissions(folder.path() / "killed" / "results.db-wal", fs::perms(0444));
    fs::permissions(folder.path() / "killed", fs::perms(0555));
    file = (folder.path() / "killed" / "results.db").string();
    EXPECT_EQ(count(), static_cast<int>(run.results.size()));
    fs::permissions(folder.path() / "killed", fs::perms(0755));
}

// It must be readable even if the disk is full, or the folder for temporary files is missing.
TEST_F(result_store_file, is_readable_on_a_full_disk)
{
    // More than SQLite sorts in memory, with and without a log next to the file.
    recorded_run run = example_results();
    for (std::int64_t i = 0; i < 300; ++i) {
        run.results.push_back(example_result(i, 1000, 7, 100));
        run.results.back().log = std::string(20'000, 'x');
    }
    const std::string killed = (folder.path() / "killed.db").string();
    {
        result_store store(file);
        save_all(store, run);
        std::ofstream(killed, std::ios::binary) << read_input(file);
        std::ofstream(killed + "-wal", std::ios::binary) << read_input(file + "-wal");
        ASSERT_GT(fs::file_size(killed + "-wal"), 0u);
    }
    const auto read_by = [&](bool is_root) {
        const auto work = [&] {
            ::setenv("TMPDIR", "/no/such/folder", 1);
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit nothing{0, 0};
            ::setrlimit(RLIMIT_FSIZE, &nothing);
            const std::string bytes = read_input(file);
            int good = 0;
            for (const std::string& each : {file, killed})
                good +=
                    result_store(each, access::read_only).recorded_runs().at(0).results.size() == run.results.size();
            good += result_store::of_bytes(bytes, "-").recorded_runs().at(0).results.size() == run.results.size();
            return good;
        };
        if (!is_root) return as_anybody(work);
        const pid_t pid = ::fork();
        if (pid == 0) try {
                ::_exit(work());
            } catch (const std::exception& failure) {
                std::fprintf(stderr, "%s\n", failure.what());
                ::_exit(98);
            }
        int status = 0;
        EXPECT_EQ(::waitpid(pid, &status, 0), pid);
        return WEXITSTATUS(status);
    };
    EXPECT_EQ(read_by(true), 3) << "who may write, on a full disk";
    for (const std::string& each : {file, killed, killed + "-wal"}) {
        fs::remove(each + "-shm");
        fs::permissions(each, fs::perms(0444));
    }
    fs::permissions(folder.path(), fs::perms(0555));
    EXPECT_EQ(read_by(false), 3) << "who may not";
    fs::permissions(folder.path(), fs::perms(0755));
}

// Before it has its write-ahead log, a store is created in one transaction. If that was interrupted, its journal
// restores the previous state, but only for a process that may write.
TEST_F(result_store_file, is_readable_after_a_writer_was_killed_while_creating_it)
{
    {
        const result_store made(file);
    }
    sql("PRAGMA journal_mode = DELETE");
    const pid_t writer = ::fork();
    if (writer == 0) {
        sqlite3* handle = nullptr;
        sqlite3_open(file.c_str(), &handle);
        sqlite3_exec(handle,
                     "PRAGMA cache_size = 1; BEGIN; CREATE TABLE half (a); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL "
                     "SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO half SELECT randomblob(500) FROM n;",
                     nullptr, nullptr, nullptr);
        ::kill(::getpid(), SIGKILL);
    }
    ::waitpid(writer, nullptr, 0);
    ASSERT_GT(fs::file_size(file + "-journal"), 0u);
    const std::string before = read_input(file);
    ASSERT_GT(before.size(), std::size_t{500'000});
    EXPECT_TRUE(result_store(file, access::read_only).runs().empty());
    EXPECT_EQ(read_input(file), before);
    EXPECT_TRUE(result_store(file).runs().empty());  // a writer rolls back the interrupted transaction
    EXPECT_LT(fs::file_size(file), before.size());
}

TEST_F(result_store_file, without_permission_is_one_clear_error)
{
    {
        result_store store(file);
    }
    fs::permissions(folder.path(), fs::perms(0755));
    fs::permissions(file, fs::perms(0));
    const auto message = [&](access how, const std::string& words) {
        return as_anybody([&] {
            if (::access(file.c_str(), R_OK) == 0) return 97;
            try {
                result_store store(file, how);
            } catch (const error& failure) {
                return std::string(failure.what()).find(words) != std::string::npos ? 7 : 8;
            }
            return 9;
        });
    };
    // The owner of the file gets the same message as everybody else.
    EXPECT_EQ(message(access::read_only, "cannot read"), 7);
    EXPECT_EQ(message(access::create_or_open, "cannot read"), 7);
    fs::permissions(file, fs::perms(0444));
    fs::permissions(folder.path(), fs::perms(0555));
    EXPECT_EQ(as_anybody([&] {
                  try {
                      result_store store(file, access::open);
                  } catch (const error&) {
                      return 7;
                  }
                  return 9;
              }),
              7);
    fs::permissions(folder.path(), fs::perms(0755));
}

// A process that saves results until it is killed, after a fixed number of lines of its output.
TEST_F(result_store_file, a_kill_loses_nothing_that_was_saved)
{
    std::mt19937 random(20'26);
    std::int64_t saved = 0;
    for (int round = 0; round < 50; ++round) {
        SCOPED_TRACE(round);
        int ends[2];
        ASSERT_EQ(::pipe(ends), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            ::close(ends[0]);
            result_store store(file);
            const std::int64_t run = store.begin_run(example_run());
            for (std::int64_t i = saved;; ++i) {
                stored_result result = example_result(i, i, 5, 100.0 + static_cast<double>(i));
                result.run = run;
                store.begin_attempt(run, {result.parameters, result.workload, 0});
                store.save(result);
                if (::write(ends[1], &i, sizeof i) != sizeof i) ::_exit(1);
            }
        }
        ::close(ends[1]);
        const auto wanted = static_cast<std::int64_t>(1 + random() % 12);
        std::int64_t announced = -1;
        for (std::int64_t i = 0; i < wanted; ++i) ASSERT_EQ(::read(ends[0], &announced, sizeof announced), 8);
        ::kill(child, SIGKILL);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status));
        // The announcements that were still in the pipe count, too.
        for (std::int64_t more = 0; ::read(ends[0], &more, sizeof more) == 8;) announced = more;
        ::close(ends[0]);

        const result_store store(file, access::open);
        const std::vector<stored_result> results = store.results(1);
        ASSERT_GE(static_cast<std::int64_t>(results.size()), announced + 1);
        ASSERT_LE(static_cast<std::int64_t>(results.size()), announced + 2);  // saved but not announced yet
        for (std::size_t i = 0; i < results.size(); ++i) {
            const auto number = static_cast<std::int64_t>(i);
            stored_result expected = example_result(number, number, 5, 100.0 + static_cast<double>(i));
            ASSERT_EQ(results[i].parameters, expected.parameters);
            ASSERT_EQ(results[i].measured, expected.measured);
            ASSERT_EQ(results[i].kernel, expected.kernel);
        }
        ASSERT_LE(store.attempts(1).size(), 1u);
        ASSERT_TRUE(store.diagnostics().empty());
        sqlite3* handle = nullptr;
        ASSERT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
        const auto integrity = [](void* ok, int, char** values, char**) {
            *static_cast<bool*>(ok) = std::string(values[0]) == "ok";
            return 0;
        };
        bool ok = false;
        ASSERT_EQ(sqlite3_exec(handle, "PRAGMA integrity_check", integrity, &ok, nullptr), SQLITE_OK);
        ASSERT_TRUE(ok);
        sqlite3_close(handle);
        saved = static_cast<std::int64_t>(results.size());
    }
}

TEST(outcome_names, are_read_back)
{
    for (int i = 0; i <= static_cast<int>(outcome::device_lost); ++i) {
        const auto what = static_cast<outcome>(i);
        EXPECT_FALSE(words_of(what).empty());
        EXPECT_EQ(outcome_named(name_of(what)), what);
    }
    EXPECT_EQ(outcome_named("illegal access"), std::nullopt);
    EXPECT_EQ(words_of(outcome::illegal_access), "illegal access");
}

}  // namespace
}  // namespace launchbox
