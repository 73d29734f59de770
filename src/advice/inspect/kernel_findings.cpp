// SPDX-License-Identifier: Apache-2.0
#include "advice/inspect/kernel_findings.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "image/names/kernel_identity.hpp"

namespace launchbox {

namespace {

void add(const inspected_kernel& kernel, diagnosis what, kernel_findings& to)
{
    const std::string architecture =
        kernel.info.architecture.empty() ? std::string("?") : architecture_where_run(kernel.info);
    auto same = std::ranges::find_if(
        to.findings, [&](const auto& one) { return one.what.message == what.message && one.what.fix == what.fix; });
    if (same == to.findings.end()) {
        if (to.findings.empty() || what.level > to.worst()) to.kernel = &kernel;
        const auto place =
            std::ranges::find_if(to.findings, [&](const auto& one) { return one.what.level < what.level; });
        same = to.findings.insert(place, {std::move(what), {}});
    }
    if (std::ranges::find(same->architectures, architecture) == same->architectures.end())
        same->architectures.push_back(architecture);
}

}  // namespace

std::vector<kernel_findings> findings_by_kernel(const std::vector<inspected_kernel>& kernels)
{
    std::vector<kernel_findings> found;
    std::unordered_map<std::string, std::size_t> place_of;
    for (const inspected_kernel& kernel : kernels) {
        std::vector<diagnosis> diagnoses = diagnose(kernel.info, kernel.threads);
        if (diagnoses.empty()) continue;
        const std::string key = kernel.info.source.file + '\0' +
                                without_architectures(kernel_identity(kernel.info.name, kernel.info.demangled));
        const auto [place, is_new] = place_of.try_emplace(key, found.size());
        if (is_new) found.emplace_back();
        kernel_findings& of = found[place->second];
        of.spilled_bytes = std::max(of.spilled_bytes, spill_bytes(kernel.info).value_or(0));
        for (diagnosis& one : diagnoses) add(kernel, std::move(one), of);
    }
    std::ranges::stable_sort(found, [](const kernel_findings& one, const kernel_findings& other) {
        return std::tuple(one.worst(), one.spilled_bytes) > std::tuple(other.worst(), other.spilled_bytes);
    });
    return found;
}

std::vector<finding_count> count_findings(const std::vector<kernel_findings>& kernels)
{
    std::map<std::string, std::size_t> count_of;
    for (const kernel_findings& kernel : kernels) {
        std::set<std::string_view> ids;
        for (const auto& one : kernel.findings)
            if (ids.insert(one.what.id).second) ++count_of[one.what.id];
    }
    std::vector<finding_count> counts;
    for (const auto& [id, count] : count_of) counts.push_back({id, count});
    std::ranges::stable_sort(counts, std::ranges::greater{}, &finding_count::kernels);
    return counts;
}

}  // namespace launchbox
