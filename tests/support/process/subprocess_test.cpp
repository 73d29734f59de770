#include "support/process/subprocess.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "support/error.hpp"
#include "support/files/files.hpp"

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

TEST(subprocess, reports_a_signal_like_shells)
{
    EXPECT_EQ(run({"sh", "-c", "kill -9 $$"}).exit_code, 128 + 9);
}

TEST(subprocess, an_exit_status_is_distinguished_from_a_signal)
{
    const auto ended = [](const std::string& how) { return run({"sh", "-c", how}); };
    EXPECT_EQ(ended("kill -SEGV $$").signal, SIGSEGV);
    EXPECT_EQ(ending_of(ended("kill -SEGV $$")), "ended by signal 11");
    EXPECT_EQ(ended("exit 139").signal, 0);
    // A shell reports the signal of its child as an exit status.
    EXPECT_EQ(ending_of(ended("sh -c 'kill -SEGV $$'; exit $?")), "ended by signal 11");
    for (const char* status : {"1", "128", "160", "200", "254", "255"}) {
        EXPECT_EQ(deadly_signal(ended(std::string("exit ") + status)), 0);
        EXPECT_EQ(ending_of(ended(std::string("exit ") + status)), std::string("ended with exit status ") + status);
    }
}

TEST(subprocess, sets_the_folder_and_the_environment)
{
    EXPECT_EQ(run({"sh", "-c", "pwd; echo $LAUNCHBOX_A"}, {.directory = "/", .environment = {"LAUNCHBOX_A=1"}}).output,
              "/\n1\n");
}

TEST(subprocess, drops_output_above_the_limit_and_still_waits)
{
    const subprocess_result result =
        run({"sh", "-c", "head -c 300000 /dev/zero; exit 3"}, {.directory = {}, .environment = {}, .output_cap = 1000});
    EXPECT_EQ(result.output.size(), 1000u);
    EXPECT_EQ(result.exit_code, 3);
}

// Nothing here measures time: without the limit none of these would end during a test run.
TEST(subprocess, a_program_above_its_time_limit_is_ended_with_its_children)
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

// A daemon that keeps the output open is not waited for, and does not survive, although setsid takes it out of the
// group.
TEST(subprocess, background_processes_of_a_program_are_ended_and_not_waited_for)
{
    const temporary_directory folder;
    const std::string pid_file = (folder.path() / "pid").string();
    for (const char* leave :
         {"setsid sh -c 'echo $$ >%; sleep 100000' & while [ ! -s % ]; do :; done",
          "sh -c 'setsid sh -c \"echo \\$\\$ >%; sleep 100000; :\" & ' ; while [ ! -s % ]; do :; done",
          "sh -c 'echo $$ >%; exec sleep 100000' & while [ ! -s % ]; do :; done"}) {
        std::string script = std::string("echo started; ") + leave + "; exit 3";
        for (std::size_t at = script.find('%'); at != std::string::npos; at = script.find('%'))
            script.replace(at, 1, pid_file);
        std::filesystem::remove(pid_file);
        const subprocess_result result =
            run({"sh", "-c", script}, {.directory = {}, .environment = {}, .time_limit = 1000});
        EXPECT_EQ(result.exit_code, 3) << leave;
        EXPECT_FALSE(result.timed_out) << leave;
        EXPECT_EQ(result.output, "started\n");
        const pid_t left = std::stoi(read_input(pid_file));
        EXPECT_NE(::kill(left, 0), 0) << leave << ": it is still there";
    }
}

// The forked copy runs a long command and is killed: the command must not outlive it.
TEST(subprocess, a_program_does_not_outlive_us)
{
    const temporary_directory folder;
    const std::string pid_file = (folder.path() / "pid").string();
    const pid_t starter = ::fork();
    if (starter == 0) {
        static_cast<void>(run(
            {"sh", "-c", "echo $$ >" + pid_file + ".new; mv " + pid_file + ".new " + pid_file + "; exec sleep 100000"},
            {.directory = {}, .environment = {}, .time_limit = 1000}));
        ::_exit(0);
    }
    while (!std::filesystem::exists(pid_file)) ::usleep(1000);
    const pid_t program = std::stoi(read_input(pid_file));
    ::kill(starter, SIGKILL);
    ::waitpid(starter, nullptr, 0);
    // It becomes our child or init's, and soon ends; if it does not, this test does not end.
    while (::kill(program, 0) == 0) {
        ::waitpid(program, nullptr, WNOHANG);
        ::usleep(1000);
    }
    EXPECT_NE(::kill(program, 0), 0);
}

// Nor may the processes that the program starts, in its group and as a daemon, with and without a time limit.
TEST(subprocess, processes_started_by_a_program_do_not_outlive_us)
{
    for (const double limit : {0.0, 1000.0}) {
        const temporary_directory folder;
        const std::string first = (folder.path() / "first").string(), second = (folder.path() / "second").string();
        const pid_t starter = ::fork();
        if (starter == 0) {
            const std::string tell = "echo $$ >$0.new; mv $0.new $0; exec sleep 100000";
            static_cast<void>(run(
                {"sh", "-c", "sh -c '" + tell + "' " + first + " & setsid sh -c '" + tell + "' " + second + " & wait"},
                {.directory = {}, .environment = {}, .time_limit = limit}));
            ::_exit(0);
        }
        while (!std::filesystem::exists(first) || !std::filesystem::exists(second)) ::usleep(1000);
        ::kill(starter, SIGKILL);
        ::waitpid(starter, nullptr, 0);
        for (const std::string& file : {first, second}) {
            const pid_t left = std::stoi(read_input(file));
            while (::kill(left, 0) == 0) {
                ::waitpid(left, nullptr, WNOHANG);
                ::usleep(1000);
            }
            EXPECT_NE(::kill(left, 0), 0);
        }
    }
}

TEST(subprocess, an_unusable_folder_or_program_is_reported)
{
    EXPECT_THROW(run({"sh", "-c", "true"}, {.directory = "/no/such/folder", .environment = {}}), error);
    EXPECT_THROW(run({"/etc/passwd"}), error);
    EXPECT_GE(run({"true"}).seconds, 0);
}

TEST(subprocess, a_program_that_does_not_exist_is_missing)
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
