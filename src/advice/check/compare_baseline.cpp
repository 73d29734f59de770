// SPDX-License-Identifier: Apache-2.0
#include "advice/check/compare_baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

using figure = std::optional<std::int64_t>;

// One figure of a kernel, then and now.
struct comparison {
    const char* check;
    const char* what;  ///< "{} registers"
    figure before, now;
    bool less_is_worse = false;
    std::string shown_before, shown_now;
};

std::vector<comparison> comparisons(const baseline_entry& before, const baseline_entry& now);
std::optional<check_finding> compare(const comparison& pair);

}  // namespace

void compare_baseline(const baseline& before, const baseline_policy& policy, check_result& result)
{
    std::map<std::pair<std::string_view, std::string_view>, const baseline_entry*> entries;
    for (const baseline_entry& entry : before.entries) entries[{entry.identity, entry.architecture}] = &entry;
    for (std::size_t k = 0; k < result.kernels.size(); ++k) {
        const checked_kernel& kernel = result.kernels[k];
        const auto there = entries.find({kernel.identity, kernel.info.architecture});
        if (there == entries.end()) {
            result.new_kernels.push_back(k);
            continue;
        }
        for (const comparison& pair : comparisons(*there->second, entry_of(kernel))) {
            result.checks += pair.before ? 1 : 0;
            std::optional<check_finding> finding = compare(pair);
            if (!finding) continue;
            finding->kernel = k;
            finding->fails = finding->status == check_status::broken ||
                             (finding->status == check_status::unknown && policy.unknown_fails);
            finding->set_by = {before.file, there->second->line};
            result.findings.push_back(std::move(*finding));
        }
        entries.erase(there);
    }
    for (const auto& [key, entry] : entries)
        if (!policy.expected || policy.expected(entry->architecture))
            result.gone.push_back({entry->identity, entry->architecture, {before.file, entry->line}});
    std::stable_sort(result.gone.begin(), result.gone.end(),
                     [](const gone_kernel& a, const gone_kernel& b) { return a.place.line < b.place.line; });
    std::stable_sort(result.findings.begin(), result.findings.end(),
                     [](const check_finding& a, const check_finding& b) { return a.kernel < b.kernel; });
    result.baseline_file = before.file;
    result.baseline_entries = before.entries.size();
}

namespace {

std::string with_unit(const figure& value, const char* unit)
{
    return value ? with_commas(*value) + unit : "?";
}

std::vector<comparison> comparisons(const baseline_entry& before, const baseline_entry& now)
{
    const auto spills = [](const baseline_entry& entry) -> figure {
        if (!entry.spill_store_bytes || !entry.spill_load_bytes) return std::nullopt;
        return *entry.spill_store_bytes + *entry.spill_load_bytes;
    };
    // What is listed can be worse by itself.
    figure spilled = spills(now);
    if (!spilled && now.min_spill_bytes && spills(before) && *now.min_spill_bytes > *spills(before))
        spilled = now.min_spill_bytes;
    const auto stack = [&](const baseline_entry& entry) {
        return std::max(entry.stack_frame_bytes, entry.cumulative_stack_bytes);
    };
    const auto threads = [](const baseline_entry& entry) -> figure {
        if (!entry.resident) return std::nullopt;
        return std::int64_t{entry.resident->blocks} * entry.resident->threads;
    };
    const auto blocks = [](const baseline_entry& entry) -> std::string {
        return entry.resident ? fmt::format("{}x{}", entry.resident->blocks, entry.resident->threads) : "?";
    };
    std::vector<comparison> all{{"baseline_registers", "registers", before.registers, now.registers, false, {}, {}},
                                {"baseline_spill_bytes", "spills", spills(before), spilled, false, {}, {}},
                                {"baseline_stack_bytes", "stack", stack(before), stack(now), false, {}, {}},
                                {"baseline_static_shared",
                                 "static shared memory",
                                 before.static_shared_bytes,
                                 now.static_shared_bytes,
                                 false,
                                 {},
                                 {}},
                                {"baseline_resident_threads", "resident blocks x threads", threads(before),
                                 threads(now), true, blocks(before), blocks(now)}};
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        const char* unit = i == 0 ? "" : " B";
        all[i].shown_before = with_unit(all[i].before, unit);
        all[i].shown_now = with_unit(all[i].now, unit);
    }
    if (spilled && !spills(now)) all[1].shown_now = "at least " + all[1].shown_now;
    return all;
}

std::optional<check_finding> compare(const comparison& pair)
{
    if (pair.before == pair.now) return std::nullopt;
    check_finding finding;
    finding.check = pair.check;
    if (pair.now) finding.value = static_cast<double>(*pair.now);
    if (pair.before) finding.limit = static_cast<double>(*pair.before);
    finding.shown_value = pair.shown_now;
    finding.shown_limit = pair.shown_before;
    if (!pair.now) {
        finding.status = check_status::unknown;
        finding.message =
            fmt::format("cannot be compared: {} not known now, {} in the baseline", pair.what, pair.shown_before);
    } else if (!pair.before) {
        finding.status = check_status::better;
        finding.message = fmt::format("{}: {}, not known in the baseline", pair.what, pair.shown_now);
    } else {
        const bool worse = pair.less_is_worse ? *pair.now < *pair.before : *pair.now > *pair.before;
        finding.status = worse ? check_status::broken : check_status::better;
        finding.message = fmt::format("{}: {} in the baseline, {} now", pair.what, pair.shown_before, pair.shown_now);
    }
    return finding;
}

}  // namespace

}  // namespace launchbox
