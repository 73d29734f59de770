// SPDX-License-Identifier: Apache-2.0
#include "advice/inspect/kernel_summary.hpp"

#include <launchbox/sm_limits.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "image/gpu_coverage.hpp"
#include "image/names/kernel_identity.hpp"

namespace launchbox {

namespace {

// A number for each kernel that is the same in every build and image.
std::vector<std::size_t> identities_of(const std::vector<const inspected_kernel*>& kernels);

void add_architectures(kernel_summary& summary, const std::vector<const inspected_kernel*>& kernels,
                       const std::vector<std::size_t>& identities, const std::vector<binary_image>& images);

void add_toolkits(kernel_summary& summary, const std::vector<const inspected_kernel*>& kernels);

void add_repeated(kernel_summary& summary, const std::vector<const inspected_kernel*>& kernels,
                  const std::vector<std::size_t>& identities);

void add_gpus(kernel_summary& summary, const std::vector<const inspected_kernel*>& kernels,
              const std::vector<std::size_t>& identities, const std::vector<binary_image>& images);

}  // namespace

kernel_summary summarize(const std::vector<const inspected_kernel*>& kernels, const std::vector<binary_image>& images)
{
    const std::vector<std::size_t> identities = identities_of(kernels);
    kernel_summary summary;
    summary.kernels = kernels.size();
    summary.unique_kernels = identities.empty() ? 0 : *std::max_element(identities.begin(), identities.end()) + 1;
    summary.only_ptx = static_cast<std::size_t>(
        std::count_if(kernels.begin(), kernels.end(), [](const auto* kernel) { return is_ptx(kernel->info); }));
    add_architectures(summary, kernels, identities, images);
    add_toolkits(summary, kernels);
    add_repeated(summary, kernels, identities);
    if (!images.empty()) add_gpus(summary, kernels, identities, images);
    return summary;
}

namespace {

std::vector<std::size_t> identities_of(const std::vector<const inspected_kernel*>& kernels)
{
    std::unordered_map<std::string, std::size_t> number_of;
    std::vector<std::size_t> identities;
    identities.reserve(kernels.size());
    for (const inspected_kernel* kernel : kernels)
        identities.push_back(
            number_of.try_emplace(kernel_identity(kernel->info.name, kernel->info.demangled), number_of.size())
                .first->second);
    return identities;
}

void add_kernel(architecture_summary& sum, const kernel_info& info)
{
    ++sum.kernels;
    if (is_ptx(info)) return;  // all else is undecided
    if (info.figures.code_bytes)
        sum.code_bytes += *info.figures.code_bytes;
    else
        ++sum.code_unknown;
    const spill_range known = info.figures.spills_between.value_or(spill_range{});
    const std::int64_t stores = info.figures.spill_store_bytes.value_or(known.min_stores),
                       loads = info.figures.spill_load_bytes.value_or(known.min_loads);
    sum.spill_store_bytes += stores;
    sum.spill_load_bytes += loads;
    sum.shared_spill_store_bytes += info.figures.shared_spill_store_bytes.value_or(0);
    sum.shared_spill_load_bytes += info.figures.shared_spill_load_bytes.value_or(0);
    if (stores > 0 || loads > 0)
        ++sum.spilling;
    else if (!spill_bytes(info))
        ++sum.spills_unknown;
    if (info.figures.spills_between && (stores > 0 || loads > 0)) ++sum.spills_at_least;
    if (info.figures.registers)
        sum.largest_registers = std::max(sum.largest_registers.value_or(0), *info.figures.registers);
}

void add_architectures(kernel_summary& summary, const std::vector<const inspected_kernel*>& kernels,
                       const std::vector<std::size_t>& identities, const std::vector<binary_image>& images)
{
    using key = std::tuple<bool, bool, int, decltype(architecture_order({}, {})), std::string>;
    constexpr std::array kinds{"", "cubin", "PTX", "Tile IR", "LTO-IR"};
    std::map<key, architecture_summary> sums;
    const auto sum_of = [&](const auto& image_or_kernel, const std::string& kind, bool relocatable,
                            bool linked) -> architecture_summary& {
        const auto place = std::find(kinds.begin(), kinds.end(), kind) - kinds.begin();
        const auto order = architecture_order(image_or_kernel.capability, image_or_kernel.architecture);
        architecture_summary& sum = sums[{relocatable, linked, static_cast<int>(place), order, kind}];
        sum.architecture = image_or_kernel.architecture;
        sum.capability = image_or_kernel.capability;
        sum.kind = kind;
        sum.relocatable = relocatable;
        sum.linked = linked;
        return sum;
    };
    for (const binary_image& image : images) {
        architecture_summary& sum = sum_of(image, image.kind, image.relocatable, false);
        ++sum.images;
        sum.stored_bytes += image.stored_bytes;
        sum.bytes += image.bytes;
    }
    std::set<std::pair<const architecture_summary*, std::size_t>> seen;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const kernel_info& info = kernels[i]->info;
        const char* kind = images.empty() ? "" : is_ptx(info) ? "PTX" : "cubin";
        architecture_summary& sum = sum_of(info, kind, info.relocatable, info.linked);
        add_kernel(sum, info);
        if (seen.emplace(&sum, identities[i]).second) ++sum.unique_kernels;
    }
    for (auto& [order, sum] : sums) {
        const bool is_new = summary.ptx.empty() || summary.ptx.back().architecture != sum.architecture;
        if (sum.kind == "PTX" && is_new && !sum.relocatable)
            summary.ptx.push_back({sum.architecture, sum.capability ? where_ptx_runs(*sum.capability) : "unknown"});
        summary.architectures.push_back(std::move(sum));
    }
}

void add_toolkits(kernel_summary& summary, const std::vector<const inspected_kernel*>& kernels)
{
    std::map<int, std::size_t> count_of;
    for (const inspected_kernel* kernel : kernels) {
        if (kernel->info.toolkit_version)
            ++count_of[*kernel->info.toolkit_version];
        else
            ++summary.toolkit_unknown;
    }
    summary.toolkits.assign(count_of.begin(), count_of.end());
}

void add_repeated(kernel_summary& summary, const std::vector<const inspected_kernel*>& kernels,
                  const std::vector<std::size_t>& identities)
{
    // By identity and architecture, then by code.
    std::map<std::pair<std::size_t, std::string>, std::map<std::uint64_t, std::vector<const inspected_kernel*>>> found;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const kernel_info& info = kernels[i]->info;
        if (info.relocatable || is_ptx(info)) continue;  // the linked image contains it, too
        if (info.figures.code_hash)
            found[{identities[i], info.architecture}][*info.figures.code_hash].push_back(kernels[i]);
        else
            ++summary.code_not_compared;
    }
    for (const auto& [key, codes] : found) {
        for (const auto& [hash, same] : codes) {
            if (same.size() < 2) continue;
            std::optional<std::int64_t> bytes = same.front()->info.figures.code_bytes;
            if (bytes) *bytes *= static_cast<std::int64_t>(same.size() - 1);
            summary.copies.push_back({same.front()->info.short_form, key.second, same.size(), bytes});
        }
        if (codes.size() > 1)
            summary.differing.push_back(
                {codes.begin()->second.front()->info.short_form, key.second, codes.size(), std::nullopt});
    }
    std::stable_sort(summary.copies.begin(), summary.copies.end(),
                     [](const auto& a, const auto& b) { return a.bytes.value_or(0) > b.bytes.value_or(0); });
}

// Sets of GPUs are bits; the last one stands for future GPUs.
constexpr compute_capability later_gpu{999, 0};

const std::vector<compute_capability>& all_gpus()
{
    static const std::vector<compute_capability> gpus = [] {
        std::vector<compute_capability> found;
        for (const sm_limits& row : sm_limits_table)
            if (row.capability != compute_capability{10, 1}) found.push_back(row.capability);  // was renamed to 11.0
        found.push_back(later_gpu);
        return found;
    }();
    return gpus;
}

std::uint64_t gpus_of(const std::optional<compute_capability>& image,
                      bool (*runs_on)(const compute_capability&, const compute_capability&))
{
    std::uint64_t set = 0;
    for (std::size_t i = 0; image && i < all_gpus().size(); ++i)
        if (runs_on(*image, all_gpus()[i])) set |= std::uint64_t{1} << i;
    return set;
}

void add_gpus(kernel_summary& summary, const std::vector<const inspected_kernel*>& kernels,
              const std::vector<std::size_t>& identities, const std::vector<binary_image>& images)
{
    // PTX next to a cubin has the same kernels: both were made from one source.
    std::unordered_map<std::string, std::uint64_t> ptx_of_container;
    std::map<std::optional<compute_capability>, std::uint64_t> known_ptx, known_cubin;
    const auto looked_up = [](auto& known, const std::optional<compute_capability>& image, auto runs_on) {
        const auto [place, is_new] = known.try_emplace(image, 0);
        if (is_new) place->second = gpus_of(image, runs_on);
        return place->second;
    };
    for (const binary_image& image : images)
        if (image.kind == "PTX" && !image.relocatable)
            ptx_of_container[image.container] |= looked_up(known_ptx, image.capability, ptx_runs_on);

    struct sets {
        std::uint64_t cubin = 0, ptx = 0;
    };
    std::unordered_map<std::size_t, sets> sets_of;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const kernel_info& info = kernels[i]->info;
        if (info.relocatable) continue;
        sets& of = sets_of[identities[i]];
        if (is_ptx(info))
            of.ptx |= looked_up(known_ptx, info.capability, ptx_runs_on);
        else
            of.cubin |= looked_up(known_cubin, info.capability, cubin_runs_on);
        if (const auto ptx = ptx_of_container.find(info.source.container); ptx != ptx_of_container.end())
            of.ptx |= ptx->second;
    }
    summary.runnable = sets_of.size();
    for (std::size_t i = 0; i < all_gpus().size(); ++i) {
        gpu_support support{all_gpus()[i]};
        const std::uint64_t bit = std::uint64_t{1} << i;
        for (const auto& [identity, of] : sets_of) {
            if ((of.cubin & bit) != 0)
                ++support.by_cubin;
            else if ((of.ptx & bit) != 0)
                ++support.by_ptx;
        }
        if (support.gpu == later_gpu)
            summary.on_later_gpus = support.by_ptx;
        else
            summary.gpus.push_back(support);
    }
}

}  // namespace

}  // namespace launchbox
