// SPDX-License-Identifier: Apache-2.0
#include "report/kernels/kernel_cells.hpp"

#include <fmt/format.h>

#include "report/occupancy/occupancy_report.hpp"

namespace launchbox {

namespace {

constexpr int no_register_option = 255;  // of -maxrregcount, which then limits nothing

}  // namespace

void cell_signs::note(const table& shown)
{
    for (const auto& row : shown.rows)
        for (const cell& field : row) {
            unknown |= field.text.find('?') != std::string::npos;
            inferred |= field.text.find("≈") != std::string::npos;
            at_least |= field.text.find("≥") != std::string::npos;
            at_most |= field.text.find("≤") != std::string::npos;
            shared_spills |= field.text.find(" +") != std::string::npos;
            runs_on |= field.text.find("→sm_") != std::string::npos;
        }
}

void cell_signs::explain(document& page) const
{
    if (!unknown && !inferred && !at_most && !at_least && !shared_spills && !runs_on) return;
    page.line("");
    if (unknown) page.line("  ?: not in the input", tone::faint);
    if (inferred)
        page.line("  ≈: not in the input, inferred from the register cap; another number can have the same cap",
                  tone::faint);
    if (at_least)
        page.line("  ≥: at least; other loads and stores of local memory may be spills or accesses to arrays",
                  tone::faint);
    if (shared_spills)
        page.line("  +: after spills: bytes spilled to shared memory, by enable_smem_spilling", tone::faint);
    if (runs_on)
        page.line("  sm_…→sm_…: code for the first, run on the second; resident blocks are those on the second",
                  tone::faint);
    if (at_most)
        page.line(
            "  ≤: at most; the kernel has shared memory of unknown size; --dynamic-shared gives that of the launch",
            tone::faint);
}

std::string architecture_label(const kernel_info& info)
{
    std::string label = info.architecture.empty() ? "?" : escape_for_terminal(info.architecture);
    if (info.runs_on) label += "→" + architecture_where_run(info);
    if (info.linked) label += " linked";
    if (info.relocatable) label += " -rdc";
    return label;
}

std::string shared_text(const kernel_info& info)
{
    std::string text = known_or_sign(info.figures.static_shared_bytes, info);
    if (is_ptx(info)) return text;
    if (dynamic_shared_unknown(info)) return text + "+?";
    if (info.launches.dynamic_shared_bytes.value_or(0) > 0)
        text += "+" + with_commas(*info.launches.dynamic_shared_bytes);
    return text;
}

std::string stack_text(const kernel_info& info)
{
    std::string text = known_or_sign(info.figures.stack_frame_bytes, info);
    if (info.figures.cumulative_stack_bytes && info.figures.cumulative_stack_bytes > info.figures.stack_frame_bytes)
        text += "/" + with_commas(*info.figures.cumulative_stack_bytes);
    return text;
}

std::string resident_text(int blocks, int threads, bool at_most)
{
    return fmt::format("{}{}x{}", at_most ? "≤" : "", blocks, threads);
}

std::string occupancy_text(double occupancy, bool at_most)
{
    return (at_most ? "≤" : "") + percent(occupancy);
}

cell spills_cell(const kernel_info& info)
{
    bool spills = info.figures.spill_store_bytes.value_or(0) + info.figures.spill_load_bytes.value_or(0) > 0;
    std::string text;
    if (info.figures.spills_between && info.figures.spills_between->min_bytes() > 0) {
        spills = true;
        text = fmt::format("≥{}/≥{}", with_commas(info.figures.spills_between->min_stores),
                           with_commas(info.figures.spills_between->min_loads));
    } else {
        text = known_or_sign(info.figures.spill_store_bytes, info);
        if (info.figures.spill_store_bytes || info.figures.spill_load_bytes)
            text += "/" + known_or_sign(info.figures.spill_load_bytes, info);
    }
    if (shared_spill_bytes(info).value_or(0) > 0)
        text += fmt::format(" +{}/{}", with_commas(*info.figures.shared_spill_store_bytes),
                            with_commas(*info.figures.shared_spill_load_bytes));
    return {text, spills ? tone::bad : tone::plain};
}

std::string bounds_text(const kernel_info& info)
{
    const auto dimensions = [](const std::array<int, 3>& d) {
        if (d[1] == 1 && d[2] == 1) return std::to_string(d[0]);
        return fmt::format("{}x{}x{}", d[0], d[1], d[2]);
    };
    std::string text;
    if (info.bounds.required_threads)
        text = "exactly " + dimensions(*info.bounds.required_threads);
    else if (info.bounds.max_threads)
        text = dimensions(*info.bounds.max_threads);
    if (info.bounds.min_blocks.value_or(0) > 0)
        text += fmt::format(",{}{}", info.bounds.min_blocks_inferred ? "≈" : "", *info.bounds.min_blocks);
    if (info.bounds.max_cluster_blocks)
        text += text.empty() ? fmt::format("max cluster {}", *info.bounds.max_cluster_blocks)
                             : fmt::format("{},{}", info.bounds.min_blocks.value_or(0) > 0 ? "" : ",–",
                                           *info.bounds.max_cluster_blocks);
    if (info.bounds.requested_max_registers)
        text += fmt::format("{}maxnreg {}", text.empty() ? "" : " ", *info.bounds.requested_max_registers);
    if (info.bounds.maxrregcount.value_or(no_register_option) < no_register_option)
        text += fmt::format("{}maxrregcount {}", text.empty() ? "" : " ", *info.bounds.maxrregcount);
    if (info.bounds.cluster)
        text += fmt::format("{}cluster {}", text.empty() ? "" : " ", dimensions(*info.bounds.cluster));
    return text.empty() ? "–" : text;
}

std::string toolkit_name(int version)
{
    return fmt::format("{}.{}", version / 10, version % 10);
}

}  // namespace launchbox
