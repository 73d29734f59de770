// launchbox results --export and --import.
#include <fstream>

#include "support/files/gzip.hpp"
#include "support/process/subprocess.hpp"
#include "tool.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

const std::string cache = "tests/data/exchange/kernel_tuner.json";

TEST(results_export, of_one_workload_goes_to_a_file_or_standard_output)
{
    const temporary_directory place;
    for (const char* format : {"t4", "kernel-tuner"}) {
        const std::string path = (place.path() / (std::string(format) + ".json")).string();
        const call to_stdout = launchbox_run({"results", example, "--workload", "n=1048576", "--export", format});
        EXPECT_EQ(to_stdout.status, 0) << to_stdout.err;
        const call to_file =
            launchbox_run({"results", example, "--workload", "n=1048576", "--export", format, "-o", path});
        EXPECT_EQ(to_file.status, 0) << to_file.err;
        EXPECT_EQ(read_input(path), to_stdout.out);
        EXPECT_EQ(launchbox_run({"results", path, "--format", "json"}).json()["candidates"].size(), 12U);
        const call packed =
            launchbox_run({"results", example, "--workload", "n=1048576", "--export", format, "-o", path + ".gz"});
        EXPECT_EQ(packed.status, 0) << packed.err;
        EXPECT_EQ(gunzip(read_input(path + ".gz")).text, to_stdout.out);
    }
}

TEST(results_export, of_several_workloads_names_them_or_fills_a_folder)
{
    expect_refused(
        launchbox_run({"results", example, "--export", "t4"}),
        "run 1 of block_sort on Example GPU, type=int n=1048576; run 1 of block_sort on Example GPU, type=int "
        "n=134217728");
    const temporary_directory place;
    const std::string folder = (place.path() / "made").string() + "/";
    const call made = launchbox_run({"results", example, "--export", "kernel-tuner", "-o", folder});
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_EQ(lines_of(made.out).size(), 2U) << made.out;
    EXPECT_TRUE(fs::exists(folder + "block_sort-Example_GPU-type=int_n=1048576.json")) << made.out;
    EXPECT_TRUE(fs::exists(folder + "block_sort-Example_GPU-type=int_n=134217728.json")) << made.out;
}

TEST(results_merge, makes_one_store_of_several)
{
    const temporary_directory place;
    const std::string fleet = (place.path() / "fleet.db").string(), again = (place.path() / "again.db").string();
    const call made = launchbox_run({"results", "--merge", example, example, "-o", fleet});
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_TRUE(made.says("1 run of 2 files")) << made.err;
    EXPECT_TRUE(made.says("came twice")) << made.err;
    const auto candidates = [](const std::string& file) {
        return launchbox_run({"results", file, "--format", "json", "--samples"}).json().at("candidates");
    };
    EXPECT_EQ(candidates(fleet).size(), candidates(example).size());
    expect_refused(launchbox_run({"results", "--merge", example, "-o", fleet}), "already exists");
    expect_refused(launchbox_run({"results", "--merge", example}), "-o fleet.db");
    expect_refused(launchbox_run({"results", "--merge", example, "-o", "-"}), "-o fleet.db");
    expect_refused(launchbox_run({"results", "--merge", example, "-o", "/dev/null"}), "already exists");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    expect_refused(launchbox_run({"results", "--merge", example, "--svg", "a.svg", "-o", again}),
                   "--merge only writes a store");
    expect_refused(launchbox_run({"results", "--merge", example, "nothing.db", "-o", again}), "nothing.db");
    EXPECT_FALSE(fs::exists(again));
    expect_refused(launchbox_run({"results", "--merge", example, "-o", again, "--format", "json"}),
                   "--merge only writes a store");
    expect_refused(launchbox_run({"results", "--merge", "--import", example, "-o", again}), "--import");
    // It writes everything, and refuses options that would select.
    for (const std::vector<std::string>& choice :
         {std::vector<std::string>{"--workload", "n=7"}, {"--gpu", "none"}, {"--run", "99"}, {"--top", "1"}}) {
        std::vector<std::string> words{"results", "--merge", example, "-o", again};
        words.insert(words.end(), choice.begin(), choice.end());
        expect_refused(launchbox_run(words), choice.front());
        EXPECT_FALSE(fs::exists(again)) << choice.front();
    }
    expect_refused(launchbox_run({"results", example, "--store", again}), "--import");
    for (const char* number : {"0", "-1", "99999999999999999999", "one", "1.5"})
        expect_refused(launchbox_run({"results", example, "--run", number}),
                       "'" + std::string(number) + "' is not the number of a run");
}

TEST(results_import, creates_a_store_once)
{
    const temporary_directory place;
    const std::string store = (place.path() / "made.db").string();
    const call made = launchbox_run({"results", "--import", cache, example, "--store", store, "--format", "json"});
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_EQ(made.json()["runs"].size(), 2U);
    EXPECT_EQ(made.json()["candidates"].size(), 6U + 14U);
    EXPECT_EQ(launchbox_run({"results", store, "--gpu", "Example", "--format", "json"}).json()["candidates"].size(),
              20U);
    expect_refused(launchbox_run({"results", "--import", cache, "--store", store}), "already exists");
    expect_refused(launchbox_run({"results", "--import", cache, example}), "has no name");
    const std::string none = (place.path() / "none.db").string();
    expect_refused(launchbox_run({"results", "--import", "LICENSE", "--store", none}), "neither a result store nor");
    EXPECT_FALSE(fs::exists(none));
    expect_refused(launchbox_run({"results", "--import", cache, "--store", none + "/no/x.db"}), "there is no folder");
    // SQLite would treat a leftover journal of a removed store as part of the new one.
    for (const char* part : {"-wal", "-journal"}) {
        write_file_atomically(none + part, "left");
        expect_refused(launchbox_run({"results", "--import", cache, "--store", none}), none + part + " already exists");
        expect_refused(launchbox_run({"results", "--merge", example, "-o", none}), none + part + " already exists");
        EXPECT_FALSE(fs::exists(none));
        fs::remove(none + part);
    }
}

// If several processes create one file, one succeeds and keeps everything that it wrote.
TEST(results_import, of_two_at_once_one_reports_that_the_store_exists)
{
    const temporary_directory place;
    const std::string folder = place.path().string();
    for (const std::string& words : {"--import " + cache + " --store ", "--merge " + example + " -o "})
        for (int round = 0; round < 10; ++round) {
            const std::string store = folder + "/" + std::to_string(round) + words.substr(0, 3) + ".db";
            const std::string one = "\"$L\" results " + words + store + " >" + folder + "/out 2>" + folder + "/err";
            const subprocess_result both =
                run({"sh", "-c", one + "1 & first=$!; " + one + "2; second=$?; wait $first; echo $? $second"},
                    {.directory = LAUNCHBOX_SOURCE_DIR, .environment = {std::string("L=") + LAUNCHBOX_TOOL}});
            EXPECT_TRUE(both.output == "0 2\n" || both.output == "2 0\n") << both.output;
            const std::string refused = read_input(folder + (both.output == "0 2\n" ? "/err2" : "/err1"));
            EXPECT_NE(refused.find(store + " already exists"), std::string::npos) << refused;
            EXPECT_EQ(launchbox_run({"results", store, "--format", "json"}).json()["runs"].size(), 1U);
        }
    for (const auto& each : fs::directory_iterator(folder))
        EXPECT_FALSE(each.path().filename().string().starts_with("launchbox-")) << each.path();
}

// The same run in two files, and once with other times: nothing is replaced silently.
TEST(results_import, joins_equal_runs_and_keeps_others_apart_as_merge_does)
{
    const temporary_directory place;
    nlohmann::ordered_json other =
        nlohmann::ordered_json::parse(read_input(repository_file("tests/data/results/example.json")));
    other["candidates"][1]["samples_ns"][0] = 99'000.5;
    const std::string changed = (place.path() / "other.json").string(), store = (place.path() / "all.db").string();
    write_file_atomically(changed, other.dump());
    const call made = launchbox_run(
        {"results", "--import", example, example, changed, "--store", store, "--format", "json", "--samples"});
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_EQ(made.json()["runs"].size(), 2U);
    EXPECT_TRUE(made.says("came twice")) << made.err;
    EXPECT_TRUE(made.says("has another result for threads=128 items=15")) << made.err;
}

TEST(results_import, continues_after_a_file_that_cannot_be_read)
{
    const temporary_directory place;
    const std::string store = (place.path() / "made.db").string();
    const call made = launchbox_run({"results", "--import", cache, "LICENSE", "--store", store});
    EXPECT_EQ(made.status, 2);
    EXPECT_TRUE(made.says("LICENSE is neither")) << made.err;
    EXPECT_TRUE(made.shows("scale on Example GPU"));
    EXPECT_TRUE(fs::exists(store));
    for (const auto& each : fs::directory_iterator(place.path()))
        EXPECT_TRUE(each.path().filename().string().starts_with("made.db")) << each.path();
}

}  // namespace
}  // namespace launchbox
