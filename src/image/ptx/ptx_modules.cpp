// SPDX-License-Identifier: Apache-2.0
#include "image/ptx/ptx_modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "image/container/decompress.hpp"
#include "image/container/image_scan.hpp"
#include "image/ptx/ptx.hpp"
#include "support/error.hpp"

namespace launchbox {

void for_each_ptx(std::string_view file, const std::function<void(std::string_view ptx)>& use)
{
    if (is_ptx(file)) return use(file.substr(0, file.find('\0')));
    decompressor unpack;
    std::string ignored;
    for (const located_image& image : scan_for_images(file).images) {
        if (image.entry.kind != fatbin_entry::ptx) continue;
        const auto text =
            unpack.decompress(image.entry.payload, image.entry.compression, image.entry.decompressed_bytes, ignored);
        if (text) use(text->substr(0, text->find('\0')));  // followed by padding
    }
}

namespace {

// The module with these directives for the kernel; its directives in `replaced` are removed.
std::string with_directives(std::string_view ptx, std::string_view kernel, const std::string& directives,
                            bool with_block_limits)
{
    const ptx_contents contents = read_ptx(ptx, "", false);
    if (!contents.diagnostics.empty())
        throw error("the PTX is damaged: " + contents.diagnostics.front().what, "compile it again");
    const auto found = std::ranges::find(contents.kernels, kernel, &kernel_info::name);
    if (found == contents.kernels.end())
        throw error("there is no kernel " + std::string(kernel) + " in the PTX", "name one of its .entry");
    const ptx_directives& head = contents.directives[static_cast<std::size_t>(found - contents.kernels.begin())];
    std::vector<ptx_directives::range> replaced = head.register_limits;
    if (with_block_limits) replaced.insert(replaced.end(), head.block_limits.begin(), head.block_limits.end());
    std::ranges::sort(replaced, {}, &ptx_directives::range::from);
    std::string text(ptx.substr(0, head.begin));
    text.append("\n").append(directives).append("\n");
    std::size_t at = head.begin;
    for (const auto& [from, to] : replaced) {
        text.append(ptx, at, from - at).append(" ");
        at = to;
    }
    return text.append(ptx.substr(at));
}

}  // namespace

std::string with_max_registers(std::string_view ptx, std::string_view kernel, int count)
{
    return with_directives(ptx, kernel, fmt::format(".maxnreg {}", count), false);
}

std::string with_attribute(std::string_view ptx, std::string_view kernel, const launch_attribute& attribute)
{
    std::string directives;
    if (attribute.threads > 0) directives += fmt::format(".maxntid {}\n", attribute.threads);
    if (attribute.min_blocks > 0) directives += fmt::format(".minnctapersm {}\n", attribute.min_blocks);
    if (attribute.max_cluster_blocks > 0)
        directives += fmt::format(".maxclusterrank {}\n", attribute.max_cluster_blocks);
    if (attribute.max_registers > 0) directives += fmt::format(".maxnreg {}\n", attribute.max_registers);
    return with_directives(ptx, kernel, directives, true);
}

}  // namespace launchbox
