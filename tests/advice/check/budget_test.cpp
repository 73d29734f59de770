// Which limit applies to which kernel, and whether it is kept.
#include "advice/check/budget.hpp"

#include <gtest/gtest.h>

#include <launchbox/occupancy.hpp>

#include "advice/check/budget_file.hpp"
#include "checked_kernels.hpp"

namespace launchbox {
namespace {

check_result checked(const std::string& text, std::vector<checked_kernel> kernels)
{
    const budget_reading reading = parse_budget(text, "b.toml");
    for (const file_error& error : reading.errors) ADD_FAILURE() << error.line << ": " << error.what;
    check_result result;
    result.kernels = std::move(kernels);
    check_budget(reading.value, result);
    return result;
}

std::string found(const std::string& text, std::vector<checked_kernel> kernels)
{
    return findings_of(checked(text, std::move(kernels)));
}

checked_kernel with(void (*change)(kernel_info&), const std::string& architecture = "sm_90")
{
    checked_kernel kernel = plain_kernel("k(int)", architecture);
    change(kernel.info);
    return kernel;
}

TEST(budget, a_limit_includes_its_value)
{
    const std::vector<checked_kernel> kernels{plain_kernel("k(int)")};
    EXPECT_EQ(found("[defaults]\nmax_registers = 32", kernels), "");
    EXPECT_EQ(found("[defaults]\nmax_registers = 31", kernels), "k sm_90 max_registers broken\n");
    EXPECT_EQ(found("[defaults]\nmax_code_bytes = 1024", kernels), "");
    EXPECT_EQ(found("[defaults]\nmax_code_bytes = 1023", kernels), "k sm_90 max_code_bytes broken\n");
    const checked_kernel heavy = with([](kernel_info& info) {
        info.figures.spill_store_bytes = 4;
        info.figures.spill_load_bytes = 8;
        info.figures.stack_frame_bytes = 16;
        info.figures.static_shared_bytes = 2048;
    });
    EXPECT_EQ(found("[defaults]\nmax_spill_bytes = 12\nmax_stack_bytes = 16\nmax_static_shared = 2048", {heavy}), "");
    const check_result result =
        checked("[defaults]\nmax_spill_bytes = 11\nmax_stack_bytes = 15\nmax_static_shared = 2047", {heavy});
    EXPECT_EQ(findings_of(result),
              "k sm_90 max_spill_bytes broken\nk sm_90 max_stack_bytes broken\nk sm_90 max_static_shared broken\n");
    EXPECT_EQ(result.findings[0].message, "12 B of spills (4 stored, 8 loaded), at most 11 B allowed");
    EXPECT_EQ(result.findings[0].set_by, (file_line{"b.toml", 2}));
    EXPECT_EQ(result.findings[2].set_by, (file_line{"b.toml", 4}));
    EXPECT_EQ(result.findings[1].value, 16);
    EXPECT_EQ(result.findings[1].limit, 15);
    EXPECT_EQ(result.checks, 3u);
    EXPECT_TRUE(result.failed());
}

TEST(budget, residency_comes_from_the_model)
{
    const checked_kernel kernel =
        with([](kernel_info& info) { info.figures.registers = 64; });  // 4 blocks of 256 on sm_90
    ASSERT_EQ(resident_blocks(sm_90, {.registers = 64}, {.threads = 256}), 4);
    EXPECT_EQ(found("[defaults]\nmin_blocks_per_sm = 4\nmin_occupancy = 0.5", {kernel}), "");
    const check_result result = checked("[defaults]\nmin_blocks_per_sm = 5\nmin_occupancy = 0.51", {kernel});
    EXPECT_EQ(findings_of(result), "k sm_90 min_blocks_per_sm broken\nk sm_90 min_occupancy broken\n");
    EXPECT_EQ(result.findings[0].message, "4 resident blocks of 256 threads, at least 5 wanted");
    EXPECT_EQ(result.findings[1].message, "50 % occupancy with 256 threads, at least 51 % wanted");
    // Threads and dynamic shared memory of the rule take precedence over the launch bound.
    EXPECT_EQ(found("[defaults]\nthreads = 128\nmin_blocks_per_sm = 8", {kernel}), "");
    EXPECT_EQ(found("[defaults]\nthreads = 128\ndynamic_shared = 100_000\nmin_blocks_per_sm = 2", {kernel}), "");
    EXPECT_EQ(found("[defaults]\nthreads = 128\ndynamic_shared = 100_000\nmin_blocks_per_sm = 3", {kernel}),
              "k sm_90 min_blocks_per_sm broken\n");
    const check_result never = checked("[defaults]\nthreads = 512\nmin_blocks_per_sm = 1", {kernel});
    ASSERT_EQ(never.findings.size(), 1u);
    EXPECT_NE(never.findings[0].message.find("launch bound of 256"), std::string::npos) << never.findings[0].message;
}

TEST(budget, the_last_rule_that_sets_a_key_decides)
{
    const std::vector<checked_kernel> kernels{plain_kernel("a(int)"), plain_kernel("ab(int)")};
    const std::string text = "[defaults]\nmax_registers = 16\n[[rule]]\nkernel = 'a*'\nmax_registers = 40\n";
    EXPECT_EQ(found(text, kernels), "");
    EXPECT_EQ(found(text + "[[rule]]\nkernel = 'ab'\nmax_registers = 31\n", kernels),
              "ab sm_90 max_registers broken\n");
    EXPECT_EQ(found(text + "[[rule]]\nkernel = 'ab'\nmax_code_bytes = 1\n", kernels),
              "ab sm_90 max_code_bytes broken\n");
    // [defaults] applies first, wherever it is in the file.
    EXPECT_EQ(found("[[rule]]\nkernel = 'a'\nmax_registers = 40\n[defaults]\nmax_registers = 16\n", kernels),
              "ab sm_90 max_registers broken\n");
}

TEST(budget, a_kernel_can_be_exempted)
{
    const std::vector<checked_kernel> kernels{plain_kernel("a(int)"), plain_kernel("b(int)")};
    const std::string strict = "[defaults]\nmax_registers = 1\nmax_code_bytes = 1\n";
    EXPECT_EQ(found(strict + "[[rule]]\nkernel = 'a'\nexempt = true\n", kernels),
              "b sm_90 max_registers broken\nb sm_90 max_code_bytes broken\n");
    EXPECT_EQ(found(strict + "[[rule]]\nkernel = 'a'\nmax_registers = 'any'\n", {kernels[0]}),
              "a sm_90 max_code_bytes broken\n");
    EXPECT_EQ(found(strict + "[[rule]]\nexempt = true\nmax_registers = 2\n", {kernels[0]}),
              "a sm_90 max_registers broken\n");
}

TEST(budget, patterns_match_each_name)
{
    checked_kernel kernel = plain_kernel("k(int)");
    kernel.info.name = "_Z5mergeIiEvPi";
    kernel.info.demangled = "void merge<int>(int*)";
    kernel.info.short_form = "merge<int>";
    for (const char* pattern : {"merge*", "merge<int>", "void merge<int>(int*)", "_Z5merge*", "*", "?erge<[i]nt>"})
        EXPECT_NE(found(std::string("[[rule]]\nmax_registers = 1\nkernel = '") + pattern + "'", {kernel}), "")
            << pattern;
    EXPECT_NE(found("[[rule]]\nmax_registers = 1\nkernel = ['x', 'merge*']", {kernel}), "");
    const check_result unused =
        checked("[[rule]]\nmax_registers = 1\nkernel = ['x', 'MERGE*']\narch='sm_90'", {kernel});
    EXPECT_EQ(findings_of(unused), "");
    ASSERT_EQ(unused.unused_rules.size(), 1u);
    EXPECT_EQ(unused.unused_rules[0].pattern, "x, MERGE* on sm_90");
    EXPECT_EQ(unused.unused_rules[0].place, (file_line{"b.toml", 1}));
    EXPECT_FALSE(unused.failed());
}

TEST(budget, unused_rules_fail_if_that_is_wanted)
{
    const std::string rule = "[[rule]]\nkernel = 'x'\nmax_registers = 1\n";
    EXPECT_TRUE(checked("unused = 'fail'\n" + rule, {plain_kernel("k(int)")}).failed());
    EXPECT_TRUE(checked("unused = 'allow'\n" + rule, {plain_kernel("k(int)")}).unused_rules.empty());
    EXPECT_TRUE(checked("unused = 'fail'\n[defaults]\n" + rule, {plain_kernel("x(int)")}).unused_rules.empty());
}

TEST(budget, an_architecture_includes_its_variants)
{
    const auto matches = [](const std::string& wanted, const std::string& is) {
        return !found("[[rule]]\nmax_registers = 1\narch = '" + wanted + "'", {plain_kernel("k(int)", is)}).empty();
    };
    EXPECT_TRUE(matches("sm_90", "sm_90"));
    EXPECT_TRUE(matches("sm_90", "sm_90a"));
    EXPECT_TRUE(matches("sm_100", "sm_100f"));
    EXPECT_TRUE(matches("9.0", "sm_90a"));
    EXPECT_TRUE(matches("sm_90a", "sm_90a"));
    EXPECT_FALSE(matches("sm_90a", "sm_90"));
    EXPECT_FALSE(matches("sm_100f", "sm_100a"));
    EXPECT_FALSE(matches("sm_80", "sm_90"));
    EXPECT_FALSE(matches("sm_80", "sm_86"));
    EXPECT_FALSE(matches("sm_90", "nonsense"));
}

TEST(budget, an_unknown_figure_neither_passes_nor_is_silent)
{
    const std::string all =
        "[defaults]\nmax_registers = 99\nmax_spill_bytes = 99\nmax_stack_bytes = 99\nmax_static_shared = 99\n"
        "max_code_bytes = 99\nmin_blocks_per_sm = 1\nmin_occupancy = 0.1\nrequire_launch_bounds = true\n";
    checked_kernel nothing{{}, "k"};
    nothing.info.name = nothing.info.demangled = nothing.info.short_form = "k";
    set_architecture(nothing.info, "sm_90");
    const check_result result = checked(all, {nothing});
    EXPECT_EQ(result.count(check_status::unknown), 8u) << findings_of(result);
    EXPECT_TRUE(result.failed());
    for (const check_finding& finding : result.findings) {
        EXPECT_FALSE(finding.value);
        EXPECT_EQ(finding.shown_value, "?");
        EXPECT_TRUE(finding.message.starts_with("cannot be checked: ")) << finding.message;
    }
    const check_result allowed = checked("unknown = 'allow'\n" + all, {nothing});
    EXPECT_EQ(allowed.findings.size(), 8u);
    EXPECT_FALSE(allowed.failed());
}

TEST(budget, the_reason_for_an_unknown_figure_is_given)
{
    const auto reason = [](const std::string& limit, const checked_kernel& kernel) {
        const check_result result = checked("[defaults]\n" + limit, {kernel});
        EXPECT_EQ(result.findings.size(), 1u);
        if (result.findings.empty()) return std::string();
        EXPECT_EQ(result.findings[0].status, check_status::unknown) << result.findings[0].message;
        return result.findings[0].message;
    };
    const auto has = [](const std::string& text, const std::string& words) {
        EXPECT_NE(text.find(words), std::string::npos) << text;
    };
    has(reason("min_blocks_per_sm = 1", with([](kernel_info& info) { info.bounds.max_threads.reset(); })),
        "add threads");
    has(reason("min_blocks_per_sm = 1", with([](kernel_info&) {}, "sm_999")), "no limits are known for sm_999");
    has(reason("min_blocks_per_sm = 1", with([](kernel_info&) {}, "")), "its architecture is not known");
    has(reason("max_spill_bytes = 1", with([](kernel_info& info) {
                   info.linked = true;
                   info.figures.spill_load_bytes.reset();
               })),
        "nvlink does not print spills");
    has(reason("max_stack_bytes = 9", with([](kernel_info& info) { info.figures.stack_unbounded = true; })),
        "recursion");
    has(reason("min_blocks_per_sm = 1", with([](kernel_info& info) { info.figures.static_shared_bytes.reset(); })),
        "shared");
    has(reason("require_launch_bounds = true", with([](kernel_info& info) {
                   info.bounds.max_threads.reset();
                   info.bounds.register_cap.reset();
               })),
        "logs never do");
}

// A known part is enough if it already breaks the limit, or if the limit holds whatever the rest is.
TEST(budget, a_partly_known_figure_is_enough_if_it_decides)
{
    const checked_kernel no_shared = with([](kernel_info& info) { info.figures.static_shared_bytes.reset(); });
    EXPECT_EQ(found("[defaults]\nmin_blocks_per_sm = 9", {no_shared}), "k sm_90 min_blocks_per_sm broken\n");
    const checked_kernel endless = with([](kernel_info& info) {
        info.figures.stack_unbounded = true;
        info.figures.stack_frame_bytes = 100;
    });
    EXPECT_EQ(found("[defaults]\nmax_stack_bytes = 99", {endless}), "k sm_90 max_stack_bytes broken\n");
    // 64 barriers on the SM, at most 16 per block: 4 blocks fit with any number of barriers.
    const checked_kernel no_barriers = with([](kernel_info& info) { info.figures.barriers.reset(); });
    EXPECT_EQ(found("[defaults]\nmin_blocks_per_sm = 4", {no_barriers}), "");
    EXPECT_EQ(found("[defaults]\nmin_blocks_per_sm = 5", {no_barriers}), "k sm_90 min_blocks_per_sm unknown\n");
}

TEST(budget, launch_bounds_can_be_required)
{
    const std::string text = "[defaults]\nrequire_launch_bounds = true";
    EXPECT_EQ(found(text, {plain_kernel("k(int)")}), "");
    EXPECT_EQ(found(text, {with([](kernel_info& info) { info.bounds.max_threads.reset(); })}),
              "k sm_90 require_launch_bounds broken\n");
    EXPECT_EQ(found("[defaults]\nrequire_launch_bounds = false\nmax_registers = 99",
                    {with([](kernel_info& info) { info.bounds.max_threads.reset(); })}),
              "");
}

TEST(budget, a_rule_for_an_architecture_may_apply_to_an_unknown_one)
{
    const checked_kernel kernel = with([](kernel_info&) {}, "");
    EXPECT_EQ(found("[[rule]]\narch = 'sm_80'\nmax_registers = 99", {kernel}), "k  max_registers unknown\n");
    EXPECT_EQ(found("[[rule]]\nmax_registers = 99", {kernel}), "");
    // An exemption that may not apply exempts nothing.
    EXPECT_EQ(found("[defaults]\nmax_registers = 1\n[[rule]]\narch = 'sm_80'\nexempt = true", {kernel}),
              "k  max_registers broken\n");
}

TEST(budget, spills_known_in_part_are_checked_as_far_as_possible)
{
    const checked_kernel cut = with([](kernel_info& info) {
        info.figures.spill_store_bytes.reset();
        info.figures.spill_load_bytes.reset();
        info.figures.spills_between = {.min_stores = 100, .max_stores = 1000, .min_loads = 10, .max_loads = 100};
    });
    const check_result broken = checked("[defaults]\nmax_spill_bytes = 109", {cut});
    EXPECT_EQ(findings_of(broken), "k sm_90 max_spill_bytes broken\n");
    EXPECT_EQ(broken.findings[0].message, "at least 110 B of spills (100 stored, 10 loaded), at most 109 B allowed");
    EXPECT_EQ(found("[defaults]\nmax_spill_bytes = 110", {cut}), "k sm_90 max_spill_bytes unknown\n");
    EXPECT_EQ(found("[defaults]\nmax_spill_bytes = 1099", {cut}), "k sm_90 max_spill_bytes unknown\n");
    EXPECT_EQ(found("[defaults]\nmax_spill_bytes = 1100", {cut}), "");
}

TEST(budget, the_stack_includes_called_functions)
{
    const checked_kernel caller = with([](kernel_info& info) {
        info.figures.stack_frame_bytes = 0;
        info.figures.cumulative_stack_bytes = 304;
    });
    EXPECT_EQ(found("[defaults]\nmax_stack_bytes = 303", {caller}), "k sm_90 max_stack_bytes broken\n");
    EXPECT_EQ(found("[defaults]\nmax_stack_bytes = 304", {caller}), "");
}

}  // namespace
}  // namespace launchbox
