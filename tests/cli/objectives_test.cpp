// launchbox tune, results and emit with other objectives than the time.
#include <cmath>
#include <fstream>

#include "tool.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// A service with a number of threads and a batch size: larger values are faster, but have a slower 99th percentile.
constexpr const char* service = R"sh(
t=$(( 1000000 / $1 / $2 + 5000 ))
p=$(( $1 * $2 + 3 * $2 ))
echo "{\"samples_ns\": [$t, $((t + 1)), $((t + 2)), $t, $((t + 1)), $((t + 2))]}"
echo "p99_ms: 0.$(printf %04d $p) at load $1"
echo "tokens_per_s = $(( 100 * $1 + 7 * $2 ))"
if [ "$1$2" = 41 ]; then echo 'p99_ms: 0'; fi
)sh";

std::string spec_with(const std::string& objective)
{
    return R"([tunable]
name = "service"
baseline = { threads = 1, batch = 1 }
)" + (objective.empty() ? "" : "objective = '" + objective + "'\n") +
           R"([parameters]
threads = [1, 2, 4, 8]
batch = [1, 2, 3, 5]
[program]
run = ["sh", "service.sh", "{threads}", "{batch}"]
sources = ["service.sh"]
)";
}

struct objectives_test : testing::Test {
    temporary_directory folder;

    void SetUp() override { write("service.sh", service); }
    [[nodiscard]] std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
    [[nodiscard]] call tune(const std::string& objective, std::vector<std::string> more = {}) const
    {
        write("service.toml", spec_with(objective));
        more.insert(more.begin(), {"tune", path("service.toml"), "--store", path("service.db")});
        return launchbox_run(more);
    }
    static std::string winner_in(const json& report)
    {
        const json& parameters = report.at("best").back().at("parameters");
        return parameters.is_null() ? "none" : parameters.at("threads").dump() + " " + parameters.at("batch").dump();
    }
};

double p99_of(int threads, int batch)
{
    return (threads * batch + 3 * batch) * 1e-4;
}

TEST_F(objectives_test, any_number_printed_by_a_program)
{
    const call found = tune("p99_ms", {"--format", "json"});
    ASSERT_EQ(found.status, 0) << found.err;
    const json report = found.json();
    EXPECT_EQ(winner_in(report), "1 1");
    EXPECT_EQ(report.at("runs")[0].at("objective"), "p99_ms");
    for (const json& candidate : report.at("candidates")) {
        const int threads = candidate.at("parameters").at("threads"), batch = candidate.at("parameters").at("batch");
        if (threads == 4 && batch == 1) {
            EXPECT_EQ(candidate.at("reason"), "it prints p99_ms 0, which is not a number above 0");
            continue;
        }
        // Three runs, although one gave enough times.
        ASSERT_EQ(candidate.at("quantities").at("p99_ms").size(), 3u);
        for (const json& sample : candidate.at("quantities").at("p99_ms"))
            EXPECT_DOUBLE_EQ(sample.get<double>(), p99_of(threads, batch));
        EXPECT_DOUBLE_EQ(candidate.at("cost").get<double>(), p99_of(threads, batch));
        EXPECT_NEAR(candidate.at("speed_up").get<double>(), p99_of(1, 1) / p99_of(threads, batch), 1e-9);
    }
    // A repeated call measures nothing; the time is another objective.
    EXPECT_TRUE(tune("p99_ms").says("nothing new"));
    EXPECT_EQ(winner_in(tune("", {"--format", "json"}).json()), "8 5");
    EXPECT_EQ(winner_in(tune("", {"--objective", "max tokens_per_s", "--format", "json"}).json()), "8 5");

    const call shown = launchbox_run({"results", path("service.db"), "--run", "1", "--top", "all"});
    for (const char* words : {"objective: p99_ms", "p99_ms  ± %  gain",
                              "The baseline, threads=1 batch=1, has the least p99_ms.", "launch error"})
        EXPECT_TRUE(shown.shows(words)) << words << "\n" << shown.out;
}

TEST_F(objectives_test, weights_conditions_and_the_pareto_front)
{
    const call found = tune("time, p99_ms", {"--format", "json"});
    ASSERT_EQ(found.status, 0) << found.err;
    const json report = found.json();
    const auto time_of = [](const json& of) { return of.at("median_ns").get<double>() * 1e-6; };
    const auto p99_in = [](const json& of) { return of.at("quantities").at("p99_ms")[0].get<double>(); };
    const json* best = nullptr;
    std::size_t on_front = 0;
    for (const json& candidate : report.at("candidates")) {
        if (candidate.at("status") != "measured") continue;
        EXPECT_NEAR(candidate.at("cost").get<double>(), std::sqrt(time_of(candidate) * p99_in(candidate)), 1e-9);
        if (best == nullptr || candidate.at("cost") < best->at("cost")) best = &candidate;
        bool beaten = false;
        for (const json& other : report.at("candidates"))
            if (other.at("status") == "measured")
                beaten |= time_of(other) <= time_of(candidate) && p99_in(other) <= p99_in(candidate) &&
                          (time_of(other) < time_of(candidate) || p99_in(other) < p99_in(candidate));
        EXPECT_EQ(candidate.at("on_front"), !beaten) << candidate;
        on_front += beaten ? 0 : 1;
    }
    EXPECT_GT(on_front, 3u);
    EXPECT_TRUE(best->at("is_winner").get<bool>());
    EXPECT_TRUE(
        launchbox_run({"results", path("service.db")}).shows(std::to_string(on_front) + " candidates, marked front"));
    for (const char* mistyped : {"p9_ms", "time where p9_ms < 1", "time, p9_ms"})
        EXPECT_TRUE(launchbox_run({"results", path("service.db"), "--objective", mistyped})
                        .shows("There is no winner: no candidate has p9_ms, which the objective names."))
            << mistyped;
    // SVG files, convergence and reports show the cost, too.
    EXPECT_EQ(launchbox_run({"results", path("service.db"), "--svg", path("pictures")}).status, 0);
    EXPECT_TRUE(fs::is_regular_file(path("pictures/front.svg")));
    const json course =
        launchbox_run({"results", path("service.db"), "--convergence", "--format", "json"}).json().at("series")[0];
    const json& last = course.at("improvements").back();
    EXPECT_EQ(last.at("cost"), best->at("cost"));
    EXPECT_TRUE(last.at("median_ns").is_null());
    EXPECT_EQ(launchbox_run({"report", path("service.db"), "-o", path("report.html")}).status, 0);
    const std::string page = read_input(path("report.html"));
    EXPECT_NE(page.find("times as good as the baseline"), std::string::npos);
    EXPECT_EQ(page.find("times as fast as the baseline"), std::string::npos);
    // A record can be ranked by other weights and conditions as long as it has their quantities.
    const std::string record = path("record.json");
    ASSERT_EQ(launchbox_run({"results", path("service.db"), "--format", "json", "--samples", "-o", record}).status, 0);
    const auto replayed = [&](const std::string& objective) {
        const call answered = launchbox_run(
            {"tune", path("service.toml"), "--replay", record, "--objective", objective, "--format", "json"});
        EXPECT_EQ(answered.status, 0) << answered.err;
        std::string by_results =
            winner_in(launchbox_run({"results", record, "--objective", objective, "--format", "json"}).json());
        EXPECT_EQ(winner_in(answered.json()), by_results) << objective;
        return by_results;
    };
    EXPECT_EQ(replayed("time"), "8 5");
    EXPECT_EQ(replayed("time where p99_ms <= 0.0035"), "8 3");
    EXPECT_EQ(replayed("time where p99_ms <= 0.0011"), "8 1");
    EXPECT_EQ(replayed("time*100, p99_ms"), "8 5");
    EXPECT_EQ(replayed("time, p99_ms*100"), "1 1");
    EXPECT_EQ(replayed("time where p99_ms > 1"), "none");
    expect_refused(launchbox_run({"tune", path("service.toml"), "--replay", record, "--objective", "energy"}),
                   "has no energy, which the objective names");
    // A search uses the cost, too.
    const call searched = launchbox_run({"tune", path("service.toml"), "--replay", record, "--objective",
                                         "time where p99_ms <= 0.0035", "--budget", "15", "--format", "json"});
    EXPECT_EQ(winner_in(searched.json()), "8 3") << searched.err;
}

TEST_F(objectives_test, a_row_names_its_objective)
{
    ASSERT_EQ(tune("time, p99_ms*1.5 where p99_ms < 0.004").status, 0);
    json record = launchbox_run({"results", path("service.db"), "--samples", "--format", "json"}).json();
    record["environments"][0]["gpu"] = "Example GPU";
    record["environments"][0]["architecture"] = "sm_90";
    write("record.json", record.dump());
    const call emitted = launchbox_run(
        {"emit", path("record.json"), "--box", "service_tuning", "--items-name", "batch", "--allow-unverified"});
    ASSERT_EQ(emitted.status, 0) << emitted.err;
    EXPECT_TRUE(emitted.shows("// objective: time, p99_ms*1.5 where p99_ms < 0.004: ")) << emitted.out;
    EXPECT_TRUE(emitted.shows(" ms, ")) << emitted.out;
    EXPECT_TRUE(emitted.shows("times as good (")) << emitted.out;
}

// A cache of Kernel Tuner, as users write it with NVML observers and their own metrics.
TEST_F(objectives_test, files_of_other_tuners_have_quantities_too)
{
    json cache{{"device_name", "Example GPU"},
               {"kernel_name", "k"},
               {"problem_size", ""},
               {"tune_params_keys", json::array({"a"})}};
    const double figures[][4]{{1.0, 0.30, 300, 80}, {1.2, 0.24, 200, 70}, {2.0, 0.26, 130, 40}, {3.0, 0.36, 120, 0}};
    for (int i = 0; i < 4; ++i)
        cache["cache"][std::to_string(i)] = {{"a", i},
                                             {"time", figures[i][0]},
                                             {"times", {figures[i][0], figures[i][0]}},
                                             {"nvml_energy", figures[i][1]},
                                             {"nvml_power", figures[i][2]},
                                             {"GFLOP/s", figures[i][3]},
                                             {"compile_time", 3},
                                             {"note", "text"}};
    write("cache.json", cache.dump());
    const auto best = [&](const std::string& objective) {
        const call shown = launchbox_run({"results", path("cache.json"), "--objective", objective, "--format", "json"});
        EXPECT_EQ(shown.status, 0) << shown.err;
        const json parameters = shown.json().at("best")[0].at("parameters");
        return parameters.is_null() ? -1 : parameters.at("a").get<int>();
    };
    EXPECT_EQ(best("time"), 0);
    EXPECT_EQ(best("energy"), 1);
    EXPECT_EQ(best("power"), 3);
    EXPECT_EQ(best("max GFLOP_s"), 0);
    EXPECT_EQ(best("time where power <= 150"), 2);
    EXPECT_EQ(best("compile_time"), -1) << "a cost of the tuner is no quantity of the candidate";
    const json candidates =
        launchbox_run({"results", path("cache.json"), "--objective", "time,energy", "--format", "json"})
            .json()
            .at("candidates");
    for (int i = 0; i < 4; ++i) EXPECT_EQ(candidates[static_cast<std::size_t>(i)].at("on_front"), i < 2) << i;
}

TEST_F(objectives_test, refusals)
{
    expect_refused(tune("energy*"), "the objective 'energy*' has the weight ''");
    EXPECT_TRUE(tune("energy*").says("service.toml:4:13: ")) << tune("energy*").err;
    expect_refused(tune("", {"--objective", "time, time"}), "names time twice");
    expect_refused(launchbox_run({"results", example, "--objective", "max time"}), "wants the largest time");
    const call none = tune("latency", {"--format", "json"});
    EXPECT_NE(none.status, 0);
    EXPECT_TRUE(none.says("it prints no number latency, which the objective names")) << none.err;
    const std::string sort = "examples/block_sort/block_sort.toml";
    expect_refused(launchbox_run({"tune", sort, "--objective", "p99_ms", "--build-only", "--arch", "sm_90"}),
                   "of a [kernel] only time, energy and power are measured");
}

// The double of NVML has no energy counter unless its plan says so.
TEST_F(objectives_test, a_gpu_without_a_counter_exits_with_3_and_one_line)
{
    NEEDS_NVCC();
    write("plan.json",
          json{{"devices", {{{"name", "Old GPU"}}}}, {"nvml", {{{"sm_clock", 1000}, {"reasons", 0}}}}}.dump());
    const call refused = launchbox_run(
        {"tune", "examples/block_sort/block_sort.toml", "--objective", "energy", "--store", path("no.db")}, {},
        {"LD_LIBRARY_PATH=" LAUNCHBOX_FAKE_DRIVER, "FAKE_GPU_PLAN=" + path("plan.json")});
    expect_refused(refused, "GPU 0 (Old GPU) has no readable energy counter", 3);
    EXPECT_FALSE(fs::exists(path("no.db")));
}

}  // namespace
}  // namespace launchbox
