// One header for several GPUs, and whether its rows are good on the GPU at hand: emit --within, tune --confirm.
#include <fstream>

#include "tool.hpp"

namespace launchbox {
namespace {

const std::string block_sort_record = "measurements/nvidia-h200/tune_block_sort.json";
const std::string spec = "examples/block_sort/block_sort.toml";

class fleet_verbs : public testing::Test {
protected:
    temporary_directory folder;

    [[nodiscard]] std::string path(const std::string& name) const { return (folder.path() / name).string(); }

    std::string write(const std::string& name, const std::string& text) const
    {
        std::ofstream(path(name)) << text;
        return path(name);
    }

    // The example's header with another row for 9.0.
    [[nodiscard]] std::string header_with(const std::string& row) const
    {
        std::string text = read_input(repository_file("examples/block_sort/tuning.hpp"));
        text.replace(text.find("{64, 17, 0}>"), 11, row);
        return write("tuning.hpp", text);
    }

    [[nodiscard]] static call confirm(const std::string& header, const std::vector<std::string>& more = {})
    {
        std::vector<std::string> words{"tune", spec, "--replay", block_sort_record, "--confirm", header};
        words.insert(words.end(), more.begin(), more.end());
        return launchbox_run(words);
    }

    // The record attributed to another GPU, on which only the first candidate of the text is fast.
    [[nodiscard]] std::string record_of(const std::string& gpu, const std::string& bytes) const
    {
        std::string text = read_input(repository_file(block_sort_record));
        const auto replace_all = [&](const std::string& from, const std::string& to) {
            for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
                text.replace(at, from.size(), to);
        };
        replace_all("NVIDIA H200", gpu);
        replace_all("150109880320", bytes);
        return write(gpu.substr(gpu.find(' ') + 1) + ".json", text);
    }
};

TEST_F(fleet_verbs, a_row_as_good_as_the_baseline_is_confirmed)
{
    const call good = confirm("examples/block_sort/tuning.hpp");
    EXPECT_EQ(good.status, 0) << good.out << good.err;
    EXPECT_TRUE(
        good.shows("block_sort_tuning on NVIDIA H200: {64, 17, 0}, the row of sm_90, measured here: confirmed\n"))
        << good.out;
    EXPECT_TRUE(good.shows("n=134217728: 2.949 times as fast as the baseline (")) << good.out;
    EXPECT_TRUE(good.says("block_sort on NVIDIA H200, as recorded: the header's row and the baseline × 4 workloads\n"))
        << good.err;
    EXPECT_EQ(lines_of(good.out).size(), 5u) << "a line for each workload: " << good.out;
    const call json = confirm("examples/block_sort/tuning.hpp", {"--format", "json"});
    EXPECT_EQ(json.status, 0);
    EXPECT_EQ(json.json()["schema"], "launchbox.results/1");
    EXPECT_TRUE(json.says("confirmed"));
}

TEST_F(fleet_verbs, a_worse_row_is_not_confirmed)
{
    const call bad = confirm(header_with("{512, 31, 4}"));
    EXPECT_EQ(bad.status, 1) << bad.out << bad.err;
    EXPECT_TRUE(bad.shows("{512, 31, 4}, the row of sm_90, measured here: not confirmed\n")) << bad.out;
    EXPECT_TRUE(bad.shows(", worse\n")) << bad.out;
    // If the row is the baseline, nothing is measured.
    const call same = confirm(header_with("{256, 11, 0}"));
    EXPECT_EQ(same.status, 0) << same.out << same.err;
    EXPECT_TRUE(same.shows("it is the baseline")) << same.out;
}

TEST_F(fleet_verbs, rows_that_cannot_be_confirmed_are_refused)
{
    expect_refused(confirm(header_with("{64, 18, 0}")), "has a value that");
    expect_refused(confirm(header_with("{1024, 31, 2}")), "is not a candidate");
    expect_refused(confirm("include/launchbox/tunings/merge_sort.hpp"), "has no table of block_sort");
    expect_refused(confirm("examples/block_sort/tuning.hpp", {"--box", "other"}), "there are: block_sort_tuning");
    expect_refused(confirm(path("missing.hpp")), "missing.hpp");
    expect_refused(launchbox_run({"tune", spec, "--box", "a"}), "--confirm");
    std::string text = read_input(repository_file("examples/block_sort/tuning.hpp"));
    text.replace(text.find("sm<75"), 5, "sm<80");
    text.replace(text.find("sm<90"), 5, "sm<100");
    text.replace(text.find("sm<80"), 5, "sm<95");
    expect_refused(confirm(write("new.hpp", text)), "has no row for sm_90");
    EXPECT_EQ(confirm("examples/block_sort/tuning.hpp", {"--box", "block_sort_tuning"}).status, 0);
}

TEST_F(fleet_verbs, one_header_for_two_gpus_agrees_with_their_records)
{
    const std::string one = record_of("NVIDIA H200", "150109880320"), other = record_of("NVIDIA H100", "85017493504");
    const std::string header = path("both.hpp");
    const std::vector<std::string> words{"emit", one,    other,      "--root", folder.path().string(),
                                         "-o",   header, "--within", "0.5%"};
    const call made = launchbox_run(words);
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_TRUE(made.shows("0.0 % slower than the best on NVIDIA H100")) << made.out;
    const std::string text = read_input(header);
    EXPECT_EQ(launchbox_run(words).status, 0);
    EXPECT_EQ(read_input(header), text);
    const std::vector<std::string> check{"emit", "--check", "-o", header, "--root", folder.path().string()};
    EXPECT_TRUE(launchbox_run(check).shows("1 row is what its record says")) << launchbox_run(check).out;
    const auto differs = [&](const std::string& from, const std::string& to) {
        std::string edited = text;
        const std::size_t at = edited.find(from);
        if (at == std::string::npos) return call{};
        write("both.hpp", edited.replace(at, from.size(), to));
        return launchbox_run(check);
    };
    EXPECT_TRUE(differs("{64, 17, ", "{64, 19, ").shows("the records say {64, 17, "));
    EXPECT_EQ(differs("// loss: none", "// loss: +0.1 %").status, 1);
    EXPECT_TRUE(differs("85'017'493'504", "85'017'493'505").shows("does not have the GPUs of the records"));
    EXPECT_EQ(differs("sm<90", "on_gpus<sm<90").status, 2);
    write("both.hpp", text);
    // With only one of the records, the other GPU's row would be lost.
    expect_refused(launchbox_run({"emit", one, "--root", folder.path().string(), "-o", header}),
                   "written with --within");
    expect_refused(launchbox_run({"emit", one, "--root", folder.path().string(), "--within", "2%"}), "alone");
    expect_refused(launchbox_run({"emit", one, "--only-measured"}), "--only-measured needs --within");
    EXPECT_EQ(read_input(header), text);
    const call explained = launchbox_run({"emit", one, other, "--root", folder.path().string(), "--within", "2%",
                                          "--only-measured", "--explain", "--arch", "sm_90"});
    EXPECT_TRUE(explained.shows("  .min_sms = 132, .max_sms = 132, ")) << explained.out << explained.err;
}

// `results` names the same rows for each GPU as a launch box in the emitted header.
TEST_F(fleet_verbs, results_says_which_row_each_gpu_uses_and_where_it_was_measured)
{
    const std::string one = record_of("NVIDIA H200", "150109880320"), other = record_of("NVIDIA H100", "85017493504");
    const call both = launchbox_run({"results", one, other, "--top", "1"}, {}, {"COLUMNS=150"});
    EXPECT_EQ(both.status, 0) << both.err;
    EXPECT_TRUE(both.shows("rows in the header of launchbox emit: block_sort\n")) << both.out;
    // Each architecture has the row of one run; the other GPU inherits it.
    EXPECT_TRUE(both.shows(" threads=64 items=17 min_blocks=0  the row of sm_90, measured here\n")) << both.out;
    const nlohmann::json rows = launchbox_run({"results", one, other, "--format", "json"}).json()["rows"];
    ASSERT_EQ(rows.size(), 2u);
    const bool first = rows[0]["origin"] == "the row of sm_90, measured here";
    EXPECT_EQ(rows[0]["gpu"], "NVIDIA H200");
    EXPECT_EQ(rows[1]["gpu"], "NVIDIA H100");
    EXPECT_EQ(rows[first ? 1 : 0]["origin"],
              "the row of sm_90, measured on NVIDIA " + std::string(first ? "H200" : "H100") + ", inherited");
    for (const nlohmann::json& row : rows) EXPECT_EQ(row["parameters"]["items"], 17);

    // With one GPU there is nothing to report, unless other architectures are asked for.
    EXPECT_FALSE(launchbox_run({"results", one}).shows("the header of"));
    EXPECT_TRUE(launchbox_run({"results", one, "--format", "json"}).json()["rows"].empty());
    const call asked = launchbox_run({"results", one, "--arch", "sm_80,sm_90,sm_120"}, {}, {"COLUMNS=150"});
    EXPECT_EQ(asked.status, 0) << asked.err;
    for (const char* line :
         {"NVIDIA H200  threads=64 items=17 min_blocks=0  the row of sm_90, measured here\n",
          "sm_90        threads=64 items=17 min_blocks=0  the row of sm_90, measured on NVIDIA H200\n",
          "sm_120       threads=64 items=17 min_blocks=0  the row of sm_90, measured on NVIDIA H200, inherited\n",
          "sm_80        none                              does not compile: measure there"})
        EXPECT_TRUE(asked.shows(line)) << line << asked.out;
    const nlohmann::json json = launchbox_run({"results", one, "--arch", "sm_80", "--format", "json"}).json()["rows"];
    ASSERT_EQ(json.size(), 2u);
    EXPECT_EQ(json[1]["architecture"], "sm_80");
    EXPECT_TRUE(json[1]["gpu"].is_null() && json[1]["parameters"].is_null() && json[1]["origin"].is_null());

    // emit refuses it in the same way.
    std::string text = read_input(one);
    for (std::size_t at = text.find("\"verified\": true"); at != std::string::npos;
         at = text.find("\"verified\": true"))
        text.replace(at, 16, "\"verified\": false");
    const call unverified =
        launchbox_run({"results", write("unverified.json", text), "--arch", "sm_90"}, {}, {"COLUMNS=300"});
    EXPECT_EQ(unverified.status, 0) << unverified.err;
    EXPECT_TRUE(unverified.shows("the outputs of")) << unverified.out;
    for (const char* view : {"--convergence", "--compare", "--portable"})
        expect_refused(launchbox_run({"results", one, "--arch", "sm_90", view}), "--arch and --here are for the table");
    expect_refused(launchbox_run({"results", one, "--here", "--format", "csv"}), "--arch and --here are for the table");
    expect_refused(launchbox_run({"results", one, "--arch", "sm_91"}), "unknown architecture 'sm_91'");
}

#ifdef LAUNCHBOX_FAKE_DRIVER
TEST_F(fleet_verbs, results_says_which_row_the_gpu_at_hand_uses)
{
    const auto on = [&](const char* devices) {
        const std::string plan = write("plan.json", std::string(R"({"devices": [)") + devices + "]}");
        return launchbox_run({"results", block_sort_record, "--top", "1", "--here"}, {},
                             {"LD_LIBRARY_PATH=" LAUNCHBOX_FAKE_DRIVER, "FAKE_GPU_PLAN=" + plan, "COLUMNS=150"});
    };
    const call h100 =
        on(R"({"name": "NVIDIA H100 PCIe", "capability": [9, 0], "sms": 114, "memory_bytes": 85017493504})");
    EXPECT_EQ(h100.status, 0) << h100.err;
    EXPECT_TRUE(h100.shows("NVIDIA H200       threads=64 items=17 min_blocks=0  the row of sm_90, measured here\n"))
        << h100.out;
    EXPECT_TRUE(
        h100.shows("NVIDIA H100 PCIe  threads=64 items=17 min_blocks=0  the row of sm_90, measured on NVIDIA H200, "
                   "inherited\n"))
        << h100.out;
    // The same model under another name: launch_box recognises it by its figures.
    const call h200 = on(R"({"name": "GH200", "capability": [9, 0], "sms": 132, "memory_bytes": 150000000000})");
    EXPECT_TRUE(h200.shows("GH200        threads=64 items=17 min_blocks=0  the row of sm_90, measured here\n"))
        << h200.out;
    EXPECT_TRUE(on(R"({"name": "NVIDIA A100", "capability": [8, 0]})").shows("does not compile")) << "no row of sm_80";
    expect_refused(launchbox_run({"results", block_sort_record, "--here"}, {}, {"LD_LIBRARY_PATH=/nowhere"}),
                   "no GPU on this machine", 3);
}
#endif

}  // namespace
}  // namespace launchbox
