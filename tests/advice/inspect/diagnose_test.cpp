// Each diagnosis, with a kernel that has it and a similar one that does not. The figures are those of ptxas 13.0.
#include "advice/inspect/diagnose.hpp"

#include <gtest/gtest.h>

#include <launchbox/launch_bounds.hpp>
#include <set>

#include "advice/model/kernel_question.hpp"
#include "known_kernels.hpp"

namespace launchbox {
namespace {

// A fix that ends with the advice to compile the alternatives.
std::string then_advise(const std::string& limits)
{
    return limits + "; launchbox advise compiles the alternatives and recommends one";
}

kernel_info kernel(const char* architecture, int registers, std::optional<int> bound = std::nullopt,
                   std::optional<int> min_blocks = std::nullopt)
{
    kernel_info info;
    info.name = "k";
    set_architecture(info, architecture);
    info.figures.registers = registers;
    info.figures.spill_store_bytes = info.figures.spill_load_bytes = info.figures.stack_frame_bytes =
        info.figures.static_shared_bytes = 0;
    info.figures.barriers = 0;
    if (bound) info.bounds.max_threads = {*bound, 1, 1};
    info.bounds.min_blocks = min_blocks;
    if (const auto capability = parse_compute_capability(architecture); capability && bound)
        if (const sm_limits* limits = find_sm_limits(*capability))
            info.bounds.register_cap = register_cap(*limits, *bound, min_blocks.value_or(1));
    return info;
}

kernel_info spilling(kernel_info info, std::int64_t stores, std::int64_t loads)
{
    info.figures.spill_store_bytes = stores;
    info.figures.spill_load_bytes = loads;
    info.figures.stack_frame_bytes = stores;
    return info;
}

std::string ids(const kernel_info& info, std::optional<int> threads = std::nullopt)
{
    std::string text;
    for (const diagnosis& finding : diagnose(info, threads)) text += (text.empty() ? "" : " ") + finding.id;
    return text;
}

diagnosis only(const kernel_info& info, std::optional<int> threads = std::nullopt)
{
    const std::vector<diagnosis> found = diagnose(info, threads);
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? diagnosis{} : found.front();
}

TEST(diagnose, a_good_kernel_has_none)
{
    EXPECT_EQ(ids(kernel("sm_90", 54, 256, 4)), "");
    EXPECT_EQ(ids(kernel("sm_90", 54)), "");
    EXPECT_EQ(ids(kernel("sm_90", 54), 256), "");
    EXPECT_EQ(ids(kernel_info{}), "");
    EXPECT_EQ(ids(kernel("sm_999", 32, 256, 8)), "");  // no guesses about an unknown architecture
}

TEST(diagnose, bound_ignored)
{
    // 1,430 threads, but 66 warps.
    diagnosis found = only(kernel("sm_90", 32, 65, 22));
    EXPECT_EQ(found.id, "bound_ignored");
    EXPECT_EQ(found.level, severity::error);
    EXPECT_EQ(
        found.message,
        "ptxas ignored min_blocks 22: 22 × 3 warps exceed the 64 warp slots of sm_90; registers are capped as for "
        "__launch_bounds__(65)");
    EXPECT_EQ(found.fix, then_advise("nvcc's front end has already used the 22, so the code can differ from that "
                                     "without min_blocks; 21 is the largest legal min_blocks with 65 threads"));
    EXPECT_EQ(ids(kernel("sm_90", 32, 65, 21)), "");
    EXPECT_EQ(ids(kernel("sm_90", 32, 64, 22)), "");

    found = only(kernel("sm_120", 32, 256, 40));
    EXPECT_EQ(found.id, "bound_ignored");
    EXPECT_NE(found.message.find("sm_120 has 24 block slots per SM"), std::string::npos) << found.message;
    EXPECT_EQ(found.fix, then_advise("nvcc's front end has already used the 40, so the code can differ from that "
                                     "without min_blocks; 6 is the largest legal min_blocks with 256 threads"));
    EXPECT_EQ(ids(kernel("sm_120", 32, 256, 6)), "");
    EXPECT_EQ(ids(kernel("sm_90a", 32, 32, 33)), "bound_ignored");

    // More threads than the SM has: ptxas drops the whole bound.
    found = only(kernel("sm_86", 32, 2048, 1));
    EXPECT_EQ(found.id, "bound_ignored");
    EXPECT_EQ(found.message, "ptxas ignored the whole bound: 2,048 threads, and sm_86 has 1,536 per SM");
    EXPECT_EQ(ids(kernel("sm_86", 32, 2048)), "bound_ignored");
    EXPECT_EQ(ids(kernel("sm_86", 32, 1536)), "bound_over_1024");
}

TEST(diagnose, bound_ignored_in_ptx_that_is_not_compiled_yet)
{
    kernel_info ptx;
    ptx.name = "k";
    set_architecture(ptx, "compute_75");
    ptx.bounds.max_threads = {256, 1, 1};
    ptx.bounds.min_blocks = 8;
    const diagnosis found = only(ptx);
    EXPECT_EQ(found.id, "bound_ignored");
    EXPECT_TRUE(
        found.message.starts_with("compiling it for sm_75 will ignore min_blocks 8: 8 × 8 warps exceed the 32 "
                                  "warp slots of sm_75"))
        << found.message;
    ptx.bounds.max_threads = {2048, 1, 1};
    EXPECT_TRUE(only(ptx).message.starts_with("compiling it for sm_75 will ignore the whole bound"))
        << only(ptx).message;
}

// Only after compiling the alternatives is it known which bound to write.
TEST(diagnose, fixes_name_limits_and_no_bound)
{
    std::vector<kernel_info> kernels{kernel("sm_90", 32, 65, 22), spilling(kernel("sm_90", 64, 128, 8), 560, 560),
                                     spilling(kernel("sm_90", 32, 256, 8), 116, 156), kernel("sm_90", 200, 512),
                                     spilling(kernel("sm_90", 40, 256), 100, 100)};
    kernels[1].figures.static_shared_bytes = 48'000;
    std::set<std::string> seen;
    for (const kernel_info& info : kernels)
        for (const diagnosis& finding : diagnose(info, std::nullopt)) {
            EXPECT_EQ(finding.fix.find("__launch_bounds__"), std::string::npos) << finding.fix;
            if (finding.fix.ends_with(then_advise(""))) seen.insert(finding.id);
        }
    EXPECT_EQ(seen, (std::set<std::string>{"bound_ignored", "bound_bought_nothing", "spills_from_bound",
                                           "never_launches", "one_argument_collapse"}));
}

TEST(diagnose, debug_build)
{
    for (const code_optimisation how :
         {code_optimisation::debug, code_optimisation::none, code_optimisation::fast_compile}) {
        kernel_info info = spilling(kernel("sm_90", 32, 256, 8), 116, 156);
        info.optimisation = how;
        EXPECT_EQ(ids(info), "debug_build");
        EXPECT_EQ(only(info).level, severity::note);
        info.figures.spill_store_bytes = info.figures.spill_load_bytes = 0;  // an array
        EXPECT_EQ(ids(info), "debug_build");
        info.figures.spill_store_bytes = info.figures.spill_load_bytes = std::nullopt;
        info.figures.code_bytes = 1024;
        EXPECT_EQ(ids(info), "debug_build");
        EXPECT_EQ(ids(info, 1024), "debug_build never_launches") << "this build does not launch, whatever another does";
    }
    for (const code_optimisation how :
         {code_optimisation::full, code_optimisation::reduced, code_optimisation::unknown}) {
        kernel_info info = spilling(kernel("sm_90", 32, 256, 8), 116, 156);
        info.optimisation = how;
        EXPECT_EQ(ids(info), "spills_from_bound");
    }
}

TEST(diagnose, spills_unknown)
{
    kernel_info info = kernel("sm_86", 40);
    info.figures.spill_store_bytes = info.figures.spill_load_bytes = std::nullopt;
    info.figures.stack_frame_bytes = 96;
    EXPECT_EQ(ids(info), "") << "a log that was cut off";
    info.figures.code_bytes = 4096;
    info.toolkit_version = 118;
    diagnosis found = only(info);
    EXPECT_EQ(found.id, "spills_unknown");
    EXPECT_EQ(found.level, severity::note);
    EXPECT_EQ(found.message,
              "spills are not known: images of CUDA 11.8 do not list them, and in the code they cannot be "
              "distinguished from accesses to arrays");
    info.figures.spills_between = {.min_stores = 0, .max_stores = 40, .min_loads = 0, .max_loads = 60};
    EXPECT_NE(only(info).message.find("(between 0 and 100 B)"), std::string::npos) << only(info).message;
    set_architecture(info, "sm_61");
    EXPECT_NE(only(info).message.find("for sm_61 list none"), std::string::npos) << only(info).message;
    info.figures.spill_store_bytes = info.figures.spill_load_bytes = 0;
    info.figures.spills_between.reset();
    EXPECT_EQ(ids(info), "local_array");
}

// What a block can have depends on the GPU; registers and bounds on the architecture that the code was compiled for.
TEST(diagnose, code_for_an_older_gpu)
{
    kernel_info info = kernel("sm_80", 40, 256);
    info.launches.uses_dynamic_shared = true;
    info.launches.dynamic_shared_bytes = 140'000;
    EXPECT_EQ(ids(info), "");
    info.runs_on = parse_compute_capability("sm_86");
    EXPECT_EQ(only(info).id, "never_launches");
    EXPECT_NE(only(info).message.find("never launch on sm_86"), std::string::npos) << only(info).message;
    info.launches.triton_warps = 8;
    EXPECT_NE(only(info).fix.find("num_stages"), std::string::npos) << only(info).fix;
    info.launches.dynamic_shared_bytes = 100'000;
    EXPECT_EQ(ids(info), "");
}

// A log has no bounds, only what ptxas prints about them.
TEST(diagnose, bound_ignored_in_a_log)
{
    kernel_info logged = kernel("sm_90", 8);
    logged.warnings = {"Value of threads per SM for entry k is out of range. .minnctapersm will be ignored"};
    const diagnosis found = only(logged);
    EXPECT_EQ(found.id, "bound_ignored");
    EXPECT_EQ(found.message, "ptxas: " + logged.warnings[0]);
    EXPECT_NE(found.fix.find("32 block slots and 64 warp slots"), std::string::npos) << found.fix;
    logged.warnings = {"Too big maxrregcount value specified 300, will be ignored"};
    EXPECT_EQ(ids(logged), "");
}

TEST(diagnose, bound_over_1024)
{
    const diagnosis found = only(kernel("sm_90", 32, 1536));
    EXPECT_EQ(found.id, "bound_over_1024");
    EXPECT_NE(found.message.find("1,536"), std::string::npos);
    EXPECT_EQ(ids(kernel("sm_90", 32, 1024)), "");
    kernel_info two = kernel("sm_90", 16);
    two.bounds.max_threads = {64, 32, 1};  // 2,048
    EXPECT_EQ(ids(two), "bound_over_1024");
}

TEST(diagnose, bound_bought_nothing)
{
    // __launch_bounds__(128, 8) with 48,000 B of static shared memory: ptxas caps registers at 64 for 8 blocks, whose
    // shared memory fits on no architecture.
    kernel_info greedy = spilling(kernel("sm_90", 64, 128, 8), 560, 560);
    greedy.figures.static_shared_bytes = 48'000;
    const diagnosis found = only(greedy);
    EXPECT_EQ(found.id, "bound_bought_nothing");
    EXPECT_EQ(found.level, severity::error);
    EXPECT_EQ(found.message,
              "min_blocks 8 capped registers at 64, but shared memory allows only 4 blocks; 1,120 B were spilled for "
              "it");
    EXPECT_EQ(found.fix, then_advise("min_blocks 4 allows 128 registers"));
    // The promised number of blocks is right in the model.
    EXPECT_EQ(resident_blocks(sm_90, {.registers = 128, .static_shared_bytes = 48'000}, {.threads = 128}), 4);

    struct row {
        const char* architecture;
        const char* blocks;
    };
    for (const auto& [architecture, blocks] : {row{"sm_75", "only 1 block"}, row{"sm_80", "only 3 blocks"},
                                               row{"sm_90", "only 4 blocks"}, row{"sm_120", "only 2 blocks"}}) {
        kernel_info each = spilling(kernel(architecture, 64, 128, 8), 560, 560);
        each.figures.static_shared_bytes = 48'000;
        ASSERT_EQ(ids(each), "bound_bought_nothing") << architecture;
        EXPECT_NE(only(each).message.find(blocks), std::string::npos) << only(each).message;
    }

    greedy.figures.static_shared_bytes = 8'192;  // 25 blocks fit
    EXPECT_EQ(ids(greedy), "spills_from_bound");
    greedy.figures.spill_store_bytes = greedy.figures.spill_load_bytes = greedy.figures.stack_frame_bytes = 0;
    EXPECT_EQ(ids(greedy), "");

    // 16 barriers: one block on sm_120.
    kernel_info barriers = kernel("sm_120", 100, 128, 4);
    barriers.figures.barriers = 16;
    EXPECT_EQ(ids(barriers), "bound_bought_nothing");
    EXPECT_NE(only(barriers).message.find("barriers allow only 1 block"), std::string::npos) << only(barriers).message;
    barriers.figures.barriers = 6;
    EXPECT_EQ(ids(barriers), "");
}

// A cap of 32 registers is that of 7 and of 8 blocks of 256 threads: a binary does not say which was asked for.
TEST(diagnose, an_inferred_minimum_is_only_blamed_for_what_is_certain)
{
    kernel_info info = spilling(kernel("sm_90", 32, 256, 8), 100, 100);
    info.figures.static_shared_bytes = 32'000;  // 7 blocks
    EXPECT_EQ(ids(info), "bound_bought_nothing spills_from_bound");
    info.bounds.min_blocks_inferred = true;
    EXPECT_EQ(ids(info), "spills_from_bound");
    EXPECT_NE(only(info).message.find("the cap of 32 by the launch bound or __maxnreg__"), std::string::npos);
    info.figures.static_shared_bytes = 37'000;  // 6 blocks
    EXPECT_EQ(ids(info), "bound_bought_nothing");
    EXPECT_NE(only(info).message.find("min_blocks 7 (inferred from the cap) capped registers at 32"), std::string::npos)
        << only(info).message;
}

// Few registers are used, so the cap cost nothing: min_blocks is still useless, but the spills have another cause.
TEST(diagnose, a_bound_that_bought_nothing_does_not_hide_other_spills)
{
    kernel_info info = spilling(kernel("sm_90", 24, 128, 8), 40, 40);
    info.figures.static_shared_bytes = 48'000;
    info.bounds.register_cap = 24;  // -maxrregcount or the like
    EXPECT_EQ(ids(info), "bound_bought_nothing spills_from_bound");
}

TEST(diagnose, never_launches)
{
    diagnosis found = only(kernel("sm_90", 224, 288));
    EXPECT_EQ(found.id, "never_launches");
    EXPECT_EQ(found.level, severity::error);
    EXPECT_EQ(found.message, "288 threads × 224 registers can never launch: the hardware counts 9 warps as 12");
    EXPECT_EQ(found.fix, then_advise("launch at most 256 threads, or let it use at most 168 registers"));
    EXPECT_EQ(ids(kernel("sm_90", 224, 256)), "");
    EXPECT_EQ(ids(kernel("sm_90", 168, 288)), "");
    EXPECT_EQ(ids(kernel("sm_90", 224), 288), "never_launches");

    found = only(kernel("sm_90", 128, 1024));
    EXPECT_EQ(found.id, "never_launches");
    EXPECT_EQ(found.message,
              "1024 threads × 128 registers can never launch: 131,072 registers, and a block has at most 65,536");
    EXPECT_EQ(found.fix, then_advise("launch at most 512 threads, or let it use at most 64 registers"));
    EXPECT_EQ(ids(kernel("sm_90", 64, 1024)), "");

    found = only(kernel("sm_90", 32, 256), 512);
    EXPECT_EQ(found.message, "512 threads exceed the launch bound of 256");
    EXPECT_EQ(found.fix, "launch at most 256 threads");
    EXPECT_EQ(ids(kernel("sm_90", 32, 256), 256), "");

    kernel_info barriers = kernel("sm_90", 32, 256);
    barriers.figures.barriers = 17;
    EXPECT_EQ(ids(barriers), "never_launches");
    barriers.figures.barriers = 16;
    EXPECT_EQ(ids(barriers), "");
}

// If nothing can run, it does not matter what a bound achieves.
TEST(diagnose, never_launches_is_reported_instead_of_spills)
{
    EXPECT_EQ(ids(spilling(kernel("sm_90", 128, 1024), 96, 96)), "never_launches");
}

TEST(diagnose, one_argument_collapse)
{
    // 300 live floats: 255 registers without a bound, 32 with __launch_bounds__(64).
    const diagnosis found = only(spilling(kernel("sm_90", 32, 64), 3608, 3608));
    EXPECT_EQ(found.id, "one_argument_collapse");
    EXPECT_EQ(found.message,
              "3,608 B of spill stores and 3,608 B of loads at 32 registers, although 64 threads allow 255: with one "
              "argument ptxas chooses the cap itself");
    EXPECT_EQ(found.fix, then_advise("a second argument of 1 allows 255"));
    EXPECT_EQ(ids(spilling(kernel("sm_75", 64, 64), 3000, 3000)), "one_argument_collapse");
    EXPECT_EQ(ids(spilling(kernel("sm_120", 40, 512), 3000, 3000)), "one_argument_collapse");

    EXPECT_EQ(ids(kernel("sm_90", 32, 64)), "");                                         // no spills
    EXPECT_EQ(ids(spilling(kernel("sm_90", 255, 64, 1), 1876, 1876)), "spills");         // maximum of a thread
    EXPECT_EQ(ids(spilling(kernel("sm_90", 64, 1024), 480, 480)), "spills_from_bound");  // L(1024, 1) = 64
}

TEST(diagnose, spills_from_bound)
{
    diagnosis found = only(spilling(kernel("sm_90", 32, 256, 8), 116, 156));
    EXPECT_EQ(found.id, "spills_from_bound");
    EXPECT_EQ(
        found.message,
        "116 B of spill stores and 156 B of loads at 32 registers: the cap of 32 by the launch bound is the cause");
    // Not 7 blocks, which have the same cap.
    EXPECT_EQ(found.fix, then_advise("min_blocks 6 allows 40 registers"));

    found = only(spilling(kernel("sm_90", 64, 1024, 1), 480, 480));
    EXPECT_EQ(found.fix, "1024 threads allow no more: use fewer threads per block");

    kernel_info limited = spilling(kernel("sm_90", 72), 360, 360);  // -maxrregcount=72
    limited.bounds.register_cap = 72;
    found = only(limited);
    EXPECT_EQ(found.id, "spills_from_bound");
    EXPECT_EQ(found.fix, "raise -maxrregcount, or give the kernel launch bounds instead");

    kernel_info requested = spilling(kernel("sm_90", 96), 160, 160);  // __maxnreg__(96)
    requested.bounds.requested_max_registers = requested.bounds.register_cap = 96;
    found = only(requested);
    EXPECT_EQ(found.id, "spills_from_bound");
    EXPECT_NE(found.message.find("__maxnreg__(96) is the cause"), std::string::npos);

    EXPECT_EQ(ids(spilling(kernel("sm_90", 40, 256, 2), 8, 8)), "spills");  // far below its cap of 128
}

TEST(diagnose, spills_without_a_bound)
{
    diagnosis found = only(spilling(kernel("sm_90", 255), 1876, 1876));
    EXPECT_EQ(found.id, "spills");
    EXPECT_EQ(found.level, severity::warning);
    EXPECT_EQ(found.fix, "the kernel needs more registers than a thread can have: split it, or keep fewer values live");
    found = only(spilling(kernel("sm_90", 32), 96, 96));
    EXPECT_EQ(found.id, "spills");
    EXPECT_NE(found.fix.find("-maxrregcount"), std::string::npos);
    kernel_info unknown = kernel("sm_90", 32);
    unknown.figures.spill_store_bytes = unknown.figures.spill_load_bytes = std::nullopt;
    EXPECT_EQ(ids(unknown), "");
}

TEST(diagnose, local_array)
{
    kernel_info indexed = kernel("sm_90", 32, 256);
    indexed.figures.stack_frame_bytes = 1024;
    diagnosis found = only(indexed);
    EXPECT_EQ(found.id, "local_array");
    EXPECT_NE(found.message.find("1,024 B of local memory per thread without spills"), std::string::npos);
    EXPECT_EQ(found.message.find("unroll"), std::string::npos);
    indexed.warnings = {"the unroll value cannot be zero or negative, ignoring pragma for this loop"};
    EXPECT_TRUE(only(indexed).message.ends_with("; the compiler says: " + indexed.warnings[0]));
    indexed.warnings = {"variable x was declared but never referenced"};
    EXPECT_EQ(only(indexed).message.find("the compiler says"), std::string::npos);

    EXPECT_EQ(ids(spilling(indexed, 80, 80)).find("local_array"), std::string::npos);  // the frame contains the spills
    indexed.figures.spill_store_bytes = std::nullopt;                                  // the frame may be spills
    EXPECT_EQ(ids(indexed), "");
}

TEST(diagnose, stack_linking_and_setmaxnreg)
{
    kernel_info info = kernel("sm_90", 32, 256);
    info.figures.stack_unbounded = true;
    EXPECT_EQ(ids(info), "stack_unbounded");

    info = kernel("sm_90", 24, 256);
    info.relocatable = true;
    EXPECT_EQ(ids(info), "needs_nvlink");
    info.linked = true;
    EXPECT_EQ(ids(info), "");

    info = kernel("sm_90a", 168);
    info.warnings = {
        "(C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at "
        "entry."};
    EXPECT_EQ(ids(info), "setmaxnreg_ignored");
}

// Every id must be documented, and every finding must have a figure or a name in it, and a fix.
TEST(diagnose, every_finding_says_what_to_do)
{
    int named = 0;
    for (const sm_limits& limits : sm_limits_table) {
        const std::string architecture(architecture_name(limits.capability).view());
        for (int bound : {1, 33, 64, 256, 288, 1024, 1536, 4096})
            for (int blocks : {0, 1, 2, 7, 8, 16, 33})
                for (int registers : {16, 32, 63, 128, 224, 255})
                    for (std::int64_t spills : {0, 96}) {
                        const kernel_info info =
                            spilling(kernel(architecture.c_str(), registers, bound, blocks), spills, spills);
                        for (const diagnosis& found : diagnose(info, {})) {
                            ASSERT_FALSE(found.message.empty()) << found.id;
                            ASSERT_FALSE(found.fix.empty()) << found.id;
                            // If a finding names a min_blocks, ptxas must accept it, and it must allow the named
                            // registers.
                            int wanted = 0, allowed = 0;
                            if (std::sscanf(found.fix.c_str(), "min_blocks %d allows %d", &wanted, &allowed) == 2) {
                                ASSERT_EQ(check_launch_bounds(limits, bound, wanted), launch_bounds_verdict::honoured)
                                    << architecture << ' ' << found.id << ": " << found.fix;
                                ASSERT_EQ(register_cap(limits, bound, wanted), allowed) << architecture << found.fix;
                                ++named;
                            }
                        }
                    }
    }
    EXPECT_GT(named, 100);
}

TEST(diagnose, the_stack_of_printf_is_not_an_array_to_unroll)
{
    kernel_info kernel = known_kernel("k").info;
    kernel.figures.stack_frame_bytes = 16;
    ASSERT_EQ(diagnose(kernel, 256).size(), 1u);
    EXPECT_EQ(diagnose(kernel, 256)[0].id, "local_array");
    kernel.analysis.features.add(kernel_feature::printing);
    ASSERT_EQ(diagnose(kernel, 256).size(), 1u);
    EXPECT_EQ(diagnose(kernel, 256)[0].id, "printf_arguments");
    EXPECT_EQ(diagnose(kernel, 256)[0].fix.find("unroll"), std::string::npos);
}

TEST(diagnose, a_kernel_of_triton_gets_fixes_for_triton)
{
    // 16 warps have at most 128 registers a thread, 8 warps 255.
    kernel_info info = spilling(kernel("sm_90", 128, 512), 400, 600);
    info.bounds.required_threads = info.bounds.max_threads;
    info.launches.triton_warps = 16;
    const diagnosis warps = only(info);
    EXPECT_EQ(warps.id, "spills_from_bound");
    EXPECT_NE(warps.message.find("with num_warps = 16 a thread has at most 128"), std::string::npos) << warps.message;
    EXPECT_NE(warps.fix.find("num_warps = 8, which allows 255"), std::string::npos) << warps.fix;

    info.bounds.requested_max_registers = 128;
    EXPECT_NE(only(info).message.find("maxnreg = 128 is the cause"), std::string::npos) << only(info).message;

    kernel_info full = spilling(kernel("sm_90", 255, 128), 400, 600);
    full.launches.triton_warps = 4;
    EXPECT_EQ(only(full).id, "spills");
    EXPECT_NE(only(full).fix.find("more warps (num_warps is 4)"), std::string::npos) << only(full).fix;
    for (const kernel_info& each : {info, full})
        EXPECT_EQ(only(each).fix.find("launch_bounds"), std::string::npos) << only(each).fix;

    kernel_info never = kernel("sm_90", 255, 512);
    never.launches.triton_warps = 16;
    EXPECT_EQ(only(never).id, "never_launches");
    EXPECT_EQ(only(never).fix, "num_warps at most 8");
}

}  // namespace
}  // namespace launchbox
