// Every log in tests/data/logs with its exact content. The logs made by make_logs are from CUDA 13.0.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "compiler/log/resource_log.hpp"
#include "describe.hpp"
#include "support/files/files.hpp"

using namespace launchbox;

namespace {

using log_lines = std::vector<std::string>;

resource_log read(const std::string& name)
{
    return parse_resource_log(read_input(LAUNCHBOX_SOURCE_DIR "/tests/data/logs/" + name), name);
}

TEST(ResourceLogFiles, bad_assembly)
{
    const resource_log log = read("bad_assembly.log");
    EXPECT_EQ(describe_all(log.kernels), log_lines{});
    EXPECT_EQ(describe_all(log.modules), log_lines{});
    EXPECT_EQ(describe_all(log.messages),
              (log_lines{"1 ptxas error bad_assembly.ptx:26: Unknown modifier '.such'",
                         "2 ptxas error bad_assembly.ptx:26: Unknown modifier '.instruction'",
                         "3 ptxas error bad_assembly.ptx:26: Not a name of any known instruction: 'no'",
                         "4 ptxas error: Ptx assembly aborted due to errors"}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, basic_sm_75)
{
    const resource_log log = read("basic_sm_75.log");
    EXPECT_EQ(
        describe_all(log.kernels),
        (log_lines{"_Z9templatedIdEvPT_ sm_75 line 2: 6 registers, 0 barriers, stack 0/0/0 of ?, smem 0 cmem[0]=360",
                   "_Z9templatedIfEvPT_ sm_75 line 7: 4 registers, 0 barriers, stack 0/0/0 of ?, smem 0 cmem[0]=360",
                   "constant_and_global sm_75 line 12: 7 registers, 0 barriers, stack 0/0/0 of ?, smem 0 cmem[0]=360",
                   "indexed_local_array sm_75 line 17: 61 registers, 0 barriers, stack 0/0/0 of ?, smem 0 cmem[0]=364",
                   "computed_barrier sm_75 line 22: 8 registers, 16 barriers, stack 0/0/0 of ?, smem 0 cmem[0]=364",
                   "named_barrier sm_75 line 27: 8 registers, 6 barriers, stack 0/0/0 of ?, smem 0 cmem[0]=360",
                   "static_shared sm_75 line 32: 10 registers, 1 barriers, stack 0/0/0 of ?, smem 512 cmem[0]=360",
                   "nothing sm_75 line 37: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0 cmem[0]=360"}));
    EXPECT_EQ(describe_all(log.modules), (log_lines{"ptxas log sm_75 line 1: gmem 120 cmem[3]=80 cmem[4]=8"}));
    EXPECT_EQ(describe_all(log.messages), log_lines{});
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, basic_sm_90)
{
    const resource_log log = read("basic_sm_90.log");
    EXPECT_EQ(describe_all(log.kernels),
              (log_lines{"_Z9templatedIdEvPT_ sm_90 line 2: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0",
                         "_Z9templatedIfEvPT_ sm_90 line 7: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0",
                         "constant_and_global sm_90 line 12: 10 registers, 0 barriers, stack 0/0/0 of ?, smem 0",
                         "indexed_local_array sm_90 line 17: 34 registers, 0 barriers, stack 400/0/0 of 400, smem 0",
                         "computed_barrier sm_90 line 22: 10 registers, 16 barriers, stack 0/0/0 of ?, smem 0",
                         "named_barrier sm_90 line 27: 10 registers, 6 barriers, stack 0/0/0 of ?, smem 0",
                         "static_shared sm_90 line 32: 10 registers, 1 barriers, stack 0/0/0 of ?, smem 512",
                         "nothing sm_90 line 37: 10 registers, 0 barriers, stack 0/0/0 of ?, smem 0"}));
    EXPECT_EQ(describe_all(log.modules), (log_lines{"ptxas log sm_90 line 1: gmem 120"}));
    EXPECT_EQ(describe_all(log.messages), log_lines{});
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, bounds)
{
    const resource_log log = read("bounds.log");
    EXPECT_EQ(
        describe_all(log.kernels),
        (log_lines{"limited_below_range sm_90 line 5: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0, \"For entry "
                   "limited_below_range adjusting per thread register count of 8 to lower bound of 24\"",
                   "limited sm_90 line 10: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0",
                   "too_many_blocks sm_90 line 15: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0, \"Value of "
                   "minnctapersm for entry too_many_blocks is out of range. minnctapersm will be ignored\"",
                   "too_many_threads sm_90 line 20: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0, \"Value of "
                   "threads per SM for entry too_many_threads is out of range. .minnctapersm will be ignored\"",
                   "two_bounds sm_90 line 25: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0",
                   "one_bound sm_90 line 30: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0",
                   "no_bounds sm_90 line 35: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0"}));
    EXPECT_EQ(describe_all(log.modules), (log_lines{"ptxas log sm_90 line 4: gmem 0"}));
    EXPECT_EQ(
        describe_all(log.messages),
        (log_lines{"1 ptxas warning [limited_below_range]: For entry limited_below_range adjusting per thread "
                   "register count of 8 to lower bound of 24",
                   "2 ptxas warning [too_many_blocks]: Value of minnctapersm for entry too_many_blocks is out of "
                   "range. minnctapersm will be ignored",
                   "3 ptxas warning [too_many_threads]: Value of threads per SM for entry too_many_threads is out of "
                   "range. .minnctapersm will be ignored"}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, bounds_warnings_are_errors)
{
    const resource_log log = read("bounds_warnings_are_errors.log");
    const std::string unknown = "? registers, ? barriers, stack ?/?/? of ?, smem ?";
    EXPECT_EQ(
        describe_all(log.kernels),
        (log_lines{"limited_below_range ? line 1: " + unknown +
                       ", \"For entry limited_below_range adjusting per thread register count of 8 to lower "
                       "bound of 24\"",
                   "too_many_blocks ? line 2: " + unknown +
                       ", \"Value of minnctapersm for entry too_many_blocks is out of range. minnctapersm will be "
                       "ignored\"",
                   "too_many_threads ? line 3: " + unknown +
                       ", \"Value of threads per SM for entry too_many_threads is out of range. .minnctapersm "
                       "will be ignored\""}));
    EXPECT_EQ(describe_all(log.modules), log_lines{});
    EXPECT_EQ(describe_all(log.messages),
              (log_lines{"1 ptxas error [limited_below_range]: For entry limited_below_range "
                         "adjusting per thread register count of 8 to lower bound of 24",
                         "2 ptxas error [too_many_blocks]: Value of minnctapersm for entry "
                         "too_many_blocks is out of range. minnctapersm will be ignored",
                         "3 ptxas error [too_many_threads]: Value of threads per SM for entry "
                         "too_many_threads is out of range. .minnctapersm will be ignored",
                         "4 ptxas error: Ptx assembly aborted due to errors"}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, build_noise)
{
    const resource_log log = read("build_noise.log");
    EXPECT_EQ(describe_all(log.kernels),
              (log_lines{"one sm_86 line 6: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0 cmem[0]=360",
                         "two sm_86 line 11: 10 registers, 1 barriers, stack 8/0/0 of 8, smem 400 cmem[0]=364"}));
    EXPECT_EQ(describe_all(log.modules), (log_lines{"ptxas log sm_86 line 5: gmem 0"}));
    EXPECT_EQ(describe_all(log.messages),
              (log_lines{"3 front end warning kernel.cu:7: variable \"x\" was declared but never referenced",
                         "19 front end error: ninja: error: loading build.ninja: No such file or directory",
                         "20 front end error kernel.cu:3: missing.hpp: No such file or directory"}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, callees)
{
    const resource_log log = read("callees.log");
    EXPECT_EQ(describe_all(log.kernels),
              (log_lines{
                  "recursive sm_90 line 2: 24 registers, 0 barriers, stack 0/0/0 of ?, smem 0, unbounded stack, calls "
                  "_Z9fibonaccii 24/20/20",
                  "calls_scale sm_90 line 9: 10 registers, 0 barriers, stack 0/0/0 of ?, smem 0, calls _Z5scalef 0/0/0",
                  "calls_two sm_90 line 16: 32 registers, 0 barriers, stack 256/0/0 of 256, smem 0, calls _Z4pickfi "
                  "0/0/0, calls _Z5scalef 0/0/0"}));
    EXPECT_EQ(describe_all(log.modules), (log_lines{"ptxas log sm_90 line 1: gmem 0"}));
    EXPECT_EQ(describe_all(log.messages), log_lines{});
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, compiled_and_linked)
{
    const resource_log log = read("compiled_and_linked.log");
    EXPECT_EQ(
        describe_all(log.kernels),
        (log_lines{
            "_Z9templatedIdEvPT_ sm_90 line 2: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0, relocatable",
            "_Z9templatedIfEvPT_ sm_90 line 7: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0, relocatable",
            "constant_and_global sm_90 line 12: 10 registers, 0 barriers, stack 0/0/0 of ?, smem 0, relocatable",
            "indexed_local_array sm_90 line 17: 34 registers, 0 barriers, stack 400/0/0 of ?, smem 0, relocatable",
            "computed_barrier sm_90 line 22: 10 registers, 16 barriers, stack 0/0/0 of ?, smem 0, relocatable",
            "named_barrier sm_90 line 27: 10 registers, 6 barriers, stack 0/0/0 of ?, smem 0, relocatable",
            "static_shared sm_90 line 32: 10 registers, 1 barriers, stack 0/0/0 of ?, smem 512, relocatable",
            "nothing sm_90 line 37: 10 registers, 0 barriers, stack 0/0/0 of ?, smem 0, relocatable",
            "nothing sm_90 line 43: 10 registers, 0 barriers, stack ?/?/? of 0, smem 0 cmem[0]=536, linked",
            "static_shared sm_90 line 45: 10 registers, 1 barriers, stack ?/?/? of 0, smem 512+1024 cmem[0]=536, "
            "linked",
            "named_barrier sm_90 line 47: 10 registers, 6 barriers, stack ?/?/? of 0, smem 0 cmem[0]=536, linked",
            "computed_barrier sm_90 line 49: 10 registers, 16 barriers, stack ?/?/? of 0, smem 0 cmem[0]=540, linked",
            "indexed_local_array sm_90 line 51: 34 registers, 0 barriers, stack ?/?/? of 400, smem 0 cmem[0]=540, "
            "linked",
            "constant_and_global sm_90 line 53: 10 registers, 0 barriers, stack ?/?/? of 0, smem 0 cmem[0]=536, linked",
            "_Z9templatedIfEvPT_ sm_90 line 55: 8 registers, 0 barriers, stack ?/?/? of 0, smem 0 cmem[0]=536, linked",
            "_Z9templatedIdEvPT_ sm_90 line 57: 8 registers, 0 barriers, stack ?/?/? of 0, smem 0 cmem[0]=536, "
            "linked"}));
    EXPECT_EQ(describe_all(log.modules),
              (log_lines{"ptxas log sm_90 line 1: gmem 120", "nvlink log sm_90 line 42: gmem 120 cmem[3]=80"}));
    EXPECT_EQ(describe_all(log.messages), log_lines{});
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, debug)
{
    const resource_log log = read("debug.log");
    EXPECT_EQ(
        describe_all(log.kernels),
        (log_lines{"calls_two sm_90 line 12: 24 registers, 0 barriers, stack 0/0/0 of 256, smem 0",
                   "calls_scale sm_90 line 17: 24 registers, 0 barriers, stack 0/0/0 of ?, smem 0",
                   "recursive sm_90 line 22: 24 registers, 0 barriers, stack 0/0/0 of ?, smem 0, unbounded stack, "
                   "\"Stack size for entry function 'recursive' cannot be statically determined\""}));
    EXPECT_EQ(
        describe_all(log.modules),
        (log_lines{"ptxas log sm_90 line 2: gmem 0, _Z4pickfi 256/0/0, _Z5scalef 0/0/0, _Z9fibonaccii 16/12/12"}));
    EXPECT_EQ(
        describe_all(log.messages),
        (log_lines{
            "1 ptxas warning [recursive]: Stack size for entry function 'recursive' cannot be statically determined"}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, historical_cc1)
{
    const resource_log log = read("historical_cc1.log");
    EXPECT_EQ(describe_all(log.kernels),
              (log_lines{
                  "_Z9acos_mainv ? line 1: 4 registers, ? barriers, stack 116/?/? of ?, smem 84 cmem[1]=20 cmem[14]=12",
                  "_Z5tT_1DPfS_S_j sm_13 line 3: 47 registers, ? barriers, stack 60/?/? of ?, smem 44 cmem[1]=352",
                  "_Z6simplePf sm_13 line 5: 2 registers, 1 barriers, stack ?/?/? of ?, smem 24 cmem[1]=4"}));
    EXPECT_EQ(describe_all(log.modules), log_lines{});
    EXPECT_EQ(describe_all(log.messages), log_lines{});
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, historical_cuda11)
{
    const resource_log log = read("historical_cuda11.log");
    EXPECT_EQ(describe_all(log.kernels),
              (log_lines{
                  "_Z3mmaPK6__halfPf sm_80 line 2: 168 registers, ? barriers, stack 0/0/0 of ?, smem 49152 cmem[0]=368",
                  "_Z4onlyv sm_90 line 8: 24 registers, ? barriers, stack 0/0/0 of ?, smem 0 cmem[0]=528, \"(C7508) "
                  "Potential Performance Loss: 'setmaxnreg' ignored to maintain minimum register requirements.\""}));
    EXPECT_EQ(describe_all(log.modules),
              (log_lines{"ptxas log sm_80 line 1: gmem 77696 cmem[3]=72", "ptxas log sm_90 line 7: gmem 0"}));
    EXPECT_EQ(describe_all(log.messages),
              (log_lines{"6 ptxas warning: (C7508) Potential Performance Loss: 'setmaxnreg' "
                         "ignored to maintain minimum register requirements."}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, historical_cuda5)
{
    const resource_log log = read("historical_cuda5.log");
    EXPECT_EQ(describe_all(log.kernels),
              (log_lines{"_Z5sweepPdS_ sm_35 line 2: 32 registers, ? barriers, stack 72/48/52 "
                         "of 80, smem 16 cmem[0]=336 cmem[2]=4, calls _Z4evald 8/0/0",
                         "searchkernel(octree, int*, double) sm_30 line 8: 46 registers, ? "
                         "barriers, stack 72/0/0 of 72, smem 0 cmem[0]=176 cmem[14]=16"}));
    EXPECT_EQ(describe_all(log.modules), (log_lines{"ptxas log sm_35 line 1: gmem 0 cmem[3]=24"}));
    EXPECT_EQ(describe_all(log.messages), log_lines{});
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, historical_cuda8)
{
    const resource_log log = read("historical_cuda8.log");
    EXPECT_EQ(
        describe_all(log.kernels),
        (log_lines{
            "_Z9transposePfPKfi sm_52 line 2: 13 registers, ? barriers, stack 0/0/0 of ?, smem 4224 cmem[0]=340",
            "_Z9transposePfPKfi sm_60 line 6: 12 registers, ? barriers, stack 0/0/0 of ?, smem 4224 cmem[0]=340",
            "_Z8traverseP4node sm_60 line 12: 22 registers, ? barriers, stack 0/0/0 of ?, smem 0 cmem[0]=328, "
            "unbounded stack, \"Stack size for entry function '_Z8traverseP4node' cannot be statically determined\"",
            "_Z6linkedPf sm_52 line 17: 30 registers, ? barriers, stack ?/?/? of 0, smem 1142 cmem[0]=356 "
            "cmem[2]=4, linked"}));
    EXPECT_EQ(describe_all(log.modules), (log_lines{"ptxas log sm_52 line 1: gmem 0", "ptxas log sm_60 line 11: gmem 0",
                                                    "nvlink log sm_52 line 16: gmem 144 cmem[3]=65536"}));
    EXPECT_EQ(describe_all(log.messages),
              (log_lines{"10 ptxas warning [_Z8traverseP4node]: Stack size for entry function "
                         "'_Z8traverseP4node' cannot be statically determined"}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, historical_fermi)
{
    const resource_log log = read("historical_fermi.log");
    EXPECT_EQ(
        describe_all(log.kernels),
        (log_lines{"_Z6solverPfS_ sm_20 line 1: 40 registers, ? barriers, stack 8/0/0 of ?, smem 0 cmem[0]=128 "
                   "cmem[14]=128 cmem[16]=56, unbounded stack, calls _Z6helperf 24/20/20",
                   "_Z6filterPf sm_20 line 7: 63 registers, ? barriers, stack 0/0/0 of ?, smem 4112 cmem[0]=44"}));
    EXPECT_EQ(describe_all(log.modules), log_lines{});
    EXPECT_EQ(describe_all(log.messages), log_lines{});
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, historical_truncated)
{
    const resource_log log = read("historical_truncated.log");
    EXPECT_EQ(
        describe_all(log.kernels),
        (log_lines{"whole sm_70 line 2: 8 registers, ? barriers, stack 0/0/0 of ?, smem 0 cmem[0]=352",
                   "number_too_large sm_70 line 6: ? registers, ? barriers, stack 0/?/? of ?, smem 64 cmem[0]=352",
                   "number_negative sm_70 line 10: 8 registers, ? barriers, stack ?/?/? of ?, smem ? cmem[0]=352",
                   "junk sm_70 line 14: 8 registers, ? barriers, stack 0/0/0 of ?, smem ?",
                   "no_such_architecture ? line 19: ? registers, ? barriers, stack 0/0/0 of ?, smem ?",
                   "cut sm_70 line 24: 31 registers, ? barriers, stack 0/0/0 of ?, smem ?"}));
    EXPECT_EQ(describe_all(log.modules), (log_lines{"ptxas log sm_70 line 1: gmem 0"}));
    EXPECT_EQ(describe_all(log.messages), log_lines{});
    EXPECT_EQ(describe_all(log.diagnostics),
              (log_lines{"8: cannot read \"99999999999999999999 bytes spill stores, 0 bytes spill loads\"",
                         "9: cannot read \"Used 4294967296 registers\"",
                         "12: cannot read \"-8 bytes stack frame, 0 bytes spill stores, 0 bytes spill lo\"",
                         "13: cannot read \"-64 bytes smem\"", "17: cannot read \"lots of smem\"",
                         "18: cannot read the name and the architecture of an entry function",
                         "19: cannot read the architecture \"sm_seventy\"",
                         "23: a \"Used\" line that belongs to no entry function", "27: cannot read \"2048 byt\""}));
    EXPECT_TRUE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, historical_windows)
{
    const resource_log log = read("historical_windows.log");
    EXPECT_EQ(
        describe_all(log.kernels),
        (log_lines{"_Z3addPfS_ sm_30 line 6: 8 registers, ? barriers, stack 0/0/0 of ?, smem 0 cmem[0]=336",
                   "_Z3mulPf sm_30 line 11: 10 registers, ? barriers, stack 16/0/0 of 16, smem 64 cmem[0]=328, "
                   "\"Value of threads per SM for entry _Z3mulPf is out of range. .minnctapersm will be ignored\""}));
    EXPECT_EQ(describe_all(log.modules), (log_lines{"ptxas log sm_30 line 5: gmem 0"}));
    EXPECT_EQ(describe_all(log.messages),
              (log_lines{"3 front end warning kernel.cu:14: The file contains a character that cannot be represented",
                         "4 front end warning kernel.cu:20: variable \"unused\" was declared but never referenced",
                         "10 ptxas warning [_Z3mulPf]: Value of threads per SM for entry _Z3mulPf is out of range. "
                         ".minnctapersm will be ignored"}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, interleaved)
{
    const resource_log log = read("interleaved.log");
    EXPECT_EQ(describe_all(log.kernels),
              (log_lines{"first sm_80 line 3: 10 registers, 1 barriers, stack 8/0/0 of ?, smem 0 cmem[0]=360",
                         "second sm_90 line 4: 20 registers, 2 barriers, stack 16/0/0 of ?, smem 0",
                         "third sm_80 line 13: ? registers, ? barriers, stack 0/0/0 of ?, smem ?",
                         "fourth sm_90 line 16: ? registers, ? barriers, stack 0/0/0 of ?, smem ?",
                         "fifth sm_80 line 21: 50 registers, 0 barriers, stack 0/0/0 of ?, smem 0 cmem[0]=360"}));
    EXPECT_EQ(describe_all(log.modules), (log_lines{"ptxas log ? line 1: gmem 0", "ptxas log sm_80 line 2: gmem 0"}));
    EXPECT_EQ(describe_all(log.messages), log_lines{});
    EXPECT_EQ(describe_all(log.diagnostics),
              (log_lines{"19: 2 kernels have no \"Used\" line yet here, because several compilers wrote at the same "
                         "time: the kernel of these figures is unknown; separate the compilers' output"}));
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, linked_one_architecture)
{
    const resource_log log = read("linked_one_architecture.log");
    EXPECT_EQ(
        describe_all(log.kernels),
        (log_lines{"calls_two sm_90 line 5: 46 registers, 0 barriers, stack ?/?/? of 264, smem 0 cmem[0]=540, linked",
                   "calls_scale sm_90 line 7: 24 registers, 0 barriers, stack ?/?/? of 0, smem 0 cmem[0]=536, linked",
                   "recursive sm_90 line 9: 24 registers, 0 barriers, stack ?/?/? of ?, smem 0 cmem[0]=536, linked, "
                   "unbounded stack, \"Stack size for entry function 'recursive' cannot be statically determined\"",
                   "calls_external sm_90 line 11: 254 registers, 1 barriers, stack ?/?/? of 144, smem 100+1024 "
                   "cmem[0]=536, linked",
                   "calls_external_bounded sm_90 line 13: 254 registers, 0 barriers, stack ?/?/? of 144, smem 0 "
                   "cmem[0]=536, linked, \"entry function 'calls_external_bounded' with max regcount of 64 calls "
                   "function '_Z8externalPf' with regcount of 254\""}));
    EXPECT_EQ(describe_all(log.modules), (log_lines{"nvlink log sm_90 line 4: gmem 0"}));
    EXPECT_EQ(
        describe_all(log.messages),
        (log_lines{
            "2 nvlink warning [recursive]: Stack size for entry function 'recursive' cannot be statically determined",
            "3 nvlink error [calls_external_bounded]: entry function 'calls_external_bounded' with max regcount of 64 "
            "calls function '_Z8externalPf' with regcount of 254"}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, linked_two_architectures)
{
    const resource_log log = read("linked_two_architectures.log");
    EXPECT_EQ(
        describe_all(log.kernels),
        (log_lines{
            "calls_two sm_80 line 4: 46 registers, 0 barriers, stack ?/?/? of 264, smem 0 cmem[0]=364, linked",
            "calls_scale sm_80 line 6: 24 registers, 0 barriers, stack ?/?/? of 0, smem 0 cmem[0]=360, linked",
            "recursive sm_80 line 8: 24 registers, 0 barriers, stack ?/?/? of ?, smem 0 cmem[0]=360, linked, unbounded "
            "stack, \"Stack size for entry function 'recursive' cannot be statically determined\"",
            "calls_external sm_80 line 10: 246 registers, 1 barriers, stack ?/?/? of 0, smem 100 cmem[0]=360, linked",
            "calls_external_bounded sm_80 line 12: 246 registers, 0 barriers, stack ?/?/? of 0, smem 0 cmem[0]=360, "
            "linked, \"entry function 'calls_external_bounded' with max regcount of 64 calls function '_Z8externalPf' "
            "with regcount of 246\""}));
    EXPECT_EQ(describe_all(log.modules), (log_lines{"nvlink log sm_80 line 3: gmem 0"}));
    EXPECT_EQ(
        describe_all(log.messages),
        (log_lines{"1 nvlink warning [recursive] <sm_80>: Stack size for entry function 'recursive' cannot be "
                   "statically determined",
                   "2 nvlink error [calls_external_bounded] <sm_80>: entry function 'calls_external_bounded' with "
                   "max regcount of 64 calls function '_Z8externalPf' with regcount of 246"}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, linked_undefined)
{
    const resource_log log = read("linked_undefined.log");
    EXPECT_EQ(
        describe_all(log.kernels),
        (log_lines{"calls_external ? line 3: 24 registers, 1 barriers, stack ?/?/? of 0, smem 100 cmem[0]=360, linked",
                   "calls_external_bounded ? line 5: 24 registers, 0 barriers, stack ?/?/? of 0, smem 0 cmem[0]=360, "
                   "linked"}));
    EXPECT_EQ(describe_all(log.modules), (log_lines{"nvlink log ? line 2: gmem 13181"}));
    EXPECT_EQ(describe_all(log.messages),
              (log_lines{"1 nvlink error: Undefined reference to '_Z8externalPf' in 'link_caller.o'"}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, linked_without_architecture)
{
    const resource_log log = read("linked_without_architecture.log");
    EXPECT_EQ(
        describe_all(log.kernels),
        (log_lines{
            "nothing ? line 2: 10 registers, 0 barriers, stack ?/?/? of 0, smem 0 cmem[0]=536, linked",
            "static_shared ? line 4: 10 registers, 1 barriers, stack ?/?/? of 0, smem ? cmem[0]=536, linked",
            "named_barrier ? line 6: 10 registers, 6 barriers, stack ?/?/? of 0, smem 0 cmem[0]=536, linked",
            "computed_barrier ? line 8: 10 registers, 16 barriers, stack ?/?/? of 0, smem 0 cmem[0]=540, linked",
            "indexed_local_array ? line 10: 34 registers, 0 barriers, stack ?/?/? of 400, smem 0 cmem[0]=540, linked",
            "constant_and_global ? line 12: 10 registers, 0 barriers, stack ?/?/? of 0, smem 0 cmem[0]=536, linked",
            "_Z9templatedIfEvPT_ ? line 14: 8 registers, 0 barriers, stack ?/?/? of 0, smem 0 cmem[0]=536, linked",
            "_Z9templatedIdEvPT_ ? line 16: 8 registers, 0 barriers, stack ?/?/? of 0, smem 0 cmem[0]=536, linked"}));
    EXPECT_EQ(describe_all(log.modules), (log_lines{"nvlink log ? line 1: gmem 120 cmem[3]=80"}));
    EXPECT_EQ(describe_all(log.messages), log_lines{});
    EXPECT_EQ(
        describe_all(log.diagnostics),
        (log_lines{"5: nvlink does not say for which architecture it links 'static_shared': the static shared memory "
                   "is 1536 bytes, or on sm_90 1024 less"}));
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, max_registers)
{
    const resource_log log = read("max_registers.log");
    EXPECT_EQ(
        describe_all(log.kernels),
        (log_lines{
            "limited_below_range sm_80 line 9: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0 cmem[0]=360, \"For "
            "entry limited_below_range adjusting per thread register count of 8 to lower bound of 24\"",
            "limited sm_80 line 14: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0 cmem[0]=360",
            "too_many_blocks sm_80 line 19: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0 cmem[0]=360, \"Value "
            "of minnctapersm for entry too_many_blocks is out of range. minnctapersm will be ignored\"",
            "too_many_threads sm_80 line 24: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0 cmem[0]=360, \"Value "
            "of threads per SM for entry too_many_threads is out of range. .minnctapersm will be ignored\"",
            "two_bounds sm_80 line 29: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0 cmem[0]=360",
            "one_bound sm_80 line 34: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0 cmem[0]=360",
            "no_bounds sm_80 line 39: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0 cmem[0]=360"}));
    EXPECT_EQ(describe_all(log.modules), (log_lines{"ptxas log sm_80 line 8: gmem 0"}));
    EXPECT_EQ(
        describe_all(log.messages),
        (log_lines{
            "1 ptxas warning: For profile sm_80 adjusting per thread register count of 16 to lower bound of 24",
            "2 ptxas warning [limited_below_range]: For entry limited_below_range adjusting per thread register count "
            "of 8 to lower bound of 24",
            "3 ptxas info: Overriding global maxrregcount 24 with entry-specific value 40 of .maxnreg",
            "4 ptxas warning [too_many_blocks]: Value of minnctapersm for entry too_many_blocks is out of range. "
            "minnctapersm will be ignored",
            "5 ptxas warning [too_many_threads]: Value of threads per SM for entry too_many_threads is out of range. "
            ".minnctapersm will be ignored",
            "6 ptxas info: Overriding global maxrregcount 24 with entry-specific value 128 computed using thread count",
            "7 ptxas info [no_bounds]: Overriding maximum register limit 256 for 'no_bounds' with  24 of maxrregcount "
            "option"}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, missing_file)
{
    const resource_log log = read("missing_file.log");
    EXPECT_EQ(describe_all(log.kernels), log_lines{});
    EXPECT_EQ(describe_all(log.modules), log_lines{});
    EXPECT_EQ(describe_all(log.messages),
              (log_lines{"1 front end error: cc1plus: fatal error: missing.cu: No such file or directory"}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, relocatable)
{
    const resource_log log = read("relocatable.log");
    EXPECT_EQ(describe_all(log.kernels),
              (log_lines{"recursive sm_90 line 5: 24 registers, 0 barriers, stack 0/0/0 of ?, smem 0, relocatable",
                         "calls_scale sm_90 line 13: 24 registers, 0 barriers, stack 0/0/0 of ?, smem 0, relocatable",
                         "calls_two sm_90 line 21: 24 registers, 0 barriers, stack 0/0/0 of ?, smem 0, relocatable"}));
    EXPECT_EQ(
        describe_all(log.modules),
        (log_lines{"ptxas log sm_90 line 1: gmem 0, _Z9fibonaccii 16/16/16, _Z5scalef 0/0/0, _Z4pickfi 264/0/0"}));
    EXPECT_EQ(describe_all(log.messages), log_lines{});
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, set_registers)
{
    const resource_log log = read("set_registers.log");
    EXPECT_EQ(
        describe_all(log.kernels),
        (log_lines{
            "sets_registers sm_90a line 3: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0, \"(C7508) Potential "
            "Performance Loss: 'setmaxnreg' ignored; unable to determine register count at entry.\""}));
    EXPECT_EQ(describe_all(log.modules), (log_lines{"ptxas log sm_90a line 2: gmem 0"}));
    EXPECT_EQ(describe_all(log.messages),
              (log_lines{"1 ptxas warning: (C7508) Potential Performance Loss: 'setmaxnreg' "
                         "ignored; unable to determine register count at entry."}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, several_threads)
{
    const resource_log log = read("several_threads.log");
    EXPECT_EQ(
        describe_all(log.kernels),
        (log_lines{"spilling sm_80 line 2: 32 registers, 1 barriers, stack 672/1160/1216 of ?, smem 0 cmem[0]=360",
                   "too_much_shared sm_80 line 8: 10 registers, 1 barriers, stack 0/0/0 of ?, smem 52000 cmem[0]=360",
                   "too_much_shared sm_90 line 14: 10 registers, 1 barriers, stack 0/0/0 of ?, smem 52000",
                   "too_much_shared sm_120 line 20: 10 registers, 1 barriers, stack 0/0/0 of ?, smem 52000",
                   "spilling sm_90 line 26: 32 registers, 1 barriers, stack 752/1312/1480 of ?, smem 0",
                   "spilling sm_120 line 33: 64 registers, 1 barriers, stack 640/1232/1348 of ?, smem 0, \"Value of "
                   "threads per SM for entry spilling is out of range. .minnctapersm will be ignored\""}));
    EXPECT_EQ(describe_all(log.modules),
              (log_lines{"ptxas log sm_80 line 1: gmem 0", "ptxas log sm_80 line 7: gmem 0",
                         "ptxas log sm_90 line 13: gmem 0", "ptxas log sm_120 line 19: gmem 0",
                         "ptxas log sm_90 line 25: gmem 0", "ptxas log sm_120 line 32: gmem 0"}));
    EXPECT_EQ(describe_all(log.messages), (log_lines{"31 ptxas warning [spilling]: Value of threads per SM for entry "
                                                     "spilling is out of range. .minnctapersm will be ignored"}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, spills)
{
    const resource_log log = read("spills.log");
    EXPECT_EQ(
        describe_all(log.kernels),
        (log_lines{
            "spilling sm_80 line 4: 32 registers, 1 barriers, stack 672/1160/1216 of 672, smem 0 cmem[0]=360, "
            "\"Local memory used for function 'spilling', size of stack frame: 672 bytes\", \"Registers are spilled "
            "to local memory in function 'spilling', 1160 bytes spill stores, 1216 bytes spill loads\""}));
    EXPECT_EQ(describe_all(log.modules), (log_lines{"ptxas log sm_80 line 3: gmem 0"}));
    EXPECT_EQ(
        describe_all(log.messages),
        (log_lines{
            "1 ptxas warning [spilling]: Local memory used for function 'spilling', size of stack frame: 672 bytes",
            "2 ptxas warning [spilling]: Registers are spilled to local memory in function 'spilling', 1160 bytes "
            "spill stores, 1216 bytes spill loads"}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, spills_without_verbose)
{
    const resource_log log = read("spills_without_verbose.log");
    EXPECT_EQ(describe_all(log.kernels),
              (log_lines{"spilling ? line 1: ? registers, ? barriers, stack ?/1160/1216 of ?, smem ?, \"Registers are "
                         "spilled to local memory in function 'spilling', 1160 bytes spill stores, 1216 bytes spill "
                         "loads\""}));
    EXPECT_EQ(describe_all(log.modules), log_lines{});
    EXPECT_EQ(
        describe_all(log.messages),
        (log_lines{"1 ptxas warning [spilling]: Registers are spilled to local memory in function 'spilling', 1160 "
                   "bytes spill stores, 1216 bytes spill loads"}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, syntax_error)
{
    const resource_log log = read("syntax_error.log");
    EXPECT_EQ(describe_all(log.kernels), log_lines{});
    EXPECT_EQ(describe_all(log.modules), log_lines{});
    EXPECT_EQ(describe_all(log.messages),
              (log_lines{"1 front end error syntax_error.cu:3: identifier \"undefined_name\" is undefined",
                         "5 front end error syntax_error.cu:4: expected a \";\""}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, too_much_shared)
{
    const resource_log log = read("too_much_shared.log");
    EXPECT_EQ(
        describe_all(log.kernels),
        (log_lines{"too_much_shared sm_80 line 3: 10 registers, 1 barriers, stack 0/0/0 of ?, smem 52000 cmem[0]=360, "
                   "\"Entry function 'too_much_shared' uses too much shared data (0xcb20 bytes, 0xc000 max)\""}));
    EXPECT_EQ(describe_all(log.modules), (log_lines{"ptxas log sm_80 line 2: gmem 0"}));
    EXPECT_EQ(describe_all(log.messages),
              (log_lines{"1 ptxas error [too_much_shared]: Entry function 'too_much_shared' "
                         "uses too much shared data (0xcb20 bytes, 0xc000 max)"}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, unknown_option)
{
    const resource_log log = read("unknown_option.log");
    EXPECT_EQ(describe_all(log.kernels), log_lines{});
    EXPECT_EQ(describe_all(log.modules), log_lines{});
    EXPECT_EQ(describe_all(log.messages), (log_lines{"1 nvcc error: Unknown option '-no-such-option'"}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, unknown_pragma)
{
    const resource_log log = read("unknown_pragma.log");
    EXPECT_EQ(describe_all(log.kernels),
              (log_lines{"unrolled sm_80 line 12: 8 registers, 0 barriers, stack 0/0/0 of ?, smem 0 cmem[0]=360"}));
    EXPECT_EQ(describe_all(log.modules), (log_lines{"ptxas log sm_80 line 11: gmem 0"}));
    EXPECT_EQ(
        describe_all(log.messages),
        (log_lines{"1 front end warning unknown_pragma.cu:3: the unroll value cannot be zero or negative, ignoring "
                   "pragma for this loop",
                   "7 front end warning unknown_pragma.cu:5: unrecognized #pragma in device code"}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLogFiles, warnings_are_errors)
{
    const resource_log log = read("warnings_are_errors.log");
    EXPECT_EQ(describe_all(log.kernels), log_lines{});
    EXPECT_EQ(describe_all(log.modules), log_lines{});
    EXPECT_EQ(describe_all(log.messages),
              (log_lines{"1 front end error unknown_pragma.cu:3: the unroll value cannot be zero or negative, ignoring "
                         "pragma for this loop",
                         "7 front end error unknown_pragma.cu:5: unrecognized #pragma in device code"}));
    EXPECT_EQ(describe_all(log.diagnostics), log_lines{});
    EXPECT_FALSE(log.ends_inside_a_report);
}

std::string in_capitals(std::string text)
{
    for (char& c : text)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return text;
}

// Names are in capitals, too; everything else is equal.
TEST(ResourceLogFiles, capitals_give_the_same_figures)
{
    std::size_t logs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(LAUNCHBOX_SOURCE_DIR "/tests/data/logs")) {
        if (entry.path().extension() != ".log") continue;
        ++logs;
        const std::string text = read_input(entry.path().string());
        const resource_log small = parse_resource_log(text, "log"),
                           large = parse_resource_log(in_capitals(text), "log");
        const auto described = [](const auto& list) {
            std::string lines;
            for (const std::string& line : describe_all(list)) lines += in_capitals(line) + "\n";
            return lines;
        };
        EXPECT_EQ(described(large.kernels), described(small.kernels)) << entry.path();
        EXPECT_EQ(described(large.modules), described(small.modules)) << entry.path();
        EXPECT_EQ(described(large.diagnostics), described(small.diagnostics)) << entry.path();
        EXPECT_EQ(large.ends_inside_a_report, small.ends_inside_a_report) << entry.path();
    }
    EXPECT_GT(logs, 30u);
}

}  // namespace
