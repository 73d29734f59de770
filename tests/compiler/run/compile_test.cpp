// Runs the real nvcc on tests/data/kernels.
#include "compiler/run/compile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "compiler/log/describe.hpp"
#include "compiler/run/toolchain.hpp"
#include "nvcc_test.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"

using namespace launchbox;
namespace fs = std::filesystem;

namespace {

const std::string kernels_folder = LAUNCHBOX_SOURCE_DIR "/tests/data/kernels/";
const std::string logs_folder = LAUNCHBOX_SOURCE_DIR "/tests/data/logs/";

class Compile : public nvcc_test {
protected:
    [[nodiscard]] compile_result compile_one(const std::string& source, const char* architecture = "sm_90",
                                             std::vector<std::string> flags = {}) const
    {
        const compile_request request{.source = source,
                                      .architectures = {parse_compute_capability(architecture).value()},
                                      .flags = std::move(flags)};
        return compile_kernels(tools_, request).at(0);
    }

    [[nodiscard]] static std::map<std::string, kernel_info> by_name(const compile_result& result)
    {
        std::map<std::string, kernel_info> kernels;
        for (const kernel_info& kernel : result.kernels) kernels.emplace(kernel.name, kernel);
        return kernels;
    }

    [[nodiscard]] static std::vector<std::string> errors(const compile_result& result)
    {
        std::vector<std::string> texts;
        for (const log_message& message : result.report.messages)
            if (message.severity == log_severity::error) texts.push_back(describe(message));
        return texts;
    }
};

TEST_F(Compile, FindsTheArchitecturesOfTheCompiler)
{
    const std::vector<compute_capability> known = compiler_architectures(tools_);
    EXPECT_TRUE(std::ranges::is_sorted(known));
    EXPECT_TRUE(std::ranges::binary_search(known, compute_capability{9, 0}));
}

TEST_F(Compile, FiguresAreThoseOfTheLog)
{
    const compile_result result = compile_one(kernels_folder + "basic.cu", "sm_80");
    ASSERT_TRUE(result.succeeded) << result.log;
    ASSERT_EQ(result.kernels.size(), 8u);
    ASSERT_EQ(result.report.kernels.size(), 8u);
    for (std::size_t i = 0; i < result.kernels.size(); ++i) {
        const kernel_info &merged = result.kernels[i], &logged = result.report.kernels[i];
        EXPECT_EQ(merged.name, logged.name);
        EXPECT_EQ(merged.architecture, "sm_80");
        EXPECT_EQ(merged.figures.registers, logged.figures.registers);
        EXPECT_EQ(merged.figures.barriers, logged.figures.barriers);
        EXPECT_EQ(merged.figures.static_shared_bytes, logged.figures.static_shared_bytes);
        EXPECT_EQ(merged.figures.stack_frame_bytes, logged.figures.stack_frame_bytes);
        EXPECT_EQ(merged.figures.constant_banks, logged.figures.constant_banks);
        EXPECT_EQ(merged.source, (kernel_source{kernels_folder + "basic.cu", "nvcc", ""}));
        EXPECT_GT(merged.figures.code_bytes.value_or(0), 0);
        EXPECT_GT(merged.figures.parameter_bytes.value_or(0), 0);
    }
    EXPECT_EQ(by_name(result).at("computed_barrier").figures.parameter_bytes, 12);
}

TEST_F(Compile, LaunchBoundsAreReadFromThePtx)
{
    const compile_result result = compile_one(kernels_folder + "bounds.cu");
    ASSERT_TRUE(result.succeeded) << result.log;
    const auto kernels = by_name(result);
    const kernel_info& two_bounds = kernels.at("two_bounds");
    EXPECT_EQ(two_bounds.bounds.max_threads, (std::array{256, 1, 1}));
    EXPECT_EQ(two_bounds.bounds.min_blocks, 2);
    EXPECT_EQ(two_bounds.bounds.register_cap, 128);
    EXPECT_EQ(kernels.at("one_bound").bounds.max_threads, (std::array{256, 1, 1}));
    EXPECT_EQ(kernels.at("one_bound").bounds.min_blocks, std::nullopt);
    EXPECT_EQ(kernels.at("no_bounds").bounds.max_threads, std::nullopt);
    EXPECT_EQ(kernels.at("limited").bounds.requested_max_registers, 40);
    EXPECT_EQ(kernels.at("limited").bounds.register_cap, 40);
    EXPECT_EQ(kernels.at("too_many_threads").warnings.size(), 1u);
    EXPECT_FALSE(kernels.at("no_bounds").figures.constant_banks.empty());  // no log for sm_90 has them
}

TEST_F(Compile, ArchitecturesAreReturnedInTheirOrder)
{
    const compile_request request{.source = kernels_folder + "spills.cu",
                                  .architectures = {{9, 0, architecture_variant::accelerated}, {7, 5}, {8, 0}},
                                  .flags = {}};
    std::vector<std::size_t> seen;
    const auto results = compile_kernels(tools_, request, [&](std::size_t done, std::size_t total) {
        EXPECT_EQ(total, 3u);
        seen.push_back(done);
    });
    EXPECT_EQ(seen, (std::vector<std::size_t>{1, 2, 3}));
    ASSERT_EQ(results.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
        ASSERT_TRUE(results[i].succeeded) << results[i].log;
        EXPECT_EQ(results[i].architecture, request.architectures[i]);
        EXPECT_EQ(results[i].kernels.at(0).architecture, architecture_name(request.architectures[i]).view());
        EXPECT_GT(results[i].kernels.at(0).figures.spill_store_bytes.value_or(0), 0);
    }
}

TEST_F(Compile, FlagsReachTheCompiler)
{
    const compile_result relocatable = compile_one(kernels_folder + "callees.cu", "sm_80", {"-rdc=true"});
    ASSERT_TRUE(relocatable.succeeded) << relocatable.log;
    for (const kernel_info& kernel : relocatable.kernels) EXPECT_TRUE(kernel.relocatable) << kernel.name;

    const compile_result debug = compile_one(kernels_folder + "callees.cu", "sm_80", {"-G"});
    ASSERT_TRUE(debug.succeeded) << debug.log;
    for (const kernel_info& kernel : debug.kernels) EXPECT_FALSE(kernel.relocatable) << kernel.name;
    EXPECT_TRUE(by_name(debug).at("recursive").figures.stack_unbounded);

    const compile_result capped = compile_one(kernels_folder + "basic.cu", "sm_80", {"-maxrregcount=32"});
    ASSERT_TRUE(capped.succeeded) << capped.log;
    EXPECT_EQ(by_name(capped).at("nothing").bounds.register_cap, 32);

    const compile_result defined =
        compile_one(kernels_folder + "syntax_error.cu", "sm_80", {"-Dundefined_name=1 + 1;", "-I", "no such folder"});
    EXPECT_TRUE(defined.succeeded) << defined.log;
}

TEST_F(Compile, ASyntaxErrorIsReportedWithItsPlace)
{
    const std::string source = kernels_folder + "syntax_error.cu";
    const compile_result result = compile_one(source);
    EXPECT_FALSE(result.succeeded);
    EXPECT_TRUE(result.kernels.empty());
    const std::vector<std::string> found = errors(result);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front(), "1 front end error " + source + ":3: identifier \"undefined_name\" is undefined");
}

TEST_F(Compile, AnErrorOfPtxasNamesNoTemporaryFolder)
{
    const compile_result result = compile_one(kernels_folder + "bad_assembly.cu");
    EXPECT_FALSE(result.succeeded);
    ASSERT_FALSE(errors(result).empty());
    EXPECT_EQ(result.report.messages.front().source_file, "bad_assembly.ptx");
    EXPECT_EQ(result.log.find(fs::temp_directory_path().string()), std::string::npos);
}

TEST_F(Compile, AMissingFileIsReported)
{
    const compile_result result = compile_one("no/such file.cu");
    EXPECT_FALSE(result.succeeded);
    ASSERT_FALSE(errors(result).empty());
    EXPECT_NE(errors(result).front().find("no/such file.cu"), std::string::npos);
}

TEST_F(Compile, AnUnknownOptionIsReported)
{
    const compile_result result = compile_one(kernels_folder + "basic.cu", "sm_80", {"-no-such-option"});
    EXPECT_FALSE(result.succeeded);
    EXPECT_EQ(errors(result), std::vector<std::string>{"1 nvcc error: Unknown option '-no-such-option'"});
}

TEST_F(Compile, NamesWithShellCharactersAreNotInterpreted)
{
    const temporary_directory folder;
    const fs::path victim = folder.path() / "victim";
    for (const std::string name : {"a b;$(touch victim).cu", "a`touch victim`.cu", "a$HOME.cu", "a'b.cu", "a\\b.cu",
                                   "a&touch victim&.cu", "-a.cu", "a(b).cu"}) {
        const std::string source = (folder.path() / name).string();
        fs::copy_file(kernels_folder + "bounds.cu", source);
        write_file_atomically(folder.path() / "included.hpp", "");
        const compile_result result = compile_one(source);
        EXPECT_TRUE(result.succeeded) << name << "\n" << result.log;
        EXPECT_EQ(result.kernels.size(), 7u) << name;
        EXPECT_EQ(by_name(result)["two_bounds"].bounds.min_blocks, 2) << name;

        fs::copy_file(kernels_folder + "syntax_error.cu", source, fs::copy_options::overwrite_existing);
        const compile_result broken = compile_one(source);
        ASSERT_FALSE(broken.report.messages.empty()) << name << "\n" << broken.log;
        EXPECT_EQ(broken.report.messages.front().source_file, source);
        EXPECT_EQ(broken.report.messages.front().source_line, 3);
    }
    EXPECT_FALSE(fs::exists(victim));
    EXPECT_FALSE(fs::exists("victim"));
    EXPECT_THROW((void)compile_one("a\"b.cu"), error);
    EXPECT_THROW((void)compile_one(kernels_folder + "basic.cu", "sm_80", {"-DX=$(touch victim)"}), error);
    EXPECT_THROW((void)compile_one(kernels_folder + "basic.cu", "sm_80", {"-DX=`touch victim`"}), error);
}

TEST_F(Compile, PathsAreRelativeToTheCurrentFolder)
{
    const temporary_directory folder;
    fs::create_directories(folder.path() / "include");
    write_file_atomically(folder.path() / "include" / "bounds.hpp", "constexpr int bound = 192;\n");
    write_file_atomically(folder.path() / "beside.hpp", "constexpr int blocks = 3;\n");
    write_file_atomically(folder.path() / "k.cu",
                          "#include \"beside.hpp\"\n#include <bounds.hpp>\n"
                          "extern \"C\" __global__ void __launch_bounds__(bound, blocks) k() {}\n");
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    const compile_result result = compile_one("k.cu", "sm_80", {"-Iinclude"});
    fs::current_path(before);
    ASSERT_TRUE(result.succeeded) << result.log;
    EXPECT_EQ(result.kernels.at(0).bounds.max_threads, (std::array{192, 1, 1}));
    EXPECT_EQ(result.kernels.at(0).bounds.min_blocks, 3);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 3);  // nothing is left
}

TEST_F(Compile, PtxIsAlsoASource)
{
    const temporary_directory folder;
    const std::string source = (folder.path() / "k.ptx").string();
    write_file_atomically(source,
                          ".version 7.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry k() .maxntid 128, 1, 1 .minnctapersm 4 { ret; }\n");
    const compile_result result = compile_one(source, "sm_80");
    ASSERT_TRUE(result.succeeded) << result.log;
    EXPECT_EQ(result.kernels.at(0).bounds.min_blocks, 4);
    EXPECT_EQ(result.kernels.at(0).bounds.max_threads, (std::array{128, 1, 1}));
}

}  // namespace
