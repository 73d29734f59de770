// Sweeps real sources with the real nvcc. The expected figures come from separate compiles: the attribute is written
// into a copy of the source, and ptxas -v prints the figures.
#include "advice/bounds/bounds_sweep.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "advice/bounds/bounds_answer.hpp"
#include "advice/bounds/bounds_plan.hpp"
#include "compiler/log/resource_log.hpp"
#include "image/cubin.hpp"
#include "nvcc_test.hpp"
#include "scale.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/parallel.hpp"
#include "support/process/subprocess.hpp"

using namespace launchbox;
namespace fs = std::filesystem;

namespace {

const fs::path sources = LAUNCHBOX_SOURCE_DIR "/tests/data/sweep";

// The text with everything between /*name*/ and /*end*/ replaced.
std::string written_by_hand(std::string text, const std::string& name, const launch_attribute& attribute)
{
    const std::string begin = "/*" + name + "*/";
    const std::size_t from = text.find(begin) + begin.size(), to = text.find("/*end*/", from);
    return text.replace(from, to - from, " " + attribute_source(attribute) + " ");
}

class BoundsSweep : public nvcc_test {
protected:
    // What the compiler prints about all kernels of a source on disk.
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
            kernels[kernel.name].figures.code_bytes = kernel.figures.code_bytes;
            kernels[kernel.name].bounds.register_cap = kernel.bounds.register_cap;
        }
        return kernels;
    }

    template <class WriteCopy>
    void compare_all(const bounds_sweep_result& swept, const WriteCopy& write_copy) const;
};

void expect_same(const kernel_info& trial, const kernel_info& hand, const std::string& what)
{
    EXPECT_EQ(trial.figures.registers, hand.figures.registers) << what;
    EXPECT_EQ(trial.figures.spill_store_bytes, hand.figures.spill_store_bytes) << what;
    EXPECT_EQ(trial.figures.spill_load_bytes, hand.figures.spill_load_bytes) << what;
    EXPECT_EQ(trial.figures.stack_frame_bytes, hand.figures.stack_frame_bytes) << what;
    EXPECT_EQ(trial.figures.static_shared_bytes, hand.figures.static_shared_bytes) << what;
    EXPECT_EQ(trial.figures.barriers, hand.figures.barriers) << what;
    EXPECT_EQ(trial.figures.code_bytes, hand.figures.code_bytes) << what;
    EXPECT_EQ(trial.bounds.register_cap, hand.bounds.register_cap) << what;
}

// Two rows, or all.
std::vector<launch_attribute> rows(const kernel_trials&)
{
    if (!is_exhaustive()) return {{.threads = 256, .min_blocks = 4}, {.max_registers = 32}};
    return {{.threads = 128},
            {.threads = 128, .min_blocks = 1},
            {.threads = 128, .min_blocks = 8},
            {.threads = 256},
            {.threads = 256, .min_blocks = 1},
            {.threads = 256, .min_blocks = 4},
            {.threads = 1024},
            {.threads = 65, .min_blocks = 22},  // ptxas ignores the blocks of this one
            {.max_registers = 32},
            {.max_registers = 96}};
}

// All three, or the last.
std::vector<compute_capability> architectures()
{
    const std::vector<compute_capability> all{{7, 5}, {12, 0}, {9, 0}};
    return is_exhaustive() ? all : std::vector{all.back()};
}

std::string name_in_source(const std::string& short_form)
{
    const std::string name = short_form.substr(0, short_form.find('<'));
    return name.substr(name.rfind(':') + 1);
}
std::string name_in_source(const kernel_trials& kernel)
{
    return name_in_source(kernel.written.short_form);
}

// Compares every trial with the compile of the copy that `write_copy(kernel, trial, folder)` writes and names.
struct hand_copy {
    fs::path source;
    std::vector<std::string> flags = {};
};
template <class WriteCopy>
void BoundsSweep::compare_all(const bounds_sweep_result& swept, const WriteCopy& write_copy) const
{
    EXPECT_TRUE(swept.errors.empty()) << swept.errors.front();
    ASSERT_FALSE(swept.kernels.empty());
    // Instantiations of one template share one such compile.
    struct hand_compile {
        const kernel_trials* kernel;
        launch_attribute attribute;
        std::map<std::string, kernel_info> kernels = {};
    };
    std::map<std::string, hand_compile> compiles;
    taken_combinations taken(2);
    const auto key = [](const kernel_trials& kernel, const bounds_trial& trial) {
        return kernel.written.architecture + " " + name_in_source(kernel) + " " + attribute_source(trial.attribute);
    };
    for (const kernel_trials& kernel : swept.kernels)
        for (const bounds_trial& trial : kernel.trials)
            if (is_exhaustive() || (trial.attribute != kernel.attribute && taken.next()))  // equal: the source as it is
                compiles.emplace(key(kernel, trial), hand_compile{&kernel, trial.attribute});
    std::vector<hand_compile*> list;
    for (auto& compile : compiles) list.push_back(&compile.second);
    run_parallel(list.size(), [&](std::size_t i) {
        const temporary_directory folder;
        const hand_copy copy = write_copy(*list[i]->kernel, list[i]->attribute, folder.path());
        list[i]->kernels = by_hand(copy.source, list[i]->kernel->written.architecture, copy.flags);
    });

    std::size_t compared = 0;
    for (const kernel_trials& kernel : swept.kernels) {
        EXPECT_EQ(kernel.not_swept, "") << kernel.written.short_form;
        EXPECT_EQ(kernel.trials.size(), rows(kernel).size() + 1) << kernel.written.short_form;
        for (const bounds_trial& trial : kernel.trials) {
            const std::string what = key(kernel, trial);
            if (!compiles.contains(what)) continue;
            ASSERT_TRUE(trial.compiled()) << what << ": " << (trial.errors.empty() ? "" : trial.errors.front());
            const std::map<std::string, kernel_info>& hand = compiles.at(what).kernels;
            auto found = hand.find(kernel.written.name);
            if (found == hand.end())  // symbols of an anonymous namespace hold a hash of the path
                found = std::ranges::find_if(hand, [&](const auto& entry) {
                    return entry.first.find(name_in_source(kernel)) != std::string::npos;
                });
            ASSERT_NE(found, hand.end()) << what;
            expect_same(trial.kernel, found->second, what);
            ++compared;
        }
    }
    std::printf("%zu trials of %zu kernels x architectures compared, %zu compiles in the sweep, %zu by hand\n",
                compared, swept.kernels.size(), swept.compiles, list.size());
    EXPECT_GT(compared, 0U);
}

// For kernels in our own sources: each trial is compared with a copy that differs by that one attribute.
class EveryTrial : public BoundsSweep, public testing::WithParamInterface<const char*> {};

TEST_P(EveryTrial, EqualsACompileByHand)
{
    const fs::path source = sources / GetParam();
    const std::string text = read_input(source.string());
    const auto has_mark = [&](const kernel_info& info) {
        return text.find("/*" + name_in_source(info.short_form) + "*/") != std::string::npos;
    };
    const bounds_sweep_result swept =
        sweep_bounds(tools_, {.source = source.string(), .architectures = architectures(), .wanted = has_mark}, rows);
    compare_all(swept, [&](const kernel_trials& kernel, const launch_attribute& attribute, const fs::path& folder) {
        const fs::path copy = folder / source.filename();
        write_file_atomically(copy, written_by_hand(text, name_in_source(kernel), attribute));
        return hand_copy{copy};
    });
}

INSTANTIATE_TEST_SUITE_P(Sources, EveryTrial, testing::Values("kernels.cu", "blocks.cu", "functions.cu"));

// For a kernel in CUB's own headers: the copy is a changed header that comes first in the search path.
TEST_F(BoundsSweep, EveryTrialOfAKernelOfCubEqualsACompileByHand_exhaustive)
{
    const std::string source = (sources / "device_scan.cu").string();
    const auto scan_only = [](const kernel_info& info) {
        return info.short_form.find("DeviceScanKernel<") != std::string::npos;
    };
    const bounds_sweep_result swept =
        sweep_bounds(tools_, {.source = source, .architectures = architectures(), .wanted = scan_only}, rows);
    ASSERT_EQ(swept.kernels.size(), architectures().size());
    compare_all(swept, [&](const kernel_trials& kernel, const launch_attribute& attribute, const fs::path& folder) {
        const fs::path header = kernel.attribute_at.value().file;
        std::string text = read_input(header.string());
        const std::size_t from = text.rfind("__launch_bounds__", text.find("void DeviceScanKernel("));
        std::size_t to = text.find('(', from) + 1;
        for (int open = 1; open > 0; ++to) open += text.at(to) == '(' ? 1 : text.at(to) == ')' ? -1 : 0;
        text.replace(from, to - from, attribute_source(attribute));
        const fs::path copy = folder / "cub" / "device" / "dispatch" / "kernels" / header.filename();
        fs::create_directories(copy.parent_path());
        write_file_atomically(copy, text);
        return hand_copy{source, {"-I", folder.string()}};
    });
}

std::vector<launch_attribute> two_rows(const kernel_trials&)
{
    return {{.threads = 64}, {.max_registers = 40}};
}

class SmallSweep : public BoundsSweep {
protected:
    [[nodiscard]] std::string write(const std::string& text, const std::string& name = "k.cu") const
    {
        const fs::path path = folder_.path() / name;
        write_file_atomically(path, text);
        return path.string();
    }
};

TEST_F(SmallSweep, TrialsFollowThePlanAfterTheOneWithoutAttribute)
{
    const std::string source = write("extern \"C\" __global__ void __launch_bounds__(64) k(int* p) { *p = 1; }\n");
    std::size_t last = 0;
    const bounds_sweep_result swept = sweep_bounds(
        tools_, {.source = source, .architectures = {{9, 0}, {7, 5}}},
        [](const kernel_trials& kernel) -> std::vector<launch_attribute> {
            EXPECT_EQ(kernel.written.name, "k");
            EXPECT_EQ(kernel.attribute, (launch_attribute{.threads = 64}));
            EXPECT_EQ(kernel.threads, std::vector<int>{64});
            return {{.max_registers = 40}, {.threads = 64}, {}, {.threads = 64}, {.threads = 32}};
        },
        [&](std::size_t done, std::size_t total) {
            EXPECT_EQ(done, last + 1);
            EXPECT_LE(done, total);
            last = done;
        });
    ASSERT_EQ(swept.kernels.size(), 2u);
    EXPECT_EQ(swept.kernels[0].written.architecture, "sm_90");
    EXPECT_EQ(swept.kernels[1].written.architecture, "sm_75");
    for (const kernel_trials& kernel : swept.kernels) {
        EXPECT_EQ(kernel.declared_at.value().line, 1);
        EXPECT_EQ(kernel.attribute_at.value().line, 1);
        ASSERT_EQ(kernel.trials.size(), 4u);
        EXPECT_EQ(kernel.trials[0].attribute, launch_attribute{});
        EXPECT_EQ(kernel.trials[1].attribute, (launch_attribute{.max_registers = 40}));
        EXPECT_EQ(kernel.trials[2].attribute, (launch_attribute{.threads = 64}));
        EXPECT_EQ(kernel.trials[2].kernel, kernel.written);  // the attribute in the source is not compiled again
        EXPECT_EQ(kernel.trials[3].attribute, (launch_attribute{.threads = 32}));
        for (const bounds_trial& trial : kernel.trials) EXPECT_TRUE(trial.compiled());
    }
    EXPECT_EQ(swept.compiles, 2u * (3 + 3));
    EXPECT_EQ(last, swept.compiles);
    EXPECT_FALSE(swept.interrupted);
}

TEST_F(SmallSweep, TheSecondRunCompilesNothing)
{
    const std::string source = write(
        "extern \"C\" __global__ void k(int* p) { *p = 1; }\nextern \"C\" __global__ void l(int* p) { *p = 2; }\n");
    const bounds_request request{
        .source = source, .architectures = {{7, 5}, {9, 0}}, .cache_folder = folder_.path() / "cache"};
    const bounds_sweep_result first = sweep_bounds(tools_, request, two_rows),
                              second = sweep_bounds(tools_, request, two_rows);
    EXPECT_EQ(first.compiles, 2u * (3 + 2));  // both kernels in one compile
    EXPECT_EQ(first.from_cache, 0u);
    EXPECT_EQ(second.compiles, 0u);
    EXPECT_EQ(second.from_cache, first.compiles);
    ASSERT_EQ(second.kernels.size(), first.kernels.size());
    for (std::size_t i = 0; i < first.kernels.size(); ++i) {
        EXPECT_EQ(second.kernels[i].written, first.kernels[i].written);
        ASSERT_EQ(second.kernels[i].trials.size(), 3u);
        for (std::size_t j = 0; j < 3; ++j)
            EXPECT_EQ(second.kernels[i].trials[j].kernel, first.kernels[i].trials[j].kernel);
    }
    const bounds_sweep_result more = sweep_bounds(tools_, request, [](const kernel_trials& kernel) {
        std::vector<launch_attribute> attributes = two_rows(kernel);
        attributes.push_back({.threads = 96});
        return attributes;
    });
    EXPECT_EQ(more.compiles, 2u);
}

TEST_F(SmallSweep, OnlyKernelsThatAreAskedForAreSweptAndAllNamesAreKnown)
{
    const std::string source = write(
        "template <int N> __global__ void a(int* p) { *p = N; }\n"
        "template __global__ void a<3>(int*);\ntemplate __global__ void a<4>(int*);\n"
        "__global__ void b() {}\n");
    const bounds_sweep_result swept = sweep_bounds(tools_,
                                                   {.source = source,
                                                    .architectures = {{9, 0}},
                                                    .wanted =
                                                        [](const kernel_info& info) {
                                                            return info.name == "_Z1aILi4EEvPi" &&
                                                                   info.demangled.find("void a<") == 0 &&
                                                                   info.short_form == "a<4>";
                                                        },
                                                    .threads = {512, 32, 512}},
                                                   two_rows);
    EXPECT_EQ(swept.all_kernels, (std::vector<std::string>{"a<3>", "a<4>", "b"}));
    ASSERT_EQ(swept.kernels.size(), 1u);
    EXPECT_EQ(swept.kernels[0].written.short_form, "a<4>");
    EXPECT_EQ(swept.kernels[0].threads, (std::vector<int>{32, 512}));
}

TEST_F(SmallSweep, KernelsThatCannotBeSweptSayWhy)
{
    const std::string source = write(
        "extern \"C\" __global__ void __block_size__((128, 1, 1)) sized() {}\n"
        "extern \"C\" __attribute__((global)) void hidden() {}\n"
        "extern \"C\" __global__ void __attribute__((launch_bounds(96))) raw() {}\n"
        "extern \"C\" __global__ void plain() {}\n");
    const bounds_sweep_result swept = sweep_bounds(tools_, {.source = source, .architectures = {{9, 0}}}, two_rows);
    std::map<std::string, const kernel_trials*> kernels;
    for (const kernel_trials& kernel : swept.kernels) kernels[kernel.written.name] = &kernel;
    ASSERT_EQ(kernels.size(), 4u);
    EXPECT_NE(kernels["sized"]->not_swept.find("__block_size__"), std::string::npos);
    EXPECT_EQ(kernels["sized"]->threads, std::vector<int>{128});
    EXPECT_NE(kernels["hidden"]->not_swept.find("declare it with __global__"), std::string::npos);
    EXPECT_NE(kernels["raw"]->not_swept.find("__launch_bounds__"), std::string::npos);
    for (const char* name : {"sized", "hidden", "raw"}) EXPECT_TRUE(kernels[name]->trials.empty()) << name;
    EXPECT_EQ(kernels["plain"]->not_swept, "");
    EXPECT_EQ(kernels["plain"]->threads, (std::vector<int>{128, 256, 512, 1024}));
    EXPECT_EQ(kernels["plain"]->trials.size(), 3u);
}

TEST_F(SmallSweep, AVariantThatDoesNotCompileIsOneErrorAndTheOthersAreDone)
{
    const std::string source = write(
        "extern \"C\" __global__ void __cluster_dims__(2, 1, 1) clustered() {}\n"
        "extern \"C\" __global__ void other() {}\n");
    const bounds_sweep_result swept =
        sweep_bounds(tools_, {.source = source, .architectures = {{9, 0}}},
                     [](const kernel_trials& kernel) -> std::vector<launch_attribute> {
                         const bool clustered = kernel.written.name == "clustered";
                         return {{.threads = 64, .max_cluster_blocks = clustered ? 1 : 0}, {.threads = 96}};
                     });
    ASSERT_EQ(swept.kernels.size(), 2u);
    const bool first = swept.kernels[0].written.name == "clustered";
    const kernel_trials &clustered = swept.kernels[first ? 0 : 1], &other = swept.kernels[first ? 1 : 0];
    ASSERT_EQ(clustered.trials.size(), 3u);
    EXPECT_FALSE(clustered.trials[1].compiled());
    ASSERT_FALSE(clustered.trials[1].errors.empty());
    EXPECT_NE(clustered.trials[1].errors[0].find("k.cu(1): "), std::string::npos) << clustered.trials[1].errors[0];
    EXPECT_TRUE(clustered.trials[2].compiled());
    EXPECT_EQ(clustered.trials[2].kernel.bounds.cluster, (std::array{2, 1, 1}));
    for (const bounds_trial& trial : other.trials) EXPECT_TRUE(trial.compiled());
}

TEST_F(SmallSweep, KernelsOfASourceWithFunctionsAreCompiledOneAtATime)
{
    const std::string source = write(
        "__device__ __noinline__ void f(int* p) { *p = 1; }\n"
        "extern \"C\" __global__ void a(int* p) { f(p); }\n"
        "extern \"C\" __global__ void b(int* p) { f(p + 1); }\n");
    EXPECT_EQ(sweep_bounds(tools_, {.source = source, .architectures = {{9, 0}}}, two_rows).compiles, 3u + 2u * 2u);
}

// A source that checks for the injected attribute and undoes it.
TEST_F(SmallSweep, AnAttributeThatTheSourceUndoesIsAnErrorAndNoRow)
{
    const std::string source = write(
        "#ifdef LAUNCHBOX_SECOND\n#undef __global__\n#define __global__ __attribute__((global))\n"
        "#endif\nextern \"C\" __global__ void k() {}\n");
    const bounds_sweep_result swept = sweep_bounds(tools_, {.source = source, .architectures = {{9, 0}}}, two_rows);
    ASSERT_EQ(swept.kernels.size(), 1u);
    ASSERT_EQ(swept.kernels[0].trials.size(), 3u);
    EXPECT_TRUE(swept.kernels[0].trials[0].compiled());
    for (const std::size_t i : {1u, 2u}) {
        const bounds_trial& trial = swept.kernels[0].trials[i];
        EXPECT_FALSE(trial.compiled());
        ASSERT_EQ(trial.errors.size(), 1u);
        EXPECT_NE(trial.errors[0].find("has no effect on the kernel: the compiler sees none"), std::string::npos);
    }
}

TEST_F(SmallSweep, AThirdArgumentIsKept)
{
    const std::string source = write("extern \"C\" __global__ void __launch_bounds__(64, 1, 4) k() {}\n");
    const bounds_sweep_result swept = sweep_bounds(tools_, {.source = source, .architectures = {{9, 0}}}, two_rows);
    ASSERT_EQ(swept.kernels.size(), 1u);
    ASSERT_EQ(swept.kernels[0].trials.size(), 3u);
    EXPECT_EQ(swept.kernels[0].trials[1].attribute, (launch_attribute{.threads = 64, .max_cluster_blocks = 4}));
    EXPECT_EQ(swept.kernels[0].trials[1].kernel.bounds.max_cluster_blocks, 4);
    EXPECT_EQ(swept.kernels[0].trials[2].kernel.bounds.max_cluster_blocks, std::nullopt);
}

TEST_F(SmallSweep, AFileThatDoesNotCompileIsReportedOnceWithItsPlace)
{
    const bounds_sweep_result broken = sweep_bounds(
        tools_, {.source = write("__global__ void k() { x; }\n"), .architectures = {{7, 5}, {9, 0}}}, two_rows);
    EXPECT_TRUE(broken.kernels.empty());
    ASSERT_EQ(broken.errors.size(), 1u);
    EXPECT_NE(broken.errors[0].find("k.cu(1): identifier \"x\" is undefined"), std::string::npos);
    EXPECT_EQ(broken.errors[0].find("sm_"), std::string::npos) << "it is the same for both: " << broken.errors[0];
    const bounds_sweep_result missing =
        sweep_bounds(tools_, {.source = write("#include \"missing.h\"\n"), .architectures = {{9, 0}}}, two_rows);
    ASSERT_FALSE(missing.errors.empty());
    EXPECT_NE(missing.errors[0].find("missing.h"), std::string::npos);
    EXPECT_NE(missing.errors[0].find("-- -I FOLDER"), std::string::npos);
    fs::create_directories(folder_.path() / "include");
    (void)write("__global__ void k() {}\n", "include/missing.h");
    const bounds_sweep_result found = sweep_bounds(tools_,
                                                   {.source = (folder_.path() / "k.cu").string(),
                                                    .architectures = {{9, 0}},
                                                    .flags = {"-I", (folder_.path() / "include").string()}},
                                                   two_rows);
    ASSERT_EQ(found.kernels.size(), 1u);
    EXPECT_EQ(found.kernels[0].trials.size(), 3u);
    EXPECT_EQ(found.kernels[0].declared_at.value().file, (folder_.path() / "include" / "missing.h").string());
}

TEST_F(SmallSweep, CodeCompiledForLinkingIsMarked)
{
    const std::string source = write(
        "namespace { __global__ void k(int* p) { *p = 1; } }\n"
        "void launch() { k<<<1, 1>>>(nullptr); }\n");
    const bounds_sweep_result swept =
        sweep_bounds(tools_, {.source = source, .architectures = {{9, 0}}, .flags = {"-rdc=true"}}, two_rows);
    ASSERT_EQ(swept.kernels.size(), 1u);
    ASSERT_EQ(swept.kernels[0].trials.size(), 3u);
    for (const bounds_trial& trial : swept.kernels[0].trials) {
        EXPECT_TRUE(trial.compiled());
        EXPECT_TRUE(trial.kernel.relocatable);
    }
}

// Runs in a process of its own, because the interrupt flag cannot be reset.
TEST_F(SmallSweep, AnInterruptKeepsFinishedTrials)
{
    const std::string source = write("extern \"C\" __global__ void k(int* p) { *p = 1; }\n");
    const auto interrupt_after = [&](std::size_t compiles, std::size_t kernels, std::size_t trials) {
        const pid_t child = ::fork();
        if (child == 0) {
            catch_interrupts();
            const bounds_sweep_result swept =
                sweep_bounds(tools_, {.source = source, .architectures = {{9, 0}}, .jobs = 1}, two_rows,
                             [&](std::size_t done, std::size_t) {
                                 if (done == compiles) ::raise(SIGINT);
                             });
            bool good = swept.interrupted && swept.compiles == compiles && swept.kernels.size() == kernels;
            for (const kernel_trials& kernel : swept.kernels) good &= kernel.trials.size() == trials;
            ::_exit(good ? 0 : 1);
        }
        int status = -1;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        return status;
    };
    EXPECT_EQ(interrupt_after(1, 0, 0), 0);
    EXPECT_EQ(interrupt_after(4, 1, 2), 0);
}

// Some attributes are tried on PTX alone, and only those that the answer depends on are compiled from the source: the
// answer must equal that of compiling everything. `functions.cu` has device functions that are not inlined, whose
// registers ptxas gives to all of their callers.
TEST_F(BoundsSweep, TryingOnPtxGivesTheSameAnswerAsCompilingAll)
{
    const auto plan = [](const kernel_trials& kernel) { return useful_attributes(kernel, 0); };
    std::size_t kernels = 0, from_ptx = 0, whole_compiles = 0, quick_compiles = 0, in_between = 0;
    const std::pair<const char*, compute_capability> all[] = {
        {"kernels.cu", {8, 0}}, {"functions.cu", {12, 0}}, {"../../../examples/merge.cu", {8, 0}}};
    // Larger blocks have fewer bounds: half as many compiles, and one of the answers is still a bound with min_blocks.
    const int threads = is_exhaustive() ? 256 : 512;
    std::size_t bounds_with_blocks = 0;
    for (const auto& [name, architecture] : all) {
        bounds_request request{.source = (sources / name).string(),
                               .architectures = {architecture},
                               .cache_folder = LAUNCHBOX_TEST_CACHE,
                               .threads = {threads}};
        const bounds_sweep_result whole = sweep_bounds(tools_, request, plan);
        request.chosen = [](const kernel_trials& kernel) { return attributes_behind(answer_bounds(kernel)); };
        const bounds_sweep_result quick = sweep_bounds(tools_, request, plan);
        ASSERT_EQ(quick.kernels.size(), whole.kernels.size()) << name;
        whole_compiles += whole.compiles + whole.from_cache;
        quick_compiles += quick.compiles + quick.from_cache;
        for (std::size_t i = 0; i < whole.kernels.size(); ++i) {
            const bounds_answer slow = answer_bounds(whole.kernels[i]), fast = answer_bounds(quick.kernels[i]);
            ASSERT_EQ(fast.name, slow.name);
            ASSERT_EQ(fast.block_sizes.size(), slow.block_sizes.size()) << slow.name;
            for (std::size_t j = 0; j < slow.block_sizes.size(); ++j) {
                const bounds_recommendation &expected = slow.block_sizes[j].recommendation,
                                            &found = fast.block_sizes[j].recommendation;
                EXPECT_EQ(attribute_source(found.attribute), attribute_source(expected.attribute))
                    << slow.short_form << " " << slow.architecture;
                EXPECT_EQ(found.verdict, expected.verdict) << slow.short_form << " " << slow.architecture;
                bounds_with_blocks += found.attribute.min_blocks > 0;
                if (!found.row) continue;
                const bounds_row& row = fast.block_sizes[j].rows[*found.row];
                EXPECT_FALSE(row.from_ptx) << "what is recommended was compiled from the source: " << slow.short_form;
                EXPECT_EQ(row.kernel.figures, slow.block_sizes[j].rows[*expected.row].kernel.figures);
            }
            ++kernels;
            for (const bounds_trial& trial : quick.kernels[i].trials) from_ptx += trial.from_ptx ? 1 : 0;
        }
        // The limits in between are the same in both, and a limit that is named was compiled from the source. One of
        // the sources has a kernel for which such a limit is named.
        if (!is_exhaustive() && !std::string_view(name).ends_with("merge.cu")) continue;
        request.finer = finer_limits;
        const bounds_sweep_result finer = sweep_bounds(tools_, request, plan);
        request.whole = true;
        const bounds_sweep_result both = sweep_bounds(tools_, request, plan);
        for (std::size_t i = 0; i < both.kernels.size(); ++i) {
            const bounds_answer slow = answer_bounds(both.kernels[i]), fast = answer_bounds(finer.kernels[i]);
            for (std::size_t j = 0; j < slow.block_sizes.size(); ++j) {
                const bounds_recommendation &expected = slow.block_sizes[j].recommendation,
                                            &found = fast.block_sizes[j].recommendation;
                EXPECT_EQ(attribute_source(found.attribute), attribute_source(expected.attribute)) << slow.short_form;
                ASSERT_EQ(found.row.has_value(), expected.row.has_value()) << slow.short_form;
                if (!found.row) continue;
                EXPECT_FALSE(fast.block_sizes[j].rows[*found.row].from_ptx) << slow.short_form;
                EXPECT_FALSE(slow.block_sizes[j].rows[*expected.row].from_ptx) << slow.short_form;
                in_between += found.attribute.max_registers % 8 != 0;
            }
        }
    }
    EXPECT_GE(bounds_with_blocks, 1u);
    EXPECT_GE(in_between, 1u) << "37 registers spill nothing where 40 do";
    EXPECT_GE(kernels, 10u);
    EXPECT_GT(from_ptx, 3 * kernels);
    EXPECT_LT(quick_compiles, whole_compiles);
}

// Compiles every register limit from the source: none has more warps without spills than the named one.
TEST_F(BoundsSweep, NoRegisterLimitBeatsTheAnswer_exhaustive)
{
    bounds_request request{.source = (sources / "../../../examples/merge.cu").string(),
                           .architectures = {{8, 0}, {9, 0}, {10, 0}},
                           .cache_folder = LAUNCHBOX_TEST_CACHE,
                           .threads = {256}};
    const bounds_sweep_result all = sweep_bounds(tools_, request, [](const kernel_trials&) {
        std::vector<launch_attribute> limits{{}};
        for (int count = 24; count <= 64; ++count) limits.push_back({.max_registers = count});
        return limits;
    });
    request.chosen = [](const kernel_trials& kernel) { return attributes_behind(answer_bounds(kernel)); };
    request.finer = finer_limits;
    const bounds_sweep_result quick =
        sweep_bounds(tools_, request, [](const kernel_trials& kernel) { return useful_attributes(kernel, 0); });
    ASSERT_EQ(quick.kernels.size(), all.kernels.size());
    for (std::size_t i = 0; i < all.kernels.size(); ++i) {
        const bounds_answer slow = answer_bounds(all.kernels[i]), fast = answer_bounds(quick.kernels[i]);
        const block_size_answer& size = fast.block_sizes.at(0);
        ASSERT_TRUE(size.recommendation.row) << fast.short_form;
        const bounds_row& named = size.rows[*size.recommendation.row];
        for (const bounds_row& row : slow.block_sizes.at(0).rows) {
            const bool is_better = row.launches() && spill_bytes(row.kernel) <= spill_bytes(named.kernel) &&
                                   row.residency->resident_warps > named.residency->resident_warps;
            EXPECT_FALSE(is_better) << attribute_source(row.attributes.front()) << " beats "
                                    << attribute_source(size.recommendation.attribute) << " for " << fast.short_form
                                    << " on " << fast.architecture;
        }
    }
}
}  // namespace
