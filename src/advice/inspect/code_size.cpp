// SPDX-License-Identifier: Apache-2.0
#include "advice/inspect/code_size.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "image/names/demangle.hpp"

namespace launchbox {

code_size size_of(const std::string& file, std::optional<std::uint64_t> file_bytes,
                  const std::vector<binary_image>& images, const std::vector<const inspected_kernel*>& kernels)
{
    code_size size;
    size.file = file;
    size.file_bytes = file_bytes;
    std::map<std::pair<std::string, std::string>, architecture_size> of_architecture;
    for (const binary_image& image : images) {
        architecture_size& one = of_architecture[{image.architecture, image.kind}];
        one.architecture = image.architecture;
        one.kind = image.kind;
        ++one.images;
        one.kernels += image.kernels;
        one.stored_bytes += image.stored_bytes;
        one.bytes += image.bytes;
        size.image_bytes += image.stored_bytes;
    }
    for (auto& [key, one] : of_architecture) size.architectures.push_back(std::move(one));
    std::ranges::stable_sort(size.architectures, std::ranges::greater{}, &architecture_size::stored_bytes);

    std::map<std::string, template_size> of_template;
    std::set<std::pair<std::string_view, std::uint64_t>> seen;  // architecture and code
    for (const inspected_kernel* kernel : kernels) {
        if (!kernel->info.figures.code_bytes) continue;
        const std::int64_t bytes = *kernel->info.figures.code_bytes;
        template_size& one = of_template[template_name(kernel->info.short_form)];
        ++one.kernels;
        one.code_bytes += bytes;
        size.code_bytes += bytes;
        if (!kernel->info.figures.code_hash ||
            seen.emplace(kernel->info.architecture, *kernel->info.figures.code_hash).second)
            continue;
        one.repeated_bytes += bytes;
        size.repeated_bytes += bytes;
    }
    for (auto& [name, one] : of_template) {
        one.name = name;
        size.templates.push_back(std::move(one));
    }
    std::ranges::stable_sort(size.templates, std::ranges::greater{}, &template_size::code_bytes);
    return size;
}

}  // namespace launchbox
