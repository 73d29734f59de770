// launchbox emit, with the repository's record.
#include <filesystem>
#include <fstream>

#include "tool.hpp"

namespace launchbox {
namespace {

const std::string record = "measurements/nvidia-h200/tune_block_sort.json";
const std::string header = "examples/block_sort/tuning.hpp";

TEST(emit_verb, writes_a_header_and_then_finds_nothing_to_change)
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

// As moderngpu names them; the same command again leaves the header as it is.
TEST(emit_verb, names_of_other_libraries_are_members_of_a_launch_box)
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

// A gate that saw nothing has not passed.
TEST(emit_verb, check_of_a_header_without_a_measured_row_is_2)
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

TEST(emit_verb, check_reads_no_record_outside_of_the_root)
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

// What a header says of a measurement is never taken on trust: the tool reads every record again.
TEST(emit_verb, every_header_here_is_what_its_records_say)
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

TEST(emit_verb, explains_who_inherits_and_who_does_not_compile)
{
    const call result = launchbox_run({"emit", record, "--explain", "--arch", "sm_80,sm_90,sm_120"});
    EXPECT_EQ(result.status, 0) << result.err;
    for (const char* words :
         {"the worst workload", "does not compile", "inherited from sm_90", "its own", "NVIDIA H200"})
        EXPECT_TRUE(result.shows(words)) << words << result.out;
}

TEST(emit_verb, has_forms_for_programs)
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
    expect_refused(launchbox_run({"emit", record, "--name", "other"}), "there are: block_sort");
    expect_refused(launchbox_run({"emit", record, "--workload", "n=5"}), "nothing was measured");
    expect_refused(launchbox_run({"emit", record, "-o", header, "--box", "other"}), "has no table other");
    expect_refused(launchbox_run({"emit", record, "--spec", "examples/tune_program/tune_program.toml"}), "is stale");
    expect_refused(launchbox_run({"emit", header}), "");
}

// As git makes them on Windows.
TEST(emit_verb, a_header_with_the_line_ends_of_windows_stays_one)
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

TEST(emit_verb, names_that_choose_nothing_or_are_no_names_are_refused)
{
    expect_refused(launchbox_run({"emit", record, "--gpu", "none"}), "no run was on 'none'");
    EXPECT_EQ(launchbox_run({"emit", record, "--gpu", "h200"}).status, 0) << "as results --gpu h200";
    for (const char* row : {"a; b", "int", "my::", "1row", "row<int>", "a b"})
        expect_refused(launchbox_run({"emit", record, "--row", row}), "is not the name of a C++ type");
    for (const char* row : {"row", "my::row", "::my::row"})
        EXPECT_EQ(launchbox_run({"emit", record, "--row", row}).status, 0) << row;
}

}  // namespace
}  // namespace launchbox
