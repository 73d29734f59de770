#include "support/process/subprocess.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"

namespace launchbox {
namespace {

TEST(subprocess, collects_both_streams_and_the_exit_code)
{
    const subprocess_result result = run({"sh", "-c", "echo out; echo err >&2; exit 7"});
    EXPECT_EQ(result.output, "out\nerr\n");
    EXPECT_EQ(result.exit_code, 7);
}

TEST(subprocess, passes_arguments_without_a_shell)
{
    EXPECT_EQ(run({"printf", "%s|", "a b", "$HOME", "`id`", "*"}).output, "a b|$HOME|`id`|*|");
}

TEST(subprocess, reports_a_signal_as_shells_do)
{
    EXPECT_EQ(run({"sh", "-c", "kill -9 $$"}).exit_code, 128 + 9);
}

TEST(subprocess, sets_the_folder_and_the_environment)
{
    EXPECT_EQ(run({"sh", "-c", "pwd; echo $LAUNCHBOX_A"}, {.directory = "/", .environment = {"LAUNCHBOX_A=1"}}).output,
              "/\n1\n");
}

TEST(subprocess, drops_what_is_over_the_cap_and_still_waits)
{
    const subprocess_result result =
        run({"sh", "-c", "head -c 300000 /dev/zero; exit 3"}, {.directory = {}, .environment = {}, .output_cap = 1000});
    EXPECT_EQ(result.output.size(), 1000u);
    EXPECT_EQ(result.exit_code, 3);
}

// Nothing here measures time: without the limit each of these would not end in the life of a test run.
TEST(subprocess, a_program_over_its_time_is_ended_with_its_children)
{
    for (const char* script :
         {"echo started; sleep 100000", "echo started; sleep 100000 & sleep 100000 & wait",
          "echo started; exec >&- 2>&-; sleep 100000", "echo started; trap '' TERM INT; sleep 100000"}) {
        const subprocess_result result =
            run({"sh", "-c", script}, {.directory = {}, .environment = {}, .time_limit = 0.3});
        EXPECT_TRUE(result.timed_out) << script;
        EXPECT_EQ(result.exit_code, 128 + 9) << script;
        EXPECT_EQ(result.output, "started\n") << script;
    }
    const subprocess_result quick =
        run({"sh", "-c", "echo done; exit 4"}, {.directory = {}, .environment = {}, .time_limit = 1000});
    EXPECT_FALSE(quick.timed_out);
    EXPECT_EQ(quick.exit_code, 4);
    EXPECT_EQ(quick.output, "done\n");
}

TEST(subprocess, a_program_that_is_not_there_is_missing)
{
    try {
        run({"launchbox-no-such-program"});
        FAIL();
    } catch (const error& failure) {
        EXPECT_EQ(failure.status(), exit_status::missing);
        EXPECT_NE(std::string(failure.what()).find("launchbox-no-such-program"), std::string::npos);
    }
    EXPECT_TRUE(find_in_path("launchbox-no-such-program").empty());
    EXPECT_FALSE(find_in_path("sh").empty());
}

}  // namespace
}  // namespace launchbox
