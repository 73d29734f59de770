// The baseline file, and which changes count as worse.
#include "advice/check/baseline.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "advice/check/baseline_changes.hpp"
#include "advice/check/compare_baseline.hpp"
#include "checked_kernels.hpp"

namespace launchbox {
namespace {

const std::string first_line = "launchbox.baseline/1\n";

std::string baseline_errors(const std::string& text)
{
    std::string told;
    for (const file_error& error : parse_baseline(text, "b").errors)
        told += std::to_string(error.line) + " " + error.what + "; " + error.hint + "\n";
    return told;
}

void expect_baseline_error(const std::string& text, const std::string& line, const std::string& words)
{
    const std::string told = baseline_errors(text);
    EXPECT_TRUE(told.starts_with(line + " ")) << told;
    EXPECT_NE(told.find(words), std::string::npos) << told;
}

std::string written_baseline(const std::vector<checked_kernel>& kernels)
{
    std::vector<baseline_entry> entries;
    for (const checked_kernel& kernel : kernels) entries.push_back(entry_of(kernel));
    return baseline_text(entries);
}

check_result compared(const std::vector<checked_kernel>& before, const std::vector<checked_kernel>& now,
                      const baseline_policy& policy = {})
{
    const baseline_reading reading = parse_baseline(written_baseline(before), "b");
    EXPECT_TRUE(reading.errors.empty());
    check_result result;
    result.kernels = now;
    compare_baseline(reading.value, policy, result);
    return result;
}

TEST(baseline, is_sorted_text_with_one_line_per_kernel)
{
    const std::vector<checked_kernel> kernels{plain_kernel("b(int)", "sm_100"), plain_kernel("b(int)", "sm_90a"),
                                              plain_kernel("a(int)", ""), plain_kernel("b(int)", "sm_90")};
    const std::string expected =
        first_line +
        "# Written by launchbox check --write-baseline. One line a kernel and architecture; ? is not known.\n"
        "? regs=32 spills=0/0 stack=0 shared=0 bounds=256 resident=? a(int)\n"
        "sm_90 regs=32 spills=0/0 stack=0 shared=0 bounds=256 resident=8x256 b(int)\n"
        "sm_90a regs=32 spills=0/0 stack=0 shared=0 bounds=256 resident=8x256 b(int)\n"
        "sm_100 regs=32 spills=0/0 stack=0 shared=0 bounds=256 resident=8x256 b(int)\n";
    EXPECT_EQ(written_baseline(kernels), expected);
    std::vector<checked_kernel> other(kernels.rbegin(), kernels.rend());
    EXPECT_EQ(written_baseline(other), expected);
}

TEST(baseline, every_name_is_one_line_and_is_read_back)
{
    for (const std::string& name :
         {std::string("k\n<<<<<<< x"), std::string("\r\n"), std::string("a\\x0ab"), std::string("\\"), std::string(),
          std::string("\\e"), std::string(" k "), std::string("\xff\xfe"), std::string("k\0x", 3),
          std::string("é\u2028x\u0085"), std::string("# comment"), std::string("=======")}) {
        checked_kernel kernel = plain_kernel("x");
        kernel.identity = name;
        const std::string text = written_baseline({kernel});
        EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
        for (char c : text) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
        const baseline_reading reading = parse_baseline(text, "b");
        ASSERT_TRUE(reading.errors.empty()) << reading.errors[0].what;
        ASSERT_EQ(reading.value.entries.size(), 1u);
        EXPECT_EQ(reading.value.entries[0].identity, name);
    }
}

TEST(baseline, any_architecture_is_written_as_one_word)
{
    for (const std::string& name : {std::string("a b"), std::string("# x"), std::string("<<<<<<< x"), std::string("?"),
                                    std::string("\\"), std::string("\n\0", 2)}) {
        const checked_kernel kernel = plain_kernel("k(int)", name);
        const baseline_reading reading = parse_baseline(written_baseline({kernel}), "b");
        ASSERT_EQ(reading.value.entries.size(), 1u) << name;
        EXPECT_EQ(reading.value.entries[0].architecture, name);
    }
}

TEST(baseline, a_checkout_with_other_line_ends_reads_the_same)
{
    std::string text = written_baseline({plain_kernel("a(int)"), plain_kernel("b(int)")}), windows;
    for (char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    EXPECT_EQ(parse_baseline(windows, "b").value.entries, parse_baseline(text, "b").value.entries);
    text.pop_back();
    EXPECT_EQ(parse_baseline(text, "b").value.entries.size(), 2u);
}

TEST(baseline, errors_name_the_line)
{
    expect_baseline_error("", "1", "this is not a baseline");
    expect_baseline_error("\n", "1", "this is not a baseline");
    expect_baseline_error("[defaults]\n", "1", "this is not a baseline");
    expect_baseline_error("launchbox.baseline/2\nwhatever\n", "1", "version \"2\" of baselines is not known");
    expect_baseline_error("launchbox.baseline/\n", "1", "version");
    const std::string good = "sm_90 regs=1 spills=0/0 stack=0 shared=0 resident=? f()\n";
    EXPECT_EQ(baseline_errors(first_line + good), "");
    expect_baseline_error(first_line + "\n" + good + good, "4", "the same kernel and architecture as in line 3");
    for (const char* marker : {"<<<<<<< HEAD", "=======", ">>>>>>> theirs", "||||||| base"})
        expect_baseline_error(first_line + good + marker + "\n", "3", "unresolved merge conflict");
    expect_baseline_error("<<<<<<< HEAD\n" + first_line, "1", "unresolved merge conflict");
    const auto line = [](const std::string& text) { return first_line + text + "\n"; };
    expect_baseline_error(line("sm_90"), "2", "the architecture is missing");
    expect_baseline_error(line("sm_90 regs=1"), "2", "regs is missing");
    expect_baseline_error(line("sm_90 stack=0 regs=1 x"), "2", "regs is missing");
    expect_baseline_error(line("sm_90 regs=1 spills=0 stack=0 shared=0 resident=? f()"), "2", "spills is \"0\"");
    expect_baseline_error(line("sm_90 regs=1 stack=0 shared=0 resident=? f()"), "2", "spills is missing");
    expect_baseline_error(line("sm_90 regs=1 spills=0/0 stack=0 shared=0 f()"), "2", "resident is missing");
    expect_baseline_error(line("sm_90 regs=1 spills=0/0 stack=0 shared=0 resident=3 f()"), "2", "resident is \"3\"");
    expect_baseline_error(line("sm_90 regs=1 spills=0/0 stack=0 shared=0 resident=?x4 f()"), "2", "resident is");
    expect_baseline_error(line("sm_90 regs=1 spills=0/0 stack=0 shared=0 resident=? "), "2", "name is missing");
    expect_baseline_error(line("sm_90 regs=1 spills=0/0 stack=0 shared=0 resident=? f\\q"), "2", "escape");
    expect_baseline_error(line("sm_90 regs=1 spills=0/0 stack=0 shared=0 resident=? f\\x1"), "2", "escape");
    for (const char* number : {"-1", "-0", "1.5", "x", "99999999999999999999", "1000000000001", "+1", "0x10"})
        expect_baseline_error(line(std::string("sm_90 regs=") + number + " spills=0/0 stack=0 shared=0 resident=? f()"),
                              "2", "regs is");
    std::string many = first_line;
    for (int i = 0; i < 1000; ++i) many += "bad\n";
    EXPECT_EQ(parse_baseline(many, "b").errors.size(), max_baseline_errors);
}

TEST(baseline, equal_kernels_have_no_finding)
{
    const std::vector<checked_kernel> kernels{plain_kernel("a(int)"), plain_kernel("b(int)", "sm_80")};
    const check_result result = compared(kernels, kernels);
    EXPECT_EQ(findings_of(result), "");
    EXPECT_FALSE(result.failed());
    EXPECT_TRUE(result.gone.empty() && result.new_kernels.empty());
    EXPECT_EQ(result.checks, 10u);
}

TEST(baseline, any_worse_figure_fails_and_a_better_one_does_not)
{
    struct change {
        const char* check;
        void (*worsen)(kernel_info&);
    };
    const checked_kernel before = plain_kernel("k(int)");
    for (const auto& [check, worsen] :
         {change{"baseline_registers", [](kernel_info& info) { info.figures.registers = 33; }},
          {"baseline_spill_bytes", [](kernel_info& info) { info.figures.spill_load_bytes = 4; }},
          {"baseline_stack_bytes", [](kernel_info& info) { info.figures.stack_frame_bytes = 8; }},
          {"baseline_static_shared", [](kernel_info& info) { info.figures.static_shared_bytes = 16; }}}) {
        checked_kernel worse = before;
        worsen(worse.info);
        const std::string name = std::string("k sm_90 ") + check;
        EXPECT_NE(findings_of(compared({before}, {worse})).find(name + " broken\n"), std::string::npos) << name;
        EXPECT_TRUE(compared({before}, {worse}).failed());
        EXPECT_NE(findings_of(compared({worse}, {before})).find(name + " better allowed\n"), std::string::npos) << name;
        EXPECT_FALSE(compared({worse}, {before}).failed());
    }
    checked_kernel fewer = before;
    fewer.info.bounds.max_threads = {128, 1, 1};
    fewer.info.figures.static_shared_bytes = 0;
    fewer.info.figures.registers = 32;
    EXPECT_EQ(findings_of(compared({before}, {fewer})), "");  // 8x256 and 16x128 are equally many threads
    fewer.info.bounds.max_threads = {1024, 1, 1};
    fewer.info.figures.registers = 32;
    EXPECT_EQ(findings_of(compared({before}, {fewer})), "");
    fewer.info.bounds.max_threads = {768, 1, 1};  // 2x768
    const check_result result = compared({before}, {fewer});
    EXPECT_EQ(findings_of(result), "k sm_90 baseline_resident_threads broken\n");
    EXPECT_EQ(result.findings[0].message, "resident blocks x threads: 8x256 in the baseline, 2x768 now");
    EXPECT_EQ(result.findings[0].set_by, (file_line{"b", 3}));
}

TEST(baseline, spills_are_stores_and_loads_together)
{
    checked_kernel before = plain_kernel("k(int)"), now = before;
    before.info.figures.spill_store_bytes = 8;
    before.info.figures.spill_load_bytes = 100;
    now.info.figures.spill_store_bytes = 16;
    now.info.figures.spill_load_bytes = 92;
    EXPECT_EQ(findings_of(compared({before}, {now})), "");
}

TEST(baseline, a_figure_that_became_unknown_is_reported)
{
    const checked_kernel before = plain_kernel("k(int)");
    checked_kernel now = before;
    now.info.figures.spill_store_bytes.reset();
    now.info.bounds.max_threads.reset();
    now.info.bounds.register_cap.reset();  // as in a log
    const check_result result = compared({before}, {now});
    EXPECT_EQ(findings_of(result), "k sm_90 baseline_spill_bytes unknown\nk sm_90 baseline_resident_threads unknown\n");
    EXPECT_TRUE(result.failed());
    EXPECT_FALSE(compared({before}, {now}, {.unknown_fails = false}).failed());
    EXPECT_EQ(findings_of(compared({now}, {before})),
              "k sm_90 baseline_spill_bytes better allowed\nk sm_90 baseline_resident_threads better allowed\n");
    EXPECT_EQ(findings_of(compared({now}, {now})), "");
}

checked_kernel bound_kernel(std::optional<int> threads, int cap, std::optional<int> min_blocks = {})
{
    checked_kernel kernel = plain_kernel("k(int)");
    kernel.info.bounds.max_threads.reset();
    if (threads) kernel.info.bounds.max_threads = {*threads, 1, 1};
    kernel.info.bounds.register_cap = cap;
    kernel.info.bounds.min_blocks = min_blocks;
    return kernel;
}

TEST(baseline, a_launch_bound_that_is_lost_or_ignored_is_worse)
{
    const auto lost = [](const checked_kernel& before, const checked_kernel& now) {
        const check_result result = compared({before}, {now});
        for (const check_finding& finding : result.findings)
            if (finding.check == "baseline_launch_bounds") return finding.message;
        return std::string();
    };
    const checked_kernel both = bound_kernel(256, 64, 4), first = bound_kernel(256, 255), none = bound_kernel({}, 255);
    EXPECT_NE(written_baseline({both}).find(" bounds=256/64 "), std::string::npos);
    EXPECT_NE(written_baseline({first}).find(" bounds=256 "), std::string::npos);
    EXPECT_EQ(written_baseline({none}).find("bounds="), std::string::npos);
    EXPECT_NE(written_baseline({bound_kernel({}, 40)}).find(" bounds=-/40 "), std::string::npos);
    EXPECT_EQ(lost(both, first), "launch bounds: 256 threads, 64 registers in the baseline, 256 threads now");
    EXPECT_EQ(lost(both, none), "launch bounds: 256 threads, 64 registers in the baseline, none now");
    EXPECT_EQ(lost(first, none), "launch bounds: 256 threads in the baseline, none now");
    EXPECT_EQ(lost(bound_kernel({}, 40), none), "launch bounds: 40 registers in the baseline, none now");
    // (1024, 4) is ignored: sm_90 has 64 warp slots. With 1,024 threads alone the cap is 64.
    EXPECT_EQ(lost(bound_kernel(1024, 32, 2), bound_kernel(1024, 64, 4)),
              "launch bounds: 1,024 threads, 32 registers in the baseline, 1,024 threads now; min_blocks 4 has no "
              "effect");
    EXPECT_EQ(lost(bound_kernel(1024, 64), bound_kernel(4096, 255)),
              "launch bounds: 1,024 threads in the baseline, none now; ptxas ignores a bound of 4,096 threads");
    // A bound that is new, replaced or unchanged.
    EXPECT_EQ(lost(none, both) + lost(first, both) + lost(both, both) + lost(both, bound_kernel(256, 80, 3)) +
                  lost(both, bound_kernel(512, 128)),
              "");
    checked_kernel copies = both;
    copies.others.push_back(first);
    EXPECT_NE(lost(both, copies), "");
    expect_baseline_error(first_line + "sm_90 regs=1 spills=0/0 stack=0 shared=0 bounds=- resident=? f()\n", "2",
                          "bounds is \"-\"");
    for (const char* wrong : {"x", "256/", "256/x", "/64", "?", "-1", "99999999999"})
        expect_baseline_error(
            first_line + "sm_90 regs=1 spills=0/0 stack=0 shared=0 bounds=" + wrong + " resident=? f()\n", "2",
            "bounds");
}

TEST(baseline, a_kernel_that_loses_an_architecture_is_worse_unless_other_code_runs_there)
{
    const auto fails = [](const std::string& before, const std::string& now) {
        const check_result result =
            compared({plain_kernel("k(int)", before), plain_kernel("k(int)", "sm_120")},
                     now.empty() ? std::vector{plain_kernel("k(int)", "sm_120")}
                                 : std::vector{plain_kernel("k(int)", now), plain_kernel("k(int)", "sm_120")});
        return result.failed();
    };
    EXPECT_TRUE(fails("sm_90", ""));
    EXPECT_TRUE(fails("sm_80", "sm_86"));
    EXPECT_TRUE(fails("sm_90a", "sm_80"));
    EXPECT_FALSE(fails("sm_86", "sm_80"));
    EXPECT_FALSE(fails("sm_90", "sm_90a"));
    EXPECT_FALSE(fails("sm_90a", "sm_90"));
}

// Otherwise a regression would look like one new kernel and one that is gone.
TEST(baseline, a_kernel_with_changed_parameters_is_matched_if_only_one_is_possible)
{
    const auto shown = [](const std::vector<std::string>& before, const std::vector<std::string>& now) {
        std::vector<checked_kernel> old_kernels, new_kernels;
        for (const std::string& name : before) old_kernels.push_back(plain_kernel(name));
        for (const std::string& name : now) new_kernels.push_back(plain_kernel(name));
        new_kernels.back().info.figures.registers = 40;
        const check_result result = compared(old_kernels, new_kernels);
        return std::to_string(result.renamed) + " " + std::to_string(result.new_kernels.size()) + " " +
               std::to_string(result.gone.size()) + (result.failed() ? " worse" : "");
    };
    EXPECT_EQ(shown({"f(int)"}, {"f(int, float*)"}), "1 0 0 worse");
    EXPECT_EQ(shown({"void f<int, 4>(int)"}, {"void f<int, 4>()"}), "1 0 0 worse");
    EXPECT_EQ(shown({"void f<int, 4>(int)"}, {"void f<int, 8>(int)"}), "0 1 1");
    EXPECT_EQ(shown({"f(int)", "f(long)"}, {"f(char)"}), "0 1 2");  // either could be it
    EXPECT_EQ(shown({"f(int)", "f(long)"}, {"f(int)", "f(char)"}), "1 0 0 worse");
    EXPECT_EQ(shown({"(anonymous namespace)::f(int) [a_cu]"}, {"(anonymous namespace)::f() [a_cu]"}), "1 0 0 worse");
    EXPECT_EQ(shown({"(anonymous namespace)::f(int) [a_cu]"}, {"(anonymous namespace)::f() [b_cu]"}), "0 1 1");
    EXPECT_EQ(shown({"(anonymous namespace)::f(int) [a_cu]"}, {"(anonymous namespace)::f(int) [b_cu]"}), "1 0 0 worse");
}

TEST(baseline, changes_are_sorted_by_what_costs_most)
{
    std::vector<checked_kernel> before, now;
    for (const char* name : {"a(int)", "b(int)", "c(int)", "d(int)", "e(int)"}) before.push_back(plain_kernel(name));
    now = before;
    now[0].info.figures.registers = 30;
    now[1].info.figures.registers = 33;
    now[2].info.figures.registers = 64;  // 4x256, before 8x256
    now[3].info.figures.spill_store_bytes = 8;
    now[4] = plain_kernel("f(int)");
    std::string text;
    for (const baseline_change& change : baseline_changes(compared(before, now))) {
        text += std::string(verdict_name(change.verdict)) + " " + change.architecture + ":";
        for (const changed_figure& figure : change.figures) text += " " + figure.shown_before + "/" + figure.shown_now;
        text += "\n";
    }
    EXPECT_EQ(text,
              "worse sm_90: 8x256 resident/4x256 resident 32 registers/64 registers\n"
              "worse sm_90: 8x256 resident/6x256 resident 32 registers/33 registers\n"
              "worse sm_90: 0 B spilled/8 B spilled\n"
              "new sm_90: /32 registers /8x256 resident\n"
              "better sm_90: 32 registers/30 registers\n"
              "gone sm_90: 32 registers/ 8x256 resident/\n");
    EXPECT_TRUE(baseline_changes(compared(before, before)).empty());
}

TEST(baseline, new_and_gone_kernels_are_reported_and_do_not_fail)
{
    const check_result result = compared({plain_kernel("a(int)"), plain_kernel("b(int)", "sm_80")},
                                         {plain_kernel("b(int)", "sm_80"), plain_kernel("c(int)", "sm_80")});
    ASSERT_EQ(result.new_kernels, (std::vector<std::size_t>{1}));
    ASSERT_EQ(result.gone.size(), 1u);
    EXPECT_EQ(result.gone[0].identity, "a(int)");
    EXPECT_EQ(result.gone[0].architecture, "sm_90");
    EXPECT_EQ(result.gone[0].place, (file_line{"b", 3}));
    EXPECT_FALSE(result.failed());
    const check_result one = compared(
        {plain_kernel("a(int)"), plain_kernel("a(int)", "sm_80")}, {},
        {.unknown_fails = true, .expected = [](const std::string& architecture) { return architecture == "sm_80"; }});
    ASSERT_EQ(one.gone.size(), 1u);
    EXPECT_EQ(one.gone[0].architecture, "sm_80");
}

TEST(baseline, the_stack_of_called_functions_is_kept_and_compared)
{
    checked_kernel before = plain_kernel("k(int)"), now = before;
    before.info.figures.stack_frame_bytes = 0;
    before.info.figures.cumulative_stack_bytes = 304;
    EXPECT_NE(written_baseline({before}).find(" stack=0/304 "), std::string::npos) << written_baseline({before});
    now.info.figures.stack_frame_bytes = 0;
    now.info.figures.cumulative_stack_bytes = 312;
    EXPECT_EQ(findings_of(compared({before}, {now})), "k sm_90 baseline_stack_bytes broken\n");
    EXPECT_EQ(findings_of(compared({now}, {before})), "k sm_90 baseline_stack_bytes better allowed\n");
    EXPECT_EQ(findings_of(compared({now}, {now})), "");
    expect_baseline_error(first_line + "sm_90 regs=1 spills=0/0 stack=1/x shared=0 resident=? f()\n", "2", "stack is");
}

TEST(baseline, spills_known_in_part_are_worse_if_that_part_is)
{
    checked_kernel before = plain_kernel("k(int)"), now = before;
    now.info.figures.spill_store_bytes.reset();
    now.info.figures.spill_load_bytes.reset();
    now.info.figures.spills_between = {.min_stores = 100, .max_stores = 1000, .min_loads = 10, .max_loads = 100};
    const check_result result = compared({before}, {now});
    EXPECT_EQ(findings_of(result), "k sm_90 baseline_spill_bytes broken\n");
    EXPECT_EQ(result.findings[0].shown_value, "at least 110 B");
    before.info.figures.spill_store_bytes = 200;
    EXPECT_EQ(findings_of(compared({before}, {now})), "k sm_90 baseline_spill_bytes unknown\n");
}

}  // namespace
}  // namespace launchbox
