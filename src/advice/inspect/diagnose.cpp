// SPDX-License-Identifier: Apache-2.0
#include "advice/inspect/diagnose.hpp"

#include <fmt/format.h>
#include <launchbox/block_size.hpp>
#include <launchbox/launch_bounds.hpp>

#include <algorithm>

#include "advice/inspect/compiler_findings.hpp"
#include "advice/model/kernel_question.hpp"
#include "image/launch_attribute.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

// What to write is known only after compiling alternatives: the figures of one compile only tell the limits.
std::string then_compile(const std::string& limits)
{
    return limits + "; launchbox advise compiles the alternatives and recommends one";
}

struct subject {
    const kernel_info& kernel;
    const sm_limits& limits;     ///< of the architecture that it was compiled for
    const sm_limits& gpu;        ///< of the GPU that it runs on
    std::optional<int> bound;    ///< threads of the launch bound
    std::optional<int> threads;  ///< of the launch: the user's, else the bound
    std::vector<diagnosis>& findings;

    void add(const char* id, severity level, std::string message, std::string fix) const
    {
        findings.push_back({id, level, std::move(message), std::move(fix)});
    }
    /// A lower bound of its spills.
    [[nodiscard]] spill_range spills() const { return spill_range_of(kernel).value_or(spill_range{}); }
    [[nodiscard]] std::int64_t spill_bytes() const
    {
        return std::max(spills().min_bytes(),
                        kernel.figures.spill_store_bytes.value_or(0) + kernel.figures.spill_load_bytes.value_or(0));
    }
    /// "sm_75"; for PTX, the architecture that it is first compiled for.
    [[nodiscard]] std::string architecture() const
    {
        constexpr std::string_view of_ptx = "compute_";
        return is_ptx(kernel) ? "sm_" + kernel.architecture.substr(of_ptx.size()) : kernel.architecture;
    }
    /// "ptxas ignored"; for PTX that is not compiled yet, as a prediction.
    [[nodiscard]] std::string ignored() const
    {
        return is_ptx(kernel) ? fmt::format("compiling it for {} will ignore", architecture()) : "ptxas ignored";
    }
};

// A log does not contain the bound, but ptxas reports there when it drops one.
void check_bound_in_log(const subject& s)
{
    for (const std::string& warning : s.kernel.warnings) {
        if (warning.find("will be ignored") == std::string::npos || warning.find("out of range") == std::string::npos)
            continue;
        s.add(
            "bound_ignored", severity::error, "ptxas: " + warning,
            fmt::format("{} has {} block slots and {} warp slots per SM: min_blocks at most {}, and min_blocks × warps "
                        "of a block at most {}",
                        s.architecture(), s.limits.blocks_per_sm, s.limits.warps_per_sm(), s.limits.blocks_per_sm,
                        s.limits.warps_per_sm()));
    }
}

// A bound that ptxas dropped, wholly or in part, or a number of threads that no launch can have.
void check_bound(const subject& s)
{
    if (!s.bound) {
        check_bound_in_log(s);
        return;
    }
    const int threads = *s.bound;
    const int blocks = s.kernel.bounds.min_blocks.value_or(0);
    const launch_bounds_verdict verdict = check_launch_bounds(s.limits, threads, blocks);
    if (verdict == launch_bounds_verdict::too_many_threads) {
        s.add("bound_ignored", severity::error,
              fmt::format("{} the whole bound: {} threads, and {} has {} per SM", s.ignored(), with_commas(threads),
                          s.architecture(), with_commas(s.limits.threads_per_sm)),
              "set the bound to the block size that is launched, at most 1,024");
        return;
    }
    if (threads > max_threads_per_block) {
        s.add("bound_over_1024", severity::warning,
              fmt::format("the launch bound of {} threads compiles, but no block has more than 1,024",
                          with_commas(threads)),
              "set the bound to the block size that is launched");
        return;
    }
    if (blocks < 1 || verdict == launch_bounds_verdict::honoured) return;
    const int legal = max_legal_min_blocks(s.limits, threads);
    const std::string why = verdict == launch_bounds_verdict::too_many_blocks
                                ? fmt::format("{} has {} block slots per SM", s.architecture(), s.limits.blocks_per_sm)
                                : fmt::format("{} × {} warps exceed the {} warp slots of {}", blocks,
                                              detail::warps_of(threads), s.limits.warps_per_sm(), s.architecture());
    // The front end does not know the architecture's limits: for example, it unrolls by the bound in the source.
    s.add("bound_ignored", severity::error,
          fmt::format("{} min_blocks {}: {}; registers are capped as for {}", s.ignored(), blocks, why,
                      bound_source(s.kernel, threads)),
          then_compile(fmt::format("nvcc's front end has already used the {}, so the code can differ from that without "
                                   "min_blocks; {} is the largest legal min_blocks with {} threads",
                                   blocks, legal, threads)));
}

// A minimum that cost registers although another resource rules it out. Returns whether it explains the spills, too.
bool check_bought_nothing(const subject& s)
{
    if (!s.bound || !s.kernel.bounds.min_blocks || !s.kernel.figures.registers || s.kernel.bounds.maxrregcount)
        return false;
    const int threads = *s.bound;
    int wanted = *s.kernel.bounds.min_blocks;
    // Several minima may give the same cap. If only the cap is known, report only what is true for the smallest.
    if (s.kernel.bounds.min_blocks_inferred)
        while (wanted > 1 && register_cap(s.limits, threads, wanted - 1) == register_cap(s.limits, threads, wanted))
            --wanted;
    if (wanted < 2 || check_launch_bounds(s.limits, threads, wanted) != launch_bounds_verdict::honoured) return false;
    kernel_resources without_registers = resources_of(s.kernel);
    without_registers.registers = 0;
    const std::optional<occupancy_question> launch = question_for(s.kernel, threads);
    if (!launch) return false;
    const occupancy_result allowed = occupancy(s.limits, without_registers, launch->shape, launch->settings);
    if (allowed.resident_blocks >= wanted) return false;
    const int possible = std::max(1, allowed.resident_blocks);
    const int cap = register_cap(s.limits, threads, wanted).value_or(0);
    const int roomier = register_cap(s.limits, threads, possible).value_or(0);
    const bool pays = roomier > cap && *s.kernel.figures.registers + 8 > cap;
    const std::string limiters = limiter_names(allowed);
    const bool one_thing = limiters == "shared memory";  // the others are plural
    s.add(
        "bound_bought_nothing", s.spill_bytes() > 0 && pays ? severity::error : severity::warning,
        fmt::format("min_blocks {}{} capped registers at {}, but {} allow{} only {} block{}{}", wanted,
                    s.kernel.bounds.min_blocks_inferred ? " (inferred from the cap)" : "", cap, limiters,
                    one_thing ? "s" : "", possible, possible == 1 ? "" : "s",
                    s.spill_bytes() > 0 ? fmt::format("; {} B were spilled for it", with_commas(s.spill_bytes())) : ""),
        then_compile(fmt::format("min_blocks {} allows {} registers", possible, roomier)));
    return pays;
}

// The same for a Triton kernel, which has no launch bounds in its source: num_warps and maxnreg take their place.
void check_triton_spills(const subject& s, const std::string& figures)
{
    const int registers = *s.kernel.figures.registers, warps = *s.kernel.launches.triton_warps,
              threads = warps * warp_size;
    if (s.kernel.bounds.requested_max_registers && registers >= *s.kernel.bounds.requested_max_registers - 1) {
        s.add("spills_from_bound", severity::error,
              fmt::format("{}: maxnreg = {} is the cause", figures, *s.kernel.bounds.requested_max_registers),
              "raise maxnreg in its triton.Config, or leave it out");
        return;
    }
    const int cap = s.kernel.bounds.register_cap.value_or(register_cap(s.limits, threads, 1).value_or(0));
    const int with_half = warps > 1 ? register_cap(s.limits, threads / 2, 1).value_or(0) : 0;
    if (cap > 0 && registers + 8 > cap && with_half > cap) {
        s.add(
            "spills_from_bound", severity::warning,
            fmt::format("{}: with num_warps = {} a thread has at most {}", figures, warps, cap),
            fmt::format("try num_warps = {}, which allows {}; or smaller blocks of the tensors", warps / 2, with_half));
        return;
    }
    s.add("spills", severity::warning, figures,
          fmt::format("try smaller blocks of the tensors, more warps (num_warps is {}) or fewer stages (num_stages), "
                      "so that a thread needs fewer registers",
                      warps));
}

// -maxrregcount, if ptxas reports that it applies to this kernel despite its bounds. Returns whether it explains the
// spills.
bool check_spills_by_option(const subject& s, const std::string& figures)
{
    const std::optional<int> cap = s.kernel.bounds.maxrregcount;
    if (!cap || *cap >= s.limits.registers_per_thread || *s.kernel.figures.registers + 8 <= *cap) return false;
    const bool bounded = s.bound || s.kernel.bounds.requested_max_registers;
    s.add(
        "spills_from_bound", severity::warning,
        fmt::format("{}: the cap of {} by -maxrregcount is the cause{}", figures, *cap,
                    bounded ? ", which overrides the kernel's own bounds because of --override-directive-values" : ""),
        bounded ? "leave out --override-directive-values, or raise -maxrregcount"
                : "raise -maxrregcount, or give the kernel launch bounds instead");
    return true;
}

// Spills, and whether a bound is to blame.
void check_spills(const subject& s)
{
    if (s.spill_bytes() == 0 || !s.kernel.figures.registers) return;
    const std::string figures = fmt::format(
        "{}{} B of spill stores and {} B of loads at {} registers", s.kernel.figures.spills_between ? "at least " : "",
        with_commas(s.kernel.figures.spill_store_bytes.value_or(s.spills().min_stores)),
        with_commas(s.kernel.figures.spill_load_bytes.value_or(s.spills().min_loads)), *s.kernel.figures.registers);
    if (s.kernel.launches.triton_warps) {
        check_triton_spills(s, figures);
        return;
    }
    if (check_spills_by_option(s, figures)) return;
    const int registers = *s.kernel.figures.registers;
    const bool one_argument =
        s.bound && !s.kernel.bounds.min_blocks.value_or(0) && !s.kernel.bounds.requested_max_registers;
    const std::optional<int> whole = s.bound ? register_cap(s.limits, *s.bound, 1) : std::nullopt;
    if (one_argument && whole && registers + 8 <= *whole) {
        s.add("one_argument_collapse", severity::error,
              fmt::format("{}, although {} threads allow {}: with one argument ptxas chooses the cap itself", figures,
                          *s.bound, *whole),
              then_compile(fmt::format("a second argument of 1 allows {}", *whole)));
        return;
    }
    if (s.kernel.bounds.requested_max_registers && registers >= *s.kernel.bounds.requested_max_registers - 1) {
        s.add("spills_from_bound", severity::error,
              fmt::format("{}: __maxnreg__({}) is the cause", figures, *s.kernel.bounds.requested_max_registers),
              "raise it, or accept the spills if a measurement says so");
        return;
    }
    const std::optional<int> cap = s.kernel.bounds.register_cap;
    if (cap && *cap < s.limits.registers_per_thread && registers + 8 > *cap) {
        int blocks = s.kernel.bounds.min_blocks.value_or(0);
        if (blocks < 1 && s.bound) blocks = infer_min_blocks(s.limits, *s.bound, *cap).value_or(0);
        std::string fix = "raise -maxrregcount, or give the kernel launch bounds instead";
        // Fewer blocks do not always mean more registers: 7 and 8 blocks of 256 threads have the same cap.
        int fewer = blocks - 1;
        while (s.bound && fewer > 0 && register_cap(s.limits, *s.bound, fewer).value_or(0) <= *cap) --fewer;
        if (s.bound && fewer > 0)
            fix = then_compile(fmt::format("min_blocks {} allows {} registers", fewer,
                                           register_cap(s.limits, *s.bound, fewer).value_or(0)));
        else if (s.bound)
            fix = fmt::format("{} threads allow no more: use fewer threads per block", *s.bound);
        s.add("spills_from_bound", severity::warning,
              fmt::format("{}: the cap of {}{} is the cause", figures, *cap,
                          !s.bound                              ? ""
                          : s.kernel.bounds.min_blocks_inferred ? " by the launch bound or __maxnreg__"
                                                                : " by the launch bound"),
              fix);
        return;
    }
    s.add("spills", severity::warning, figures,
          registers >= s.limits.registers_per_thread - 1
              ? "the kernel needs more registers than a thread can have: split it, or keep fewer values live"
              : "a register cap (-maxrregcount, launch bounds) is the likely cause: see which one is set");
}

// The largest dynamic shared memory that a block of this kernel can have.
std::int64_t max_dynamic_shared_of(const subject& s, const occupancy_result& result)
{
    return std::max<std::int64_t>(0, result.shared.per_block_maximum - result.shared.reserved_bytes -
                                         s.kernel.figures.static_shared_bytes.value_or(0));
}

// More shared memory than a block can have: Triton's OutOfResources.
void add_too_much_shared(const subject& s, const occupancy_question& launch, const occupancy_result& result)
{
    const std::int64_t dynamic = launch.shape.dynamic_shared_bytes;
    const std::int64_t most = max_dynamic_shared_of(s, result);
    std::string fix = dynamic > 0 ? fmt::format("launch with at most {} B of dynamic shared memory", with_commas(most))
                                  : "use less static shared memory, or make it dynamic and set "
                                    "cudaFuncAttributeMaxDynamicSharedMemorySize";
    if (s.kernel.launches.triton_warps)
        fix = fmt::format(
            "fewer stages (num_stages) or smaller blocks of the tensors: at most {} B; Triton refuses it "
            "with OutOfResources",
            with_commas(most));
    s.add("never_launches", severity::error,
          fmt::format("it can never launch on {}: {}", architecture_where_run(s.kernel), obstacle_text(launch, result)),
          fix);
}

// A block size that no launch can have. Returns whether it can be launched.
bool check_launchable(const subject& s)
{
    if (const kernel_resources alone = resources_of(s.kernel); !links(s.gpu, alone)) {
        s.add("never_launches", severity::error,
              fmt::format("{} B of static shared memory: nvlink refuses more than {} B, and no attribute raises that",
                          with_commas(alone.static_shared_bytes), with_commas(s.gpu.shared_per_block)),
              "make it dynamic: extern __shared__, and cudaFuncSetAttribute(kernel, "
              "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) before the launch");
        return false;
    }
    if (!s.threads || !s.kernel.figures.registers) return true;
    const std::optional<occupancy_question> launch =
        question_for(s.kernel, std::min(*s.threads, max_threads_per_block));
    if (!launch) return true;
    const kernel_resources& kernel = launch->resources;
    const occupancy_result result = occupancy(s.gpu, kernel, launch->shape, launch->settings);
    if (result.obstacle == launch_obstacle::none) return true;
    const int largest = max_launchable_threads(s.gpu, kernel);
    const int lower = register_cap(s.gpu, std::min(*s.threads, max_threads_per_block), 1).value_or(0);
    std::string message;
    if (result.obstacle == launch_obstacle::register_rounding)
        message = fmt::format("{} threads × {} registers can never launch: the hardware counts {} warps as {}",
                              *s.threads, kernel.registers, result.warps.warps_per_block,
                              detail::align_up(result.warps.warps_per_block, detail::launch_check_partitions(s.gpu)));
    else if (result.obstacle == launch_obstacle::registers_per_block)
        message = fmt::format("{} threads × {} registers can never launch: {} registers, and a block has at most {}",
                              *s.threads, kernel.registers, with_commas(result.registers.per_block_checked),
                              with_commas(s.gpu.registers_per_block));
    else if (result.obstacle == launch_obstacle::over_launch_bound)
        message = fmt::format("{} threads exceed the launch bound of {}", *s.threads, kernel.max_threads);
    else if (result.obstacle == launch_obstacle::barriers_per_block)
        message = fmt::format("{} barriers: more than a block, or an SM of {}, has", kernel.barriers,
                              architecture_where_run(s.kernel));
    else if (result.obstacle == launch_obstacle::shared_per_block) {
        // ptxas rejects too much static memory; it knows nothing of dynamic memory.
        if (launch->shape.dynamic_shared_bytes == 0 && !s.kernel.runs_on) return true;
        add_too_much_shared(s, *launch, result);
        return false;
    } else
        return true;
    std::string fix = fmt::format("launch at most {} threads", largest);
    if (s.kernel.launches.triton_warps)
        fix = fmt::format("num_warps at most {}", largest / warp_size);
    else if (result.obstacle != launch_obstacle::over_launch_bound && lower > 0)
        fix = then_compile(fix + fmt::format(", or let it use at most {} registers", lower));
    s.add("never_launches", severity::error, message, fix);
    return false;
}

// For an image with the code but not the spills: why, and between which bounds they are.
void check_spills_unknown(const subject& s)
{
    constexpr int lists_spills = 126;
    if (is_ptx(s.kernel) || !s.kernel.figures.code_bytes || !s.kernel.figures.registers || spill_bytes(s.kernel))
        return;
    const int toolkit = s.kernel.toolkit_version.value_or(0);
    std::string why = "the image does not list them";
    if (s.kernel.capability && s.kernel.capability->major < 7)
        why = "images for " + s.architecture() + " list none, and their code is not decoded";
    else if (toolkit >= lists_spills)
        why = "the list in its image ends at 8,191, and the others cannot be distinguished from accesses to arrays";
    else if (toolkit > 0)
        why = fmt::format(
            "images of CUDA {}.{} do not list them, and in the code {} cannot be distinguished from accesses to arrays",
            toolkit / 10, toolkit % 10, s.spill_bytes() > 0 ? "the rest" : "they");
    std::string between;
    if (const std::optional<spill_range>& range = s.kernel.figures.spills_between)
        between =
            fmt::format(" (between {} and {} B)", with_commas(range->min_bytes()), with_commas(range->max_bytes()));
    s.add("spills_unknown", severity::note, fmt::format("spills are not known{}: {}", between, why),
          toolkit >= lists_spills ? "read the log of ptxas -v, which has them"
                                  : "read the log of ptxas -v, or compile with CUDA 12.6 or later");
}

// Code without optimisation: its registers, spills and local memory differ from the release build's.
void add_debug_build(const subject& s)
{
    s.add("debug_build", severity::note,
          fmt::format("compiled with {}: a debug build, whose registers, spills, local memory and occupancy are not "
                      "those of a release build",
                      debug_flag_of(s.kernel)),
          s.kernel.optimisation == code_optimisation::debug
              ? "inspect a build without it; -lineinfo keeps the lines of the source"
              : "inspect a build without it");
}

// A kernel that may start early must wait before it reads data that the previous one writes.
void check_grid_dependency(const subject& s)
{
    if (!s.kernel.launches.launched_early || s.kernel.launches.waits_for_grid.value_or(true)) return;
    s.add("never_waits", severity::warning,
          "it is launched so that it may begin before the preceding kernel has ended (launch_pdl), but never waits for "
          "it (griddepcontrol.wait): it may read data that is not written yet",
          "call triton.language.extra.cuda.gdc_wait() before the first read, or launch without launch_pdl");
}

// Local memory without spills: an array that is indexed at run time.
void check_local_memory(const subject& s)
{
    const std::int64_t frame = s.kernel.figures.stack_frame_bytes.value_or(0);
    if (frame == 0 || s.kernel.figures.spill_store_bytes != 0) return;
    if (s.kernel.analysis.features.has(kernel_feature::printing)) {
        s.add("printf_arguments", severity::note,
              fmt::format("{} B of local memory per thread without spills: the arguments of printf are there",
                          with_commas(frame)),
              "leave printf out of release builds (#ifndef NDEBUG); if local memory remains, an array is in it");
        return;
    }
    std::string heard;
    for (const std::string& warning : s.kernel.warnings)
        if (warning.find("unroll") != std::string::npos) heard = "; the compiler says: " + warning;
    s.add(
        "local_array", severity::warning,
        fmt::format("{} B of local memory per thread without spills: an array indexed at run time, or whose address is "
                    "taken{}",
                    with_commas(frame), heard),
        "unroll the loops over it fully (#pragma unroll with constant bounds), or put it into shared memory");
}

void check_stack(const subject& s)
{
    if (s.kernel.figures.stack_unbounded)
        s.add("stack_unbounded", severity::warning,
              "the stack size is not known: recursion, or a call through a pointer",
              "set cudaLimitStackSize for the deepest call, or remove the recursion");
    if (s.kernel.relocatable && !s.kernel.linked)
        s.add("needs_nvlink", severity::warning,
              "compiled with -rdc: registers, stack and shared memory are final only after nvlink, which raises "
              "registers "
              "to those of the functions called",
              "inspect the linked program, or the log of -Xnvlink -v");
}

// For a kernel of unknown architecture or registers, for example if a log only has warnings.
void check_spills_alone(const subject& s)
{
    if (s.spill_bytes() == 0) return;
    std::string known;
    if (s.kernel.figures.registers) known = fmt::format(" at {} registers", *s.kernel.figures.registers);
    s.add("spills", severity::warning,
          fmt::format("{} B of spill stores and {} B of loads{}",
                      s.kernel.figures.spill_store_bytes ? with_commas(*s.kernel.figures.spill_store_bytes) : "?",
                      s.kernel.figures.spill_load_bytes ? with_commas(*s.kernel.figures.spill_load_bytes) : "?", known),
          fmt::format("a register cap (-maxrregcount, launch bounds) is the likely cause: {}",
                      s.kernel.figures.registers ? "see which one is set" : "-Xptxas -v shows the registers"));
}

}  // namespace

std::string bound_source(const kernel_info& kernel, int threads)
{
    return attribute_source({.threads = threads, .max_cluster_blocks = kernel.bounds.max_cluster_blocks.value_or(0)});
}

std::vector<diagnosis> diagnose(const kernel_info& kernel, std::optional<int> threads)
{
    std::vector<diagnosis> findings;
    static constexpr sm_limits unknown{};
    const sm_limits* limits = limits_of(kernel);
    const std::optional<int> bound = bound_threads(kernel);
    const sm_limits* gpu = limits_where_run(kernel);
    const bool known = limits != nullptr && gpu != nullptr;
    if (!threads) threads = bound;
    if (!threads && kernel.launches.triton_warps) threads = kernel.launches.launch_threads;
    const subject s{kernel, known ? *limits : unknown, known ? *gpu : unknown, bound, threads, findings};
    const bool debug = is_debug_build(kernel);
    if (debug) add_debug_build(s);
    if (known) {
        check_bound(s);
        // The gain of a bound is only reported for blocks that can run.
        if (check_launchable(s) && !debug && !check_bought_nothing(s)) check_spills(s);
    }
    if (!debug && (!known || !kernel.figures.registers)) check_spills_alone(s);
    check_grid_dependency(s);
    if (!debug) check_local_memory(s);
    if (!debug) check_spills_unknown(s);
    check_stack(s);
    add_compiler_findings(kernel, findings);
    return findings;
}

}  // namespace launchbox
