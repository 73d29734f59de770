// Pipes instead of files, names that are too long, a deleted current folder: every verb works or prints a clear line,
// and nothing blocks forever.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/files/gzip.hpp"
#include "support/process/subprocess.hpp"
#include "tool.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

// Runs a script in bash, which has <(...), with the tool as $L.
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

TEST(odd_files, files_that_are_read_once_may_be_pipes)
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
             "tune x.toml --replay <($L results x.db --format json)",
         }) {
        const subprocess_result result = bash(std::string("$L ") + words, folder.path());
        EXPECT_EQ(result.exit_code, 0) << words << "\n" << result.output;
    }
}

TEST(odd_files, files_that_are_read_again_or_written_must_be_regular)
{
    const temporary_directory folder;
    std::ofstream(folder.path() / "x.toml") << two_candidates;
    for (const char* pipe : {"pipe.cu", "pipe.db"}) ASSERT_EQ(::mkfifo((folder.path() / pipe).c_str(), 0600), 0);
    const auto refused = [&](const std::string& words, const std::string& why) {
        const subprocess_result result = bash("$L " + words, folder.path());
        EXPECT_EQ(result.exit_code, 2) << words << "\n" << result.output;
        EXPECT_NE(result.output.find(why), std::string::npos) << words << "\n" << result.output;
    };
    refused("inspect pipe.cu --arch sm_90", "pipe.cu is a pipe, but must be a file, which is read more than once");
    refused("bounds pipe.cu --arch sm_90", "pipe.cu is a pipe, but must be a file, which is read more than once");
    refused("inspect <(echo '__global__ void k() {}')", "a CUDA source is recognised by its name and must be a file");
    refused("tune x.toml --store pipe.db", "pipe.db is not a file");
}

TEST(odd_files, empty_files_and_files_that_are_no_sources_are_reported)
{
    const temporary_directory folder;
    for (const char* name : {"k.cubin", "k.ptx", "build.log"}) {
        const std::string file = (folder.path() / name).string();
        write_file_atomically(file, "\n");
        const call result = launchbox_run({"inspect", file});
        EXPECT_EQ(result.status, 2);
        EXPECT_TRUE(result.says(std::string(name) + ": it is empty")) << result.err;
    }
    const std::string binary = (folder.path() / "k.o").string();
    write_file_atomically(binary, std::string("\x7f"
                                              "ELF\0\0",
                                              6));
    for (const char* verb : {"advise", "bounds"}) {
        const call result = launchbox_run({verb, binary, "--arch", "sm_90"});
        EXPECT_EQ(result.status, 2);
        EXPECT_TRUE(result.says("k.o is not a source")) << result.err;
    }
}

// Opening a pipe would block without a message.
TEST(odd_files, a_pipe_or_device_that_another_file_names_is_refused_at_once)
{
    const temporary_directory folder;
    std::ofstream(folder.path() / "x.toml") << two_candidates;
    const auto refused = [&](const std::string& words, const std::string& why) {
        const subprocess_result result = bash("$L " + words, folder.path());
        EXPECT_EQ(result.exit_code, 2) << words << "\n" << result.output;
        EXPECT_NE(result.output.find(why), std::string::npos) << words << "\n" << result.output;
    };
    const auto make_pipe = [&](const std::string& name) {
        fs::remove(folder.path() / name);
        ASSERT_EQ(::mkfifo((folder.path() / name).c_str(), 0600), 0) << name;
    };
    // Files that are looked for in the current folder.
    make_pipe("launchbox.budget.toml");
    refused("check $R/tests/data/logs/basic_sm_90.log", "launchbox.budget.toml is a pipe");
    fs::remove(folder.path() / "launchbox.budget.toml");
    fs::create_symlink("/dev/zero", folder.path() / "launchbox.baseline");
    refused("check $R/tests/data/logs/basic_sm_90.log", "launchbox.baseline is a device");
    make_pipe("compile_commands.json");
    std::ofstream(folder.path() / "k.cu") << "__global__ void k() {}\n";
    refused("inspect k.cu --arch sm_90 -p .", "compile_commands.json is a pipe");
    // Records that are given by name are read more than once.
    make_pipe("r.json");
    refused("report r.json -o r.html", "r.json is a pipe");
    // In a folder: a pipe with the name of a binary is an error, others are only named.
    fs::create_directories(folder.path() / "in");
    fs::copy_file(repository_file("tests/fuzz/corpus/cubin/sm_90.cubin"), folder.path() / "in/good.cubin");
    make_pipe("in/pipe.cubin");
    make_pipe("in/other");
    fs::create_symlink("nowhere.cubin", folder.path() / "in/gone.cubin");
    const subprocess_result found = bash("$L inspect in --format csv", folder.path());
    EXPECT_EQ(found.exit_code, 2) << found.output;
    for (const char* told :
         {"'pipe.cubin' is not a file", "'gone.cubin' is a dangling link", "'other' is not a file", "good.cubin,"})
        EXPECT_NE(found.output.find(told), std::string::npos) << told << "\n" << found.output;
    // Next to a cubin.
    make_pipe("in/good.json");
    fs::remove(folder.path() / "in/pipe.cubin");
    fs::remove(folder.path() / "in/gone.cubin");
    refused("inspect in", "good.json is a pipe");
}

// A pipe or standard input may wait for a writer, but Ctrl-C still works.
TEST(odd_files, waiting_for_a_pipe_without_a_writer_can_be_interrupted)
{
    const temporary_directory folder;
    ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
    const subprocess_result result = bash(
        "$L inspect pipe & p=$!\n"
        "while ! ls -l /proc/$p/fd 2>/dev/null | grep -q '/pipe$'; do :; done\n"  // it has opened the pipe
        "kill -TERM $p; wait $p",
        folder.path());
    EXPECT_EQ(result.exit_code, 4) << result.output;
    EXPECT_NE(result.output.find("interrupted while pipe was read"), std::string::npos) << result.output;
}

TEST(odd_files, a_sparse_file_only_takes_the_time_of_its_content)
{
    const temporary_directory folder;
    const std::string cubin = read_input(repository_file("tests/fuzz/corpus/cubin/sm_90.cubin"));
    for (const auto& [name, size] : {std::pair("gigabyte.bin", off_t{1} << 30), {"terabyte.bin", off_t{1} << 40}}) {
        std::ofstream(folder.path() / name) << cubin;
        ASSERT_EQ(::truncate((folder.path() / name).c_str(), size), 0);
    }
    const subprocess_result result = bash("$L inspect gigabyte.bin terabyte.bin . --format csv", folder.path());
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_NE(result.output.find("\ngigabyte.bin,spills,"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("terabyte.bin is a sparse file of 1099511627776 bytes"), std::string::npos)
        << result.output;
}

// With every limit in the range, a lack of memory is reported.
TEST(odd_files, too_little_memory_is_reported_in_one_line)
{
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "a sanitizer reserves more memory than any limit";
#endif
    const temporary_directory folder;
    std::string brackets = "{\"schema\": \"launchbox.results/1\", \"x\": [";
    for (int i = 0; i < 1'000'000; ++i) brackets += "[],";
    write_file_atomically(folder.path() / "r.json", brackets);
    std::string padded = brackets;
    padded.resize(padded.size() + 60'000'000, ' ');
    write_file_atomically(folder.path() / "r.json.gz", gzip(padded));
    for (const char* words : {"results r.json", "results r.json.gz", "report r.json -o r.html", "bench-search r.json",
                              "inspect $R/tests/fuzz/corpus/fatbin/none.fatbin --format json"}) {
        int ended_well = 0;
        for (const int megabytes : {60, 100, 200, 2000}) {
            const subprocess_result result =
                bash("ulimit -v " + std::to_string(megabytes * 1000) + "; $L " + words + " >/dev/null", folder.path());
            EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 2)
                << words << ", " << megabytes << " MB: " << result.exit_code << "\n"
                << result.output.substr(0, 500);
            EXPECT_TRUE(result.exit_code == 0 || result.output.starts_with("launchbox: "))
                << result.output.substr(0, 500);
            EXPECT_EQ(result.output.find("terminate called"), std::string::npos) << result.output.substr(0, 500);
            ended_well += result.output.find("not enough memory") == std::string::npos ? 1 : 0;
        }
        EXPECT_GE(ended_well, 1) << words;
    }
}

TEST(odd_files, a_deleted_current_folder_is_named_where_it_is_needed)
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

TEST(odd_files, a_name_that_is_too_long_is_reported_with_the_systems_error)
{
    const temporary_directory folder;
    std::ofstream(folder.path() / "x.toml") << two_candidates;
    std::string deep = "d";
    while (deep.size() < 5000) deep += "/" + std::string(200, 'd');
    for (const std::string& name : {std::string(300, 'n'), deep})
        for (const std::string& words :
             {"inspect " + name, "inspect " + name + ".cu --arch sm_90", "check x.toml --budget " + name,
              "bounds " + name + ".cu", "tune " + name, "tune x.toml --store " + name, "tune x.toml --replay " + name,
              "results " + name, "emit " + name, "bench-search " + name,
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
