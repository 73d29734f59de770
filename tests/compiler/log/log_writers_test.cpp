// Logs that several compilers write at the same time: the prefixes of build tools say which process wrote a line.
// Without prefixes, a figure is right or unknown, never that of another kernel.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "compiler/log/log_writer.hpp"
#include "compiler/log/resource_log.hpp"
#include "describe.hpp"

namespace launchbox {
namespace {

using line_list = std::vector<std::string>;

struct true_figures {
    int registers;
    std::int64_t stack, stores, loads;
};

const std::map<std::string, true_figures> figures_of_kernels{{"sharpen", {24, 0, 0, 0}},
                                                             {"sharpen2", {26, 8, 4, 4}},
                                                             {"relax", {128, 96, 88, 104}},
                                                             {"relax2", {255, 400, 300, 500}},
                                                             {"blur", {40, 16, 0, 0}}};

void add_report(line_list& lines, const std::string& name)
{
    const true_figures& is = figures_of_kernels.at(name);
    lines.insert(lines.end(),
                 {"ptxas info    : 0 bytes gmem", "ptxas info    : Compiling entry function '" + name + "' for 'sm_86'",
                  "ptxas info    : Function properties for " + name,
                  fmt::format("    {} bytes stack frame, {} bytes spill stores, {} bytes spill loads", is.stack,
                              is.stores, is.loads),
                  fmt::format("ptxas info    : Used {} registers, used 1 barriers, 364 bytes cmem[0]", is.registers),
                  "ptxas info    : Compile time = 3.100 ms"});
}

struct written_line {
    int writer, number;  ///< number of the writer, and of the line in the log, from 1
    bool same_as_last;   ///< the previous line has the same writer
    std::string text;
};

// The interleaved lines of several compilers, with the prefix that `in_front` gives each line.
std::string written_at_once(unsigned seed, const std::function<std::string(const written_line&)>& in_front)
{
    std::vector<line_list> writers(3);
    for (const char* name : {"sharpen", "sharpen2"}) add_report(writers[0], name);
    for (const char* name : {"relax", "relax2"}) add_report(writers[1], name);
    add_report(writers[2], "blur");
    std::mt19937 random(seed);
    std::string text;
    for (int number = 1, last = -1;; ++number) {
        std::vector<std::size_t> live;
        for (std::size_t i = 0; i < writers.size(); ++i)
            if (!writers[i].empty()) live.push_back(i);
        if (live.empty()) return text;
        const std::size_t i = live[random() % live.size()];
        const int writer = static_cast<int>(i) + 1;
        const std::string line = writers[i].front();
        writers[i].erase(writers[i].begin());
        text += in_front({writer, number, writer == last, line}) + line + '\n';
        last = writer;
    }
}

// Counts the unknown figures of the kernels; a wrong figure is a test failure.
int unknown_figures(const resource_log& log)
{
    int unknown = 0;
    for (const kernel_info& kernel : log.kernels) {
        const true_figures& is = figures_of_kernels.at(kernel.name);
        for (const auto& [found, right] :
             {std::pair<std::optional<std::int64_t>, std::int64_t>{kernel.figures.registers, is.registers},
              {kernel.figures.stack_frame_bytes, is.stack},
              {kernel.figures.spill_store_bytes, is.stores},
              {kernel.figures.spill_load_bytes, is.loads}}) {
            unknown += found ? 0 : 1;
            if (found) {
                EXPECT_EQ(*found, right) << kernel.name;
            }
        }
    }
    return unknown;
}

TEST(log_writers, a_prefix_says_who_wrote_a_line)
{
    const char* forms[] = {"{0}>",
                           "#{0} {1}.25 ",
                           "{0}: ",
                           "[{0}/5] ",
                           "trainer-{0}  | ",
                           "trainer-{0}  | 2026-01-05T12:00:{1:02}.125Z ",
                           "[1,{0}]<stderr>: ",
                           "[node0{0}:4711] ",
                           "job{0}\t",
                           "Nov 25 12:00:{1:02} host nvcc[10{0}]: ",
                           "[2026-01-05T12:00:{1:02}.125Z] [branch-{0}] ",
                           "packages/p{0} build: ",
                           "./a{0}+build | ",
                           "[pod/train-{0}/main] ",
                           "[crate{0} 0.1.0] ",
                           "12:00:{1:02}.125     {0}>",
                           "12.{0}: ",
                           "[sm_8{0}] ",
                           "\x1b[3{0}mservice-{0} |\x1b[0m ",
                           "zürich{0} | "};
    for (const char* form : forms) {
        for (unsigned seed = 0; seed < 4; ++seed) {
            const resource_log log =
                parse_resource_log(written_at_once(seed,
                                                   [&](const written_line& line) {
                                                       return fmt::format(fmt::runtime(form), line.writer, line.number);
                                                   }),
                                   "");
            EXPECT_EQ(log.kernels.size(), figures_of_kernels.size()) << form;
            EXPECT_EQ(unknown_figures(log), 0) << form;
            EXPECT_EQ(describe_all(log.diagnostics), std::vector<std::string>{}) << form;
        }
    }
}

TEST(log_writers, a_prefix_that_names_no_writer_is_not_used)
{
    // A number of a progress bar, the time, the same prefix for all, no prefix.
    for (const char* form : {"[{1}/99] ", "{1}.25 ", "12:00:{1:02} ", "[ 50%] ", "| ", ""}) {
        for (unsigned seed = 0; seed < 8; ++seed) {
            const resource_log log =
                parse_resource_log(written_at_once(seed,
                                                   [&](const written_line& line) {
                                                       return fmt::format(fmt::runtime(form), line.writer, line.number);
                                                   }),
                                   "");
            if (unknown_figures(log) > 0) {
                EXPECT_FALSE(log.diagnostics.empty()) << form;
            }
        }
    }
}

// Only some lines have a name: as MSBuild writes it where another node writes, in lines that begin with a tool's name,
// in those of one compiler, or in random ones.
TEST(log_writers, a_line_without_a_name_is_assigned_to_nobody)
{
    const std::function<bool(const written_line&)> rules[] = {
        [](const written_line& line) { return !line.same_as_last; },
        [](const written_line& line) { return line.text.starts_with("ptxas"); },
        [](const written_line& line) { return line.writer != 1; },
        [](const written_line& line) { return line.text.find("Compiling") == std::string::npos; },
        [](const written_line& line) { return line.text.find("Used") == std::string::npos; },
        [](const written_line& line) { return (line.number * 7919 + line.writer) % 4 != 0; }};
    for (const auto& is_named : rules) {
        for (unsigned seed = 0; seed < 24; ++seed) {
            const resource_log log = parse_resource_log(
                written_at_once(seed,
                                [&](const written_line& line) {
                                    return is_named(line) ? std::to_string(line.writer) + '>' : std::string("  ");
                                }),
                "");
            if (unknown_figures(log) > 0) {
                EXPECT_FALSE(log.diagnostics.empty());
            }
        }
    }
}

TEST(log_writers, a_log_before_and_after_interleaved_ones_is_read)
{
    line_list lines;
    add_report(lines, "blur");
    std::string plain;
    for (const std::string& line : lines) plain += line + '\n';
    std::string both = plain;
    line_list one, other;
    add_report(one, "sharpen");
    add_report(other, "relax");
    for (std::size_t i = 0; i < one.size(); ++i) both += "1>" + one[i] + "\n2>" + other[i] + '\n';
    const resource_log log = parse_resource_log(both + plain, "");
    EXPECT_EQ(log.kernels.size(), 4u);
    EXPECT_EQ(unknown_figures(log), 0);
    EXPECT_TRUE(log.diagnostics.empty());
}

TEST(log_writers, the_name_in_a_prefix_excludes_the_times)
{
    for (const auto& [prefix, name] :
         std::initializer_list<std::pair<const char*, const char*>>{{"1>", "1>"},
                                                                    {"12:34:56.789     1>", "1>"},
                                                                    {"#7 12.34 ", "#7"},
                                                                    {"trainer-1  | ", "trainer-1"},
                                                                    {"[2026-01-05T12:34:56.1Z] ", ""},
                                                                    {"", ""}})
        EXPECT_EQ(name_in_prefix(prefix).text, name) << prefix;
    EXPECT_TRUE(name_in_prefix("12.5 ").is_number);  // a version, or a time
}

}  // namespace
}  // namespace launchbox
