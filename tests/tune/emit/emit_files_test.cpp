// The repository's own record: its header agrees with it, and compiles to its rows.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <optional>

#include "compiler/run/toolchain.hpp"
#include "recorded_results.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"
#include "tune/emit/emit_check.hpp"
#include "tune/emit/emit_forms.hpp"
#include "tune/store/result_store.hpp"

namespace launchbox {
namespace {

const std::string root = LAUNCHBOX_SOURCE_DIR;
const std::string record = "measurements/nvidia-h200/tune_block_sort.json";
const std::string header = "examples/block_sort/tuning.hpp";

std::vector<emit_record> recorded()
{
    return chosen_runs(read_emit_records({record}, root), {.name = "", .gpu = "", .workload = {}}).all;
}

std::vector<std::string> differences_in(const std::string& text)
{
    return check_header(text, "h", {.root = root, .box = "", .name = "", .workload = {}, .names = {}}).differences;
}

std::string with(std::string text, const std::string& old, const std::string& changed)
{
    EXPECT_NE(text.find(old), std::string::npos) << old;
    return text.replace(text.find(old), old.size(), changed);
}

TEST(emit_files, the_example_agrees_with_its_record)
{
    const std::string text = read_input(root + "/" + header);
    EXPECT_EQ(differences_in(text), std::vector<std::string>());
    const emit_settings settings{.box = "block_sort_tuning"};
    const emitted_tables again = emit_tables(recorded(), settings, parse_tuning_header(text, header));
    EXPECT_EQ(updated_header(text, again), text);
}

TEST(emit_files, an_edited_header_is_detected)
{
    const std::string text = read_input(root + "/" + header);
    for (const auto& [old, changed, words] : std::vector<std::array<std::string, 3>>{
             {"sm<90, block_sort_tuning_row{64, 17, 0}", "sm<90, block_sort_tuning_row{64, 19, 0}", "not {64, 19, 0}"},
             {"NVIDIA H200", "NVIDIA H100", "instead of '// measured: NVIDIA H200"},
             {" times as fast", " times faster", "instead of '// gain:"},
             {"fnv1a64:", "fnv1a64:0", "is not the record"},
             {"tune_block_sort.json", "tune_block_sorts.json", "is not there"},
             {"sm<90,", "sm<100,", "has no run on sm_100"}}) {
        const std::vector<std::string> differences = differences_in(with(text, old, changed));
        ASSERT_EQ(differences.size(), 1u) << changed;
        EXPECT_NE(differences[0].find(words), std::string::npos) << differences[0];
        EXPECT_EQ(differences[0].rfind("h:", 0), 0u) << differences[0];
    }
}

TEST(emit_files, a_row_without_provenance_or_order_is_detected)
{
    const std::string text = read_input(root + "/" + header);
    const std::vector<std::string> differences = differences_in(with(text, "    // baseline, not measured\n", ""));
    ASSERT_EQ(differences.size(), 1u);
    EXPECT_NE(differences[0].find("neither"), std::string::npos) << differences[0];
    for (const auto& [old, changed, words] : std::vector<std::array<std::string, 3>>{
             {"sm<90,", "sm<75,", "not newer than the row above it"},
             {"row{64, 17, 0}", "row{64, 17}", "expected 3 values"},
             {"sm<90, block_sort_tuning_row", "sm<90, other_row", "a row of type other_row"},
             {"// table block_sort_tuning: block_sort\n", "", "a row outside of a table"}}) {
        try {
            (void)differences_in(with(text, old, changed));
            ADD_FAILURE() << changed;
        } catch (const error& refused) {
            EXPECT_NE(std::string(refused.what()).find(words), std::string::npos) << refused.what();
        }
    }
}

// The hash in the header is corrected, too, as somebody would who wants another row to win.
TEST(emit_files, an_edited_record_is_detected)
{
    temporary_directory folder;
    const std::string text = read_input(root + "/" + header), bytes = read_input(root + "/" + record);
    const auto differences_with = [&](const std::string& changed) {
        std::filesystem::create_directories((folder.path() / record).parent_path());
        write_file_atomically(folder.path() / record, changed);
        const header_check_options wishes{.root = folder.path(), .box = "", .name = "", .workload = {}, .names = {}};
        return check_header(with(text, fnv1a64(bytes), fnv1a64(changed)), "h", wishes).differences;
    };
    EXPECT_EQ(differences_with(bytes), std::vector<std::string>());
    nlohmann::json slower = nlohmann::json::parse(bytes);
    for (nlohmann::json& candidate : slower["candidates"])
        if (candidate["parameters"] == nlohmann::json{{"threads", 64}, {"items", 17}, {"min_blocks", 0}})
            for (nlohmann::json& sample : candidate["samples_ns"]) sample = sample.get<double>() * 10;
    slower["races"] = nlohmann::json::array();
    for (const std::string& changed : {slower.dump(), std::string("{}"), std::string("[1")}) {
        const std::vector<std::string> differences = differences_with(changed);
        ASSERT_EQ(differences.size(), 1u) << changed.substr(0, 20);
        EXPECT_EQ(differences[0].rfind("h:", 0), 0u) << differences[0];
    }
    EXPECT_NE(differences_with(slower.dump())[0].find(", not {64, 17, 0}"), std::string::npos);
}

TEST(emit_files, the_documentation_shows_the_example)
{
    const std::string text = read_input(root + "/docs/tunings.md");
    const std::size_t from = text.find("```cpp\n") + 7;
    EXPECT_NE(read_input(root + "/" + header).find(text.substr(from, text.find("```", from) - from)),
              std::string::npos);
}

TEST(emit_files, opening_a_store_does_not_change_its_hash)
{
    temporary_directory folder;
    const std::string file = (folder.path() / "a.db").string();
    const recorded_run run = example_results();
    {
        result_store store(file);
        save_all(store, run);
    }
    const std::string first = read_emit_records({file}, folder.path()).all.at(0).hash;
    EXPECT_EQ(first.rfind("results-fnv1a64:", 0), 0u) << first;
    {
        result_store store(file);
        store.begin_attempt(1, {tuning_values(1, 1), sizes(1), 0});
    }
    EXPECT_EQ(read_emit_records({file}, folder.path()).all.at(0).hash, first);
    {
        result_store store(file);
        stored_result more = example_result(32, 3, 5, 100);
        store.save(more);
    }
    EXPECT_NE(read_emit_records({file}, folder.path()).all.at(0).hash, first);
}

// A fraction, enumerators and a boolean in a row compile as constants, too.
recorded_run with_all_kinds()
{
    recorded_run run = recorded().front().run;
    std::erase_if(run.results, [](const stored_result& result) { return result.measured.status != outcome::measured; });
    run.results.resize(3);
    run.races.clear();
    run.info.baseline = std::nullopt;
    for (stored_result& result : run.results) {
        result.parameters.values.emplace_back("layout", std::string("row-major"));
        result.parameters.values.emplace_back("unroll", true);
        result.parameters.values.emplace_back("part", 0.5);
        result.parameters.values.emplace_back("seed", std::int64_t{1} << 40);
    }
    return run;
}

TEST(emit_files, headers_compile_with_the_rows_of_their_records)
{
    std::optional<toolchain> tools;
    try {
        tools = find_toolchain();
    } catch (const error& none) {
        GTEST_SKIP() << none.what();
    }
    temporary_directory folder;
    const emit_record all_kinds{record, "fnv1a64:0123456789abcdef", with_all_kinds()};
    const emit_settings settings{.box = "kinds", .split = split_kind::none};
    write_file_atomically(folder.path() / "kinds.hpp", new_header(emit_tables({all_kinds}, settings, {}), settings));
    const auto compiles = [&](const std::string& code, const std::string& row) {
        write_file_atomically(folder.path() / "a.cu",
                              "#include \"examples/block_sort/tuning.hpp\"\n#include \"kinds.hpp\"\n"
                              "struct body {\n using tuning = block_sort_tuning;\n"
                              " template <block_sort_tuning_row r> static __device__ void run(int* to) {\n"
                              "  static_assert(" +
                                  row +
                                  "); *to = r.items; } };\n"
                                  "struct other {\n using tuning = kinds;\n"
                                  " template <kinds_row r> static __device__ void run(int* to) {\n"
                                  "  static_assert(r.unroll && r.part == 0.5 && r.seed == (1LL << 40) &&\n"
                                  "   r.layout == kinds_row::layout_values::row_major); *to = r.items; } };\n"
                                  "void go(int* to) { launchbox::launch<body>(nullptr, 5, to);\n"
                                  " launchbox::launch<other>(nullptr, 5, to); }\n");
        std::vector<std::string> command{tools->nvcc.string(),
                                         "-std=c++20",
                                         "-ptx",
                                         "-arch=" + code,
                                         "-I" + root,
                                         "-I" + root + "/include",
                                         "-o",
                                         (folder.path() / "a.ptx").string(),
                                         (folder.path() / "a.cu").string()};
        return run(command, {.directory = folder.path(), .environment = tools->environment});
    };
    for (const char* code : {"sm_90", "sm_120"}) {  // the second inherits
        const subprocess_result compiled = compiles(code, "r.threads == 64 && r.items == 17 && r.min_blocks == 0");
        EXPECT_EQ(compiled.exit_code, 0) << compiled.output;
    }
    EXPECT_NE(compiles("sm_90", "r.min_blocks == 3").exit_code, 0);
}

TEST(emit_files, the_constexpr_form_compiles_as_plain_cpp)
{
    temporary_directory folder;
    const emit_settings settings{.box = "rows", .split = split_kind::none};
    const auto text = [&](const emit_record& from, const char* name) {
        emit_settings how = settings;
        how.box = name;
        return constexpr_header(emit_tables({from}, how, {}), how);
    };
    const emit_record all_kinds{record, "fnv1a64:0123456789abcdef", with_all_kinds()};
    write_file_atomically(folder.path() / "rows.hpp", text(recorded().front(), "rows"));
    write_file_atomically(folder.path() / "kinds.hpp", text(all_kinds, "kinds"));
    write_file_atomically(folder.path() / "a.cpp",
                          "#include \"rows.hpp\"\n#include \"kinds.hpp\"\n"
                          "static_assert(rows_for(90)->threads == 64 && rows_for(120)->items == 17);\n"
                          "static_assert(!rows_for(80) && !rows_for(0));\n"
                          "static_assert(kinds_for(90)->seed == (1LL << 40) && kinds_for(90)->unroll);\n"
                          "static_assert(kinds_for(90)->layout == kinds_row::layout_values::row_major);\n");
    const subprocess_result compiled = run({"c++", "-std=c++17", "-Wall", "-Wextra", "-Wconversion", "-Werror",
                                            "-fsyntax-only", (folder.path() / "a.cpp").string()});
    EXPECT_EQ(compiled.exit_code, 0) << compiled.output;
}

}  // namespace
}  // namespace launchbox
