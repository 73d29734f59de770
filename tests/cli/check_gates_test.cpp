// A check that compared nothing has not passed.
#include "tool.hpp"

#include <filesystem>

namespace launchbox {
namespace {

namespace fs = std::filesystem;

class check_gates : public testing::Test {
protected:
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    std::string file(const std::string& name, const std::string& text) const
    {
        write_file_atomically(folder_.path() / name, text);
        return path(name);
    }
    std::string budget(const std::string& text) const { return file("budget.toml", text); }

    // Expects status 2 and the reason in every format; 0 if that is asked for.
    void expect_idle(const std::vector<std::string>& options, const std::string& gate, const std::string& why) const
    {
        std::vector<std::string> words{"check", log_90};
        words.insert(words.end(), options.begin(), options.end());
        for (const char* format : {"table", "json", "csv", "markdown", "sarif", "junit", "github"}) {
            std::vector<std::string> call_words = words;
            call_words.insert(call_words.end(), {"--format", format});
            const call idle = launchbox_run(call_words, {}, {"COLUMNS=400"});
            EXPECT_EQ(idle.status, 2) << format << idle.out << idle.err;
            const std::string told = idle.out + idle.err;
            EXPECT_NE(told.find(fs::path(gate).filename().string() + ": nothing was checked: " + why),
                      std::string::npos)
                << format << '\n'
                << told;
            EXPECT_EQ(told.find("all checks passed"), std::string::npos) << told;
        }
        words.emplace_back("--allow-empty");
        const call allowed = launchbox_run(words, {}, {"COLUMNS=400"});
        EXPECT_EQ(allowed.status, 0) << allowed.out << allowed.err;
        EXPECT_TRUE(allowed.shows(why)) << allowed.out;
        EXPECT_FALSE(allowed.shows("all checks passed")) << allowed.out;
        words.back() = "--bisect";
        EXPECT_EQ(launchbox_run(words).status, 125);
    }

private:
    temporary_directory folder_;
};

TEST_F(check_gates, a_budget_that_decides_nothing_exits_with_2)
{
    const auto idle = [&](const std::string& text, const std::string& why) {
        SCOPED_TRACE(text);
        const std::string limits = budget(text);
        expect_idle({"--budget", limits}, limits, why);
    };
    idle("[[rule]]\nkernel = 'zzz'\nmax_registers = 1\n", "its rule matches none of these kernels");
    idle("unused = 'allow'\n[[rule]]\nkernel = 'zzz'\nmax_registers = 1\n[[rule]]\narch = 'sm_80'\nmax_registers = 1\n",
         "none of its 2 rules matches one of these kernels");
    idle("[defaults]\nmax_registers = 1\n[[rule]]\nexempt = true\n", "its rules leave these kernels without a limit");
    idle("[defaults]\nmax_registers = 1\n[[rule]]\nmax_registers = 'any'\n", "its rules leave these kernels");
    idle("[defaults]\nthreads = 128\n[[rule]]\nkernel = 'zzz'\nmax_registers = 1\n", "its rules leave these kernels");
    idle("unknown = 'allow'\n[defaults]\nmax_code_bytes = 1\nrequire_launch_bounds = true\n",
         "the figures that it limits are not known for these kernels");
    // No kernel counts as passed if none was checked.
    const call as_junit = launchbox_run(
        {"check", log_90, "--format", "junit", "--budget", budget("[[rule]]\nkernel = 'zzz'\nmax_registers = 1\n")});
    EXPECT_TRUE(as_junit.shows("name=\"nothing\" time=\"0\">\n      <skipped message=\"no limit")) << as_junit.out;
    EXPECT_TRUE(as_junit.shows(" skipped=\"8\"")) << as_junit.out;
    EXPECT_FALSE(as_junit.shows("time=\"0\"/>")) << as_junit.out;
    // With --kernel only that kernel counts.
    const std::string limits = budget("[[rule]]\nkernel = 'nothing'\nmax_registers = 255\n");
    EXPECT_EQ(launchbox_run({"check", log_90, "--budget", limits, "--kernel", "nothing"}).status, 0);
    EXPECT_EQ(launchbox_run({"check", log_90, "--budget", limits, "--kernel", "static_shared"}).status, 2);
    // Other failures are reported as such.
    EXPECT_EQ(launchbox_run({"check", log_90, "--budget",
                             budget("unused = 'fail'\n[[rule]]\nkernel = 'zzz'\nmax_registers = 1\n")})
                  .status,
              1);
    EXPECT_EQ(launchbox_run({"check", log_90, "--budget", budget("[defaults]\nmax_code_bytes = 1\n")}).status, 1);
}

TEST_F(check_gates, a_baseline_that_decides_nothing_exits_with_2)
{
    const std::string first = "launchbox.baseline/1\n";
    const auto idle = [&](const std::string& text, const std::string& why) {
        SCOPED_TRACE(text);
        const std::string kept = file("kept", text);
        expect_idle({"--baseline", kept}, kept, why);
    };
    const std::string none = " regs=? spills=?/? stack=? shared=? resident=? ";
    idle(first, "it has no entry");
    idle(first + "# comments alone\n\n", "it has no entry");
    idle(first + "sm_90 regs=1 spills=0/0 stack=0 shared=0 resident=? gone()\n",
         "none of its entries is for one of these kernels and its architecture");
    idle(first + "sm_80 regs=1 spills=0/0 stack=0 shared=0 resident=? nothing\n", "none of its entries is for one");
    idle(first + "sm_90" + none + "nothing\n", "no figure is known both in the baseline and now");
    // A figure that is only in the baseline fails, unless a budget allows unknown figures.
    const std::string resident =
        file("resident", first + "sm_90 regs=? spills=?/? stack=? shared=? resident=8x256 nothing\n");
    EXPECT_EQ(launchbox_run({"check", log_90, "--baseline", resident}).status, 1);
    EXPECT_EQ(launchbox_run({"check", log_90, "--baseline", resident, "--budget",
                             budget("unknown = 'allow'\n[defaults]\nmax_registers = 255\n")})
                  .status,
              2);
}

// Budget and baseline must each decide something.
TEST_F(check_gates, one_of_two_that_decides_nothing_exits_with_2)
{
    const std::string limits = budget("[defaults]\nmax_registers = 255\n"),
                      kept = file("kept", "launchbox.baseline/1\n");
    EXPECT_EQ(launchbox_run({"check", log_90, "--budget", limits}).status, 0);
    const call both = launchbox_run({"check", log_90, "--budget", limits, "--baseline", kept}, {}, {"COLUMNS=300"});
    EXPECT_EQ(both.status, 2);
    EXPECT_TRUE(both.shows("kept: nothing was checked: it has no entry")) << both.out;
    EXPECT_TRUE(both.shows("1 requested part not checked")) << both.out;
    EXPECT_EQ(launchbox_run({"check", log_90, "--stack-reserve", "1T", "--baseline", kept}).status, 2);
}

}  // namespace
}  // namespace launchbox
