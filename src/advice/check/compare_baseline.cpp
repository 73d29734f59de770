// SPDX-License-Identifier: Apache-2.0
#include "advice/check/compare_baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "image/gpu_coverage.hpp"
#include "image/names/changing_name.hpp"
#include "image/names/demangle.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

using figure = std::optional<std::int64_t>;
using entry_map = std::map<std::pair<std::string_view, std::string_view>, const baseline_entry*>;  // identity, arch
using name_part = std::function<std::string(std::string_view identity)>;
using kernels_by_name = std::multimap<std::string, const checked_kernel*>;  // without parameters

// One figure of a kernel, before and now.
struct comparison {
    const char* check;
    const char* what;  ///< "{} registers"
    figure before;
    worst_figure now;
    bool less_is_worse = false;
    std::string shown_before, shown_now = {};
};

std::vector<comparison> comparisons(const baseline_entry& before, const checked_kernel& now);
std::optional<check_finding> compare(const comparison& pair);
std::string why_nothing(const baseline& before, std::size_t common);
std::optional<check_finding> lost_bounds(const baseline_entry& before, const checked_kernel& now);
std::string without_parameters(std::string_view identity);
gone_kernel gone_of(const baseline_entry& entry, const kernels_by_name& kernels, const std::string& file);
check_finding other_build(const checked_kernel& kernel, const baseline_entry& before);
void compare_kernel(std::size_t k, const baseline_entry& entry, const std::string& file, const baseline_policy& policy,
                    check_result& result, gate& passed);
std::string without_file(std::string_view identity);
std::vector<std::pair<std::size_t, const baseline_entry*>> take_renamed(const name_part& kept, entry_map& entries,
                                                                        check_result& result);

}  // namespace

void compare_baseline(const baseline& before, const baseline_policy& policy, check_result& result)
{
    entry_map entries;
    for (const baseline_entry& entry : before.entries) entries[{entry.identity, entry.architecture}] = &entry;
    gate passed{.name = before.file, .decided = 0, .failing = 0, .why_nothing = {}};
    for (std::size_t k = 0; k < result.kernels.size(); ++k) {
        const checked_kernel& kernel = result.kernels[k];
        const auto there = entries.find({kernel.identity, architecture_where_run(kernel.info)});
        if (there == entries.end()) {
            result.new_kernels.push_back(k);
            continue;
        }
        result.renumbered += has_changing_part(kernel.info.demangled) ? 1 : 0;
        compare_kernel(k, *there->second, before.file, policy, result, passed);
        entries.erase(there);
    }
    for (const name_part& kept : {name_part(without_parameters), name_part(without_file)})
        for (const auto& [k, entry] : take_renamed(kept, entries, result)) {
            compare_kernel(k, *entry, before.file, policy, result, passed);
            ++result.renamed;
        }
    const std::size_t common = before.entries.size() - entries.size();
    passed.why_nothing = why_nothing(before, common);
    kernels_by_name names;
    if (!entries.empty())
        for (const checked_kernel& kernel : result.kernels) names.emplace(without_parameters(kernel.identity), &kernel);
    for (const auto& [key, entry] : entries) {
        if (policy.expected && !policy.expected(entry->architecture)) continue;
        result.gone.push_back(gone_of(*entry, names, before.file));
        result.gone.back().fails &= common > 0;  // else the baseline belongs to something else
    }
    result.gates.push_back(std::move(passed));
    std::stable_sort(result.gone.begin(), result.gone.end(),
                     [](const gone_kernel& a, const gone_kernel& b) { return a.place.line < b.place.line; });
    std::stable_sort(result.findings.begin(), result.findings.end(),
                     [](const check_finding& a, const check_finding& b) { return a.kernel < b.kernel; });
    result.baseline_file = before.file;
    result.baseline_entries = before.entries.size();
}

namespace {

void compare_kernel(std::size_t k, const baseline_entry& entry, const std::string& file, const baseline_policy& policy,
                    check_result& result, gate& passed)
{
    const checked_kernel& kernel = result.kernels[k];
    const auto add = [&](check_finding finding) {
        finding.kernel = k;
        finding.set_by = {file, entry.line};
        passed.failing += finding.fails ? 1 : 0;
        result.findings.push_back(std::move(finding));
    };
    if (entry.debug_build != has_debug_build(kernel)) return add(other_build(kernel, entry));
    const std::optional<check_finding> lost = lost_bounds(entry, kernel);
    if (lost) add(*lost);
    for (const comparison& pair : comparisons(entry, kernel)) {
        // Without a bound the blocks are unknown; that is not a second finding.
        if (lost && pair.less_is_worse && !pair.now.value) continue;
        result.checks += pair.before ? 1 : 0;
        std::optional<check_finding> finding = compare(pair);
        const bool is_unknown = finding && finding->status == check_status::unknown;
        passed.decided += pair.before && !is_unknown ? 1 : 0;
        if (!finding) continue;
        finding->message += place_of_copy(kernel, finding->copy);
        finding->fails = finding->status == check_status::broken || (is_unknown && policy.unknown_fails);
        add(std::move(*finding));
    }
}

// "scale [a_cu]" for "scale(float*) [a_cu]": what stays if the parameters change.
std::string without_parameters(std::string_view identity)
{
    const std::size_t at = identity.ends_with(']') ? identity.rfind(" [") : std::string_view::npos;
    std::string name = short_name(identity.substr(0, at));
    if (at != std::string_view::npos) name.append(identity.substr(at));
    return name;
}

// "scale(float*)" for "scale(float*) [a_cu]": what stays if the file is renamed.
std::string without_file(std::string_view identity)
{
    return std::string(identity.substr(0, identity.ends_with(']') ? identity.rfind(" [") : std::string_view::npos));
}

// A kernel with other parameters appears under a new name and disappears under the old one. If exactly one kernel with
// this part of the name has disappeared and one has appeared, they are compared as the same kernel: otherwise a
// regression would pass as a new kernel.
std::vector<std::pair<std::size_t, const baseline_entry*>> take_renamed(const name_part& kept, entry_map& entries,
                                                                        check_result& result)
{
    struct candidates {
        std::vector<std::size_t> come;
        std::vector<const baseline_entry*> gone;
    };
    std::map<std::pair<std::string, std::string>, candidates> alike;
    if (entries.empty() || result.new_kernels.empty()) return {};
    for (const auto& [key, entry] : entries) alike[{kept(entry->identity), entry->architecture}].gone.push_back(entry);
    for (std::size_t k : result.new_kernels) {
        const checked_kernel& kernel = result.kernels[k];
        const auto there = alike.find({kept(kernel.identity), architecture_where_run(kernel.info)});
        if (there != alike.end()) there->second.come.push_back(k);
    }
    std::vector<std::pair<std::size_t, const baseline_entry*>> taken;
    for (const auto& [name, found] : alike) {
        if (found.come.size() != 1 || found.gone.size() != 1) continue;
        taken.emplace_back(found.come.front(), found.gone.front());
        entries.erase({found.gone.front()->identity, found.gone.front()->architecture});
    }
    std::unordered_set<std::size_t> same;
    for (const auto& [k, entry] : taken) same.insert(k);
    std::erase_if(result.new_kernels, [&](std::size_t k) { return same.contains(k); });
    return taken;
}

// A debug build cannot be compared with a release build.
check_finding other_build(const checked_kernel& kernel, const baseline_entry& before)
{
    check_finding finding;
    while (!before.debug_build && finding.copy + 1 < kernel.copies() && !is_debug_build(kernel.copy(finding.copy).info))
        ++finding.copy;
    finding.check = "baseline_build";
    finding.status = check_status::unknown;
    finding.shown_value = before.debug_build ? "release" : "debug";
    finding.shown_limit = before.debug_build ? "debug" : "release";
    finding.message =
        before.debug_build
            ? "cannot be compared: the baseline is of a debug build, and this is not one"
            : fmt::format("cannot be compared: this is a debug build ({}), and the baseline is not of one",
                          debug_flag_of(kernel.copy(finding.copy).info));
    return finding;
}

std::string with_unit(const figure& value, const char* unit)
{
    return value ? with_commas(*value) + unit : "?";
}

std::vector<comparison> comparisons(const baseline_entry& before, const checked_kernel& now)
{
    figure spills, resident;
    if (before.spill_store_bytes && before.spill_load_bytes)
        spills = *before.spill_store_bytes + *before.spill_load_bytes;
    if (before.resident) resident = std::int64_t{before.resident->blocks} * before.resident->threads;
    const figure stack = std::max(before.stack_frame_bytes, before.cumulative_stack_bytes);
    const auto blocks = [](const std::optional<residency>& resident) -> std::string {
        return resident ? fmt::format("{}x{}", resident->blocks, resident->threads) : "?";
    };
    std::vector<comparison> all{
        {"baseline_registers", "registers", before.registers, worst_registers(now), false,
         with_unit(before.registers, "")},
        {"baseline_spill_bytes", "spills", spills, worst_spills(now), false, with_unit(spills, " B")},
        {"baseline_stack_bytes", "stack", stack, worst_stack(now), false, with_unit(stack, " B")},
        {"baseline_static_shared", "static shared memory", before.static_shared_bytes, worst_static_shared(now), false,
         with_unit(before.static_shared_bytes, " B")},
        {"baseline_resident_threads", "resident blocks x threads", resident, worst_residency(now), true,
         blocks(before.resident)}};
    // A baseline contains only values other than 0.
    const worst_figure shared_spills = worst_shared_spills(now);
    figure shared_before;
    if (before.shared_spill_store_bytes && before.shared_spill_load_bytes)
        shared_before = *before.shared_spill_store_bytes + *before.shared_spill_load_bytes;
    else if (spills && shared_spills.value.value_or(0) > 0)
        shared_before = 0;
    if (shared_before || shared_spills.value.value_or(0) > 0)
        all.insert(all.begin() + 2, {"baseline_shared_spill_bytes", "spills to shared memory", shared_before,
                                     shared_spills, false, with_unit(shared_before, " B")});
    for (comparison& one : all) {
        const kernel_info& info = now.copy(one.now.copy).info;
        one.shown_now = with_unit(one.now.value, &one == all.data() ? "" : " B");
        if (one.less_is_worse) one.shown_now = blocks(residency_of(info));
        if (one.now.value && one.what == std::string_view("spills") && !spill_bytes(info))
            one.shown_now = "at least " + one.shown_now;
    }
    return all;
}

std::optional<check_finding> compare(const comparison& pair)
{
    check_finding finding;
    finding.check = pair.check;
    finding.copy = pair.now.copy;
    if (pair.before) finding.limit = static_cast<double>(*pair.before);
    finding.shown_limit = pair.shown_before;
    // One worse copy is enough; only if none is worse, all must be known.
    const bool is_worse = pair.before && pair.now.value &&
                          (pair.less_is_worse ? *pair.now.value < *pair.before : *pair.now.value > *pair.before);
    if (!is_worse && !pair.now.of_all) {
        if (!pair.before) return std::nullopt;
        finding.status = check_status::unknown;
        finding.copy = pair.now.unknown_copy;
        finding.shown_value = "?";
        finding.message =
            fmt::format("cannot be compared: {} not known now, {} in the baseline", pair.what, pair.shown_before);
        return finding;
    }
    if (pair.before == pair.now.value) return std::nullopt;
    finding.value = static_cast<double>(*pair.now.value);
    finding.shown_value = pair.shown_now;
    finding.status = is_worse ? check_status::broken : check_status::better;
    finding.message = pair.before
                          ? fmt::format("{}: {} in the baseline, {} now", pair.what, pair.shown_before, pair.shown_now)
                          : fmt::format("{}: {}, not known in the baseline", pair.what, pair.shown_now);
    return finding;
}

std::string bounds_words(const heeded_bounds& bounds)
{
    if (!bounds.any()) return "none";
    std::string text = bounds.threads ? with_commas(*bounds.threads) + " threads" : "";
    if (bounds.registers) text += fmt::format("{}{} registers", text.empty() ? "" : ", ", *bounds.registers);
    return text;
}

// A bound was removed, or ptxas now ignores it. A different bound is not a finding: the figures show its effect.
std::optional<check_finding> lost_bounds(const baseline_entry& before, const checked_kernel& now)
{
    const std::optional<heeded_bounds> bounds = heeded_bounds_of(now);
    if (!before.bounds || !bounds) return std::nullopt;
    const bool no_threads = before.bounds->threads && !bounds->threads;
    const bool same_threads = before.bounds->threads == bounds->threads;
    if (!no_threads && !(same_threads && before.bounds->registers && !bounds->registers)) return std::nullopt;
    check_finding finding;
    finding.check = "baseline_launch_bounds";
    finding.status = check_status::broken;
    finding.shown_limit = bounds_words(*before.bounds);
    finding.shown_value = bounds_words(*bounds);
    finding.message =
        fmt::format("launch bounds: {} in the baseline, {} now", finding.shown_limit, finding.shown_value);
    for (std::size_t i = 0; i < now.copies(); ++i) {
        const kernel_info& info = now.copy(i).info;
        if (heeded_bounds_of(info) != bounds) continue;
        finding.copy = i;
        const std::optional<int> threads = bound_threads(info);
        if (threads && !bounds->threads)
            finding.message += fmt::format("; ptxas ignores a bound of {} threads", with_commas(*threads));
        else if (threads && info.bounds.min_blocks && !info.bounds.min_blocks_inferred && *info.bounds.min_blocks > 0)
            finding.message += fmt::format("; min_blocks {} has no effect", *info.bounds.min_blocks);
        break;
    }
    finding.message += place_of_copy(now, finding.copy);
    return finding;
}

// A kernel that still exists for other architectures has lost this one, unless other code of it runs there.
gone_kernel gone_of(const baseline_entry& entry, const kernels_by_name& kernels, const std::string& file)
{
    gone_kernel gone{.identity = entry.identity, .architecture = entry.architecture, .place = {file, entry.line}};
    gone.before = entry;
    bool runs = false;
    const auto [first, last] = kernels.equal_range(without_parameters(entry.identity));
    for (auto place = first; place != last; ++place) {
        const checked_kernel& kernel = *place->second;
        gone.elsewhere.push_back(architecture_where_run(kernel.info));
        runs |= entry.capability && kernel.info.capability && cubin_runs_on(*kernel.info.capability, *entry.capability);
    }
    gone.fails = !gone.elsewhere.empty() && !runs;
    return gone;
}

std::string why_nothing(const baseline& before, std::size_t common)
{
    if (before.entries.empty()) return "it has no entry";
    if (common == 0) return "none of its entries is for one of these kernels and its architecture";
    return "no figure is known both in the baseline and now";
}

}  // namespace

}  // namespace launchbox
