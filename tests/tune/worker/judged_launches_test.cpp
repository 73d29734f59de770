// No time without a correct output: every timed launch is judged, on the double of the driver.
#include <gtest/gtest.h>

#include "on_fake_gpu.hpp"
#include "support/sample_statistics.hpp"
#include "tune/worker/compare/launch_history.hpp"
#include "tune/worker/compare/reference_content.hpp"

namespace launchbox {
namespace {

using nlohmann::json;

class judged_launches : public on_fake_gpu {
protected:
    // The measurement of a task that has this fault after the first `skip` timed launches.
    measurement with_fault(const char* action, int skip, std::optional<int> times = {}, bool cold = true)
    {
        std::filesystem::remove(path("state.json"));
        plan_["faults"] = json::array();
        json how{{"stage", "timed_launch_runs"}, {"action", action}, {"skip", skip}};
        if (times) how["times"] = *times;
        fault(how);
        gpu_task cheating = task();
        cheating.samples = 20;
        cheating.measure.cold = cold;
        return worker().measure(cheating);
    }
    // Before some launches outputs contain zeros instead of the poison: what is left of either is reported as such.
    static void expect_wrong(measurement found, const std::string& begin, const std::string& part = {})
    {
        const std::string zeros = "out[0] is 0, as before the launch";
        if (const std::size_t at = found.reason.find(zeros);
            at != std::string::npos && begin.find("out[0] was not") != std::string::npos)
            found.reason.replace(at, zeros.size(), "out[0] was not written");
        EXPECT_EQ(found.status, outcome::wrong_result);
        EXPECT_TRUE(found.reason.starts_with(begin)) << found.reason;
        EXPECT_NE(found.reason.find(part), std::string::npos) << found.reason;
        EXPECT_TRUE(found.samples_ns.empty());
        EXPECT_FALSE(found.verified);
        EXPECT_FALSE(found.sticky);
    }
    // A kernel whose module has a variable; `how` is its entry in the plan.
    measurement counting(const json& how, std::optional<bool> reset = {})
    {
        gpu_task with = task("counting");
        if (reset) with.variables = {{.name = "launches_so_far", .type = "", .reset = reset}};
        return counting(how, with);
    }
    measurement counting(json how, const gpu_task& with)
    {
        how["match"] = "counting";
        how["counts_in"] = "launches_so_far";
        plan_["kernels"] = json::array({how});
        plan_["variables"] = {{"launches_so_far", 4}};
        return worker().measure(with);
    }
};

TEST_F(judged_launches, that_stop_working_have_no_times)
{
    expect_wrong(with_fault("untouched", 0),
                 "right at first, wrong from launch 2 on (11 of 12 launches): out[0] was not written",
                 "; 10,007 of 10,007 differ");
    expect_wrong(with_fault("untouched", 3), "right at first, wrong from launch 5 on (8 of 12 launches): ");
    expect_wrong(with_fault("wrong_one", 3), "right at first, wrong from launch 5 on (8 of 12 launches): out[5003] is ",
                 "; if it counts in a variable of its own, name that in variables of [kernel] with reset = true");
    expect_wrong(with_fault("wrong_zero", 10),
                 "sometimes wrong: 1 of 12 launches, the first is launch 12: out[0] is 0");
}

TEST_F(judged_launches, that_are_sometimes_wrong_have_no_times)
{
    expect_wrong(with_fault("wrong_one", 3, 1),
                 "sometimes wrong: 1 of 12 launches, the first is launch 5: out[5003] is ");
    // The fault comes late: enough launches were judged before it.
    expect_wrong(with_fault("wrong_one", 17, 1), "sometimes wrong: 1 of 19 launches, the first is launch 19: ");
    expect_wrong(with_fault("race", 2, 2), "sometimes wrong: 2 of 12 launches, the first is launch 4: ");
}

// The number of launches that warm the caches up is one or two at random, so that a kernel that works every second time
// does not pass.
TEST_F(judged_launches, with_hot_caches_too)
{
    expect_wrong(with_fault("untouched", 3, {}, false), "right at first, wrong from launch ");
    expect_wrong(with_fault("wrong_one", 0, {}, false), "right at first, wrong from launch ");
    EXPECT_EQ(with_fault("wrong_one", 1000, {}, false).status, outcome::measured);
}

TEST_F(judged_launches, of_the_baseline_are_compared_with_its_first)
{
    fault({{"stage", "timed_launch_runs"}, {"action", "untouched"}, {"skip", 2}});
    gpu_task baseline = task();
    baseline.expected.clear();
    baseline.makes_reference = true;
    expect_wrong(worker().measure(baseline), "right at first, wrong from launch 4 on");
    plan_["faults"] = json::array();
    fault({{"stage", "timed_launch_runs"}, {"action", "wrong_one"}});
    expect_wrong(worker().measure(baseline), "right at first, wrong from launch 2 on");
    baseline.absolute = 1;
    EXPECT_EQ(worker().measure(baseline).status, outcome::measured) << "within the tolerance";
}

// The correct output is unknown, but a launch that no longer writes is wrong in any case.
TEST_F(judged_launches, without_a_reference_must_still_write_like_the_first)
{
    fault({{"stage", "timed_launch_runs"}, {"action", "untouched"}, {"skip", 2}});
    gpu_task free = task();
    free.expected.clear();
    expect_wrong(worker().measure(free),
                 "right at first, wrong from launch 4 on (9 of 12 launches): out was not written, although an earlier "
                 "launch wrote it");
    plan_["faults"] = json::array();
    fault({{"stage", "timed_launch_runs"}, {"action", "race"}});
    EXPECT_EQ(worker().measure(free).status, outcome::measured);
}

TEST_F(judged_launches, in_place_are_judged_as_well)
{
    plan_["kernels"] = {{{"effect", "accumulate"}}};
    fault({{"stage", "timed_launch_runs"}, {"action", "untouched"}, {"skip", 1}});
    gpu_task in_place = task();
    in_place.arguments[1].role = argument_role::in_out;
    in_place.arguments[1].fill = fill_kind::random;
    in_place.expected.clear();
    in_place.makes_reference = true;
    expect_wrong(worker().measure(in_place), "right at first, wrong from launch 3 on",
                 ", which was not changed at all");
}

// A persistent kernel whose tile counter is not reset.
TEST_F(judged_launches, with_a_counter_that_is_not_reset_name_it)
{
    const json works_once{{"works", 1}};
    expect_wrong(counting(works_once),
                 "right at first, wrong from launch 2 on (11 of 12 launches): out[0] was not written",
                 "; launches change launches_so_far, which is never reset: variables = [{ name = \"launches_so_far\", "
                 "reset = true }] in [kernel] resets it before each launch");
    EXPECT_EQ(counting(works_once, true).status, outcome::measured);
    gpu_task hot = task("counting");
    hot.variables = {{.name = "launches_so_far", .type = "", .reset = true}};
    hot.measure.cold = false;
    EXPECT_EQ(counting(works_once, hot).status, outcome::measured);

    gpu_task filled = hot;
    filled.variables[0] = {.name = "launches_so_far", .type = "int", .scalar = true, .integer = 1, .reset = true};
    expect_wrong(counting(works_once, filled), "out[0] was not written");
    // It is only filled when the module is loaded, so the result is the same as without.
    filled.variables[0].integer = 0;
    filled.variables[0].reset.reset();
    expect_wrong(counting(works_once, filled), "right at first, wrong from launch ", "reset = true");
}

TEST_F(judged_launches, with_a_state_that_has_no_effect_have_times)
{
    EXPECT_EQ(counting({{"ns", 5000}}).status, outcome::measured);
}

// Correct each time, because the first launch left the result in the module.
TEST_F(judged_launches, that_only_copy_the_first_result_are_detected)
{
    const json remembers{{"ns", 50'000}, {"ns_later", 5000}};
    expect_wrong(counting(remembers), "later launches do less work than the first: 5.0 us, but ",
                 " us when launches_so_far is reset to the state after loading; variables = [{ name = ");
    const measurement reset = counting(remembers, true);
    ASSERT_EQ(reset.status, outcome::measured) << reset.reason;
    EXPECT_NEAR(summarise(reset.samples_ns).median, 50'000, 600);
    const measurement allowed = counting(remembers, false);
    ASSERT_EQ(allowed.status, outcome::measured) << allowed.reason;
    EXPECT_NEAR(summarise(allowed.samples_ns).median, 5000, 1);
}

// A candidate that is given up after its first sample is launched as often as others if its module has a state.
TEST_F(judged_launches, of_a_slow_kernel_with_a_state_are_not_fewer)
{
    gpu_task slow = task("counting");
    slow.samples = 0;
    slow.best_ns = 100;
    expect_wrong(counting({{"works", 4}}, slow), "right at first, wrong from launch 5 on (8 of 12 launches): ");
    const measurement right = counting({{"works", 100}}, slow);
    EXPECT_EQ(right.status, outcome::measured);
    EXPECT_TRUE(right.stopped_early);
    EXPECT_EQ(right.samples_ns.size(), 1u);
}

TEST_F(judged_launches, of_a_later_turn_of_a_race_are_judged)
{
    fault({{"stage", "timed_launch_runs"}, {"action", "untouched"}, {"skip", 30}});
    gpu_worker& tried = worker();
    gpu_task turn = task();
    turn.repeated = true;
    EXPECT_EQ(tried.measure(turn).status, outcome::measured);
    EXPECT_EQ(tried.measure(turn).status, outcome::measured);
    expect_wrong(tried.measure(turn), "sometimes wrong: 1 of 32 launches, the first is launch 32: out[0] was not");
}

TEST_F(judged_launches, a_reference_that_cannot_detect_a_missing_write_is_reported)
{
    const auto warnings = [&](const std::string& bytes) {
        write_file_atomically(path("expected.npy"), npy_header({element_type::kind::signed_integer, 4}, count) + bytes);
        return worker().measure(task()).warnings;
    };
    EXPECT_EQ(warnings(content(input())), std::vector<std::string>{});
    EXPECT_EQ(warnings(std::string(std::size_t{4} * count, '\0')),
              std::vector<std::string>{
                  "the reference of 'out' is 0 everywhere: a kernel that only clears its output passes"});
    EXPECT_EQ(
        warnings(content({.name = "x", .type = "int", .count = count, .integer = 7, .fill = fill_kind::constant})),
        std::vector<std::string>{"the reference of 'out' is 7 everywhere: a kernel that only fills its output passes"});
    const std::vector<std::string> nothing{
        "the reference of 'out' is its content before the launch, so nothing was written: a kernel that does nothing "
        "passes"};
    EXPECT_EQ(warnings(content({.name = "x", .type = "int", .count = count, .fill = fill_kind::poison})), nothing);
    // The same for the outputs of the baseline.
    plan_["kernels"] = {{{"effect", "nothing"}}};
    gpu_task baseline = task();
    baseline.expected.clear();
    baseline.makes_reference = true;
    EXPECT_EQ(worker().measure(baseline).warnings, nothing);
}

TEST(reference_content, in_parts_and_with_one_element)
{
    const element_type type{element_type::kind::floating, 4};
    const auto weakness = [&](std::initializer_list<std::string> pieces) {
        reference_content content(type);
        for (const std::string& piece : pieces) content.add(piece);
        return content.weakness("x");
    };
    const std::string half("\0\0\0\x3f", 4), zero(4, '\0'), other("\0\0\0\x40", 4);
    EXPECT_EQ(weakness({}), "");
    EXPECT_EQ(weakness({half}), "") << "one sum is one value";
    EXPECT_EQ(weakness({zero}), "the reference of 'x' is 0 everywhere: a kernel that only clears its output passes");
    EXPECT_EQ(weakness({half, half + half}),
              "the reference of 'x' is 0.5 everywhere: a kernel that only fills its output passes");
    EXPECT_EQ(weakness({half, half + other}), "");
    EXPECT_EQ(weakness({half + half, other}), "");
    EXPECT_EQ(weakness({zero + zero, half}), "");
}

TEST(launch_history, reports_which_launches_were_wrong)
{
    launch_history history;
    history.note("");
    history.note_unjudged();
    EXPECT_FALSE(history.any_wrong());
    history.note("a");
    EXPECT_EQ(history.reason({}), "sometimes wrong: 1 of 2 launches, the first is launch 3: a");
    history.note("b");
    EXPECT_TRUE(history.reason({}).starts_with("right at first, wrong from launch 3 on (2 of 3 launches): a;"));
    history.note("");
    EXPECT_EQ(history.reason({}), "sometimes wrong: 2 of 4 launches, the first is launch 3: a");
    EXPECT_EQ(history.reason({"x", "y"}),
              "sometimes wrong: 2 of 4 launches, the first is launch 3: a; launches change x, y, which is never reset: "
              "variables = [{ name = \"x\", reset = true }, { name = \"y\", reset = true }] in [kernel] resets it "
              "before each launch");
    launch_history wrong;
    wrong.note("c");
    EXPECT_EQ(wrong.reason({"x"}), "c");
}

}  // namespace
}  // namespace launchbox
