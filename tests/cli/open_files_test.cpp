// launchbox where few files may be open at once: it says so, and blames nothing else.
#include "tool.hpp"

#include <filesystem>

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

TEST(open_files, too_few_are_named_by_every_verb)
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

}  // namespace
}  // namespace launchbox
