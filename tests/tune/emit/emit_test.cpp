// Rows from made-up records with known answers, and the header that contains them.
#include <gtest/gtest.h>

#include "recorded_results.hpp"
#include "support/error.hpp"
#include "tune/emit/emit_forms.hpp"
#include "tune/emit/emit_tables.hpp"

namespace launchbox {
namespace {

assignment three(std::int64_t threads, std::int64_t items, std::int64_t min_blocks)
{
    return {{{"threads", threads}, {"items", items}, {"min_blocks", min_blocks}}};
}
assignment workload(const std::string& type, std::int64_t n)
{
    return {{{"type", type}, {"n", n}}};
}

stored_result timed(const assignment& candidate, const assignment& on, double median, bool verified = true)
{
    stored_result result;
    result.run = 1;
    result.parameters = candidate;
    result.workload = on;
    result.measured.samples_ns = samples_around(median);
    result.measured.verified = verified;
    return result;
}

const assignment base = three(256, 11, 0), wide = three(512, 15, 2), narrow = three(128, 7, 0);

// A record on one architecture, with the times of base, wide and narrow for each workload.
emit_record record_on(const std::string& architecture,
                      const std::vector<std::pair<assignment, std::array<double, 3>>>& times,
                      const std::string& file = "made_up.json", bool verified = true)
{
    emit_record record{file, "fnv1a64:0123456789abcdef", {1, example_run(), {}, {}}};
    record.run.info.baseline = base;
    record.run.info.environment.architecture = architecture;
    for (const auto& [on, time] : times) {
        record.run.results.push_back(timed(base, on, time[0]));
        record.run.results.push_back(timed(wide, on, time[1], verified));
        record.run.results.push_back(timed(narrow, on, time[2], verified));
    }
    return record;
}

const emit_settings settings{.box = "sort"};

std::string header_of(const std::vector<emit_record>& records, const emit_settings& how = settings)
{
    return new_header(emit_tables(records, how, {}), how);
}
std::string updated(const std::string& text, const std::vector<emit_record>& records,
                    const emit_settings& how = settings)
{
    return updated_header(text, emit_tables(records, how, tables_of_box(parse_tuning_header(text, "h"), how.box)));
}
bool holds(const std::string& text, const std::string& words)
{
    return text.find(words) != std::string::npos;
}

TEST(emit, the_best_on_all_workloads_becomes_the_row_with_its_provenance)
{
    // wide: 2 and 1.25 times, a geometric mean of 1.581; narrow: 1.1 and 2, 1.483.
    const std::string text = header_of({record_on("sm_90", {{workload("int", 1000), {2000, 1000, 1818}},
                                                            {workload("int", 1000000), {2000, 1600, 1000}}})},
                                       {.box = "sort", .split = split_kind::none});
    EXPECT_TRUE(holds(text, "launchbox::sm<90, sort_row{512, 15, 2}>\n")) << text;
    EXPECT_TRUE(holds(text, "// measured: Example GPU, driver 13.0, NVRTC 13.0, 2026-11-21, launchbox 0.1.0\n"))
        << text;
    EXPECT_TRUE(holds(text, "// gain: 1.581 times as fast (")) << text;
    EXPECT_TRUE(holds(text, " as {256, 11, 0}, the baseline\n")) << text;
    EXPECT_TRUE(holds(text, "// record: made_up.json fnv1a64:0123456789abcdef\n")) << text;
    EXPECT_TRUE(
        holds(text, "struct sort_row {\n    int threads = {};\n    int items = {};\n    int min_blocks = {};\n};"));
}

TEST(emit, a_row_has_its_throughput_if_the_work_is_known)
{
    const assignment small = workload("int", 1000), large = workload("int", 1000000);
    emit_record record = record_on("sm_90", {{small, {2000, 1000, 1818}}, {large, {2000000, 1600000, 1900000}}});
    const emit_settings one{.box = "sort", .split = split_kind::none};
    const std::string without = header_of({record}, one);
    EXPECT_FALSE(holds(without, "throughput")) << without;
    const auto set_work = [&](const assignment& on, const work_amounts& work) {
        for (stored_result& result : record.run.results)
            if (result.workload == on) result.work = work;
    };
    // The row is wide: 1,000 elements in 1 µs.
    set_work(small, {.elements = 1000});
    const std::string first = header_of({record}, one);
    EXPECT_TRUE(holds(first, "2026-11-21, launchbox 0.1.0\n    // throughput: 1.000 G elements/s\n    // gain: "))
        << first;
    // 4 MB in 1.6 ms, and a million elements.
    set_work(large, {.elements = 1e6, .bytes = 4e6});
    const std::string both = header_of({record}, one);
    EXPECT_TRUE(holds(both, "    // throughput: 625.0 M to 1.000 G elements/s, 2.500 GB/s on 2 workloads\n")) << both;
    EXPECT_EQ(updated(both, {record}, one), both);
    EXPECT_EQ(updated(without, {record}, one), both) << "the same record, whose work is known now";

    const auto rows = rows_json(emit_tables({record}, one, {}), {record}, one);
    const auto& throughput = rows["tables"][0]["rows"][0]["throughput"];
    ASSERT_EQ(throughput.size(), 2u) << rows;
    EXPECT_DOUBLE_EQ(throughput[0]["elements_per_second"].get<double>(), 1e9);
    EXPECT_FALSE(throughput[0].contains("bytes_per_second"));
    EXPECT_DOUBLE_EQ(throughput[1]["bytes_per_second"].get<double>(), 2.5e9);
    EXPECT_EQ(throughput[1]["workload"]["n"], 1000000);
}

TEST(emit, an_unknown_compiler_is_left_out)
{
    emit_record record = record_on("sm_90", {{workload("int", 1000), {2000, 1000, 1500}}});
    record.run.info.environment.toolkit.clear();
    EXPECT_TRUE(holds(header_of({record}), "// measured: Example GPU, driver 13.0, 2026-11-21, launchbox 0.1.0\n"));
}

TEST(emit, the_same_records_give_the_same_bytes_and_updating_changes_nothing)
{
    const std::vector<emit_record> records{record_on("sm_90", {{workload("int", 1000), {2000, 1000, 1800}}})};
    const std::string text = header_of(records);
    EXPECT_EQ(header_of(records), text);
    EXPECT_EQ(updated(text, records), text);
}

TEST(emit, another_architecture_only_changes_its_row)
{
    const emit_record hopper = record_on("sm_90", {{workload("int", 1000), {2000, 1000, 1800}}});
    const emit_record ampere = record_on("sm_80", {{workload("int", 1000), {2000, 1800, 1000}}}, "ampere.json");
    const std::string text = "// mine\n" + header_of({hopper}) + "// mine too\n";
    const std::string both = updated(text, {ampere});
    const std::size_t start = both.find("    // measured"), row = both.find("sort_row{128, 7, 0}>,\n");
    ASSERT_NE(row, std::string::npos) << both;
    std::string without = both;
    const std::string gpu = "        {\"Example GPU\", 80, 132, 150'000'000'000, 0},\n";
    ASSERT_NE(both.find(gpu), std::string::npos) << both;
    without.erase(without.find(gpu), gpu.size());
    without.erase(start, row + std::string("sort_row{128, 7, 0}>,\n").size() - start);
    EXPECT_EQ(without, text);
}

TEST(emit, a_newer_record_is_compared_with_the_row_in_the_header)
{
    const std::string first = header_of({record_on("sm_90", {{workload("int", 1000), {2000, 1000, 1800}}})});
    // On the newer GPU of the same architecture, narrow is faster than the row, which is wide.
    const emit_record newer = record_on("sm_90", {{workload("int", 1000), {2000, 1000, 800}}}, "newer.json");
    const std::string second = updated(first, {newer});
    EXPECT_TRUE(holds(second, "sm<90, sort_row{128, 7, 0}>")) << second;
    EXPECT_TRUE(holds(second, "// gain: 1.250 times as fast (1.233 to 1.268) as {512, 15, 2}, the row of sm_90\n") ||
                holds(second, "// gain: 1.250 times as fast ("))
        << second;
    EXPECT_TRUE(holds(second, " as {512, 15, 2}, the row of sm_90\n")) << second;
    EXPECT_EQ(updated(second, {newer}), second);
    // An architecture that inherits a row is compared with it.
    emit_record heir = newer;
    heir.run.info.environment.architecture = "sm_100";
    EXPECT_TRUE(holds(updated(first, {heir}), " as {512, 15, 2}, the row of sm_90\n"));
}

TEST(emit, without_a_gain_the_row_is_kept)
{
    const std::string first = header_of({record_on("sm_90", {{workload("int", 1000), {2000, 1000, 1800}}})});
    for (const double narrow_time : {1000., 995., 990.5, 1300.}) {
        const emit_record newer =
            record_on("sm_90", {{workload("int", 1000), {2000, 1000, narrow_time}}}, "newer.json");
        EXPECT_EQ(updated(first, {newer}), first) << narrow_time;
        const emitted_tables found = emit_tables({newer}, settings, parse_tuning_header(first, "h"));
        EXPECT_TRUE(found.tables[0].rows[0].choice.kept);
        EXPECT_TRUE(found.tables[0].rows[0].unchanged);
    }
    const std::string fresh = header_of({record_on("sm_90", {{workload("int", 1000), {1000, 1000, 1800}}})});
    EXPECT_TRUE(holds(fresh, "// gain: less than 1 % or noise, so that {256, 11, 0}, the baseline, is kept\n"))
        << fresh;
    EXPECT_TRUE(holds(fresh, "sm<90, sort_row{256, 11, 0}>"));
}

// The row of --baseline-arch, and then a record of that architecture.
TEST(emit, a_row_measured_without_a_gain_is_not_called_unmeasured)
{
    emit_settings how{.box = "sort", .baseline_architecture = compute_capability{.major = 8, .minor = 0}};
    const std::string first = header_of({record_on("sm_90", {{workload("int", 1000), {2000, 1000, 1900}}})}, how);
    EXPECT_TRUE(holds(first, "    // baseline, not measured\n    launchbox::sm<80, sort_row{256, 11, 0}>")) << first;
    const emit_record measured = record_on("sm_80", {{workload("int", 1000), {1000, 2000, 2000}}}, "a100.json");
    const std::string text = updated(first, {measured});
    EXPECT_FALSE(holds(text, "not measured")) << text;
    EXPECT_TRUE(holds(text, "// gain: less than 1 % or noise, so that {256, 11, 0}, the row of sm_80, is kept\n"))
        << text;
    EXPECT_TRUE(
        holds(text, "// record: a100.json fnv1a64:0123456789abcdef\n    launchbox::sm<80, sort_row{256, 11, 0}>"))
        << text;
    EXPECT_EQ(updated(text, {measured}), text) << "the same record again";
    // A row that another architecture inherits is still unmeasured.
    const std::string other = updated(first, {record_on("sm_86", {{workload("int", 1000), {1000, 2000, 2000}}})});
    EXPECT_EQ(other, first);
}

TEST(emit, keeping_an_inherited_row_on_a_gpu_counts_as_measuring_it)
{
    const auto other = [](const char* architecture) {
        return record_on(architecture, {{workload("int", 1000), {2000, 1000, 1900}}}, "other.json");
    };
    const std::string first = header_of({record_on("sm_80", {{workload("int", 1000), {2000, 1000, 1900}}})});
    const std::string both = updated(first, {other("sm_90")});
    EXPECT_FALSE(holds(both, "sm<90")) << both;
    EXPECT_TRUE(holds(both, "{\"Example GPU\", 90, ")) << both;
    EXPECT_TRUE(holds(both, "{\"Example GPU\", 80, ")) << both;
    EXPECT_EQ(updated(both, {other("sm_90")}), both) << "the same record again";
    EXPECT_EQ(updated(both, {other("sm_80")}), both) << "its own row is kept";

    // Another GPU of one architecture: both have measured the row, until the row changes.
    emit_record larger = other("sm_80");
    larger.run.info.environment.gpu = "Larger GPU";
    larger.run.info.environment.sms = 144;
    const std::string two = updated(first, {larger});
    EXPECT_TRUE(holds(two, "{\"Example GPU\", 80, 132, ")) << two;
    EXPECT_TRUE(holds(two, "{\"Larger GPU\", 80, 144, ")) << two;
    EXPECT_EQ(updated(two, {larger}), two) << "the same record again";
    const std::string new_row = updated(two, {record_on("sm_80", {{workload("int", 1000), {2000, 1900, 500}}})});
    EXPECT_FALSE(holds(new_row, "Larger GPU\", 80")) << new_row;
}

// No candidate is faster than the baseline there, and the row that would be inherited was not measured.
TEST(emit, the_baseline_replaces_an_unmeasured_inherited_row)
{
    const std::string first = header_of({record_on("sm_80", {{workload("int", 1000), {2000, 1000, 1900}}})});
    const auto without_wide = [](const char* architecture) {
        emit_record record = record_on(architecture, {{workload("int", 1000), {1000, 1000, 2000}}}, "other.json");
        std::erase_if(record.run.results, [](const stored_result& one) { return one.parameters == wide; });
        return record;
    };
    const std::string both = updated(first, {without_wide("sm_90")});
    EXPECT_TRUE(holds(both, "launchbox::sm<90, sort_row{256, 11, 0}>")) << both;
    EXPECT_TRUE(holds(both, "launchbox::sm<80, sort_row{512, 15, 2}>")) << both;
    EXPECT_TRUE(holds(both, "// gain: less than 1 % or noise, so that {256, 11, 0}, the baseline, is kept\n")) << both;
    EXPECT_TRUE(holds(both, "{\"Example GPU\", 90, ")) << both;
    EXPECT_EQ(updated(both, {without_wide("sm_90")}), both) << "the same record again";
    // The row of its own architecture was faster than the baseline when it was measured, so it is kept.
    EXPECT_EQ(updated(first, {without_wide("sm_80")}), first);
}

// Names used by moderngpu and CUB, and any others that are given.
emit_record with_names(emit_record record, const std::array<const char*, 3>& names)
{
    const auto rename = [&](assignment& candidate) {
        for (std::size_t i = 0; i < 3; ++i) candidate.values[i].first = names[i];
    };
    for (stored_result& result : record.run.results) rename(result.parameters);
    rename(*record.run.info.baseline);
    return record;
}

TEST(emit, members_of_a_launch_box_are_renamed)
{
    const emit_record record = record_on("sm_90", {{workload("int", 1000), {2000, 1000, 1900}}});
    const emit_settings how{.box = "sort", .members = launch_box_members{}};
    const std::string wanted = header_of({record}, how);
    for (const std::array<const char*, 3>& names :
         {std::array{"NT", "VT", "OCC"}, std::array{"BLOCK_THREADS", "ITEMS_PER_THREAD", "min_blocks"},
          std::array{"threads", "vt", "occ"}, std::array{"block_size", "grain", "MIN_BLOCKS_PER_SM"}})
        EXPECT_EQ(header_of({with_names(record, names)}, how), wanted) << names[0];

    const emit_record odd = with_names(record, {"a", "b", "c"});
    const emit_settings told{.box = "sort", .members = launch_box_members{"a", "b", "c"}};
    EXPECT_EQ(header_of({odd}, told), wanted);
    // A parameter without a new name is an additional member.
    EXPECT_TRUE(
        holds(header_of({odd}, {.box = "sort", .members = launch_box_members{"a", "b", ""}}),
              "    int items = {};\n    int c = {};\n    static constexpr int min_blocks = 0;  // not given\n"));
    EXPECT_TRUE(holds(header_of({odd}, {.box = "sort", .row_type = "my_row"}), "my_row{512, 15, 2}"));

    const auto refused = [&](const emit_record& of, const emit_settings& with) -> std::string {
        try {
            (void)header_of({of}, with);
        } catch (const error& failed) {
            return std::string(failed.what()) + "; " + failed.hint();
        }
        return "taken";
    };
    EXPECT_EQ(refused(odd, how),
              "a row of launch_box has 'threads', and the spec has no such parameter; choose one of a, b, c with "
              "--threads-name, give your own row type with --row, or use --format constexpr");
    EXPECT_EQ(refused(odd, {.box = "sort", .members = launch_box_members{"a", "z", ""}}),
              "--items-name: the spec has no parameter 'z'; it has a, b, c");
    EXPECT_EQ(refused(with_names(record, {"NT", "block_size", "VT"}), how),
              "'NT' and 'block_size' could both be the threads of a row; choose one with --threads-name");
    EXPECT_EQ(refused(with_names(record, {"nt", "threads", "vt"}),
                      {.box = "sort", .members = launch_box_members{"nt", "", ""}}),
              "'nt' is the threads of a row, and the spec has a parameter of that name too; rename one in the spec, or "
              "give your own row type with --row");
}

TEST(emit, a_large_gain_within_noise_does_not_count)
{
    // Two workloads, so that the ranking of a single one does not decide.
    emit_record noisy =
        record_on("sm_90", {{workload("int", 1000), {1000, 2000, 900}}, {workload("int", 2000), {1000, 2000, 900}}});
    for (const std::size_t first : {0u, 3u}) {
        noisy.run.results[first].measured.samples_ns = {1000, 1000, 1400, 1000, 1400, 1000};
        noisy.run.results[first + 2].measured.samples_ns = {900, 1050, 900, 1050, 900, 1050};
    }
    EXPECT_TRUE(holds(header_of({noisy}, {.box = "sort", .split = split_kind::none}), "sort_row{256, 11, 0}"));
}

TEST(emit, splits_by_type_only_if_that_pays)
{
    const emit_record record = record_on(
        "sm_90", {{workload("int", 1000), {2000, 1000, 1500}}, {workload("double", 1000), {2000, 1800, 1000}}});
    const std::string text = header_of({record});
    EXPECT_TRUE(holds(text, "// table sort_4: block_sort, type of 4 bytes\n")) << text;
    EXPECT_TRUE(holds(text,
                      "using sort = launchbox::by_type<Key, Value,\n    launchbox::element_bytes<4, 0, sort_4>,\n"
                      "    launchbox::element_bytes<8, 0, sort_8>>;"))
        << text;
    const auto tables = parse_tuning_header(text, "h");
    ASSERT_EQ(tables.size(), 2u);
    EXPECT_EQ(row_text(tables[0].rows[0].values), "{512, 15, 2}");
    EXPECT_EQ(row_text(tables[1].rows[0].values), "{128, 7, 0}");
    EXPECT_EQ(updated(text, {record}), text);
    // The same row is best for both.
    const std::string one = header_of({record_on(
        "sm_90", {{workload("int", 1000), {2000, 1000, 1500}}, {workload("double", 1000), {2000, 1000, 1005}}})});
    EXPECT_EQ(parse_tuning_header(one, "h").size(), 1u) << one;
    EXPECT_EQ(parse_tuning_header(header_of({record}, {.box = "sort", .split = split_kind::none}), "h").size(), 1u);
}

TEST(emit, splits_by_size_at_the_geometric_mean)
{
    const emit_record record = record_on("sm_90", {{workload("int", 100), {2000, 1500, 1000}},
                                                   {workload("int", 10000), {2000, 1000, 1500}},
                                                   {workload("int", 1000000), {2000, 1000, 1500}}});
    const std::string text = header_of({record});
    EXPECT_TRUE(holds(text,
                      "using sort = launchbox::by_size<launchbox::upto<1000, sort_upto_1000>, "
                      "launchbox::otherwise<sort_above_1000>>;"))
        << text;
    const auto tables = parse_tuning_header(text, "h");
    ASSERT_EQ(tables.size(), 2u);
    EXPECT_EQ(row_text(tables[0].rows[0].values), "{128, 7, 0}");
    EXPECT_EQ(row_text(tables[1].rows[0].values), "{512, 15, 2}");
    EXPECT_EQ(updated(text, {record}), text);
}

TEST(emit, asks_which_workload_value_is_the_size)
{
    const auto of = [](std::int64_t n, std::int64_t m) { return assignment{{{"n", n}, {"m", m}}}; };
    const emit_record record = record_on("sm_90", {{of(1, 1), {2, 1, 3}}, {of(2, 3), {2, 1, 3}}});
    EXPECT_THROW((void)header_of({record}), error);
    EXPECT_NO_THROW((void)header_of({record}, {.box = "sort", .names = {.type = "", .size = "n"}}));
    EXPECT_NO_THROW((void)header_of({record}, {.box = "sort", .split = split_kind::none}));
}

TEST(emit, refuses_unverified_and_unmeasured_candidates)
{
    const emit_record record = record_on("sm_90", {{workload("int", 1), {2000, 1000, 1500}}}, "a.json", false);
    // The baseline counts as verified, so that unverified candidates cannot win if others are verified; here none are.
    emit_record nobody = record;
    for (stored_result& result : nobody.run.results) result.measured.verified = false;
    EXPECT_THROW((void)header_of({nobody}), error);
    EXPECT_TRUE(holds(header_of({nobody}, {.box = "sort", .allow_unverified = true}), "outputs not verified"));
    emit_record failed = record;
    for (stored_result& result : failed.run.results) result.measured.status = outcome::trap;
    EXPECT_THROW((void)header_of({failed}), error);
    emit_record empty = record;
    empty.run.results.clear();
    EXPECT_THROW((void)header_of({empty}), error);
}

TEST(emit, the_latest_run_counts_and_several_tunables_are_refused)
{
    emit_records read;
    read.all = {record_on("sm_90", {{workload("int", 1), {2000, 1000, 1500}}}),
                record_on("sm_90", {{workload("int", 1), {2000, 1500, 1000}}})};
    read.all[0].run.info.started = "2026-11-22T00:00:00Z";
    for (emit_record& record : read.all) record.run.info.call.reset();  // a file without call numbers
    read.all[1].run.info.source_hash = "older";
    const emit_records chosen = chosen_runs(read, {.name = "", .gpu = "", .workload = {}});
    ASSERT_EQ(chosen.all.size(), 1u);
    EXPECT_EQ(chosen.all[0].run.info.started, "2026-11-22T00:00:00Z");
    ASSERT_EQ(chosen.notes.size(), 1u);
    EXPECT_TRUE(holds(chosen.notes[0], "is stale")) << chosen.notes[0];
    read.all[1].run.info.name = "other";
    EXPECT_THROW((void)chosen_runs(read, {.name = "", .gpu = "", .workload = {}}), error);
    EXPECT_EQ(chosen_runs(read, {.name = "other", .gpu = "", .workload = {}}).all.size(), 1u);
}

// Two runs within a second, or a clock that was set back: the store numbers its calls.
TEST(emit, the_latest_call_counts_whatever_the_clock)
{
    emit_records read;
    for (const char* source : {"old", "new"}) {
        read.all.push_back(record_on("sm_90", {{workload("int", 1), {2000, 1000, 1500}}}));
        read.all.back().run.info.source_hash = source;
        read.all.back().run.number = static_cast<std::int64_t>(read.all.size());
    }
    for (const auto& [old_start, new_start] : std::vector<std::pair<std::string, std::string>>{
             {"2026-11-21T09:30:00Z", "2026-11-21T09:30:00Z"}, {"2026-11-21T09:30:00Z", "2001-01-01T00:00:00Z"}}) {
        for (const bool later_run_is_newer : {true, false}) {
            SCOPED_TRACE(new_start);
            emit_record &older = read.all[later_run_is_newer ? 0 : 1], &newer = read.all[later_run_is_newer ? 1 : 0];
            // A run that was continued: its number is lower, but its call is later.
            older.run.info.call = 4;
            newer.run.info.call = 5;
            older.run.info.started = old_start;
            newer.run.info.started = new_start;
            const emit_records chosen = chosen_runs(read, {.name = "", .gpu = "", .workload = {}});
            ASSERT_EQ(chosen.all.size(), 1u);
            EXPECT_EQ(chosen.all[0].run.info.source_hash, newer.run.info.source_hash);
            ASSERT_EQ(chosen.notes.size(), 1u);
            EXPECT_TRUE(holds(chosen.notes[0], "run " + std::to_string(older.run.number) + " of " + old_start))
                << chosen.notes[0];
            EXPECT_TRUE(holds(chosen.notes[0], "is stale")) << chosen.notes[0];
        }
    }
}

TEST(emit, reports_that_a_race_is_older_than_the_results)
{
    emit_records read;
    read.all = {record_on("sm_90", {{workload("int", 1), {2000, 1000, 1500}}})};
    recorded_run& run = read.all[0].run;
    run.races.push_back({1, workload("int", 1), {{run.results[2].parameters, {1500.0}}}, "winner", 0});
    const emit_records chosen = chosen_runs(read, {.name = "", .gpu = "", .workload = {}});
    ASSERT_EQ(chosen.notes.size(), 1u);
    EXPECT_TRUE(holds(chosen.notes[0], " did not take part in the final race (measured later")) << chosen.notes[0];
    const emitted_tables made = emit_tables(chosen.all, {.box = "sort"}, {});
    EXPECT_EQ(made.tables.at(0).rows.at(0).choice.parameters, run.results[1].parameters);
}

TEST(emit, enumerators_fractions_and_booleans_are_members)
{
    emit_record record = record_on("sm_90", {{workload("int", 1), {2000, 1000, 1500}}});
    const char* words[] = {"row-major", "class", "tiled"};
    int at = 0;
    for (stored_result& result : record.run.results) {
        result.parameters.values.emplace_back("layout", std::string(words[at]));
        result.parameters.values.emplace_back("unroll", at++ == 1);
        result.parameters.values.emplace_back("part", 0.5);
        result.parameters.values.emplace_back("seed", std::int64_t{1} << 40);
    }
    record.run.info.baseline = record.run.results[0].parameters;
    const std::string text = header_of({record});
    EXPECT_TRUE(holds(text, "enum class layout_values { class_, row_major, tiled };")) << text;
    EXPECT_TRUE(holds(text, "sort_row{512, 15, 2, decltype(sort_row::layout)::class_, true, 0.5, 1099511627776}"))
        << text;
    EXPECT_TRUE(holds(text, "std::int64_t seed"));
    EXPECT_EQ(updated(text, {record}), text);
}

TEST(tuning_header, names_file_and_line_of_unreadable_text)
{
    const std::string good = header_of({record_on("sm_90", {{workload("int", 1), {2000, 1000, 1500}}})});
    for (const auto& [old, bad] :
         std::vector<std::pair<std::string, std::string>>{{"sm<90,", "sm<9,"},
                                                          {"#else", "#endif"},
                                                          {"// table sort: ", "// tables: "},
                                                          {"};\n#endif", "#endif"},
                                                          {"{\"Example GPU\", 90, 132, ", "{\"Example GPU\", 90, "},
                                                          {"measured_gpu measured[]", "measured_gpu others[]"},
                                                          {"    // measured", "    measured"},
                                                          {"sort_row{5", "other_row{5"},
                                                          {"{512, 15", "{512,15"}}) {
        std::string text = good;
        ASSERT_TRUE(holds(text, old)) << old;
        text.replace(text.find(old), old.size(), bad);
        try {
            (void)parse_tuning_header(text, "x.hpp");
            ADD_FAILURE() << bad;
        } catch (const error& failure) {
            EXPECT_EQ(std::string(failure.what()).rfind("x.hpp:", 0), 0u) << failure.what();
        }
    }
}

TEST(tuning_header, the_hash_is_fnv1a)  // from the test vectors of the draft of FNV
{
    EXPECT_EQ(fnv1a64(""), "cbf29ce484222325");
    EXPECT_EQ(fnv1a64("foobar"), "85944171f73967e8");
}

TEST(emit_forms, flags_have_one_line_per_architecture)
{
    const std::vector<emit_record> records{record_on("sm_90", {{workload("int", 1), {2000, 1000, 1500}}})};
    EXPECT_EQ(define_flags(emit_tables(records, settings, {})),
              "sm_90 -DSORT_THREADS=512 -DSORT_ITEMS=15 -DSORT_MIN_BLOCKS=2\n");
}

}  // namespace
}  // namespace launchbox
