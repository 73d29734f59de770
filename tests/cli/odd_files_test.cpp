// Pipes instead of files, names that are too long, a current folder that is gone: every verb works or says what is
// wrong in a line of its own, and nothing waits for ever.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "support/process/subprocess.hpp"
#include "tool.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

// The tool's words behind $L in bash, which knows <(...).
subprocess_result bash(const std::string& script, const fs::path& folder)
{
    return run({"bash", "-c", script}, {.directory = folder.string(),
                                        .environment = {std::string("L=") + LAUNCHBOX_TOOL, ("R=" LAUNCHBOX_SOURCE_DIR),
                                                        "COLUMNS=100", "LC_ALL=C.UTF-8", "NO_COLOR="},
                                        .time_limit = 60});
}

const std::string two_candidates =
    "[tunable]\nname = 'x'\n[parameters]\na = [1, 2]\n[program]\n"
    "run = ['sh', '-c', 'echo \"{{\\\"time_ms\\\": {a}}}\"']\n[measure]\nmin_samples = 3\nmax_samples = 3\n";

TEST(odd_files, what_is_read_once_may_come_out_of_a_pipe)
{
    const temporary_directory folder;
    std::ofstream(folder.path() / "x.toml") << two_candidates;
    ASSERT_EQ(bash("$L tune x.toml", folder.path()).exit_code, 0);
    for (const char* words : {
             "inspect <(cat $R/tests/data/logs/basic_sm_90.log)",
             "occupancy <(cat $R/tests/data/logs/basic_sm_90.log) --threads 128",
             "suggest <(cat $R/tests/data/logs/basic_sm_90.log)",
             "check $R/tests/data/logs/basic_sm_90.log --budget <(printf '[[rule]]\\nmax_registers = 255\\n')",
             "inspect $R/tests/data/logs/basic_sm_90.log --diff <(cat $R/tests/data/logs/basic_sm_90.log)",
             "tune <(cat x.toml) --store y.db",
             "results <(cat x.db)",
             "results <($L results x.db --format json)",
             "results x.db --compare <(cat x.db)",
             "emit <(cat x.db) --format json",
             "bench-search <(cat x.db)",
             "tune x.toml --store z.db --replay <($L results x.db --format json)",
         }) {
        const subprocess_result result = bash(std::string("$L ") + words, folder.path());
        EXPECT_EQ(result.exit_code, 0) << words << "\n" << result.output;
    }
}

TEST(odd_files, what_is_read_again_or_written_must_be_a_file)
{
    const temporary_directory folder;
    std::ofstream(folder.path() / "x.toml") << two_candidates;
    for (const char* pipe : {"pipe.cu", "pipe.db"}) ASSERT_EQ(::mkfifo((folder.path() / pipe).c_str(), 0600), 0);
    const auto refused = [&](const std::string& words, const std::string& why) {
        const subprocess_result result = bash("$L " + words, folder.path());
        EXPECT_EQ(result.exit_code, 2) << words << "\n" << result.output;
        EXPECT_NE(result.output.find(why), std::string::npos) << words << "\n" << result.output;
    };
    refused("inspect pipe.cu --arch sm_90", "pipe.cu is a pipe, and a source is read more than once");
    refused("bounds pipe.cu --arch sm_90", "pipe.cu is a pipe, and a source is read more than once");
    refused("inspect <(echo '__global__ void k() {}')", "a CUDA source is known by its name and must be a file");
    refused("tune x.toml --store pipe.db", "pipe.db is not a file");
}

TEST(odd_files, a_current_folder_that_is_gone_is_named_where_it_is_needed)
{
    const temporary_directory folder;
    std::ofstream(folder.path() / "x.toml") << two_candidates;
    const std::string there = folder.path().string();
    for (const std::string& words :
         std::vector<std::string>{"tune " + there + "/x.toml", "results x.db", "inspect k.cubin",
                                  "emit x.db --format json", "tune " + there + "/x.toml --store " + there + "/x.db",
                                  "results " + there + "/x.db", "emit --format json " + there + "/x.db"}) {
        const subprocess_result result = bash("mkdir gone; cd gone; rmdir ../gone; $L " + words, folder.path());
        EXPECT_EQ(result.output.find("report this"), std::string::npos) << words << "\n" << result.output;
        EXPECT_TRUE(result.exit_code == 0 || result.output.find("No such file or directory") != std::string::npos)
            << words << "\n"
            << result.output;
    }
}

TEST(odd_files, a_name_that_is_too_long_is_refused_by_the_system_and_said_so)
{
    const temporary_directory folder;
    std::ofstream(folder.path() / "x.toml") << two_candidates;
    std::string deep = "d";
    while (deep.size() < 5000) deep += "/" + std::string(200, 'd');
    for (const std::string& name : {std::string(300, 'n'), deep})
        for (const std::string& words :
             {"inspect " + name, "inspect " + name + ".cu --arch sm_90", "check x.toml --budget " + name,
              "bounds " + name + ".cu", "tune " + name, "tune x.toml --store " + name,
              "tune x.toml --store y.db --replay " + name, "results " + name, "emit " + name, "bench-search " + name,
              "emit $R/measurements/nvidia-h200/tune_block_sort.json -o " + name}) {
            const subprocess_result result = bash("$L " + words, folder.path());
            EXPECT_EQ(result.exit_code, 2) << words.substr(0, 40) << "\n" << result.output;
            EXPECT_NE(result.output.find("File name too long"), std::string::npos) << words.substr(0, 40) << "\n"
                                                                                   << result.output;
            EXPECT_EQ(result.output.find("report this"), std::string::npos) << result.output;
        }
}

}  // namespace
}  // namespace launchbox
