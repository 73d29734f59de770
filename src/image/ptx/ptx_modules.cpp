// SPDX-License-Identifier: Apache-2.0
#include "image/ptx/ptx_modules.hpp"

#include <algorithm>
#include <cstddef>

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
        if (text) use(text->substr(0, text->find('\0')));  // padding is behind it
    }
}

std::string with_max_registers(std::string_view ptx, std::string_view kernel, int count)
{
    const ptx_contents contents = read_ptx(ptx, "", false);
    if (!contents.diagnostics.empty())
        throw error("the PTX is damaged: " + contents.diagnostics.front().what, "compile it again");
    const auto found = std::ranges::find(contents.kernels, kernel, &kernel_info::name);
    if (found == contents.kernels.end())
        throw error("there is no kernel " + std::string(kernel) + " in the PTX", "name one of its .entry");
    const ptx_directives& head = contents.directives[static_cast<std::size_t>(found - contents.kernels.begin())];
    std::string text(ptx.substr(0, head.begin));
    text.append("\n.maxnreg ").append(std::to_string(count)).append("\n");
    std::size_t at = head.begin;
    for (const auto& [from, to] : head.register_limits) {
        text.append(ptx, at, from - at).append(" ");
        at = to;
    }
    return text.append(ptx.substr(at));
}

}  // namespace launchbox
