// One table for several GPUs, from made-up records with known answers.
#include "tune/emit/fleet_tables.hpp"

#include <gtest/gtest.h>

#include "recorded_results.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"
#include "tune/emit/emit_forms.hpp"
#include "tune/emit/row_use.hpp"

namespace launchbox::fleet_tables_tests {
namespace {

const assignment base = tuning_values(256, 11), wide = tuning_values(512, 15), narrow = tuning_values(128, 7);

struct measured_on {
    std::string gpu, architecture;
    int sms = 132;
    std::int64_t memory_bytes = 150'000'000'000;
};
const measured_on h200{"NVIDIA H200", "sm_90", 132, 150'109'945'856},
    h100{"NVIDIA H100 80GB HBM3", "sm_90", 132, 85'028'765'696}, a100{"NVIDIA A100", "sm_80", 108, 42'406'903'808};

// Medians of base, wide and narrow; 0: not measured.
emit_record record_on(const measured_on& where, const std::array<double, 3>& times)
{
    emit_record record{
        where.gpu.substr(where.gpu.find(' ') + 1, 4) + ".json", "fnv1a64:0123", {1, example_run(), {}, {}}};
    environment_info& environment = record.run.info.environment;
    environment.gpu = where.gpu;
    environment.architecture = where.architecture;
    environment.sms = where.sms;
    environment.memory_bytes = where.memory_bytes;
    record.run.info.baseline = base;
    const assignment* const candidates[] = {&base, &wide, &narrow};
    for (std::size_t i = 0; i < 3; ++i) {
        if (times[i] == 0) continue;
        stored_result& result = record.run.results.emplace_back();
        result.run = 1;
        result.parameters = *candidates[i];
        result.workload = sizes(1000);
        result.measured.samples_ns = samples_around(times[i]);
        result.measured.verified = true;
    }
    return record;
}

emit_settings within(double loss, bool only_measured = false)
{
    return {.box = "sort", .fleet = fleet_wish{.within = loss, .only_measured = only_measured}};
}
std::string header_of(const std::vector<emit_record>& records, const emit_settings& how)
{
    return new_header(emit_tables(records, how, {}), how);
}
std::string updated(const std::string& text, const std::vector<emit_record>& records, const emit_settings& how)
{
    return updated_header(text, emit_tables(records, how, tables_of_box(parse_tuning_header(text, "h"), how.box)));
}
bool holds(const std::string& text, const std::string& words)
{
    return text.find(words) != std::string::npos;
}
std::string refusal(const std::function<void()>& what)
{
    try {
        what();
    } catch (const error& failed) {
        return failed.what();
    }
    return "";
}

TEST(fleet_tables, one_row_for_two_gpus_gives_the_loss_of_each)
{
    const std::string text =
        header_of({record_on(h200, {2000, 1000, 1010}), record_on(h100, {2000, 1100, 1000})}, within(0.02));
    EXPECT_TRUE(holds(text, "struct sort : launchbox::launch_box<\n    // within 2 % of the best of each GPU\n"))
        << text;
    EXPECT_TRUE(holds(text,
                      "// measured: NVIDIA H200, driver 13.0, NVRTC 13.0, 2026-11-21, launchbox 0.1.0\n"
                      "    // loss: +1.0 % against its best, {512, 15}\n    // gain: 1.980 times as fast"))
        << text;
    EXPECT_TRUE(holds(text,
                      "// measured: NVIDIA H100 80GB HBM3, driver 13.0, NVRTC 13.0, 2026-11-21, launchbox 0.1.0\n"
                      "    // loss: none\n    // gain: 2.000 times as fast"))
        << text;
    EXPECT_TRUE(holds(text, "    // record: H200.json fnv1a64:0123\n    // measured")) << text;
    EXPECT_TRUE(holds(text,
                      "    // record: H100.json fnv1a64:0123\n    launchbox::sm<90, sort_row{128, 7}>\n> {\n"
                      "    static constexpr launchbox::measured_gpu measured[] = {\n"))
        << text;
    EXPECT_TRUE(holds(text, "        {\"NVIDIA H100 80GB HBM3\", 90, 132, 85'028'765'696, 0},\n")) << text;
}

TEST(fleet_tables, two_rows_of_one_architecture_are_distinguished_by_memory_and_read_back)
{
    const std::vector<emit_record> records{record_on(h200, {2000, 1000, 1100}), record_on(h100, {2000, 1100, 1000}),
                                           record_on(a100, {2000, 1000, 1500})};
    const std::string text = header_of(records, within(0.02));
    EXPECT_TRUE(holds(text, "launchbox::sm<80, sort_row{512, 15}>,\n")) << text;
    const std::string some =
        "    launchbox::on_gpus<launchbox::sm<80, sort_row{128, 7}>, launchbox::gpu_range{"
        ".min_memory_bytes = 60'000'000'000, .max_memory_bytes = 119'999'999'999}>\n";
    EXPECT_TRUE(holds(text, some)) << text;
    EXPECT_EQ(updated(text, records, within(0.02)), text);
    const std::vector<header_table> read = parse_tuning_header(text, "h");
    ASSERT_EQ(read.size(), 1u);
    ASSERT_EQ(read[0].rows.size(), 2u);
    EXPECT_EQ(read[0].measured.size(), 3u);
    EXPECT_EQ(read[0].measured[0], (header_gpu{"NVIDIA A100", 80, 108, 42'406'903'808, 0}));
    EXPECT_EQ(table_text(read[0]), table_text(parse_tuning_header(table_text(read[0]), "h")[0]));
    ASSERT_TRUE(within_of(read[0]));
    EXPECT_EQ(within_of(read[0])->within, 0.02);
    EXPECT_FALSE(within_of(read[0])->only_measured);
    // If a larger loss is accepted, one row is enough for all.
    EXPECT_EQ(parse_tuning_header(header_of(records, within(0.2)), "h")[0].rows.size(), 1u);
}

TEST(fleet_tables, two_rows_are_distinguished_by_bandwidth_if_nothing_else_differs)
{
    const auto on = [](const std::string& gpu, std::int64_t clock_mhz, const std::array<double, 3>& times) {
        emit_record record = record_on({gpu, "sm_80", 108, 85'017'493'504}, times);
        record.path = std::to_string(clock_mhz) + ".json";
        device_record& device = record.run.devices.emplace_back();
        device.hardware.emplace();
        device.hardware->memory_clock_mhz = clock_mhz;
        device.hardware->memory_bus_bits = 5120;
        device.hardware->l2_bytes = 41'943'040;
        return record;
    };
    const std::vector<emit_record> records{on("NVIDIA A100 80GB PCIe", 1512, {2000, 1000, 1100}),
                                           on("NVIDIA A100-SXM4-80GB", 1593, {2000, 1100, 1000})};
    const std::string text = header_of(records, within(0.02));
    EXPECT_TRUE(holds(text, "_memory_gb_per_second = 19")) << text;
    EXPECT_TRUE(holds(text, "{\"NVIDIA A100 80GB PCIe\", 80, 108, 85'017'493'504, 41'943'040, 1935},\n")) << text;
    EXPECT_TRUE(holds(text, "{\"NVIDIA A100-SXM4-80GB\", 80, 108, 85'017'493'504, 41'943'040, 2039},\n")) << text;
    EXPECT_EQ(updated(text, records, within(0.02)), text);
    const header_table read = parse_tuning_header(text, "h").at(0);
    EXPECT_EQ(read.measured.at(1).memory_gb_per_second, 2039);
    for (const emit_record& record : records) {
        const detail::gpu_properties gpu = properties_of(record.run.info.environment, record.run.devices);
        const std::optional<std::size_t> place = place_of_row(read, {.major = 8}, gpu);
        ASSERT_TRUE(place);
        EXPECT_EQ(read.rows[*place].values.front(), gpu.memory_gb_per_second == 1935 ? "512" : "128");
        EXPECT_TRUE(holds(origin_of_row(read, *place, {.major = 8}, gpu), ", measured here"));
    }
    // If one row is enough, there is no condition on the bandwidth.
    EXPECT_FALSE(holds(header_of(records, within(0.2)), "1935"));
    EXPECT_TRUE(
        holds(refusal([&] { parse_tuning_header(std::string(text).replace(text.find(", 1935}"), 7, ", x}"), "h"); }),
              "four numbers"));
}

TEST(fleet_tables, unmeasured_gpus_get_the_baseline_on_request)
{
    const std::vector<emit_record> records{record_on(h200, {2000, 1000, 1100}), record_on(h100, {2000, 1000, 1100})};
    const std::string text = header_of(records, within(0.02, true));
    EXPECT_TRUE(holds(text,
                      "    // baseline, not measured\n    launchbox::sm<90, sort_row{256, 11}>,\n"
                      "    // within 2 % of the best of each GPU, and for these GPUs alone\n"))
        << text;
    EXPECT_TRUE(holds(text,
                      "launchbox::gpu_range{.min_sms = 132, .max_sms = 132, .min_memory_bytes = 139'000'000'000, "
                      ".max_memory_bytes = 160'999'999'999}"))
        << text;
    EXPECT_EQ(updated(text, records, within(0.02, true)), text);
    EXPECT_TRUE(within_of(parse_tuning_header(text, "h")[0])->only_measured);
    emit_record without = records[0];
    without.run.info.baseline.reset();
    EXPECT_TRUE(holds(refusal([&] { header_of({without, records[1]}, within(0.02, true)); }), "has no baseline"));
}

TEST(fleet_tables, a_candidate_that_was_not_measured_everywhere_is_only_used_where_it_was)
{
    // wide is the best on the H200, and was not measured on the H100.
    const std::string text =
        header_of({record_on(h200, {2000, 1000, 1050}), record_on(h100, {2000, 0, 1000})}, within(0.1));
    EXPECT_TRUE(holds(text, "launchbox::sm<90, sort_row{128, 7}>\n")) << text;
    EXPECT_TRUE(
        holds(text, "// loss: +5.0 % against its best, {512, 15}, which was not measured on NVIDIA H100 80GB HBM3\n"))
        << text;
    EXPECT_EQ(
        parse_tuning_header(
            header_of({record_on(h200, {2000, 1000, 1050}), record_on(h100, {2000, 0, 1000})}, within(0.02)), "h")[0]
            .rows.size(),
        2u);
}

TEST(fleet_tables, no_gpu_is_slower_than_without_tuning)
{
    // narrow is within 20 % everywhere, and slower than the baseline on the H200.
    const std::string text =
        header_of({record_on(h200, {1050, 1000, 1150}), record_on(h100, {2000, 2000, 1000})}, within(0.2));
    EXPECT_EQ(parse_tuning_header(text, "h")[0].rows.size(), 2u) << text;
}

TEST(fleet_tables, refuse_records_that_do_not_match)
{
    const emit_record one = record_on(h200, {2000, 1000, 1100}), other = record_on(h100, {2000, 1100, 1000});
    EXPECT_TRUE(holds(refusal([&] { header_of({one}, within(0.02)); }), "NVIDIA H200 alone"));
    const std::string text = header_of({one, other}, within(0.02));
    EXPECT_TRUE(holds(refusal([&] { updated(text, {one}, {.box = "sort"}); }), "written with --within"));
    const emit_record third = record_on(a100, {2000, 1000, 1500});
    EXPECT_TRUE(holds(refusal([&] {
                          updated(text, {one, third}, within(0.02));
                      }),
                      "comes from H100.json, which is not named"));
    const std::vector<emit_record> both{one, other};
    const emitted_tables made = emit_tables(both, within(0.02), {});
    EXPECT_TRUE(holds(refusal([&] { constexpr_header(made, within(0.02)); }), "for some GPUs only"));
    EXPECT_TRUE(holds(refusal([&] { define_flags(made); }), "for some GPUs only"));
    EXPECT_EQ(rows_json(made, both, within(0.02))["tables"][0]["rows"][0]["loss"], 0.0);
    emit_record suffix = one;
    suffix.run.info.environment.architecture = "sm_90a";
    EXPECT_TRUE(holds(refusal([&] { header_of({suffix, other}, within(0.02)); }), "plain architectures"));
}

TEST(fleet_tables, an_unmeasured_row_stays_between_measured_ones)
{
    emit_settings with_baseline = within(0.02);
    with_baseline.baseline_architecture = compute_capability{.major = 7, .minor = 5};
    const std::vector<emit_record> records{record_on(a100, {2000, 1000, 1100}), record_on(h200, {2000, 1000, 1100})};
    std::string text = header_of(records, with_baseline);
    EXPECT_EQ(parse_tuning_header(text, "h")[0].rows.size(), 2u) << text;
    EXPECT_TRUE(holds(text, "launchbox::sm<75, sort_row{256, 11}>,\n")) << text;
    // 8.6 has a row of its own, so 9.0 does not inherit that of 8.0.
    const std::string own = "    // baseline, not measured\n    launchbox::sm<86, sort_row{256, 11}>";
    text.insert(text.find("launchbox::sm<80, sort_row{512, 15}>") + 36, ",\n" + own);
    const std::string again = updated(text, records, with_baseline);
    EXPECT_TRUE(holds(again, own)) << again;
    EXPECT_EQ(parse_tuning_header(again, "h")[0].rows.size(), 4u) << again;
}

// The header as nvcc compiles it: the row of each GPU in code for 8.0 and 9.0.
TEST(fleet_tables, compile_and_give_each_gpu_its_row)
{
    if (!*LAUNCHBOX_NVCC) GTEST_SKIP() << "no nvcc here";
    const temporary_directory folder;
    const std::vector<emit_record> records{record_on(h200, {2000, 1000, 1100}), record_on(h100, {2000, 1100, 1000}),
                                           record_on(a100, {2000, 1000, 1500})};
    emit_settings alone = within(0.02, true);
    alone.box = "alone";
    const auto path = [&](const char* name) { return (folder.path() / name).string(); };
    write_file_atomically(path("sort.hpp"), header_of(records, within(0.02)));
    write_file_atomically(path("alone.hpp"), header_of(records, alone));
    write_file_atomically(path("unit.cu"), R"(#include "sort.hpp"
#include "alone.hpp"
template <class Table>
constexpr int threads(int code, std::int64_t sms, std::int64_t memory)
{
    using namespace launchbox::detail;
    const launchbox::compute_capability capability{.major = code / 10, .minor = code % 10};
    const row_places places = places_of<Table>();
    return Table::rows[static_cast<std::size_t>(
        select_row(places, capability, select_variant(places, capability, {sms, 0, memory})))].threads;
}
static_assert(threads<sort>(80, 108, 42'406'903'808) == 512);
static_assert(threads<sort>(90, 132, 85'028'765'696) == 128);
static_assert(threads<sort>(90, 132, 150'109'945'856) == 512);
static_assert(threads<sort>(90, 144, 190'000'000'000) == 512);
static_assert(threads<alone>(80, 108, 42'406'903'808) == 512);
static_assert(threads<alone>(90, 132, 85'028'765'696) == 128);
static_assert(threads<alone>(90, 132, 150'109'945'856) == 512);
static_assert(threads<alone>(90, 144, 190'000'000'000) == 256);
static_assert(threads<alone>(80, 108, 84'000'000'000) == 256);
static_assert(threads<alone>(86, 84, 48'000'000'000) == 256);
static_assert(sort::measured[2].sms == 132);
template <class Table> struct body {
    using tuning = Table;
    template <typename Table::row_type r> static __device__ void run(int* data) { data[threadIdx.x] = r.items; }
};
void use(int* data)
{
    launchbox::launch<body<sort>>(nullptr, 1, data);
    launchbox::launch<body<alone>>(nullptr, 1, data);
}
)");
    const subprocess_result compiled = run(
        {LAUNCHBOX_NVCC, "-ccbin", LAUNCHBOX_CXX, "-std=c++20", "-I" LAUNCHBOX_SOURCE_DIR "/include",
         "-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=sm_90", "-c", "unit.cu", "-o", "unit.o"},
        {.directory = folder.path(), .environment = {}});
    EXPECT_EQ(compiled.exit_code, 0) << compiled.output;
    EXPECT_EQ(compiled.output, "");
}

}  // namespace
}  // namespace launchbox::fleet_tables_tests
