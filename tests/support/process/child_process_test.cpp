#include "support/process/child_process.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "support/error.hpp"
#include "support/process/subprocess.hpp"
#include "support/process/worker_process.hpp"

namespace launchbox {
namespace {

std::string all_of(int end)
{
    std::string all;
    char piece[4096];
    for (ssize_t got = 0; (got = ::read(end, piece, sizeof(piece))) > 0;)
        all.append(piece, static_cast<std::size_t>(got));
    return all;
}

// The output of a shell that is started with these options.
std::string printed_by(const std::string& script, child_options options = {})
{
    child_pipe output;
    options.streams = {no_stream, output.write, our_stream};
    const started_child started = start_program({"sh", "-c", script}, options);
    EXPECT_EQ(started.failure, 0);
    ::close(std::exchange(output.write, -1));
    std::string all = all_of(output.read);
    wait_for_child(started.process);
    return all;
}

// Runs `body` in a process of its own and returns its result as the exit status: for changes that affect a whole
// process.
int exit_status_of(const std::function<int()>& body)
{
    return wait_for_child(start_copy({}, [&] { ::_exit(body()); }).process)->exit_code;
}

bool has_no_child()
{
    return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
}

TEST(child_process, is_started_with_the_options)
{
    EXPECT_EQ(printed_by("pwd", {.directory = "/"}), "/\n");
    EXPECT_EQ(printed_by("cat; echo $?"), "0\n");  // its standard input is empty
    ::setenv("LAUNCHBOX_A", "ours", 1);
    EXPECT_EQ(printed_by("env | grep ^LAUNCHBOX_A | sort", {.environment = {"LAUNCHBOX_A=1", "LAUNCHBOX_AB=2"}}),
              "LAUNCHBOX_A=1\nLAUNCHBOX_AB=2\n");
    EXPECT_EQ(printed_by("env | grep ^LAUNCHBOX_A | sort"), "LAUNCHBOX_A=ours\n");
    ::unsetenv("LAUNCHBOX_A");
    EXPECT_EQ(printed_by("test $NUMBER = $$ && echo same", {.number_variable = "NUMBER"}), "same\n");
    EXPECT_EQ(printed_by("ulimit -v", {.memory_limit = std::size_t{1} << 30}), "1048576\n");
    EXPECT_EQ(std::stoi(printed_by("nice", {.niceness = 3})), std::min(19, ::getpriority(PRIO_PROCESS, 0) + 3));
    const std::string group = "cut -d' ' -f5 /proc/$$/stat";
    EXPECT_EQ(printed_by("test $(" + group + ") = $$ && echo own", {.own_group = true}), "own\n");
    EXPECT_EQ(printed_by(group), std::to_string(::getpgrp()) + "\n");
}

TEST(child_process, handled_signals_are_default_in_it_and_ignored_ones_ignored)
{
    EXPECT_EQ(exit_status_of([] {
                  ::signal(SIGUSR1, [](int) {});
                  ::signal(SIGUSR2, SIG_IGN);
                  ::signal(SIGHUP, SIG_IGN);
                  const bool good =
                      printed_by("kill -USR2 $$; echo there") == "there\n" &&
                      printed_by("kill -HUP $$; echo there", {.signals = {{SIGHUP, SIG_DFL}}}).empty() &&
                      printed_by("kill -TERM $$; echo there", {.signals = {{SIGTERM, SIG_IGN}}}) == "there\n" &&
                      printed_by("kill -USR1 $$; echo there").empty();
                  return good ? 0 : 1;
              }),
              0);
}

TEST(child_process, blocks_the_signals_that_we_block_or_that_it_is_given)
{
    static volatile sig_atomic_t handled = 0;
    EXPECT_EQ(exit_status_of([] {
                  ::signal(SIGUSR1, [](int) { handled = ::getpid(); });
                  sigset_t usr1, before;
                  ::sigemptyset(&usr1);
                  ::sigaddset(&usr1, SIGUSR1);
                  ::sigprocmask(SIG_BLOCK, &usr1, &before);
                  ::raise(SIGUSR1);
                  const bool is_blocked = printed_by("kill -USR1 $$; echo there") == "there\n";
                  const bool is_open = printed_by("kill -USR1 $$; echo there", {.blocked = &before}).empty();
                  const bool not_yet = handled == 0;
                  ::sigprocmask(SIG_SETMASK, &before, nullptr);
                  return is_blocked && is_open && not_yet && handled == ::getpid() ? 0 : 1;
              }),
              0);
}

TEST(child_process, a_program_that_cannot_start_says_why_and_leaves_no_zombie)
{
    EXPECT_EQ(exit_status_of([] {
                  const bool said =
                      start_program({"/no/such/program"}, {}).failure == ENOENT &&
                      start_program({"no_such_program_at_all"}, {}).failure == ENOENT &&
                      start_program({"/etc/passwd"}, {}).failure == EACCES &&
                      start_program({"true"}, {.directory = "/no/such/folder"}).failure == ENOENT &&
                      start_program({"true"}, {.streams = {12345, our_stream, our_stream}}).failure == EBADF;
                  return said && has_no_child() ? 0 : 1;
              }),
              0);
}

// Pipes would otherwise get the numbers of the standard streams, and overwrite each other in the child.
TEST(child_process, streams_that_are_closed_here_still_work_in_the_child)
{
    for (int closed = 1; closed < 8; ++closed)
        EXPECT_EQ(exit_status_of([closed] {
                      for (int stream = 0; stream < 3; ++stream)
                          if ((closed >> stream & 1) != 0) ::close(stream);
                      if (run({"sh", "-c", "cat; echo out; echo err >&2"}).output != "out\nerr\n") return 1;
                      worker_process worker({"sh", "-c", "read line; echo \"$line back\"; echo why >&2; exit 3"});
                      if (!worker.send("said") || worker.receive(1000).line != "said back") return 2;
                      if (worker.receive(1000).what != worker_process::event::ended) return 3;
                      return worker.ending() == "exit status 3: why" ? 0 : 4;
                  }),
                  0)
            << closed;
}

TEST(child_process, its_ending_is_reported)
{
    const auto ended = [](const std::string& script) {
        return *wait_for_child(start_program({"sh", "-c", script}, {}).process);
    };
    EXPECT_EQ(ended("exit 7").exit_code, 7);
    EXPECT_EQ(ended("exit 7").signal, 0);
    EXPECT_EQ(ended("kill -KILL $$").exit_code, 128 + SIGKILL);
    EXPECT_EQ(ended("kill -KILL $$").signal, SIGKILL);
    EXPECT_GT(ended("true").peak_bytes, 0u);
    child_pipe input;
    const started_child waiting = start_program({"cat"}, {.streams = {input.read, our_stream, our_stream}});
    EXPECT_FALSE(wait_for_child(waiting.process, WNOHANG));
    ::close(std::exchange(input.write, -1));
    EXPECT_EQ(wait_for_child(waiting.process)->exit_code, 0);
    EXPECT_EQ(exit_status_of([] {
                  ::signal(SIGCHLD, SIG_IGN);
                  return wait_for_child(start_program({"false"}, {}).process)->exit_code;  // no SIGCHLD is delivered
              }),
              0);
}

TEST(child_process, a_forked_copy_never_returns_to_the_caller)
{
    EXPECT_EQ(wait_for_child(start_copy({}, [] {}).process)->exit_code, 0);
    const child_ending thrown = *wait_for_child(
        start_copy({.streams = {our_stream, no_stream, no_stream}}, [] { throw std::runtime_error("no"); }).process);
    EXPECT_NE(thrown.exit_code, 0);
}

TEST(worker_process, one_that_cannot_start_is_an_error_before_anything_is_sent)
{
    for (const char* program : {"/no/such/program", "no_such_program_at_all", "/etc/passwd", "/etc"}) try {
            worker_process worker({program});
            ADD_FAILURE() << program;
        } catch (const error& failure) {
            EXPECT_EQ(std::string(failure.what()), "cannot run " + std::string(program) + " as a worker");
        }
}

}  // namespace
}  // namespace launchbox
