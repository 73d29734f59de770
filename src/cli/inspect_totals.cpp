// SPDX-License-Identifier: Apache-2.0
#include "cli/inspect_totals.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "advice/inspect/code_size.hpp"
#include "advice/inspect/inspected_kernel.hpp"
#include "advice/inspect/stack_reserve.hpp"
#include "image/names/kernel_identity.hpp"
#include "report/kernels/totals_report.hpp"

namespace launchbox::cli {

namespace {

constexpr std::size_t templates_of_a_file = 20;

std::shared_ptr<std::vector<inspected_kernel>> kernels_of(const kernel_input& input)
{
    auto kernels = std::make_shared<std::vector<inspected_kernel>>();
    for (const found_kernel& kernel : input.kernels)
        kernels->push_back({kernel.info, kernel.demangled, kernel.short_form, std::nullopt});
    return kernels;
}

}  // namespace

std::uint64_t image_bytes_of(const input_summary& summary)
{
    std::uint64_t sum = 0;
    for (const binary_image& image : summary.images) sum += image.stored_bytes;
    return sum;
}

report_forms size_forms(const kernel_input& input)
{
    const auto kernels = kernels_of(input);
    std::map<std::string_view, std::vector<const inspected_kernel*>> in_file;
    for (const inspected_kernel& kernel : *kernels) in_file[kernel.info.source.file].push_back(&kernel);
    std::vector<code_size> sizes;
    for (const input_summary& summary : input.inputs) {
        if (summary.images.empty() && in_file[summary.file].empty()) continue;
        std::error_code unknown;
        const std::uintmax_t bytes = std::filesystem::file_size(summary.file, unknown);
        const bool is_whole = !unknown && summary.kind != "CUDA source" && summary.kind != "compiler log";
        sizes.push_back(size_of(summary.file, is_whole ? std::optional<std::uint64_t>(bytes) : std::nullopt,
                                summary.images, in_file[summary.file]));
    }
    report_forms forms;
    forms.page = [sizes](const output_style&) { return size_document(sizes, templates_of_a_file); };
    forms.json = [sizes] { return size_json(sizes); };
    forms.rows = [sizes] { return size_table(sizes); };
    return forms;
}

report_forms stack_reserve_forms(const kernel_input& input)
{
    const auto kernels = kernels_of(input);
    std::vector<std::string> identities;
    for (const inspected_kernel& kernel : *kernels)
        identities.push_back(kernel_identity(kernel.info.name, kernel.demangled));
    std::vector<stack_user> users;
    for (std::size_t i = 0; i < kernels->size(); ++i) users.push_back({identities[i], &(*kernels)[i].info});
    const stack_reserves reserves = stack_reserves_of(users);
    report_forms forms;
    forms.page = [=](const output_style&) { return stack_reserve_document(reserves, *kernels); };
    forms.json = [=] { return stack_reserve_json(reserves, *kernels); };
    forms.rows = [=] { return stack_reserve_table(reserves, *kernels); };
    return forms;
}

}  // namespace launchbox::cli
