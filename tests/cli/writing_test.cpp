// Output is written completely or the exit status says so; files that were read are never overwritten.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "support/files/own_temporaries.hpp"
#include "support/process/subprocess.hpp"
#include "tool.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

const std::string block_sort_record = "measurements/nvidia-h200/tune_block_sort.json";

// Runs a script in a shell with the tool as $L and the repository's root as $R, in the root or another folder.
subprocess_result shell(const std::string& script, const std::string& folder = LAUNCHBOX_SOURCE_DIR)
{
    return run({"bash", "-c", script}, {.directory = folder,
                                        .environment = {std::string("L=") + LAUNCHBOX_TOOL, ("R=" LAUNCHBOX_SOURCE_DIR),
                                                        "COLUMNS=100", "LC_ALL=C.UTF-8", "NO_COLOR="}});
}

TEST(writing, a_full_or_closed_standard_output_fails)
{
    for (const char* words :
         {"emit measurements/nvidia-h200/tune_block_sort.json", "--help", "--version", "tune --help",
          "emit measurements/nvidia-h200/tune_block_sort.json --explain", "results tests/data/results/example.json",
          "devices", "results --help", "occupancy --arch sm_90 --threads 256 --registers 32 --format json",
          "suggest --arch sm_90 --registers 32", "inspect tests/data/logs/basic_sm_90.log --format csv"})
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
          {"results", json, "--format", "csv", "-o", link},
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

class written_files : public testing::Test {
protected:
    void put(const std::string& name, const std::string& content)
    {
        write_file_atomically(folder_.path() / name, content);
    }
    void take(const std::string& name, const std::string& from)
    {
        fs::create_directories((folder_.path() / name).parent_path());
        fs::copy_file(repository_file(from), folder_.path() / name);
    }
    [[nodiscard]] std::string content(const std::string& name) const
    {
        return read_input((folder_.path() / name).string());
    }
    [[nodiscard]] subprocess_result here(const std::string& script) const
    {
        return shell(script, folder_.path().string());
    }

    // `words` would overwrite `victim`, and must not, whatever other options are given.
    void expect_kept(const std::string& words, const std::string& victim, const std::string& why,
                     const std::vector<std::string>& more = {"", " --overwrite"})
    {
        const std::string before = content(victim);
        for (const std::string& also : more) {
            std::string all = words;
            const std::size_t dashes = std::min(all.find(" -- "), all.size());
            all.insert(dashes, also);
            const subprocess_result result = here("$L " + all);
            EXPECT_EQ(result.exit_code, 2) << all << "\n" << result.output;
            EXPECT_NE(result.output.find(why), std::string::npos) << all << "\n" << result.output;
            EXPECT_TRUE(content(victim) == before) << all;
        }
        std::size_t temporary = 0;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_.path()))
            temporary += entry.path().filename().string().starts_with(temporary_name) ? 1 : 0;
        EXPECT_EQ(temporary, 0u) << words;
    }

    temporary_directory folder_;
};

const std::string is_input = "is also an input, and was not written", is_there = "already exists";

TEST_F(written_files, files_that_were_read_are_never_overwritten_under_any_name)
{
    take("k.cubin", "tests/fuzz/corpus/cubin/sm_90.cubin");
    take("in/k.cubin", "tests/fuzz/corpus/cubin/sm_90.cubin");
    take("r.json", "tests/data/results/example.json");
    put("launchbox.budget.toml", "[defaults]\nmax_registers = 255\n");
    put("other.budget.toml", "[defaults]\nmax_registers = 255\n");
    ASSERT_EQ(here("$L check k.cubin --write-baseline && cp launchbox.baseline other.baseline").exit_code, 0);
    fs::create_symlink("k.cubin", folder_.path() / "link");
    fs::create_hard_link(folder_.path() / "k.cubin", folder_.path() / "name");
    fs::create_directory_symlink("in", folder_.path() / "way");

    for (const char* name : {"k.cubin", "link", "name", "./in/../k.cubin"})
        for (const char* words : {"inspect k.cubin -o ", "occupancy k.cubin -o ", "suggest k.cubin -o ",
                                  "report k.cubin -o ", "check k.cubin --write-baseline --baseline ",
                                  "inspect k.cubin --format json --output=", "check k.cubin -o ",
                                  "inspect in/k.cubin --diff k.cubin -o ", "report in/k.cubin --against k.cubin -o "})
            expect_kept(words + std::string(name), "k.cubin", is_input);
    expect_kept("inspect - -o k.cubin <k.cubin", "k.cubin", is_there, {""});
    expect_kept("inspect - --overwrite -o k.cubin <k.cubin", "k.cubin", is_input, {""});
    expect_kept("inspect /dev/stdin --overwrite -o k.cubin <k.cubin", "k.cubin", is_input, {""});
    // Files that were found without being named.
    expect_kept("check k.cubin -o launchbox.budget.toml", "launchbox.budget.toml", is_input);
    expect_kept("check k.cubin -o launchbox.baseline", "launchbox.baseline", is_input);
    expect_kept("check k.cubin --budget other.budget.toml -o other.budget.toml", "other.budget.toml", is_input);
    expect_kept("check k.cubin --baseline other.baseline -o other.baseline", "other.baseline", is_input);
    expect_kept("inspect in -o in/k.cubin", "in/k.cubin", is_there, {""});
    expect_kept("inspect in -o way/k.cubin --overwrite", "in/k.cubin", is_input, {""});
    // A file in the folder that was seen but not read.
    put("in/k.cu", "__global__ void k() {}\n");
    expect_kept("inspect in -o in/k.cu --overwrite", "in/k.cu", is_input, {""});
    // An earlier report in the folder is not an input.
    for (int i = 0; i < 2; ++i) EXPECT_EQ(here("$L inspect in -o in/report.txt").exit_code, 0);
    // Not read here, but a baseline must not replace it.
    expect_kept("check k.cubin --write-baseline --baseline launchbox.budget.toml", "launchbox.budget.toml", is_there,
                {""});
    for (const char* words : {"results r.json -o ", "results r.json --format csv -o ", "bench-search r.json -o ",
                              "results r.json --format json --samples -o ", "report r.json -o ",
                              "emit r.json --allow-unverified --format json -o "})
        expect_kept(words + std::string("r.json"), "r.json", is_input);
}

TEST_F(written_files, files_that_the_compiler_read_are_not_overwritten)
{
    NEEDS_NVCC();
    put("k.h", "#define N 64\n");
    put("forced.h", "#define M 64\n");
    put("options.txt", "-DO=1\n");
    put("k.cu", "#include \"k.h\"\nextern \"C\" __global__ void k(int* p) { *p = N + M + O; }\n");
    fs::create_directory(folder_.path() / "build");
    put("build/compile_commands.json", R"([{"directory": "..", "file": ")" + (folder_.path() / "k.cu").string() +
                                           R"(", "arguments": ["nvcc", "-include", "forced.h", "-DO=1", "k.cu"]}])");
    const std::string flags = " -- -include forced.h --options-file=options.txt";
    for (const char* victim : {"k.cu", "k.h", "forced.h", "options.txt", "k.h --no-cache"})
        expect_kept("inspect k.cu --arch sm_90 --overwrite -o " + std::string(victim) + flags,
                    std::string(victim).substr(0, std::string(victim).find(' ')), is_input, {""});
    expect_kept("inspect k.cu --arch sm_90 --flags '-include forced.h -DO=1' -o forced.h", "forced.h", is_input);
    for (const char* victim : {"build/compile_commands.json", "forced.h"})
        expect_kept("inspect k.cu --arch sm_90 -p build -o " + std::string(victim), victim, is_there, {""});
    expect_kept("inspect k.cu --arch sm_90 -p build --overwrite -o build/compile_commands.json",
                "build/compile_commands.json", is_input, {""});
}

TEST_F(written_files, files_of_others_are_only_replaced_on_request)
{
    take("k.cubin", "tests/fuzz/corpus/cubin/sm_90.cubin");
    take("r.json", "tests/data/results/example.json");
    const std::string foreign = "what I have written for hours\n";
    const std::vector<std::string> commands{
        "inspect k.cubin -o X",
        "inspect k.cubin --format json -o X",
        "inspect k.cubin --format csv -o X",
        "inspect k.cubin --format jsonl -o X",
        "check k.cubin --stack-reserve 900M --format sarif -o X",
        "check k.cubin --write-baseline --baseline X",
        "occupancy --arch sm_90 --threads 256 --registers 63 -o X",
        "suggest --arch sm_90 --registers 63 --format markdown -o X",
        "devices -o X",
        "results r.json -o X",
        "results r.json --export t4 --workload n=1048576 -o X",
        "results r.json --export kernel-tuner --workload n=1048576 -o X",
        "bench-search r.json --repeats 2 -o X",
        "report r.json -o X",
        "emit r.json --allow-unverified --format constexpr -o X",
        "emit r.json --allow-unverified --format defines -o X",
    };
    for (const std::string& words : commands)
        for (const std::string& name : {std::string("notes.txt"), std::string("link")}) {
            put("notes.txt", foreign);
            std::error_code ignored;
            fs::create_symlink("notes.txt", folder_.path() / "link", ignored);
            std::string command = words;
            command.replace(command.find('X'), 1, name);
            expect_kept(command, "notes.txt", is_there, {""});
            const subprocess_result replaced = here("$L " + command + " --overwrite");
            EXPECT_LE(replaced.exit_code, 1) << command << "\n" << replaced.output;
            EXPECT_NE(content("notes.txt"), foreign) << command;
            EXPECT_TRUE(fs::is_symlink(folder_.path() / "link"));
        }
    // SVG files: all of a folder are written, or none.
    put("threads.svg", "<svg>mine</svg>");
    fs::create_directory(folder_.path() / "pictures");
    fs::rename(folder_.path() / "threads.svg", folder_.path() / "pictures/threads.svg");
    expect_kept("occupancy --arch sm_90 --threads 256 --registers 63 --svg pictures", "pictures/threads.svg", is_there,
                {""});
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path() / "pictures"), fs::directory_iterator()), 1);
    // A header of the user without the generated table.
    put("mine.hpp", "#pragma once\n");
    expect_kept("emit r.json --allow-unverified --box rows -o mine.hpp", "mine.hpp", "has no table rows", {""});
}

// Each format of each verb, twice, with different content.
TEST_F(written_files, own_output_is_replaced_by_output_of_the_same_kind)
{
    take("a.cubin", "tests/fuzz/corpus/cubin/sm_90.cubin");
    take("b.fatbin", "tests/fuzz/corpus/fatbin/none.fatbin");
    take("a.json", "tests/data/results/example.json");
    take("b.json", block_sort_record);
    put("b.toml", "[defaults]\nmax_spill_bytes = 0\n");
    const std::vector<std::pair<std::string, std::string>> commands{
        {"inspect a.cubin", "inspect b.fatbin"},
        {"inspect a.cubin --summary", "inspect b.fatbin --summary"},
        {"inspect a.cubin --size", "inspect b.fatbin --size"},
        {"inspect a.cubin --stack-reserve", "inspect b.fatbin --stack-reserve"},
        {"inspect a.cubin --diff b.fatbin", "inspect b.fatbin --diff a.cubin"},
        {"inspect a.cubin --lines=registers", "inspect b.fatbin --lines=registers"},
        {"inspect a.cubin --lines", "inspect b.fatbin --lines"},
        {"occupancy --arch sm_90 --threads 256 --registers 63", "occupancy --arch sm_80 --threads 128 --registers 32"},
        {"suggest --arch sm_90 --registers 63", "suggest --arch sm_80 --registers 32"},
        {"results a.json", "results b.json"},
        {"results a.json --convergence", "results b.json --convergence"},
        {"results a.json --compare b.json", "results b.json --compare a.json"},
        {"bench-search a.json --repeats 2", "bench-search b.json --repeats 2"},
        {"check a.cubin --budget b.toml", "check b.fatbin --budget b.toml"},
        {"devices", "devices"},
    };
    std::string script;
    const auto twice = [&](const std::string& first, const std::string& second, const std::string& name) {
        for (const std::string& words : {first, second})
            script += "$L " + words + " -o " + name + " >/dev/null 2>said; [ $? -le 1 ] || { echo " + name +
                      "; cat said; }\n";
    };
    for (std::size_t i = 0; i < commands.size(); ++i)
        for (const char* format : {"table", "csv", "json", "markdown"})
            // JSON and Markdown are recognised in the same way for all verbs.
            if (i % 5 == 0 || format == std::string("table") || format == std::string("csv"))
                twice(commands[i].first + " --format " + format, commands[i].second + " --format " + format,
                      std::to_string(i) + format);
    twice("inspect a.cubin --format jsonl", "inspect b.fatbin --format jsonl", "jsonl");
    for (const char* format : {"sarif", "junit", "github"})
        twice("check a.cubin --budget b.toml --format " + std::string(format),
              "check b.fatbin --budget b.toml --format " + std::string(format), format);
    twice("report a.json", "report a.cubin", "page");
    for (const char* form : {"box", "constexpr", "defines", "json"})
        twice("emit b.json --box rows --format " + std::string(form),
              "emit b.json --box rows --split none --format " + std::string(form), form);
    twice("emit a.json --allow-unverified --format defines", "emit a.json --allow-unverified --format defines", "same");
    twice("results a.json --export t4 --workload n=1048576", "results a.json --export t4 --workload n=1048576", "t4");
    script +=
        "for i in a.cubin b.fatbin; do $L check $i --write-baseline >/dev/null; $L occupancy $i --threads 64 --svg p;"
        "done 2>&1 | grep -v pictures";
    EXPECT_EQ(here(script).output, "");
    // But not if something in it would be lost.
    ASSERT_EQ(here("$L results a.json --format json --samples -o record.json").exit_code, 0);
    expect_kept("inspect a.cubin --format json -o record.json", "record.json", "contains measurements", {""});
    expect_kept("inspect a.cubin --format json -o launchbox.baseline", "launchbox.baseline", is_there, {""});
    ASSERT_EQ(here("$L inspect a.cubin -o edited.txt && echo 'what I think of it' >>edited.txt").exit_code, 0);
    expect_kept("inspect a.cubin -o edited.txt", "edited.txt", is_there, {""});
}

TEST_F(written_files, devices_pipes_and_descriptors_are_written_to)
{
    take("k.cubin", "tests/fuzz/corpus/cubin/sm_90.cubin");
    const std::string wanted = here("$L inspect k.cubin --format csv").output;
    ASSERT_NE(wanted.find("spills"), std::string::npos);
    for (const char* script :
         {"$L inspect k.cubin --format csv -o -", "$L inspect k.cubin --format csv -o /dev/stdout",
          "$L inspect k.cubin --format csv -o /dev/stdout | cat", "$L inspect k.cubin --format csv -o >(cat) | cat",
          "$L inspect k.cubin --format csv -o /dev/fd/3 3>&1",
          "$L inspect k.cubin --format csv -o /dev/null && "
          "$L inspect k.cubin --format csv -o /dev/null && $L inspect k.cubin --format csv",
          "mkfifo p; cat p & $L inspect k.cubin --format csv -o p; wait",
          "$L inspect k.cubin --format csv -o /dev/stdout >f; cat f",
          "ln -s /dev/stdout l; $L inspect k.cubin --format csv -o l >g; cat g"})
        EXPECT_EQ(here(script).output, wanted) << script;
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    EXPECT_FALSE(fs::exists(folder_.path() / "-"));
    // A log that the shell appends to.
    EXPECT_EQ(
        here("echo first >log; $L inspect k.cubin --format csv -o /dev/stdout >>log; echo last >>log; cat log").output,
        "first\n" + wanted + "last\n");
    // Standard output may also be an input.
    const std::string before = content("k.cubin");
    EXPECT_EQ(here("$L inspect k.cubin --format csv -o /dev/stdout >>k.cubin").exit_code, 2);
    EXPECT_EQ(content("k.cubin"), before);
}

TEST_F(written_files, a_hard_link_keeps_the_old_report_which_is_reported)
{
    take("k.cubin", "tests/fuzz/corpus/cubin/sm_90.cubin");
    ASSERT_EQ(here("$L inspect k.cubin -o a.txt && ln a.txt b.txt").exit_code, 0);
    const std::string before = content("a.txt");
    const subprocess_result result = here("$L inspect k.cubin --format markdown -o a.txt");
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_NE(result.output.find("its other name (a hard link) keeps the old content"), std::string::npos)
        << result.output;
    EXPECT_NE(content("a.txt"), before);
    EXPECT_EQ(content("b.txt"), before);
}

TEST_F(written_files, store_and_report_of_a_call_must_be_two_files)
{
    put("x.toml",
        "[tunable]\nname = 'x'\n[parameters]\na = [1]\n[program]\nrun = ['sh', 'b.sh']\nsources = ['b.sh']\n");
    put("b.sh", "echo time: 1 ms\n");
    const subprocess_result result = here("$L tune x.toml --store new.db -o new.db");
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_NE(result.output.find(is_input), std::string::npos) << result.output;
    EXPECT_FALSE(fs::exists(folder_.path() / "new.db"));
    EXPECT_EQ(here("$L tune x.toml -o x.db").exit_code, 2) << "its default store";
    EXPECT_EQ(here("$L tune x.toml -o x.txt && $L tune x.toml -o x.txt").exit_code, 0);
}

TEST(writing, tune_does_not_overwrite_sources_spec_and_store_with_its_report)
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
        expect_refused(launchbox_run({"tune", spec, "--store", store, "-o", (here / name).string(), "--overwrite"}),
                       "is also an input");
        EXPECT_EQ(read_input((here / name).string()), before) << name;
    }
}

TEST(writing, an_emit_that_waits_for_another_process_says_so)
{
    const temporary_directory folder;
    const std::string here = folder.path().string(), file = here + "/a.hpp", said = here + "/said";
    // The shell has the lock until the tool has said that it waits.
    const subprocess_result waited =
        shell("exec 9<" + here + "; flock 9; $L emit " + block_sort_record + " --box rows -o " + file + " 2>" + said +
              " 9<&- & i=0; until grep -q waiting " + said +
              " 2>/dev/null || [ $i = 5000 ]; do i=$((i + 1)); done; test -e " + file +
              " && echo too early; exec 9<&-; wait $!; echo $?");
    EXPECT_NE(waited.output.find("0\n"), std::string::npos) << waited.output;
    EXPECT_EQ(waited.output.find("too early"), std::string::npos) << waited.output;
    EXPECT_NE(read_input(said).find("waiting for another process that has locked " + here), std::string::npos);
    EXPECT_NE(read_input(file).find("sm<90"), std::string::npos);
}

TEST(writing, two_emits_into_one_header_keep_the_rows_of_both)
{
    // The same measurements attributed to another GPU, with another fastest candidate.
    const temporary_directory folder;
    std::string text_of_other = read_input(repository_file(block_sort_record));
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
        const subprocess_result both =
            shell("$L emit " + block_sort_record + rest + " & $L emit " + second + rest + " & wait");
        const std::string text = read_input(file);
        EXPECT_NE(text.find("sm<80"), std::string::npos) << both.output;
        EXPECT_NE(text.find("sm<90"), std::string::npos) << both.output;
    }
}

}  // namespace
}  // namespace launchbox
