// launchbox inspect: sources and logs, valid, invalid, truncated and hostile.
#include "tool.hpp"

#include <algorithm>
#include <filesystem>

namespace launchbox {
namespace {

namespace fs = std::filesystem;

nlohmann::json kernel_of(const nlohmann::json& json, const std::string& short_name, const std::string& architecture)
{
    for (const nlohmann::json& entry : json["kernels"])
        if (entry["short_name"] == short_name && entry["architecture"] == architecture) return entry;
    ADD_FAILURE() << "no " << short_name << " for " << architecture;
    return {};
}

TEST(inspect_verb, reads_a_log_from_a_file_and_from_standard_input)
{
    const call file = launchbox_run({"inspect", log_90, "--threads", "256", "--format", "json"});
    EXPECT_EQ(file.status, 0) << file.err;
    EXPECT_EQ(file.err, "");
    EXPECT_TRUE(file.out.starts_with("{\n  \"schema\": \"launchbox.kernels/2\""));
    nlohmann::json from_file = file.json();
    nlohmann::json from_input =
        launchbox_run({"inspect", "-", "--threads", "256", "--format", "json"}, read_input(log_90)).json();
    EXPECT_EQ(from_input["inputs"][0]["file"], "-");
    ASSERT_EQ(from_file["kernels"].size(), from_input["kernels"].size());
    for (std::size_t i = 0; i < from_file["kernels"].size(); ++i) {
        from_file["kernels"][i].erase("source");
        from_input["kernels"][i].erase("source");
        EXPECT_EQ(from_file["kernels"][i], from_input["kernels"][i]);
        EXPECT_FALSE(from_file["kernels"][i]["occupancy"].is_null());
    }
}

TEST(inspect_verb, kernels_are_selected_by_pattern_and_architecture)
{
    const std::string all = repository_file("tests/data/logs/several_architectures.log");
    const nlohmann::json whole = launchbox_run({"inspect", all, "--format", "json"}).json();
    const nlohmann::json some = launchbox_run({"inspect", all, "--arch", "sm_90", "--format", "json"}).json();
    EXPECT_LT(some["kernels"].size(), whole["kernels"].size());
    for (const nlohmann::json& entry : some["kernels"]) EXPECT_EQ(entry["architecture"], "sm_90");

    const std::string name = whole["kernels"][0]["short_name"];
    const nlohmann::json one = launchbox_run({"inspect", all, "--kernel", name, "--format", "json"}).json();
    for (const nlohmann::json& entry : one["kernels"]) EXPECT_EQ(entry["short_name"], name);
    std::string misspelt = name;
    misspelt.back() = misspelt.back() == 'x' ? 'y' : 'x';
    expect_refused(launchbox_run({"inspect", all, "--kernel", misspelt}), "did you mean " + name + "?");
    expect_refused(launchbox_run({"inspect", all, "--kernel", "no such thing at all"}), "there are: ");
    expect_refused(launchbox_run({"inspect", log_90, "--arch", "sm_120"}), "");
}

TEST(inspect_verb, unreadable_input_is_refused)
{
    const temporary_directory folder;
    expect_refused(launchbox_run({"inspect", "no_such_file.log"}), "cannot open no_such_file.log");
    expect_refused(launchbox_run({"inspect", "no_such_file.cu"}), "cannot open no_such_file.cu");
    expect_refused(launchbox_run({"inspect", folder.path().string()}), "it contains no compiled CUDA code");
    fs::create_directory(folder.path() / "d.cu");
    expect_refused(launchbox_run({"inspect", (folder.path() / "d.cu").string()}), "is a folder");
    expect_refused(launchbox_run({"inspect", "a\x1b[31mb\xff.log"}), "a\\x1b[31mb\\xff.log");
}

TEST(inspect_verb, junk_gives_one_clear_message)
{
    std::string junk;
    unsigned state = 12345;
    for (int i = 0; i < 100'000; ++i) junk += static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
    const call binary = launchbox_run({"inspect", "-"}, junk);
    EXPECT_EQ(binary.status, 2);
    EXPECT_EQ(binary.err, "launchbox: standard input: it contains no compiled CUDA code\n");
    std::erase(junk, '\0');
    for (const std::string& text :
         {junk, std::string(), std::string("\n\n\n"), std::string("hello\n"), std::string(1'000'000, 'x')}) {
        const call result = launchbox_run({"inspect", "-"}, text);
        EXPECT_EQ(result.status, 2);
        EXPECT_EQ(lines_of(result.err).size(), 1u) << result.err.substr(0, 300);
        const bool empty = text.size() < 4;
        EXPECT_TRUE(result.says(empty ? "standard input: it is empty; nvcc reports to standard error"
                                      : "standard input: it has no report of ptxas or nvlink"))
            << result.err.substr(0, 300);
    }
    EXPECT_EQ(launchbox_run({"inspect", "-"}, junk).out, "");
    EXPECT_EQ(launchbox_run({"occupancy", "-", "--threads", "256"}, junk).status, 2);
    EXPECT_EQ(launchbox_run({"suggest", "-"}, junk).status, 2);
}

// Truncated anywhere, complete reports are shown, and the exit status is 0 or 2.
TEST(inspect_verb, a_truncated_log_shows_its_complete_reports)
{
    const std::string text = read_input(log_90);
    const std::size_t whole = launchbox_run({"inspect", log_90, "--format", "json"}).json()["kernels"].size();
    ASSERT_GT(whole, 2u);
    const std::size_t last = text.rfind("Compiling entry function");
    ASSERT_NE(last, std::string::npos);
    const call cut = launchbox_run({"inspect", "-", "--format", "json"}, text.substr(0, last + 60));
    EXPECT_EQ(cut.status, 2);
    EXPECT_GE(cut.json()["kernels"].size(), whole - 1);
    EXPECT_TRUE(cut.says("it ends inside a report")) << cut.err;
    EXPECT_FALSE(cut.json()["inputs"][0]["errors"].empty());
    for (std::size_t length = 0; length < text.size(); length += text.size() / 25) {
        const call each = launchbox_run({"inspect", "-", "--format", "json"}, text.substr(0, length));
        EXPECT_TRUE(each.status == 0 || each.status == 2) << length << ": " << each.status;
        EXPECT_NO_THROW((void)each.json()) << length;
    }
}

TEST(inspect_verb, one_bad_input_among_many_is_reported_and_the_others_are_done)
{
    const call result = launchbox_run({"inspect", "missing.log", log_90, "--format", "json"});
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(result.says("missing.log"));
    const nlohmann::json json = result.json();
    ASSERT_EQ(json["inputs"].size(), 2u);
    EXPECT_EQ(json["inputs"][0]["kernels"], 0);
    EXPECT_EQ(json["inputs"][0]["errors"].size(), 1u);
    EXPECT_TRUE(json["inputs"][1]["errors"].empty());
    EXPECT_GT(json["kernels"].size(), 0u);
}

TEST(inspect_verb, hostile_names_do_no_harm_in_any_form)
{
    std::string name = "k\x1b[2J\x1b]0;title\x07\"<b>|,\\\xff\xc2\x9b[31m\x01`$(id)";
    const std::string log = "ptxas info    : Compiling entry function '" + name +
                            "' for 'sm_90'\nptxas info    : Function properties for " + name +
                            "\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                            "ptxas info    : Used 32 registers, used 1 barriers, 352 bytes cmem[0]\n"
                            "error   : \x1b[2J'" +
                            name + "'\nptxas error   : \x1b[31m" + name + "\n";
    for (const char* format : {"table", "json", "csv", "markdown"})
        for (const char* verb : {"inspect", "occupancy", "suggest"}) {
            std::vector<std::string> words{verb, "-", "--format", format};
            if (std::string(verb) != "suggest") words.insert(words.end(), {"--threads", "256"});
            const call result = launchbox_run(words, log);
            EXPECT_TRUE(result.shows("32")) << verb << ' ' << format << result.err;
            for (const std::string& text : {result.out, result.err})
                for (char c : text) {
                    const auto byte = static_cast<unsigned char>(c);
                    ASSERT_TRUE(byte >= 0x20 || c == '\n' || c == '\r') << verb << ' ' << format << ' ' << int{byte};
                    ASSERT_NE(byte, 0xff);
                }
            if (std::string(format) == "json") {
                EXPECT_NO_THROW((void)result.json()) << verb;
            }
        }
}

TEST(inspect_verb, compiles_a_source_for_every_architecture)
{
    NEEDS_NVCC();
    const call result =
        launchbox_run({"inspect", "examples/merge.cu", "--arch", "sm_80,sm_90,sm_120", "--format", "json"});
    EXPECT_EQ(result.status, 0) << result.err;
    const nlohmann::json json = result.json();
    EXPECT_EQ(json["kernels"].size(), 6u);
    const nlohmann::json greedy = kernel_of(json, "merge_tiles_greedy<int, 256, 23>", "sm_80");
    EXPECT_EQ(greedy["max_threads"], nlohmann::json::array({256, 1, 1}));
    EXPECT_EQ(greedy["min_blocks"], 8);
    EXPECT_EQ(greedy["register_cap"], 32);
    EXPECT_EQ(greedy["static_shared_bytes"], 23552);
    EXPECT_EQ(greedy["occupancy"]["resident_blocks"], 6);
    EXPECT_EQ(greedy["occupancy"]["limiters"], nlohmann::json::array({"shared"}));
    EXPECT_EQ(greedy["diagnoses"][0]["id"], "bound_bought_nothing");
    EXPECT_EQ(kernel_of(json, "merge_tiles_greedy<int, 256, 23>", "sm_120")["diagnoses"][0]["id"], "bound_ignored");
}

// The compiler's own message, with file and line, once for all architectures.
TEST(inspect_verb, a_source_that_does_not_compile_shows_the_compilers_message)
{
    NEEDS_NVCC();
    const call result =
        launchbox_run({"inspect", "tests/data/kernels/syntax_error.cu", "--arch", "sm_80,sm_90", "--format", "json"});
    EXPECT_EQ(result.status, 2);
    const std::string told = "tests/data/kernels/syntax_error.cu(3): identifier \"undefined_name\" is undefined";
    EXPECT_NE(result.err.find(told), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find(told), result.err.rfind(told)) << result.err;
    EXPECT_FALSE(result.says("sm_")) << "as if it were of one architecture: " << result.err;
    EXPECT_TRUE(result.json()["kernels"].empty());
    EXPECT_FALSE(result.json()["inputs"][0]["errors"].empty());

    const call assembly = launchbox_run({"inspect", "tests/data/kernels/bad_assembly.cu", "--arch", "sm_90"});
    EXPECT_EQ(assembly.status, 2);
    EXPECT_TRUE(assembly.says("sm_90: ")) << assembly.err;
    EXPECT_FALSE(assembly.says("aborted due to errors")) << "it says why before: " << assembly.err;
}

// An error of some architectures is printed once and names them.
TEST(inspect_verb, an_error_of_some_architectures_names_them)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const std::string file = (folder.path() / "some.cu").string();
    write_file_atomically(file,
                          "__global__ void k(int* p)\n{\n#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 900\n"
                          "#error \"needs 9.0\"\n#endif\n    *p = 1;\n}\n");
    for (const char* verb : {"inspect", "bounds"}) {
        const call result = launchbox_run({verb, file, "--arch", "sm_80,sm_86,sm_90", "--threads", "1024"});
        EXPECT_EQ(result.status, 2);
        EXPECT_TRUE(result.says("sm_80, sm_86: ")) << result.err;
        EXPECT_EQ(result.err.find("needs 9.0"), result.err.rfind("needs 9.0")) << result.err;
    }
    write_file_atomically(file, "__global__ void k() { asm volatile(\"wgmma.fence.sync.aligned;\"); }\n");
    const call assembled = launchbox_run({"inspect", file, "--arch", "sm_80,sm_90,sm_90a"});
    EXPECT_TRUE(assembled.says("not supported on .target 'sm_80, sm_90'")) << assembled.err;
    EXPECT_EQ(assembled.err.find("wgmma"), assembled.err.rfind("wgmma")) << assembled.err;
    const call old = launchbox_run({"inspect", file, "--arch", "sm_20,sm_30,sm_90"});
    EXPECT_TRUE(old.says("cannot compile for sm_20, sm_30")) << old.err;
}

TEST(inspect_verb, a_file_without_kernels_and_an_architecture_unknown_to_nvcc_are_reported)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const fs::path file = folder.path() / "host only.cu";
    write_file_atomically(file, "int main() { return 0; }\n");
    const call empty = launchbox_run({"inspect", file.string(), "--arch", "sm_90"});
    EXPECT_EQ(empty.status, 2);
    EXPECT_TRUE(empty.says("it has no instantiated __global__ function"));
    const call old = launchbox_run({"inspect", "examples/merge.cu", "--arch", "sm_20,sm_90", "--format", "json"});
    EXPECT_EQ(old.status, 2);
    EXPECT_TRUE(old.says("cannot compile for sm_20"));
    EXPECT_EQ(old.json()["kernels"].size(), 2u);  // the other file is done
}

TEST(inspect_verb, without_a_compiler_the_install_command_is_named)
{
    const temporary_directory folder;
    expect_refused(launchbox_run({"inspect", "examples/merge.cu", "--arch", "sm_90", "--nvcc", folder.path().string()}),
                   "is not a working CUDA compiler");
    expect_refused(launchbox_run({"inspect", "examples/merge.cu", "--arch", "sm_90", "--nvcc", "/bin/true"}),
                   "is not a working CUDA compiler");
}

// A killed nvcc leaves its temporary files: they are in a folder that the next start clears.
TEST(inspect_verb, nvcc_works_in_a_folder_that_is_cleared)
{
    const temporary_directory folder;
    const fs::path nvcc = make_nvcc(
        folder.path(), "case $TMPDIR in */launchbox-run-*) finish ;; *) echo \"not in $TMPDIR\"; exit 1 ;; esac");
    const call result = launchbox_run(
        {"inspect", "examples/merge.cu", "--arch", "sm_90", "--no-cache", "--nvcc", nvcc.string(), "--format", "json"});
    EXPECT_EQ(result.status, 0) << result.err;
}

TEST(inspect_verb, flags_after_two_dashes_reach_the_compiler)
{
    const temporary_directory folder;
    const fs::path nvcc = make_nvcc(folder.path(), "echo 'x.cu(7): error: told' >&2; exit 1");
    const call failed = launchbox_run({"inspect", "examples/merge.cu", "--arch", "sm_90", "--nvcc", nvcc.string()});
    EXPECT_EQ(failed.status, 2);
    EXPECT_TRUE(failed.says("sm_90: x.cu(7): told")) << failed.err;
    NEEDS_NVCC();
    const call limited = launchbox_run(
        {"inspect", "tests/data/kernels/spills.cu", "--arch", "sm_90", "--format", "json", "--", "-maxrregcount=32"});
    EXPECT_EQ(limited.status, 0) << limited.err;
    EXPECT_LE(limited.json()["kernels"][0]["registers"], 32);
}

TEST(inspect_verb, a_source_is_read_for_mistakes_around_its_kernels)
{
    NEEDS_NVCC();
    const std::vector<std::string> words{"inspect", "tests/data/kernels/launches.cu", "--arch", "sm_80,sm_90"};
    const auto with = [&](std::vector<std::string> more) {
        std::vector<std::string> all = words;
        all.insert(all.end(), more.begin(), more.end());
        return launchbox_run(all);
    };
    const call whole = with({"--format", "json", "--", "-maxrregcount=32"});
    EXPECT_EQ(whole.status, 0) << whole.err;
    const nlohmann::json json = whole.json();
    std::string found;
    for (const nlohmann::json& entry : json["inputs"][0]["diagnoses"]) {
        EXPECT_EQ(entry["file"], "tests/data/kernels/launches.cu");
        found += entry["id"].get<std::string>() + ':' + std::to_string(entry["line"].get<int>()) + ' ';
    }
    EXPECT_EQ(found, "maxrregcount_ignored:13 host_reads_cuda_arch:21 launch_over_bound:22 ");
    // The findings rely on the figures of both compilations.
    EXPECT_EQ(kernel_of(json, "scale", "sm_80")["max_threads"][0], 256);
    EXPECT_EQ(kernel_of(json, "scale", "sm_90")["max_threads"][0], 512);
    EXPECT_EQ(kernel_of(json, "shift", "sm_90")["max_threads"][0], 128);
    EXPECT_EQ(kernel_of(json, "shift", "sm_90")["diagnoses"].size(), 0u);

    const call table = with({});
    EXPECT_TRUE(table.shows("\n\n  host_reads_cuda_arch (tests/data/kernels/launches.cu:21): ")) << table.out;
    EXPECT_FALSE(table.shows("maxrregcount_ignored"));
    // Findings about kernels that were not asked for are left out; summaries and differences have none.
    EXPECT_FALSE(with({"--kernel", "scale"}).shows("launch_over_bound"));
    EXPECT_TRUE(with({"--kernel", "shift"}).shows("launch_over_bound"));
    EXPECT_TRUE(with({"--sort", "registers"}).shows("launch_over_bound"));
    EXPECT_FALSE(with({"--summary"}).shows("launch_over_bound"));
    EXPECT_FALSE(with({"--diff", words[1], "--format", "json"}).json()["before"][0].contains("diagnoses"));
    EXPECT_TRUE(launchbox_run({"inspect", log_90, "--format", "json"}).json()["inputs"][0]["diagnoses"].empty());
}

TEST(inspect_verb, a_source_that_does_not_compile_is_still_searched_for_mistakes)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const fs::path file = folder.path() / "k\x1b[2J.cu";
    write_file_atomically(file, "void f() { k<<<1, 2048>>>(); }\n");
    const call result = launchbox_run({"inspect", file.string(), "missing.cu", "--arch", "sm_90"});
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(result.shows("launch_over_1024")) << result.out;
    EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
    EXPECT_TRUE(result.says("cannot open missing.cu"));
}

TEST(inspect_verb, the_size_of_a_file_without_images_has_no_table_of_images)
{
    const call log = launchbox_run({"inspect", log_90, "--size"});
    EXPECT_EQ(log.status, 0);
    EXPECT_FALSE(log.shows("unpacked")) << log.out;
}

TEST(inspect_verb, options_of_views_are_refused_with_one_clear_line)
{
    expect_refused(launchbox_run({"inspect", log_90, "--sort", "regs"}),
                   "--sort: 'regs' is not one of registers, spills, ");
    expect_refused(launchbox_run({"inspect", log_90, "--sort"}), "--sort");
    expect_refused(launchbox_run({"inspect", log_90, "--top", "0"}), "--top");
    expect_refused(launchbox_run({"inspect", log_90, "--top", "many"}), "--top");
    expect_refused(launchbox_run({"inspect", log_90, "--spiling"}), "did you mean --spilling?");
    expect_refused(launchbox_run({"inspect", log_90, "--sumary"}), "did you mean --summary?");
    expect_refused(launchbox_run({"inspect", log_90, "--diff"}), "--diff");
    for (const std::vector<std::string>& other : {std::vector<std::string>{"--diff", log_90},
                                                  {"--sort", "name"},
                                                  {"--top", "3"},
                                                  {"--spilling"},
                                                  {"-t", "64"}}) {
        std::vector<std::string> words{"inspect", log_90, "--summary"};
        words.insert(words.end(), other.begin(), other.end());
        expect_refused(launchbox_run(words), "excludes");
    }
    expect_refused(launchbox_run({"inspect", log_90, "--diff", log_90, "--spilling"}), "excludes");
    expect_refused(launchbox_run({"inspect", log_90, "--diff", log_90, "--sort", "name"}), "excludes");
    expect_refused(launchbox_run({"inspect", log_90, "--diff", "missing.log"}), "cannot open missing.log");
    expect_refused(launchbox_run({"inspect", "-", "--diff", "-"}, "x"), "standard input cannot be both sides");
    expect_refused(launchbox_run({"inspect", log_90, "--diff", log_90, "-k", "no such"}),
                   "no kernel matches 'no such'");
}

TEST(inspect_verb, only_spilling_kernels_and_the_number_of_unknown_ones)
{
    const std::string linked = repository_file("tests/data/logs/historical_cuda8.log");
    const call unknown = launchbox_run({"inspect", linked, "--spilling"});
    EXPECT_EQ(unknown.status, 0) << unknown.err;
    const auto whole = launchbox_run({"inspect", linked, "--format", "json"}).json();
    const auto some = launchbox_run({"inspect", linked, "--spilling", "--format", "json"}).json();
    std::size_t not_told = 0;
    for (const auto& entry : whole["kernels"]) not_told += entry["spill_store_bytes"].is_null() ? 1 : 0;
    EXPECT_GT(not_told, 0u);
    EXPECT_EQ(some["selection"]["spills_unknown"], not_told);
    EXPECT_TRUE(unknown.shows(std::to_string(not_told) + " more may spill: the input does not contain their spills."));
    const auto spills =
        launchbox_run({"inspect", repository_file("tests/data/logs/spills.log"), "--spilling", "--format", "json"})
            .json();
    EXPECT_GT(spills["kernels"].size(), 0u);
    for (const auto& spill : spills["kernels"])
        EXPECT_GT(spill["spill_store_bytes"].get<int>() + spill["spill_load_bytes"].get<int>(), 0);
}

TEST(inspect_verb, sorted_and_cut_in_every_format)
{
    const std::vector<std::string> words{"inspect", log_90, "--threads", "256", "--sort", "registers", "--top", "3"};
    const auto in = [&](const std::string& format) {
        std::vector<std::string> all = words;
        all.insert(all.end(), {"--format", format});
        return launchbox_run(all);
    };
    const auto json = in("json").json();
    ASSERT_EQ(json["kernels"].size(), 3u);
    EXPECT_EQ(json["selection"]["sorted_by"], "registers");
    const std::size_t all = launchbox_run({"inspect", log_90, "--format", "json"}).json()["kernels"].size();
    EXPECT_EQ(json["selection"]["not_shown"], all - 3);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_GE(json["kernels"][i]["registers"], json["kernels"][i + 1]["registers"]);
    EXPECT_EQ(lines_of(in("csv").out).size(), 4u);
    EXPECT_TRUE(in("markdown").shows(std::to_string(all - 3) + " more: --top all"));
    EXPECT_TRUE(in("table").shows(std::to_string(all - 3) + " more: --top all"));
}

TEST(inspect_verb, a_log_does_not_differ_from_itself_but_from_a_worse_one)
{
    const call same = launchbox_run({"inspect", log_90, "--diff", log_90});
    EXPECT_EQ(same.status, 0) << same.err;
    EXPECT_TRUE(same.shows(" 0 worse, 0 better, 0 changed otherwise")) << same.out;
    std::string text = read_input(log_90);
    for (std::size_t at = 0; (at = text.find("Used 10 registers", at)) != std::string::npos;)
        text.replace(at, 7, "Used 99");
    const call worse = launchbox_run({"inspect", log_90, "--diff", "-", "--threads", "256", "--format", "json"}, text);
    EXPECT_EQ(worse.status, 0) << worse.err;
    EXPECT_GT(worse.json()["counts"]["worse"], 0);
    EXPECT_EQ(worse.json()["after"][0]["file"], "-");
    const call better = launchbox_run({"inspect", "-", "--diff", log_90, "--format", "json"}, text);
    EXPECT_EQ(better.json()["counts"]["better"], worse.json()["counts"]["worse"]);
    // A kernel on only one side is no error.
    const std::string other = repository_file("tests/data/logs/spills.log");
    const auto one = launchbox_run({"inspect", log_90, "--diff", other, "-k", "spilling", "--format", "json"});
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_GT(one.json()["appeared"].size(), 0u);
    EXPECT_EQ(one.json()["vanished"].size(), 0u);
}

TEST(inspect_verb, a_source_is_compared_with_its_next_version)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const std::string file = repository_file("tests/data/kernels/bounds.cu");
    const call same = launchbox_run({"inspect", file, "--arch", "sm_90", "--diff", file, "--format", "json"});
    EXPECT_EQ(same.status, 0) << same.err;
    const auto counts = same.json()["counts"];
    EXPECT_EQ(counts["unchanged"], counts["compared"]);
    EXPECT_GT(counts["compared"], 0);
}

TEST(inspect_verb, a_summary_includes_every_input)
{
    const call both = launchbox_run({"inspect", log_90, repository_file("tests/data/logs/spills.log"), "--summary"});
    EXPECT_EQ(both.status, 0) << both.err;
    EXPECT_TRUE(both.shows("basic_sm_90.log: compiler log, ")) << both.out;
    EXPECT_TRUE(both.shows("spills.log: compiler log, ")) << both.out;
    const call bad = launchbox_run({"inspect", log_90, "missing.log", "--summary", "--format", "json"});
    EXPECT_EQ(bad.status, 2);
    EXPECT_EQ(bad.json()["inputs"][1]["errors"].size(), 1u);
}

// A log with many kernels whose names differ only in the middle.
std::string log_of_many(int kernels, int registers)
{
    std::string text;
    for (int i = 0; i < kernels; ++i) {
        const std::string name = "a_kernel_with_a_rather_long_name_in_front_of_number_" + std::to_string(i) +
                                 "_and_much_behind_it_that_is_the_same_for_all_of_them";
        text += "ptxas info    : Compiling entry function '" + name + "' for 'sm_90'\n" +
                "ptxas info    : Function properties for " + name +
                "\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\nptxas info    : Used " +
                std::to_string(registers) + " registers, used 0 barriers, 352 bytes cmem[0]\n";
    }
    return text;
}

TEST(inspect_verb, a_table_is_cut_and_says_how_to_show_the_rest)
{
    const std::string log = log_of_many(300, 32);
    const auto rows = [](const call& result) {
        const std::vector<std::string> lines = lines_of(result.out);
        return std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
            return line.find("sm_90 ") != std::string::npos || line.starts_with("| sm");
        });
    };
    for (const char* format : {"table", "markdown"}) {
        const call usual = launchbox_run({"inspect", "-", "--format", format}, log);
        EXPECT_EQ(rows(usual), 200) << format;
        EXPECT_TRUE(usual.shows("100 more are not shown: ")) << format;
        const call all = launchbox_run({"inspect", "-", "--format", format, "--top", "all"}, log);
        EXPECT_EQ(rows(all), 300) << format;
        EXPECT_FALSE(all.shows("not shown"));
    }
    EXPECT_TRUE(launchbox_run({"inspect", "-"}, log).shows("--top all shows them"));
    EXPECT_EQ(launchbox_run({"inspect", "-", "--format", "json"}, log).json()["kernels"].size(), 300u);
    EXPECT_EQ(lines_of(launchbox_run({"inspect", "-", "--format", "csv"}, log).out).size(), 301u);
    expect_refused(launchbox_run({"inspect", "-", "--top", "some"}, log), "--top");

    // No two rows look alike.
    std::vector<std::string> lines = lines_of(launchbox_run({"inspect", "-"}, log).out);
    std::erase_if(lines, [](const std::string& line) { return line.find("sm_90 ") == std::string::npos; });
    std::sort(lines.begin(), lines.end());
    EXPECT_EQ(std::unique(lines.begin(), lines.end()), lines.end());

    const temporary_directory folder;
    const std::string before = (folder.path() / "before.log").string();
    write_file_atomically(folder.path() / "before.log", log_of_many(300, 24));
    const call diff = launchbox_run({"inspect", before, "--diff", "-"}, log);
    EXPECT_EQ(rows(diff), 200);
    EXPECT_TRUE(diff.shows("Worse: 300")) << diff.out.substr(0, 500);
    EXPECT_TRUE(diff.shows("100 more are not shown: --top all shows them"));
    EXPECT_EQ(rows(launchbox_run({"inspect", before, "--diff", "-", "--top", "all"}, log)), 300);
    EXPECT_EQ(launchbox_run({"inspect", before, "--diff", "-", "--format", "json"}, log).json()["changes"].size(),
              300u);
}

}  // namespace
}  // namespace launchbox
