// SPDX-License-Identifier: Apache-2.0
#include "image/ptx_modules.hpp"

#include <utility>
#include <vector>

#include "image/decompress.hpp"
#include "image/image_scan.hpp"
#include "image/ptx.hpp"
#include "image/ptx_tokens.hpp"
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
    ptx_tokens tokens(ptx);
    for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
        if (token == "{") {
            tokens.skip_block();
            continue;
        }
        if (token != ".entry" || tokens.next() != kernel) continue;
        // Another one within it: it was cut, and readers would differ about which is meant.
        const auto refuse_cut = [&] {
            throw error("the PTX is cut within the head of kernel " + std::string(kernel), "make it again");
        };
        if (tokens.peek() == "(")
            for (token = tokens.next(); token != ")"; token = tokens.next())
                if (token.empty() || token == "{" || token == "}" || token == ";" || token == ".entry") refuse_cut();
        const std::size_t directives = tokens.position();
        std::vector<std::pair<std::size_t, std::size_t>> replaced;  // from, to
        for (token = tokens.next(); !token.empty() && token != "{" && token != ";"; token = tokens.next()) {
            if (token == ".entry") refuse_cut();
            if (token == ".pragma") tokens.skip_pragma();
            if (token == ".maxnreg" || token == ".minnctapersm") {
                const std::size_t from = tokens.offset();
                tokens.next();  // its number
                replaced.emplace_back(from, tokens.position());
            }
        }
        if (token != "{") continue;  // a prototype
        std::string text(ptx.substr(0, directives));
        text.append("\n.maxnreg ").append(std::to_string(count)).append("\n");
        std::size_t at = directives;
        for (const auto& [from, to] : replaced) {
            text.append(ptx, at, from - at);
            at = to;
        }
        return text.append(ptx.substr(at));
    }
    throw error("there is no kernel " + std::string(kernel) + " in the PTX", "name one of its .entry");
}

}  // namespace launchbox
