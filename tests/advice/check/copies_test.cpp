// Copies of one kernel: in any order, a check reports what it would report of the worst copy alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "advice/check/budget_file.hpp"
#include "advice/check/compare_baseline.hpp"
#include "checked_kernels.hpp"

namespace launchbox {
namespace {

template <class Value>
Value one_of(std::mt19937& random, std::initializer_list<Value> values)
{
    return values.begin()[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(random)];
}

// With or without figures that logs, cubins and Triton's metadata may give.
checked_kernel random_copy(std::mt19937& random)
{
    checked_kernel kernel = plain_kernel("k(int)");
    kernel_info& info = kernel.info;
    info.source = {one_of<std::string>(random, {"a.cubin", "b.cubin"}), one_of<std::string>(random, {"cubin", "log"}),
                   one_of<std::string>(random, {"", "line 3"})};
    info.figures.registers = one_of<std::optional<int>>(random, {16, 32, 64, 128, std::nullopt});
    info.figures.spill_store_bytes = one_of<std::optional<std::int64_t>>(random, {0, 8, 300, std::nullopt});
    info.figures.spill_load_bytes = one_of<std::optional<std::int64_t>>(random, {0, 12, 299});
    if (!info.figures.spill_store_bytes && one_of(random, {true, false})) {
        info.figures.spill_load_bytes.reset();
        info.figures.spills_between = {.min_stores = 100, .max_stores = 1000, .min_loads = 10, .max_loads = 100};
    }
    info.figures.stack_frame_bytes = one_of<std::optional<std::int64_t>>(random, {0, 16, 304, std::nullopt});
    info.figures.cumulative_stack_bytes = one_of<std::optional<std::int64_t>>(random, {std::nullopt, 304, 400});
    info.figures.stack_unbounded = one_of(random, {false, false, true});
    info.figures.static_shared_bytes = one_of<std::optional<std::int64_t>>(random, {0, 4096, 30000, std::nullopt});
    info.figures.barriers = one_of<std::optional<int>>(random, {0, 9, std::nullopt});
    info.figures.code_bytes = one_of<std::optional<std::int64_t>>(random, {512, 1024, 4096, std::nullopt});
    info.bounds.max_threads = one_of<std::optional<std::array<int, 3>>>(
        random, {std::array{128, 1, 1}, std::array{256, 1, 1}, std::array{1024, 1, 1}, std::nullopt});
    info.bounds.register_cap = one_of<std::optional<int>>(random, {255, std::nullopt});
    info.launches.uses_dynamic_shared = one_of<std::optional<bool>>(random, {true, false, std::nullopt});
    info.launches.dynamic_shared_bytes = one_of<std::optional<std::int64_t>>(random, {std::nullopt, 0, 20000, 60000});
    info.launches.launch_threads = one_of<std::optional<int>>(random, {std::nullopt, 32, 512});
    return kernel;
}

const char* const limits =
    "[defaults]\nmax_registers = 63\nmax_spill_bytes = 100\nmax_stack_bytes = 303\nmax_static_shared = 4096\n"
    "max_code_bytes = 1024\nmin_blocks_per_sm = 4\nmin_occupancy = 0.5\nrequire_launch_bounds = true\n";

const char* const figures =
    "launchbox.baseline/1\nsm_90 regs=63 spills=60/40 stack=0/303 shared=4096 resident=4x256 k(int)\n";

check_result checked(const std::vector<checked_kernel>& found)
{
    check_result result;
    result.kernels = one_of_each(found);
    check_budget(parse_budget(limits, "b.toml").value, result);
    compare_baseline(parse_baseline(figures, "b").value, {}, result);
    return result;
}

// A finding as one line.
std::string said_of(const check_finding& finding)
{
    return finding.check + " " + std::to_string(static_cast<int>(finding.status)) + " " + finding.shown_value + " " +
           finding.message + "\n";
}

// What a check has to report of several copies: the worst of its reports of each.
struct verdicts {
    std::vector<const check_finding*> of_one;  // by copy; null if the check passes
    [[nodiscard]] std::optional<check_status> worst() const
    {
        bool unknown = false, holds = false;
        for (const check_finding* finding : of_one) {
            if (finding == nullptr)
                holds = true;
            else if (finding->status == check_status::broken)
                return check_status::broken;
            else
                unknown |= finding->status == check_status::unknown;
        }
        if (unknown) return check_status::unknown;
        return holds ? std::nullopt : std::optional(check_status::better);
    }
};

TEST(copies, are_judged_by_the_worst_in_any_order)
{
    std::mt19937 random(39);
    for (int repeat = 0; repeat < 100; ++repeat) {
        std::vector<checked_kernel> found;
        for (int i = 0; i < 3; ++i) found.push_back(random_copy(random));
        const check_result together = checked(found);
        ASSERT_EQ(together.kernels.size(), 1u);

        std::vector<check_result> alone;
        for (const checked_kernel& kernel : found) alone.push_back(checked({kernel}));
        std::vector<std::string> names(budget_limit_names.begin(), budget_limit_names.end());
        for (const char* name : {"baseline_registers", "baseline_spill_bytes", "baseline_stack_bytes",
                                 "baseline_static_shared", "baseline_resident_threads"})
            names.emplace_back(name);
        const auto of_check = [](const check_result& result, const std::string& name) {
            const auto place = std::ranges::find(result.findings, name, &check_finding::check);
            return place == result.findings.end() ? nullptr : &*place;
        };
        for (const std::string& name : names) {
            verdicts single;
            for (const check_result& result : alone) single.of_one.push_back(of_check(result, name));
            const check_finding* merged = of_check(together, name);
            const auto status = merged == nullptr ? std::nullopt : std::optional(merged->status);
            ASSERT_EQ(status, single.worst()) << repeat << ' ' << name;
            if (status != check_status::broken) continue;
            // The reported figure belongs to one of the copies, and none is worse.
            const bool least = name.starts_with("min_") || name == "baseline_resident_threads";
            std::optional<double> worst;
            for (const check_finding* one : single.of_one)
                if (one != nullptr && one->value && one->status == check_status::broken &&
                    (!worst || (least ? *one->value < *worst : *one->value > *worst)))
                    worst = one->value;
            EXPECT_EQ(merged->value, worst) << repeat << ' ' << name;
        }

        std::string text, line;
        for (const check_finding& finding : together.findings) text += said_of(finding);
        line = baseline_text({entry_of(together.kernels[0])});
        std::vector<std::size_t> order{0, 1, 2};
        while (std::ranges::next_permutation(order).found) {
            const check_result other = checked({found[order[0]], found[order[1]], found[order[2]]});
            std::string other_text;
            for (const check_finding& finding : other.findings) other_text += said_of(finding);
            ASSERT_EQ(other_text, text) << repeat;
            ASSERT_EQ(baseline_text({entry_of(other.kernels[0])}), line) << repeat;
        }
    }
}

// With unknown = "allow", an unknown copy used to hide the one that fails.
TEST(copies, an_unknown_copy_does_not_hide_one_that_fails)
{
    checked_kernel one = plain_kernel("k(int)"), two = one;
    one.info.figures.registers = 200;
    two.info.figures.registers.reset();
    two.info.source.file = "b.cu";
    for (const auto& found : {std::vector{one, two}, std::vector{two, one}}) {
        check_result result;
        result.kernels = one_of_each(found);
        check_budget(parse_budget("unknown = 'allow'\n[defaults]\nmax_registers = 64\n", "b.toml").value, result);
        EXPECT_EQ(findings_of(result), "k sm_90 max_registers broken\n");
        EXPECT_EQ(result.findings[0].message, "200 registers, at most 64 allowed, in a.cu, one of 2 copies");
        result = {};
        result.kernels = one_of_each(found);
        compare_baseline(
            parse_baseline("launchbox.baseline/1\nsm_90 regs=64 spills=0/0 stack=0 shared=0 resident=? k(int)\n", "b")
                .value,
            {.unknown_fails = false}, result);
        EXPECT_EQ(findings_of(result), "k sm_90 baseline_registers broken\n");
    }
}

// The symbols of copies can differ, as with internal linkage.
TEST(copies, a_rule_matches_the_symbol_of_any_copy)
{
    checked_kernel one = plain_kernel("k(int)"), two = one;
    one.info.name = "_Z1ki.one";
    two.info.name = "_Z1ki.two";
    for (const auto& found : {std::vector{one, two}, std::vector{two, one}})
        for (const char* pattern : {"*.one", "*.two"}) {
            check_result result;
            result.kernels = one_of_each(found);
            check_budget(
                parse_budget(std::string("[[rule]]\nkernel = '") + pattern + "'\nmax_registers = 1\n", "b.toml").value,
                result);
            EXPECT_EQ(result.findings.size(), 1u) << pattern;
        }
}

TEST(copies, each_copy_is_reported_with_its_file)
{
    checked_kernel one = plain_kernel("k(int)"), two = one;
    two.info.source.file = "b.cu";
    two.info.figures.registers = 99;
    const std::vector<checked_kernel> merged = one_of_each({one, two});
    ASSERT_EQ(merged.size(), 1u);
    const worst_figure registers = worst_registers(merged[0]);
    EXPECT_EQ(merged[0].copy(registers.copy).info.source.file, "b.cu");
    EXPECT_EQ(place_of_copy(merged[0], registers.copy), ", in b.cu, one of 2 copies");
    EXPECT_EQ(place_of_copy(plain_kernel("k(int)"), 0), "");
    two.info.source = {"a.cu", "nvcc", "command 2"};
    EXPECT_EQ(place_of_copy(one_of_each({one, two})[0], 1), ", in nvcc, command 2, one of 2 copies");
}

}  // namespace
}  // namespace launchbox
