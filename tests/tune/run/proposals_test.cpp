// What a strategy is asked for and told in a run, and candidates that were good elsewhere.
#include "tune/run/proposals.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "recorded_results.hpp"
#include "tune/run/warm_start.hpp"

namespace launchbox {
namespace {

constexpr const char* spec_text = R"(
[tunable]
name = "sum"
baseline = { threads = 256, items = 11 }
[parameters]
threads = [64, 128, 256, 512]
items = { from = 3, to = 17, step = 2 }
[[workload]]
n = 1000
weight = 3
[[workload]]
n = 2000
[program]
run = ["true", "{threads}", "{items}", "{n}"]
)";

// Proposes in the order of the space, and records the costs that it is told.
struct listening : search_strategy {
    listening(std::size_t count, std::map<std::size_t, std::optional<double>>& heard) : count_(count), heard_(heard) {}
    std::optional<std::size_t> ask() override
    {
        return next_ == count_ ? std::nullopt : std::optional<std::size_t>(next_++);
    }
    void tell(std::size_t candidate, std::optional<double> cost) override
    {
        EXPECT_TRUE(heard_.emplace(candidate, cost).second) << "told twice of " << candidate;
    }

private:
    std::size_t count_, next_ = 0;
    std::map<std::size_t, std::optional<double>>& heard_;
};

measurement took(double ns)
{
    return {.samples_ns = {ns, ns * 1.01, ns * 0.99}};
}

class proposals_test : public ::testing::Test {
protected:
    tune_spec spec = parse_tune_spec("sum.toml", spec_text);
    search_space space{spec, {}};
    std::map<std::size_t, std::optional<double>> heard;
    std::map<std::string, measurement> known;

    proposals make(std::vector<std::size_t> workloads)
    {
        return {spec, space, std::move(workloads), std::make_unique<listening>(space.size(), heard),
                [this](const job_key& job) -> const measurement* {
                    const auto found =
                        known.find(parameter_text(space.at(job.candidate)) + "/" + std::to_string(job.workload));
                    return found == known.end() ? nullptr : &found->second;
                }};
    }
};

TEST_F(proposals_test, once_all_workloads_are_settled_a_strategy_gets_the_weighted_mean_of_the_ratios)
{
    proposals asked = make({0, 1});
    const std::vector<tune_job> first = asked.next(), second = asked.next(), third = asked.next();
    ASSERT_EQ(first.size(), 2u);
    EXPECT_EQ(asked.open(), 3u);
    asked.settle(first[0], took(100));
    EXPECT_TRUE(heard.empty());
    asked.settle(second[1], took(1000));  // the first result on workload 1: its reference
    asked.settle(first[1], took(4000));
    ASSERT_EQ(heard.count(0), 1u);
    // A ratio of 1 with weight 3, and of 4 with weight 1.
    EXPECT_NEAR(heard.at(0).value(), std::pow(4.0, 0.25), 1e-12);
    asked.settle(second[0], took(200));
    EXPECT_NEAR(heard.at(1).value(), std::pow(2.0, 0.75), 1e-12);
    asked.settle(third[0], {.status = outcome::compile_error, .reason = "no"});
    EXPECT_FALSE(heard.contains(2)) << "the other workload is still to come";
    asked.settle(third[1], took(1));
    EXPECT_EQ(heard.at(2), std::nullopt) << "what fails on one workload is not a candidate for all";
    EXPECT_EQ(asked.open(), 0u);
}

TEST_F(proposals_test, with_one_workload_the_cost_is_the_median)
{
    proposals asked = make({1});
    asked.settle(asked.next().front(), took(250));
    EXPECT_EQ(heard.at(0), 250);
}

TEST_F(proposals_test, known_results_are_passed_on_and_not_measured_again)
{
    for (std::size_t candidate = 0; candidate < 5; ++candidate) {
        known[parameter_text(space.at(candidate)) + "/0"] = took(100.0 + static_cast<double>(candidate));
        if (candidate != 3) known[parameter_text(space.at(candidate)) + "/1"] = took(100);
    }
    known[parameter_text(space.at(2)) + "/1"] = {.status = outcome::hang, .reason = "for ever"};
    proposals asked = make({0, 1});
    const std::vector<tune_job> half = asked.next();
    ASSERT_EQ(half.size(), 1u);
    EXPECT_EQ(half[0].candidate, 3u);
    EXPECT_EQ(half[0].workload, 1u);
    EXPECT_EQ(heard.size(), 3u);
    EXPECT_EQ(heard.at(2), std::nullopt);
    EXPECT_EQ(asked.next().front().candidate, 5u);
    asked.settle(half[0], took(100));
    EXPECT_NEAR(heard.at(3).value(), std::pow(1.03, 0.75), 1e-12);

    std::set<std::size_t> proposed;
    while (true) {
        const std::vector<tune_job> jobs = asked.next();
        if (jobs.empty()) break;
        EXPECT_TRUE(proposed.insert(jobs.front().candidate).second);
    }
    EXPECT_TRUE(asked.exhausted());
    EXPECT_EQ(asked.proposed(), space.size());
    EXPECT_EQ(proposed.size(), space.size() - 6);
}

TEST_F(proposals_test, the_best_elsewhere_are_those_of_each_workload_in_turn_without_equal_code)
{
    result_file file;
    file.runs.push_back(example_results());
    const std::vector<assignment> best = best_of(file, 4);
    ASSERT_EQ(best.size(), 4u);
    // The best on both workloads together, then the winner of the race on the small one, then that on the large one.
    EXPECT_EQ(parameter_text(best[0]), "threads=128 items=15");
    EXPECT_EQ(parameter_text(best[1]), "threads=128 items=17");
    EXPECT_EQ(parameter_text(best[2]), "threads=256 items=11");
    for (const assignment& values : best_of(file, 100)) {
        EXPECT_NE(parameter_text(values), "threads=512 items=9") << "the code of 512 x 7";
        EXPECT_NE(parameter_text(values), "threads=64 items=5") << "not verified, where others are";
        EXPECT_NE(parameter_text(values), "threads=64 items=31") << "wrong";
    }
}

TEST_F(proposals_test, candidates_from_elsewhere_are_matched_by_common_names)
{
    const std::vector<std::string> names{"threads", "items"};
    const auto with = [](std::int64_t threads, std::int64_t items) {
        return assignment{{{"items", items}, {"unroll", std::int64_t{4}}, {"threads", threads}}};
    };
    const std::vector<std::size_t> found =
        found_in(space, names, {with(128, 7), with(96, 7), with(64, 3), with(128, 7)});
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(parameter_text(space.at(found[0])), "threads=128 items=7");
    EXPECT_EQ(parameter_text(space.at(found[1])), "threads=64 items=3");
    EXPECT_TRUE(found_in(space, names, {assignment{{{"threads", std::int64_t{64}}}}}).empty());
}

TEST_F(proposals_test, rows_of_a_header_are_candidates_with_the_newest_architecture_first)
{
    tune_spec three = parse_tune_spec("three.toml", R"toml([tunable]
name = "three"
[parameters]
threads = [64, 128]
wide = [false, true]
load = ["direct", "two-step"]
[program]
run = ["true", "{threads}", "{wide}", "{load}"]
)toml");
    const std::string header = R"(
// table rows: three
#ifdef ROWS_ROW
using rows = launchbox::only<rows_row ROWS_ROW>;
#else
struct rows : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, rows_row{128, false, rows_row::load_values::direct, 0}>,
    // baseline, not measured
    launchbox::sm<80, rows_row{96, false, rows_row::load_values::direct, 0}>,
    // baseline, not measured
    launchbox::sm<90, rows_row{64, true, rows_row::load_values::two_step, 2}>
> {};
#endif
)";
    const std::vector<assignment> rows = rows_in_header(header, "rows.hpp", three.parameters);
    ASSERT_EQ(rows.size(), 2u) << "no candidate has 96 threads";
    EXPECT_EQ(parameter_text(rows[0]), "threads=64 wide=true load=two-step");
    EXPECT_EQ(parameter_text(rows[1]), "threads=128 wide=false load=direct");
    EXPECT_TRUE(rows_in_header("// nothing\n", "none.hpp", three.parameters).empty());
}

}  // namespace
}  // namespace launchbox
