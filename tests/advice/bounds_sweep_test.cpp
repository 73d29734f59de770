// Sweeps real sources with the real nvcc. The oracle is a compile by hand: the attribute written into a copy of the
// source, and what ptxas -v prints.
#include "advice/bounds_sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "compiler/resource_log.hpp"
#include "image/cubin.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/parallel.hpp"
#include "support/subprocess.hpp"

using namespace launchbox;
namespace fs = std::filesystem;

namespace {

const fs::path sources = LAUNCHBOX_SOURCE_DIR "/tests/data/sweep";

// The text with what stands between /*name*/ and /*end*/ replaced.
std::string written_by_hand(std::string text, const std::string& name, const launch_attribute& attribute)
{
    const std::string begin = "/*" + name + "*/";
    const std::size_t from = text.find(begin) + begin.size(), to = text.find("/*end*/", from);
    return text.replace(from, to - from, " " + source_text(attribute) + " ");
}

class BoundsSweep : public testing::Test {
protected:
    void SetUp() override
    {
        try {
            tools_ = find_toolchain();
        } catch (const error& none) {
            GTEST_SKIP() << none.what();
        }
    }

    // What the compiler says of all kernels of a source on disk.
    [[nodiscard]] std::map<std::string, kernel_info> by_hand(const fs::path& source, const std::string& architecture,
                                                             const std::vector<std::string>& flags = {}) const
    {
        const temporary_directory folder;
        const std::string cubin = (folder.path() / "k.cubin").string();
        std::vector<std::string> command{
            tools_.nvcc.string(), "-arch=" + architecture, "-cubin", "-Xptxas", "-v", "-o", cubin};
        command.insert(command.end(), flags.begin(), flags.end());
        command.push_back(source.string());
        const subprocess_result ran = run(command);
        std::map<std::string, kernel_info> kernels;
        for (const kernel_info& kernel : parse_resource_log(ran.output, "hand").kernels)
            kernels.emplace(kernel.name, kernel);
        EXPECT_EQ(ran.exit_code, 0) << ran.output;
        if (ran.exit_code != 0) return {};
        for (const kernel_info& kernel : read_cubin(read_input(cubin), "hand", {.hash_code = true}).kernels) {
            kernels[kernel.name].code_bytes = kernel.code_bytes;
            kernels[kernel.name].register_cap = kernel.register_cap;
        }
        return kernels;
    }

    toolchain tools_;
};

void expect_same(const kernel_info& trial, const kernel_info& hand, const std::string& what)
{
    EXPECT_EQ(trial.registers, hand.registers) << what;
    EXPECT_EQ(trial.spill_store_bytes, hand.spill_store_bytes) << what;
    EXPECT_EQ(trial.spill_load_bytes, hand.spill_load_bytes) << what;
    EXPECT_EQ(trial.stack_frame_bytes, hand.stack_frame_bytes) << what;
    EXPECT_EQ(trial.static_shared_bytes, hand.static_shared_bytes) << what;
    EXPECT_EQ(trial.barriers, hand.barriers) << what;
    EXPECT_EQ(trial.code_bytes, hand.code_bytes) << what;
    EXPECT_EQ(trial.register_cap, hand.register_cap) << what;
}

bool exhaustive()
{
    return std::getenv("LAUNCHBOX_EXHAUSTIVE") != nullptr;
}

std::vector<launch_attribute> rows(const kernel_trials&)
{
    if (!exhaustive()) return {{.threads = 256, .min_blocks = 4}, {.max_registers = 32}};
    return {{.threads = 128},
            {.threads = 128, .min_blocks = 1},
            {.threads = 128, .min_blocks = 8},
            {.threads = 256},
            {.threads = 256, .min_blocks = 1},
            {.threads = 256, .min_blocks = 4},
            {.threads = 1024},
            {.max_registers = 32},
            {.max_registers = 96}};
}

std::string name_in_source(const kernel_trials& kernel)
{
    const std::string name = kernel.short_form.substr(0, kernel.short_form.find('<'));
    return name.substr(name.rfind(':') + 1);
}

// Of kernels in a source of ours: every trial against a copy with that one attribute, all else untouched.
class EveryTrial : public BoundsSweep, public testing::WithParamInterface<const char*> {};

TEST_P(EveryTrial, EqualsACompileByHand)
{
    const fs::path source = sources / GetParam();
    const std::string text = read_input(source.string());
    bounds_sweep_result swept =
        sweep_bounds(tools_, {.source = source.string(), .architectures = {{7, 5}, {9, 0}, {12, 0}}}, rows);
    EXPECT_TRUE(swept.errors.empty()) << swept.errors.front();
    ASSERT_FALSE(swept.kernels.empty());

    struct comparison {
        const kernel_trials* kernel;
        const bounds_trial* trial;
    };
    std::vector<comparison> comparisons;
    for (const kernel_trials& kernel : swept.kernels) {
        EXPECT_EQ(kernel.not_swept, "") << kernel.short_form;
        if (text.find("/*" + name_in_source(kernel) + "*/") == std::string::npos) continue;
        EXPECT_EQ(kernel.trials.size(), rows(kernel).size() + 1) << kernel.short_form;
        for (const bounds_trial& trial : kernel.trials) comparisons.push_back({&kernel, &trial});
    }
    std::vector<std::map<std::string, kernel_info>> hand(comparisons.size());
    run_parallel(comparisons.size(), [&](std::size_t i) {
        const auto& [kernel, trial] = comparisons[i];
        const temporary_directory folder;
        // Symbols of an anonymous namespace hold a hash of the path.
        const fs::path copy = folder.path() / source.filename();
        write_file_atomically(copy, written_by_hand(text, name_in_source(*kernel), trial->attribute));
        hand[i] = by_hand(copy, kernel->written.architecture);
    });
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
        const auto& [kernel, trial] = comparisons[i];
        const std::string what =
            kernel->written.architecture + " " + kernel->short_form + " " + source_text(trial->attribute);
        ASSERT_TRUE(trial->compiled()) << what << ": " << (trial->errors.empty() ? "" : trial->errors.front());
        const std::string& name = kernel->written.name;
        auto found = hand[i].find(name);
        if (found == hand[i].end())
            found = std::ranges::find_if(hand[i], [&](const auto& each) {
                return each.first.find(name_in_source(*kernel)) != std::string::npos;
            });
        ASSERT_NE(found, hand[i].end()) << what;
        expect_same(trial->kernel, found->second, what);
    }
    RecordProperty("compared", static_cast<int>(comparisons.size()));
    std::printf("%zu trials compared, %zu compiles in the sweep\n", comparisons.size(), swept.compiles);
}

INSTANTIATE_TEST_SUITE_P(Sources, EveryTrial, testing::Values("kernels.cu", "blocks.cu"));

}  // namespace
