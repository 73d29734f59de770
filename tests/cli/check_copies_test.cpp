// launchbox check with several copies of a kernel: verdicts, figures and baselines do not depend on the order of the
// inputs.
#include "tool.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "support/process/subprocess.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

class check_copies : public testing::Test {
protected:
    void SetUp() override { NEEDS_NVCC(); }

    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    std::string file(const std::string& name, const std::string& text) const
    {
        fs::create_directories(fs::path(path(name)).parent_path());
        write_file_atomically(path(name), text);
        return path(name);
    }
    std::string cubin(const std::string& name, const std::string& source, const std::string& architecture = "sm_90",
                      const std::vector<std::string>& more = {}) const
    {
        const std::string text = file(name + ".cu", source);
        std::string made = path(name + ".cubin");
        std::vector<std::string> command{"nvcc", "-cubin", "-arch=" + architecture, text, "-o", made};
        command.insert(command.end(), more.begin(), more.end());
        EXPECT_EQ(run(command).exit_code, 0);
        return made;
    }
    std::string budget(const std::string& text) const { return file("budget.toml", text); }

    // The exit status, which must be the same in both orders.
    int checked(const std::string& one, const std::string& other, const std::vector<std::string>& options) const
    {
        const auto call_of = [&](const std::string& first, const std::string& second) {
            std::vector<std::string> words{"check", first, second};
            words.insert(words.end(), options.begin(), options.end());
            words.insert(words.end(), {"--format", "json"});
            return launchbox_run(words);
        };
        const call forth = call_of(one, other), back = call_of(other, one);
        EXPECT_EQ(forth.json()["findings"], back.json()["findings"]);
        EXPECT_EQ(forth.status, back.status);
        return forth.status;
    }

private:
    temporary_directory folder_;
};

std::string bounded(const std::string& bound)
{
    return "extern \"C\" __global__ void " + bound + " k(int* p) { p[threadIdx.x] = 1; }\n";
}

TEST_F(check_copies, with_other_launch_bounds_are_judged_by_the_worse)
{
    const std::string small = cubin("a/k", bounded("__launch_bounds__(256)")),
                      large = cubin("b/k", bounded("__launch_bounds__(1024)")), none = cubin("c/k", bounded(""));
    const std::vector<std::string> limits{"--budget", budget("[defaults]\nmin_blocks_per_sm = 8\n")};
    EXPECT_EQ(checked(small, small, limits), 0);
    EXPECT_EQ(checked(small, large, limits), 1);
    // Without a bound it is unknown, which also fails.
    EXPECT_EQ(checked(small, none, limits), 1);
    EXPECT_EQ(checked(large, none, limits), 1);
    const std::vector<std::string> required{"--budget", budget("[defaults]\nrequire_launch_bounds = true\n")};
    EXPECT_EQ(checked(small, large, required), 0);
    EXPECT_EQ(checked(small, none, required), 1);

    const call told = launchbox_run(
        {"check", small, large, limits[0], budget("[defaults]\nmin_blocks_per_sm = 8\n"), "--format", "sarif"});
    const nlohmann::json found = told.json()["runs"][0]["results"][0];
    EXPECT_TRUE(found["message"]["text"].get<std::string>().find("/b/k.cubin, one of 2 copies") != std::string::npos)
        << found;
    EXPECT_TRUE(
        found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].get<std::string>().ends_with("/b/k.cubin"))
        << found;
}

// As in Triton's cache: one name, and next to each cubin a file that says how it is launched.
TEST_F(check_copies, with_other_metadata_are_judged_by_the_worse)
{
    const auto entry = [&](const std::string& name, int shared, int warps) {
        std::string made = cubin(name + "/k", bounded(""));
        file(name + "/k.json", nlohmann::json{{"name", "k"}, {"shared", shared}, {"num_warps", warps}}.dump());
        return made;
    };
    const std::string little = entry("cache/a", 1024, 4), much = entry("cache/b", 60000, 4),
                      wide = entry("cache/c", 1024, 32);
    const std::vector<std::string> limits{"--budget", budget("[defaults]\nmin_blocks_per_sm = 8\n")};
    EXPECT_EQ(checked(little, little, limits), 0);
    EXPECT_EQ(checked(little, much, limits), 1);
    EXPECT_EQ(checked(little, wide, limits), 1);
    EXPECT_EQ(launchbox_run({"check", path("cache"), "--budget", limits[1]}).status, 1);

    const std::vector<std::string> occupied{"--budget", budget("[defaults]\nmin_occupancy = 0.9\n")};
    EXPECT_EQ(checked(wide, wide, occupied), 0);
    EXPECT_EQ(checked(wide, much, occupied), 1);
}

TEST_F(check_copies, make_one_line_of_the_baseline_in_any_order)
{
    const std::string small = cubin("a/k", bounded("__launch_bounds__(96)")),
                      large = cubin("b/k", bounded("__launch_bounds__(640)"));
    const auto written = [&](const std::vector<std::string>& inputs) {
        std::vector<std::string> words{"check"};
        words.insert(words.end(), inputs.begin(), inputs.end());
        words.insert(words.end(), {"--baseline", path("kept"), "--write-baseline"});
        EXPECT_EQ(launchbox_run(words).status, 0);
        return read_input(path("kept"));
    };
    // 21 blocks of 96 threads are 2,016 threads; 3 of 640 are 1,920.
    EXPECT_NE(written({small}).find(" resident=21x96 "), std::string::npos);
    EXPECT_NE(written({small, large}).find(" resident=3x640 "), std::string::npos) << read_input(path("kept"));
    EXPECT_EQ(written({small, large}), written({large, small}));
    // An additional copy that is worse counts as a regression, in any order.
    written({small});
    EXPECT_EQ(checked(small, large, {"--baseline", path("kept")}), 1);
}

const std::string framed =
    "extern \"C\" __global__ void deep(float* p, int n) { float a[15000]; for (int i = 0; i < n; "
    "++i) a[i] = p[i]; p[0] = a[n]; }\n";

// Code of one kernel for sm_90a does not replace another kernel's code.
TEST_F(check_copies, a_stack_is_reserved_for_each_kernel_not_for_one_architecture)
{
    const std::string deep = cubin("deep", framed), other = cubin("other", bounded(""), "sm_90a");
    EXPECT_EQ(checked(deep, deep, {"--stack-reserve", "64M"}), 1);
    EXPECT_EQ(checked(deep, other, {"--stack-reserve", "64M"}), 1);
    EXPECT_EQ(checked(deep, other, {"--stack-reserve", "1T"}), 0);
    const nlohmann::json reserves =
        launchbox_run({"inspect", other, deep, "--stack-reserve", "--format", "json"}).json();
    for (const nlohmann::json& gpu : reserves["gpus"]) EXPECT_EQ(gpu["kernel"], "deep") << gpu;
    EXPECT_TRUE(reserves.at("not_counted").empty());

    // A better image of the same kernel in the same file replaces it.
    const std::string text =
        file("both.cu", "#if __CUDA_ARCH__ == 800\n" + framed +
                            "#else\nextern \"C\" __global__ void deep(float* p, int n) {}\n#endif\n");
    const std::string object = path("both.o");
    ASSERT_EQ(run({"nvcc", "-c", "-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_86,code=sm_86",
                   text, "-o", object})
                  .exit_code,
              0);
    const nlohmann::json both = launchbox_run({"inspect", object, "--stack-reserve", "--format", "json"}).json();
    for (const nlohmann::json& gpu : both["gpus"])
        EXPECT_EQ(gpu["stack_bytes"].get<int>() > 0,
                  std::set<std::string>({"A100", "A100X", "A30", "A800"}).contains(gpu["gpu"].get<std::string>()))
            << gpu;
}

TEST_F(check_copies, a_stack_on_a_chip_without_a_listed_model_cannot_be_checked)
{
    // No GPU of 10.7 is listed, and none of these compilers generates code for it.
    const auto log_of = [&](const std::string& kernel, int stack) {
        return file(kernel + ".log", "ptxas info    : Compiling entry function '" + kernel +
                                         "' for 'sm_107'\nptxas info    : Function properties for " + kernel +
                                         "\n    " + std::to_string(stack) +
                                         " bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                                         "ptxas info    : Used 10 registers, 360 bytes cmem[0]\n");
    };
    const std::string deep = log_of("deep", 60000);
    const call result = launchbox_run({"check", deep, "--stack-reserve", "1T", "--format", "json"});
    EXPECT_EQ(result.status, 1);
    ASSERT_EQ(result.json()["findings"].size(), 1u) << result.out;
    EXPECT_EQ(result.json()["findings"][0]["status"], "unknown");
    EXPECT_EQ(launchbox_run({"check", deep, "--stack-reserve", "1T", "--bisect"}).status, 1);
    // It stays unknown next to a kernel that can be checked.
    EXPECT_EQ(checked(deep, cubin("k", bounded("")), {"--stack-reserve", "1T"}), 1);
    const nlohmann::json told = launchbox_run({"inspect", deep, "--stack-reserve", "--format", "json"}).json();
    ASSERT_EQ(told["not_counted"].size(), 1u) << told;
    EXPECT_EQ(told["not_counted"][0]["architecture"], "sm_107");
    // No stack needs no memory, on any GPU.
    EXPECT_EQ(launchbox_run({"check", log_of("flat", 0), "--stack-reserve", "0"}).status, 0);
    // If the architecture is unknown, so are its GPUs.
    const std::string log =
        "nvlink info    : Function properties for 'k':\nnvlink info    : used 10 registers, 60000 stack, 0 bytes "
        "smem\n";
    EXPECT_EQ(launchbox_run({"check", "-", "--stack-reserve", "1T"}, log).status, 1);
}

// PTX next to a cubin is left out, in any order of an archive.
TEST_F(check_copies, members_of_a_package_may_have_any_order)
{
    const std::string made = cubin("p/k", bounded(""));
    file("p/k.ptx", ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n");
    const std::string limits = budget("[defaults]\nmax_registers = 255\n");
    std::string said;
    for (const auto& [first, second] : {std::pair{"k.cubin", "k.ptx"}, {"k.ptx", "k.cubin"}}) {
        const std::string package = path("p.tar");
        ASSERT_EQ(run({"tar", "cf", package, "-C", path("p"), first, second}).exit_code, 0);
        const call result = launchbox_run({"check", package, "--budget", limits});
        EXPECT_EQ(result.status, 0) << result.out;
        if (said.empty()) said = result.out;
        EXPECT_EQ(result.out, said);
    }
}

TEST_F(check_copies, the_images_of_each_file_are_counted)
{
    const std::string small = cubin("a/k", bounded("")),
                      large = cubin("b/k", bounded(""), "sm_90", {"-lineinfo", "-G"});
    const std::string bytes = std::to_string(fs::file_size(small) + 100);
    ASSERT_GT(fs::file_size(large), fs::file_size(small) + 100);
    EXPECT_EQ(checked(small, small, {"--size", bytes}), 0);
    const std::vector<std::string> words{"check", small, large, "--size", bytes, "--format", "json"};
    EXPECT_EQ(checked(small, large, {"--size", bytes}), 1);
    const nlohmann::json json = launchbox_run(words).json();
    ASSERT_EQ(json["findings"].size(), 1u) << json;
    EXPECT_EQ(json["findings"][0]["input"], large);
}

}  // namespace
}  // namespace launchbox
