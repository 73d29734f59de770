// launchbox with a small limit of open files: the limit is named as the cause. Other small limits of a shell, too.
#include "tool.hpp"

#include <filesystem>
#include <fstream>

#include "support/process/subprocess.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

subprocess_result with_limit(const std::string& limit, const std::vector<std::string>& words)
{
    std::vector<std::string> command{"sh", "-c", "ulimit " + limit + "; exec \"$@\"", "sh", LAUNCHBOX_TOOL};
    command.insert(command.end(), words.begin(), words.end());
    return run(command);
}

TEST(open_files, a_limit_that_is_too_low_is_named_by_every_verb)
{
    const temporary_directory folder;
    for (const char* file : {"sort.cpp", "tune_cpu_sort.toml"})
        fs::copy(repository_file("examples/tune_cpu_sort") + "/" + file, folder.path() / file);
    const std::string spec = (folder.path() / "tune_cpu_sort.toml").string();
    for (const std::vector<std::string>& words : {std::vector<std::string>{"tune", spec},
                                                  {"check", log_90, "--size", "1K"},
                                                  {"inspect", log_90},
                                                  {"bounds", repository_file("examples/merge.cu"), "--arch", "sm_90"},
                                                  {"results", repository_file(example)},
                                                  {"capture", "--", "true"}}) {
        for (const char* limit : {"-n 9", "-n 20"}) {
            const subprocess_result result = with_limit(limit, words);
            EXPECT_EQ(result.exit_code, 3) << words.front() << result.output;
            EXPECT_NE(result.output.find("files may be open at once here, and launchbox needs 64"), std::string::npos)
                << result.output;
            EXPECT_EQ(result.output.find("baseline"), std::string::npos) << result.output;
        }
    }
    EXPECT_FALSE(fs::exists(folder.path() / "tune_cpu_sort.db"));
    // A soft limit is raised.
    EXPECT_EQ(with_limit("-S -n 9", {"inspect", log_90}).exit_code, 0);
    EXPECT_EQ(with_limit("-n 9", {"check", log_90, "--size", "1K", "--bisect"}).exit_code, 125);
    EXPECT_EQ(with_limit("-n 9", {"check", "--help"}).exit_code, 0);
}

// A failing write is reported: without our signal handler, SIGXFSZ would end the process without a message.
TEST(small_limits, a_limit_on_file_size_is_reported_in_one_line)
{
    const temporary_directory folder;
    const auto file = [&](const char* name) { return (folder.path() / name).string(); };
    std::ofstream(file("x.toml")) << "[tunable]\nname = 'x'\n[parameters]\na = [1, 2]\n[program]\n"
                                     "run = ['echo', 'time: {a} ms']\n";
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"report", repository_file(example), "-o", file("r.html")},
          {"results", repository_file(example), "--map", "threads", "--format", "html", "-o", file("m.html")},
          {"results", repository_file(example), "--merge", "-o", file("m.db")},
          {"tune", file("x.toml"), "--store", file("x.db")}}) {
        const subprocess_result result = with_limit("-f 1", words);
        EXPECT_GE(result.exit_code, 1) << words.front() << result.output;
        EXPECT_LE(result.exit_code, 4) << words.front() << result.output;
        EXPECT_NE(result.output.find("launchbox: "), std::string::npos) << result.output;
        EXPECT_FALSE(fs::exists(words.back()) && words.front() != "tune") << words.back() << " is half written";
    }
    // An existing store is read without writing a byte.
    EXPECT_EQ(run({LAUNCHBOX_TOOL, "tune", file("x.toml"), "--store", file("x.db")}).exit_code, 0);
    const subprocess_result read = with_limit("-f 0", {"results", file("x.db")});
    EXPECT_EQ(read.exit_code, 0) << read.output;
}

TEST(small_limits, a_small_stack_limit_does_not_affect_threads)
{
    const temporary_directory folder;
    std::ofstream(folder.path() / "x.toml") << "[tunable]\nname = 'x'\n[parameters]\na = [1, 2]\n[program]\n"
                                               "run = ['echo', 'time: {a} ms']\n";
    const subprocess_result result = with_limit(
        "-s 64", {"tune", (folder.path() / "x.toml").string(), "--store", (folder.path() / "x.db").string()});
    EXPECT_EQ(result.exit_code, 0) << result.output;
}

}  // namespace
}  // namespace launchbox
