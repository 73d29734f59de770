// SPDX-License-Identifier: Apache-2.0
#include "app/check/unchecked_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "image/skipped_images.hpp"
#include "support/text/matching.hpp"

namespace launchbox {

namespace {

// What one input, or all of them, contain: the architectures checked, and those found only as PTX.
struct architectures_found {
    std::vector<const kernel_info*> checked;
    std::vector<const found_kernel*> ptx;

    void add(const found_kernel& kernel)
    {
        if (is_ptx(kernel.info))
            ptx.push_back(&kernel);
        else
            checked.push_back(&kernel.info);
    }
    // Whether there is code for the architecture, or code that runs there.
    [[nodiscard]] bool has(const target& wanted) const
    {
        return std::ranges::any_of(checked, [&](const kernel_info* kernel) {
            return kernel->architecture.empty() || matches_architecture(wanted.architecture, kernel->architecture) ||
                   matches_architecture(wanted.architecture, architecture_where_run(*kernel));
        });
    }
    [[nodiscard]] std::vector<std::string> architectures() const
    {
        std::vector<std::string> names;
        for (const kernel_info* kernel : checked)
            if (std::ranges::find(names, kernel->architecture) == names.end()) names.push_back(kernel->architecture);
        return names;
    }
};

constexpr std::size_t max_missing_named = 5;
constexpr const char* only_as_ptx = "only as PTX, which has no registers yet";

std::string why_nothing(const architectures_found& found, const std::vector<binary_image>& images)
{
    if (!found.ptx.empty())
        return fmt::format("{} there {}",
                           found.ptx.size() == 1 ? "1 kernel is" : fmt::format("{} kernels are", found.ptx.size()),
                           only_as_ptx);
    const std::string held = images_without_kernels_text(images);
    return held.empty() ? "it has none" : "it holds " + held;
}

}  // namespace

std::vector<unchecked_part> unchecked_parts(const check_request& request, const kernel_input& input)
{
    std::vector<unchecked_part> parts;
    if (input.interrupted) return parts;
    const architecture_list& named = request.input.architectures;
    const std::vector<target> targets = named.has_all() ? std::vector<target>{} : named.named({});
    const auto look = [&](const std::string& file, const architectures_found& found,
                          const std::vector<binary_image>& images, const std::vector<missing_kernel>& missing) {
        if (found.checked.empty() && missing.empty()) {
            parts.push_back({file, "", why_nothing(found, images), !request.allow_empty});
            return;
        }
        for (const target& wanted : targets) {
            const std::string name(architecture_name(wanted.architecture).view());
            std::vector<std::string> absent, as_ptx, there;
            for (const missing_kernel& kernel : missing) {
                if (kernel.wanted != wanted.architecture) continue;
                absent.push_back(kernel.short_form);
                for (const std::string& other : kernel.there)
                    if (std::ranges::find(there, other) == there.end()) there.push_back(other);
            }
            if (absent.empty()) there = found.architectures();
            for (const found_kernel* kernel : found.ptx)
                if (matches_architecture(wanted.architecture, architecture_where_run(kernel->info)))
                    as_ptx.push_back(kernel->info.short_form);
            const bool none = !found.has(wanted);
            if (!as_ptx.empty())
                parts.push_back({file, name,
                                 none && absent.empty() ? std::string("it is there ") + only_as_ptx
                                                        : std::string("there ") + only_as_ptx,
                                 true, false, none && absent.empty() ? std::vector<std::string>{} : as_ptx});
            // If all of many kernels are missing, a list of their names does not help.
            if (none && as_ptx.empty() && absent.size() > max_missing_named) absent.clear();
            if (!absent.empty() || (none && as_ptx.empty()))
                parts.push_back({file, name,
                                 fmt::format("it is in --arch, and the input has {}", fmt::join(there, ", ")), true,
                                 false, absent});
        }
    };
    if (!request.input.kernel.empty()) {
        architectures_found found;
        for (const found_kernel& kernel : input.kernels) found.add(kernel);
        std::vector<missing_kernel> missing;
        for (const input_summary& summary : input.inputs)
            missing.insert(missing.end(), summary.missing.begin(), summary.missing.end());
        // Another input may have the kernel.
        std::erase_if(missing, [&](const missing_kernel& one) {
            return std::ranges::any_of(input.kernels, [&](const found_kernel& kernel) {
                return kernel.info.name == one.name &&
                       matches_architecture(one.wanted, architecture_where_run(kernel.info));
            });
        });
        look("", found, {}, missing);
        return parts;
    }
    std::vector<architectures_found> found_in(input.inputs.size());
    for (const found_kernel& kernel : input.kernels) found_in[kernel.input].add(kernel);
    for (std::size_t i = 0; i < input.inputs.size(); ++i)
        if (const input_summary& summary = input.inputs[i]; summary.errors.empty() && !summary.is_container)
            look(summary.file, found_in[i], summary.images, summary.missing);
    return parts;
}

}  // namespace launchbox
