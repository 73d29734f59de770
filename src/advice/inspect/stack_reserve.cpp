// SPDX-License-Identifier: Apache-2.0
#include "advice/inspect/stack_reserve.hpp"

#include <launchbox/sm_limits.hpp>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "image/gpu_coverage.hpp"

namespace launchbox {

namespace {

// The GPUs on which the driver loads this one of several images.
struct image_use {
    std::vector<const gpu_model*> models;
    bool displaced = false;  // some GPUs could run it, but all of them have a better one
};

using capabilities = std::vector<compute_capability>;  // of one kernel's images in one module, ascending, distinct

// By image.
std::vector<image_use> uses_of(const capabilities& images)
{
    std::vector<image_use> uses(images.size());
    std::vector<bool> runs(images.size()), best(images.size());
    const auto best_for = [&](const compute_capability& gpu) {
        std::optional<std::size_t> highest;
        for (std::size_t i = 0; i < images.size(); ++i)
            if (cubin_runs_on(images[i], gpu)) {
                runs[i] = true;
                highest = i;
            }
        if (highest) best[*highest] = true;
        return highest;
    };
    for (const sm_limits& chip : sm_limits_table) best_for(chip.capability);
    for (const gpu_model& gpu : gpu_models())
        if (const auto image = best_for(gpu.capability)) uses[*image].models.push_back(&gpu);
    for (std::size_t i = 0; i < images.size(); ++i) uses[i].displaced = runs[i] && !best[i];
    return uses;
}

// By user; none for PTX or an unknown architecture.
std::vector<const image_use*> uses_of(const std::vector<stack_user>& users,
                                      std::map<capabilities, std::vector<image_use>>& known)
{
    const auto counts = [](const stack_user& user) { return user.kernel->capability && !is_ptx(*user.kernel); };
    // The kernels in one container of one file belong to one module.
    using module_kernel = std::tuple<std::string_view, std::string_view, std::string_view>;
    const auto key_of = [](const stack_user& user) {
        return module_kernel(user.identity, user.kernel->source.file, user.kernel->source.container);
    };
    std::map<module_kernel, capabilities> images_of;
    for (const stack_user& user : users)
        if (counts(user)) images_of[key_of(user)].push_back(*user.kernel->capability);
    for (auto& [key, images] : images_of) {
        std::ranges::sort(images);
        images.erase(std::unique(images.begin(), images.end()), images.end());
    }
    std::vector<const image_use*> uses;
    for (const stack_user& user : users) {
        uses.push_back(nullptr);
        if (!counts(user)) continue;
        const capabilities& images = images_of[key_of(user)];
        auto place = known.find(images);
        if (place == known.end()) place = known.emplace(images, uses_of(images)).first;
        uses.back() = &place->second[static_cast<std::size_t>(std::ranges::find(images, *user.kernel->capability) -
                                                              images.begin())];
    }
    return uses;
}

stack_reserve reserve_on(const gpu_model& gpu, std::int64_t stack, std::size_t kernel, bool unbounded)
{
    const sm_limits* limits = find_sm_limits(gpu.capability);
    return {.gpu = gpu,
            .stack_bytes = stack,
            .threads = std::int64_t{limits == nullptr ? 0 : limits->threads_per_sm} * gpu.sms,
            .kernel = kernel,
            .unbounded = unbounded};
}

// Why nothing can be compared; empty if something can, or if no GPU needs memory.
std::string why_uncounted(const kernel_info& kernel, const image_use* use)
{
    const std::optional<std::int64_t> stack = deepest_stack(kernel);
    if (!stack) return "the input does not contain its stack size";
    if (*stack == 0 && !kernel.figures.stack_unbounded) return {};
    if (use != nullptr && (use->displaced || !use->models.empty())) return {};
    if (kernel.architecture.empty()) return "its architecture is not known";
    return "no listed GPU model runs " + kernel.architecture;
}

}  // namespace

std::vector<stack_need> stack_needs(const std::vector<stack_user>& users)
{
    std::map<capabilities, std::vector<image_use>> known;
    const std::vector<const image_use*> uses = uses_of(users, known);
    std::vector<stack_need> needs(users.size());
    for (std::size_t i = 0; i < users.size(); ++i) {
        const kernel_info& kernel = *users[i].kernel;
        if (is_ptx(kernel)) continue;
        stack_need& need = needs[i];
        need.why_unknown = why_uncounted(kernel, uses[i]);
        if (kernel.figures.stack_unbounded && need.why_unknown.empty() && !uses[i]->displaced)
            need.why_unknown = "recursion, or a call through a pointer: its stack size is unknown";
        const std::int64_t stack = deepest_stack(kernel).value_or(0);
        if (stack == 0 || uses[i] == nullptr) continue;
        for (const gpu_model* gpu : uses[i]->models) {
            const stack_reserve one = reserve_on(*gpu, stack, i, kernel.figures.stack_unbounded);
            if (!need.most || one.bytes() > need.most->bytes()) need.most = one;
        }
    }
    return needs;
}

stack_reserves stack_reserves_of(const std::vector<stack_user>& users)
{
    std::map<capabilities, std::vector<image_use>> known;
    const std::vector<const image_use*> uses = uses_of(users, known);
    std::map<const gpu_model*, stack_reserve> deepest;
    std::map<std::pair<std::string, std::string>, std::size_t> uncounted;
    for (std::size_t i = 0; i < users.size(); ++i) {
        const kernel_info& kernel = *users[i].kernel;
        if (is_ptx(kernel)) continue;
        if (std::string why = why_uncounted(kernel, uses[i]); !why.empty())
            ++uncounted[{kernel.architecture, std::move(why)}];
        const std::optional<std::int64_t> stack = deepest_stack(kernel);
        if (!stack || uses[i] == nullptr) continue;
        for (const gpu_model* gpu : uses[i]->models) {
            stack_reserve& most =
                deepest.try_emplace(gpu, reserve_on(*gpu, *stack, i, kernel.figures.stack_unbounded)).first->second;
            most.unbounded |= kernel.figures.stack_unbounded;
            // Ties are broken by name, so that the order of the inputs does not matter.
            const auto order = [&](std::int64_t bytes, std::size_t user) {
                return std::tuple(-bytes, users[user].identity, std::string_view(users[user].kernel->source.file));
            };
            if (order(*stack, i) >= order(most.stack_bytes, most.kernel)) continue;
            most.stack_bytes = *stack;
            most.kernel = i;
        }
    }
    stack_reserves result;
    for (const gpu_model& gpu : gpu_models())
        if (const auto found = deepest.find(&gpu); found != deepest.end()) result.gpus.push_back(found->second);
    for (const auto& [key, number] : uncounted) result.uncounted.push_back({key.first, key.second, number});
    return result;
}

}  // namespace launchbox
