// -p with a build that compiles one source several times: all its commands count.
#include "tool.hpp"

#include <algorithm>
#include <filesystem>

namespace launchbox {
namespace {

namespace fs = std::filesystem;

class build_commands : public testing::Test {
protected:
    void SetUp() override
    {
        NEEDS_NVCC();
        write_file_atomically(source_,
                              "#ifdef BROKEN\n#error no\n#endif\n#ifndef BOUND\n#define BOUND 128\n#endif\n"
                              "__global__ void __launch_bounds__(BOUND) k(int* p) { __shared__ int s[ITEMS]; "
                              "s[threadIdx.x] = *p; __syncthreads(); *p = s[1]; }\n");
    }

    // A compilation database with these flags.
    std::string build(const std::vector<std::string>& flags) const
    {
        nlohmann::json entries = nlohmann::json::array();
        for (std::size_t i = 0; i < flags.size(); ++i)
            entries.push_back({{"directory", folder_.path().string()},
                               {"file", "k.cu"},
                               {"command", "nvcc " + flags[i] + " -c k.cu -o out" + std::to_string(i) + "/k.o"}});
        const fs::path folder = folder_.path() / "build";
        fs::create_directories(folder);
        write_file_atomically(folder / "compile_commands.json", entries.dump());
        return folder.string();
    }
    call run_on(const std::string& verb, const std::string& folder, const std::vector<std::string>& more = {}) const
    {
        std::vector<std::string> words{verb, source_, "--arch", "sm_90", "-p", folder};
        words.insert(words.end(), more.begin(), more.end());
        return launchbox_run(words, "[defaults]\nmax_static_shared = 1024\n");
    }

private:
    temporary_directory folder_;
    std::string source_ = (folder_.path() / "k.cu").string();
};

TEST_F(build_commands, are_all_checked_in_any_order)
{
    const std::string little = "-DITEMS=64", much = "-DITEMS=4096";
    for (const auto& flags :
         {std::vector{little, much}, std::vector{much, little}, std::vector{little, little, much}}) {
        const call failed = run_on("check", build(flags), {"--budget", "-", "--format", "json"});
        EXPECT_EQ(failed.status, 1) << failed.out << failed.err;
        const std::string message = failed.json()["findings"][0]["message"];
        const auto place = static_cast<std::size_t>(std::ranges::find(flags, much) - flags.begin());
        EXPECT_NE(message.find("of 2: out" + std::to_string(place) + "/k.o, one of 2 copies"), std::string::npos)
            << message;
    }
    // Launch bounds too, of which the worst counts.
    const std::string baseline = build({little}) + "/kept";
    ASSERT_EQ(run_on("check", build({little}), {"--baseline", baseline, "--write-baseline"}).status, 0);
    EXPECT_EQ(run_on("check", build({little, little + " -DBOUND=992"}), {"--baseline", baseline}).status, 1);
}

TEST_F(build_commands, are_all_shown_by_every_verb)
{
    const std::string two = build({"-DITEMS=64", "-DITEMS=4096"});
    const nlohmann::json kernels = run_on("inspect", two, {"--format", "json"}).json()["kernels"];
    ASSERT_EQ(kernels.size(), 2u);
    EXPECT_EQ(kernels[0]["static_shared_bytes"], 256);
    EXPECT_EQ(kernels[1]["static_shared_bytes"], 16384);
    EXPECT_EQ(kernels[1]["source"]["container"], "nvcc, command 2 of 2: out1/k.o");
    EXPECT_EQ(run_on("occupancy", two, {"--format", "json"}).json()["results"].size(), 2u);
    // Code for the device linker is different code.
    const nlohmann::json linked =
        run_on("inspect", build({"-DITEMS=64", "-DITEMS=64 -dc"}), {"--format", "json"}).json()["kernels"];
    ASSERT_EQ(linked.size(), 2u);
    EXPECT_EQ(linked[0]["relocatable"], false);
    EXPECT_EQ(linked[1]["relocatable"], true);
    // Commands with the same flags count once, whatever their outputs are.
    const nlohmann::json once =
        run_on("inspect", build({"-DITEMS=64", "-DITEMS=64 -MD -MF x.d"}), {"--format", "json"}).json()["kernels"];
    ASSERT_EQ(once.size(), 1u);
    EXPECT_EQ(once[0]["source"]["container"], "nvcc");
}

TEST_F(build_commands, are_named_if_they_fail)
{
    const call failed = run_on("check", build({"-DITEMS=64", "-DITEMS=64 -DBROKEN"}), {"--budget", "-"});
    EXPECT_EQ(failed.status, 2);
    EXPECT_TRUE(failed.says("command 2 of 2: out1/k.o: sm_90: ")) << failed.err;
}

}  // namespace
}  // namespace launchbox
