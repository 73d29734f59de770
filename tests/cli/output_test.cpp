// Where output goes and how it looks: files, pipes, widths, locales.
#include "tool.hpp"

#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/process/subprocess.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

// The commands in the documentation. Those that need a compiler get a log instead.
std::vector<std::vector<std::string>> documented_calls()
{
    std::vector<std::vector<std::string>> calls{
        {"occupancy", "--arch", "sm_90", "--threads", "256", "--registers", "63", "--shared", "11264"},
        {"occupancy", "--arch", "sm_90", "-t", "256", "-r", "63", "--grid", "1000", "--sms", "132", "--cluster", "4"},
        {"occupancy", "--arch", "sm_37", "--threads", "64", "--registers", "129", "--mode", "spreadsheet"},
        {"occupancy", "--arch", "sm_90", "--threads", "288", "--registers", "224"},
        {"occupancy", "tests/data/logs/several_architectures.log", "--threads", "256"},
        {"suggest", "--arch", "sm_90", "--registers", "40", "--dynamic-shared", "4*threads"},
        {"suggest", "--arch", "all", "--registers", "64", "--ties", "smallest"},
        {"devices"},
        {"inspect", "tests/data/logs/several_architectures.log"},
        {"inspect", "tests/data/logs/basic_sm_90.log", "--threads", "256"},
        {"inspect", "tests/data/logs/compiled_and_linked.log", "--threads", "1024"},
        {"inspect", "tests/data/logs/spills.log", "--threads", "256"},
        {"check", "tests/data/logs/basic_sm_90.log", "--budget", "tests/fuzz/corpus/budget/everything.toml"},
        {"check", "tests/data/logs/spills.log", "--baseline", "tests/fuzz/corpus/baseline/basic_sm_90"},
    };
    return calls;
}

std::string words_of(const std::vector<std::string>& call)
{
    std::string text;
    for (const std::string& word : call) text += word + ' ';
    return text;
}

// Names and paths are one word: a line that is too long only because of one cannot be broken.
bool is_one_long_word(const std::string& line, int width)
{
    std::size_t start = line.find_first_not_of(' ');
    const std::size_t end = line.find(' ', start);
    return end == std::string::npos && display_width(line) > width;
}

void expect_to_fit(const std::vector<std::string>& words, int width)
{
    const call result = launchbox_run(words, {}, {"COLUMNS=" + std::to_string(width)});
    EXPECT_NE(result.out, "") << words_of(words);
    for (const std::string& line : lines_of(result.out)) {
        if (!is_one_long_word(line, width)) {
            EXPECT_LE(display_width(line), width) << words_of(words) << '\n' << line;
        }
    }
}

TEST(output, fits_the_width)
{
    for (const std::vector<std::string>& words : documented_calls())
        for (int width : {80, 100, 132}) expect_to_fit(words, width);
}

TEST(output, fits_80_columns_for_compiled_kernels)
{
    NEEDS_NVCC();
    expect_to_fit({"inspect", "examples/merge.cu", "--arch", "sm_80,sm_90,sm_120"}, 80);
    expect_to_fit({"occupancy", "examples/merge.cu", "--kernel", "merge*", "--arch", "sm_90", "--threads", "256"}, 80);
}

TEST(output, is_ascii_in_the_c_locale_and_fits)
{
    for (const std::vector<std::string>& words : documented_calls()) {
        const call result = launchbox_run(words, {}, {"LC_ALL=C", "COLUMNS=80"});
        for (char c : result.out + result.err) ASSERT_LT(static_cast<unsigned char>(c), 0x80) << words_of(words);
        for (const std::string& line : lines_of(result.out))
            if (!is_one_long_word(line, 80)) {
                EXPECT_LE(line.size(), 80u) << words_of(words) << '\n' << line;
            }
    }
    const call refused = launchbox_run({"inspect", "–é\x1b.log"}, {}, {"LC_ALL=C"});
    EXPECT_EQ(refused.status, 2);
    for (char c : refused.err) EXPECT_TRUE(static_cast<unsigned char>(c) < 0x80 && (c >= 0x20 || c == '\n'));
}

TEST(output, has_no_escape_sequences_in_a_pipe)
{
    for (std::vector<std::string> words : documented_calls()) {
        words.insert(words.begin(), LAUNCHBOX_TOOL);
        const subprocess_result piped =
            run(words, {.directory = LAUNCHBOX_SOURCE_DIR, .environment = {"TERM=xterm-256color"}});
        EXPECT_EQ(piped.output.find('\x1b'), std::string::npos) << words_of(words);
        EXPECT_EQ(piped.output.find("architectures,"), std::string::npos);  // no progress either
    }
}

// util-linux's `script` provides a terminal; without it the test is skipped.
TEST(output, has_colours_on_a_terminal_unless_no_color_is_set)
{
    if (find_in_path("script").empty() || run({"script", "-qec", "true", "/dev/null"}).exit_code != 0)
        GTEST_SKIP() << "no program script here, or no pseudo-terminals";
    const std::string command =
        std::string("'") + LAUNCHBOX_TOOL + "' occupancy --arch sm_90 --threads 256 --registers 63";
    const auto on_terminal = [&](const std::string& setting) {
        return run({"script", "-qec", command, "/dev/null"},
                   {.directory = {}, .environment = {"TERM=xterm", "COLUMNS=100", setting}})
            .output;
    };
    EXPECT_NE(on_terminal("NO_COLOR=").find("\x1b[1m"), std::string::npos);
    EXPECT_EQ(on_terminal("NO_COLOR=1").find("\x1b["), std::string::npos);
    EXPECT_EQ(on_terminal("TERM=dumb").find("\x1b["), std::string::npos);
}

TEST(output, progress_stays_on_one_line_of_the_terminal)
{
    if (find_in_path("script").empty() || run({"script", "-qec", "true", "/dev/null"}).exit_code != 0)
        GTEST_SKIP() << "no program script here, or no pseudo-terminals";
    const temporary_directory folder;
    std::ofstream(folder.path() / "x.toml") << R"(
[tunable]
name = "a_program_with_a_long_name_that_takes_a_part_of_the_line"
[parameters]
one = [1, 2, 3]
another = [4]
[[workload]]
n = 1000000
work = { elements = "n", bytes = "8 * n", flops = "2.0 * n" }
[program]
run = ["echo", '{{"samples_ns": [{one}00000, {one}00001, {one}00002]}}']
)";
    const std::string file = "'" + (folder.path() / "x.toml").string() + "'";
    const auto progress_on = [&](int columns) {
        const std::string command = "stty cols " + std::to_string(columns) + "; '" + LAUNCHBOX_TOOL + "' tune " + file +
                                    " --store '" + folder.path().string() + "/" + std::to_string(columns) +
                                    ".db' -o /dev/null";
        std::string output = run({"script", "-qec", command, "/dev/null"},
                                 {.directory = {}, .environment = {"LC_ALL=C.UTF-8"}})
                                 .output,
                    last;
        std::replace(output.begin(), output.end(), '\r', '\n');
        for (const std::string& line : lines_of(output))
            if (line.find("\x1b[K") != std::string::npos && line.find("/3 results") != std::string::npos) {
                last = line;
                EXPECT_LT(display_width(line), columns) << line;
            }
        return last;
    };
    const std::string wide = progress_on(300);
    EXPECT_NE(wide.find(" elements/s, "), std::string::npos) << wide;
    EXPECT_NE(wide.find(" GFLOP/s with one="), std::string::npos) << wide;
    EXPECT_NE(progress_on(80).find("…"), std::string::npos);
}

TEST(output, is_written_to_a_file_completely)
{
    const temporary_directory folder;
    const fs::path file = folder.path() / "report.json";
    const std::vector<std::string> words{"occupancy", "--arch", "sm_90", "--threads", "256", "--format", "json"};
    const call shown = launchbox_run(words);
    // Longer than its replacement.
    write_file_atomically(file, std::string(1'000'000, 'x') + "\nWritten by launchbox occupancy\n");
    std::vector<std::string> into_file = words;
    into_file.insert(into_file.end(), {"-o", file.string()});
    const call written = launchbox_run(into_file);
    EXPECT_EQ(written.status, 0);
    EXPECT_EQ(written.out, "");
    EXPECT_EQ(read_input(file.string()), shown.out);
    const auto entries = std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
    EXPECT_EQ(entries, 1);
}

TEST(output, a_file_that_cannot_be_written_is_unchanged)
{
    const temporary_directory folder;
    expect_refused(launchbox_run({"devices", "-o", (folder.path() / "no" / "such" / "file").string()}), "cannot write");
    EXPECT_TRUE(fs::is_empty(folder.path()));
    fs::create_directory(folder.path() / "inner");
    expect_refused(launchbox_run({"devices", "-o", (folder.path() / "inner").string()}), "cannot write");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);

    // A failing call does not touch the file of an earlier call.
    const fs::path file = folder.path() / "kept";
    write_file_atomically(file, "good");
    EXPECT_EQ(launchbox_run({"occupancy", "--arch", "sm_91", "--threads", "256", "-o", file.string()}).status, 2);
    EXPECT_EQ(launchbox_run({"inspect", "missing.log", "-o", file.string()}).status, 2);
    EXPECT_EQ(read_input(file.string()), "good");
}

// A run of hours would end with it.
TEST(output, a_file_that_cannot_be_written_is_refused_before_the_work)
{
    const temporary_directory folder;
    write_file_atomically(folder.path() / "file", "text");
    const auto tuned = [&](const fs::path& output) {
        return launchbox_run({"tune", "examples/block_sort/block_sort.toml", "--replay",
                              "measurements/nvidia-h200/tune_block_sort.json", "-o", output.string()});
    };
    expect_refused(tuned(folder.path() / "missing" / "x.txt"),
                   "No such file or directory\n  choose a folder that exists");
    expect_refused(tuned(folder.path() / "file" / "x.txt"), "Not a directory\n  choose a folder that exists");
    expect_refused(tuned(folder.path()), "it is a folder\n  name a file in it");
    EXPECT_TRUE(fs::is_regular_file(folder.path() / "file"));
}

TEST(output, dev_stdout_is_standard_output)
{
    const call result = launchbox_run({"devices", "--format", "csv", "-o", "/dev/stdout"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(fs::is_symlink("/dev/stdout"));
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(output, a_full_disk_is_an_error)
{
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full here";
    const subprocess_result full = run({"sh", "-c", "\"$0\" devices >/dev/full", LAUNCHBOX_TOOL});
    EXPECT_EQ(full.exit_code, 2);
    EXPECT_NE(full.output.find("cannot write to standard output"), std::string::npos);
}

TEST(output, a_closed_pipe_gives_no_error_message)
{
    const subprocess_result head = run(
        {"sh", "-c", "\"$0\" occupancy --arch all --threads 256 --curves --format json | head -n 1", LAUNCHBOX_TOOL});
    EXPECT_EQ(head.output, "{\n");
}

// The output of `launchbox arguments...` on a terminal of 100 columns and 12 rows, with its line ends.
std::string on_terminal(const std::vector<std::string>& arguments, const std::string& variable)
{
    winsize size{.ws_row = 12, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) {
        ::putenv(const_cast<char*>(variable.c_str()));
        ::setenv("TERM", "xterm", 1);
        ::setenv("NO_COLOR", "1", 1);
        std::vector<char*> words{const_cast<char*>(LAUNCHBOX_TOOL)};
        for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
        words.push_back(nullptr);
        ::execv(words[0], words.data());
        ::_exit(127);
    }
    std::string shown;
    std::array<char, 4096> part{};
    for (ssize_t got = 0; (got = ::read(terminal, part.data(), part.size())) > 0;)
        shown.append(part.data(), static_cast<std::size_t>(got));
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(terminal);
    std::erase(shown, '\r');
    return shown + (WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "" : "failed");
}

TEST(output, a_page_higher_than_the_terminal_is_shown_in_the_pager)
{
    const std::vector<std::string> long_page{"occupancy", "--arch", "sm_90", "--threads", "256"};
    const std::string plain = on_terminal(long_page, "LAUNCHBOX_PAGER=");
    EXPECT_GT(std::ranges::count(plain, '\n'), 12);
    EXPECT_EQ(on_terminal(long_page, "LAUNCHBOX_PAGER=sed s/^/paged:/ | head -n 1").find("paged:"), 0u);
    EXPECT_EQ(on_terminal(long_page, "PAGER=cat"), plain);

    // A pager that does not exist, one that quits early, and a page that fits.
    const std::string without = on_terminal(long_page, "LAUNCHBOX_PAGER=no-such-pager");
    EXPECT_NE(without.find(plain), std::string::npos) << without;
    EXPECT_EQ(on_terminal(long_page, "LAUNCHBOX_PAGER=true"), "");
    // More than a pipe's buffer: the write fails, because nobody reads.
    const std::string record = repository_file("measurements/nvidia-h200/tune_block_sort.json");
    EXPECT_EQ(on_terminal({"results", record, "--top", "all"}, "LAUNCHBOX_PAGER=true"), "");
    EXPECT_EQ(on_terminal({"--version"}, "LAUNCHBOX_PAGER=sed s/^/paged:/").find("paged:"), std::string::npos);
    const std::string json =
        on_terminal({"occupancy", "--arch", "sm_90", "--threads", "256", "--format", "json"}, "LAUNCHBOX_PAGER=true");
    EXPECT_TRUE(nlohmann::json::accept(json)) << "only pages for people";
}

}  // namespace
}  // namespace launchbox
