#include "tune/bench/benchmark_race.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/files/files.hpp"

namespace launchbox {
namespace {

contestant script(const std::string& text)
{
    return {.command = {"sh", "-c", text}, .environment = {}};
}

TEST(benchmark_race, every_run_but_the_first_counts)
{
    const temporary_directory folder;
    const std::string count = (folder.path() / "count").string();
    // prints 1 ms, 2 ms, 3 ms, ...
    const contestant counting = script("echo x >> '" + count + "'; echo time: $(wc -l < '" + count + "') ms");
    const std::vector<race_result> results = run_race({counting}, {.runs = 4});
    ASSERT_EQ(results.size(), 1u);
    EXPECT_EQ(results[0].failure, "");
    EXPECT_EQ(results[0].times_ns, (std::vector<double>{2e6, 3e6, 4e6, 5e6}));
}

TEST(benchmark_race, contestants_take_turns_and_each_begins_a_round_once)
{
    const temporary_directory folder;
    const std::string order = (folder.path() / "order").string();
    std::vector<contestant> all;
    for (const char* name : {"a", "b", "c"}) {
        all.push_back(script("printf $NAME >> '" + order + "'; echo 1 ms"));
        all.back().environment = {std::string("NAME=") + name};
    }
    std::size_t calls = 0, last_total = 0;
    run_race(all, {.runs = 3}, [&](std::size_t done, std::size_t total) {
        EXPECT_EQ(done, ++calls);
        last_total = total;
    });
    EXPECT_EQ(calls, 12u);
    EXPECT_EQ(last_total, 12u);
    std::ifstream file(order);
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_EQ(text.str(), "abcbcacababc");
}

TEST(benchmark_race, one_that_fails_is_named_and_the_others_continue)
{
    const temporary_directory folder;
    const std::string marker = (folder.path() / "once").string();
    const std::vector<race_result> results =
        run_race({script("echo 5 ms"),
                  script("echo 'too many resources requested for launch'; exit 3"),
                  script("echo ready"),
                  script("kill -11 $$"),
                  {.command = {"/nowhere/bench"}, .environment = {}},
                  script("sleep 100000"),
                  script("test -e '" + marker + "' && exit 1; touch '" + marker + "'; echo 2 ms"),
                  script("true")},
                 {.runs = 2, .time_limit = 0.5});
    const char* failures[] = {"",
                              "ended with exit status 3: too many resources requested for launch",
                              "it prints no time; its last line is: ready",
                              "ended by signal 11",
                              "cannot run /nowhere/bench: No such file or directory",
                              "did not end within 0.5 s",
                              "ended with exit status 1",
                              "it prints no time; it prints nothing"};
    ASSERT_EQ(results.size(), std::size(failures));
    for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i].failure, failures[i]) << i;
    EXPECT_EQ(results[0].times_ns, (std::vector<double>{5e6, 5e6}));
}

TEST(benchmark_race, several_samples_of_a_run_are_merged_into_one_time)
{
    const std::vector<race_result> results = run_race({script(R"(echo '{"samples_ns": [1, 9, 2]}')")}, {.runs = 1});
    EXPECT_EQ(results[0].times_ns, std::vector<double>{2});
}

}  // namespace
}  // namespace launchbox
