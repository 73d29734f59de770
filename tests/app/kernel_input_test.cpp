// Kernels of several inputs, read as a front end other than the command line reads them.
#include "app/input/kernel_input.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "app/input/folder_files.hpp"
#include "app/occupancy.hpp"
#include "support/files/files.hpp"
#include "support/files/gzip.hpp"

namespace launchbox {
namespace {

const std::string log_90 = std::string(LAUNCHBOX_SOURCE_DIR) + "/tests/data/logs/basic_sm_90.log";
const std::string log_80 = std::string(LAUNCHBOX_SOURCE_DIR) + "/tests/data/logs/basic_sm_80.log";

kernel_request request_for(std::vector<std::string> files)
{
    kernel_request request;
    request.files = std::move(files);
    return request;
}

TEST(kernel_input, kernels_know_the_index_of_their_input)
{
    const kernel_input input = read_kernels(request_for({log_90, log_80, log_90}));
    ASSERT_EQ(input.inputs.size(), 3u);
    std::vector<std::size_t> kernels(3);
    for (const found_kernel& kernel : input.kernels) {
        ASSERT_LT(kernel.input, 3u);
        EXPECT_EQ(kernel.info.source.file, input.inputs[kernel.input].file);
        ++kernels[kernel.input];
    }
    EXPECT_GT(kernels[0], 0u);
    EXPECT_EQ(kernels[2], kernels[0]);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(input.inputs[i].kernels, kernels[i]) << i;
}

// As Python's zlib.compress writes it.
std::string zlib_stream(const std::string& bytes)
{
    const std::string zipped = gzip(bytes);
    std::string stream = "\x78\x9c" + zipped.substr(10, zipped.size() - 18);
    std::uint32_t a = 1, b = 0;
    for (const char c : bytes) a = (a + static_cast<unsigned char>(c)) % 65521, b = (b + a) % 65521;
    for (const std::uint32_t half : {b, a}) stream += {static_cast<char>(half >> 8), static_cast<char>(half & 255)};
    return stream;
}

TEST(kernel_input, a_cache_compressed_by_zlib_is_opened)
{
    const temporary_directory folder;
    const std::string cubin = read_input(std::string(LAUNCHBOX_SOURCE_DIR) + "/tests/fuzz/corpus/cubin/sm_90.cubin");
    const std::string file = (folder.path() / "jit_f-1-cache").string();
    write_file_atomically(file, zlib_stream("executable" + cubin + "end"));
    write_file_atomically(folder.path() / "jit_g-2-cache", zlib_stream("no code"));
    const std::size_t kernels = read_kernels(request_for({file})).kernels.size();
    EXPECT_GT(kernels, 0u);
    EXPECT_EQ(read_kernels(request_for({folder.path().string()})).kernels.size(), kernels);
}

// The cubins are in records that are compressed by Snappy, in records that are, too; see riegeli_test.cpp.
TEST(kernel_input, a_cache_of_jax_is_opened)
{
    const std::string cache = std::string(LAUNCHBOX_SOURCE_DIR) + "/tests/data/caches";
    for (const std::string& given : {cache, cache + "/jit_softmax-cache"}) {
        const kernel_input input = read_kernels(request_for({given}));
        ASSERT_EQ(input.kernels.size(), 2u);
        EXPECT_TRUE(input.inputs.at(0).errors.empty());
        EXPECT_EQ(input.kernels[0].info.name, "loop_add_fusion");
        EXPECT_EQ(input.kernels[0].info.figures.registers, 19);
        EXPECT_EQ(input.kernels[1].info.name, "triton_softmax_2");
        EXPECT_EQ(input.kernels[1].info.figures.registers, 32);
    }
}

TEST(kernel_input, reports_of_other_tools_are_named)
{
    const temporary_directory folder;
    const auto error_of = [&](const std::string& text) {
        const std::string file = (folder.path() / "other.log").string();
        write_file_atomically(file, text);
        const kernel_input input = read_kernels(request_for({file}));
        EXPECT_EQ(input.inputs.at(0).errors.size(), 1u);
        return input.inputs.at(0).errors.at(0);
    };
    for (const char* text : {"k.cu:3:1: remark: Function Name: _Z1kPf [-Rpass-analysis=kernel-resource-usage]\n"
                             "k.cu:3:1: remark:     VGPRs: 63 [-Rpass-analysis=kernel-resource-usage]\n",
                             "; Kernel info:\n; NumSgprs: 12\n; NumVgprs: 8\n", "    .vgpr_count:     8\n"})
        EXPECT_TRUE(error_of(text).starts_with("it is a report of AMD's compiler (hipcc)")) << text;
    EXPECT_TRUE(error_of(" Function _Z1kPf:\n  REG:14 STACK:0 SHARED:1024 LOCAL:0 CONSTANT[0]:380 TEXTURE:0\n")
                    .starts_with("it was printed by cuobjdump --dump-resource-usage"));
    EXPECT_TRUE(error_of("\t\tFunction : _Z1kPf\n        /*0000*/   MOV R1, c[0x0][0x28] ;\n")
                    .starts_with("it is disassembly"));
    EXPECT_TRUE(error_of("VGPRs are registers").starts_with("it has no report of ptxas or nvlink"));
}

TEST(kernel_input, requested_kernels_are_counted_for_each_input)
{
    kernel_request request = request_for({log_90, log_80, log_90});
    request.architectures = architecture_list("sm_90");
    const kernel_input input = read_kernels(request);
    ASSERT_EQ(input.inputs.size(), 3u);
    EXPECT_GT(input.inputs[0].kernels, 0u);
    EXPECT_EQ(input.inputs[1].kernels, 0u);
    EXPECT_FALSE(input.inputs[1].errors.empty());
    EXPECT_EQ(input.inputs[2].kernels, input.inputs[0].kernels);
    for (const found_kernel& kernel : input.kernels) EXPECT_NE(kernel.input, 1u);
}

TEST(kernel_input, a_kernel_that_is_left_out_is_an_error_of_its_own_input)
{
    kernel_input input = read_kernels(request_for({log_90, log_90}));
    EXPECT_TRUE(accounts_of_kernels({}, input).size() < input.kernels.size());
    EXPECT_FALSE(input.inputs[0].errors.empty());
    EXPECT_EQ(input.inputs[0].errors, input.inputs[1].errors);
}

TEST(kernel_input, members_that_are_left_out_do_not_move_the_others)
{
    // PTX next to a cubin is left out, and so is a member without code for the architecture; the log after them keeps
    // its place.
    const temporary_directory folder;
    const std::string ptx = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n    ret;\n}\n";
    for (const char* name : {"a.ptx", "b.ptx"}) write_file_atomically(folder.path() / name, ptx);
    write_file_atomically(folder.path() / "a.cubin", "");  // looks like a cubin but is empty
    const kernel_input input = read_kernels(request_for({folder.path().string(), log_90}));
    ASSERT_FALSE(input.kernels.empty());
    for (const found_kernel& kernel : input.kernels)
        EXPECT_EQ(kernel.info.source.file, input.inputs.at(kernel.input).file);
}

TEST(kernel_input, nothing_is_printed_and_the_listener_is_notified)
{
    const temporary_directory folder;
    write_file_atomically(folder.path() / "empty.cubin", "");
    std::vector<std::string> begun, seen;
    listener news;
    news.begin_progress = [&](const std::string& unit) {
        begun.push_back(unit);
        return [&](const std::string& what, std::size_t, std::size_t) { seen.push_back(what); };
    };
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    const kernel_input input = read_kernels(request_for({folder.path().string(), log_90}), news);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(begun, std::vector<std::string>{"files"});
    EXPECT_EQ(seen, std::vector<std::string>{folder.path().string()});
    EXPECT_EQ(input.status(), exit_status::bad_input);
}

TEST(kernel_input, a_dash_is_standard_input_whatever_the_folder_contains)
{
    const temporary_directory folder;
    namespace fs = std::filesystem;
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    fs::create_directory("-");
    EXPECT_FALSE(is_folder("-"));
    EXPECT_TRUE(is_folder("./-"));
    fs::remove("-");
    std::ofstream("-") << "nothing";
    EXPECT_FALSE(is_file("-"));
    EXPECT_TRUE(is_file("./-"));
    fs::current_path(before);
}

}  // namespace
}  // namespace launchbox
