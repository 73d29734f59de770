// What is written arrives, or the exit status says that it did not; nothing that is read is written over.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "support/process/subprocess.hpp"
#include "tool.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

const std::string record = "measurements/nvidia-h200/tune_block_sort.json";

// The tool's words behind $L in a shell, in the repository's root.
subprocess_result shell(const std::string& script)
{
    return run({"sh", "-c", script},
               {.directory = LAUNCHBOX_SOURCE_DIR,
                .environment = {std::string("L=") + LAUNCHBOX_TOOL, "COLUMNS=100", "LC_ALL=C.UTF-8", "NO_COLOR="}});
}

TEST(writing, a_full_or_closed_standard_output_is_no_success)
{
    for (const char* words :
         {"emit measurements/nvidia-h200/tune_block_sort.json", "--help", "--version", "tune --help",
          "emit measurements/nvidia-h200/tune_block_sort.json --explain", "results tests/data/results/example.json",
          "devices", "results --help", "occupancy --arch sm_90 --threads 256 --registers 32 --format json",
          "suggest --arch sm_90 --registers 32", "tune tests/data/t1/blur.json --write-spec -",
          "inspect tests/data/logs/basic_sm_90.log --format csv"})
        for (const char* where : {">/dev/full", ">&-"}) {
            const subprocess_result result = shell(std::string("$L ") + words + " " + where);
            EXPECT_EQ(result.exit_code, 2) << words << where << result.output;
            EXPECT_NE(result.output.find("cannot write to standard output"), std::string::npos)
                << words << where << result.output;
        }
}

TEST(writing, an_output_that_is_an_input_is_refused)
{
    const temporary_directory folder;
    const fs::path& here = folder.path();
    const std::string json = (here / "r.json").string(), source = (here / "k.cu").string();
    fs::copy_file(repository_file("tests/data/results/example.json"), json);
    fs::copy_file(repository_file("examples/merge.cu"), source);
    fs::create_symlink(json, here / "link.json");
    fs::create_hard_link(json, here / "other.json");
    const std::string before = read_input(json), code = read_input(source);
    const std::string link = (here / "link.json").string(), other = (here / "other.json").string();
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"results", json, "--format", "csv", "-o", json},
          {"results", json, "-o" + json},
          {"results", json, "--output=" + json},
          {"results", json, "--export", "csv", "-o", link},
          {"results", link, "--format", "csv", "-o", other},
          {"results", json, "--export", "t4", "--workload", "n=1048576", "-o", json},
          {"emit", json, "--allow-unverified", "-o", json},
          {"bench-search", json, "-o", json},
          {"inspect", source, "--arch", "sm_90", "-o", source},
          {"check", source, "--arch", "sm_90", "-o", source},
          {"suggest", source, "--arch", "sm_90", "-o", source}}) {
        expect_refused(launchbox_run(words), "is also an input, and was not written");
        EXPECT_EQ(read_input(json), before) << words.front();
        EXPECT_EQ(read_input(source), code) << words.front();
    }
    EXPECT_EQ(launchbox_run({"results", json, "-o", (here / "new.txt").string()}).status, 0);
    EXPECT_EQ(launchbox_run({"results", json, "-o", (here / "new.txt").string()}).status, 0) << "its own old output";
}

TEST(writing, tune_does_not_write_its_report_over_sources_spec_and_store)
{
    const temporary_directory folder;
    const fs::path& here = folder.path();
    std::ofstream(here / "x.toml") << "[tunable]\nname = 'x'\n[parameters]\na = [1]\n[program]\nrun = ['sh', 'b.sh']\n"
                                      "sources = ['b.sh']\n";
    std::ofstream(here / "b.sh") << "echo time: 1 ms\n";
    const std::string spec = (here / "x.toml").string(), store = (here / "x.db").string();
    ASSERT_EQ(launchbox_run({"tune", spec, "--store", store}).status, 0);
    for (const char* name : {"x.toml", "b.sh", "x.db"}) {
        const std::string before = read_input((here / name).string());
        expect_refused(launchbox_run({"tune", spec, "--store", store, "-o", (here / name).string()}),
                       "is also an input");
        EXPECT_EQ(read_input((here / name).string()), before) << name;
    }
}

TEST(writing, an_emit_that_waits_for_another_process_says_so)
{
    const temporary_directory folder;
    const std::string here = folder.path().string(), file = here + "/a.hpp", said = here + "/said";
    // The shell has the lock until the tool has said that it waits.
    const subprocess_result waited = shell("exec 9<" + here + "; flock 9; $L emit " + record + " --box rows -o " +
                                           file + " 2>" + said + " 9<&- & i=0; until grep -q waiting " + said +
                                           " 2>/dev/null || [ $i = 5000 ]; do i=$((i + 1)); done; test -e " + file +
                                           " && echo too early; exec 9<&-; wait $!; echo $?");
    EXPECT_NE(waited.output.find("0\n"), std::string::npos) << waited.output;
    EXPECT_EQ(waited.output.find("too early"), std::string::npos) << waited.output;
    EXPECT_NE(read_input(said).find("waiting for another process that has locked " + here), std::string::npos);
    EXPECT_NE(read_input(file).find("sm<90"), std::string::npos);
}

TEST(writing, two_emits_into_one_header_keep_the_rows_of_both)
{
    // The same measurements as of another GPU, on which another candidate is the fastest.
    const temporary_directory folder;
    std::string text_of_other = read_input(repository_file(record));
    for (const auto& [old, now] : {std::pair("sm_90", "sm_80"), std::pair("NVIDIA H200", "NVIDIA A100")})
        for (std::size_t at = text_of_other.find(old); at != std::string::npos; at = text_of_other.find(old, at + 1))
            text_of_other.replace(at, std::string(old).size(), now);
    nlohmann::json other = nlohmann::json::parse(text_of_other);
    other["races"] = other["best"] = nlohmann::json::array();
    nlohmann::json slower = nlohmann::json::array();
    for (const auto& candidate : other["candidates"])
        if (candidate["parameters"]["items"] != 17) slower.push_back(candidate);
    other["candidates"] = slower;
    const std::string second = (folder.path() / "a100.json").string();
    write_file_atomically(second, other.dump());
    for (int round = 0; round < 10; ++round) {
        const std::string file = (folder.path() / ("a" + std::to_string(round) + ".hpp")).string();
        const std::string rest = " --box rows -o " + file;
        const subprocess_result both = shell("$L emit " + record + rest + " & $L emit " + second + rest + " & wait");
        const std::string text = read_input(file);
        EXPECT_NE(text.find("sm<80"), std::string::npos) << both.output;
        EXPECT_NE(text.find("sm<90"), std::string::npos) << both.output;
    }
}

}  // namespace
}  // namespace launchbox
