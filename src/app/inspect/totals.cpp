// SPDX-License-Identifier: Apache-2.0
#include "app/inspect/totals.hpp"

#include <filesystem>
#include <optional>

#include "image/names/kernel_identity.hpp"

namespace launchbox {

namespace {

std::vector<inspected_kernel> kernels_of(const kernel_input& input)
{
    std::vector<inspected_kernel> kernels;
    for (const found_kernel& kernel : input.kernels) kernels.push_back({kernel.info, std::nullopt, std::nullopt});
    return kernels;
}

}  // namespace

std::uint64_t image_bytes_of(const input_summary& summary)
{
    std::uint64_t sum = 0;
    for (const binary_image& image : summary.images) sum += image.stored_bytes;
    return sum;
}

std::vector<code_size> code_sizes_of(const kernel_input& input)
{
    const std::vector<inspected_kernel> kernels = kernels_of(input);
    std::vector<std::vector<const inspected_kernel*>> in_input(input.inputs.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) in_input[input.kernels[i].input].push_back(&kernels[i]);
    std::vector<code_size> sizes;
    for (std::size_t i = 0; i < input.inputs.size(); ++i) {
        const input_summary& summary = input.inputs[i];
        if (summary.images.empty() && in_input[i].empty()) continue;
        std::error_code unknown;
        const std::uintmax_t bytes = std::filesystem::file_size(summary.file, unknown);
        const bool is_whole = !unknown && summary.is_compiled();
        sizes.push_back(size_of(summary.file, is_whole ? std::optional<std::uint64_t>(bytes) : std::nullopt,
                                summary.images, in_input[i]));
    }
    return sizes;
}

reserved_stacks stack_reserves_of(const kernel_input& input)
{
    reserved_stacks stacks{.kernels = kernels_of(input), .reserves = {}};
    std::vector<std::string> identities;
    for (const inspected_kernel& kernel : stacks.kernels)
        identities.push_back(kernel_identity(kernel.info.name, kernel.info.demangled));
    std::vector<stack_user> users;
    for (std::size_t i = 0; i < stacks.kernels.size(); ++i) users.push_back({identities[i], &stacks.kernels[i].info});
    stacks.reserves = stack_reserves_of(users);
    return stacks;
}

}  // namespace launchbox
