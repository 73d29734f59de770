// SPDX-License-Identifier: Apache-2.0
#include "advice/bounds/bounds_reasons.hpp"

#include <fmt/format.h>
#include <launchbox/launch_bounds.hpp>

#include <algorithm>

#include "advice/inspect/diagnose.hpp"
#include "advice/inspect/inspected_kernel.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

std::string join(const std::vector<std::string>& parts, const char* between)
{
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
    return text;
}

std::int64_t known_spills(const bounds_row& row)
{
    return spill_bytes(row.kernel).value_or(0);
}

int blocks_of(const bounds_row& row)
{
    return row.residency ? row.residency->resident_blocks : 0;
}

// "3 blocks, no spills"
std::string figures_text(const bounds_row& row)
{
    return blocks_text(blocks_of(row)) + ", " + spills_text(row);
}

const bounds_row* row_with(const block_size_answer& size, const launch_attribute& attribute)
{
    const auto has_it = [&](const bounds_row& row) {
        return std::ranges::find(row.attributes, attribute) != row.attributes.end();
    };
    const auto found = std::ranges::find_if(size.rows, has_it);
    return found == size.rows.end() ? nullptr : &*found;
}

std::string reason_by_time(const block_size_answer& size, const bounds_recommendation& chosen)
{
    const bounds_row& row = size.rows[*chosen.row];
    const bounds_row* written = written_row(size);
    const std::string attribute = attribute_text(chosen.attribute);
    std::size_t others = 0;
    for (const bounds_row& row : size.rows) others += row.has_time() ? 1 : 0;
    --others;
    const std::string time = time_text(row.measured->time.median);
    if (chosen.verdict == bounds_verdict::no_difference)
        return fmt::format(
            "no measurable difference: {} as written, and none of the {} others is faster beyond noise and 1 %", time,
            others);
    if (row.as_written) return fmt::format("the unchanged source is the fastest beyond noise, {}: {}", time, attribute);
    if (written != nullptr && written->has_time())
        return fmt::format("{} takes {} instead of {}, {:.3g} % less", attribute, time,
                           time_text(written->measured->time.median),
                           100 - 100 * row.measured->time.median / written->measured->time.median);
    return fmt::format("{} takes {}, the fewest of {} measured", attribute, time, others + 1);
}

}  // namespace

std::string blocks_text(int blocks)
{
    return fmt::format("{} block{}", blocks, blocks == 1 ? "" : "s");
}

std::string spills_text(const bounds_row& row)
{
    const auto bytes = spill_bytes(row.kernel);
    const char* const about = row.from_ptx ? "about " : "";
    std::string text = !bytes        ? "unknown spills"
                       : *bytes == 0 ? "no spills"
                                     : about + with_commas(*bytes) + " B of spills";
    if (const std::int64_t shared = shared_spill_bytes(row.kernel).value_or(0); shared > 0)
        text += fmt::format(" and {} B spilled to shared memory", with_commas(shared));
    return text;
}

const bounds_row* written_row(const block_size_answer& size)
{
    const auto found = std::ranges::find_if(size.rows, &bounds_row::as_written);
    return found == size.rows.end() ? nullptr : &*found;
}

std::string attribute_text(const launch_attribute& attribute)
{
    return attribute.empty() ? "no attribute" : attribute_source(attribute);
}

std::string time_text(double nanoseconds)
{
    if (nanoseconds < 1e3) return fmt::format("{:.3g} ns", nanoseconds);
    if (nanoseconds < 1e6) return fmt::format("{:.4g} us", nanoseconds / 1e3);
    if (nanoseconds < 1e9) return fmt::format("{:.4g} ms", nanoseconds / 1e6);
    return fmt::format("{:.4g} s", nanoseconds / 1e9);
}

std::string gain_of(const block_size_answer& size, const bounds_row& row)
{
    const bounds_row* written = written_row(size);
    if (written == nullptr || written == &row) return {};
    if (!written->launches()) return "it can be launched";
    std::vector<std::string> parts;
    if (row.has_time() && written->has_time())
        parts.push_back(time_text(row.measured->time.median) + " instead of " +
                        time_text(written->measured->time.median));
    if (blocks_of(row) != blocks_of(*written))
        parts.push_back(fmt::format("{} instead of {}", blocks_of(row), blocks_text(blocks_of(*written))));
    const auto now = spill_bytes(written->kernel), then = spill_bytes(row.kernel);
    if (now && then && *now != *then)
        parts.push_back(fmt::format("{} B instead of {} B of spills", with_commas(*then), with_commas(*now)));
    const auto shared_now = shared_spill_bytes(written->kernel), shared_then = shared_spill_bytes(row.kernel);
    if (shared_now && shared_then && *shared_now != *shared_then)
        parts.push_back(fmt::format("{} B instead of {} B spilled to shared memory", with_commas(*shared_then),
                                    with_commas(*shared_now)));
    if (parts.empty() && row.kernel.figures.code_bytes && written->kernel.figures.code_bytes)
        parts.push_back(fmt::format("{} instead of {} B of code", with_commas(*row.kernel.figures.code_bytes),
                                    with_commas(*written->kernel.figures.code_bytes)));
    return join(parts, ", ");
}

std::string reason_for(const bounds_answer& answer, const block_size_answer& size, const bounds_recommendation& chosen)
{
    if (chosen.by_time) return reason_by_time(size, chosen);
    const bounds_row& row = size.rows[*chosen.row];
    const std::string attribute = attribute_text(chosen.attribute);
    switch (chosen.verdict) {
        case bounds_verdict::keep: {
            const bool same_without = row.attributes.front().empty();
            return fmt::format("keep the source as it is: {}{}, and no other bound that was tried is better",
                               figures_text(row), same_without ? ", as with no bound" : "");
        }
        case bounds_verdict::no_bound:
            return fmt::format("leave it without a bound: {}, and no bound that was tried improves the kernel",
                               figures_text(row));
        case bounds_verdict::remove:
        case bounds_verdict::write: {
            if (chosen.gain.empty())
                return fmt::format(
                    "{}: {}; as written{} it cannot be launched with {} threads", attribute, figures_text(row),
                    answer.written.empty() ? "" : ", " + attribute_source(answer.written) + ",", size.threads);
            return attribute + (chosen.verdict == bounds_verdict::remove ? " gives " : ": ") + chosen.gain;
        }
        default:
            return {};
    }
}

std::vector<std::string> findings_of_kernel(const kernel_info& written)
{
    std::vector<std::string> result;
    for (const diagnosis& finding : diagnose(written, std::nullopt))
        if (finding.id == "bound_ignored" || finding.id == "bound_over_1024" || finding.id == "needs_nvlink" ||
            finding.id == "setmaxnreg_ignored")
            result.push_back(finding.message);
    return result;
}

namespace {

// The written bound raised the register count, or causes spills without need.
void add_cost_of_written(const bounds_answer& answer, const block_size_answer& size, std::vector<std::string>& findings)
{
    const bounds_row *written = written_row(size), *without = row_with(size, {});
    if (answer.written.empty() || written == nullptr || without == nullptr || written == without) return;
    if (!written->launches() || !without->launches()) return;
    const int lost = blocks_of(*without) - blocks_of(*written);
    const std::int64_t spilled = known_spills(*written) - known_spills(*without);
    const std::string bound = attribute_source(answer.written);
    if (lost > 0 && written->kernel.figures.registers > without->kernel.figures.registers)
        findings.push_back(fmt::format(
            "the bound in the source costs blocks: {} raises registers from {} to {} and loses {} of {} resident "
            "blocks",
            bound, *without->kernel.figures.registers, *written->kernel.figures.registers, lost, blocks_of(*without)));
    else if (spilled > 0 && lost >= 0)
        findings.push_back(
            fmt::format("the bound in the source costs spills: {} spills {} B more than no bound and gains no block",
                        bound, with_commas(spilled)));
}

// ptxas caps registers for blocks that another resource forbids; it ignores shared memory.
void add_idle_cap(const bounds_answer& answer, const block_size_answer& size, const sm_limits& limits,
                  std::vector<std::string>& findings)
{
    const int wanted = answer.written.min_blocks;
    if (answer.written.threads != size.threads || wanted <= std::max(1, size.max_blocks)) return;
    const auto cap = register_cap(limits, size.threads, wanted);
    const auto enough = register_cap(limits, size.threads, std::max(1, size.max_blocks));
    if (!cap || !enough || *cap >= *enough) return;
    findings.push_back(fmt::format("the register cap of {} bought nothing: {} allow{} only {}", *cap, size.limited_by,
                                   size.limited_by == "shared memory" ? "s" : "", blocks_text(size.max_blocks)));
}

// With one argument, ptxas chooses the cap itself, sometimes far too low.
void add_collapse(const block_size_answer& size, const sm_limits& limits, std::vector<std::string>& findings)
{
    const auto whole = register_cap(limits, size.threads, 1);
    const bounds_row *one = nullptr, *two = nullptr;
    launch_attribute one_attribute, two_attribute;
    for (const bounds_row& row : size.rows)
        for (const launch_attribute& attribute : row.attributes) {
            if (attribute.threads != size.threads) continue;
            if (attribute.min_blocks == 0 && one == nullptr) one = &row, one_attribute = attribute;
            if (attribute.min_blocks > 0 && two == nullptr) two = &row, two_attribute = attribute;
        }
    if (!whole || one == nullptr || two == nullptr || !one->kernel.figures.registers || !two->kernel.figures.registers)
        return;
    if (*one->kernel.figures.registers + 8 > *whole || known_spills(*one) <= known_spills(*two)) return;
    findings.push_back(fmt::format("{} cuts registers too far: {} registers and {}, whereas {} has {} registers and {}",
                                   attribute_source(one_attribute), *one->kernel.figures.registers, spills_text(*one),
                                   attribute_source(two_attribute), *two->kernel.figures.registers, spills_text(*two)));
}

void add_trade_off(const block_size_answer& size, std::vector<std::string>& findings)
{
    if (!size.recommendation.row || size.recommendation.by_time) return;
    const bounds_row& chosen = size.rows[*size.recommendation.row];
    std::vector<std::string> others;
    bool less_code = false;
    for (const bounds_row& row : size.rows) {
        if (!row.pareto || &row == &chosen) continue;
        // The chosen row has the fewest spills: other Pareto-optimal rows have more warps, or only less code.
        if (blocks_of(row) <= blocks_of(chosen))
            less_code = true;
        else
            others.push_back(fmt::format("{} ({})", attribute_text(row.attributes.front()), figures_text(row)));
    }
    if (!others.empty()) {
        const std::size_t more = others.size() > 2 ? others.size() - 2 : 0;
        if (more > 0) others.resize(2);
        findings.push_back(fmt::format("a real trade-off against {}{}: more warps are not always faster, use --measure",
                                       join(others, ", "), more > 0 ? fmt::format(" and {} more", more) : ""));
        return;
    }
    if (size.rows.size() > 1)
        findings.push_back(less_code ? "no trade-off: the other rows of the Pareto set only have less code"
                                     : "no trade-off: no other bound is better in any figure");
}

void add_failures(const block_size_answer& size, std::vector<std::string>& findings)
{
    for (const bounds_row& row : size.rows)
        if (row.measured && !row.measured->failure.empty())
            findings.push_back(attribute_text(row.attributes.front()) + " was not measured: " + row.measured->failure);
}

}  // namespace

std::vector<std::string> findings_of_block_size(const bounds_answer& answer, const block_size_answer& size)
{
    std::vector<std::string> findings;
    if (answer.limits == nullptr) return findings;
    add_cost_of_written(answer, size, findings);
    add_idle_cap(answer, size, *answer.limits, findings);
    add_collapse(size, *answer.limits, findings);
    add_trade_off(size, findings);
    add_failures(size, findings);
    return findings;
}

}  // namespace launchbox
