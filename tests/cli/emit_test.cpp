// launchbox emit, with the record in the repository.
#include <filesystem>
#include <fstream>
#include <functional>

#include "tool.hpp"

namespace launchbox {
namespace {

const std::string record = "measurements/nvidia-h200/tune_block_sort.json";
const std::string header = "examples/block_sort/tuning.hpp";

TEST(emit_verb, writes_a_header_and_then_has_nothing_to_change)
{
    temporary_directory folder;
    const std::string file = (folder.path() / "a.hpp").string();
    const call first = launchbox_run({"emit", record, "-o", file, "--box", "sort"});
    EXPECT_EQ(first.status, 0) << first.err;
    EXPECT_TRUE(first.shows("sm_90: threads=64 items=17 min_blocks=0, ")) << first.out;
    const std::string text = read_input(file);
    EXPECT_EQ(launchbox_run({"emit", record, "--box", "sort"}).out, text);
    EXPECT_EQ(launchbox_run({"emit", record, "-o", file, "--box", "sort"}).status, 0);
    EXPECT_EQ(read_input(file), text);
    EXPECT_EQ(launchbox_run({"emit", "--check", "-o", file}).status, 0);
    EXPECT_EQ(launchbox_run({"emit", record, "--check", "-o", file, "--box", "sort"}).status, 0);
}

TEST(emit_verb, check_fails_with_file_and_line)
{
    temporary_directory folder;
    const std::string file = (folder.path() / "a.hpp").string();
    std::string text = read_input(repository_file(header));
    const std::size_t at = text.find("{64, 17, 0}>");
    ASSERT_NE(at, std::string::npos);
    write_file_atomically(file, text.replace(at, 3, "{32"));
    const call alone = launchbox_run({"emit", "--check", "-o", file});
    EXPECT_EQ(alone.status, 1);
    EXPECT_TRUE(alone.shows(file + ":")) << alone.out;
    EXPECT_TRUE(alone.shows("says {64, 17, 0}, not {32, 17, 0}")) << alone.out;
    EXPECT_EQ(launchbox_run({"emit", record, "--check", "-o", file, "--box", "block_sort_tuning"}).status, 1);
    EXPECT_EQ(read_input(file), text);
}

// In moderngpu's style; the same command again does not change the header.
TEST(emit_verb, names_with_scope_are_members_of_a_launch_box)
{
    temporary_directory folder;
    const std::string file = (folder.path() / "a.hpp").string(), renamed = (folder.path() / "a.json").string();
    std::string text = read_input(repository_file(record));
    for (const auto& [from, to] : {std::pair<std::string, std::string>{"\"threads\"", "\"NT\""},
                                   {"\"items\"", "\"VT\""},
                                   {"\"min_blocks\"", "\"wanted\""}})
        for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
            text.replace(at, from.size(), to);
    write_file_atomically(renamed, text);
    const std::vector<std::string> words{"emit", renamed, "--root", folder.path().string(), "--box",
                                         "sort", "-o",    file,     "--min-blocks-name",    "wanted"};
    ASSERT_EQ(launchbox_run(words).status, 0);
    const std::string made = read_input(file);
    for (const char* member : {"int threads = {};", "int items = {};", "int min_blocks = {};", "sort_row{64, 17, 0}"})
        EXPECT_NE(made.find(member), std::string::npos) << member << " in " << made;
    EXPECT_EQ(launchbox_run(words).status, 0);
    EXPECT_EQ(read_input(file), made);
    expect_refused(launchbox_run({"emit", renamed, "--threads-name", "nothing"}),
                   "the spec has no parameter 'nothing'");
    expect_refused(launchbox_run({"emit", renamed, "--threads-name", "NT", "--format", "defines"}),
                   "name the members of launchbox emit's own rows");
}

// A check that compared nothing has not passed.
TEST(emit_verb, check_of_a_header_without_a_measured_row_exits_with_2)
{
    temporary_directory folder;
    const std::string file = (folder.path() / "a.hpp").string();
    std::string text = read_input(repository_file(header));
    const std::size_t begin = text.find("    // measured: "), end = text.find("    launchbox::sm<90");
    ASSERT_LT(begin, end);
    write_file_atomically(file, text.replace(begin, end - begin, "    // baseline, not measured\n"));
    for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--box", "block_sort_tuning"}}) {
        std::vector<std::string> words{"emit", "--check", "-o", file};
        words.insert(words.end(), more.begin(), more.end());
        expect_refused(launchbox_run(words), "nothing was checked: no row names a record");
        words.emplace_back("--allow-empty");
        EXPECT_EQ(launchbox_run(words).status, 0);
    }
    EXPECT_EQ(read_input(file), text);
    expect_refused(launchbox_run({"emit", record, "--allow-empty"}), "--allow-empty needs --check");
}

TEST(emit_verb, check_reads_no_record_outside_the_root)
{
    temporary_directory folder;
    const std::string file = (folder.path() / "a.hpp").string();
    const std::string original = read_input(repository_file(header)), named = "// record: " + record;
    ASSERT_NE(original.find(named), std::string::npos);
    std::filesystem::create_directory(folder.path() / "root");
    std::filesystem::create_symlink(repository_file("measurements"), folder.path() / "root/measurements");
    const auto check = [&](const std::string& path, const std::string& root) {
        std::string text = original;
        for (std::size_t at = 0; (at = text.find(named, at)) != std::string::npos; at += path.size())
            text.replace(at, named.size(), "// record: " + path);
        write_file_atomically(file, text);
        return launchbox_run({"emit", "--check", "-o", file, "--root", root});
    };
    EXPECT_EQ(check(record, ".").status, 0);
    for (const std::string& outside : {repository_file(record), "../" + record, "examples/../../" + record}) {
        const call refused = check(outside, repository_file("examples"));
        EXPECT_EQ(refused.status, 1) << outside;
        EXPECT_TRUE(refused.shows("is not below ")) << refused.out;
    }
    EXPECT_TRUE(check(record, (folder.path() / "root").string()).shows("is not below ")) << "a link leads out";
}

// The figures in a header are not trusted: the tool reads every record again.
TEST(emit_verb, every_header_in_the_repository_agrees_with_its_records)
{
    std::vector<std::string> headers;
    for (const char* folder : {"include/launchbox/tunings", "examples"})
        for (const auto& entry : std::filesystem::recursive_directory_iterator(repository_file(folder)))
            if (entry.path().extension() == ".hpp" && read_input(entry.path()).find("\n// table ") != std::string::npos)
                headers.push_back(entry.path());
    EXPECT_GE(headers.size(), 4u);
    for (const std::string& file : headers) {
        const call checked = launchbox_run({"emit", "--check", "-o", file});
        EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
        EXPECT_TRUE(checked.shows(" what")) << checked.out;
    }
}

TEST(emit_verb, explains_which_architectures_inherit_and_which_do_not_compile)
{
    const call result = launchbox_run({"emit", record, "--explain", "--arch", "sm_80,sm_90,sm_120"});
    EXPECT_EQ(result.status, 0) << result.err;
    for (const char* words : {"the worst workload", "does not compile", "the row of sm_90, measured on NVIDIA H200\n",
                              "the row of sm_90, measured on NVIDIA H200, inherited"})
        EXPECT_TRUE(result.shows(words)) << words << result.out;
}

TEST(emit_verb, has_formats_for_programs)
{
    const nlohmann::json json = launchbox_run({"emit", record, "--form", "json"}).json();
    EXPECT_EQ(json["schema"], "launchbox.rows/1");
    EXPECT_EQ(json["tables"][0]["rows"][0]["parameters"]["threads"], 64);
    EXPECT_EQ(json["tables"][0]["rows"][0]["workloads"].size(), 4u);
    EXPECT_TRUE(launchbox_run({"emit", record, "--form", "defines", "--box", "s"}).shows("sm_90 -DS_THREADS=64 "));
    EXPECT_TRUE(launchbox_run({"emit", record, "--form", "constexpr", "--box", "s"}).shows("s_for(int architecture)"));
}

TEST(emit_verb, refuses_and_leaves_files_alone)
{
    expect_refused(launchbox_run({"emit"}), "no record");
    expect_refused(launchbox_run({"emit", "--check"}), "--check needs a header");
    expect_refused(launchbox_run({"emit", record, "--arch", "sm_90"}), "--explain");
    expect_refused(launchbox_run({"emit", record, "--box", "a-b"}), "is not a C++ name");
    expect_refused(launchbox_run({"emit", record, "--name", "other"}), "no run has the name");
    expect_refused(launchbox_run({"emit", record, "--workload", "n=5"}), "nothing was measured");
    expect_refused(launchbox_run({"emit", record, "-o", header, "--box", "other"}), "has no table other");
    expect_refused(launchbox_run({"emit", record, "--spec", "examples/tune_program/tune_program.toml"}), "is stale");
    expect_refused(launchbox_run({"emit", header}), "");
}

// Line ends as git makes them on Windows.
TEST(emit_verb, a_header_keeps_windows_line_ends)
{
    temporary_directory folder;
    const std::string file = (folder.path() / "a.hpp").string();
    ASSERT_EQ(launchbox_run({"emit", record, "-o", file, "--box", "sort"}).status, 0);
    std::string text;
    for (const char letter : read_input(file)) text += letter == '\n' ? "\r\n" : std::string(1, letter);
    write_file_atomically(file, text);
    EXPECT_EQ(launchbox_run({"emit", "--check", "-o", file}).status, 0);
    EXPECT_EQ(launchbox_run({"emit", record, "--check", "-o", file, "--box", "sort"}).status, 0);
    EXPECT_EQ(launchbox_run({"emit", record, "-o", file, "--box", "sort"}).status, 0);
    EXPECT_EQ(read_input(file), text);
    std::string other = text;
    write_file_atomically(file, other.replace(other.find("{64, 17, 0}>"), 3, "{32"));
    EXPECT_EQ(launchbox_run({"emit", "--check", "-o", file}).status, 1);
    const call updated = launchbox_run({"emit", record, "-o", file, "--box", "sort"});
    EXPECT_EQ(updated.status, 0) << updated.err;
    EXPECT_EQ(read_input(file), text);
}

TEST(emit_verb, names_that_match_nothing_or_are_invalid_are_refused)
{
    expect_refused(launchbox_run({"emit", record, "--gpu", "none"}), "no run was on 'none'");
    EXPECT_EQ(launchbox_run({"emit", record, "--gpu", "h200"}).status, 0) << "as results --gpu h200";
    for (const char* row : {"a; b", "int", "my::", "1row", "row<int>", "a b"})
        expect_refused(launchbox_run({"emit", record, "--row", row}), "is not the name of a C++ type");
    for (const char* row : {"row", "my::row", "::my::row"})
        EXPECT_EQ(launchbox_run({"emit", record, "--row", row}).status, 0) << row;
}

// The record with one of four workloads, attributed to another GPU; `change` may edit it.
void write_record_of(const std::string& gpu, const std::string& architecture, const std::filesystem::path& file,
                     const std::function<void(nlohmann::ordered_json&)>& change = {})
{
    static const nlohmann::ordered_json small = [] {
        nlohmann::ordered_json whole = nlohmann::ordered_json::parse(read_input(repository_file(record)));
        nlohmann::ordered_json kept = nlohmann::ordered_json::array();
        for (nlohmann::ordered_json& candidate : whole["candidates"])
            if (candidate["workload"]["type"] == "long long" && candidate["workload"]["n"] == 1048576)
                kept.push_back(std::move(candidate));
        whole["candidates"] = std::move(kept);
        whole["races"] = nlohmann::ordered_json::array();
        return whole;
    }();
    nlohmann::ordered_json made = small;
    made["environments"][0]["gpu"] = gpu;
    made["environments"][0]["architecture"] = architecture;
    if (change) change(made);
    write_file_atomically(file.string(), made.dump());
}

// 1,024 threads with 15 items win: with keys of 8 bytes they take 127 KB of shared memory.
void let_large_blocks_win(nlohmann::ordered_json& made)
{
    for (nlohmann::ordered_json& candidate : made["candidates"])
        if (candidate["parameters"]["threads"] == 1024 && candidate["parameters"]["items"] == 15) {
            candidate["stopped_early"] = false;
            for (nlohmann::ordered_json& sample : candidate["samples_ns"]) sample = sample.get<double>() / 100;
        }
}

class predicted_rows : public ::testing::Test {
protected:
    void SetUp() override
    {
        write_record_of("NVIDIA H200", "sm_90", folder.path() / "h200.json");
        write_record_of("NVIDIA A100", "sm_80", folder.path() / "a100.json");
    }

    call emit(std::vector<std::string> more) const
    {
        std::vector<std::string> words{"emit",  "h200.json", "a100.json", "--root", folder.path().string(),
                                       "--box", "sort"};
        words.insert(words.end(), more.begin(), more.end());
        return launchbox_run(words);
    }

    temporary_directory folder;
    std::string file = (folder.path() / "a.hpp").string();
};

TEST_F(predicted_rows, name_their_records_and_are_checked)
{
    const call made = emit({"--predict", "sm_86", "-o", file});
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_TRUE(made.shows("sort: sm_86: threads=64 items=17 min_blocks=2, predicted: 100.0 % of the best expected"));
    std::string text = read_input(file);
    const std::size_t begin = text.find("// predicted, not measured: 100.0 % of the best of ");
    ASSERT_NE(begin, std::string::npos) << text;
    EXPECT_NE(text.find("NVIDIA A100 (sm_80)", begin), std::string::npos);
    EXPECT_NE(text.find("NVIDIA H200 (sm_90)", begin), std::string::npos);
    EXPECT_NE(text.find("// record: a100.json ", begin), std::string::npos);
    EXPECT_NE(text.find("// record: h200.json ", begin), std::string::npos);
    EXPECT_NE(text.find("launchbox::sm<86, sort_row{64, 17, 2}>", begin), std::string::npos) << text;
    const std::vector<std::string> check{"emit", "--check", "-o", file, "--root", folder.path().string()};
    EXPECT_EQ(launchbox_run(check).status, 0);
    EXPECT_EQ(emit({"--predict", "sm_86", "-o", file}).status, 0);
    EXPECT_EQ(read_input(file), text);

    // A change of the row, the expectation or the record is detected.
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        const std::size_t at = changed.find(from, begin);
        EXPECT_NE(at, std::string::npos) << from;
        write_file_atomically(file, changed.replace(at, from.size(), to));
        return launchbox_run(check);
    };
    EXPECT_EQ(with("{64, 17, 2}", "{256, 11, 0}").status, 1);
    EXPECT_EQ(with("{64, 17, 2}", "{63, 17, 2}").status, 1);
    EXPECT_EQ(with("100.0 %", "99.9 %").status, 1);
    EXPECT_EQ(with("    // record: h200.json", "    // recorded: h200.json").status, 1);
    write_file_atomically(file, text);
    write_record_of("NVIDIA H200", "sm_90", folder.path() / "h200.json", let_large_blocks_win);
    EXPECT_EQ(launchbox_run(check).status, 1);
}

TEST_F(predicted_rows, are_replaced_by_measured_rows)
{
    ASSERT_EQ(emit({"--predict", "sm_86", "-o", file}).status, 0);
    write_record_of("NVIDIA A40", "sm_86", folder.path() / "a40.json");
    const call measured =
        launchbox_run({"emit", "a40.json", "--root", folder.path().string(), "--box", "sort", "-o", file});
    EXPECT_EQ(measured.status, 0) << measured.err;
    const std::string text = read_input(file);
    EXPECT_EQ(text.find("predicted"), std::string::npos) << text;
    EXPECT_NE(text.find("measured: NVIDIA A40"), std::string::npos);
    EXPECT_EQ(launchbox_run({"emit", "--check", "-o", file, "--root", folder.path().string()}).status, 0);
    // They do not replace a measured row.
    expect_refused(emit({"--predict", "sm_86", "-o", file}), "has a row for sm_86 that was measured");
    EXPECT_EQ(read_input(file), text);
}

TEST_F(predicted_rows, only_have_candidates_that_can_run_there)
{
    write_record_of("NVIDIA H200", "sm_90", folder.path() / "h200.json", let_large_blocks_win);
    write_record_of("NVIDIA A100", "sm_80", folder.path() / "a100.json", let_large_blocks_win);
    // A block of sm_86 has at most 99 KB of shared memory, one of sm_100 227 KB.
    EXPECT_TRUE(emit({"--predict", "sm_100"}).shows("launchbox::sm<100, sort_row{1024, 15,"));
    const call small = emit({"--predict", "sm_86", "--explain", "--arch", "sm_86"});
    EXPECT_EQ(small.status, 0) << small.err;
    EXPECT_TRUE(small.shows("better, but cannot run there: threads=1024 items=15")) << small.out;
    EXPECT_TRUE(small.shows("the row of sm_86, predicted, not measured")) << small.out;
    EXPECT_FALSE(emit({"--predict", "sm_86"}).shows("sm<86, sort_row{1024, 15,"));
}

// sm_90 inherits the row of sm_80, its best one; a row of sm_86 must not come between them.
TEST_F(predicted_rows, never_replace_a_measured_row)
{
    write_record_of("NVIDIA H200", "sm_90", folder.path() / "h200.json", let_large_blocks_win);
    write_record_of("NVIDIA A100", "sm_80", folder.path() / "a100.json", let_large_blocks_win);
    EXPECT_FALSE(emit({}).shows("launchbox::sm<90,"));
    for (int time = 0; time < 2; ++time) {  // into a new header, then into the same header
        EXPECT_EQ(emit({"--predict", "sm_86", "-o", file}).status, 0);
        const std::string text = read_input(file);
        EXPECT_NE(text.find("launchbox::sm<80, sort_row{1024, 15,"), std::string::npos) << text;
        EXPECT_EQ(text.find("launchbox::sm<86, sort_row{1024, 15,"), std::string::npos) << text;
        EXPECT_NE(text.find("launchbox::sm<90, sort_row{1024, 15,"), std::string::npos) << text;
    }
}

TEST_F(predicted_rows, are_in_the_other_formats)
{
    const nlohmann::json json = emit({"--predict", "sm_86,sm_100", "--format", "json"}).json();
    const nlohmann::json& predicted = json["tables"][0]["predicted"];
    ASSERT_EQ(predicted.size(), 2u);
    EXPECT_EQ(predicted[0]["architecture"], "sm_86");
    EXPECT_EQ(predicted[0]["parameters"]["threads"], 64);
    EXPECT_EQ(predicted[0]["expected_share"], 1);
    EXPECT_EQ(predicted[0]["records"].size(), 2u);
    EXPECT_EQ(predicted[0]["compiled"], nullptr);
    EXPECT_TRUE(emit({"--predict", "sm_86", "--format", "defines"}).shows("sm_86 -DSORT_THREADS=64"));
    EXPECT_TRUE(emit({"--predict", "sm_86", "--format", "constexpr"}).shows("{86, sort_row{64, 17, 2}}"));
}

TEST_F(predicted_rows, are_refused_if_nothing_can_be_predicted)
{
    expect_refused(emit({"--predict", "sm_90"}), "sm_90");
    expect_refused(emit({"--predict", "sm_86", "--within", "2%"}), "exclude each other");
    expect_refused(emit({"--predict", "sm_1"}), "sm_1");
    expect_refused(launchbox_run({"emit", record, "--predict", "sm_86"}), "NVIDIA H200 alone");
    write_record_of("NVIDIA A100", "sm_80", folder.path() / "a100.json", [](nlohmann::ordered_json& made) {
        for (nlohmann::ordered_json& candidate : made["candidates"]) candidate["verified"] = false;
    });
    write_record_of("NVIDIA H200", "sm_90", folder.path() / "h200.json", [](nlohmann::ordered_json& made) {
        for (nlohmann::ordered_json& candidate : made["candidates"]) candidate["verified"] = false;
    });
    expect_refused(emit({"--predict", "sm_86"}), "not compared with a reference");
    const call accepted = emit({"--predict", "sm_86", "--allow-unverified"});
    EXPECT_TRUE(accepted.shows("NVIDIA H200 (sm_90); outputs not verified")) << accepted.out << accepted.err;
}

}  // namespace
}  // namespace launchbox
