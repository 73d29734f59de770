// cub:NAME: CUB's tuning points as specs, and emit --format cub, whose headers CUB compiles.
#include <cstdlib>
#include <filesystem>
#include <map>

#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"
#include "tool.hpp"

namespace launchbox {
namespace {

const std::vector<std::string> algorithms{"reduce", "radix_sort",     "run_length_encode",
                                          "scan",   "segmented_sort", "select"};

// Which files it reads only matters if nvcc is found.
const std::string without_nvcc = "PATH=/nowhere";

/// A record of one GPU: candidate `best` of `algorithm` is twice as fast as CUB's own tuning for each type.
struct small_record {
    std::string name = "cub.reduce", architecture = "sm_90";
    std::vector<std::string> types{"double"};
    nlohmann::ordered_json best = {{"tuned", true}, {"threads", 512}, {"items", 16}, {"vector", 4}};
    double best_ns = 500000;

    [[nodiscard]] std::string written_to(const std::filesystem::path& file) const
    {
        nlohmann::ordered_json own = best, candidates = nlohmann::ordered_json::array();
        for (auto& [key, value] : own.items()) {
            if (value.is_boolean()) value = false;
            if (value.is_number()) value = 0;
            if (key == "load") value = "BLOCK_LOAD_DIRECT";
            if (key == "modifier") value = "LOAD_DEFAULT";
            if (key == "delay") value = "no_delay";
        }
        for (const std::string& type : types)
            for (const bool tuned : {false, true}) {
                const double median = tuned ? best_ns : 1000000;
                candidates.push_back({{"run", 0},
                                      {"parameters", tuned ? best : own},
                                      {"workload", {{"type", type}, {"n", 100000000}}},
                                      {"status", "measured"},
                                      {"verified", true},
                                      {"median_ns", median},
                                      {"samples_ns", {median, median * 1.0001, median * 0.9999, median, median}}});
            }
        const nlohmann::ordered_json all{{"schema", "launchbox.results/1"},
                                         {"environments",
                                          {{{"gpu", "NVIDIA X"},
                                            {"architecture", architecture},
                                            {"driver", "13.0"},
                                            {"toolkit", "nvcc 13.0, CUB 3.0.1"}}}},
                                         {"runs",
                                          {{{"number", 1},
                                            {"name", name},
                                            {"environment", 0},
                                            {"started", "2026-11-26T10:00:00Z"},
                                            {"version", "0.1.0"},
                                            {"baseline", own}}}},
                                         {"candidates", candidates}};
        write_file_atomically(file, all.dump());
        return file.string();
    }
};

nlohmann::ordered_json scan_row()
{
    return {{"tuned", true},         {"threads", 256},
            {"items", 13},           {"load", "BLOCK_LOAD_WARP_TRANSPOSE"},
            {"modifier", "LOAD_CA"}, {"delay", "exponential_backon"},
            {"wait", 256},           {"latency", 500}};
}

TEST(cub_specs, are_listed_if_a_name_is_missing_or_wrong)
{
    for (const char* name : {"cub:", "cub:skan", "cub:scan.toml", "cub:../cub/scan", "cub:SCAN"}) {
        const call refused = launchbox_run({"tune", name});
        expect_refused(refused, std::string(name) == "cub:" ? "cub: needs the name of an algorithm"
                                                            : std::string(name) + " is not an algorithm of CUB");
        for (const std::string& algorithm : algorithms) EXPECT_TRUE(refused.says("cub:" + algorithm)) << refused.err;
    }
}

// All axes of the %RANGE% comments in CUB's benchmarks: the number of candidates, and CUB's own tuning.
TEST(cub_specs, have_cubs_tuning_spaces)
{
    const std::map<std::string, std::string> candidates{{"reduce", "1,045 candidates"},
                                                        {"radix_sort", "4,699 candidates"},
                                                        {"scan", "3,257,281 candidates"},
                                                        {"select", "3,257,281 candidates"},
                                                        {"run_length_encode", "1,185,601 candidates"},
                                                        {"segmented_sort", "6,359,041 candidates"}};
    for (const auto& [algorithm, count] : candidates) {
        const call checked =
            launchbox_run({"tune", "cub:" + algorithm, "--check", "--arch", "sm_90"}, {}, {without_nvcc});
        EXPECT_EQ(checked.status, 0) << checked.err;
        EXPECT_TRUE(checked.says("cub:" + algorithm + ": " + count + " × 2 workloads for sm_90")) << checked.err;
    }
}

TEST(cub_specs, workloads_are_the_users_own)
{
    const std::vector<std::string> words{"tune", "cub:reduce", "--check", "--arch", "sm_90", "--workload"};
    const auto with = [&](const std::string& workload) {
        std::vector<std::string> all = words;
        all.push_back(workload);
        return launchbox_run(all, {}, {without_nvcc});
    };
    EXPECT_TRUE(with("type=float,n=1e8,2e8").says("× 2 workloads")) << with("type=float,n=1e8,2e8").err;
    expect_refused(with("types=float"), "no value of that name");
    expect_refused(with("n=many"), "'many' is not a number");
}

TEST(cub_header, has_a_row_for_the_measured_type_and_architecture)
{
    temporary_directory folder;
    small_record of{.name = "cub.scan", .types = {"double", "unsigned char"}, .best = scan_row()};
    const std::string file = of.written_to(folder.path() / "scan.json"), header = (folder.path() / "scan.cuh").string();
    const call emitted = launchbox_run({"emit", "--format", "cub", file, "-o", header});
    ASSERT_EQ(emitted.status, 0) << emitted.err;
    EXPECT_TRUE(emitted.shows("cub_scan_tuning::selector<double>: sm_90: tuned=true threads=256")) << emitted.out;
    EXPECT_TRUE(emitted.shows("2.000 times as fast as CUB's own tuning")) << emitted.out;
    const std::string text = read_input(header);
    for (const char* part :
         {"struct rows<double> {\n    using architectures = architecture_list<90>;", "struct rows<unsigned char> {",
          "if (architecture == 90) return {256, 13, BLOCK_LOAD_WARP_TRANSPOSE, LOAD_CA, exponential_backon, 256, 500};",
          "// measured: NVIDIA X, driver 13.0, nvcc 13.0, CUB 3.0.1, 2026-11-26, launchbox 0.1.0",
          "namespace cub_scan_tuning {", "#pragma once"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    EXPECT_EQ(text.find("cub_tuning"), std::string::npos) << "the box's name is everywhere";
    EXPECT_EQ(launchbox_run({"emit", "--format", "cub", file, "-o", header, "--check"}).status, 0);
    write_file_atomically(header, text + "\n");
    EXPECT_EQ(launchbox_run({"emit", "--format", "cub", file, "-o", header, "--check"}).status, 1);
}

TEST(cub_header, has_no_row_without_a_gain)
{
    temporary_directory folder;
    const std::string file = small_record{.best_ns = 995000}.written_to(folder.path() / "reduce.json");
    const call emitted = launchbox_run({"emit", "--format", "cub", file});
    ASSERT_EQ(emitted.status, 0) << emitted.err;
    EXPECT_TRUE(emitted.shows("using architectures = architecture_list<>;")) << emitted.out;
    EXPECT_TRUE(emitted.shows("// gain: none, less than 1 % or noise: CUB's own tuning stays")) << emitted.out;
    EXPECT_FALSE(emitted.shows("if (architecture == 90)")) << emitted.out;
}

TEST(cub_header, is_not_made_from_other_records)
{
    temporary_directory folder;
    const auto refused = [&](const small_record& of, const std::string& words) {
        expect_refused(launchbox_run({"emit", "--format", "cub", of.written_to(folder.path() / "a.json")}), words);
    };
    expect_refused(launchbox_run({"emit", "--format", "cub", "measurements/nvidia-h200/tune_block_sort.json"}),
                   "'block_sort' is not an algorithm of CUB");
    refused({.name = "cub.sort"}, "cub.sort is not an algorithm of CUB");
    refused({.best = {{"tuned", true}, {"threads", 512}, {"items", 16}}}, "without the parameter vector");
    refused({.best = {{"tuned", true}, {"threads", 512}, {"items", 16}, {"width", 4}}}, "the parameter width");
    refused({.best = {{"tuned", true}, {"threads", 512}, {"items", 16}, {"vector", "4}; int evil{"}}},
            "its space differs from that of cub:reduce: vector is 4}; int evil{");
    nlohmann::ordered_json other = scan_row();
    other["load"] = "BLOCK_LOAD_SIDEWAYS";
    refused({.name = "cub.scan", .best = other}, "load is BLOCK_LOAD_SIDEWAYS");
    refused({.types = {"float4"}}, "no rows for the type 'float4'");
    refused({.types = {"int", "int32_t"}}, "int and int32_t are one type");
    refused({.types = {"unsigned", "float", "uint32_t"}}, "unsigned and uint32_t are one type");
    const std::string good = small_record{}.written_to(folder.path() / "a.json");
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{"--row", "mine"}, {"--split", "none"}, {"--baseline-arch", "sm_80"}}) {
        std::vector<std::string> words{"emit", "--format", "cub", good};
        words.insert(words.end(), more.begin(), more.end());
        expect_refused(launchbox_run(words), "are not for --format cub");
    }
    expect_refused(launchbox_run({"emit", "--format", "cub", good, "--explain", "--arch", "sm_100"}),
                   "rows of --format cub are not inherited");
    refused({.architecture = ""}, "does not contain the GPU's architecture");
}

// Measured on an H100: CUB's own tuning is kept for scans, but not for segments that are longer than its tiles.
TEST(cub_header, is_made_from_the_records_in_the_repository)
{
    const auto emitted = [](const std::string& name) {
        return launchbox_run({"emit", "--format", "cub", "measurements/nvidia-h100/cub_" + name + ".json.gz"});
    };
    // For reduce with CUB 3.5, the smallest values among equal candidates gain less than 1 %, so there is no row.
    for (const char* name : {"30_scan", "35_scan", "30_select", "35_select", "35_radix_sort", "35_reduce"})
        EXPECT_TRUE(emitted(name).shows("architecture_list<>")) << name << emitted(name).err;
    EXPECT_TRUE(emitted("30_reduce").shows("if (architecture == 90) return {576, 18, 4};")) << emitted("30_reduce").err;
    EXPECT_TRUE(emitted("35_segmented_sort")
                    .shows("return {256, 7, 6, RADIX_RANK_MATCH, BLOCK_LOAD_WARP_TRANSPOSE, LOAD_DEFAULT, 16, 13, 2, "
                           "13, WARP_LOAD_DIRECT, LOAD_CA, 100};"))
        << emitted("35_segmented_sort").err;
}

/// Compiles a call with the header's rows, for two architectures of which the header has one.
int compiled(const std::filesystem::path& folder, const std::string& call, const std::vector<std::string>& more,
             std::string& output)
{
    const std::string source = (folder / "use.cu").string();
    write_file_atomically(
        source,
        "#include \"tuning.cuh\"\n#include <cstddef>\nint main()\n{\n    std::size_t bytes = 0;\n" + call + "\n}\n");
    std::vector<std::string> command{LAUNCHBOX_NVCC, "-std=c++17",
                                     "-gencode",     "arch=compute_80,code=sm_80",
                                     "-gencode",     "arch=compute_90,code=sm_90",
                                     "use.cu",       "-o",
                                     "use"};
    command.insert(command.end(), more.begin(), more.end());
    subprocess_options options;
    options.directory = folder;
    options.time_limit = 600;
    const subprocess_result ran = run(command, options);
    output = ran.output;
    return ran.exit_code;
}

TEST(cub_header, is_compiled_by_cub)
{
    NEEDS_NVCC();
    temporary_directory folder;
    const std::string file = small_record{}.written_to(folder.path() / "reduce.json");
    ASSERT_EQ(
        launchbox_run({"emit", "--format", "cub", file, "-o", (folder.path() / "tuning.cuh").string(), "--box", "sums"})
            .status,
        0);
    std::string output;
    EXPECT_EQ(compiled(folder.path(),
                       "#if CUB_VERSION >= 300500\n"
                       "    return cub::DeviceReduce::Sum((double*)nullptr, (double*)nullptr, 100, "
                       "cuda::execution::tune(sums::selector<double>{}));\n#else\n"
                       "    return sums::sum<double>(nullptr, bytes, nullptr, nullptr, 100);\n#endif",
                       {}, output),
              0)
        << output;
    // On sm_90 the block size is that of the row, on sm_80 CUB's own.
    const call inspected = launchbox_run({"inspect", (folder.path() / "use").string(), "--format", "json"});
    ASSERT_EQ(inspected.status, 0) << inspected.err;
    std::map<std::string, int> largest;
    const nlohmann::json found = inspected.json();
    for (const auto& kernel : found.at("kernels"))
        if (!kernel.at("max_threads").is_null()) {
            int& most = largest[kernel.at("architecture").get<std::string>()];
            most = std::max(most, kernel.at("max_threads").at(0).get<int>());
        }
    EXPECT_EQ(largest["sm_80"], 256);
    EXPECT_EQ(largest["sm_90"], 512);
    // A type without rows is reported in one line.
    EXPECT_NE(compiled(folder.path(), "return sums::rows<float>::at(90).threads;", {}, output), 0);
    EXPECT_NE(output.find("there are no rows for this type"), std::string::npos) << output;
    // So is another version of CUB.
    for (const char* version : {"200800", "400000"}) {
        std::filesystem::create_directories(folder.path() / "other/cub");
        write_file_atomically(folder.path() / "other/cub/version.cuh",
                              std::string("#pragma once\n#define CUB_VERSION ") + version + "\n");
        EXPECT_NE(compiled(folder.path(), "", {"-Iother", "-E"}, output), 0) << version;
        EXPECT_NE(output.find("these tunings are for CUB 3.x, and this is another"), std::string::npos) << output;
    }
}

}  // namespace
}  // namespace launchbox
